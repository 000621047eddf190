"""Random small specs as source text, and what a log can observe of them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

Reader = Callable[[Any], Any]

HEAD = '''"""A random system."""
import enum
from everystate.checker import (AnyOf, Array, Bool, Enum, Int, Map, Option, Record, Seq, Set, Spec, action,
    action_constraint, choose, reachable, require)


class Colour(enum.Enum):
    RED = 1
    GREEN = 2


class Pair(Record):
    x = Int(0, 2)
    y = Option(Int(0, 1))


class Generated(Spec):
    may_terminate = True

    def variables(self):
'''
VARIABLES = {
    "n": ("Int(0, 3)", "Int(0, 2, init=AnyOf())", "Int(-1, 2)"),
    "k": ("Int(0, 1)", "Int(0, 3)"),
    "flag": ("Bool()", "Bool(init=AnyOf())"),
    "light": ("Enum(Colour)",),
    "owner": ("Option(Int(0, 2))",),
    "queue": ("Seq(Int(0, 2), 2)", "Seq(Int(0, 1), 3)"),
    "members": ("Set(range(3))",),
    "cells": ("Array(2, Int(0, 2))",),
    "stock": ("Map(['a', 'b'], Bool())",),
    "pair": ("Pair",),
}
CONDITIONS = {
    "n": ("self.n < 2", "self.n == {p}", "self.n != {p}"),
    "k": ("self.k == 0", "self.k <= {p}"),
    "flag": ("self.flag", "not self.flag"),
    "light": ("self.light == Colour.RED",),
    "owner": ("self.owner is None", "self.owner is not None", "self.owner == {p}"),
    "queue": ("len(self.queue) < 2", "len(self.queue) > 0"),
    "members": ("{p} in self.members", "1 not in self.members"),
    "cells": ("self.cells[{p}] < 2", "self.cells[0] == self.cells[1]"),
    "stock": ("self.stock['a']", "not self.stock['b']"),
    "pair": ("self.pair.x > 0", "self.pair.y is None"),
}
STATEMENTS = {
    "n": ("self.n += 1", "self.n = (self.n + 1) % 3", "self.n = choose(range(2))", "self.n = {p}"),
    "k": ("self.k = 1 - self.k", "self.k = choose([0, 1])", "self.k = {p}"),
    "flag": ("self.flag = not self.flag", "self.flag = choose([True, False])"),
    "light": ("self.light = Colour.GREEN", "self.light = choose([Colour.GREEN, Colour.RED])"),
    "owner": ("self.owner = None", "self.owner = {p}", "self.owner = choose(range(3))"),
    "queue": ("self.queue.append({p})", "self.queue.popleft()", "self.queue.clear()", "self.queue.pop()"),
    "members": ("self.members.add({p})", "self.members.discard({p})", "self.members.add(choose(range(3)))"),
    "cells": ("self.cells[{p}] = (self.cells[{p}] + 1) % 3", "self.cells[1] = {p}", "self.cells[{p}] += 1"),
    "stock": ("self.stock['a'] = not self.stock['a']", "self.stock['b'] = True"),
    "pair": ("self.pair.x = (self.pair.x + 1) % 3", "self.pair.y = {p}", "self.pair.y = None"),
}
PATHS: dict[str, dict[str, Reader]] = {
    "n": {"n": lambda s: s.n, "above(1)": lambda s: s.above(1), "outside(2)": lambda s: s.n == 2},
    "k": {"k": lambda s: s.k},
    "flag": {"flag": lambda s: s.flag},
    "light": {"light": lambda s: s.light, "shines(RED)": lambda s: s.shines(s.light.__class__.RED)},
    "owner": {"owner": lambda s: s.owner, "who()": lambda s: s.who()},
    "queue": {
        "queue": lambda s: s.queue,
        "queue.length": lambda s: len(s.queue),
        "queue[0]": lambda s: s.queue[0],
        "queue[1]": lambda s: s.queue[1],
        "head()": lambda s: s.head(),
        "longer(-1, 'x')": lambda s: s.longer(-1, "x"),
    },
    "members": {"members": lambda s: s.members, "all_of_them()": lambda s: s.all_of_them()},
    "cells": {"cells": lambda s: s.cells, "cells[1]": lambda s: s.cells[1], "at((0, 1))": lambda s: s.at((0, 1))},
    "stock": {"stock": lambda s: s.stock, "stock[a]": lambda s: s.stock["a"], "sold()": lambda s: s.sold()},
    "pair": {
        "pair": lambda s: s.pair,
        "pair.x": lambda s: s.pair.x,
        "pair.y": lambda s: s.pair.y,
        "both()": lambda s: s.both(),
    },
}
METHODS = {
    "n": "def above(self, m):\n    return self.n > m",
    "light": "def shines(self, c):\n    return self.light == c",
    "owner": "def who(self):\n    return [self.owner, 'x']",
    "queue": "def head(self):\n    return self.queue[0]\n\ndef longer(self, by, text):\n"
    "    return {'by': len(self.queue) + by, 'text': text}",
    "members": "def all_of_them(self):\n    return self.members",
    "cells": "def at(self, which):\n    return tuple(self.cells[i] for i in which)",
    "stock": "def sold(self):\n    return self.stock",
    "pair": "def both(self):\n    return self.pair",
}
PARAMETERS = (("i", "range(2)"), ("i", "[1, 0]"), ("b", "Bool()"), ("c", "Colour"))


def outside(spec: Any, m: int) -> bool:
    """A function beside the spec."""
    return bool(spec.n == m)


def indented(text: str, by: int) -> list[str]:
    return [" " * by + line if line else "" for line in text.splitlines()]


class Author:
    """Writes one spec."""

    def __init__(self, dice: Random) -> None:
        self.dice = dice
        self.names = sorted(dice.sample(sorted(VARIABLES), dice.randint(2, 4)))
        self.lines = HEAD.splitlines()

    def source(self) -> str:
        for name in self.names:
            self.lines.append(f"        self.{name} = {self.dice.choice(VARIABLES[name])}")
        for number in range(self.dice.randint(2, 4)):
            self._action(f"a{number}")
        for name in self.names:
            if name in METHODS:
                self.lines += ["", *indented(METHODS[name], 4)]
        if self.dice.random() < 0.15:
            name = self.dice.choice(self.names)
            self.lines += ["", "    @action_constraint", "    def bounded(self, before):"]
            self.lines.append(f"        return bool(self.{name} != before.{name} or {self._condition('0')})")
        return "\n".join(self.lines) + "\n"

    def _action(self, name: str) -> None:
        given, dice = dice_parameter(self.dice), self.dice
        mark, argument = (f"@action({given[0]}={given[1]})", f", {given[0]}") if given else ("@action", "")
        self.lines += ["", f"    {mark}", f"    def {name}(self{argument}):"]
        number = given[0] if given and given[0] == "i" else str(dice.randint(0, 1))
        if given and given[0] == "b":
            self.lines.append(f"        require(b or {self._condition(number)})")
        if given and given[0] == "c":
            self.lines.append(f"        require(c == Colour.RED or {self._condition(number)})")
        for _ in range(dice.randint(0, 2)):
            self.lines.append(f"        require({self._condition(number)})")
        for _ in range(dice.randint(1, 2)):
            self.lines += self._statement(number)

    def _condition(self, number: str) -> str:
        return self.dice.choice(CONDITIONS[self.dice.choice(self.names)]).format(p=number)

    def _statement(self, number: str) -> list[str]:
        text = self.dice.choice(STATEMENTS[self.dice.choice(self.names)]).format(p=number)
        if self.dice.random() < 0.2:
            return [f"        if {self._condition(number)}:", f"            {text}"]
        return [f"        {text}"]


def dice_parameter(dice: Random) -> tuple[str, str] | None:
    return dice.choice(PARAMETERS) if dice.random() < 0.6 else None
