"""Covers: traces of a spec that together take all steps, or meet other items that steps can meet."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .concrete import Step, outside, successors
from .spec import Spec
from .state import State

Met = Callable[[State, int, Step], Collection[Hashable]]
"""The items that a step meets: from the state before it, its number among the steps of that state, and the step."""


class TooLarge(Exception):
    """More states would have to be visited than are allowed."""


@dataclass
class Cover:
    """Traces, each from an initial state, and what they meet together. `whole`: every reachable state was visited."""

    behaviours: list[tuple[State, tuple[Step, ...]]] = field(default_factory=list)
    met: set[Hashable] = field(default_factory=set)
    whole: bool = False


def every_step(state: State, number: int, step: Step) -> Collection[Hashable]:
    """Each step is an item of its own: traces that meet all of these take every step of the state graph."""
    return ((state, number),)


@dataclass
class Graph:
    """The steps of a spec, computed on use; from states outside a constraint, none. `cut` are the constraints that
    pruned."""

    spec: Spec
    most: int
    known: dict[State, list[Step]] = field(default_factory=dict)
    cut: dict[str, None] = field(default_factory=dict)

    def steps(self, state: State) -> list[Step]:
        """All steps from a state; TooLarge when it is one too many, StepFailed where one is an error of the spec."""
        if state not in self.known:
            if len(self.known) >= self.most:
                raise TooLarge
            beyond = outside(self.spec, state)
            self.cut |= dict.fromkeys(beyond)
            self.known[state] = [] if beyond else successors(self.spec, state)
        return self.known[state]


def cover(
    graph: Graph,
    met: Met,
    long: int,
    wanted: Collection[Hashable] | None = None,
    begins: Callable[[State], Collection[Hashable]] = lambda state: (),
) -> Cover:
    """Traces of about `long` steps that meet every possible item, or all that are `wanted`.

    `begins` gives the items met before any step; a trace may then have no step.

    Greedy: from its current state a trace goes to the nearest step that meets something new. A new trace begins where
    none can be reached. So the first trace begins with a shortest one.
    """
    found = Cover()

    def fresh(state: State, number: int, step: Step) -> set[Hashable]:
        items = set(met(state, number, step)) - found.met
        return items if wanted is None else items & set(wanted)

    for start in dict.fromkeys(graph.spec.initial_states()):
        begun, known = set(begins(start)) - found.met, len(found.behaviours)
        found.met |= begun
        while wanted is None or not found.met >= set(wanted):
            steps = tuple(_behaviour(graph, start, fresh, found.met, long))
            if not steps:
                break
            found.behaviours.append((start, steps))
        if begun and len(found.behaviours) == known:
            found.behaviours.append((start, ()))
    found.whole = wanted is None or not found.met >= set(wanted)
    return found


def _behaviour(graph: Graph, state: State, fresh: Any, met: set[Hashable], long: int) -> Iterator[Step]:
    taken = 0
    while taken < long:
        way = _way(graph, state, fresh)
        for number in way:
            step = graph.steps(state)[number]
            met |= fresh(state, number, step)
            yield step
            state, taken = step.state, taken + 1
        if not way:
            return


def _way(graph: Graph, state: State, fresh: Any) -> list[int]:
    """The shortest path from a state that ends with a step that meets something new; empty where there is none."""
    before: dict[State, tuple[State, int] | None] = {state: None}
    todo = deque([state])
    while todo:
        here = todo.popleft()
        for number, step in enumerate(graph.steps(here)):
            if fresh(here, number, step):
                way, link = [number], before[here]
                while link is not None:
                    here, at = link
                    way.append(at)
                    link = before[here]
                return way[::-1]
        for number, step in enumerate(graph.steps(here)):
            if step.state not in before:
                before[step.state] = (here, number)
                todo.append(step.state)
    return []
