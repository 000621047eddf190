"""The page docs/reference/scenarios.md, which is written from the registry of scenarios."""

from __future__ import annotations

from everystate.specs import registry
from everystate.specs.scenario import Scenario

from .page import ROOT

PATH = ROOT / "docs" / "reference" / "scenarios.md"
HEAD = """\
# Scenarios

Grouped as in `everystate list`. In **bold** scenarios a property fails, as expected. `everystate list current`
describes a family; `specs/baseline.json` has all state counts.
"""


def page() -> str:
    """The page as it should be."""
    return "\n".join([HEAD, *(f"## {title}\n\n{listed(found)}" for title, found in registry.groups().items())])


def listed(scenarios: tuple[Scenario, ...]) -> str:
    """The names of a group, those with the same part before the slash in one item."""
    families: dict[str, list[str]] = {}
    for scenario in scenarios:
        families.setdefault(scenario.name.rpartition("/")[0], []).append(_shown(scenario))
    return "".join(f"- {f'`{name}/` ' * bool(name)}{', '.join(found)}\n" for name, found in families.items())


def _shown(scenario: Scenario) -> str:
    name = scenario.name.rpartition("/")[2]
    return f"**{name}**" if scenario.expected else name
