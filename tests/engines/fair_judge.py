"""A judge of temporal properties that shares nothing with the checker but the spec in plain Python.

The graph is explicit, all sets are Python sets. That a behaviour is fair and breaks a property is said as a list of
things that happen again and again; a product with a counter over this list is searched for a cycle through its end.
Strong fairness is guessed: each such disjunction is taken again and again, or from some time on never enabled. So there
are no components, no trimming and no rounds here.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from everystate.checker import Property, Spec, State
from everystate.checker.results.trace import Trace

Edge = tuple[int, int, frozenset[int]]
"""From, to, and the action instances that do it; a step that changes nothing is by none."""
Test = Callable[[Edge], bool]


@dataclass
class Explicit:
    """The graph of a spec inside its constraints."""

    spec: Spec
    states: list[State] = field(default_factory=list)
    number: dict[State, int] = field(default_factory=dict)
    initial: set[int] = field(default_factory=set)
    edges: list[Edge] = field(default_factory=list)
    able: list[set[int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.initial = {self._add(s) for s in self.spec.initial_states() if self._inside(s)}
        instances, at = {str(i): n for n, i in enumerate(self.spec.instances)}, 0
        while at < len(self.states):
            by: dict[State, set[int]] = {}
            for step in self.spec.successors(self.states[at]):
                if step.state != self.states[at]:
                    by.setdefault(step.state, set()).add(instances[str(step.action)])
            self.able.append(set().union(*by.values()))
            self.edges.append((at, at, frozenset()))
            self.edges += [(at, self._add(s), frozenset(a)) for s, a in by.items() if self._inside(s)]
            at += 1

    def _inside(self, state: State) -> bool:
        return all(self.spec.property_holds(name, state) for name in self.spec._named("constraint"))

    def _add(self, state: State) -> int:
        if state not in self.number:
            self.number[state] = len(self.states)
            self.states.append(state)
        return self.number[state]

    # -- fairness ------------------------------------------------------------------------------------------

    def fair_ways(self) -> Iterable[tuple[set[int], list[Test]]]:
        """How a behaviour can be fair: the states in which it may stay, and what happens again and again."""
        fair = self.spec._fairness()
        weak, strong = ([set(d.instances) for d in fair if d.strength == k] for k in ("weak", "strong"))
        everywhere = set(range(len(self.states)))
        for never in itertools.product((False, True), repeat=len(strong)):
            quiet = [group for group, out in zip(strong, never, strict=True) if out]
            busy = [group for group, out in zip(strong, never, strict=True) if not out]
            nodes = {n for n in everywhere if not any(group & self.able[n] for group in quiet)}
            tests = [self._taken_or_disabled(group) for group in weak] + [self._taken(group) for group in busy]
            yield nodes, tests

    def _taken(self, group: set[int]) -> Test:
        return lambda edge: bool(edge[2] & group)

    def _taken_or_disabled(self, group: set[int]) -> Test:
        return lambda edge: bool(edge[2] & group) or not self.able[edge[0]] & group

    # -- properties ----------------------------------------------------------------------------------------

    def breaks(self, prop: Property) -> tuple[set[int], Test, list[Test]]:
        """From where, on which steps, and with what again and again a behaviour breaks a property."""
        changes: Test = lambda edge: edge[0] != edge[1]  # noqa: E731
        if prop.steps:
            good: Test = lambda edge: changes(edge) and self._of_step(prop, edge)  # noqa: E731
            if prop.kind == "eventually always":
                return self.initial, lambda edge: True, [lambda edge: changes(edge) and not good(edge)]
            starts = self.initial if prop.kind == "eventually" else set(range(len(self.states)))
            return starts, lambda edge: not good(edge), []
        first, second = self._of_states(prop)
        bad = set(range(len(self.states))) - second
        if prop.kind == "eventually always":
            return self.initial, lambda edge: True, [lambda edge: edge[0] in bad]
        starts = {"eventually": self.initial & bad, "leads to": first & bad, "infinitely often": bad}[prop.kind]
        return starts, lambda edge: edge[0] in bad and edge[1] in bad, []

    def _of_states(self, prop: Property) -> tuple[set[int], set[int]]:
        values = [self._value(prop, state) for state in self.states]
        pairs = values if prop.kind == "leads to" else [(value, value) for value in values]
        return {n for n, (a, _) in enumerate(pairs) if a}, {n for n, (_, b) in enumerate(pairs) if b}

    def _of_step(self, prop: Property, edge: Edge) -> bool:
        return bool(self._value(prop, self.states[edge[1]], self.states[edge[0]]))

    def _value(self, prop: Property, state: State, before: State | None = None) -> Any:
        from everystate.checker.language.concrete import evaluate

        return evaluate(self.spec, prop.name, state, before).value

    def fails(self, prop: Property) -> bool:
        """Whether some fair behaviour breaks a property."""
        starts, allowed, again = self.breaks(prop)
        return any(
            self._cycle(starts, [e for e in self.edges if allowed(e)], [*tests, *again], nodes)
            for nodes, tests in self.fair_ways()
        )

    def _cycle(self, starts: set[int], edges: list[Edge], tests: list[Test], nodes: set[int]) -> bool:
        """Whether, after some way, there is a cycle within `nodes` on which everything is met."""
        around = _reachable({(n, 0) for n in starts}, lambda at: [(e[1], 0) for e in edges if e[0] == at[0]])
        inner = [e for e in edges if e[0] in nodes and e[1] in nodes]
        tests = tests or [lambda edge: True]

        def after(at: tuple[int, int]) -> list[tuple[int, int]]:
            met = [(e, at[1] < len(tests) and tests[at[1]](e)) for e in inner if e[0] == at[0]]
            return [(e[1], at[1] + ok) for e, ok in met] + ([(at[0], 0)] if at[1] == len(tests) else [])

        found = _reachable({at for at in around if at[0] in nodes}, after)
        return any((n, len(tests)) in _reachable({(n, 0)}, after) for n, k in found if k == len(tests))

    # -- a counterexample ----------------------------------------------------------------------------------

    def confirms(self, prop: Property, trace: Trace | None) -> bool:
        """Whether a lasso is a behaviour, fair, and breaks the property."""
        assert trace is not None and trace.loop is not None
        way = [self.number[state] for state in trace.states]
        cycle = [*way[trace.loop :], *([way[trace.loop]] if trace.closing else [])]
        known = {(a, b): e for e in self.edges for a, b in [e[:2]]}
        steps = list(itertools.pairwise([*way, *cycle[-1:]] if trace.closing else way))
        if way[0] not in self.initial or not all(step in known for step in steps):
            return False
        round_ = [known[step] for step in itertools.pairwise(cycle)] or [known[way[-1], way[-1]]]
        starts, allowed, again = self.breaks(prop)
        tail = next((k for k, n in enumerate(way) if n in starts and all(allowed(known[s]) for s in steps[k:])), None)
        inside = {n for edge in round_ for n in edge[:2]}
        fair = any(inside <= nodes and all(any(map(t, round_)) for t in tests) for nodes, tests in self.fair_ways())
        return tail is not None and tail <= trace.loop and fair and all(any(map(t, round_)) for t in again)


def _reachable(
    starts: set[tuple[int, int]], after: Callable[[tuple[int, int]], list[tuple[int, int]]]
) -> set[tuple[int, int]]:
    found, left = set(starts), list(starts)
    while left:
        for following in after(left.pop()):
            if following not in found:
                found.add(following)
                left.append(following)
    return found
