# ruff: noqa: E501
"""What may be None means what it means in Python, wherever it goes, and forks only where Python must know which."""

from __future__ import annotations

from pathlib import Path

import pytest

from everystate.checker.errors import EverystateError
from everystate.checker.ir.model import build
from tests.agreement.readers import agree, load

from .test_merging import PLACES, STATEMENT, source, ways_of

HEAD = '''
import enum, operator
from collections import defaultdict
from functools import partial
from everystate.checker import *


class Kind(enum.Enum):
    A = 1
    B = 2


class Cell(Record):
    held = Option(Int(0, 2))
    on: bool = Bool()

    def empty(self):
        return self.held is None


class Fussy(Record):
    def __init__(self, held):
        super().__init__(held=held, none=held is None)


class Holder:
    def __init__(self, spec):
        self.spec = spec


@pure
def known(option, otherwise):
    return otherwise if option is None else option


def empty(option):
    return option is None


def absent(first, option):
    return option is None


@pure
def compared(first, option):
    return option == 1


@pure
def first_absent(pair):
    return pair[0] is None


class Bag:
    def __init__(self, called=None):
        self.called = called

    def change(self, called):
        self.called = called


def pairs(values):
    return [(0, [value]) for value in values]


class Box:
    """It says what it is equal to by asking what Python answers by itself."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value if other is None else other == 1


OWN_EQUALITY


class Generated(Spec):
    may_terminate = True

    def variables(self):
        self.a = Option(Int(0, 3))
        self.b = Option(Int(1, 4), init=2)
        self.c = Array(3, Option(Int(0, 3)), init=[None, 1, None])
        self.d = Array(3, Option(Int(0, 3)))
        self.t = Map(["x", "y"], Option(Bool()))
        self.k = Option(Enum(Kind))
        self.m = Option(Enum("red", "green"))
        self.w = Option(Enum("green", "red", "blue"))
        self.cell = Cell.of()
        self.cells = Array(2, Cell.of())
        self.q = Seq(Option(Int(0, 2)), 3, init=[None, 1])
        self.f = Option(Bool())
        self.n = Int(0, 3)
        self.out = Bool()
        self.four = (5, 6, 7, 8)

    def unknown(self, value):
        return value is None

    def seen(self, value):
        held = [value, 3]
        return held[0] is None
'''
PLAIN = HEAD.replace(
    '''class Box:
    """It says what it is equal to by asking what Python answers by itself."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value if other is None else other == 1


''',
    "",
).replace("OWN_EQUALITY", "")

CONDITIONS = {
    "equals a number": "self.a == 1",
    "a number equals it": "1 == self.a",
    "equals None": "self.a == None",
    "None equals it": "None != self.c[self.n % 3]",
    "two of them": "self.a == self.b",
    "two elements": "self.c[0] != self.c[self.n % 3]",
    "equals a number of the state": "self.n == self.a or self.b != self.n",
    "a value of a map": "self.t['x'] == True",
    "values of a map": "self.t['x'] == self.t['y']",
    "an enum": "self.k == Kind.B",
    "enums of two domains": "self.m == self.w",
    "a text": "'red' == self.m",
    "a field": "self.cell.held == 2",
    "a field and another": "self.cell.held == self.a",
    "the first": "self.q.first == 1",
    "a truth": "self.f == True",
    "a truth and a number": "self.f == self.a",
    "is None": "self.a is None",
    "is not None, as a number then": "self.a is not None and self.a + 1 > 2",
    "an index once it is known": "self.a is not None and self.a < 3 and self.c[self.a] == 1",
    "known by a comparison": "self.a == 2 and self.a is not None and self.a + self.n == 3",
    "known otherwise": "self.b != None and self.four[self.b - 1] == 6",
    "a merge is compared": "If(self.f == True, self.a, self.b) == 2",
    "a merge with None is compared": "If(self.out, None, self.a) == None",
    "a merge of a value and None": "If(self.out, self.n, None) != 2",
    "a merge in a merge": "If(self.out, If(self.f == None, self.a, 1), self.b) == 1",
    "a merge is None": "If(self.out, self.a, self.b) is None",
    "a merge of None is None": "If(self.out, None, 1) is not None",
    "as a condition": "If(self.a, True, False)",
    "given to a function": "self.unknown(self.a)",
    "a merge given to a function": "self.unknown(If(self.out, self.a, None))",
    "held in a list": "self.seen(self.c[0])",
    "held in a list that is merged": "If(self.out, [self.a], [self.b])[0] is None",
    "slices that are merged": "If(self.out, self.c[0:2], self.d[0:2])[0] is None",
    "merged by map": "list(map(If, [self.out], [self.a], [self.b]))[0] is None",
    "merged by map and merged": "If(self.out, list(map(If, [True], [self.a], [None])), [1])[0] is None",
    "a function that takes it": "operator.eq(self.a, None) or operator.eq(self.c[0], 1)",
    "a keyword": "If(condition=self.out, then=self.a, otherwise=None) is None",
    "named first": "(x := self.a) is None or x == 1",
    "merged and named": "(x := If(self.out, self.a, None)) is None or x > 1",
    "compared in a chain": "self.b == self.a == 2",
    "compared behind an or": "(self.out or self.a) == 1",
    "in a list": "self.a in [None, 2]",
    "in a tuple": "(self.a, self.b) == (None, 2)",
    "a key": "{None: True, 0: False, 1: True, 2: False, 3: True}[self.a]",
    "as a text": "str(self.a) == 'None' or f'{self.b}' == '3'",
    "a truth of its own": "not self.f",
    "arrays": "self.c == self.d or self.c == [None, 1, None]",
    "arrays compared": "self.c == self.d",
    "a walk": "[o for o in self.c if o is not None] == [1]",
    "all of them": "all_of(o is None or o > 0 for o in self.c)",
    "by a predicate": "any_of(self.c, lambda o: o == None)",
    "how many": "count(self.c[i] == self.d[i] for i in range(3)) == 2",
    "a record of them": "self.cell == Cell(held=None, on=False)",
    "isinstance": "isinstance(self.a, int) and self.a > 1",
}
FAILING = {
    "more than None": "self.a + 1 > 2",
    "an index of None": "self.c[self.a] == 1",
    "less than None": "self.a < 2",
    "a merge as a number": "If(self.out, self.a, self.b) > 2",
}
STATEMENTS = {
    "copied": "self.a = self.c[1]",
    "copied into a smaller one": "self.cell.held = self.a",
    "copied into another one": "self.b = self.a",
    "copied into a number": "self.n = self.a",
    "swapped": "self.c[0], self.c[1] = self.c[1], self.c[0]",
    "copied to a symbolic place": "require(self.n < 3)\n        self.c[self.n] = self.d[0]",
    "merged": "self.a = If(self.out, self.c[0], self.d[1])",
    "merged with None": "self.c[2] = If(self.out, None, self.c[2])",
    "merged with a number": "self.a = If(self.c[0] == self.a, self.n, self.a)",
    "merged with a number that does not fit": "self.b = If(self.out, self.n, None)",
    "merged enums": "self.w = If(self.out, self.m, 'blue')",
    "an enum that does not fit": "self.m = self.w",
    "merged truths": "self.f = If(self.out, self.t['x'], None)",
    "a whole array": "self.c = self.d",
    "appended": "self.q.append(self.cell.held)",
    "kept in an object that is no state": "box = lambda: None\n        box.a = self.a\n        self.out = box.a is None",
    "kept in a dictionary at a place of the state": "box = {}\n        box[self.c[0] is None] = self.a\n        self.out = None in box.values()",
    "kept in a list beside a variable": "box = [[1], self.c]\n        box[0][0] = self.a\n        self.out = box[0][0] is None",
    "kept in a part of a variable": "require(self.n < 3)\n        self.c[(self.n + 1) % 3] = self.a",
    "kept in a list that a variable makes": "x = self.four + (1,)\n        box = [*x]\n        box[0] = self.a\n        self.out = box[0] is None",
    "kept in a dictionary": "box = {}\n        box[0] = self.a\n        self.out = box[0] is None",
    "kept in a name": "x = self.a\n        self.a = 3\n        self.out = x is None",
    "merged, kept in a name": "x = If(self.out, self.a, 1)\n        self.out = x is None",
    "held in a loop": "for i, o in enumerate(self.c):\n            self.d[i] = o",
    "all in a loop": "for i in range(3):\n            self.c[i] = If(self.c[i] == self.a, None, self.d[i])",
    "a name that is asked as well": "x = self.a\n        self.b = x\n        self.out = x is None",
    "another name for it": "x = self.a\n        y = x\n        self.a = 1\n        self.out = y is None",
    "a name inside another function": "x = self.a\n        f = lambda: x is None\n        self.out = f()",
    "a name that is lent": "x = self.a\n        self.out = empty(x)",
    "a name that is merged by something else": "x = self.a\n        merge = If\n        merge = lambda c, t, o: t is None\n        self.out = merge(True, x, 1)",
    "a name in a changed self": "spec = self\n        x = self.a\n        self = Holder(self)\n        self.a = x\n        spec.out = self.a is None",
    "a name that is one of two": "x = self.a if self.out else self.b\n        self.out = x is None",
    "a name in the next round": "x = 1\n        for i in range(3):\n            self.out = x is None\n            x = self.c[i]",
    "swapped with a list": "box = [5, 6]\n        box[0], self.b = self.a, 2\n        self.out = box[0] is None",
    "swapped with an object": "box = lambda: None\n        self.n, box.a = 1, self.a\n        self.out = box.a is None",
    "swapped with itself": "self.c[0], self.c[self.c[0] == None] = self.c[1], self.c[0]",
    "swapped by name": "x = self.a\n        self.a = self.d[1]\n        self.d[1] = x",
    "three in a circle": "self.c[0], self.c[1], self.c[2] = self.c[1], self.c[2], self.c[0]",
    "swapped with a field": "self.cell.held, self.q[0] = self.q[0], self.cell.held",
    "swapped, not all fit": "self.a, self.b = self.b, self.a",
    "swapped records": "self.cell, self.cells[self.n % 2] = self.cells[self.n % 2], self.cell",
    "a record copied": "self.cells[1] = self.cell\n        self.cell.held = 1",
    "records compared": "self.out = self.cell == self.cells[1]",
    "records merged": "self.cells[0] = If(self.out, self.cell, self.cells[1])",
    "a record made of it": "self.cell = Cell(held=self.cells[0].held, on=True)",
    "a record made, and compared": "self.out = self.cell == Cell(held=self.a, on=self.out)",
    "a record made, of what does not fit": "self.cell = Cell(held=self.b, on=True)",
    "a record made, and asked": "r = Cell(held=self.a, on=True)\n        self.out = r.held is None or r.empty()",
    "a record made, changed and asked": "r = Cell(held=self.a, on=True)\n        r.held = self.b\n        self.a = 1\n        self.out = r.held is None",
    "a record made by its own class": "self.out = Fussy(self.a).none",
    "a record made, of which there are two": "r = If(self.out, Cell(held=self.a, on=True), self.cell)\n        r.held = self.t['x'] == None\n        self.out = r.held is None",
    "records made, one of two": "r = If(self.out, Cell(held=self.a, on=True), Cell(held=1, on=False))\n        self.out = r.empty()\n        r.held = self.b\n        self.out = r.empty() or self.out",
    "a field that is not there": "r = Cell(held=self.a, on=True)\n        self.out = hasattr(r, 'held') and r.on",
    "given to a @pure helper": "self.n = known(self.a, known(self.b, 0)) % 4",
    "given to a @pure helper by name": "self.n = known(otherwise=self.n, option=self.a)",
    "walked": "for o in self.c:\n            self.out = o is None",
    "walked and merged": "for o in self.c:\n            self.d[0] = If(o == None, self.d[0], o)",
    "counted": "for i, o in enumerate(self.c):\n            self.out = o is None",
    "counted and stored": "for i, o in enumerate(self.c):\n            self.d[2 - i] = If(self.out, self.a, o)",
    "counted from two": "for i, o in enumerate(self.c, 2):\n            self.out = o is None",
    "walked by something else": "enumerate = pairs\n        for i, o in enumerate(self.c):\n            self.out = o[0] is None",
    "walked in pairs": "for o, p in zip(self.c, self.d):\n            self.out = o is None or p == None",
    "a default of a function inside": "x = self.a\n        def f(v=x): return v is None\n        self.out = f()",
    "named in an expression": "self.out = (x := self.a) == 1 and x is None",
    "two names at once": "x, y = self.a, self.b\n        self.a = y\n        self.out = x is None",
    "two names, swapped and asked": "x, y = self.b, self.a\n        x, y = y, x\n        self.out = x is None",
    "a name that is given another value": "x = self.a\n        x = x if self.out else 1\n        self.out = x is None",
    "names that go round": "x = self.a\n        for i in range(3):\n            y = x\n            x = y\n        self.out = x is None",
    "a name from a loop that may end early": "for o in self.c:\n            if o == 1: break\n        else:\n            o = None\n        self.out = o is None",
    "listed": "xs = [self.c[i] for i in range(3)]\n        self.out = xs[2] is None",
    "a record made, stored and changed": "r = Cell(held=self.a, on=True)\n        self.cells[1] = r\n        r.held = None\n        self.out = self.cells[1].held is None",
    "a record made, of two names": "r = Cell(held=self.a, on=True)\n        s = r\n        s.held = None\n        self.out = r.held is None",
    "a record made, and extended": "r = Cell(held=self.a, on=False)\n        r.extra = self.b\n        self.out = r.extra is None",
    "a record made, and matched": "match Cell(held=self.a, on=True):\n            case Cell(held=None): self.out = True\n            case Cell(held=1): self.n = 0\n            case _: self.n = 3",
    "matched": "match self.a:\n            case None: self.out = True\n            case 1: self.n = 0\n            case x: self.n = x",
    "given to a @pure helper in a tuple": "self.n = known(*(self.a, 1))",
    "counted in pairs": "for t in enumerate(self.c):\n            if t[1] is None: self.n = t[0]",
    "two walked and swapped": "for i, (o, p) in enumerate(zip(self.c, self.d)):\n            self.c[i], self.d[i] = p, o",
    "swapped within a list": "box = [self.c, self.d]\n        box[0][1], box[1][1] = box[1][1], box[0][1]",
    "swapped under another name of the spec": "s = self\n        s.c[0], s.c[1] = s.c[1], s.c[0]",
    "four in a circle": "self.c[0], self.c[1], self.c[2], self.a = self.a, self.c[0], self.c[1], self.c[2]",
    "fields swapped at symbolic places": "i = self.n % 2\n        self.cells[i].held, self.cells[1 - i].held = self.cells[1 - i].held, self.cells[i].held",
    "records made by functions": "r = If(self.out, lambda: Cell(held=self.a, on=True), lambda: Cell(held=None, on=True))\n        self.out = r.held is None",
    "known, then an index": "require(self.a != None)\n        require(self.a < 3)\n        self.c[self.a] = self.b",
}
ASIDE = {
    "a callee that is named anew beside it": "f = absent\n        self.out = f((f := compared), self.a)",
    "If, named beside it": "f = lambda c, t, o: t is None\n        self.out = f((f := If), self.a, self.b)",
    "a callee of an object that changes": "h = Bag(absent)\n        self.out = h.called(h.change(compared), self.a)",
    "a callee of an object named anew": "h = Bag(absent)\n        self.out = h.called((h := Bag(compared)), self.a)",
    "a self that another function changes": "spec = self\n        def change():\n            nonlocal self\n            self = Bag()\n            return self\n        def go():\n            x = self.a\n            h = change()\n            self.a = x\n            return h.a is None\n        spec.out = go()",
    "kept by a dictionary that merges": "d = defaultdict(partial(If, self.out, 1, None))\n        d[0] == 2\n        self.out = d[0] is None",
    "kept by a dictionary that reads": "d = defaultdict(partial(operator.getitem, self.c, 0))\n        d[0] == 2\n        self.out = d[0] is None",
    "two names, given at once": "x = self.a\n        n = self.n\n        self.out = absent(n, x)",
    "two names, listed at once": "x = self.a\n        n = self.n\n        self.out = [n, x][1] is None",
    "a pair of a property": "self.out = first_absent(self.both)",
    "a pair of a property, merged": "self.out = If(self.out, self.both, (None, 1))[0] is None",
    "a pair of a property, in a record": "self.out = Cell(held=self.both, on=True).held[0] is None",
}
"""What is taken at its name, and is something else: each in a spec of its own."""
MERGED = ["copied", "merged", "merged with None", "merged with a number", "merged enums", "all in a loop"]
MERGED += [
    "swapped",
    "swapped by name",
    "three in a circle",
    "held in a loop",
    "walked and merged",
    "counted and stored",
]
MERGED += ["swapped with itself", "swapped records", "a record copied", "records compared", "records merged"]
MERGED += ["a record made of it", "a record made, and compared", "given to a @pure helper"]


def test_options_mean_what_they_mean_in_python(tmp_path: Path) -> None:
    tally = agree(load(source(CONDITIONS, PLAIN), tmp_path), most=30)
    assert (tally.states, tally.untraced) == (30, {})


def test_options_fail_where_python_fails(tmp_path: Path) -> None:
    text = source(FAILING, PLAIN, initial=False)
    text += "".join(STATEMENT.format(i=i, text=t) for i, t in enumerate(STATEMENTS.values()))
    tally = agree(load(text, tmp_path), most=40)
    assert (tally.states, tally.untraced) == (40, {})
    assert tally.errors > 40


@pytest.mark.parametrize("name", ASIDE)
def test_what_a_name_stood_for_when_a_value_was_read(name: str, tmp_path: Path) -> None:
    both = '    both = property(operator.attrgetter("a", "b"))\n\n    def unknown('
    head = PLAIN.replace("    def unknown(", both) if "both" in ASIDE[name] else PLAIN
    assert agree(load(head + STATEMENT.format(i=0, text=ASIDE[name]), tmp_path), most=20).untraced == {}


def test_an_object_with_an_equality_of_its_own_sees_none(tmp_path: Path) -> None:
    conditions = {"left": "Box(True) == self.a", "right": "self.a == Box(True)", "both": "self.b != self.a"}
    head = HEAD.replace("OWN_EQUALITY", "")
    assert agree(load(source(conditions, head), tmp_path), most=20).untraced == {}


@pytest.mark.parametrize("name", MERGED)
def test_what_is_merged_or_copied_does_not_fork(name: str, tmp_path: Path) -> None:
    text = PLAIN + STATEMENT.format(i=0, text=STATEMENTS[name])
    assert ways_of(build(load(text, tmp_path)), "statement_0") == 1


@pytest.mark.parametrize(
    "name", ["equals None", "two elements", "an enum", "a merge with None is compared", "arrays compared"]
)
def test_what_is_compared_does_not_fork(name: str, tmp_path: Path) -> None:
    text = PLAIN + PLACES.format(i=0, condition=CONDITIONS[name])
    assert ways_of(build(load(text, tmp_path)), "value_0") == 1


EIGHT = """
        self.eight = Array(8, Option(Int(0, 3)), init=[None, 1, None, 3, 2, None, None, 0])

    @action
    def statement_0(self):
        require(self.n == 0)
        for i in range(8):
            {statement}
"""


@pytest.mark.parametrize(
    ("statement", "ways"),
    [
        ("if self.eight[i] is None: self.eight[i] = 1", 257),
        ("self.eight[i] = If(self.eight[i] == None, 1, self.eight[i])", 2),
        ("self.eight[i], self.eight[7 - i] = self.eight[7 - i], self.eight[i]", 2),
        ("self.n = (self.n + known(self.eight[i], 0)) % 4", 2),
        ("self.n = If(self.eight[i] == None, self.n, lambda: (self.eight[i] + i) % 4)", 2),
    ],
)
def test_eight_of_them(statement: str, ways: int, tmp_path: Path) -> None:
    """an `if` is control flow, and forks; nothing else multiplies"""
    head = PLAIN.replace("        self.four = (5, 6, 7, 8)\n", "        self.four = (5, 6, 7, 8)" + EIGHT)
    spec = load(head.format(statement=statement), tmp_path)
    assert ways_of(build(spec), "statement_0") == ways
    assert agree(spec, most=12).untraced == {}


@pytest.mark.parametrize(
    "made", ["Cell(held=self.a, on=True)", "If(self.out, Cell(held=1, on=True), Cell(held=2, on=True))"]
)
def test_a_predicate_that_changes_a_record_is_refused(made: str, tmp_path: Path) -> None:
    """It would change it once for every path."""
    head = PLAIN.replace(
        "def empty(option)", "def change(record):\n    record.held = 0\n    return 0\n\n\ndef empty(option)"
    )
    text = f"r = {made}\n        x = If(self.n > 1, lambda: change(r), 0)\n        self.out = r.held == x"
    with pytest.raises(EverystateError) as caught:
        build(load(head + STATEMENT.format(i=0, text=text), tmp_path))
    assert caught.value.code == "E233"
