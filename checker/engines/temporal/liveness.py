"""Temporal properties: whether something comes true on every fair behaviour, judged on the whole state graph.

A counterexample is a lasso: a way to a state in which the property waits, and from there, without what it waits for,
to a fair cycle. The way is a shortest one; the cycle visits what fairness asks for, one thing after the other, each on
a shortest way. Behaviours may stop unless a fair action is enabled, as in TLA+ (L. Lamport: The Temporal Logic of
Actions, 1994).
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ...backends import native
from ...backends.native import Program
from ...backends.native.program import Condition
from ...errors import CheckedError, EverystateError
from ...ir.layout import Layout
from ...language import formulas as ltl
from ...language import marks
from ...language.concrete import StepFailed, attempts, evaluate
from ...language.declarations import ActionInstance, Property, method_place
from ...language.formulas import Form, Formula, antecedents, count_conditions, only_form
from ...language.methods import function_of
from ...language.source import source_of
from ...language.spec import Spec
from ...language.state import State
from ...results.result import Violation
from ...results.text import AGAIN, FORMULA, UNFAIR
from ...results.verdict import Kind
from ..crosscheck import culprit
from ..crosscheck.allowance import Allowance
from ..crosscheck.crosscheck import CrossCheck, same_states
from ..expansion import Expansion
from ..observer import Observer
from ..replay import make_trace, replay
from .assumptions import Assumptions, assumed
from .fairness import Sought, fair_components
from .graph import Graph, Numbers, build, code
from .lasso_values import holds_on
from .lassos import Lasso, Lassos, way_to
from .liveness_cross_check import LivenessCrossCheck
from .product import Refutation
from .step_assumptions import (
    FORMS,
    Antecedent,
    Column,
    NotJudged,
    StepFairness,
    fairness_of,
    implied,
    parts_of,
    with_steps,
)

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

    def of_formula(self, prop: Property) -> tuple[Form, list[Column]]:
        """What joins the conditions of a formula, and the values of each; NotJudged where one has none."""
        ...


def of_spec(spec: Spec) -> list[Property]:
    """The temporal properties of a spec."""
    return [p for p in spec.properties if p.kind in marks.TEMPORAL]


def assumptions(spec: Spec) -> Assumptions:
    """What a spec assumes to be fair."""
    return assumed(spec._fairness(), len(spec.instances))


def without_fairness(spec: Spec) -> list[str]:
    """A warning where nothing is fair, so that behaviours may stop anywhere."""
    names = [prop.name for prop in of_spec(spec) if prop.kind in marks.LIVENESS]
    if not names or spec._fairness() or spec._named(marks.TEMPORAL_ASSUMPTION):
        return []
    return [
        f"no action is fair (@fair), so a behaviour may stop in any state; this alone can violate {', '.join(names)}"
    ]


SHOWN = 5
"""Actions that are named where a behaviour stops."""


@dataclass(frozen=True)
class Judged:
    """The temporal properties that fail, and those that were not judged, with the reason: no fair behaviour stays
    inside the constraints, or there is no room; and a sentence for each that holds because its left side never does."""

    violations: list[Violation]
    vacuous: dict[str, str]
    never: list[str] = field(default_factory=list)


class Judge:
    """Judges the temporal properties of a spec on a graph."""

    def __init__(
        self,
        spec: Spec,
        target: str,
        graph: Graph,
        numbers: Numbers,
        layout: Layout,
        allowance: Allowance,
        observer: Observer | None = None,
    ) -> None:
        self.spec, self.target, self.graph, self.layout = spec, target, graph, layout
        self.observer = observer
        self.fair, self.antecedents = assumptions(spec), list[Antecedent]()
        self.everywhere, self.initial = np.ones(graph.size, bool), graph.level == 1
        self.cross_check = LivenessCrossCheck(spec, graph, numbers, layout, allowance)

    def judged(self, conditions: Conditions, skipped: Sequence[str]) -> Judged:
        """What holds and what fails; properties that cannot be evaluated are skipped."""
        names, found = ", ".join(self.spec._named(marks.CONSTRAINT)), Judged([], {})
        properties = [prop for prop in of_spec(self.spec) if prop.name not in skipped]
        try:
            self._assume(conditions, skipped)
            empty = "" if self.possible() else self._impossible()
        except NotJudged as missing:
            empty = f"an assumption {missing}"
        for prop in properties:
            if prop.kind == marks.ALWAYS_REACHABLE:
                trapped = self._trapped(prop, conditions)
                if trapped is not None and self.graph.steps[1]:
                    reason = f"is undecided: it may be reached beyond the state constraint {names}"
                    found.vacuous[prop.name] = reason
                elif trapped is not None:
                    found.violations.append(trapped)
            elif empty:
                found.vacuous[prop.name] = f"is undecided: {empty}"
            else:
                try:
                    failing = [*self._failing(prop, conditions)]
                    found.violations.extend(failing)
                    found.never.extend([] if failing else self._never(prop, conditions))
                except NotJudged as reason:
                    found.vacuous[prop.name] = f"is undecided: it {reason}"
        return found

    def _never(self, prop: Property, conditions: Conditions) -> Iterator[str]:
        """That a property holds because its left side is true in no state, or its goal in all initial states."""
        lefts = [conditions.of_states(prop)[0]] if prop.kind == marks.LEADS_TO else list[Any]()
        if prop.kind == marks.TEMPORAL_FORMULA:
            form, values = conditions.of_formula(prop)
            lefts = [values[left].on_steps(self.graph) | values[left].stays.any() for left in antecedents(form)]
        reason = "its left side was never true" if any(not left.any() for left in lefts) else ""
        if prop.kind == marks.EVENTUALLY and not prop.steps and conditions.of_states(prop)[1][self.initial].all():
            reason = "it is true in every initial state"
        if reason:
            where = method_place(function_of(self.spec._declaration(prop.name).method))
            yield f"{prop.name} holds vacuously: {reason}; line {where.line}"

    def _assume(self, conditions: Conditions, skipped: Sequence[str]) -> None:
        """Take up the assumptions: fairness of steps into the graph, others as antecedents of each property."""
        fair = list[tuple[StepFairness, Sequence[Column]]]()
        for prop in [prop for prop in self.spec.properties if prop.kind == marks.TEMPORAL_ASSUMPTION]:
            if prop.name in skipped:
                raise NotJudged(f"cannot be evaluated: {prop.name}")
            form, columns = conditions.of_formula(prop)
            for part in parts_of(form):
                one = fairness_of(prop, part, columns, self.graph)
                if one is not None:
                    fair.append((one, columns))
                else:
                    self.antecedents.append(Antecedent(prop, part, columns))
        self.graph, self.fair = with_steps(self.graph, self.fair, fair)
        self.cross_check.fair_steps = [one for one, _ in fair]

    @cached_property
    def lassos(self) -> Lassos:
        """The search for fair lassos, under all fairness."""
        return Lassos(self.graph, self.fair, self.observer)

    def possible(self) -> bool:
        """Whether some behaviour satisfies the assumptions; without a constraint, fairness of actions allows one."""
        if self.antecedents:
            form, columns = implied(self.antecedents, (ltl.OR,), [])
            return Refutation(self.graph, self.fair, form, columns, self.observer).found is not None
        if not self.graph.steps[1] and not self.spec._named(marks.TEMPORAL_ASSUMPTION):
            return True
        everything = Sought(self.everywhere, self.everywhere)
        return fair_components(self.lassos.search, everything, self.observer)[1] is not None

    def _impossible(self) -> str:
        """That no behaviour satisfies the assumptions, in a sentence."""
        fair = "satisfies the assumptions" if self.spec._named(marks.TEMPORAL_ASSUMPTION) else "is fair"
        if not self.graph.steps[1]:
            return f"no behaviour {fair}"
        constraints = ", ".join(self.spec._named(marks.CONSTRAINT))
        if fair == "is fair":
            return f"no fair behaviour stays inside the state constraint {constraints}"
        return f"no behaviour inside the state constraint {constraints} {fair}"

    def _failing(self, prop: Property, conditions: Conditions) -> Iterator[Violation]:
        """The violation of a property that fails on a fair behaviour, with a lasso."""
        if prop.kind == marks.TEMPORAL_FORMULA or self.antecedents:
            yield from self._failing_formula(prop, conditions)
            return
        sought = self.sought(prop, conditions)
        rounds, found = self.lassos.find(sought)
        if found is not None:
            yield self._violation(prop, sought, *found)
        else:
            self.cross_check(prop, rounds, self.fair)

    def _failing_formula(self, prop: Property, conditions: Conditions) -> Iterator[Violation]:
        """The violation of a formula: a fair behaviour that the automaton of its negation accepts."""
        form, columns = implied(self.antecedents, *self.as_formula(prop, conditions))
        search = Refutation(self.graph, self.fair, form, columns, self.observer)
        found = search.found
        if found is None:
            self.cross_check.formula(prop, search, [one.prop for one in self.antecedents])
            return
        values = [[column.between(self.graph, *step) for column in columns] for step in found.steps()]
        if holds_on(form, values, found.paused[1]):
            said = "the counterexample satisfies it"
            raise culprit.difference(self.spec, prop.name, said, self._cells(found.states[-1]), None)
        yield self._violation(prop, None, found.lasso, found.count)

    def as_formula(self, prop: Property, conditions: Conditions) -> tuple[Form, list[Column]]:
        """A property as a formula over its conditions; a step counts only where it changes something."""
        if prop.kind == marks.TEMPORAL_FORMULA:
            return conditions.of_formula(prop)
        if prop.steps:
            stays = np.full(self.graph.size, prop.kind == marks.EVENTUALLY_ALWAYS)
            return FORMS[prop.kind], [Column(stays, conditions.of_steps(prop))]
        after, held = conditions.of_states(prop)
        return FORMS[prop.kind], [Column(each) for each in ((after, held) if prop.kind == marks.LEADS_TO else (held,))]

    def _cells(self, number: int) -> Any:
        return self.layout.unpack(self.graph.states[number].tolist())

    def _trapped(self, prop: Property, conditions: Conditions) -> Violation | None:
        """A shortest way to a state from which a property can be reached no more."""
        graph = self.graph
        back, sources = graph.reversed
        starts = np.flatnonzero(conditions.of_states(prop)[1]).astype(np.uint32)
        rank = code().distances((back, sources), None, None, starts, np.zeros(len(starts), np.int32))
        lost = np.flatnonzero(rank < 0)
        if not len(lost):
            self.cross_check.reaches(prop, rank)
            return None
        nearest = lost[graph.level[lost] == graph.level[lost].min()]
        cells = [self._cells(number) for number in way_to(graph, graph.least(nearest))]
        return trapped(self.spec, self.target, prop.name, cells, len(lost))

    def sought(self, prop: Property, conditions: Conditions) -> Sought:
        """What breaks a property."""
        everywhere, initial = self.everywhere, self.initial
        if prop.steps:
            held = conditions.of_steps(prop)
            if prop.kind == marks.EVENTUALLY_ALWAYS:
                return Sought(initial, everywhere, None, ~everywhere, ~held)
            return Sought(initial if prop.kind == marks.EVENTUALLY else everywhere, everywhere, ~held)
        after, held = conditions.of_states(prop)
        if prop.kind == marks.EVENTUALLY_ALWAYS:
            return Sought(initial, everywhere, None, ~held)
        starts = {marks.EVENTUALLY: initial, marks.LEADS_TO: after, marks.INFINITELY_OFTEN: everywhere}[prop.kind]
        return Sought(starts & ~held, ~held)

    def _violation(self, prop: Property, sought: Sought | None, lasso: Lasso, states: int) -> Violation:
        numbers = lasso.way + lasso.cycle[:-1]
        cells = [self._cells(number) for number in numbers]
        closing = ""
        if lasso.cycle:
            closing = replay(self.spec, [cells[-1], cells[len(lasso.way) - 1]])[1][0].label
        loop = len(lasso.way) - 1
        waits = sought is not None and prop.kind in (marks.LEADS_TO, marks.INFINITELY_OFTEN)
        witness = {"since": f"state {lasso.waiting}"} if waits else {}
        if prop.kind == marks.TEMPORAL_FORMULA:
            witness = {FORMULA: written(self.spec, prop)}
        if sought is not None and prop.kind == marks.EVENTUALLY_ALWAYS:
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
        for at, (a, b) in enumerate(zip(cycle, [*cycle[1:], cycle[0]], strict=True)):
            if sought.wanted_steps is not None and sought.wanted_steps[self.graph.between(a, b)].any():
                return f"step {loop + at + 1}"
        raise AssertionError("the cycle was found because it has such a state or step")


def violation(
    spec: Spec, target: str, name: str, cells: Sequence[Any], states: int, lasso: dict[str, Any]
) -> Violation:
    """A temporal property that fails on a behaviour; `lasso` has the loop, closing and witness of its trace."""
    prop = next(p for p in of_spec(spec) if p.name == name)
    kind = "" if prop.kind == marks.TEMPORAL_FORMULA else f"{prop.kind} "
    text = prop.text or f"{kind}{written(spec, prop)}"
    trace = make_trace(spec, target, cells, shows=name, kind=Kind.TEMPORAL.value, explanation=text, **lasso)
    return Violation(name, Kind.TEMPORAL, trace, text, None, states)


def written(spec: Spec, prop: Property) -> str:
    """A formula as its author has written it."""
    tree = source_of(function_of(spec._declaration(prop.name).method)).node
    if isinstance(tree, ast.Lambda):
        return ast.unparse(tree.body)
    returned = [node.value for node in ast.walk(tree) if isinstance(node, ast.Return) and node.value]
    return ast.unparse(returned[-1]) if returned else ""


def trapped(spec: Spec, target: str, name: str, cells: Sequence[Any], states: int) -> Violation:
    """A property that can be reached no more at the end of a behaviour."""
    text = next(p.text for p in of_spec(spec) if p.name == name) or "it can be reached from every state"
    trace = make_trace(spec, target, cells, shows=name, kind=Kind.TRAPPED.value, explanation=text)
    return Violation(name, Kind.TRAPPED, trace, text, None, states)


# -- on machine code -------------------------------------------------------------------------------------------


class Levels(Protocol):
    """The levels of a search that has ended; 1 is the initial one."""

    compiled: native.Compiled

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


COLLECTING = "collecting the steps of all states"
LARGE, MANY = 1 << 17, 2
"""States and properties from which on it pays to arrange the states first."""


def violations(
    program: Program,
    target: str,
    history: Levels,
    skipped: Sequence[str],
    allowance: Allowance,
    steps: tuple[int, int],
    observer: Observer,
) -> Judged:
    """The temporal properties judged on the states of a finished search, after some were cross-checked.

    `steps` are how many steps the search took, and how many of them led outside a constraint.
    """
    model, expansion = program.model, Expansion(history.compiled)
    check = InstanceCheck(program, expansion)
    with allowance.running():
        for first, last in allowance.samples(history.distinct):
            check.compare(
                row for _, row in takewhile(lambda _: not allowance.over(STEPS_PART), history.sample(first, last))
            )
            if allowance.over(STEPS_PART):
                break
    levels = map(history.blocks, range(1, history.depth + 1))
    on_progress = partial(observer.part, COLLECTING)

    def successors(rows: Any) -> tuple[Any, Any, Any]:
        return expansion.expand_instances(np.ascontiguousarray(rows))

    graph, numbers = build(levels, successors, assumptions(model.spec), expansion.rows, steps[0], on_progress)
    if graph.steps != steps:
        reason = "{:,} steps, {:,} of them to the outside, and in the graph of all steps {:,} and {:,}"
        raise EverystateError("E505", None, spec=type(model.spec).__name__, reason=reason.format(*steps, *graph.steps))
    searches = sum(prop.kind != marks.ALWAYS_REACHABLE for prop in of_spec(model.spec))
    if graph.size >= LARGE and searches >= MANY:
        del numbers  # which has a table of the states
        graph = graph.arranged()
        numbers = Numbers(graph.states)
    judge = Judge(model.spec, target, graph, numbers, model.layout, allowance, observer)
    return judge.judged(Compiled(program, expansion, graph), skipped)


STEPS_PART = 0.75
"""Where time decides: the part of the cross-check after which the rest is left to the certificates of properties."""


class Compiled:
    """The values of conditions, by machine code."""

    def __init__(self, program: Program, expansion: Expansion, graph: Graph) -> None:
        self.expansion, self.graph = expansion, graph
        self.forms = {prop.name: prop.form for prop in program.model.properties}
        self._places = {
            (condition.property, condition.part): (number, bit)
            for groups in (program.state_conditions, program.step_conditions)
            for number, group in enumerate(groups)
            for bit, condition in enumerate(group)
        }
        self._masks: dict[int, Any] = {}

    def of_states(self, prop: Property) -> tuple[Any, Any]:
        held = self._hold(prop.name)
        return (self._hold(prop.name, 1) if prop.kind == marks.LEADS_TO else held), held

    def of_formula(self, prop: Property) -> tuple[Form, list[Column]]:
        form = self.forms[prop.name]
        numbers = range(count_conditions(form))
        if not prop.steps:
            return form, [Column(self._hold(prop.name, k)) for k in numbers]
        *stays, broken = [self._staying(prop.name, k) for k in (*numbers, len(numbers))]
        if broken.any():
            raise NotJudged("cannot be evaluated where nothing changes")
        return form, [Column(stays[k], self._moving(prop.name, k)) for k in numbers]

    def _hold(self, name: str, part: int = 0) -> Any:
        group, bit = self._places[name, part]
        if group not in self._masks:
            self._masks[group] = self.expansion.conditions("states", group, self.graph.states)
        return _bit(self._masks[group], bit)

    def of_steps(self, prop: Property) -> Any:
        return self._moving(prop.name, 0)

    def _staying(self, name: str, part: int) -> Any:
        """The value of a condition of steps in each state, where nothing changes."""
        (group, bit), found = self._places[name, part], [np.zeros(0, bool)]
        for at in range(0, self.graph.size, STEPS):
            states = np.ascontiguousarray(self.graph.states[at : at + STEPS])
            every = np.arange(len(states), dtype=np.uint32)
            found.append(_bit(self.expansion.conditions("steps", group, states, states, every), bit))
        return np.concatenate(found)

    def _moving(self, name: str, part: int) -> Any:
        """The value of a condition on each step."""
        (group, bit), graph, found = self._places[name, part], self.graph, [np.zeros(0, bool)]
        for at in range(0, len(graph.target), STEPS):
            source, target = graph.source[at : at + STEPS], graph.target[at : at + STEPS]
            before, every = np.ascontiguousarray(graph.states[source]), np.arange(len(source), dtype=np.uint32)
            masks = self.expansion.conditions("steps", group, graph.states[target], before, every)
            found.append(_bit(masks, bit))
        return np.concatenate(found)


STEPS = 1 << 16
"""On how many steps a condition is evaluated at once."""


def _bit(masks: Any, bit: int) -> Any:
    return masks & np.uint64(1 << bit) != 0


class InstanceCheck(CrossCheck):
    """The cross-check of what temporal properties are judged on: the steps of each action instance by itself, and
    the conditions; those that fail are reported by the search."""

    def compare(self, rows: Iterable[Any]) -> None:
        """Compare some states, each an array of one row."""
        for row in rows:
            after, sources, instances = self.expansion.expand_instances(row)
            state, *following = self._states_of(np.concatenate([row, after]))
            self._instances(state, following, instances.tolist())
            for kind, groups in (("states", self.program.state_conditions), ("steps", self.program.step_conditions)):
                for number, group in enumerate(groups):
                    given = (row,) if kind == "states" else (after, row, sources)
                    masks = self.expansion.conditions(kind, number, *given).tolist()
                    places = [(state, None)] if kind == "states" else [(other, state) for other in following]
                    for mask, place in zip(masks, places, strict=True):
                        self._conditions(group, mask, *place)

    def called(self, number: int, instance: ActionInstance) -> str:
        return str(number)

    def _instances(self, state: State, after: Sequence[State], instances: Sequence[int]) -> None:
        found, compiled = self.plain.steps(state.cells, self.called), defaultdict[str, list[Any]](list)
        for successor, number in zip(after, instances, strict=True):
            compiled[str(number)].append(successor.cells)
        for name in map(str, range(len(self.spec.instances))):
            if not same_states(compiled[name], found.after[name]):
                raise self._different_steps(name, compiled[name], found, state)

    def _conditions(self, group: Sequence[Condition], mask: int, state: State, before: State | None) -> None:
        for bit, condition in enumerate(group):
            found = self.plain.judge(condition.property, state.cells, None if before is None else before.cells)
            held = mask >> bit & 1 == 1
            values = [] if found.fails else _parts(found.value)
            if condition.part < len(values) and held != values[condition.part]:
                said = f"it is {held} on symbols and {not held} on values"
                raise self._different_value(condition.property, said, state, before)


def _parts(value: Any) -> list[bool]:
    """The conditions of a temporal property by what plain Python says of it."""
    if isinstance(value, Formula):
        return [bool(held) for held in value.conditions()]
    return [bool(held) for held in (reversed(value) if isinstance(value, tuple) else [value])]


# -- on plain Python -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PlainSearch:
    """A search that runs the spec as it is, and has ended: its levels as cells."""

    spec: Spec
    target: str
    layout: Layout
    levels: Iterable[Iterable[Any]]

    def judged(self, skipped: Sequence[str], limits: Limits, observer: Observer) -> Judged:
        """The temporal properties judged on its states."""
        if not of_spec(self.spec):
            return Judged([], {})
        observer.phase("judging temporal properties")
        with limits.stopwatch.measuring("liveness"):
            levels, on_progress = ([self._rows(found)] for found in self.levels), partial(observer.part, COLLECTING)
            graph, numbers = build(levels, self._steps, assumptions(self.spec), on_progress=on_progress)
            allowance = Allowance(limits.cross_check, limits.stopwatch, limits.cross_check_seconds)
            judge = Judge(self.spec, self.target, graph, numbers, self.layout, allowance, observer)
            return judge.judged(Plain(self.spec, graph, self._unpack), skipped)

    def _rows(self, found: Iterable[Any]) -> Any:
        return np.array([self.layout.pack(cells) for cells in found], np.uint64).reshape(-1, self.layout.words)

    def _unpack(self, words: Sequence[int]) -> Any:
        return self.layout.unpack(tuple(words))

    def _steps(self, states: Any) -> tuple[Any, Any, Any]:
        found = [
            (step.state.cells, position, number)
            for position, words in enumerate(states.tolist())
            for number, instance in enumerate(self.spec.instances)
            for step in attempts(self.spec, State(self.spec.domains, self._unpack(words)), instance)
            if not isinstance(step, StepFailed)
        ]
        successors, sources, actions = zip(*found, strict=True) if found else ((), (), ())
        return self._rows(successors), np.array(sources, np.uint32), np.array(actions, np.uint16)


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

    def of_formula(self, prop: Property) -> tuple[Form, list[Column]]:
        try:
            stays = [evaluate(self.spec, prop.name, s, s if prop.steps else None).value for s in self.states]
        except CheckedError:
            raise NotJudged("cannot be evaluated where nothing changes") from None
        moves = self._on_steps(prop) if prop.steps else []
        where = method_place(self.spec._declaration(prop.name).method)
        form = only_form((formula.form() for formula in (*stays, *moves)), prop.name, where)
        number = count_conditions(form)
        here, there = (
            np.array([list(map(bool, formula.conditions())) for formula in found], bool).reshape(len(found), number)
            for found in (stays, moves)
        )
        return form, [Column(here[:, k], there[:, k] if prop.steps else None) for k in range(number)]

    def of_steps(self, prop: Property) -> Any:
        return np.array([bool(value) for value in self._on_steps(prop)], bool)

    def _on_steps(self, prop: Property) -> list[Any]:
        pairs = zip(self.graph.source.tolist(), self.graph.target.tolist(), strict=True)
        return [evaluate(self.spec, prop.name, self.states[b], self.states[a]).value for a, b in pairs]
