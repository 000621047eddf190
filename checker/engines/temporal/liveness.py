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
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ...backends.native import Program
from ...backends.native.tiers import Tiers
from ...errors import EverystateError
from ...ir.layout import Layout
from ...ir.traced import Model, TracedProperty
from ...language import marks
from ...language.concrete import StepFailed, attempts, evaluate
from ...language.declarations import ActionInstance, Property
from ...language.spec import Spec
from ...language.state import State
from ...results.result import Violation
from ...results.text import AGAIN, UNFAIR
from ...results.verdict import Kind
from ..crosscheck.allowance import Allowance
from ..crosscheck.crosscheck import CrossCheck
from ..crosscheck.plain_python import Said
from ..expansion import Expansion, by_instance
from ..replay import make_trace, replay
from .doubt import Doubt
from .fairness import Round, Steps, assumed, distances, fair_components, reached, taken, truths
from .graph import BYTES_PER_STATE, BYTES_PER_STEP, Graph, build

if TYPE_CHECKING:
    from ..limits import Limits


class Conditions(Protocol):
    """The values of the conditions of temporal properties on a graph, as arrays of truths."""

    def of_states(self, prop: Property) -> tuple[Any, Any]:
        """For each state: what the property waits after, and what it waits for; mostly these are the same."""
        ...

    def of_steps(self, prop: Property) -> Any:
        """The value for each step."""
        ...


@dataclass(frozen=True)
class Sought:
    """How a behaviour would break a property.

    It comes to one of `starts` and from there on stays in `nodes`, on `steps` (truths for each step of the graph); if
    `wanted` is given, it comes by these states or steps again and again.
    """

    starts: Any
    nodes: Any
    steps: Any
    wanted: Any = None
    wanted_steps: Any = None


def of_spec(spec: Spec) -> list[Property]:
    """The temporal properties of a spec."""
    return [p for p in spec.properties if p.kind in marks.TEMPORAL]


def without_fairness(spec: Spec) -> list[str]:
    """A warning where nothing is fair, so that behaviours may stop anywhere."""
    names = [prop.name for prop in of_spec(spec) if prop.kind in marks.LIVENESS]
    if not names or spec.fairness():
        return []
    return [f"no action is fair: a behaviour may stop in any state, whatever {', '.join(names)} {_needs(names)}"]


def _needs(names: Sequence[str]) -> str:
    return "waits for" if len(names) == 1 else "wait for"


SHOWN = 5
"""Actions that are named where a behaviour stops."""


def memory(states: int, steps: int) -> int:
    """Bytes that judging takes, beside the store of the search."""
    return states * BYTES_PER_STATE + steps * BYTES_PER_STEP


@dataclass(frozen=True)
class Judged:
    """The temporal properties that fail, and those that only hold because no fair behaviour stays inside the
    constraints, with this reason."""

    violations: list[Violation]
    vacuous: dict[str, str]


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

    def __init__(self, spec: Spec, target: str, graph: Graph, layout: Layout, allowance: Allowance) -> None:
        self.spec, self.target, self.graph, self.layout = spec, target, graph, layout
        self.fair = assumed(spec.fairness(), graph.enabled)
        self.doubt = Doubt(spec, graph, layout, allowance)

    def judged(self, conditions: Conditions, skipped: Sequence[str]) -> Judged:
        """What holds and what fails; properties that cannot be evaluated are skipped."""
        names, found = ", ".join(self.spec.named(marks.CONSTRAINT)), Judged([], {})
        empty = self.vacuous()
        for prop in of_spec(self.spec):
            if prop.name in skipped:
                continue
            if prop.kind == marks.ALWAYS_REACHABLE:
                trapped = self._trapped(prop, conditions)
                if trapped is not None and self.graph.steps[1]:
                    reason = f"is undecided: it may be reached beyond the state constraint {names}"
                    found.vacuous[prop.name] = reason
                elif trapped is not None:
                    found.violations.append(trapped)
            elif empty:
                reason = f"is undecided: no fair behaviour stays inside the state constraint {names}"
                found.vacuous[prop.name] = reason
            else:
                found.violations.extend(self._failing(prop, conditions))
        return found

    def vacuous(self) -> bool:
        """Whether a constraint pruned something, and no fair behaviour stays inside it."""
        graph = self.graph
        if not graph.steps[1]:
            return False
        everything = Steps(graph.source, graph.target, graph.action, np.zeros(len(graph.source), bool))
        return bool((fair_components(everything, np.ones(len(graph.level), bool), self.fair) < 0).all())

    def _failing(self, prop: Property, conditions: Conditions) -> Iterator[Violation]:
        """The violation of a property that fails on a fair behaviour, with a lasso."""
        sought, rounds = self.sought(prop, conditions), list[Round]()
        region, found = self._lasso(sought, rounds)
        if found is not None:
            yield self._violation(prop, sought, *found)
        else:
            self.doubt(prop, region, rounds, self.fair)

    def _trapped(self, prop: Property, conditions: Conditions) -> Violation | None:
        """A shortest way to a state from which a property can be reached no more."""
        graph = self.graph
        rank = distances(graph.target, graph.source, conditions.of_states(prop)[1])
        lost = np.flatnonzero(rank < 0)
        if not len(lost):
            self.doubt.reaches(prop, rank)
            return None
        way = [int(lost[0])]
        while graph.level[way[0]] > 1:
            way.insert(0, _before(graph.source, graph.target, graph.level, way[0]))
        cells = [self.layout.unpack(graph.states[number].tolist()) for number in way]
        return trapped(self.spec, self.target, prop.name, cells, len(lost))

    def sought(self, prop: Property, conditions: Conditions) -> Sought:
        """What breaks a property."""
        graph = self.graph
        everywhere, initial = np.ones(len(graph.level), bool), graph.level == 1
        all_steps = np.ones(len(graph.source), bool)
        if prop.steps:
            held = conditions.of_steps(prop)
            if prop.kind == marks.EVENTUALLY_ALWAYS:
                return Sought(initial, everywhere, all_steps, ~everywhere, ~held)
            return Sought(initial if prop.kind == marks.EVENTUALLY else everywhere, everywhere, ~held)
        after, held = conditions.of_states(prop)
        if prop.kind == marks.EVENTUALLY_ALWAYS:
            return Sought(initial, everywhere, all_steps, ~held, ~all_steps)
        starts = {marks.EVENTUALLY: initial, marks.LEADS_TO: after, marks.INFINITELY_OFTEN: everywhere}[prop.kind]
        return Sought(starts & ~held, ~held, all_steps)

    def _lasso(self, sought: Sought, rounds: list[Round]) -> tuple[Any, tuple[Lasso, int] | None]:
        """(in which states it may be waited, a lasso that waits for ever and how many states are on such cycles)."""
        graph, nodes = self.graph, sought.nodes
        extra = np.zeros(len(graph.source), bool) if sought.wanted_steps is None else sought.wanted_steps
        steps = Steps(graph.source, graph.target, graph.action, extra)
        steps = steps.where(nodes[graph.source] & nodes[graph.target] & sought.steps)
        region = reached(steps.source, steps.target, sought.starts)
        steps = steps.where(region[steps.source])
        labels = fair_components(steps, region, self.fair, sought.wanted, rounds)
        if (labels < 0).all():
            return region, None
        way, since = self._way(sought.starts, steps, labels >= 0)
        member = labels == labels[way[-1]]
        inner = steps.where(member[steps.source] & member[steps.target])
        lasso = Lasso(way, self._cycle(way[-1], member, inner, sought.wanted), since)
        return region, (lasso, int((labels >= 0).sum()))

    # -- the way to the cycle ------------------------------------------------------------------------------

    def _way(self, starts: Any, steps: Steps, ends: Any) -> tuple[list[int], int]:
        """A shortest way from an initial state to one of `ends`, and the place where it begins to wait."""
        source, target = steps.source, steps.target
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

    def _cycle(self, start: int, member: Any, steps: Steps, wanted: Any) -> list[int]:
        """The states after `start` on a fair cycle; empty when nothing needs to happen."""
        path, nowhere = [start], np.zeros(len(member), bool)
        if wanted is not None and not wanted[start]:
            path = _towards(path, steps, member & wanted, steps.wanted)
        for one in self.fair:
            able = one.enabled
            calm = (not able[member].any()) if one.strength == marks.STRONG else (~able[path]).any()
            if not calm and not taken(one, self._taken(path, steps)).any():
                ends = member & ~able if one.strength == marks.WEAK else nowhere
                path = _towards(path, steps, ends, taken(one, steps.action))
        if len(path) > 1 and path[-1] != start:
            path += _shortest(steps, path[-1], truths([start], len(member)))[1:]
        return path[1:]

    def _taken(self, path: list[int], steps: Steps) -> Any:
        """The actions that may have been taken on a path."""
        on_path = [(steps.source == a) & (steps.target == b) for a, b in itertools.pairwise(path)]
        return np.concatenate([steps.action[:0], *(steps.action[step] for step in on_path)])

    def _violation(self, prop: Property, sought: Sought, lasso: Lasso, states: int) -> Violation:
        numbers = lasso.way + lasso.cycle[:-1]
        cells = [self.layout.unpack(self.graph.states[number].tolist()) for number in numbers]
        closing = ""
        if lasso.cycle:
            closing = replay(self.spec, [cells[-1], cells[len(lasso.way) - 1]])[1][0].label
        loop = len(lasso.way) - 1
        witness = {"since": f"state {lasso.waiting}"} if prop.kind in (marks.LEADS_TO, marks.INFINITELY_OFTEN) else {}
        if prop.kind == marks.EVENTUALLY_ALWAYS:
            witness = {AGAIN: self._broken_again(sought, numbers[loop:], loop)}
        if not lasso.cycle:
            witness |= self._still_enabled(cells[-1])
        facts = {"loop": loop, "closing": closing, "witness": witness}
        return violation(self.spec, self.target, prop.name, cells, states, facts)

    def _still_enabled(self, cells: Any) -> dict[str, str]:
        """What could go on where a behaviour stops, and need not, since it is not fair."""
        state = State(self.spec.domains, cells)
        steps = [step for instance in self.spec.instances for step in attempts(self.spec, state, instance)]
        found = [step.label for step in steps if not isinstance(step, StepFailed) and step.state.cells != cells]
        labels = list(dict.fromkeys(found))
        more = f" and {len(labels) - SHOWN} more" if len(labels) > SHOWN else ""
        return {UNFAIR: ", ".join(labels[:SHOWN]) + more} if labels else {}

    def _broken_again(self, sought: Sought, cycle: list[int], loop: int) -> str:
        """Where on a cycle a stable condition is false."""
        for at, number in enumerate(cycle):
            if sought.wanted[number]:
                return f"state {loop + at}"
        graph = self.graph
        for at, (a, b) in enumerate(zip(cycle, [*cycle[1:], cycle[0]], strict=True)):
            if (sought.wanted_steps & (graph.source == a) & (graph.target == b)).any():
                return f"step {loop + at + 1}"
        raise AssertionError("the cycle was found because it has such a state or step")


def violation(
    spec: Spec, target: str, name: str, cells: Sequence[Any], states: int, lasso: dict[str, Any]
) -> Violation:
    """A temporal property that fails on a behaviour; `lasso` has the loop, closing and witness of its trace."""
    text = next(p.text for p in of_spec(spec) if p.name == name) or "it does not come true"
    trace = make_trace(spec, target, cells, shows=name, kind=Kind.TEMPORAL.value, explanation=text, **lasso)
    return Violation(name, Kind.TEMPORAL, trace, text, None, states)


def trapped(spec: Spec, target: str, name: str, cells: Sequence[Any], states: int) -> Violation:
    """A property that can be reached no more at the end of a behaviour."""
    text = (
        next(p.text for p in of_spec(spec) if p.name == name) or "no state that can be reached from there satisfies it"
    )
    trace = make_trace(spec, target, cells, shows=name, kind=Kind.TRAPPED.value, explanation=text)
    return Violation(name, Kind.TRAPPED, trace, text, None, states)


def _before(source: Any, target: Any, moment: Any, node: int) -> int:
    """The least node that leads to a node and was there one moment earlier."""
    found = source[target == node]
    return int(found[moment[found] == moment[node] - 1].min())


def _towards(path: list[int], steps: Steps, ends: Any, leaving: Any) -> list[int]:
    """A path, and on to one of some ends or over one of some steps."""
    path = path + _shortest(steps, path[-1], ends | truths(steps.source[leaving], len(ends)))[1:]
    if not ends[path[-1]]:
        path.append(int(steps.target[(steps.source == path[-1]) & leaving].min()))
    return path


def _shortest(steps: Steps, start: int, ends: Any) -> list[int]:
    """A shortest way from a node to one of some ends, of equally short ones by the least nodes from behind."""
    source, target = steps.source, steps.target
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

    @property
    def distinct(self) -> int: ...

    def blocks(self, level: int) -> Iterator[Any]:
        """The states of a level, some rows at a time."""
        ...

    def sample(self, first: int, last: int) -> Iterator[tuple[int, Any]]:
        """Single states with their levels: those of a sample of `last` that one of `first` states does not have."""
        ...


def violations(
    model: Model, target: str, history: Levels, skipped: Sequence[str], allowance: Allowance, steps: tuple[int, int]
) -> Judged:
    """The temporal properties judged on the states of a finished search, after some were cross-checked.

    `steps` are how many steps the search took, and how many of them led outside a constraint.
    """
    program = Program(_apart(model))
    tiers = Tiers(program)
    expansion = Expansion(tiers.first())
    check = InstanceCheck(program, expansion)
    with allowance.running():
        for first, last in allowance.samples(history.distinct):
            check.compare(
                row for _, row in takewhile(lambda _: not allowance.over(STEPS_PART), history.sample(first, last))
            )
            if allowance.over(STEPS_PART):
                break
    levels = (np.concatenate(list(history.blocks(level))) for level in range(1, history.depth + 1))
    graph = build(levels, lambda rows: _steps(expansion, rows), model.spec.fairness(), expansion.rows)
    if graph.steps != steps:
        reason = "{:,} steps, {:,} of them to the outside, and in the graph of all steps {:,} and {:,}"
        raise EverystateError("E505", None, spec=type(model.spec).__name__, reason=reason.format(*steps, *graph.steps))
    judge = Judge(model.spec, target, graph, model.layout, allowance)
    return judge.judged(Compiled(program, expansion, graph), skipped)


STEPS_PART = 0.75
"""Where time decides: the part of the cross-check after which the rest is left to the certificates of properties."""


class Compiled:
    """The values of conditions, by machine code."""

    def __init__(self, program: Program, expansion: Expansion, graph: Graph) -> None:
        self.program, self.expansion, self.graph = program, expansion, graph
        self.names = [prop.name for prop in self.program.model.properties]

    def of_states(self, prop: Property) -> tuple[Any, Any]:
        held = self._holds(prop.name)
        return (self._holds(_trigger(prop.name)) if prop.kind == marks.LEADS_TO else held), held

    def _holds(self, name: str) -> Any:
        return self.expansion.flags(self._watch(name, marks.REACHABLE), self.graph.states)

    def of_steps(self, prop: Property) -> Any:
        watch, graph, found = self._watch(prop.name, marks.STEP_INVARIANT), self.graph, [np.zeros(0, bool)]
        for at in range(0, len(graph.source), STEPS):
            source, target = graph.source[at : at + STEPS], graph.target[at : at + STEPS]
            before = np.ascontiguousarray(graph.states[source])
            found.append(
                ~self.expansion.flags(watch, graph.states[target], before, np.arange(len(source), dtype=np.uint32))
            )
        return np.concatenate(found)

    def _watch(self, name: str, kind: str) -> int:
        watches = enumerate(self.program.watches())
        return next(k for k, w in watches if w.kind == kind and self.names[w.index] == name)


STEPS = 1 << 16
"""On how many steps a condition is evaluated at once."""


class InstanceCheck(CrossCheck):
    """The cross-check of what temporal properties are judged on: the steps of each action instance by itself, and
    the conditions; those that fail are told by the search."""

    def __init__(self, program: Program, expansion: Expansion) -> None:
        super().__init__(program, expansion)
        self.on_states = [p for p in of_spec(self.spec) if not p.steps]
        self.on_steps = [p for p in of_spec(self.spec) if p.steps]

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
        kind = marks.STEP_INVARIANT if prop.steps else marks.REACHABLE
        found.append(replace(prop, kind=kind, errors=(), trigger=None))
        if prop.trigger is not None:
            found.append(replace(found[-1], name=_trigger(prop.name), term=prop.trigger))
    return replace(by_instance(model), properties=tuple(found), antecedents=())


def _steps(expansion: Expansion, rows: Any) -> tuple[Any, Any, Any]:
    """The steps from some states, for which the expansion has room."""
    successors, sources = expansion.expand(np.ascontiguousarray(rows))
    return successors, sources, expansion.actions(slice(len(successors)))


# -- on plain Python -------------------------------------------------------------------------------------------


def concretely(
    spec: Spec, target: str, layout: Layout, levels: Iterable[Iterable[Any]], skipped: Sequence[str], limits: Limits
) -> Judged:
    """The same on the states of a search that runs the spec as it is."""
    if not of_spec(spec):
        return Judged([], {})

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

    graph = build((rows(level) for level in levels), steps, spec.fairness())
    allowance = Allowance(limits.cross_check, limits.started, limits.cross_check_seconds)
    judge = Judge(spec, target, graph, layout, allowance)
    return judge.judged(Plain(spec, graph, unpack), skipped)


class Plain:
    """The values of conditions, by plain Python."""

    def __init__(self, spec: Spec, graph: Graph, unpack: Callable[[Sequence[int]], Any]) -> None:
        self.spec, self.graph = spec, graph
        self.states = [State(spec.domains, unpack(words)) for words in graph.states.tolist()]

    def of_states(self, prop: Property) -> tuple[Any, Any]:
        values = [evaluate(self.spec, prop.name, state).value for state in self.states]
        pairs = values if prop.kind == marks.LEADS_TO else [(value, value) for value in values]
        found = np.array([[bool(first), bool(second)] for first, second in pairs], bool)
        return found[:, 0], found[:, 1]

    def of_steps(self, prop: Property) -> Any:
        pairs = zip(self.graph.source.tolist(), self.graph.target.tolist(), strict=True)
        values = [evaluate(self.spec, prop.name, self.states[b], self.states[a]).value for a, b in pairs]
        return np.array([bool(value) for value in values], bool)
