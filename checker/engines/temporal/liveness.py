"""Temporal properties: whether something comes true on every fair behaviour, judged on the whole state graph.

A counterexample is a lasso: a way to a state in which the property waits, and from there, without what it waits for,
to a fair cycle. The way is a shortest one; the cycle visits what fairness asks for, one thing after the other, each on
a shortest way. Behaviours may stop unless a fair action is enabled, as in TLA+ (L. Lamport: The Temporal Logic of
Actions, 1994).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ...backends.native import Program
from ...backends.native.tiers import Tiers
from ...errors import EverystateError
from ...ir.layout import Layout
from ...ir.model import Model, TracedProperty
from ...language import marks
from ...language.concrete import StepFailed, attempts, evaluate
from ...language.declarations import ActionInstance, Property
from ...language.spec import Spec
from ...language.state import State
from ...results.result import Violation
from ...results.verdict import Kind
from ..doublecheck.doublecheck import Allowance, Doublecheck
from ..doublecheck.plain_python import Said
from ..expansion import Expansion, by_instance
from ..replay import make_trace, replay
from .fairness import Fairness, fair_components, reached, truths
from .graph import BYTES_PER_STATE, BYTES_PER_STEP, Graph, build

if TYPE_CHECKING:
    from ..limits import Limits

Judged = Callable[[Property, Any], tuple[Any, Any]]
"""For a property and rows of states: where what it waits after holds, and where what it waits for does."""


def of_spec(spec: Spec) -> list[Property]:
    """The temporal properties of a spec."""
    return [p for p in spec.properties if p.kind in marks.TEMPORAL]


def memory(states: int, steps: int) -> int:
    """Bytes that judging takes, beside the store of the search."""
    return states * BYTES_PER_STATE + steps * BYTES_PER_STEP


@dataclass(frozen=True)
class Lasso:
    """Numbers of states: the way to the cycle, whose first state is its last one, and then the rest of the cycle.

    `waiting` is the place in the way from which on the property waits.
    """

    way: list[int]
    cycle: list[int]
    waiting: int


class Judge:
    """Judges the temporal properties of a spec on a graph."""

    def __init__(self, spec: Spec, target: str, graph: Graph, unpack: Callable[[Sequence[int]], Any]) -> None:
        self.spec, self.target, self.graph, self.unpack = spec, target, graph, unpack
        self.fairness = fairness_of(spec)

    def violations(self, conditions: Judged, skipped: Iterable[str] = ()) -> Iterator[Violation]:
        """The properties that fail, each with a lasso; those that cannot be evaluated are skipped."""
        for prop in of_spec(self.spec):
            if prop.name not in skipped:
                trigger, goal = conditions(prop, self.graph.states)
                found = self._lasso(self._starts(prop, trigger) & ~goal, ~goal)
                if found is not None:
                    yield self._violation(prop, *found)

    def _starts(self, prop: Property, trigger: Any) -> Any:
        return trigger if prop.kind == marks.LEADS_TO else self.graph.level == 1

    def _lasso(self, starts: Any, waiting: Any) -> tuple[Lasso, int] | None:
        """A lasso that begins to wait in one of some states and waits for ever, and how many states are on cycles."""
        graph = self.graph
        edge = waiting[graph.source] & waiting[graph.target]
        edges = graph.source[edge], graph.target[edge], graph.action[edge]
        region = reached(edges[0], edges[1], starts)
        inside = region[edges[0]]
        edges = edges[0][inside], edges[1][inside], edges[2][inside]
        labels = fair_components(edges, region, graph.enabled, self.fairness)
        if (labels < 0).all():
            return None
        way, since = self._way(starts, edges, labels >= 0)
        member = labels == labels[way[-1]]
        within = member[edges[0]] & member[edges[1]]
        cycle = self._cycle(way[-1], member, (edges[0][within], edges[1][within], edges[2][within]))
        return Lasso(way, cycle, since), int((labels >= 0).sum())

    # -- the way to the cycle ------------------------------------------------------------------------------

    def _way(self, starts: Any, edges: tuple[Any, Any, Any], ends: Any) -> tuple[list[int], int]:
        """A shortest way from an initial state to one of `ends`, and the place where it begins to wait."""
        source, target, _ = edges
        level, time = self.graph.level, np.full(len(self.graph.level), -1)
        now, found = 0, np.flatnonzero(ends[:0])
        while not len(found):
            arriving = starts & (level == now + 1)
            if now:
                arriving[target[time[source] == now - 1]] = True
            arriving &= time < 0
            time[arriving] = now
            found, now = np.flatnonzero(arriving & ends), now + 1
        way = [int(found[0])]
        while not (starts[way[0]] and level[way[0]] == time[way[0]] + 1):
            way.insert(0, _before(source, target, time, way[0]))
        waiting = int(time[way[0]])
        while level[way[0]] > 1:
            way.insert(0, _before(self.graph.source, self.graph.target, level, way[0]))
        return way, waiting

    # -- the cycle -----------------------------------------------------------------------------------------

    def _cycle(self, start: int, member: Any, edges: tuple[Any, Any, Any]) -> list[int]:
        """The states after `start` on a fair cycle; empty when nothing needs to happen."""
        source, target, action = edges
        path, taken = [start], set[int]()
        for instance, kind in self.fairness.items():
            able = self.graph.enabled[instance]
            calm = (not able[member].any()) if kind == marks.STRONG else (~able[path]).any()
            if calm or instance in taken:
                continue
            ends = member & ~able if kind == marks.WEAK else np.zeros(len(member), bool)
            leaving = source[action == instance]
            path += _shortest(source, target, path[-1], ends | truths(leaving, len(member)))[1:]
            if not ends[path[-1]]:
                path.append(int(target[(source == path[-1]) & (action == instance)].min()))
            taken |= self._taken(path, edges)
        if len(path) > 1 and path[-1] != start:
            path += _shortest(source, target, path[-1], truths([start], len(member)))[1:]
        return path[1:]

    def _taken(self, path: list[int], edges: tuple[Any, Any, Any]) -> set[int]:
        """The actions that may have been taken on a path."""
        source, target, action = edges
        steps = [(source == a) & (target == b) for a, b in itertools.pairwise(path)]
        return {int(found) for step in steps for found in action[step]}

    def _violation(self, prop: Property, lasso: Lasso, states: int) -> Violation:
        numbers = lasso.way + lasso.cycle[:-1]
        cells = [self.unpack([int(word) for word in self.graph.states[number]]) for number in numbers]
        closing = ""
        if lasso.cycle:
            closing = replay(self.spec, [cells[-1], cells[len(lasso.way) - 1]])[1][0].label
        since = {"since": f"state {lasso.waiting}"} if prop.kind == marks.LEADS_TO else {}
        facts = {"loop": len(lasso.way) - 1, "closing": closing, "witness": since}
        return violation(self.spec, self.target, prop.name, cells, states, facts)


def violation(
    spec: Spec, target: str, name: str, cells: Sequence[Any], states: int, lasso: dict[str, Any]
) -> Violation:
    """A temporal property that fails on a behaviour; `lasso` has the loop, closing and witness of its trace."""
    text = next(p.text for p in of_spec(spec) if p.name == name) or "it does not come true"
    trace = make_trace(spec, target, cells, shows=name, kind=Kind.TEMPORAL.value, explanation=text, **lasso)
    return Violation(name, Kind.TEMPORAL, trace, text, None, states)


def fairness_of(spec: Spec) -> Fairness:
    """The fair action instances of a spec, by their number."""
    kinds = {number: spec.fairness(instance) for number, instance in enumerate(spec.instances)}
    return {number: kind for number, kind in kinds.items() if kind}


def _before(source: Any, target: Any, moment: Any, node: int) -> int:
    """The least node that leads to a node and was there one moment earlier."""
    found = source[target == node]
    return int(found[moment[found] == moment[node] - 1].min())


def _shortest(source: Any, target: Any, start: int, ends: Any) -> list[int]:
    """A shortest way from a node to one of some ends, of equally short ones by the least nodes from behind."""
    time = np.full(len(ends), -1)
    time[start], now = 0, 0
    while not (found := np.flatnonzero((time == now) & ends)).size:
        fresh = target[(time[source] == now) & (time[target] < 0)]
        assert len(fresh), "the nodes of a component reach each other"
        now += 1
        time[fresh] = now
    way = [int(found[0])]
    while way[0] != start:
        way.insert(0, _before(source, target, time, way[0]))
    return way


# -- on machine code -------------------------------------------------------------------------------------------


class Levels(Protocol):
    """The levels of a search that has ended; 1 is the initial one."""

    @property
    def depth(self) -> int: ...

    def blocks(self, level: int) -> Iterator[Any]:
        """The states of a level, some rows at a time."""
        ...

    def sample(self, first: int, last: int) -> Iterator[tuple[int, Any]]:
        """Single states with their levels: those of a sample of `last` that one of `first` states does not have."""
        ...


def violations(
    model: Model, target: str, history: Levels, skipped: Iterable[str], limits: Limits, steps: tuple[int, int]
) -> list[Violation]:
    """The temporal properties that fail on the states of a finished search, after some were executed twice.

    `steps` are how many steps the search took, and how many of them led outside a constraint.
    """
    program = Program(_apart(model))
    tiers = Tiers(program)
    expansion = Expansion(tiers.first())
    check, allowance = Conditions(program, expansion), Allowance(limits.doublecheck, 0.0, limits.twice)
    check.compare(row for _, row in history.sample(0, allowance.least))
    levels = (np.concatenate(list(history.blocks(level))) for level in range(1, history.depth + 1))
    graph = build(levels, lambda rows: _steps(expansion, rows), list(fairness_of(model.spec)), expansion.rows)
    if graph.steps != steps:
        reason = "{:,} steps, {:,} of them to the outside, and in the graph of all steps {:,} and {:,}"
        raise EverystateError("E505", None, spec=type(model.spec).__name__, reason=reason.format(*steps, *graph.steps))
    names = [prop.name for prop in program.model.properties]
    kinds = [watch.kind for watch in program.state_watches]

    def holds(name: str, states: Any) -> Any:
        at = names.index(name)
        watch = next(k for k, w in enumerate(program.state_watches) if w.index == at and kinds[k] == "reachable")
        return expansion.flags(watch, states)

    def conditions(prop: Property, states: Any) -> tuple[Any, Any]:
        goal = holds(prop.name, states)
        return (holds(_trigger(prop.name), states) if prop.kind == marks.LEADS_TO else goal), goal

    judge = Judge(model.spec, target, graph, lambda words: model.layout.unpack(tuple(words)))
    return list(judge.violations(conditions, skipped))


class Conditions(Doublecheck):
    """The double check of what temporal properties are judged on: the steps of each action instance by itself, and
    the conditions; those that fail are told by the search."""

    def __init__(self, program: Program, expansion: Expansion) -> None:
        super().__init__(program, expansion)
        self.on_states, self.on_steps = of_spec(self.spec), []

    def called(self, number: int, instance: ActionInstance) -> str:
        return str(number)

    def values(self, name: str, found: Said) -> dict[str, bool | None]:
        value = found.value
        if found.fails:
            return {}
        if _trigger(name) not in self._watches:
            return {name: bool(value)}
        return {_trigger(name): bool(value[0]), name: bool(value[1])}

    def declared(self, name: str) -> str:
        return name.removesuffix(TRIGGER)


TRIGGER = ", what it follows"


def _trigger(name: str) -> str:
    return f"{name}{TRIGGER}"


def _apart(model: Model) -> Model:
    """The model with an action for each instance, called by its number; temporal properties become conditions."""
    found: list[TracedProperty] = []
    for prop in model.of_kind(*marks.TEMPORAL):
        found.append(replace(prop, kind=marks.REACHABLE, errors=(), trigger=None))
        if prop.trigger is not None:
            found.append(replace(found[-1], name=_trigger(prop.name), term=prop.trigger))
    return replace(by_instance(model), properties=tuple(found), antecedents=())


def _steps(expansion: Expansion, rows: Any) -> tuple[Any, Any, Any]:
    """The steps from some states, for which the expansion has room."""
    successors, sources = expansion.expand(np.ascontiguousarray(rows))
    return successors, sources, expansion.actions(slice(len(successors)))


# -- on plain Python -------------------------------------------------------------------------------------------


def concretely(
    spec: Spec, target: str, layout: Layout, levels: Iterable[Iterable[Any]], skipped: Iterable[str]
) -> list[Violation]:
    """The same on the states of a search that runs the spec as it is."""
    if not of_spec(spec):
        return []

    def rows(found: Iterable[Any]) -> Any:
        return np.array([layout.pack(cells) for cells in found], np.uint64).reshape(-1, layout.words)

    def unpack(words: Sequence[int]) -> Any:
        return layout.unpack(tuple(words))

    def steps(states: Any) -> tuple[Any, Any, Any]:
        found = [
            (step.state.cells, position, number)
            for position, words in enumerate(states.tolist())
            for number, instance in enumerate(spec.instances)
            for step in attempts(spec, State(spec.domains, unpack(words)), instance)
            if not isinstance(step, StepFailed)
        ]
        successors, sources, actions = zip(*found, strict=True) if found else ((), (), ())
        return rows(successors), np.array(sources, np.int64), np.array(actions, np.int64)

    def conditions(prop: Property, states: Any) -> tuple[Any, Any]:
        values = [evaluate(spec, prop.name, State(spec.domains, unpack(words))).value for words in states.tolist()]
        pairs = values if prop.kind == marks.LEADS_TO else [(value, value) for value in values]
        found = np.array([[bool(first), bool(second)] for first, second in pairs], bool)
        return found[:, 0], found[:, 1]

    graph = build((rows(level) for level in levels), steps, list(fairness_of(spec)))
    return list(Judge(spec, target, graph, unpack).violations(conditions, skipped))
