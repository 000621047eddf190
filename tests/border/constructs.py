"""Python constructs as conditions on a state: what an author might write, sensible or hostile.

Each is an expression over `self` that is true in few states of the space of `SPEC`. `outcome` is "same" where the
compiled spec says what plain Python says, else the code of the error with which it is refused.
"""

from __future__ import annotations

from dataclasses import dataclass

SPEC = '''
import abc, collections, copy, enum, functools, math, numbers, operator, pickle, random, statistics, time
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from everystate.checker import *


class Kind(enum.Enum):
    A = 1
    B = 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 7


class Point(NamedTuple):
    x: int
    y: int


@dataclass
class Box:
    value: object


class Cell(Record):
    seen: bool = Bool()
    count: int = Int(0, 20)


SEVEN = 7
LOG = []
COUNTER = iter(range(10**9))
type_of = type
ANSWERS = {{7: "yes"}}


@functools.singledispatch
def describe(value):
    return "other"


@describe.register
def _(value: int):
    return "number"


@describe.register
def _(value: str):
    return "text"


@functools.lru_cache
def cached(n):
    return n * n


def helper_is(value):
    return value is SEVEN


def helper_matches(value):
    match value:
        case int():
            return True
        case _:
            return False


def matches_true(value):
    match value:
        case True:
            return True
        case _:
            return False


def matches_list(value):
    match value:
        case [7, *rest]:
            return True
        case _:
            return False


def matches_map(value):
    match value:
        case {{"a": 7}}:
            return True
        case _:
            return False


def matches_cell(value):
    match value:
        case Cell(count=7):
            return True
        case _:
            return False


def swallows(function):
    try:
        return function()
    except Exception:
        return False


def in_finally(function):
    try:
        return function()
    finally:
        return False


def remember(value, seen=[]):
    seen.append(1)
    return len(seen) < 0


def generate(n):
    for i in range(n):
        yield i


class Generated(Spec):
    """A counter, and what can be told from it."""

    kinds = staticmethod(type)

    def variables(self):
        self.n = Int(0, 20)
        self.flag = Bool()
        self.mode = Enum("idle", "busy")
        self.kind = Enum(Kind)
        self.level = Enum(Level)
        self.queue = Seq(Int(0, 20), 2, init=[0])
        self.pair = Array(2, Int(0, 20))
        self.some = Set(range(21))
        self.table = Map(["a", "b"], Int(0, 20))
        self.cell = Cell.of()
        self.maybe = Option(Int(0, 20))
        self.text = "seven"

    @action
    def up(self):
        require(self.n < 20)
        {guard}
        self.n += 1
        seven = self.n == 7
        self.flag = seven
        self.mode = If(seven, "busy", "idle")
        self.kind = If(seven, Kind.B, Kind.A)
        self.level = If(seven, Level.HIGH, Level.LOW)
        self.queue[0] = self.n
        self.pair[0] = self.n
        self.some.clear()
        self.some.add(self.n)
        self.table["a"] = self.n
        self.cell.count = self.n
        self.cell.seen = seven
        if seven:
            self.maybe = 7
        else:
            self.maybe = None

    def bad(self):
        return {bad}

{property}
'''

PROPERTIES = {
    "invariant": "    @invariant\n    def fine(self):\n        return not self.bad()\n",
    "step": "    @step_invariant\n    def fine(self, before):\n        return not self.bad()\n",
    "reachable": "    @reachable\n    def fine(self):\n        return True if self.bad() else False\n",
    "leads": "    @leads_to\n    def fine(self):\n        return (True if self.bad() else False), self.n == 100\n",
    "guard": "    @reachable\n    def fine(self):\n        return self.n == 20\n",
}


@dataclass(frozen=True)
class Construct:
    """One condition and what becomes of it."""

    bad: str
    outcome: str = "same"


def same(*conditions: str) -> list[Construct]:
    """Conditions whose verdict is that of plain Python."""
    return [Construct(c) for c in conditions]


def refused(code: str, *conditions: str) -> list[Construct]:
    """Conditions that are refused with a code."""
    return [Construct(c, code) for c in conditions]


CONSTRUCTS = [
    *same(
        "self.n == 7",
        "isinstance(self.n, int) and self.n == 7",
        "not isinstance(self.n, int)",
        "isinstance(self.flag, bool) and self.flag",
        "isinstance(self.n, bool)",
        "isinstance(self.mode, str) and self.mode == 'busy'",
        "isinstance(self.kind, Kind) and self.kind == Kind.B",
        "isinstance(self.queue, list) and self.n == 7",
        "isinstance(self.some, set) and self.n == 7",
        "isinstance(self.table, dict) and self.n == 7",
        "isinstance(self.n, numbers.Integral) and self.n == 7",
        "isinstance(self.n, collections.abc.Iterable)",
        "isinstance(self.queue, collections.abc.Sequence) and self.n == 7",
        "isinstance(self.kind, collections.abc.Iterable)",
        "isinstance(self.mode, collections.abc.Iterable) and self.n == 7",
        "describe(self.n) == 'number' and self.n == 7",
        "describe(self.mode) == 'text' and self.n == 7",
        "helper_matches(self.n) and self.n == 7",
        "matches_list(self.queue)",
        "matches_list(self.pair)",
        "matches_map(self.table)",
        "matches_cell(self.cell)",
        "str(self.n) == '7'",
        "repr(self.n) == '7'",
        "format(self.n, '03d') == '007'",
        "f'{{self.n}}' == '7'",
        "f'{{self.n!r:>3}}' == '  7'",
        "'%d' % self.n == '7'",
        "'%s' % self.flag == 'True'",
        "'{{}}'.format(self.mode) == 'busy'",
        "f'{{self.mode}}' == 'busy'",
        "len(str(self.n)) == 1 and self.n == 7",
        "''.join(str(i) for i in [self.n, self.n]) == '77'",
        "str(self.kind) == 'Kind.B'",
        "self.mode.upper() == 'BUSY'",
        "self.mode + 'x' == 'busyx'",
        "self.mode[0] == 'b'",
        "'u' in self.mode",
        "len(self.mode) == 4 and self.n == 7",
        "self.mode < 'c'",
        "bool(self.mode) and self.n == 7",
        "self.kind.name == 'B'",
        "self.kind.value == 2",
        "self.level == 7",
        "self.level > 3",
        "self.level + 1 == 8",
        "self.level == self.n",
        "int(self.level) == 7",
        "self.n == 7.0",
        "self.n > 6.5 and self.n < 7.5",
        "self.n == 7 + 0j",
        "self.n == Fraction(14, 2)",
        "Fraction(self.n, 7) == 1",
        "float(self.n) == 7.0",
        "complex(self.n) == 7",
        "int(self.n) == 7",
        "bool(self.flag)",
        "round(self.n) == 7",
        "round(self.n, -1) == 10",
        "divmod(self.n, 7) == (1, 0)",
        "math.floor(self.n) == 7",
        "math.sqrt(self.n) == math.sqrt(7)",
        "math.isqrt(self.n) == 2",
        "operator.eq(self.n, 7)",
        "operator.index(self.n) == 7",
        "operator.itemgetter(0)(self.queue) == 7",
        "functools.reduce(operator.add, [self.n, self.n]) == 14",
        "self.n.bit_length() == 3",
        "self.n.real == 7",
        "hasattr(self.n, 'bit_length') and self.n == 7",
        "hasattr(self.n, 'append')",
        "hasattr(self.n, 'term')",
        "callable(self.n)",
        "getattr(self, 'n') == 7",
        "ANSWERS.get(self.n) == 'yes'",
        "self.n in ANSWERS",
        "self.n in {{7, 8}}",
        "{{self.n: 1}} == {{7: 1}}",
        "(self.n, self.flag) == (7, True)",
        "[self.n] == [7]",
        "self.queue == [7]",
        "[7] == self.queue",
        "Point(self.n, 0) == Point(7, 0)",
        "Box(self.n) == Box(7)",
        "repr(Box(self.n)) == 'Box(value=7)'",
        "copy.copy(self.n) == 7",
        "copy.deepcopy([self.n]) == [7]",
        "cached(self.n) == 49",
        "sorted([self.n, 3, 20])[1] == 7",
        "max(self.n, 6) == 7",
        "sum([self.n, 1]) == 8",
        "collections.Counter([self.n])[7] == 1",
        "Kind(self.n % 7 + 1) == Kind.B and self.n == 1",
        "self.maybe is not None",
        "self.maybe is None and self.n == 7",
        "self.maybe == 7",
        "None == self.maybe and self.n == 7",
        "list(generate(self.n)) == [0, 1, 2, 3, 4, 5, 6]",
        "self.table.keys() == {{'a', 'b'}} and self.n == 7",
        "7 in self.table.values()",
        "('a', 7) in self.table.items()",
        "self.queue.count(7) == 1",
        "dict(self.table) == {{'a': 7, 'b': 0}}",
        "{{**self.table}} == {{'a': 7, 'b': 0}}",
        "[*self.queue] == [7]",
        "self.some == {{7}}",
        "self.some <= {{7}}",
        "type(self).__name__ == 'Generated' and self.n == 7",
        "super().__init__ is not None and self.n == 7",
        "bytes(self.n) == b'\\0' * 7",
        "'abcdefgh'[self.n % 8] == 'h'",
        "range(20)[self.n - 1] == 6",
        "(self.n if self.n else 0) == 7",
        "[x for x in range(self.n)] == [0, 1, 2, 3, 4, 5, 6]",
        "(lambda v: v == 7)(self.n)",
        "bin(self.n) == '0b111'",
        "chr(self.n) == '\\x07'",
        "'a' * self.n == 'aaaaaaa'",
    ),
    *refused(
        "E230",
        "self.flag is True",
        "self.flag is not False",
        "True is self.flag",
        "self.mode is 'busy'",
        "self.kind is Kind.B",
        "self.n is SEVEN",
        "helper_is(self.n)",
        "any(v is SEVEN for v in [self.n])",
        "(lambda v: v is SEVEN)(self.n)",
        "matches_true(self.flag)",
        "type(self.n) == int and self.n == 7",
        "type(self.n).__name__ != 'int'",
        "type_of(self.n) != int",
        "self.kinds(self.n) != int",
        "self.n.__class__ is not int",
        "self.n.__class__ != int",
        "id(self.n) == id(7)",
        "operator.is_(self.n, SEVEN)",
        "swallows(lambda: self.mode in 'xbusyx')",
        "in_finally(lambda: self.n == 7)",
        "object.__eq__(self.n, 7) == True",
        "dir(self.n) != dir(7)",
        "self.n._term == 7",
        "statistics.mean([self.n, self.n]) == 7",
    ),
    *refused(
        "E231",
        "self.n == '7'",
        "self.n != '7' and self.n == 7",
        "self.n == 7.5",
        "self.n in ('7', '8')",
        "self.n == (7,)",
        "self.queue == (7,)",
        "self.mode == self.n",
        "self.some == [7]",
        "self.n == int",
    ),
    *refused("E212", "self.mode == 'bsy'", "self.mode == 7", "self.kind == Level.HIGH", "self.kind == 2"),
    *refused(
        "E232",
        "random.random() < 0.5 and self.n == 7",
        "random.randint(0, 1) == 1 and self.n == 7",
        "time.time() > 0 and self.n == 7",
        "LOG.append(1) is None and len(LOG) < 0",
        "next(COUNTER) == 10**8",
        "remember(self.n)",
        "hash(self.mode) == hash('busy')",
        "open('/dev/null') is not None and self.n == 7",
        "vars(self.cell)['count'] == 7",
        "self.cell.__dict__.get('count') == 7",
        "eval('self.n == 7')",
        "hash(self) == 7",
        "pickle.dumps(self.n) == pickle.dumps(7)",
        "object.__setattr__(self, 'text', 'x') is None and self.text == 'y'",
        "cached(self) == 7",
        "id and time.perf_counter_ns() > 0 and self.n == 7",
    ),
    *refused("E204", "set(self.some) == {{7}}"),
    *refused("E215", "copy.copy(self.queue) == [7]", "str(self.queue) == '[7]'"),
    *refused(
        "E215", "copy.deepcopy(self.cell).count == 7", "self.n / 7 == 1", "self.n * 0.5 == 3.5", "repr(self.cell) == ''"
    ),
]

PLACES = {
    "eventually": ("pass", "    @eventually\n    def fine(self):\n        return True if self.bad() else False\n"),
    "constraint": ("pass", "    @constraint\n    def fine(self):\n        return not self.bad() or self.n == 0\n"),
    "view": ("pass", "    @view\n    def fine(self):\n        return bool(self.bad()), self.n\n"),
    "initial": ("pass", "    @initial\n    def fine(self):\n        require(not self.bad() or self.n == 0)\n"),
    "choose": ("choose([v for v in (0, 1) if v or not self.bad()])", PROPERTIES["guard"]),
    "narrate": ("narrate(f'{bool(self.bad())}')", PROPERTIES["guard"]),
    "pure": ("require(pure(lambda: not self.bad())())", PROPERTIES["guard"]),
}
"""Other places for a condition: what is executed before `up`, and what the spec declares."""
