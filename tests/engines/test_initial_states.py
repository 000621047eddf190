"""Initial states that machine code finds are those of plain Python, in its order, and the cross-check doubts them."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
import pytest

from everystate.checker import (
    AnyOf,
    Array,
    Bool,
    Constant,
    Enum,
    Int,
    Map,
    Option,
    Record,
    Seq,
    Set,
    Spec,
    action,
    choose,
    constraint,
    initial,
    invariant,
    require,
)
from everystate.checker.backends.native import initial_states
from everystate.checker.backends.native.initial_states import InitialStates
from everystate.checker.engines.explicit import exhaustive, python
from everystate.checker.engines.limits import Limits
from everystate.checker.engines.sampling.sample import WalkSettings
from everystate.checker.engines.sampling.walker import Walker
from everystate.checker.errors import CheckedError, EverystateError
from everystate.checker.frontend import model
from everystate.checker.ir.initial_states import cells, combinations, tables
from everystate.checker.language.concrete import begun
from everystate.checker.results.verdict import Verdict
from everystate.specs.classics.bakery import Bakery


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Pair(Record):
    x: int
    y: int


PAIR = Pair.of(x=Int(-1, 1, init=AnyOf()), y=Int(0, 3, init=AnyOf(3, 0)))


@pytest.mark.parametrize(
    "domain",
    [
        Int(3, 5),
        Int(-2, 5, init=AnyOf(5, -2, 5)),
        Enum(Colour, init=AnyOf()),
        Array(3, Int(1, 3, init=AnyOf())),
        Array(2, PAIR),
        Array(2, Bool(), init=[True, False]),
        Array(2, Int(1, 3), init=AnyOf()),
        Array(2, PAIR, init=AnyOf()),
        Array(2, Option(Bool()), init=AnyOf()),
        Map(["a", "b"], Set(Int(0, 1)), init=AnyOf()),
        Map(["a", "b"], Array(2, Bool(init=AnyOf()))),
        Seq(Bool(init=AnyOf()), 2),
        Seq(Bool(), 2, init=AnyOf()),
        Option(Int(0, 2), init=AnyOf()),
        Array(2, Option(Int(0, 2), init=AnyOf(None, 2))),
        Set(Int(0, 2), init=AnyOf()),
        PAIR,
    ],
    ids=str,
)
def test_declared_values_are_counted_as_plain_python_lists_them(domain: Any) -> None:
    expected: list[list[int]] = []
    for value in domain.initials():
        expected.append([])
        domain.encode(value, expected[-1])
    assert cells(tables(domain), len(expected) + 1) == expected


class Many(Spec):
    """2,304 combinations; two methods, which choose, refuse, and assign what was declared."""

    def variables(self) -> None:
        self.a = Array(3, Int(-1, 2, init=AnyOf()))
        self.b = Set(Int(0, 2), init=AnyOf())
        self.c = Seq(Int(0, 5), 2)
        self.d = Option(Int(0, 1), init=AnyOf())
        self.e = Bool(init=AnyOf(True, True, False))
        self.f = Int(0, 9)

    @initial
    def small(self) -> None:
        require(self.a[0] + self.a[1] < self.a[2] + 2)
        if self.d is not None:
            require(self.d in self.b)
            self.d = None
        self.f = choose([4, 5])

    @initial
    def listed(self) -> None:
        require(self.f == 4 or self.e)
        self.c.append(choose(self.b))
        self.f += 1 - self.a[0]

    @action
    def go(self) -> None:
        self.f = 0


class Strict(Many):
    @constraint
    def inside(self) -> Any:
        return self.f > 4


def plain(spec: Spec) -> list[tuple[int, ...]]:
    layout = model.build(spec).layout
    return [layout.pack(state.cells) for state in spec.initial_states()]


@pytest.mark.parametrize("spec", [Many, Strict])
def test_machine_code_completes_combinations_as_plain_python_does(spec: type[Spec]) -> None:
    traced = model.build(spec())
    assert [hook.instance.name for hook in traced.beginning] == ["small", "listed"]
    found = [tuple(row) for row in InitialStates(traced).rows().tolist()]
    assert found == plain(spec()) and len(found) > len(set(found)) > 1000


def test_all_engines_begin_in_the_same_states() -> None:
    native, slow = exhaustive.check(model.build(Strict())), python.check(Strict())
    assert (native.initial, native.distinct, native.generated) == (slow.initial, slow.distinct, slow.generated)
    walker = Walker(model.build(Strict()), WalkSettings(1, 1, False))
    assert [tuple(row) for row in walker.initial.tolist()] == plain(Strict())


def test_doubting_everything_changes_nothing() -> None:
    found = exhaustive.check(model.build(Many()), Limits(cross_check=1 << 62))
    assert found.verdict is Verdict.PROVED and found.cross_checked == found.distinct


def test_bakery_has_as_many_initial_states_as_tlc_says() -> None:
    assert len(InitialStates(model.build(Bakery())).rows()) == 655_200


# -- errors ------------------------------------------------------------------------------------------------------


def test_a_method_that_fails_is_told_as_by_plain_python() -> None:
    class Fails(Many):
        @initial
        def listed(self) -> None:
            assert self.a[0] < 2, "the last of the combinations"

    told = []
    for find in (lambda: InitialStates(model.build(Fails())).rows(), Fails().initial_states):
        with pytest.raises(CheckedError) as found:
            find()
        told.append((found.value.code, found.value.what, found.value.where))
    assert told[0] == told[1] and told[0][0] == "E307"


def test_nothing_to_begin_with_is_told() -> None:
    class Nothing(Many):
        @initial
        def listed(self) -> None:
            require(self.f > 5)

    class Outside(Many):
        @constraint
        def inside(self) -> Any:
            return self.f > 8

    for spec, code in ((Nothing, "E118"), (Outside, "E134")):
        with pytest.raises(EverystateError) as found:
            exhaustive.check(model.build(spec()))
        assert found.value.code == code


class Rising(Spec):
    """Any number of digits; 6 of them have a million combinations, of which 210 rise."""

    length = Constant(6)

    def variables(self) -> None:
        self.digits = Array(self.length, Int(0, 9), init=AnyOf())

    @initial
    def rising(self) -> None:
        require(all(self.digits[i] < self.digits[i + 1] for i in range(self.length - 1)))

    @action
    def swap(self) -> None:
        self.digits[0], self.digits[1] = self.digits[1], self.digits[0]


def test_the_values_of_a_variable_are_counted_and_not_listed() -> None:
    assert exhaustive.check(model.build(Rising())).distinct == 420
    assert combinations(Rising(length=40)) == 10**40


# -- the cross-check --------------------------------------------------------------------------------------------


class Even(Spec):
    """4,096 combinations, of which every other one is initial."""

    def variables(self) -> None:
        self.bits = Array(12, Bool(init=AnyOf()))

    @initial
    def last_is_free(self) -> None:
        require(not self.bits[11])

    @action
    def stay(self) -> None:
        pass

    @invariant
    def some(self) -> Any:
        return not self.bits[11]


def test_a_sample_has_accepted_and_rejected_combinations(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    real = begun
    monkeypatch.setattr(
        initial_states, "begun", lambda spec, cells: asked.append(len(real(spec, cells))) or real(spec, cells)
    )
    sampled = InitialStates(model.build(Even())).sample(1000)
    assert (asked.count(0), asked.count(1), len(sampled)) == (500, 500, 500)


@pytest.mark.parametrize("wrong", ["one too many", "one lost", "another state"])
def test_machine_code_that_errs_about_the_beginning_is_met(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = initial_states._Method.completed

    def err(self: Any, states: Any) -> tuple[Any, Any]:
        found, where = real(self, states)
        if wrong == "one too many":
            refused = np.setdiff1d(np.arange(len(states)), where)
            return np.concatenate([found, states[refused]]), np.concatenate([where, refused])
        if wrong == "one lost":
            return found[len(found) // 2 :], where[len(found) // 2 :]
        return found ^ np.uint64(1), where

    monkeypatch.setattr(initial_states._Method, "completed", err)
    with pytest.raises(EverystateError) as found:
        exhaustive.check(model.build(Even()))
    assert found.value.code == "E217" and "initial state" in found.value.what


def test_wrong_declared_values_are_met(monkeypatch: pytest.MonkeyPatch) -> None:
    from everystate.checker.ir import initial_states as declared

    real = declared.tables
    falling = [np.array([[1], [0]])] * 12
    monkeypatch.setattr(declared, "tables", lambda domain: falling if domain.size == 12 else real(domain))
    with pytest.raises(EverystateError, match="the initial values of bits are others"):
        exhaustive.check(model.build(Even()))
