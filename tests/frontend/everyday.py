# ruff: noqa: E501
"""Everyday Python for the bodies of actions, each on one spec with a variable of every domain."""

from __future__ import annotations

HEAD = '''"""A spec with a variable of every domain."""

import collections
import copy
import dataclasses
import enum
import functools
import itertools
import math
import operator
import os
from collections import Counter
from contextlib import nullcontext
from typing import NamedTuple

from everystate.checker import *

LIMITS = {"idle": 1, "busy": 3}
ORDER = ("idle", "busy")
HOME = os.environ.get("HOME", "")


class Color(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 3

    @property
    def warm(self):
        return self is Color.RED

    def following(self):
        if self is Color.RED:
            return Color.GREEN
        return Color.BLUE


class Level(enum.IntEnum):
    LOW = 0
    MID = 1
    HIGH = 2


class R(Record):
    x = Int(0, 3)
    y = Bool()

    def big(self):
        return self.x > 1

    @property
    def twice(self):
        return self.x * 2

    def bump(self):
        if self.x < 3:
            self.x += 1


class Point(NamedTuple):
    x: int
    y: int

    def far(self):
        return self.x + self.y > 3


@dataclasses.dataclass(frozen=True)
class Pair:
    left: int
    right: int

    def total(self):
        return self.left + self.right


class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y

    def __bool__(self):
        return self.x != 0 or self.y != 0

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return (self.x, self.y)[i]

    def __contains__(self, value):
        return value in (self.x, self.y)

    def __lt__(self, other):
        return (self.x, self.y) < (other.x, other.y)

    def __iter__(self):
        yield self.x
        yield self.y

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def __call__(self, by):
        return self.x * by


def clamp(value, low=0, high=3):
    if value < low:
        return low
    if value > high:
        return high
    return value


def first_over(items, least):
    for i, item in enumerate(items):
        if item > least:
            return i
    return None


def fact(n):
    return 1 if n <= 1 else n * fact(n - 1)


def evens(items):
    for item in items:
        if item % 2 == 0:
            yield item


@functools.cache
def squared(n):
    return n * n


def doubled(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs) * 2

    return inner


@doubled
def one_more(n):
    return n + 1


class Mixin:
    def helped(self, by):
        return clamp(self.n + by, 0, 5)

    @property
    def room(self):
        return 5 - self.n

    @room.setter
    def room(self, value):
        self.n = 5 - value

    @staticmethod
    def least(a, b):
        return a if a < b else b

    @classmethod
    def limit(cls):
        return cls.TOP


class Base(Spec):
    TOP = 5
    may_terminate = True

    def variables(self):
        self.n = Int(0, 5)
        self.m = Int(-2, 3)
        self.b = Bool()
        self.c = Enum("idle", "busy")
        self.color = Enum(Color)
        self.level = Enum(Level)
        self.q = Seq(Int(0, 3), 3)
        self.s = Set(range(4))
        self.a = Array(3, Int(0, 3))
        self.d = Map(["x", "y"], Int(0, 3))
        self.o = Option(Int(0, 3))
        self.r = R.of()
        self.rs = Seq(R, 2)
        self.names = ["idle", "busy"]
        self.weights = {"x": 2, "y": 3}
        self.kinds = {1, 2}

    def size(self):
        return len(self.q)

    def push(self, value):
        require(len(self.q) < 3)
        self.q.append(value)

    @action
    def pushes(self):
        self.push(3)


class Generated(Mixin, Base):
    def size(self):
        return super().size() + 1

'''

ACTIONS = {
    "if and else": "if self.n > 2 and self.b:\n    self.n = 0\nelse:\n    self.n = 1",
    "elif chain": "if self.n == 0:\n    self.m = 1\nelif self.n == 1:\n    self.m = 2\nelif self.b:\n    self.m = 3\nelse:\n    self.m = -1",
    "early return": "if self.b:\n    return\nself.n = 2",
    "early return of two": "if self.b:\n    self.m = 1\n    return\nif self.n > 3:\n    self.m = 2\n    return\nself.m = 3",
    "nested early return": "if self.n > 1:\n    if self.b:\n        return\n    self.m = 1\nself.n = 0",
    "not or": "self.b = not (self.b or self.n > 2)",
    "or of values": "self.n = self.m > 0 and self.n or 3",
    "chained": "self.b = 0 < self.n < 4 <= 5",
    "chained call": "self.b = 0 <= self.m < len(self.q) <= self.n",
    "conditional": "self.n = 1 if self.b else 4",
    "nested conditional": "self.n = 1 if self.b else 2 if self.n > 2 else 3",
    "len": "self.n = len(self.q) + len(self.s) // 4",
    "len of set": "self.n = min(5, len(self.s))",
    "in seq": "self.b = self.n in self.q",
    "not in": "self.b = self.n not in self.q and self.m not in self.s",
    "in set": "self.b = self.n in self.s",
    "in tuple": "self.b = self.n in (1, 3, 4)",
    "in range": "self.b = self.n in range(1, 5, 2)",
    "in plain set": "self.b = self.n in self.kinds",
    "in dict": "self.b = self.c in LIMITS",
    "in text list": "self.b = self.c in self.names",
    "min max": "self.n = max(0, min(self.n, self.m + 2))",
    "min of three": "self.n = min(self.n, 3, self.r.x)",
    "min of array": "self.n = min(self.a)",
    "max of seq with default": "self.n = max(self.q, default=0)",
    "min key": "self.n = min(range(3), key=lambda i: self.a[i])",
    "max key of records": "require(self.rs)\nself.n = max(self.rs, key=lambda r: r.x).x",
    "min of inf": "least = float('inf')\nfor v in self.a:\n    if v < least:\n        least = v\nself.n = least",
    "sum": "self.n = sum(self.a) % 5",
    "sum of conditions": "self.n = sum(v > 1 for v in self.a)",
    "sum of ones": "self.n = sum(1 for v in self.q if v)",
    "sum of set": "self.n = sum(self.s) % 5",
    "any": "self.b = any(v == 2 for v in self.q)",
    "all": "self.b = all(v > 0 for v in self.q)",
    "any nested": "self.b = any(v == w for v in self.q for w in self.a if w)",
    "all of list": "self.b = all([self.b, self.n > 1])",
    "abs": "self.n = abs(self.m)",
    "divmod": "q, r = divmod(self.n, 2)\nself.n = q + r",
    "floor division negative": "self.m = self.m // 2",
    "modulo negative": "self.m = self.m % 3",
    "pow of constants": "self.n = 2 ** 2",
    "sorted values": "self.a = sorted(self.a)",
    "sorted reverse": "self.a = sorted(self.a, reverse=True)",
    "sorted key": "self.n = sorted(range(3), key=lambda i: (self.a[i], i))[0]",
    "sorted set": "self.n = sum(sorted(self.s)[:2]) % 5",
    "reversed": "for v in reversed(self.q):\n    self.n = v\n    break",
    "zip": "self.n = sum(x * y for x, y in zip(self.a, (1, 0, 1))) % 5",
    "enumerate": "for i, v in enumerate(self.a):\n    if v == 3:\n        self.n = i\n        break\nelse:\n    self.n = 5",
    "enumerate seq": "for i, v in enumerate(self.q):\n    if v > 1:\n        self.n = i",
    "for over range": "total = 0\nfor i in range(3):\n    total += self.a[i]\nself.n = total % 6",
    "range of symbol": "for i in range(self.n):\n    if i < 3:\n        self.a[i] = 0",
    "for with continue": "for i in range(3):\n    if self.a[i] == 0:\n        continue\n    self.a[i] -= 1",
    "for with break": "for i in range(3):\n    if self.a[i] == 0:\n        break\n    self.a[i] -= 1",
    "for with return": "for i in range(3):\n    if self.a[i] == 0:\n        self.n = i\n        return\nself.n = 5",
    "for else": "for v in self.q:\n    if v == 3:\n        break\nelse:\n    self.n = 0",
    "nested loops": "for i in range(3):\n    for j in range(i):\n        if self.a[i] < self.a[j]:\n            self.a[i], self.a[j] = self.a[j], self.a[i]",
    "while": "i = 0\nwhile i < 3 and self.a[i] > 0:\n    i += 1\nself.n = i",
    "while true": "i = 0\nwhile True:\n    if i == 3 or self.a[i] == 0:\n        break\n    i += 1\nself.n = i",
    "while pops": "while self.q:\n    self.n = self.q.pop()",
    "while popleft": "while self.q and self.q[0] == 0:\n    self.q.popleft()",
    "while else": "while self.n > 3:\n    self.n -= 1\nelse:\n    self.m = 0",
    "swap": "self.a[0], self.a[1] = self.a[1], self.a[0]",
    "unpack": "x, *rest = self.a\nself.n = x + len(rest)",
    "unpack nested": "(x, y), z = (self.n, self.m), self.b\nself.b = x > y or z",
    "unpack seq": "require(len(self.q) == 2)\nx, y = self.q\nself.n = x + y if x + y < 6 else 0",
    "walrus": "if (k := self.n + self.m) > 2:\n    self.n = min(k, 5)",
    "augmented": "self.n //= 2\nself.m += 1 if self.m < 3 else 0",
    "augmented item": "if self.a[1] < 3:\n    self.a[1] += 1",
    "append": "if len(self.q) < 3:\n    self.q.append(2)",
    "append else": "if self.b and len(self.q) < 3:\n    self.q.append(1)\nelif self.q:\n    self.q.popleft()",
    "pop": "require(self.q)\nself.n = self.q.pop()",
    "pop at": "require(len(self.q) > 1)\nself.n = self.q.pop(1)",
    "pop index of state": "require(self.n < len(self.q))\nself.m = self.q.pop(self.n)",
    "insert": "require(len(self.q) < 3)\nself.q.insert(0, 3)",
    "index": "require(2 in self.q)\nself.n = self.q.index(2)",
    "count": "self.n = self.q.count(1)",
    "clear": "self.q.clear()\nself.s.clear()",
    "extend": "require(not self.q)\nself.q.extend([1, 2])",
    "del item": "require(len(self.q) > 1)\ndel self.q[1]",
    "del index of state": "require(self.n < len(self.q))\ndel self.q[self.n]",
    "remove": "require(1 in self.q)\nself.q.remove(1)",
    "reverse": "self.q.reverse()",
    "sort": "self.q.sort()",
    "slice": "self.q = self.q[1:]",
    "slice end": "self.q = self.q[:2]",
    "slice last": "self.q = self.q[-2:]",
    "slice with state": "self.q = self.q[: self.n]",
    "slice assignment": "self.q[:1] = []",
    "slice assignment of what may be there": "t = [1, 0]\nf = lambda v: t.append(v)\nt[1:] = [v for v in self.s if v > 0]\nf(2)\nself.n = len(t) % 3",
    "list filtered": "self.q = [v for v in self.q if v != 1]",
    "list mapped": "self.q = [3 - v for v in self.q]",
    "list of array": "self.q = [v for v in self.a if v > 1]",
    "list literal": "self.q = [self.r.x, 1]",
    "list concatenation": "require(len(self.q) < 3)\nself.q = self.q + [1]",
    "list copy": "items = list(self.q)\nitems.append(1)\nself.n = len(items)",
    "list built": "found = []\nfor i in range(3):\n    found.append(self.a[i])\nself.a = found[::-1]",
    "list built conditionally": "found = []\nfor v in self.a:\n    if v > 1:\n        found.append(v)\nself.q = found",
    "list index of state": "self.n = [5, 4, 3, 2, 1, 0][self.n]",
    "tuple index of state": "self.c = ORDER[self.n % 2]",
    "dict of state": "self.n = LIMITS[self.c]",
    "dict get": "self.n = LIMITS.get(self.c, 0)",
    "dict of self": "self.n = sum(self.weights.values())",
    "dict literal": "table = {0: 3, 1: 2}\nself.n = table.get(self.n, 0)",
    "dict built": "seen = {}\nfor i in range(3):\n    seen[i] = self.a[i]\nself.n = seen[2]",
    "dict comprehension": "table = {i: self.a[i] for i in range(3)}\nself.n = table[1]",
    "set add": "self.s.add(self.n % 4)",
    "set discard": "self.s.discard(1)",
    "set remove": "require(1 in self.s)\nself.s.remove(1)",
    "set union": "self.s = self.s | {1, 2}",
    "set difference": "self.s -= {self.n}",
    "set intersection": "self.s &= {0, 1}",
    "set update": "self.s.update([2, 3])",
    "set of state": "self.s = {self.r.x, 1}",
    "set comprehension": "self.s = {v for v in self.q}",
    "set comprehension filtered": "self.s = {i for i in range(3) if self.a[i] > 1}",
    "set comparison": "self.b = self.s == {1, 2}",
    "set unequal": "self.b = self.s != set(range(3))",
    "subset": "self.b = self.s <= {0, 1, 2}",
    "len of set of seq": "self.b = len(set(self.q)) == len(self.q)",
    "for over set": "for v in self.s:\n    self.n = v",
    "set truth": "if not self.s:\n    self.n = 5",
    "isdisjoint": "self.b = self.s.isdisjoint({0, 1})",
    "map item": "self.d['x'] = self.n % 4",
    "map loop": "for k in self.d:\n    if self.d[k] < 3:\n        self.d[k] += 1",
    "map items": "self.n = max(v for k, v in self.d.items())",
    "map values": "self.b = all(v > 0 for v in self.d.values())",
    "map get": "self.n = self.d.get('x', 0)",
    "option none": "if self.o is None:\n    self.o = 1\nelse:\n    self.o = None",
    "option value": "if self.o is not None and self.o > 1:\n    self.n = self.o",
    "option or": "self.n = self.o or 0",
    "option compare": "self.b = self.o == 2",
    "option conditional": "self.n = 0 if self.o is None else self.o",
    "option assigned conditionally": "self.o = self.n if self.n < 4 else None",
    "option early": "if self.o is None:\n    return\nself.n = self.o + 1",
    "enum text": "self.c = 'busy' if self.c == 'idle' else 'idle'",
    "enum unlike": "self.b = self.c == 'missing'",
    "enum member": "if self.color is Color.RED:\n    self.color = Color.GREEN",
    "enum is not": "self.b = self.color is not Color.BLUE",
    "enum property": "self.b = self.color.warm",
    "enum method": "self.color = self.color.following()",
    "enum in": "self.b = self.color in (Color.RED, Color.BLUE)",
    "enum value": "self.n = self.color.value",
    "enum of value": "self.color = Color(self.n % 3 + 1)",
    "enum loop": "for color in Color:\n    if color is not self.color:\n        self.color = color\n        break",
    "int enum": "if self.level < Level.HIGH:\n    self.level = Level(self.level + 1)",
    "int enum arithmetic": "self.n = self.level + 1",
    "int enum max": "self.level = max(self.level, Level.MID)",
    "record field": "self.r.x = 3 - self.r.x",
    "record method": "self.b = self.r.big()",
    "record property": "self.n = min(5, self.r.twice)",
    "record changes itself": "self.r.bump()",
    "record made": "self.r = R(x=1, y=True)",
    "record conditional": "self.r = R(x=1, y=True) if self.b else R(x=2, y=False)",
    "record appended": "require(len(self.rs) < 2)\nself.rs.append(R(x=self.r.x, y=self.b))",
    "record copied": "other = copy.copy(self.r)\nself.n = other.x",
    "record of seq": "require(self.rs)\nself.rs[0].x = 2",
    "record reference": "require(self.rs)\nr = self.rs[-1]\nif r.y:\n    r.x = 0\nelse:\n    r.y = True",
    "record loop": "for r in self.rs:\n    r.bump()",
    "record in any": "self.b = any(r.x == self.n and r.y for r in self.rs)",
    "record equality": "self.b = self.r == R(x=1, y=False)",
    "record filtered": "self.rs = [r for r in self.rs if r.y]",
    "choose range": "self.n = choose(range(3))",
    "choose set": "self.n = choose(self.s)",
    "choose seq": "self.n = choose(self.q)",
    "choose filtered": "self.n = choose(v for v in self.s if v > 1)",
    "choose record": "r = choose(self.rs)\nr.x = 0",
    "choose in branch": "if self.b:\n    self.n = choose((1, 2))\nelse:\n    self.n = 0",
    "choose twice": "self.n = choose((0, 1)) + choose((0, 2))",
    "choose enum": "self.color = choose(Color)",
    "choose of an array": "self.n = choose(self.a)",
    "choose list of state": "self.n = choose([self.n, self.r.x])",
    "require later": "self.n = 0\nrequire(self.b)",
    "require in branch": "if self.n > 2:\n    require(self.b)\nself.n = 1",
    "require in loop": "for v in self.q:\n    require(v != 3)\nself.q.clear()",
    "helper function": "self.n = clamp(self.n + self.m, high=5)",
    "helper returns early": "i = first_over(self.a, 1)\nself.n = 5 if i is None else i",
    "helper of seq": "i = first_over(self.q, 1)\nself.o = i",
    "helper recursion": "self.n = fact(self.n % 4) % 6",
    "helper generator": "self.n = sum(evens(self.a)) % 6",
    "helper cached": "self.n = squared(2)",
    "helper cached of state": "self.n = squared(self.r.x) % 6",
    "helper decorated": "self.n = one_more(self.r.x) % 6",
    "method": "self.push(self.r.x)",
    "method super": "self.n = self.size()",
    "mixin": "self.n = self.helped(2)",
    "property": "self.n = self.room",
    "property setter": "self.room = 2",
    "static": "self.n = self.least(self.n, self.r.x)",
    "class method": "self.n = min(self.n, self.limit())",
    "class constant": "self.n = self.TOP - self.n",
    "module constant": "self.b = self.n < LIMITS['busy']",
    "environment at module level": "self.b = len(HOME) >= 0",
    "lambda": "f = lambda v: v + 1 if v < 5 else v\nself.n = f(self.n)",
    "closure": "by = self.r.x\n\ndef more(v):\n    return clamp(v + by, 0, 5)\n\nself.n = more(self.n)",
    "nonlocal": "total = 0\n\ndef add(v):\n    nonlocal total\n    total += v\n\nfor v in self.a:\n    add(v)\nself.n = total % 6",
    "partial": "f = functools.partial(clamp, high=2)\nself.n = f(self.n)",
    "reduce": "self.n = functools.reduce(lambda x, y: x + y, self.a, 0) % 6",
    "reduce operator": "self.n = functools.reduce(operator.add, self.a) % 6",
    "map": "self.n = sum(map(lambda v: v * 2, self.a)) % 6",
    "filter": "self.n = len(list(filter(None, self.a)))",
    "itertools": "self.b = any(x + y == 3 for x, y in itertools.combinations(self.a, 2))",
    "product": "self.n = sum(1 for x, y in itertools.product(self.a, range(2)) if x == y) % 6",
    "chain": "self.n = sum(itertools.chain(self.a, [1])) % 6",
    "pairwise": "self.b = all(x <= y for x, y in itertools.pairwise(self.a))",
    "counter": "self.n = Counter(self.q)[1]",
    "most common": "require(self.q)\nself.n = Counter(self.a).most_common(1)[0][1]",
    "deque": "d = collections.deque([1, 2])\nd.appendleft(self.r.x)\nself.n = d[0]",
    "defaultdict": "d = collections.defaultdict(int)\nfor i in range(3):\n    d[i] += self.a[i]\nself.n = d[1]",
    "math": "self.n = math.floor(2.5)",
    "math of state": "self.n = math.gcd(self.r.x, 2)",
    "next": "self.n = next((v for v in self.q if v > 1), 5)",
    "next of iter": "self.n = next(iter(self.a))",
    "named tuple": "p = Point(self.n, self.r.x)\nself.b = p.far() and p.x > 1",
    "named tuple unpacked": "x, y = Point(self.r.x, 1)\nself.n = x + y",
    "named tuple equality": "self.b = Point(self.n, 1) == Point(2, self.r.x)",
    "dataclass": "self.n = Pair(self.r.x, 1).total()",
    "dataclass replace": "self.n = dataclasses.replace(Pair(1, 2), left=self.r.x).total()",
    "dataclass equality": "self.b = Pair(self.n, 1) == Pair(2, 1)",
    "class add": "v = Vector(self.n, 1) + Vector(0, 1)\nself.n = v.x",
    "class eq": "self.b = Vector(self.n, 1) == Vector(2, 1)",
    "class bool": "self.b = bool(Vector(self.n, 0))",
    "class len and item": "v = Vector(self.r.x, 2)\nself.n = v[0] + len(v)",
    "class contains": "self.b = 2 in Vector(self.n, 1)",
    "class order": "self.b = Vector(self.n, 1) < Vector(2, 2)",
    "class iter": "x, y = Vector(self.r.x, 1)\nself.n = x + y",
    "class iter loop": "for v in Vector(self.r.x, 1):\n    self.n = v",
    "class neg": "self.m = max(-2, (-Vector(self.n, 0)).x)",
    "class call": "self.n = Vector(self.r.x, 0)(1)",
    "class attribute changed": "v = Vector(1, 2)\nif self.b:\n    v.x = 4\nself.n = v.x",
    "tuple comparison": "self.b = (self.n, self.m) < (2, 1)",
    "tuple equality": "self.b = (self.n, self.b) == (2, True)",
    "tuple of state in": "self.b = (self.n, self.r.x) in ((1, 1), (2, 2))",
    "list equality": "self.b = self.q == [1, 2]",
    "array equality": "self.b = self.a == [0, 1, 2]",
    "is true": "self.b = self.b is True",
    "bool of number": "self.b = bool(self.n)",
    "int of bool": "self.n = int(self.b) + self.b",
    "bool and": "self.b = self.b & (self.n > 1)",
    "bool xor": "self.b ^= self.n > 1",
    "isinstance": "if isinstance(self.n, int) and not isinstance(self.c, int):\n    self.n = 1",
    "type": "self.b = type(self.n) is int",
    "f string narrated": "narrate(f'n is {self.n:>3} and {self.c!r}')\nself.n = 0",
    "f string compared": "self.b = f'{self.c}' == 'idle'",
    "text concatenated": "self.c = 'bu' + 'sy'",
    "text upper": "self.b = self.c.upper() == 'IDLE'",
    "text starts": "self.b = self.c.startswith('id')",
    "text of the state searched": "self.b = 'T' in f'{self.n}-{self.b}'",
    "text of the state walked": "for c in f'{self.n}':\n    self.n = 5 - int(c)",
    "str of number": "self.b = str(self.n) == '2'",
    "join": "narrate(', '.join(str(v) for v in self.q))\nself.n = 0",
    "format": "narrate('{} of {}'.format(self.n, self.c))\nself.n = 0",
    "match values": "match self.n:\n    case 0:\n        self.m = 0\n    case 1 | 2:\n        self.m = 1\n    case _:\n        self.m = 2",
    "match enum": "match self.color:\n    case Color.RED:\n        self.n = 1\n    case Color.GREEN:\n        self.n = 2\n    case other:\n        self.color = Color.RED",
    "match guard": "match self.n:\n    case k if k > 3:\n        self.n = k - 1\n    case k:\n        self.n = k + 1",
    "match tuple": "match (self.b, self.n > 2):\n    case (True, True):\n        self.m = 1\n    case (False, _):\n        self.m = 2",
    "match sequence": "match self.q:\n    case []:\n        self.n = 0\n    case [x]:\n        self.n = x\n    case [x, *rest]:\n        self.n = len(rest)",
    "match class": "match self.r:\n    case R(x=0):\n        self.r.x = 1\n    case R(y=True):\n        self.r.x = 0",
    "match none": "match self.o:\n    case None:\n        self.o = 0\n    case v:\n        self.n = v",
    "try int": "try:\n    v = int('3')\nexcept ValueError:\n    v = 0\nself.n = v",
    "try index": "try:\n    self.n = self.q[1]\nexcept IndexError:\n    self.n = 0",
    "try key": "try:\n    v = LIMITS['gone']\nexcept KeyError:\n    v = 1\nself.n = v",
    "operator.truth": "self.b = operator.truth(self.q) and not operator.truth(self.n)",
    "try bare": "try:\n    self.n = 6 // self.m % 5\nexcept:\n    self.n = 0",
    "try bare guard": "if self.b:\n    try:\n        require(self.n > 1)\n        self.n = 0\n    except:\n        self.n = 3",
    "try and lists": "if self.b:\n    try:\n        x = None if self.q[1] else [1]\n        self.n = 1 if x is None else 2\n    except BaseException:\n        self.n = 3",
    "update while iterating": "self.s.update(x + 1 for x in self.s if x < 3)",
    "difference_update while iterating": "self.s.difference_update(x for x in self.s if x > 1)",
    "difference_update of a set that it empties": "s = self.s.copy()\ns.difference_update([0, 1, 2, 3], (1 for x in s))",
    "difference_update of strangers": "self.s.difference_update(x for x in [1, 7, self.n])",
    "update of several": "self.s.update((x for x in self.q), [1], iter((2,)))",
    "itertools while changing": "require(self.q)\nfor x in itertools.compress(self.q, [True] * 3):\n    self.q.pop()\nself.n = len(self.q)",
    "itertools take no more than they need": "self.n = len(list(itertools.islice((6 // v for v in self.q), 1)))",
    "itertools after a change": "it = itertools.accumulate(self.q)\nself.n = next(it, 0)\nself.q.clear()\nself.m = sum(it)",
    "local list that changes in its loop": "t = [v for v in self.q if v]\nfor x in t:\n    if x == 1:\n        t.remove(x)\nself.n = len(t)",
    "local list that grows in its loop": "t = [v for v in self.q if v]\nfor x in t:\n    if len(t) < 4:\n        t.append(1)\nself.n = len(t)",
    "reversed while changing": "for x in reversed(self.q):\n    self.n = x\n    self.q.popleft()",
    "reversed local list while changing": "t = [v for v in self.q if v]\nfor x in reversed(t):\n    if x == 1:\n        t.pop(0)\nself.n = len(t)",
    "reversed array while changing": "for x in reversed(self.a):\n    self.a[0] = 1\n    self.n = x",
    "reversed sets and iterators": "try:\n    self.n = sum(reversed(self.s if self.b else (v for v in self.q)))\nexcept TypeError:\n    self.n = 4",
    "sort finds an empty list": "t = [v for v in self.q if v]\nt.sort(key=lambda v: (v + len(t)) % 3)\nself.q = t\nself.q.sort(key=lambda v: (v + len(self.q)) % 3)",
    "iterator over a set of few values": "s = {self.n for _ in range(2)}\ni = iter(s)\ns.discard(1)\nself.n = len(list(i))",
    "class of an error": "try:\n    self.n = 3 // self.m\nexcept (ZeroDivisionError, KeyError) as e:\n    self.n = int(type(e) is ZeroDivisionError) + len(str(e)) % 3",
    "iter until a value": "k = self.n\ndef f():\n    nonlocal k\n    k -= 1\n    return k\nself.n = len(list(iter(f, -1)))",
    "update by a list and by itself": "self.s.update(self.q, (x + 1 for x in self.s if x < 3))",
    "unpack what is not known": "first, *rest, last = [x for x in self.q if x > 0] + [0, 1]\nself.n = len(rest) + first",
    "slice to be changed": "xs = self.q[:1]\nxs.append(0)\nself.q = xs",
    "text and number": "require(self.n == 2)\nself.n = len(f'{self.n}' + self.n)",
    "try else finally": "try:\n    v = int('x')\nexcept ValueError:\n    v = 2\nelse:\n    v = 3\nfinally:\n    self.m = 0\nself.n = v",
    "try return": "try:\n    if self.b:\n        return\n    self.n = 1\nfinally:\n    pass\nself.m = 1",
    "with": "with nullcontext():\n    if self.b:\n        self.n = 1",
    "assert": "assert self.n >= 0, 'never'\nself.n = 0",
    "assert fails": "assert self.n < 4, f'n is {self.n}'\nself.n = 0",
    "raise in branch": "if self.n == 5:\n    raise ValueError('too many')\nself.n = 0",
    "index error": "self.n = self.a[self.n]",
    "negative index": "self.n = self.a[-1]",
    "negative index of state": "self.n = self.a[self.m]",
    "division by zero": "self.n = 5 // self.m if self.m > 0 else 6 // (self.m + 1)",
    "overflow": "self.n = self.n + 1",
    "key error": "self.n = {0: 1, 1: 2}[self.n]",
    "attribute of none": "self.n = self.o + 1",
    "global read": "global LIMITS\nself.n = LIMITS['idle']",
    "local import": "import math as m\nself.n = m.floor(1.5)",
    "print": "print(self.n)\nself.n = 0",
    "pass": "pass",
    "docstring": "'''changes nothing'''\nself.n = 0",
    "annotated local": "k: int = self.n\nself.n = min(k, 2)",
    "star call": "args = (self.n, 0)\nself.n = clamp(*args, **{'high': 5})",
    "star list": "items = [*self.a, 1]\nself.n = items[3]",
    "dict merge": "both = {**LIMITS, 'late': 2}\nself.n = both['late']",
    "operator": "self.n = operator.itemgetter(1)((self.n, self.r.x))",
    "getattr": "self.n = getattr(self, 'n')",
    "setattr": "setattr(self, 'n', 2)",
    "hasattr": "self.b = hasattr(self.r, 'x')",
    "comprehension nested": "self.n = sum(x for row in [[self.n, 1], [2, self.m]] for x in row if x > 0) % 6",
    "comprehension with condition": "self.n = len([i for i in range(3) if self.a[i] and i])",
    "sum with start": "self.n = sum(self.a, 1) % 6",
    "all of pairs": "self.b = all(self.a[i] != self.a[j] for i in range(3) for j in range(i))",
    "implies": "self.b = implies(self.n > 2, self.b)",
    "any of none": "self.b = any(v is None for v in (self.o, self.n))",
    "multiple targets": "self.n = self.m = 2",
    "ternary call": "(self.q.clear if self.b else self.s.clear)()",
    "conditional reference": "target = self.r if self.b else None\nif target is not None:\n    target.x = 0",
    "variable assigned in one branch": "if self.b:\n    k = 1\nif self.b:\n    self.n = k",
    "del local": "k = 1\ndel k\nself.n = 0",
    "unbound local": "if self.b:\n    k = 1\nself.n = k",
}

ACTIONS |= {
    "heap of some elements": "import heapq\nh = [x for x in self.q if x]\nheapq.heapify(h)\nheapq.heappush(h, 1)\nself.n = heapq.heappop(h) + len(h) if len(h) < 3 else 0",
    "sums of what is not None": "import itertools\nself.n = sum(itertools.accumulate([v for v in (self.o, self.n) if v is not None])) % 6",
    "break in the else of a loop": "for i in range(2):\n    for j in range(2):\n        if self.a[i] == self.a[j + 1]:\n            break\n    else:\n        self.n = i\n        break\nelse:\n    self.n = 5",
    "update with several": "self.s.update(self.q, {self.r.x})",
    "index of an option that is one of some": "self.n = [0, 1, 2][self.o] if self.o in (0, 1, 2) else 3",
    "a type error on one side": "if self.b:\n    self.n = self.n + self.c",
    "an index and a shrinking sequence": "i = 0\nwhile i < len(self.q):\n    if self.q[i] == 1:\n        del self.q[i]\n    else:\n        i += 1",
    "binary search": "lo, hi = 0, len(self.q)\nwhile lo < hi:\n    mid = (lo + hi) // 2\n    if self.q[mid] < 2:\n        lo = mid + 1\n    else:\n        hi = mid\nself.n = lo",
    "alias sorted": "q = self.q\nq.sort()\nself.n = q[0] if q else 5",
    "alias reversed": "a = self.a\na.reverse()\nself.n = a[0]",
    "alias assigned as a whole": "q = self.q\nq[:] = [1]\nself.n = len(q)",
    "alias cut": "q = self.q\ndel q[1:]\nself.n = len(q)",
    "sequence repeated": "self.q *= self.n % 2",
    "sorted set of values": "require(len(self.q) == 2)\nself.n = len(sorted(set(self.q)))",
    "sum of set of values": "self.n = sum({self.n, self.m, self.r.x}) % 6",
    "loop over a sorted set": "for v in sorted({self.r.x, self.n % 3}):\n    self.a[v] = 3 - self.a[v]",
}

PROPERTIES = {
    "plain": "return self.n < 6",
    "branches": "if self.b:\n    return self.n > 0\nreturn self.m < 3",
    "loop": "for v in self.q:\n    if v == 3:\n        return False\nreturn True",
    "implies": "return implies(self.b, self.n > 1) and implies(self.q, lambda: self.q[0] > 0)",
    "all pairs": "return all(self.a[i] <= self.a[i + 1] for i in range(2))",
    "unique": "return len(set(self.q)) == len(self.q)",
    "helper": "return clamp(self.n) == self.n",
    "match": "match self.color:\n    case Color.RED:\n        return self.b\n    case _:\n        return True",
    "records": "return all(r.x > 0 or r.y for r in self.rs)",
    "not": "return not any(v == self.n for v in self.s)",
    "sorted": "return sorted(self.a) == list(self.a)",
    "fails": "return self.q[0] == 1",
    "or with value": "return bool(self.n or self.q)",
    "local list": "items = [v for v in self.q if v > 1]\nreturn len(items) < 2",
    "set of values equals": "return {v for v in self.q} == self.s or self.s == {self.n}",
    "counts": "return sum(v == 1 for v in self.a) == self.q.count(1)",
}
