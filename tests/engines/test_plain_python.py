"""Plain Python is executed once for the same reads, and says of every state what a run without any memory says."""

from __future__ import annotations

from typing import Any

import pytest

from everystate.checker import (
    Array,
    Bool,
    Int,
    Map,
    Record,
    Seq,
    Set,
    Spec,
    action,
    choose,
    implies,
    invariant,
    require,
)
from everystate.checker.engines import plain_python
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.engines.limits import Limits
from everystate.checker.engines.plain_python import PlainPython
from everystate.checker.errors import CheckedError, EverystateError
from everystate.checker.frontend import model
from everystate.checker.language.concrete import StepFailed, attempts, evaluate
from everystate.checker.language.state import State
from everystate.checker.language.values import EDITS


class Item(Record):
    n = Int(0, 3)
    on = Bool()


class Machine(Spec):
    """Writes without a look, changes in place before it is stopped, fails, chooses."""

    may_terminate = True

    def variables(self) -> None:
        self.n = Int(0, 3)
        self.on = Bool()
        self.items = Array(2, Item)
        self.queue = Seq(Int(0, 3), 2)
        self.members = Set(Int(0, 2))
        self.numbers = Map([0, 1], Int(0, 2))

    @action(by=range(1, 3))
    def add(self, by: int) -> None:
        require(self.n == by)
        self.on = choose([True, False])
        self.items[0] = Item(n=by, on=False)

    @action
    def changes_then_stops(self) -> None:
        self.queue.append(self.n)
        self.members.add(1)
        self.numbers[1] = 2
        self.items[1].n = 3
        require(self.n == 2)

    @action
    def steps(self) -> None:
        require(self.n < 3)
        self.n = self.n + 1

    @action
    def fails(self) -> None:
        require(self.on)
        self.n = choose([1, 2]) // (self.n - 3)

    @invariant
    def fits(self) -> bool:
        return implies(self.on, self.items[0].n > 0) or len(self.queue) == 0

    @invariant
    def has_no_value(self) -> bool:
        return 6 // (self.n - 1) < 9


def reachable(spec: Spec) -> list[tuple[int, ...]]:
    found = {state.cells: None for state in spec.initial_states()}
    todo = list(found)
    while todo:
        for instance in spec.instances:
            for step in attempts(spec, State(spec.domains, todo[-1]), instance):
                if not isinstance(step, StepFailed) and step.state.cells not in found:
                    found[step.state.cells] = None
                    todo.insert(0, step.state.cells)
        todo.pop()
    return list(found)


def test_memory_changes_no_step_and_no_value() -> None:
    spec = Machine()
    plain, states = PlainPython(spec), reachable(spec)
    assert len(states) == 34
    for cells in states:
        state, found = State(spec.domains, cells), plain.steps(cells, lambda n, i: str(i))
        for instance in spec.instances:
            steps = list(attempts(spec, state, instance))
            after = [step.state.cells for step in steps if not isinstance(step, StepFailed)]
            failing = [step for step in steps if isinstance(step, StepFailed)]
            assert found.after[str(instance)] == after
            assert [f.choices for f in found.failing if f.action == instance] == [f.choices for f in failing]
        for name in ("fits", "has_no_value"):
            assert plain.value(name, cells) == without_memory(spec, name, state)


def without_memory(spec: Spec, name: str, state: State) -> bool | None:
    try:
        return bool(evaluate(spec, name, state).value)
    except CheckedError:
        return None


def test_little_is_executed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    executed, plain = [], PlainPython._execute
    monkeypatch.setattr(PlainPython, "_execute", lambda *given: executed.append(given) or plain(*given))
    spec = Machine()
    here, states = PlainPython(spec), reachable(spec)
    for cells in states:
        here.steps(cells, lambda n, i: str(i))
    everything = len(states) * len(spec.instances)
    wholly = -(-len(states) // plain_python.EACH) * len(spec.instances)
    assert (everything, wholly, len(executed)) == (170, 15, 48)


def test_what_does_not_depend_on_the_state_is_noticed_later_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """After forty executions an action does something else, whatever it reads."""
    traced = model.build(Later())
    monkeypatch.setattr(Later.go, "__code__", goes_forty_times.__code__)
    with pytest.raises(EverystateError, match="E217 go differs"):
        exhaustive.check(traced, Limits(cross_check=1000))
    assert len(EXECUTIONS) >= 40


EXECUTIONS: list[int] = []


def goes_forty_times(self: Later) -> None:
    EXECUTIONS.append(1)
    if len(EXECUTIONS) < 40:
        self.on = not self.on


class Later(Spec):
    may_terminate = True

    def variables(self) -> None:
        self.n = Int(0, 4000)
        self.on = Bool()

    @action
    def go(self) -> None:
        self.on = not self.on

    @action
    def count(self) -> None:
        require(self.n < 4000)
        self.n += 1


METHODS = {
    list: "append extend insert remove pop clear sort reverse __setitem__ __delitem__ __iadd__ __imul__",
    set: "add discard remove pop clear update intersection_update difference_update symmetric_difference_update "
    "__ior__ __iand__ __isub__ __ixor__",
    dict: "__setitem__ __delitem__ clear pop popitem setdefault update __ior__",
}
GIVEN: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("append", "remove", "add", "discard", "__delitem__", "setdefault", "pop"), (1,)),
    **dict.fromkeys(("extend", "__iadd__", "update", "__ior__", "__iand__", "__isub__", "__ixor__"), ({1},)),
    **dict.fromkeys(("intersection_update", "difference_update", "symmetric_difference_update"), ({1},)),
    **dict.fromkeys(("insert", "__setitem__"), (1, 1)),
    "__imul__": (1,),
}


COLLECTIONS = [
    Array(2, Int(0, 3)),
    Seq(Int(0, 3), 3, init=[1, 2]),
    Set(Int(0, 3), init={1, 2}),
    Map([1, 2], Int(0, 3)),
]


@pytest.mark.parametrize("domain", COLLECTIONS, ids=repr)
def test_what_changes_in_place_is_counted(domain: Any) -> None:
    """values that were changed are not shared"""
    [kind] = [kind for kind in METHODS if isinstance(next(iter(domain.initials())), kind)]
    for name in METHODS[kind].split():
        value = next(iter(domain.initials()))
        before, edits = repr(value), EDITS.count
        given = () if name == "pop" and kind is set else GIVEN.get(name, ())
        given = ({1: 1},) if kind is dict and name in ("update", "__ior__") else given
        try:
            getattr(value, name)(*given)
        except (AttributeError, CheckedError):
            assert repr(value) == before, name
        else:
            assert EDITS.count > edits or repr(value) == before, name


def test_a_field_that_changes_is_counted() -> None:
    record = Item.of().lowest()
    edits = EDITS.count
    record.n = 2
    assert EDITS.count == edits + 1


def test_to_write_the_same_number_again_is_no_edit() -> None:
    rows: Any = Array(2, Int(0, 3))  # typed as its value is
    row = rows.lowest()
    before = EDITS.count
    row[1] = 0
    assert EDITS.count == before
    row[1] = 3
    assert (list(row), EDITS.count) == ([0, 3], before + 1)
