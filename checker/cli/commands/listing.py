"""everystate list: the specs and scenarios that can be checked."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ...language.declarations import declared
from ...language.spec import Spec
from ..options import TargetType
from ..output import say

if TYPE_CHECKING:
    from everystate.specs.scenario import Scenario

KINDS = {
    "action": "actions",
    "assumption": "assumptions",
    "constraint": "constraints",
    "action constraint": "action constraints",
    "invariant": "invariants",
    "step invariant": "step invariants",
    "reachable": "reachable",
}


@click.command(
    epilog="""\b
Examples:
  everystate list
  everystate list idem-producer
  everystate list kip-1269"""
)
@click.argument("target", type=TargetType(), metavar="[TARGET]", required=False)
def command(target: str | None) -> None:
    """List what can be checked, one per line; with TARGET its constants, actions and properties.

    The part of a name before the slash lists all names that begin with it.
    """
    say("\n".join(_lines(target or "")))


def _lines(text: str) -> Iterator[str]:
    from everystate.specs import registry

    prefix = text.rstrip("/") + "/" if text else ""
    groups = {title: [s for s in found if s.name.startswith(prefix)] for title, found in registry.groups().items()}
    if text and (registry.find(text) or not any(groups.values())):
        yield from _about(text)
        return
    blank = ""
    for title, found in groups.items():
        if found:
            yield f"{blank}{title}"
            blank = "\n"
            yield from _listed(found)


def _listed(found: list[Scenario]) -> Iterator[str]:
    width = max(len(scenario.name) for scenario in found)
    yield from (f"  {scenario.name:<{width}}  {scenario.title}" for scenario in found)


def _about(text: str) -> Iterator[str]:
    from ..targets import resolve

    target = resolve(text)
    yield inspect.cleandoc(target.cls.__doc__ or target.cls.__name__)
    constants = target.cls._declared_constants()
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
