"""Disagreements of the readers that were found once, each as the smallest spec that showed it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from everystate.checker.engines.explicit import python
from everystate.checker.errors import EverystateError
from everystate.checker.frontend.model import build

from .readers import agree, load
from .source import HEAD

STATE = """

class R(Record):
    x = Int(0, 3)
    y = Bool()


class Pair(Record):
    on = Bool()
    level = Int(1, 4)


class Outer(Record):
    inner = R
    n = Int(0, 3)


def one_of(spec):
    return spec.a if spec.n > 1 else spec.b


class Generated(Spec):
    may_terminate = True

    def variables(self):
        self.a = R.of(init=R(x=1, y=True))
        self.b = R
        self.n = Int(0, 3, init=AnyOf())
        self.wide = Int(0, 2**40)
        self.arr = Array(2, R)
        self.solo = Array(1, R)
        self.seq = Seq(R, 3, init=[R(x=1, y=True), R(x=2, y=False)])
        self.q = Seq(Int(0, 3), 3, init=[1, 2])
        self.o = Option(R, init=R(x=2, y=True))
        self.queues = Array(2, Seq(R, 2, init=[R(x=1, y=True), R(x=2, y=True)]))
        self.m = Map(["k", "l"], Int(0, 3))
        self.s = Set(Int(0, 3), init={1})
        self.outer = Outer
        self.rows = Seq(Pair, 3, init=[Pair(on=True, level=1), Pair(on=True, level=4)])
        self.small = Seq(Option(Bool()), 1, init=[True])
"""

ACTIONS = {
    "records are swapped": """
        self.a, self.b = self.b, self.a
    """,
    "elements are swapped": """
        self.arr[0].x = self.n
        self.arr[0], self.arr[1] = self.arr[1], self.arr[0]
    """,
    "elements at symbolic places are swapped": """
        self.arr[0].x = 2
        i, j = self.n % 2, self.q[0] % 2
        self.arr[i], self.arr[j] = self.arr[j], self.arr[i]
    """,
    "sequences are swapped": """
        self.queues[0].popleft()
        self.queues[0], self.queues[1] = self.queues[1], self.queues[0]
    """,
    "a record is held while its variable is assigned": """
        held = self.a
        self.a = self.b
        held.x = 3
        self.n = held.x
    """,
    "two names of one record that is replaced": """
        one, two = self.arr[0], self.arr[0]
        self.arr[0] = R(x=2, y=True)
        one.x = 3
        self.n = two.x
    """,
    "the payload of an option is held while it is set to None": """
        held = self.o
        require(held is not None)
        self.o = None
        held.x = 3
        self.n = held.x
    """,
    "an element is held while one at a symbolic place is assigned": """
        held = self.arr[0]
        require(self.n < 2)
        self.arr[self.n] = R(x=2, y=True)
        held.x = 3
        self.n = held.x
    """,
    "an array of one element and its element": """
        array, element = self.solo, self.solo[0]
        self.solo[0] = R(x=2, y=True)
        element.x = 3
        self.n = array[0].x
    """,
    "an element of a sequence at a symbolic place is held while the sequence shifts": """
        require(self.n < 2)
        held = self.queues[self.n][1]
        self.queues[self.n].popleft()
        held.x = 3
    """,
    "an element is held while it is popped": """
        held, popped = self.seq[-1], self.seq.pop()
        held.x = 3
        self.n = popped.x
    """,
    "an element is held while another one is inserted": """
        held = self.seq[self.q[0] % 2]
        self.seq.insert(self.q[0] % 3, R(x=0, y=True))
        held.x = 3
    """,
    "an element is held while the sequence is cleared": """
        held = self.seq[0]
        self.seq.clear()
        self.n = held.x
    """,
    "a loop takes from the sequence that it runs over": """
        for item in self.seq:
            self.seq.popleft()
            self.n = item.x
    """,
    "a loop assigns the array that it runs over": """
        for item in self.arr:
            self.arr = [R(x=3, y=True), R(x=3, y=True)]
            item.x = 1
    """,
    "a loop assigns values of the map that it runs over": """
        for value in self.m.values():
            self.m["l"] = 2
            self.n = value
    """,
    "a merged record is assigned": """
        (self.a if self.n > 1 else self.b).x = 3
    """,
    "a merge of a record of the state and a new one is assigned": """
        either = self.a if self.n > 1 else R(x=0, y=False)
        either.x = 3
        self.b = either
    """,
    "a merge of two new records is assigned": """
        one, two = R(x=0, y=True), R(x=1, y=False)
        (one if self.n > 1 else two).x = 3
        self.a, self.b = one, two
    """,
    "a merge of an array with itself is assigned": """
        (self.arr if self.n > 1 else self.arr)[0].x = 3
    """,
    "a helper returns a part of the state": """
        one_of(self).x = 3
    """,
    "a sequence becomes an array": """
        self.arr = self.seq
    """,
    "an array becomes a sequence": """
        self.seq = self.arr
    """,
    "a sequence becomes a set": """
        self.s = self.q
    """,
    "a set is changed in place": """
        held = self.s
        self.s |= {2, self.n}
        self.s -= {1}
        self.s &= held
        self.n = len(held)
    """,
    "a record class as a field": """
        self.outer.inner.x += 1
        self.a = self.outer.inner
    """,
    "a condition on all elements has parts that look like a bound of the length": """
        require(any(row.on and row.level == 4 for row in self.rows))
        self.n = 0
    """,
    "flags and numbers of one bit lie side by side": """
        require(True not in self.small)
        self.n = 0
    """,
    "a map of names is asked for a number": """
        self.n = self.m[self.n]
    """,
}


def spec_text(body: str) -> str:
    """A spec with one action."""
    return f"{HEAD}{STATE}\n    @action\n    def go(self):\n{textwrap.indent(textwrap.dedent(body).strip(), ' ' * 8)}\n"


@pytest.mark.parametrize("name", ACTIONS)
def test_readers_agree_where(name: str, tmp_path: Path) -> None:
    found = agree(load(spec_text(ACTIONS[name]), tmp_path))
    assert found.successors + found.errors > 0


def test_a_set_is_not_compared_with_a_list(tmp_path: Path) -> None:
    """the step fails, as it does in Python"""
    found = agree(load(spec_text("require(self.s <= [2, self.n])"), tmp_path))
    assert found.errors > 0 and not found.successors


def test_a_property_cannot_require(tmp_path: Path) -> None:
    text = (
        spec_text("self.n = 0")
        + """
    @invariant
    def guarded(self):
        require(self.n > 0)
        return all(v > 0 for v in self.q)
"""
    )
    spec = load(text, tmp_path)
    with pytest.raises(EverystateError, match="E221"):
        build(spec)
    with pytest.raises(EverystateError, match="E221"):
        spec.property_holds("guarded", spec.initial_states()[0])


CATCHING = """
from everystate.checker import *


class Generated(Spec):
    def variables(self):
        self.n = Int(0, 9)

    @action
    def up(self):
        try:
            require(self.n < 3)
        except Exception:
            self.n = 0
        self.n += 1
"""


def test_who_catches_exceptions_catches_no_guard(tmp_path: Path) -> None:
    """plain Python went on where a guard had failed: a deadlock was none"""
    found = python.check(load(CATCHING, tmp_path))
    assert [(violation.kind, violation.length) for violation in found.violations] == [("deadlock", 3)]


def test_a_number_that_does_not_fit_a_machine_word_is_refused(tmp_path: Path) -> None:
    spec = load(spec_text("require(self.wide * self.wide > 0)"), tmp_path)
    with pytest.raises(EverystateError, match="E215") as found:
        build(spec)
    assert "does not fit a machine word" in found.value.why or "does not fit a machine word" in str(found.value)


def test_the_left_side_of_an_implication_is_compared_only_where_the_property_has_a_value(tmp_path: Path) -> None:
    """The value of 6 // 0 is unspecified: it is an error of the property."""
    text = (
        STATE
        + """
    @action(n=range(4))
    def go(self, n):
        self.n = n

    @invariant
    def p(self):
        return implies(6 // self.n > 2, self.n < 3)
"""
    )
    agree(load(HEAD + text, tmp_path))


def test_an_index_is_checked_whatever_the_number_of_its_cell_is(tmp_path: Path) -> None:
    """A shortcut for constants took a variable for one: a planted mistake that no other test noticed."""
    text = """

class Generated(Spec):
    may_terminate = True

    def variables(self):
        self.n = Int(-4, 5, init=AnyOf())
        self.q = Seq(Int(0, 3), 3, init=[1, 2, 3])
        self.a = Array(3, Int(0, 3))

    @action
    def go(self):
        self.a[self.n] = self.q[self.n]
"""
    assert agree(load(HEAD + text, tmp_path)).errors > 0


def test_a_choice_offers_equal_values_of_one_class_once(tmp_path: Path) -> None:
    """A member of an enum in the code and one in the state were never taken for equal, nor two values that are None."""
    text = """

class Color(enum.Enum):
    RED = 1
    GREEN = 2


class Generated(Spec):
    may_terminate = True

    def variables(self):
        self.a = Array(2, Option(Enum(Color)), init=AnyOf())
        self.n = Int(0, 1, init=AnyOf())
        self.on = Bool(init=AnyOf())
        self.got = Enum("color", "number", "boolean", "none")

    @action
    def go(self):
        found = choose([*self.a, Color.RED, self.n, 1, self.on, True, None])
        if found is None:
            self.got = "none"
        elif isinstance(found, bool):
            self.got = "boolean"
        else:
            self.got = "color" if isinstance(found, Color) else "number"
"""
    assert agree(load(HEAD + text, tmp_path)).successors > 100
