"""everystate list: what can be checked."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator

import click

from ...language.declarations import declared
from ...language.spec import Spec
from ..options import TargetType
from ..output import say

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
    """What can be checked, with one line each; with TARGET its constants, actions and properties.

    The part of a name before the slash lists the names that begin with it.
    """
    say("\n".join(_lines(target or "")))


def _lines(text: str) -> Iterator[str]:
    from everystate.specs import registry

    family = [s for s in registry.scenarios() if s.name.startswith(text.rstrip("/") + "/")] if text else []
    if text and (registry.find(text) or not family):
        yield from _about(text)
        return
    groups = itertools.groupby(family or registry.scenarios(), lambda scenario: scenario.name.split("/")[0])
    for wide, runs in itertools.groupby(((name, list(found)) for name, found in groups), lambda run: len(run[1]) > 2):
        for found in [run for _, run in runs] if wide else [[s for _, run in runs for s in run]]:
            width = max(len(scenario.name) for scenario in found)
            yield from (f"{scenario.name:<{width}}  {scenario.title}" for scenario in found)


def _about(text: str) -> Iterator[str]:
    from ..targets import resolve

    target = resolve(text)
    yield inspect.cleandoc(target.cls.__doc__ or target.cls.__name__)
    constants = target.cls.declared_constants()
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
