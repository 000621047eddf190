"""Random specs with one body of everyday Python: an action or an invariant, as source text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tests.agreement.dice import Dice

from . import known
from .collections_ import COLLECTIONS
from .expressions import EXPRESSIONS
from .grammar import BLOCK, Author, Block, Grammar, Name, Node, Production, production
from .statements import STATEMENTS
from .variables import CHOICES, OUTPUTS, VARIABLES, Variable

HEAD = '''"""{title}"""
import collections, contextlib, copy, dataclasses, enum, functools, itertools, math, operator
from typing import NamedTuple
from everystate.checker import *

class Full(Exception):
    pass

class Color(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 3

class Spot(NamedTuple):
    x: int
    y: int

class Rec(Record):
    x = Int(0, 3)
    on = Bool()

    def twice(self):
        return self.x * 2

    def is_big(self):
        return self.x > 1 and self.on

    def bump(self, by):
        if self.on:
            self.x = (self.x + by) % 4

class Msg(Record):
    kind = Enum("ask", "ack")
    to = Int(0, 1)

@dataclasses.dataclass
class Tally:
    total: int = 0
    seen: list = dataclasses.field(default_factory=list)

    def add(self, x):
        self.total += x
        if len(self.seen) < 4:
            self.seen.append(x)

    def best(self):
        return max(self.seen, default=0)
'''
OF_NAMES = {"bool": '({msg}.kind == {"ask"|"ack"})', "int": "{msg}.to"}
RARE = "Int(0, 2)"
METHODS = {
    "fun": """
def helper(self, {x:int}):
    {block def x}
    return {int def x}""",
    "pred": """
def helper(self, {x:int}):
    if {bool def x}:
        return {bool def x}
    {block def x}
    return {bool def x}""",
    "gen": """
def helper(self):
    for {x:int} in {ints def}:
        if {bool def x}:
            yield {int def x}
    {block def}""",
    "gen1": """
def helper(self, {n:int}):
    yield {int def n}
    if {bool def n}:
        {block def n}
        yield {int def n}""",
}


@dataclass(frozen=True)
class World:
    """Some variables, and the grammar of bodies over them."""

    variables: tuple[Variable, ...]
    grammar: Grammar

    def domains(self) -> list[tuple[str, str]]:
        """Name and domain of every variable."""
        outputs = [(name, domain) for name, (domain, _) in OUTPUTS.items()]
        return [*((v.name, v.domain) for v in self.variables), *outputs, ("rare", RARE)]

    def empty(self) -> str:
        """A spec with the variables alone."""
        block = Block(BLOCK, [])
        return Body(self, block, Node(production("end", ""), []), None, False, False, False).source()


def _paragraphs(text: str) -> list[str]:
    return [part.strip("\n") for part in text.strip("\n").split("\n\n") if part.strip()]


def _productions(tables: Iterable[dict[str, str]], statements: Iterable[str]) -> list[Production]:
    lines = [
        (kind, line.strip()) for table in tables for kind, text in table.items() for line in text.strip().splitlines()
    ]
    made = [production(kind, line) for kind, line in lines if line]
    made += [production("stmt", text) for part in statements for text in _paragraphs(part)]
    return [way for way in made if way.text not in known.NOT_YET]


def world(dice: Dice) -> World:
    """A random world."""
    chosen = tuple(dice.some(VARIABLES, 4, 6))
    tables = [EXPRESSIONS, COLLECTIONS, OF_NAMES, *(v.reads for v in chosen)]
    made = _productions(tables, [STATEMENTS, CHOICES, *(v.writes for v in chosen)])
    writes = {production.text for v in chosen for production in _productions((), [v.writes])}
    heavy = {w.removeprefix("!") for v in chosen for text in v.reads.values() for w in text.splitlines()}
    weighted = [
        Production(p.kind, p.text, 12 if p.text in heavy | writes else p.weight, p.writes, p.parts) for p in made
    ]
    return World(chosen, Grammar(weighted))


@dataclass
class Body:
    """A derived body: statements, perhaps a helper method, and what is stored or returned at the end."""

    world: World
    block: Block
    end: Node
    helper: Node | None
    rare: bool
    parameter: bool
    is_property: bool

    def trees(self) -> list[Node]:
        """Its trees."""
        return [self.block, self.end, *([self.helper] if self.helper else [])]

    def source(self, title: str = "A random body.", init: dict[str, str] | None = None, only: bool = False) -> str:
        """The spec, whose variables may start with given values; `only` those that the body mentions."""
        code = self._code()
        lines = [
            HEAD.format(title=title),
            "class Generated(Spec):",
            "    may_terminate = True",
            "",
            "    def variables(self):",
        ]
        for name, domain in self.world.domains():
            if not only or f"self.{name}" in code:
                given = f"init={init[name]}" if init else ""
                lines.append(f"        self.{name} = {_with(domain, given)}")
        return "\n".join([*lines, "", code, ""])

    def _code(self) -> str:
        used = "self.helper" in f"{self.block}{self.end}"  # a method that nobody calls is refused (E133)
        lines = [*_indented(str(self.helper), 1), ""] if self.helper and used else []
        mark = "invariant" if self.is_property else "action(k=(0, 2))" if self.parameter else "action"
        lines += [f"    @{mark}", f"    def go(self{', k' if self.parameter else ''}):"]
        if self.is_property:
            lines = ["    @action", "    def stay(self):", "        self.rare = 2", "", *lines]
        if not self.rare:
            return "\n".join([*lines, *_indented(f"{self.block}\n{self.end}", 2)])
        inner = _indented(f"{self.block}\n{self.end}", 3)
        rest = ["        return True"] if self.is_property else []
        return "\n".join([*lines, "        if self.rare == 2:", *inner, *rest])


def _with(domain: str, given: str) -> str:
    if not given:
        return domain
    if "(" not in domain:
        return f"{domain}.of({given})"
    return f"{domain[:-1]}{'' if domain.endswith('(') or domain == 'Bool()' else ', '}{given})"


def _indented(text: str, by: int) -> list[str]:
    return ["    " * by + line for line in text.splitlines()]


def body(world: World, dice: Dice, most: int = 30) -> Body:
    """A random body."""
    is_property = dice.chance(35)
    author = Author(world.grammar, dice, most, pure=is_property)
    helper, parameter = None, not is_property and dice.chance(20)
    if dice.chance(30):
        kind = dice.pick([kind for kind, text in METHODS.items() if text.strip() not in known.NOT_YET])
        helper = author.written(production("method", METHODS[kind].strip()), 3)
        author.scope.append(Name("self.helper", kind, -1))
    if parameter:
        author.scope.append(Name("k", "int", -1))
    block = author.block(dice.integer(2, 4), keep=True)
    author.left = max(author.left, 6)
    name, (_, kind) = dice.pick(list(OUTPUTS.items()))
    text = "return {bool}" if is_property else f"self.{name} = {{{kind}}}"
    return Body(
        world, block, author.written(production("end", text), 3), helper, dice.chance(50), parameter, is_property
    )
