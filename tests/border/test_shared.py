"""What machine code and plain Python take from the same code of ours, so that neither doubts the other: the language
itself, held against verdicts that were thought out."""

from __future__ import annotations

from pathlib import Path

import pytest

from everystate.checker.border import Read, examine
from everystate.checker.errors import EverystateError
from everystate.checker.ir import symbols
from everystate.checker.results.verdict import Verdict
from everystate.specs.classics.die_hard import DieHard
from tests.agreement.readers import load

from .verdicts import outcome

WINDOW = """
from everystate.checker import *


class Window:
    def __init__(self, cells, width):
        self.cells, self.width = cells, width

    def __getitem__(self, place):
        if place >= self.width:
            raise IndexError(place)
        return self.cells[place] == 1


class Generated(Spec):
    may_terminate = True

    def variables(self):
        self.cells = Array(3, Int(0, 1))

    @action(i=3)
    def up(self, i):
        require(self.cells[i] == 0)
        self.cells[i] = 1

    @invariant
    def not_the_first_two(self):
        return not all_of(Window(self.cells, 2))

    @invariant
    def never_one(self):
        return none_of(Window(self.cells, 2), lambda one: one)
"""

FIXED = """
from everystate.checker import *


class Sized(Spec):
    may_terminate = True
    least = Constant(0)
    size = Constant(3)

    def variables(self):
        self.n = Int(0, 9)

    @action
    def up(self):
        require(self.n < self.size)
        self.n += 1

    @invariant
    def small(self):
        return self.n < 5


class Generated(Sized):
    size = 5
    least = Constant(1)
"""


@pytest.mark.parametrize("engine", ["native", "python"])
def test_quantifiers_go_through_what_has_items_by_number(engine: str, tmp_path: Path) -> None:
    _, violations, distinct, generated = outcome(WINDOW, engine, tmp_path)
    assert (violations, distinct, generated) == ((("not_the_first_two", 2), ("never_one", 1)), 8, 13)


@pytest.mark.parametrize("engine", ["native", "python"])
def test_a_constant_that_a_class_fixes_is_none_any_more(engine: str, tmp_path: Path) -> None:
    spec = load(FIXED, tmp_path)
    assert spec.constants == {"least": 1}
    with pytest.raises(EverystateError, match="E107"):
        type(spec)(size=4)
    assert outcome(FIXED, engine, tmp_path)[1:] == ((("small", 5),), 6, 6)


def test_a_class_that_was_taken_for_one_of_the_checker_is_looked_into_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of classes of the checker a check remembers that nobody need look into their objects; the next one asks anew."""

    class Box:
        __module__ = symbols.__name__
        __qualname__ = "Box"
        number: int

    monkeypatch.setattr(symbols, "Box", Box, raising=False)
    Read(DieHard(), (Box(),))
    monkeypatch.undo()
    examine(DieHard(), symbols=True)
    box = Box()
    box.number = 0
    read = Read(DieHard(), (box,))
    box.number = 1
    with pytest.raises(EverystateError, match="E233"):
        read.check()


ENDS = """
import itertools

from everystate.checker import *

ENDS = itertools.cycle([{cycle}])


class Generated(Spec):
    may_terminate = property(lambda self: next(ENDS))

    def variables(self):
        self.n = Int(0, 9)

    @action
    def up(self):
        require(self.n < 3)
        self.n += 1
"""


@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize("cycle", ["False, True", "True, False", "False, False, True, True, True, False, True"])
def test_whether_a_spec_may_end_is_asked_once(cycle: str, engine: str, tmp_path: Path) -> None:
    """It was asked by each who wanted to know: who counted deadlocks, and who told that there is none."""
    found = outcome(ENDS.format(cycle=cycle), engine, tmp_path)
    assert found in {("refused", "E138"), (Verdict.VIOLATED, (("deadlock", 3),), 4, 4)}
