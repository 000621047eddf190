"""Every run doubts itself: on many of the visited states, machine code and plain Python must agree.

Tracing is exact as long as a spec computes with symbols through their operators, and compiled code is exact as long as
we made no mistake. So after each search states of all its levels are executed once more, on values: every step and
every error, what is enabled, every property, on states and on steps, the constraints and the views. A difference is
E217, which names the line; it is never a verdict.
"""

from __future__ import annotations

import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backends.native import Program
from ..errors import CheckedError, EverystateError, Where
from ..language import marks
from ..language.concrete import StepFailed, attempts, evaluate, initial_states
from ..language.identity import identity
from ..language.spec import ActionInstance
from ..language.state import State
from . import culprit
from .picks import single

if TYPE_CHECKING:
    from .history import Expansion, History

LEAST, SHARE = 1000, 0.05
"""States that are executed twice, at the least, and the part of the search's time that may go into more of them."""
ALL = 1 << 62
VARIABLE = "EVERYSTATE_DOUBLECHECK"
"""Sets the number of states for all runs of a process and of those that it starts."""
Cells = tuple[int, ...]


@dataclass
class Found:
    """What plain Python does in a state: successors by the name of the action, and how many steps fail."""

    after: dict[str, list[Cells]] = field(default_factory=lambda: defaultdict(list))
    scripts: dict[tuple[str, Cells], tuple[ActionInstance, tuple[Any, ...]]] = field(default_factory=dict)
    failing: list[StepFailed] = field(default_factory=list)


class Doublecheck:
    """Compares machine code with plain Python, state by state; `count` says how many states were executed twice."""

    def __init__(self, program: Program, expansion: Expansion) -> None:
        self.program, self.expansion, self.model = program, expansion, program.model
        self.spec = program.model.spec
        self.names = [prop.name for prop in self.model.properties]
        self._done: set[bytes] = set()
        self._views: dict[bytes, tuple[Any, ...]] = {}
        self.on_states = [p for p in self.spec.properties if p.kind in COMPARED]
        self.on_steps = [p for p in self.spec.properties if p.kind == marks.STEP_INVARIANT]

    @property
    def count(self) -> int:
        """States that were executed twice so far."""
        return len(self._done)

    def compare(self, rows: Iterable[Any]) -> None:
        """Compare some states, each an array of one row; those that were compared before are not compared again."""
        for row in rows:
            if row.tobytes() not in self._done:
                self._done.add(row.tobytes())
                self._compare(row)

    def compare_cells(self, states: Iterable[Cells]) -> None:
        """The same for states as cells."""
        for cells in states:
            words = self.model.layout.pack(cells)
            if self.model.layout.unpack(words) != cells:
                raise self._differs(type(self.spec).__name__, "a state is not what is stored of it", cells, None)
            self.compare([np.array([words], np.uint64)])

    def initial(self, most: int = LEAST) -> None:
        """Compare initial states; those outside a constraint are on no level."""
        self.compare_cells(state.cells for state in initial_states(self.spec)[:most])

    def _compare(self, row: Any) -> None:
        cells = self.model.layout.unpack(row[0])
        state = State(self.spec.domains, cells)
        after = self._steps(state, row)
        self._properties(state, row)
        self._step_properties(state, row, after)
        if self.program.constrained or self.program.viewed:
            # What is outside a constraint or has a known view is not stored, so it is met as a successor only.
            for words in (row, *single(after)):
                there = State(self.spec.domains, self.model.layout.unpack(words[0]))
                self._constraints(there, words)
                self._same_view(there, words)

    # -- actions -------------------------------------------------------------------------------------------

    def _steps(self, state: State, row: Any) -> Any:
        """Compare the steps of a state and what is counted of them; the packed successors."""
        counters = self.program.counters
        before = self.expansion.counters.copy()
        rows, _ = self.expansion.expand(row)
        after, actions = rows.copy(), self.expansion.actions(slice(len(rows))).copy()
        counted = self.expansion.counters - before
        found = self.concretely(state)
        compiled: dict[str, list[Cells]] = defaultdict(list)
        for successor, action in zip(after, actions, strict=True):
            compiled[self.program.action_names[action]].append(self.model.layout.unpack(successor))
        for number, name in enumerate(self.program.action_names):
            if compiled[name] != found.after[name]:
                raise self._different_steps(name, compiled[name], found, state)
            taken, enabled = (int(counted[of(number)]) for of in (counters.taken, counters.enabled))
            if (taken, enabled) != (len(compiled[name]), bool(compiled[name])):
                raise self._differs(
                    name, f"{taken} steps are counted where there are {len(compiled[name])}", state.cells
                )
        failing = int(counted[counters.faults])
        if failing != len(found.failing):
            raise self._different_failures(failing, found, state)
        stuck = not len(after) and not failing
        if int(counted[counters.deadlocks]) != stuck:
            raise self._differs(type(self.spec).__name__, f"it is {'' if stuck else 'not '}stuck", state.cells)
        return after

    def concretely(self, state: State) -> Found:
        """What plain Python does in a state."""
        found = Found()
        for number, instance in enumerate(self.spec.instances):
            name = self.action_name(number, instance)
            for step in attempts(self.spec, state, instance):
                if isinstance(step, StepFailed):
                    found.failing.append(step)
                else:
                    found.after[name].append(step.state.cells)
                    found.scripts.setdefault((name, step.state.cells), (instance, step.choices))
        return found

    def action_name(self, number: int, instance: ActionInstance) -> str:
        """What the program calls an action."""
        return instance.name

    def _different_steps(self, name: str, compiled: list[Cells], found: Found, state: State) -> EverystateError:
        missing = list((Counter(found.after[name]) - Counter(compiled)).elements())
        extra = list((Counter(compiled) - Counter(found.after[name])).elements())
        instances = [i for n, i in enumerate(self.spec.instances) if self.action_name(n, i) == name]
        if missing:
            instances = [found.scripts[name, missing[0]][0], *instances]
        where = culprit.of_action(self.spec, state, instances)
        if missing and extra and len(compiled) == len(found.after[name]):
            said = culprit.both(self.spec, extra[0], missing[0])
        elif compiled and Counter(compiled) == Counter(found.after[name]):
            said = "its successors come in another order"
        else:
            said = f"on symbols it has {len(compiled)} successors, on values {len(found.after[name])}"
        return self._differs(instances[0].name, said, state.cells, where)

    def _different_failures(self, failing: int, found: Found, state: State) -> EverystateError:
        said = f"on symbols {failing} of its steps fail, on values {len(found.failing)}"
        if not found.failing:
            where = culprit.of_action(self.spec, state, self.spec.instances)
            return self._differs(type(self.spec).__name__, said, state.cells, where)
        failed = found.failing[0]
        return self._differs(failed.action.name, said, state.cells, failed.error.where)

    # -- properties ----------------------------------------------------------------------------------------

    def _properties(self, state: State, row: Any) -> None:
        held = {watch for watch, _ in self.expansion.judged(self.program.state_groups, row)}
        watches = list(enumerate(self.program.state_watches))
        for prop in self.on_states:
            values = self.values(prop.name, state)
            for name, value in values.items():
                index = self.names.index(name)
                mine = [(k, w.kind) for k, w in watches if w.kind != "antecedent" and w.index == index]
                self._judge(name, state, None, mine, held, value)

    def _step_properties(self, state: State, row: Any, after: Any) -> None:
        if not self.on_steps or not len(after):
            return
        sources = np.zeros(len(after), np.uint32)
        judged = list(self.expansion.judged(self.program.step_groups, after, row, sources))
        first = len(self.program.state_watches)
        for at, words in enumerate(after):
            following = State(self.spec.domains, self.model.layout.unpack(words))
            held = {watch for watch, holds in judged if holds[at]}
            for prop in self.on_steps:
                index = self.names.index(prop.name)
                mine = [(first + k, w.kind) for k, w in enumerate(self.program.step_watches) if w.index == index]
                self._judge(prop.name, following, state, mine, held, self._value(prop.name, following, state))

    def _judge(
        self, name: str, state: State, before: State | None, watches: list[tuple[int, str]], held: set[int], value: Any
    ) -> None:
        """Compare the value of a property (None: it fails) with the watches of it that hold."""
        fails = any(k in held for k, kind in watches if kind == "error")
        if fails != (value is None):
            said = "it fails on symbols and not on values" if fails else "it fails on values and not on symbols"
            raise self._different_value(name, said, state, before)
        for k, kind in watches:
            if kind != "error" and value is not None and (k in held) != (value == (kind == "reachable")):
                raise self._different_value(name, f"it is {not value} on symbols and {value} on values", state, before)

    def values(self, name: str, state: State) -> dict[str, bool | None]:
        """The value of a property by the names that it has in the program; None where it fails."""
        return {name: self._value(name, state, None)}

    def _value(self, name: str, state: State, before: State | None) -> bool | None:
        try:
            return bool(evaluate(self.spec, name, state, before).value)
        except CheckedError:
            return None

    def _constraints(self, state: State, row: Any) -> None:
        if not self.program.constrained:
            return
        values = {name: self._value(name, state, None) for name in self.spec.named(marks.CONSTRAINT)}
        inside = bool(self.expansion.inside(row)[0])
        if inside != all(values.values()):
            name = next((n for n, value in values.items() if not value), next(iter(values)))
            said = f"the state is {'inside' if inside else 'outside'} on symbols and not on values"
            raise self._different_value(name, said, state, None)

    def _same_view(self, state: State, row: Any) -> None:
        """States that machine code takes for one have equal views."""
        if not self.program.viewed:
            return
        names = self.spec.named(marks.VIEW)
        values = tuple(self._identity(name, state) for name in names)
        key = self.expansion.keys(row)[0].tobytes()
        known = self._views.setdefault(key, values)
        if known != values:
            at = next(i for i, (a, b) in enumerate(zip(known, values, strict=True)) if a != b)
            said = f"two states have the same view on symbols, and on values {known[at]!r} and {values[at]!r}"
            raise self._different_value(names[at], said, state, None)

    def _identity(self, name: str, state: State) -> Any:
        try:
            return identity(evaluate(self.spec, name, state).value, name, None)
        except CheckedError:
            return None

    # -- differences ---------------------------------------------------------------------------------------

    def _different_value(self, name: str, said: str, state: State, before: State | None) -> EverystateError:
        name = self.declared(name)
        return self._differs(name, said, state.cells, culprit.of_property(self.spec, name, state, before))

    def declared(self, name: str) -> str:
        """What the spec calls a property of the program."""
        return name

    def _differs(self, name: str, said: str, cells: Cells, where: Where | None = None) -> EverystateError:
        return culprit.difference(self.spec, name, said, cells, where)


COMPARED = (marks.INVARIANT, marks.REACHABLE, marks.CONSTRAINT, marks.VIEW, *marks.TEMPORAL)


def asked(number: int | None) -> int | None:
    """How many states are to be executed twice, None for LEAST and more."""
    given = os.environ.get(VARIABLE, "")
    return int(given) if number is None and given.isdecimal() else number


class Allowance:
    """How many states are executed twice: so many, or LEAST and more until a time is over."""

    def __init__(self, number: int | None, seconds: float) -> None:
        given = asked(number)
        self.least, self.end = LEAST if given is None else given, time.perf_counter() + SHARE * seconds
        self.open = given is None

    @property
    def over(self) -> bool:
        """Whether there is no time for more than the least."""
        return not self.open or time.perf_counter() >= self.end


def after_search(check: Doublecheck, history: History, allowance: Allowance) -> None:
    """Compare initial states and states of all levels.

    Which states are the first so many does not depend on time, nor on who found them.
    """
    wanted = allowance.least
    check.initial(wanted // 10)
    check.compare(history.sample(0, wanted))
    while wanted < history.distinct and not allowance.over:
        check.compare(takewhile(lambda _: not allowance.over, history.sample(wanted, 2 * wanted)))
        wanted *= 2
