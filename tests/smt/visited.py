"""Reachable states, by running a spec as it is."""

from __future__ import annotations

from collections.abc import Iterator

from everystate.checker import Spec, State


def visited(spec: Spec) -> Iterator[State]:
    """Every reachable state once."""
    waiting, seen = spec.initial_states(), set[tuple[int, ...]]()
    while waiting:
        here = waiting.pop()
        if here.cells not in seen:
            seen.add(here.cells)
            yield here
            waiting += [step.state for step in spec.successors(here)]
