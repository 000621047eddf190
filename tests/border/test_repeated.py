"""What does something else when it is run again on the same values is refused, whatever that hangs on."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable

import pytest

from everystate import check
from everystate.checker import Bool, Enum, Int, Spec, action, invariant, lemma, require
from everystate.checker.engines.symbolic.inductive import prove
from everystate.checker.engines.symbolic.search import Question
from everystate.checker.errors import EverystateError
from everystate.checker.ir import explorer, model


class Plain(Spec):
    def variables(self) -> None:
        self.n = Int(0, 3)

    @action
    def up(self) -> None:
        self.n = 1


class Ranging(Spec):
    def variables(self) -> None:
        self.n = Int(0, 3)

    @action(k=(1, 2))
    def up(self, k: int) -> None:
        self.n = k


@pytest.mark.parametrize("spec", [Plain, Ranging])
def test_an_action_that_does_something_else_the_second_time(spec: type[Spec], monkeypatch: pytest.MonkeyPatch) -> None:
    """its error names the line, also where the action has no parameters"""
    monkeypatch.setattr(explorer, "same", lambda *_: False)
    with pytest.raises(EverystateError) as found:
        model.build(spec())
    assert found.value.code == "E207" and found.value.where is not None and found.value.where.function.startswith("up(")


class Lamp(enum.Enum):
    OFF = 0
    ON = 1


@functools.cache
def distance(a: int, b: int) -> int:
    return abs(a - b)


@functools.lru_cache(maxsize=1)
def weight(on: bool, word: str, lamp: Lamp) -> int:
    return len(word.upper()) + on + lamp.value


class Remembering(Spec):
    may_terminate = True

    def variables(self) -> None:
        self.n = Int(0, 9)
        self.on = Bool()
        self.word = Enum("low", "high")
        self.lamp = Enum(Lamp)

    @action
    def up(self) -> None:
        require(distance(self.n, 9) > 0)
        self.n += 1
        self.on = self.n > 4
        self.word = "high" if self.n > 4 else "low"
        self.lamp = Lamp.ON if self.n > 4 else Lamp.OFF

    @invariant
    def light(self) -> bool:
        return weight(self.on, self.word, self.lamp) < 6 or distance(self.n, 0) < 7

    @lemma
    def near(self) -> bool:
        return distance(self.n, 9) < 10

    @lemma
    def not_far(self) -> bool:
        return distance(self.n, 9) < 11


def test_functions_with_a_cache_remember_no_symbols(ours_now: Callable[[], None]) -> None:
    """plain Python asked one that the first trace had left, as did the next trace of the same process: E224"""
    ours_now()
    for _ in range(2):
        [found] = check(Remembering).violations
        assert (found.property, found.length) == ("light", 7)
    proof = prove(model.build(Remembering()), Question(1, doublecheck=10)).result
    assert [(v.property, v.length) for v in proof.violations] == [("light", 7)]


KNOWN = [99]


@functools.cache
def known(n: int) -> int:
    return KNOWN[0] if n == 7 else 0


known(7)
KNOWN[0] = 0


class Knowing(Spec):
    may_terminate = True

    def variables(self) -> None:
        self.n = Int(0, 9)

    @action
    def up(self) -> None:
        require(self.n < 9)
        self.n += 1

    @invariant
    def nobody_knows(self) -> bool:
        return known(self.n) != 99


def test_what_a_function_remembered_before_is_not_forgotten(ours_now: Callable[[], None]) -> None:
    """it would say something else now, and the spec would be PROVED"""
    ours_now()
    for code in ("E217", "E224 known has remembered a symbol"):
        with pytest.raises(EverystateError, match=code):
            check(Knowing)
