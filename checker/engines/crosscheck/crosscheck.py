"""The cross-check of a search: machine code and plain Python must agree on many of the visited states.

After each search, states of all its levels are executed again in plain Python. Compared are every step and error, which
actions are enabled, every property on states and on steps, the constraints and the views. A difference is E217, which
names the line; it is never a verdict. It shows mistakes of tracing and of the compiler. `count_check` checks the
counts of the report.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np

from ...backends.native import Program
from ...backends.native.initial_states import COMBINATIONS, InitialStates
from ...backends.native.probe import Probe
from ...errors import EverystateError, Where
from ...ir.paths import paths
from ...ir.tree import Fault
from ...language import marks
from ...language.declarations import ActionInstance, Property
from ...language.state import State
from ...language.symmetry import generators, moved_state, sets_of
from ...results.text import count
from ...results.verdict import Kind
from ..execution_cache import Cells
from ..plain_python import PlainPython, PlainSuccessors, truth_of
from ..symmetry import Orbits
from . import culprit
from .allowance import Allowance
from .compiled_steps import Answer, Held, answer
from .verdict_check import DEADLOCK, ERROR, Broken, Observed

if TYPE_CHECKING:
    from ..expansion import Expansion

COMPARED = (marks.INVARIANT, marks.REACHABLE, marks.CONSTRAINT, marks.VIEW, *marks.ON_GRAPHS)


def same_states(one: list[Cells], other: list[Cells]) -> bool:
    """Whether two lists have the same states, as often. Where a plain set is chosen from, Python keeps its members in
    another order in each run."""
    return one == other or Counter(one) == Counter(other)


class CrossCheck:
    """Compares machine code with plain Python, state by state; `count` is the number of states that were cross-checked.

    `idle` are the actions for which a report shows how many attempts each guard has stopped.
    """

    def __init__(self, program: Program, expansion: Expansion, idle: Mapping[str, Probe] | None = None) -> None:
        self.program, self.expansion, self.model = program, expansion, program.model
        self.spec, self.idle = program.model.spec, idle or {}
        self.plain = PlainPython(self.spec)
        self.on_states = [p for p in self.spec.properties if p.kind in COMPARED and not p.steps]
        self.on_steps = [p for p in self.spec.properties if p.steps]
        self._watches = _by_property(program)
        self._errors = {name: {k for k, kind in found if kind == "error"} for name, found in self._watches.items()}
        self._lefts: dict[str, list[tuple[int, Where]]] = defaultdict(list)
        for k, watch in enumerate(program.state_watches):
            if watch.kind == "antecedent":
                left = self.model.antecedents[watch.index]
                self._lefts[left.property].append((k, left.where))
        self._done: set[bytes] = set()
        self.observed: dict[bytes, Observed] = {}
        """What plain Python saw in the states that were compared, by their words."""
        self.paths: set[int] = set()
        """The paths that these states take, by their numbers."""
        self._outside: dict[Cells, Observed] = {}
        self._views: dict[bytes, tuple[Any, ...]] = {}
        self._keys: dict[tuple[Any, ...], bytes] = {}
        self._orbits = Orbits(self.spec)

    @property
    def count(self) -> int:
        """States that were cross-checked so far."""
        return len(self._done)

    def compare(self, rows: Iterable[Any]) -> None:
        """Compare some states, each an array of one row; those that were compared before are not compared again."""
        for row in rows:
            if row.tobytes() not in self._done:
                self.compare_answer(answer(self.expansion, row, self.idle))

    def compare_cells(self, states: Iterable[Cells]) -> None:
        """The same for states as cells."""
        for cells in states:
            words = self.model.layout.pack(cells)
            if self.model.layout.unpack(words) != cells:
                raise self.differs(type(self.spec).__name__, "a state is not what is stored of it", cells, None)
            self.compare([np.array([words], np.uint64)])

    def initial(self, most: int, allowance: Allowance, part: float) -> list[Cells]:
        """Compare the set of initial states, and some of them in detail, including those outside a constraint.

        With a time limit, they take a part of the allowance.
        """
        beginning = InitialStates(self.model).sample(max(most, COMBINATIONS), lambda: allowance.over(part))
        found = list(dict.fromkeys(beginning))[:most]
        self.compare_cells(takewhile(lambda _: not allowance.over(part), found))
        return found

    def compare_trace(self, states: Sequence[State], allowance: Allowance) -> None:
        """Compare the states of a trace, from the last to the first; the last two in any case."""
        for at, state in enumerate(reversed(states)):
            if at > 1 and allowance.over():
                return
            self.compare_cells([state.cells])

    def compare_answer(self, said: Answer) -> None:
        """Compare the results of machine code for a state, computed here or elsewhere."""
        if said.row.tobytes() in self._done:
            return
        self._done.add(said.row.tobytes())
        seen = self.observed[said.row.tobytes()] = Observed()
        state, *after = self._states_of(np.concatenate([said.row, said.after]))
        self._steps(state, after, said, seen)
        self._properties(state, said.held, seen)
        self._step_properties(state, after, said, seen)
        self._skipped(state, said)
        self._symmetric(state)
        if self.program.constrained or self.program.viewed:
            self._identified([state, *after], said, seen)
        self.paths |= said.paths

    def _identified(self, states: Sequence[State], said: Answer, seen: Observed) -> None:
        """Compare constraints and keys of a state and its successors.

        States outside a constraint or with a known view are not stored, so they occur as successors only.
        """
        for at, (state, inside) in enumerate(zip(states, said.inside.tolist(), strict=True)):
            self._inside(state, inside)
            self._same_view(state, said.keys[at])
            if at and not inside:
                if state.cells not in self._outside:
                    self._outside[state.cells] = Observed()
                    self._properties(state, said.held_after[at - 1], self._outside[state.cells])
                seen.outside |= self._outside[state.cells].here
                seen.goals_outside |= self._outside[state.cells].goals

    def _states_of(self, rows: Any) -> Iterator[State]:
        return (State(self.spec.domains, cells) for cells in self.model.layout.unpack_all(rows))

    # -- actions -------------------------------------------------------------------------------------------

    def _steps(self, state: State, after: Sequence[State], said: Answer, seen: Observed) -> None:
        """Compare the steps of a state and its counters."""
        counters, counted = self.program.counters, said.counted.tolist()
        found = self.plain.steps(state.cells, self.called, self.idle)
        seen.steps.update([ERROR] if found.failing else [] if any(found.after.values()) else [DEADLOCK])
        compiled: dict[str, list[Cells]] = defaultdict(list)
        for successor, action in zip(after, said.actions.tolist(), strict=True):
            compiled[self.program.action_names[action]].append(successor.cells)
        for number, name in enumerate(self.program.action_names):
            if not same_states(compiled[name], found.after[name]):
                raise self._different_steps(name, compiled[name], found, state)
            taken, steps = counted[counters.taken(number)], len(compiled[name])
            if taken != steps or counted[counters.enabled(number)] != bool(steps):
                message = f"{taken} steps are counted where there are {steps}"
                raise self.differs(name, message, state.cells)
        if counted[counters.faults] != len(found.failing):
            raise self._different_failures(counted[counters.faults], found, state, said.paths)
        stuck = not after and not found.failing
        for what, counter, number in (
            ("successors", counters.generated, len(after)),
            ("deadlocks", counters.deadlocks, int(stuck)),
            ("expanded states", counters.expanded, 1),
        ):
            if counted[counter] != number:
                message = f"{counted[counter]} {what} are counted where there are {number}"
                raise self.differs(type(self.spec).__name__, message, state.cells)
        self._guards(state, found, said)

    def _guards(self, state: State, found: PlainSuccessors, said: Answer) -> None:
        for name, probe in self.idle.items():
            for where, symbols in zip(probe.sites, said.stopped[name].tolist(), strict=True):
                values = found.stopped[name, where]
                if where in probe.guards and symbols != values:
                    message = f"this guard stops {count(symbols, 'attempt')} on symbols, {values:,} on values"
                    raise self.differs(name, message, state.cells, where)

    def called(self, number: int, instance: ActionInstance) -> str:
        """What the program calls an action."""
        return instance.name

    def _different_steps(
        self, name: str, compiled: list[Cells], found: PlainSuccessors, state: State
    ) -> EverystateError:
        missing = list((Counter(found.after[name]) - Counter(compiled)).elements())
        extra = list((Counter(compiled) - Counter(found.after[name])).elements())
        instances = [i for n, i in enumerate(self.spec.instances) if self.called(n, i) == name]
        if missing:
            instances = [found.scripts[name, missing[0]], *instances]
        if missing and extra and len(compiled) == len(found.after[name]):
            said = culprit.both(self.spec, extra[0], missing[0])
        else:
            said = f"on symbols it has {len(compiled)} successors, on values {len(found.after[name])}"
        return self.differs(instances[0].name, said, state.cells)

    def _different_failures(
        self, failing: int, found: PlainSuccessors, state: State, taken: frozenset[int]
    ) -> EverystateError:
        said = f"on symbols {failing} of its steps fail, on values {len(found.failing)}"
        if found.failing:
            failed = found.failing[0]
            return self.differs(failed.action.name, said, state.cells, failed.error.where)
        both = zip(self.spec.instances, self.model.actions, strict=True)
        ends = [(instance, leaf) for instance, action in both for leaf in paths(action.tree)]
        for instance, leaf in (ends[path] for path in sorted(taken)):
            if isinstance(leaf, Fault):
                said += f"; {instance} fails with {leaf.error.code}: {leaf.error.what}"
                return self.differs(instance.name, said, state.cells, leaf.error.where)
        return self.differs(type(self.spec).__name__, said, state.cells)

    # -- properties ----------------------------------------------------------------------------------------

    def _properties(self, state: State, held: Held, seen: Observed) -> None:
        for prop in self.on_states:
            lefts = self._lefts.get(prop.name, ())
            found = self.plain.judge(prop.name, state.cells, noting=bool(lefts))
            self._judge(prop.name, state, None, held, truth_of(found))
            self._observe(prop, truth_of(found), seen.here, seen.goals)
            for k, where in lefts:
                if (k in held) != (where in found.lefts):
                    message = f"the left side is {k in held} on symbols and {where in found.lefts} on values"
                    raise self.differs(prop.name, message, state.cells, where)

    def _step_properties(self, state: State, after: Sequence[State], said: Answer, seen: Observed) -> None:
        for following, held in zip(after, said.on_steps, strict=True):
            for prop in self.on_steps:
                found = self.plain.judge(prop.name, following.cells, state.cells)
                self._judge(prop.name, following, state, held, truth_of(found))
                self._observe(prop, truth_of(found), seen.steps, seen.goals)

    def _observe(self, prop: Property, value: bool | None, broken: set[Broken], goals: set[str]) -> None:
        """Note what the value of a property in plain Python (None: it fails) means for the verdict."""
        if value is None:
            broken.add((prop.name, Kind.PROPERTY_ERROR))
        elif prop.kind == marks.REACHABLE:
            goals.update([prop.name] if value else [])
        elif prop.kind == marks.INVARIANT and not value:
            broken.add((prop.name, Kind.INVARIANT))
        elif prop.kind == marks.STEP_INVARIANT and not value:
            refined = prop.name in self.spec._refinements
            broken.add((prop.name, Kind.REFINEMENT if refined else Kind.STEP_INVARIANT))

    def _judge(self, name: str, state: State, before: State | None, held: Held, value: bool | None) -> None:
        """Compare the value of a property (None: it fails) with the watches of it that hold."""
        watches = self._watches[name]
        fails = not held.isdisjoint(self._errors[name])
        if fails != (value is None):
            said = "it fails on symbols and not on values" if fails else "it fails on values and not on symbols"
            raise self._different_value(name, said, state, before)
        for k, kind in watches:
            if kind != "error" and value is not None and (k in held) != (value == (kind == "reachable")):
                raise self._different_value(name, f"it is {not value} on symbols and {value} on values", state, before)

    def _skipped(self, state: State, said: Answer) -> None:
        """Check that a property has not changed after an action that cannot change it: a search skips it there."""
        for action, held in zip(said.actions.tolist(), said.held_after, strict=True):
            for group in self.program.state_groups if held != said.held else ():
                others = (held ^ said.held).intersection(group.watches)
                if others and action not in group.needs:
                    name = next(n for n, found in self._every_watch().items() if min(others) in found)
                    message = f"after {self.program.action_names[action]} its value is taken to be that of before"
                    raise self._different_value(name, message, state, None)

    def _every_watch(self) -> dict[str, set[int]]:
        found = {name: {k for k, _ in watches} for name, watches in self._watches.items()}
        for name, lefts in self._lefts.items():
            found[name] = found.get(name, set()) | {k for k, _ in lefts}
        return found

    def _inside(self, state: State, inside: bool) -> None:
        if not self.program.constrained:
            return
        values = {name: self.plain.value(name, state.cells) for name in self.spec._named(marks.CONSTRAINT)}
        if inside != all(values.values()):
            name = next((n for n, value in values.items() if not value), next(iter(values)))
            said = f"the state is {'inside' if inside else 'outside'} on symbols and not on values"
            raise self._different_value(name, said, state, None)

    def _symmetric(self, state: State) -> None:
        """With symmetry reduction: states of the same orbit have the same steps and the same properties."""
        if not self.program.viewed or self.spec._named(marks.VIEW):
            return
        for by in generators(self.spec):
            other = moved_state(state, by)
            one, two = (self.plain.steps(cells, self.called, self.idle) for cells in (state.cells, other.cells))
            for name in self.program.action_names:
                moved = {moved_state(State(self.spec.domains, cells), by).cells for cells in one.after[name]}
                if moved != set(two.after[name]) or bool(one.failing) != bool(two.failing):
                    raise self.differs(name, f"it does something else where {dict(by)}", state.cells)
            for prop in self.on_states:
                if self.plain.value(prop.name, state.cells) != self.plain.value(prop.name, other.cells):
                    raise self.differs(prop.name, f"it says something else where {dict(by)}", state.cells)

    def _same_view(self, state: State, words: Any) -> None:
        """Two states have the same key in machine code if and only if their views are equal."""
        if not self.program.viewed:
            return
        names, key = self.spec._named(marks.VIEW), words.tobytes()
        values: tuple[Any, ...] = tuple(self.plain.judge(name, state.cells).value for name in names)
        if not names:
            values, names = (self._orbits.least(state),), [next(iter(sets_of(self.spec)))]
        known = self._views.setdefault(key, values)
        if known != values:
            at = next(i for i, (a, b) in enumerate(zip(known, values, strict=True)) if a != b)
            said = f"two states have the same view on symbols, and on values {known[at]!r} and {values[at]!r}"
            raise self._different_value(names[at], said, state, None)
        if None not in values and self._keys.setdefault(values, key) != key:
            said = f"two states have different views on symbols, and both {values[0]!r} on values"
            raise self._different_value(names[0], said, state, None)

    # -- differences ---------------------------------------------------------------------------------------

    def _different_value(self, name: str, said: str, state: State, before: State | None) -> EverystateError:
        return self.differs(name, said, state.cells)

    def differs(self, name: str, said: str, cells: Cells, where: Where | None = None) -> EverystateError:
        """E217: what differs between machine code and plain Python, and in which state."""
        return culprit.difference(self.spec, name, said, cells, where)


def _by_property(program: Program) -> dict[str, list[tuple[int, str]]]:
    """The watches of each property by its name, without those of implications."""
    found: dict[str, list[tuple[int, str]]] = {prop.name: [] for prop in program.model.properties}
    for k, watch in enumerate(program.watches()):
        if watch.kind != "antecedent":
            found[program.model.properties[watch.index].name].append((k, watch.kind))
    return found
