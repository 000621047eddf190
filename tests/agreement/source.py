"""Random specs as source text: a readable, runnable file for each."""

from __future__ import annotations

from .dice import Dice
from .statements import Statements
from .types import BOOL, Type, Types, integer, plain

HEAD = '''"""A random spec."""

import enum
from typing import Annotated, NamedTuple

from everystate.checker import (
    AnyOf, Array, Bool, Enum, Int, Map, Option, Record, Seq, Set, Spec, action, choose, constraint, implies, invariant,
    narrate, reachable, require, step_invariant,
)


class Color(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


class Pair(NamedTuple):
    x: Annotated[int, range(3)]
    on: bool


def known(option, otherwise):
    return otherwise if option is None else option
'''
MOST_CELLS = 36


class Author:
    """Writes one spec."""

    def __init__(self, dice: Dice, wide: bool = False) -> None:
        self.dice, self.types = dice, Types(dice, wide)
        self.lines: list[str] = HEAD.splitlines()
        self.text = Statements(dice)
        self.text.wide = wide
        self.text.enum = self.types.enums[0]
        self.variables: list[tuple[str, Type]] = []
        self.unmarked: dict[str, tuple[int, int]] = {}

    def write(self) -> str:
        """The source text."""
        for i in range(self.dice.integer(0, 2)):
            self._record(f"R{i}")
        self.lines += ["", "", "class Generated(Spec):", "    may_terminate = True"]
        self._variables()
        for i in range(self.dice.integer(0, 1)):
            self._helper(f"h{i}")
        for i in range(self.dice.integer(0, 1)):
            self._step(f"s{i}")
        for i in range(self.dice.integer(1, 3)):
            self._action(f"a{i}")
        for i in range(self.dice.integer(1, 3)):
            self._property(f"p{i}")
        self._drop_what_nobody_calls()
        return "\n".join(self.lines) + "\n"

    def _method(self, head: str, body: list[str]) -> None:
        self.lines += ["", *(f"    {line}" for line in [*head.splitlines(), *(f"    {b}" for b in body)])]

    def _record(self, name: str) -> None:
        type = self.types.record(name)
        self.lines += ["", "", f"class {name}(Record):"]
        for field, inner in type.fields:
            self.lines.append(f"    {field}: int" if ".of(" in type.text else f"    {field} = {inner.text}")
        own = [("self", type)]
        with self.text.only([*own, ("by", integer(-9, 9))]):
            self._method("def bump(self, by):", self.text.block(1, 2))
        with self.text.only(own):
            self.text.fuel = 1
            self._method("def total(self):", [f"return {self.text.number()}"])
            self.text.fuel = 2

    def _variables(self) -> None:
        body: list[str] = []
        cells = 0
        for name in ("a", "b", "c", "d", "e")[: self.dice.integer(2, 5)]:
            type = self.types.any(2)
            if cells + type.cells > MOST_CELLS:
                type = self.types.scalar()
            cells += type.cells
            self.variables.append((f"self.{name}", type))
            body.append(f"self.{name} = {self._initial(type)}")
        self._method("def variables(self):", body)

    def _initial(self, type: Type) -> str:
        if type.kind in ("int", "bool", "enum", "set") and type.hi - type.lo < 20 and self.dice.chance(30):
            return f"{type.text[:-1]}{'' if type.text.endswith('(') or type.text == 'Bool()' else ', '}init=AnyOf())"
        if type.kind == "int" and self.dice.chance(30):
            return f"{type.text[:-1]}, init={self.dice.integer(type.lo, type.hi)})"
        if type.kind in ("seq", "option", "array", "map") and self.dice.chance(50):
            return f"{type.text[:-1]}, init={plain(type, high=True)})"
        return type.text

    def _helper(self, name: str) -> None:
        with self.text.only([*self.variables, ("x", integer(-9, 9)), ("y", BOOL)]):
            body = [f"if {self.text.truth()}:", f"    return {self.text.number()}", f"return {self.text.number()}"]
        self._unmarked(name, f"def {name}(self, x, y):", body)
        self.text.helpers += (f"self.{name}",)

    def _step(self, name: str) -> None:
        with self.text.only([*self.variables, ("x", integer(-9, 9))]):
            body = self.text.block(1, 2)
        self._unmarked(name, f"def {name}(self, x):", body)
        self.text.steps += (f"self.{name}",)

    def _unmarked(self, name: str, head: str, body: list[str]) -> None:
        start = len(self.lines)
        self._method(head, body)
        self.unmarked[name] = (start, len(self.lines))

    def _drop_what_nobody_calls(self) -> None:
        """A method without a mark that nobody calls is refused: it may be a forgotten action (E133)."""
        for name, (start, end) in reversed(self.unmarked.items()):
            if not any(f"self.{name}(" in line for line in self.lines):
                del self.lines[start:end]

    def _action(self, name: str) -> None:
        given, roots = [], []
        if self.dice.chance(35):
            for parameter in ("i", "j")[: self.dice.integer(1, 2)]:
                text, type = self._parameter()
                given.append(f"{parameter}={text}")
                roots.append((parameter, type))
        mark = f"@action({', '.join(given)})" if given else "@action"
        with self.text.only([*self.variables, *roots]):
            body = [f"require({self.text.truth()})"] if self.dice.chance(25) else []
            body += self.text.block(2, 4)
        self._method(f"{mark}\ndef {name}(self{''.join(f', {p}' for p, _ in roots)}):", body)

    def _parameter(self) -> tuple[str, Type]:
        enum = self.types.enums[0]
        return self.dice.pick(
            [("range(2)", integer(0, 1)), ("[2, -1]", integer(-1, 2)), ("Bool()", BOOL), (enum.text, enum)]
        )

    def _property(self, name: str) -> None:
        kind = self.dice.weighted({"invariant": 4, "step_invariant": 2, "reachable": 1, "constraint": 1})
        roots = list(self.variables)
        if kind == "step_invariant":
            roots += [(n.replace("self.", "before."), t) for n, t in self.variables]
        with self.text.only(roots):
            body: list[str] = []
            if self.dice.chance(25):
                body = [f"if {self.text.truth()}:", f"    return bool({self.text.truth()})"]
            body.append(f"return {self.text.truth()}")
        self._method(f"@{kind}\ndef {name}(self{', before' if kind == 'step_invariant' else ''}):", body)


def write(dice: Dice, wide: bool = False) -> str:
    """The source text of a random spec; of a wide one numbers reach the edges of a machine word."""
    return Author(dice, wide).write()
