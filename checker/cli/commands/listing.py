"""everystate list: the specs and scenarios that can be checked."""

from __future__ import annotations

import inspect
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence

import click

from ...language.declarations import declared
from ...language.marks import TEMPORAL
from ...language.scenario import Scenario
from ...language.spec import Spec
from ..options import TargetType
from ..output import say, width
from ..registry import registry
from ..targets import resolve

KINDS = {
    "action": "actions",
    "assumption": "assumptions",
    "constraint": "constraints",
    "action constraint": "action constraints",
    "invariant": "invariants",
    "step invariant": "action properties",
    "reachable": "reachability properties",
    "refinement": "refinements",
    **dict.fromkeys(TEMPORAL, "temporal properties"),
}


@click.command(
    epilog="""\b
Examples:
  everystate list
  everystate list classics
  everystate list current
  everystate list idem-producer"""
)
@click.argument("target", type=TargetType(), metavar="[TARGET]", required=False)
def command(target: str | None) -> None:
    """List what can be checked: the groups; with TARGET its constants, actions and properties.

    The name of a group, the part of a name before the slash, or "all" lists names, one per line.
    """
    say("\n".join(_lines(target or "")))


def _lines(text: str) -> Iterator[str]:
    known = registry()
    groups: dict[str, list[Scenario]] = {}
    for (title, every), group in zip(known.groups().items(), known.GROUPS, strict=True):
        whole = text in (group, known.ALL)
        groups[title] = [s for s in every if whole or s.name.startswith(text.rstrip("/") + "/")]
    if not text:
        yield from _grouped()
        return
    if known.find(text) or not any(groups.values()):
        yield from _about(text, known.find(text))
        return
    blank = ""
    for title, found in groups.items():
        if found:
            yield f"{blank}{title}"
            blank = "\n"
            yield from _listed(found)


def _grouped() -> Iterator[str]:
    """Each group with what its names begin with, and how many there are of each."""
    yield "everystate list GROUP prints the names of a group, with a sentence for each:\n"
    for group, (title, found) in zip(registry().GROUPS, registry().groups().items(), strict=True):
        yield f"{group} ({len(found)}): {title}"
        begun = Counter(scenario.name.partition("/")[0] + "/" * ("/" in scenario.name) for scenario in found)
        parts = [f"{name} {number}" if number > 1 else name for name, number in begun.items()]
        yield textwrap.fill(
            ", ".join(parts), width(), initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
        )


def _listed(found: Sequence[Scenario]) -> Iterator[str]:
    width = max(len(scenario.name) for scenario in found)
    yield from (f"  {scenario.name:<{width}}  {scenario.title}" for scenario in found)


def _about(text: str, scenario: Scenario | None) -> Iterator[str]:
    target = resolve(text)
    yield inspect.cleandoc(target.cls.__doc__ or target.cls.__name__)
    if scenario:
        fails = ", ".join(f"{name} fails after {steps} steps" for name, steps in scenario.expected.items())
        yield f"\n{scenario.name}: {scenario.title}\nexpected: {fails or 'every property holds'}"
    constants = target.declared()
    if constants:
        yield "\nconstants"
        width = max(map(len, constants))
        for name, constant in constants.items():
            value = target.preset.get(name, constant.default)
            yield f"  {name:<{width}} = {value!r:<5}  {constant.text}".rstrip()
    for title, members in _members(target.cls).items():
        yield f"\n{title}"
        width = max(len(name) for name, _ in members)
        for name, sentence in members:
            yield f"  {name:<{width}}  {sentence}".rstrip()


def _members(cls: type[Spec]) -> dict[str, list[tuple[str, str]]]:
    """The marked methods by kind, in the order of definition, each with its sentence."""
    found: dict[str, list[tuple[str, str]]] = {title: [] for title in KINDS.values()}
    for method in declared(cls):
        if method.mark.kind in KINDS:
            found[KINDS[method.mark.kind]].append((method.name, method.text))
    return {title: members for title, members in found.items() if members}
