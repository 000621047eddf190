"""What plain Python does in a state, for the cross-check and for traces: no compiler is involved.

An execution depends only on what it reads from the state. So its outcome is cached by the values that it has read, and
reused where they are the same. A cross-check executes every EACH-th state without the cache.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from ..errors import CheckedError, Where, place_of, user_place
from ..language import marks
from ..language.concrete import StepFailed, ValuesFrame, came_to, following, judged, outcome
from ..language.concrete_machine import Attempts, ConcreteMachine
from ..language.conditions import truth
from ..language.declarations import ActionInstance
from ..language.domains import Domain
from ..language.formulas import is_formula
from ..language.identity import identity
from ..language.machine import Disabled, executing
from ..language.spec import Spec
from ..language.values import EDITS, SCALARS
from .execution_cache import Cells, Memory

EACH = 16
"""One of so many states is executed without the cache."""
SHARED = 16
"""States whose values are cached for later executions."""


@dataclass
class PlainSuccessors:
    """Successors by the name of the action, the steps that fail, and how many attempts each guard has stopped."""

    after: dict[str, list[Cells]] = field(default_factory=lambda: defaultdict(list))
    scripts: dict[tuple[str, Cells], ActionInstance] = field(default_factory=dict)
    failing: list[StepFailed] = field(default_factory=list)
    stopped: Counter[tuple[str, Where | None]] = field(default_factory=Counter)


@dataclass(frozen=True)
class InstanceOutcomes:
    """The effects of an action instance: changes of each step (first cell, last one, values), and what stops or
    fails."""

    changes: tuple[tuple[tuple[int, int, Cells], ...], ...]
    failing: tuple[StepFailed, ...]
    guards: tuple[Where | None, ...]


@dataclass(frozen=True)
class PropertyValue:
    """The value of a property, or that it fails, and the places where the left side of an implication is true."""

    value: Any
    fails: bool
    lefts: frozenset[Where | None] = frozenset()


class ImplicationRecorder(ConcreteMachine):
    """Records the places at which an implication is evaluated, and those at which its left side is true."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: dict[Where | None, None] = {}
        self.lefts: set[Where | None] = set()

    def implies(self, left: Any, right: Any) -> Any:
        held = truth(left() if callable(left) else left)
        self.asked[user_place()] = None
        if held:
            self.lefts.add(user_place())
        return super().implies(held, right)


Places = dict[str, tuple[Domain, int, int]]


class DecodedState(dict[str, Any]):
    """The values of a state, each decoded when it is first read, and shared by all executions that do not change it."""

    def __init__(self, where: Places, cells: Cells) -> None:
        super().__init__()
        self.where, self.cells = where, cells

    def __missing__(self, name: str) -> Any:
        domain, start, _ = self.where[name]
        found = self[name] = domain.decode(self.cells, start)
        return found


class Frame(ValuesFrame):
    """The values of a state during an execution; `places` records which cells were read, in order."""

    def __init__(self, spec: Spec, decoded: DecodedState, shift: int = 0) -> None:
        super().__init__(spec, {})
        self.decoded, self.where, self.cells, self.shift = decoded, decoded.where, decoded.cells, shift
        self.places: dict[tuple[int, int], None] = {}
        self.edits = 0

    def begin(self) -> None:
        """Start another execution, on unchanged values."""
        if self.edits != EDITS.count:
            for name in self.values:
                self.decoded.pop(name, None)
        self.values, self.edits = {}, EDITS.count

    def read(self, name: str) -> Any:
        found = self.values.get(name, self)
        if found is self:
            _, start, end = self.where[name]
            self.places[start + self.shift, end + self.shift] = None
            found = self.values[name] = self.decoded[name]
        return found

    def changes(self) -> tuple[tuple[int, int, Cells], ...]:
        """What was changed, and what was written without being read before."""
        found, edited = [], self.edits != EDITS.count
        for name, value in self.values.items():
            domain, start, end = self.where[name]
            unedited = not edited or type(value) in SCALARS
            if unedited and value is self.decoded.get(name) and (start, end) in self.places:
                continue
            cells: list[int] = []
            domain.encode(value, cells)
            if (start, end) not in self.places or tuple(cells) != self.cells[start:end]:
                found.append((start, end, tuple(cells)))
        return tuple(found)


class PlainPython:
    """Executes a spec on values, state after state."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self._bodies = [spec._method(instance) for instance in spec.instances]
        self._where: Places = {}
        at = 0
        for name, domain in spec.domains.items():
            self._where[name] = domain, at, at + domain.size
            at += domain.size
        self._ways, self._judged = Memory[InstanceOutcomes](), Memory[PropertyValue]()
        self._decoded: dict[Cells, DecodedState] = {}
        self._executed, self._all = 0, False

    # -- actions -------------------------------------------------------------------------------------------

    def steps(
        self, cells: Cells, called: Callable[[int, ActionInstance], str], idle: Collection[str] = ()
    ) -> PlainSuccessors:
        """All steps of a state by action name; guards are recorded for some actions."""
        found, bounds = PlainSuccessors(), self.spec._step_bounds
        self._executed += 1
        self._all = self._executed % EACH == 1
        for number, instance in enumerate(self.spec.instances):
            ways = None if self._all else self._ways.known(number, cells)
            name = called(number, instance)
            ways = ways or self._execute(number, cells, name in idle)
            for changes in ways.changes:
                after = changed(cells, changes)
                if bounds and any(self.value(bound, after, cells) is False for bound in bounds):
                    continue  # an action constraint leaves the step out
                found.after[name].append(after)
                found.scripts.setdefault((name, after), instance)
            found.failing += ways.failing
            if name in idle:
                found.stopped.update((name, where) for where in ways.guards)
        return found

    def ways(self, number: int, cells: Cells) -> InstanceOutcomes:
        """What an action instance does in a state."""
        return self._ways.known(number, cells) or self._execute(number, cells, False)

    def _execute(self, number: int, cells: Cells, noting: bool) -> InstanceOutcomes:
        """Execute an action instance on every choice, optionally recording what stops it."""
        script: list[int] = []
        machine, frame, body = ConcreteMachine(), Frame(self.spec, self._values(cells)), self._bodies[number]
        changes, failing, guards, tried = list[Any](), list[StepFailed](), list[Where | None](), Attempts()
        with executing(machine), self.spec._reading(frame):
            while True:
                machine.begin(script)
                frame.begin()
                out = outcome(body)
                if out is None:
                    made = frame.changes()
                    if tried.is_new(machine, made):
                        changes.append(made)
                elif isinstance(out, CheckedError):
                    if tried.is_new(machine, came_to(out)):
                        failing.append(StepFailed(self.spec.instances[number], tuple(machine.chosen), out))
                elif noting and out.by == Disabled.GUARD and tried.is_new(machine, came_to(out)):
                    guards.append(place_of(out.__traceback__))
                del out  # its traceback holds this frame: together they would wait for the garbage collector
                if not following(script, machine.counts):
                    break
        frame.begin()
        return self._ways.learn(
            number, cells, frame.places, InstanceOutcomes(tuple(changes), tuple(failing), tuple(guards))
        )

    # -- properties ----------------------------------------------------------------------------------------

    def judge(self, name: str, cells: Cells, before: Cells | None = None, noting: bool = False) -> PropertyValue:
        """The value of a property in a state or on a step; with `noting`, left sides of implications are recorded."""
        both = cells if before is None else cells + before
        known = None if self._all else self._judged.known((name, noting), both)
        return known or self._judge(name, cells, before, both, noting)

    def _judge(self, name: str, cells: Cells, before: Cells | None, both: Cells, noting: bool) -> PropertyValue:
        machine, frame = ImplicationRecorder() if noting else ConcreteMachine(), Frame(self.spec, self._values(cells))
        earlier = None
        if before is not None:
            earlier = Frame(self.spec, self._values(before), len(cells))
            earlier.places = frame.places
        value, fails = None, False
        try:
            with executing(machine), self.spec._reading(frame):
                value = judged(self.spec, name, earlier)
        except CheckedError:
            fails = True
        else:
            viewed = self.spec._declaration(name).mark.kind == marks.VIEW
            value = identity(value, name, None) if viewed else value
        lefts = frozenset[Where | None]()
        if isinstance(machine, ImplicationRecorder) and not fails:
            lefts = frozenset(machine.lefts)
        return self._judged.learn((name, noting), both, frame.places, PropertyValue(value, fails, lefts))

    def _values(self, cells: Cells) -> DecodedState:
        if len(self._decoded) > SHARED:
            self._decoded.clear()
        if cells not in self._decoded:
            self._decoded[cells] = DecodedState(self._where, cells)
        return self._decoded[cells]

    def value(self, name: str, cells: Cells, before: Cells | None = None) -> bool | None:
        """The value of a property as a boolean; None where it fails."""
        return truth_of(self.judge(name, cells, before))

    def inside(self, cells: Cells, constraints: Iterable[str]) -> bool:
        """Whether a state satisfies the constraints."""
        return all(self.value(name, cells) for name in constraints)


def truth_of(found: PropertyValue) -> bool | None:
    """The value of a property's result as a boolean; None where it fails."""
    return None if found.fails else is_formula(found.value) or bool(found.value)


def changed(cells: Cells, changes: Iterable[tuple[int, int, Cells]]) -> Cells:
    """Cells of which some have other values."""
    found = list(cells)
    for start, end, values in changes:
        found[start:end] = values
    return tuple(found)
