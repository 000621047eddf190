"""An edge cover: behaviours that together take every step of a small graph of states."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from ...checker.errors import EverystateError
from ...checker.language.concrete import successors
from ...checker.language.state import State
from ..kafka import KafkaProducer
from .behaviour import Behaviour, Turn, turn_of

Edges = dict[State, list[tuple[Turn, State]]]
LONG = 60
"""Turns of a behaviour, about."""


def cover(spec: KafkaProducer, most: int) -> list[Behaviour]:
    """Behaviours that take every step between the states of a spec; E721 when it has more than so many states.

    Greedy: from the state where it stands a behaviour goes on over a step that is not covered yet, or to the nearest
    state that has one. It begins anew where there is none ahead.
    """
    start = spec.initial_states()[0]
    edges = _edges(spec, start, most)
    open_: dict[State, list[int]] = {state: list(range(len(found))) for state, found in edges.items()}
    behaviours: list[Behaviour] = []
    while any(open_.values()):
        turns = tuple(_behaviour(start, edges, open_))
        if not turns:
            break
        behaviours.append(Behaviour(f"cover {len(behaviours)}", turns))
    return behaviours


def _edges(spec: KafkaProducer, start: State, most: int) -> Edges:
    edges: Edges = {}
    todo = deque([start])
    while todo:
        state = todo.popleft()
        if state in edges:
            continue
        if len(edges) >= most:
            raise EverystateError("E721", None, target=type(spec).__name__, most=f"{most:,}")
        inside = spec.holds("LogFits", state)
        edges[state] = [(turn_of(step), step.state) for step in successors(spec, state)] if inside else []
        todo.extend(after for _, after in edges[state] if after not in edges)
    return edges


def _behaviour(start: State, edges: Edges, open_: dict[State, list[int]]) -> Iterator[Turn]:
    state, taken = start, 0
    while taken < LONG:
        way = _way(state, edges, open_)
        if way is None:
            return
        for at in way:
            turn, after = edges[state][at]
            if at in open_[state]:
                open_[state].remove(at)
            yield turn
            state, taken = after, taken + 1


def _way(state: State, edges: Edges, open_: dict[State, list[int]]) -> list[int] | None:
    """The shortest way that ends with a step that is not covered yet."""
    before: dict[State, tuple[State, int] | None] = {state: None}
    todo = deque([state])
    while todo:
        here = todo.popleft()
        if open_[here]:
            way = [open_[here][0]]
            while (link := before[here]) is not None:
                here, at = link
                way.append(at)
            return way[::-1]
        for at, (_, after) in enumerate(edges[here]):
            if after not in before:
                before[after] = (here, at)
                todo.append(after)
    return None
