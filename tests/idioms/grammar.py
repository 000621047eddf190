"""A grammar of Python text: productions with typed holes, and the trees that are derived from them.

A production is text with holes in braces:

- `{int}` is text of that kind; `{int x y}` may also use the names x and y, which the production binds;
- `{x:int}` binds a fresh name, and `{=x:int}` one that the following statements of the block know, too;
- `{x}` is a name that the production binds; `{@list}` is a local name of that kind, never another text;
- `{+|-}` is one of several texts, `{0..3}` a number; `{{` and `}}` are braces.

A text that begins with `!` changes the state or chooses, so properties have none of it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.agreement.dice import Dice

HOLES = re.compile(r"\{\{|\}\}|\{[^{}]*\}")
DEEPEST = 99


@dataclass(frozen=True)
class Part:
    """A part of a production: `what` is text, hole, bind, name, local, either or number."""

    what: str
    text: str
    names: tuple[str, ...] = ()
    kind: str = ""
    kept: bool = False
    """Of a bound name: whether the following statements know it."""


@dataclass(frozen=True, eq=False)
class Production:
    """One way to write text of a kind."""

    kind: str
    text: str
    weight: int
    writes: bool
    parts: tuple[Part, ...]

    @functools.cached_property
    def needs(self) -> frozenset[str]:
        """Kinds of text that it is made of."""
        bound = {part.kind for part in self.parts if part.what == "bind"}
        return frozenset(part.kind for part in self.parts if part.what == "hole" and part.kind not in bound)

    @functools.cached_property
    def locals(self) -> frozenset[str]:
        """Kinds of which it needs a local name."""
        return frozenset(part.kind for part in self.parts if part.what == "local")


def production(kind: str, text: str, weight: int = 4) -> Production:
    """A production from its text."""
    writes = text.startswith("!")
    text = text.removeprefix("!")
    return Production(kind, text, weight, writes, tuple(_parts(text)))


def _parts(text: str) -> Iterator[Part]:
    bound = {m.lstrip("=") for m in re.findall(r"\{(=?[\w.]+):\w+\}", text)}
    at = 0
    for match in HOLES.finditer(text):
        if match.start() > at:
            yield Part("text", text[at : match.start()])
        at = match.end()
        yield _hole(match.group(), bound)
    if at < len(text):
        yield Part("text", text[at:])


def _hole(text: str, bound: set[str]) -> Part:
    if text in ("{{", "}}"):
        return Part("text", text[0])
    inner = text[1:-1]
    if "|" in inner:
        return Part("either", inner)
    if ".." in inner:
        return Part("number", inner)
    if ":" in inner:
        name, kind = inner.split(":")
        return Part("bind", name.lstrip("="), kind=kind, kept=name.startswith("="))
    if inner in bound:
        return Part("name", inner)
    word, *names = inner.split()
    return Part("local" if word.startswith("@") else "hole", word.lstrip("@"), tuple(names), word.lstrip("@"))


@dataclass
class Name:
    """A name in scope; `level` is how many functions enclose it."""

    text: str
    kind: str
    level: int


@dataclass
class Node:
    """Text that was derived: the production, and for each of its parts a node, or text that was chosen."""

    production: Production
    values: list[Node | str] = field(default_factory=list)

    def __str__(self) -> str:
        out = ""
        for value in self.values:
            line = out.rpartition("\n")[2]
            text = str(value)
            if "\n" in text and not line.strip():
                text = text.replace("\n", "\n" + line)
            out += text
        return out

    @property
    def children(self) -> list[Node]:
        """The nodes among the values."""
        return [value for value in self.values if isinstance(value, Node)]

    def walk(self) -> Iterator[Node]:
        """It and all nodes below it."""
        yield self
        for child in self.children:
            yield from child.walk()


class Block(Node):
    """Some statements, one after the other."""

    def __str__(self) -> str:
        return "\n".join(map(str, self.values)) or "pass"


BLOCK = Production("block", "", 1, False, ())
NAMED = Production("name", "", 1, False, (Part("text", ""),))


class Grammar:
    """Productions by the kind of what they make."""

    def __init__(self, productions: list[Production]) -> None:
        self.by_kind: dict[str, list[Production]] = {}
        for made in productions:
            self.by_kind.setdefault(made.kind, []).append(made)
        self.depth = dict.fromkeys(self.by_kind, DEEPEST)
        self.depth["block"] = 1
        changed = True
        while changed:
            changed = False
            for kind, ways in self.by_kind.items():
                least = min(self.least(way) for way in ways)
                changed |= least < self.depth[kind]
                self.depth[kind] = min(least, self.depth[kind])

    def least(self, way: Production) -> int:
        """How deep a production nests at least, where no name is in scope."""
        return 1 + max((self.depth.get(need, DEEPEST) for need in way.needs), default=0)


class Author:
    """Derives text from a grammar."""

    def __init__(self, grammar: Grammar, dice: Dice, most: int = 40, pure: bool = False) -> None:
        self.grammar, self.dice, self.left, self.pure = grammar, dice, most, pure
        self.scope: list[Name] = []
        self.level = self._count = 0

    def derive(self, kind: str, fuel: int) -> Node:
        """Text of a kind that nests about `fuel` deep."""
        if kind == "block":
            return self.block(fuel)
        self.left -= 1
        fuel = fuel if self.left > 0 else 0
        known = [name for name in self.scope if name.kind == kind]
        ways = self._ways(kind, fuel, bool(known))
        if known and (not ways or self.dice.chance(45)):
            return Node(NAMED, [self.dice.pick(known).text])
        return self.written(self.dice.weighted({way: way.weight for way in ways}), fuel)

    def _ways(self, kind: str, fuel: int, known: bool) -> list[Production]:
        reach = self.grammar.depth | dict.fromkeys((name.kind for name in self.scope), 0)
        local = {name.kind for name in self.scope if name.level == self.level}
        ways = [w for w in self.grammar.by_kind.get(kind, ()) if not (self.pure and w.writes) and w.locals <= local]
        depths = [1 + max((reach.get(need, DEEPEST) for need in way.needs), default=0) for way in ways]
        least = min(depths, default=DEEPEST)
        most = fuel if known else max(fuel, least)
        return [way for way, depth in zip(ways, depths, strict=True) if depth <= min(most, DEEPEST - 1)]

    def block(self, fuel: int, keep: bool = False) -> Block:
        """Some statements; `keep` the names that they bind."""
        length, block = len(self.scope), Block(BLOCK)
        for _ in range(self.dice.integer(1, 3 if fuel > 2 else 2)):
            kept = len(self.scope)
            block.values.append(self.derive("stmt", fuel))
            if self.left <= 0 and len(self.scope) == kept:
                break
        if not keep:
            del self.scope[length:]
        return block

    def written(self, way: Production, fuel: int) -> Node:
        """Text by one production."""
        fresh = {p.text: Name(self._fresh(p.text), p.kind, self.level) for p in way.parts if p.what == "bind"}
        node = Node(way)
        for part in way.parts:
            node.values.append(self._value(part, fresh, fuel))
        self.scope += [fresh[p.text] for p in way.parts if p.what == "bind" and p.kept]
        return node

    def _value(self, part: Part, fresh: dict[str, Name], fuel: int) -> Node | str:
        if part.what == "text":
            return part.text
        if part.what in ("bind", "name"):
            return fresh[part.text].text
        if part.what == "either":
            return self.dice.pick(part.text.split("|"))
        if part.what == "number":
            low, high = part.text.split("..")
            return str(self.dice.integer(int(low), int(high)))
        if part.what == "local":
            return self.dice.pick([n for n in self.scope if n.kind == part.kind and n.level == self.level]).text
        inner = "def" in part.names
        self.level += inner
        length = len(self.scope)
        self.scope += [Name(fresh[n].text, fresh[n].kind, self.level) for n in part.names if n != "def"]
        made = self.derive(part.kind, fuel - 1)
        del self.scope[length:]
        self.level -= inner
        return made

    def _fresh(self, stem: str) -> str:
        if "." in stem:
            return stem
        self._count += 1
        return f"{stem}{self._count}"
