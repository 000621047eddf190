# ruff: noqa: E501
"""Records, NamedTuples, frozen dataclasses and tuples as elements of every collection, on one spec with all of them."""

from __future__ import annotations

HEAD = '''"""A spec whose collections hold values of several parts."""

import copy
import dataclasses
import enum
from typing import Annotated, Literal, NamedTuple

from everystate.checker import *


class Color(enum.Enum):
    RED = 1
    GREEN = 2


class Msg(Record):
    kind = Enum("req", "ack")
    view = Int(0, 2)
    again = Bool()

    @property
    def old(self):
        return self.view == 0

    def answer(self):
        return Msg("ack", self.view, self.again)


class Vote(NamedTuple):
    by: Annotated[int, range(2)]
    color: Color

    def first(self):
        return self.by == 0


@dataclasses.dataclass(frozen=True)
class Pair:
    left: Annotated[int, range(-1, 2)]
    kind: Literal["a", "b"] = "a"

    def both(self):
        return self.left == 1 and self.kind == "b"


class Nested(Record):
    pair = Pair
    to = Option(range(2))
    inner = Msg.of()


class Generated(Spec):
    may_terminate = True

    def variables(self):
        self.n = Int(0, 2)
        self.flag = Bool()
        self.color = Enum(Color)
        self.kind = Enum("req", "ack")
        self.messages = Set(Msg)
        self.few = Set(Msg, capacity=2)
        self.votes = Set(Vote)
        self.some = Set([Vote, "none", Pair])
        self.pairs = Set(Pair, capacity=3)
        self.seq = Seq(Vote, 2)
        self.array = Array(2, Pair)
        self.table = Map(Vote, Int(0, 2))
        self.byrecord = Map(Msg, Bool())
        self.option = Option(Product(range(2), Bool()))
        self.maybe = Option(Pair)
        self.nested = Set(Nested, capacity=2)
        self.one = Msg.of()
        self.none = Set(range(0), capacity=2)
        self.wide = Set(Int(-5, 10**9), capacity=2)
        self.maybes = Set(Option(range(2)))
        self.few_maybes = Set(Option(range(2)), capacity=2)
        self.options = Array(2, Option(range(2)))

'''

BODIES = {
    "add": 'self.{s}.add(Msg("req", self.n, self.flag))',
    "add by name": "self.{s}.add(Msg(kind=self.kind, view=1, again=self.flag))",
    "add a copy": "self.{s}.add(self.one)\nself.one.view = 0",
    "discard": 'self.{s}.discard(Msg("req", self.n, True))',
    "remove": "self.{s}.remove(Msg(self.kind, self.n, True))",
    "in": 'if Msg("req", self.n, self.flag) in self.{s}:\n    self.n = 0\nelse:\n    self.flag = not self.flag',
    "in the part of the state": "self.flag = self.one in self.{s}",
    "not in": 'require(Msg("ack", 1, True) not in self.{s})\nself.n = 1',
    "outside": 'self.{s}.add(Msg("req", self.n + 1, True))',
    "in from outside": 'self.flag = Msg("req", self.n + 1, True) in self.{s}',
    "equal but another type": 'self.flag = Msg("req", True, 1) in self.{s}',
    "no member": 'self.{s}.add(Msg("req", 1, 1))',
    "another record": "self.{s}.add(Pair(1, 'a'))",
    "union of known": 'self.{s} |= {{Msg("req", 1, True), Msg("ack", 0, False)}}',
    "union of symbols": 'self.{s} = self.{s} | {{Msg("req", self.n, True), self.one}}',
    "assign": 'self.{s} = {{Msg("req", self.n, True), Msg("ack", 0, False)}}',
    "assign nothing": "self.{s} = set()",
    "difference": 'self.{s} = self.{s} - {{Msg("req", self.n, True)}}',
    "intersection": 'self.{s} &= {{Msg("req", self.n, True), Msg("ack", 1, True)}}',
    "symmetric difference": 'self.{s} ^= {{Msg("req", self.n, True)}}',
    "two of them": "self.{s} = self.{s} & self.{o}",
    "two of them joined": "self.{s} = self.{s} | self.{o}",
    "two of them apart": "self.{s} = self.{s} - self.{o}",
    "two of them, one way": "self.{s} = self.{s} ^ self.{o}",
    "filter": 'self.{s} = {{m for m in self.{s} if m.kind == "req"}}',
    "map": "self.{s} = {{m.answer() for m in self.{s}}}",
    "len": "self.n = len(self.{s})",
    "truth": "self.flag = bool(self.{s})\nif not self.{s}:\n    self.n = 2",
    "compare": "self.flag = self.{s} <= self.{o} or self.{s} == self.{o}",
    "compare strictly": "self.flag = self.{s} < self.{o}",
    "compare known": 'self.flag = self.{s} >= {{Msg("ack", 1, True)}} or self.{s} == {{Msg("req", self.n, True)}}',
    "methods": "self.flag = self.{s}.isdisjoint(self.{o}) or self.{s}.issuperset(self.{o})",
    "union by name": 'self.{s} = self.{s}.union({{Msg("req", 0, True)}})',
    "update and clear": 'self.{s}.clear()\nself.{s}.update([Msg("req", self.n, False)])',
    "any": 'self.flag = any(m.kind == "ack" and m.view == self.n for m in self.{s})',
    "all": "self.flag = all(m.old or m.again for m in self.{s})",
    "sum": "self.n = sum(m.view for m in self.{s}) % 3",
    "max": "self.n = max((m.view for m in self.{s}), default=0)",
    "loop": 'for m in self.{s}:\n    if m.kind == "ack":\n        self.n = m.view',
    "loop that leaves": "for m in self.{s}:\n    if m.view == self.n:\n        self.flag = m.again\n        break\nelse:\n    self.n = 0",
    "loop that grows": 'for m in self.{s}:\n    self.{s}.add(Msg("ack", 2, True))',
    "choose": "m = choose(self.{s})\nself.n = m.view",
    "choose and remove": "m = choose(self.{s})\nself.{s}.remove(m)\nself.n = m.view\nself.flag = m.again",
    "choose where": 'm = choose(m for m in self.{s} if m.kind == "ack" and m.view == self.n)\nself.{s}.discard(m)\nself.{s}.add(Msg("req", m.view, m.again))',
    "choose from a list": "m = choose([m for m in self.{s} if m.again])\nself.n = m.view",
    "choose a part": "self.n = choose(m.view for m in self.{s})",
    "choose with the state": "m = choose(m for m in self.{s} if m.again == self.flag)\nself.one = m\nself.one.view = 1",
    "choose two": "a = choose(self.{s})\nb = choose(m for m in self.{s} if m != a)\nself.n = (a.view + b.view) % 3",
    "choose before what cannot merge": "m = choose(m for m in self.{s} if m.view == self.n or (m.again and self.flag))\nx = [] if self.flag else [m, m]\nfor y in x:\n    self.n = y.view\nz = (1, 2) if self.n == 1 else [3]\nself.n = len(z) if m.again else 0",
    "choose from a spent generator": "g = (m for m in self.{s} if m.again)\nm = choose(g)\nself.n = len([1 for _ in g]) + m.view",
    "match by position": 'for m in self.{s}:\n    match m:\n        case Msg("ack", 1):\n            self.n = 1\n        case Msg("req", v, True):\n            self.n = v',
    "match by name": 'match self.one:\n    case Msg(kind="ack", view=v):\n        self.n = v\n    case Msg(again=True):\n        self.flag = True',
    "subsets": "some = choose(subsets(self.few))\nself.few = some",
    "sorted": "self.n = [m.view for m in sorted(self.{s}, key=lambda m: m.view)][0]",
    "set of fields": "self.n = len({{m.view for m in self.{s}}}) % 3",
    "copy": "other = self.{s}.copy()\nself.{s}.clear()\nself.n = len(other) % 3",
    "copy of a member": "m = copy.copy(choose(self.{s}))\nm.view = self.n\nself.one = m",
    "conditional": 'm = Msg("req", 1, True) if self.flag else Msg("ack", self.n, False)\nself.{s}.add(m)',
    "nested condition": "if self.flag:\n    self.{s}.add(self.one)\nelif self.n:\n    self.{s}.discard(self.one)",
}

OTHERS = {
    "too many fields": "self.one = Msg('req', 1, True, 4)",
    "a field twice": "self.one = Msg('req', kind='ack')",
    "votes": "self.votes.add(Vote(self.n % 2, self.color))",
    "votes from a tuple": "self.flag = (self.n, self.color) in self.votes",
    "a tuple is no vote": "self.votes.add((0, Color.RED))",
    "chosen vote": "v = choose(v for v in self.votes if v.color is self.color)\nself.n = v.by\nself.votes -= {v}",
    "unpacked": "for by, color in self.votes:\n    if color is Color.GREEN:\n        self.n = by",
    "method of a member": "self.flag = any(v.first() for v in self.votes)",
    "one of several": 'self.some.add("none")\nself.some.add(Pair(self.n - 1, "b"))\nself.some.add(Vote(0, self.color))',
    "kind of a member": "self.n = sum(isinstance(m, Vote) for m in self.some) % 3",
    "none of several": "self.some.add(Pair(2, 'a'))",
    "choose one of several": 'm = choose(self.some)\nif m == "none":\n    self.n = 0\nelif isinstance(m, Vote):\n    self.color = m.color\nelse:\n    self.n = m.left + 1',
    "pairs": 'self.pairs.add(Pair(self.n - 1, "b"))\nself.flag = any(p.both() for p in self.pairs)',
    "pairs with a default": "self.pairs |= {Pair(0), Pair(self.n - 1)}",
    "equal pairs": "self.flag = self.array[0] == self.array[1] or Pair(self.n, 'b') == self.array[0]",
    "array": "self.array[0] = Pair(self.n - 1, 'b')\nself.n = self.array[1].left + 1",
    "array at an index": "self.n = self.array[self.n % 2].left + 1",
    "array of a wrong part": "self.array[0] = Pair(self.n, 'b')",
    "seq": "self.seq.append(Vote(self.n % 2, Color.GREEN))\nself.color = self.seq[0].color",
    "seq popped": "v = self.seq.pop()\nself.n = v.by\nself.color = v.color",
    "seq has": "self.flag = Vote(0, self.color) in self.seq\nself.n = self.seq.count(Vote(1, Color.RED))",
    "seq chosen": "v = choose(v for v in self.seq if v.by == self.n)\nself.color = v.color",
    "map": "self.table[Vote(self.n % 2, self.color)] = 2\nself.n = self.table[Vote(0, Color.GREEN)]",
    "map without a key": "self.n = self.table[Vote(self.n, self.color)]",
    "map has": "self.flag = Vote(self.n, Color.RED) in self.table",
    "map through": "self.n = sum(self.table[k] for k in self.table if k.by == 0) % 3",
    "map by a record": "self.byrecord[self.one] = True\nself.flag = self.byrecord[Msg('req', self.n, self.flag)]",
    "option": "self.option = (self.n % 2, self.flag)\nself.n = self.option[0]",
    "option of a wrong part": "self.option = (self.n, self.flag)",
    "option is": "if self.option is not None:\n    self.n, self.flag = self.option",
    "option equals": "self.flag = self.option == (1, True)",
    "option of a pair": "self.flag = self.maybe is None or self.maybe.left == 1\nself.maybe = Pair(0, 'b')",
    "option none": "self.maybe = None if self.flag else Pair(self.n - 1)",
    "pairs join": "p = self.array[0] if self.flag else Pair(1, 'b')\nself.n = p.left + 1",
    "votes join": "v = Vote(0, self.color) if self.flag else Vote(1, Color.RED)\nself.votes.add(v)\nself.n = v.by",
    "nested": "self.nested.add(Nested(Pair(self.n - 1), None, self.one))",
    "nested read": "x = choose(self.nested)\nself.one = x.inner\nself.n = 0 if x.to is None else x.to\nself.flag = x.pair.both()",
    "nested has": "self.flag = Nested(Pair(0, 'a'), self.n, Msg('req', 0, False)) in self.nested",
    "nested options": "self.nested.add(Nested(Pair(0), self.n if self.flag and self.n < 2 else None, Msg('req', 0, False)))",
    "order of the union": "self.few = {Msg('ack', 2, True), Msg('req', self.n, False)}\nself.n = [m.view for m in self.few][0]",
    "full": "self.few |= self.messages",
    "difference of a plain set": "self.few = {Msg('req', 0, False), Msg('req', self.n, True)} - self.few",
    "plain set with records": "known = {Msg('req', 0, False), Msg('ack', 1, True)}\nself.flag = self.one in known",
    "choose from a domain": "m = choose(Pair)\nself.pairs.add(m)",
    "positional and by name": "self.one = Msg('ack', again=self.flag, view=self.n)",
    "keys of a dict": "d = {m: m.view for m in self.few}\nd[self.one] = 2\nself.n = sum(d.values()) % 3\nself.flag = d.get(Msg('req', self.n, False), 0) == 2",
    "sets of records": "a = {self.one, Msg('req', self.n, True)}\nb = {m for m in self.few} | a\nself.n = len(b) % 3\nself.flag = a < b",
    "union of a plain set": "a = {Msg('req', 0, True)}.union([self.one], self.few)\na.update(m for m in self.few if m.again)\na.discard(self.one)\nself.n = len(a) % 3",
    "groups": "by = {}\nfor m in self.few:\n    by.setdefault(m.kind, set()).add(m)\nself.n = max((len(v) for v in by.values()), default=0)",
    "wide": "self.wide.add(10**9 - self.n)\nself.flag = max(self.wide) > 7",
    "wide outside": "self.wide = {10**9 + self.n, -5}",
    "wide and others": "self.flag = -6 in self.wide or 1 in self.wide\nself.wide = self.wide - {self.n}\nself.n = len(self.wide)",
    "maybes": "self.maybes.add(self.options[0])\nself.flag = None in self.maybes\nself.few_maybes.discard(self.options[1])",
    "few maybes": "self.few_maybes |= {self.options[0], None}\nself.flag = self.options[1] in self.few_maybes",
    "chosen maybe": "x = choose(self.few_maybes)\nself.options[0] = x\nself.n = 2 if x is None else x",
    "compare maybes": "self.flag = self.maybes == self.few_maybes\nself.n = sum(x is None for x in self.few_maybes)",
    "chosen option": "x = choose(self.options)\nself.n = 2 if x is None else x",
    "either of two records": "x = self.one if self.flag else Nested(Pair(self.n - 1), None if self.n else 1, self.one).inner\nself.few = {x}",
    "no possible members": "self.flag = self.n in self.none or 1 in self.none or bool(self.none)\nself.none = self.none | set()",
    "record missing a field": "self.one = Msg('ack', 1)",
}

PROPERTIES = {
    "all": "return all(m.kind == 'req' or m.view > 0 for m in self.messages) and all(not m.again for m in self.few)",
    "in": "return Msg('req', self.n, self.flag) in self.messages or self.one in self.few",
    "compare": "return self.few <= self.messages or self.few == {self.one}",
    "nested any": "return any(m.view == v.by and v.color is self.color for m in self.few for v in self.votes)",
    "implies": "return implies(len(self.pairs) > 1, lambda: max(p.left for p in self.pairs) > min(p.left for p in self.pairs))",
    "helper": "def acks(messages):\n    return {m.view for m in messages if m.kind == 'ack'}\nreturn acks(self.messages) == acks(self.few)",
    "match": "match self.array[0]:\n    case Pair(1, k):\n        return k == 'a'\n    case Pair(left=x):\n        return x != self.n",
    "subsets": "return any(len(some) == 2 and all(m.view == self.n for m in some) for some in subsets(self.few))",
}

REFUSED = {
    "write to a member": ("m = choose(self.messages)\nm.view = 1", "a member of a set never changes"),
    "write to a kept member": ("m = choose(self.few)\nm.view = 1", "a member of a set never changes"),
    "write inside a member": ("x = choose(self.nested)\nx.inner.view = 1", "a member of a set never changes"),
    "write to what was added": (
        "m = Msg('req', 1, True)\nself.messages.add(m)\nm.view = 0",
        "a write to a value that was stored",
    ),
    "write to what was kept": (
        "m = Msg('req', 1, True)\nself.few |= {m}\nm.view = 0",
        "a write to a value that was stored",
    ),
    "write to what is in a set": (
        "m = Msg('req', self.n, True)\nknown = {m}\nm.view = 0\nself.flag = m in known",
        "a write to a value that was stored",
    ),
    "write to a tuple": ("self.seq[0].by = 1", "can't set attribute|cannot"),
}
