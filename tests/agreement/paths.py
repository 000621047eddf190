"""Paths through the state: where an expression of a random spec reads, and where a statement assigns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .dice import Dice
from .types import Type, reaches

Want = Callable[[Type], bool]


class Paths:
    """The names in scope, and random paths from them to parts of a wanted type."""

    fuel = 2
    wide = False
    """Whether numbers reach the edges of a machine word."""

    def __init__(self, dice: Dice) -> None:
        self.dice = dice
        self.roots: list[tuple[str, Type]] = []
        self._names = 0

    def number(self) -> str:
        """Some integer, as source text."""
        raise NotImplementedError

    def name(self, stem: str) -> str:
        """A fresh local name."""
        self._names += 1
        return f"{stem}{self._names}"

    @contextmanager
    def scope(self, *more: tuple[str, Type]) -> Iterator[None]:
        """More names are known in the body; what it adds is forgotten after it."""
        length = len(self.roots)
        self.roots += more
        yield
        del self.roots[length:]

    @contextmanager
    def only(self, roots: list[tuple[str, Type]]) -> Iterator[None]:
        """Only these names are known in the body."""
        outer, self.roots = self.roots, list(roots)
        yield
        self.roots = outer

    def path(self, want: Want, writable: bool = False) -> tuple[str, Type] | None:
        """A path to a part that is wanted; None when there is none."""
        roots = [
            r for r in self.roots if reaches(r[1], want, False, writable) and not (writable and self._constant(*r))
        ]
        if not roots:
            return None
        easy = [r for r in roots if want(r[1])]
        if easy and self.dice.chance(40):
            return self._descend(*self.dice.pick(easy), want, writable)
        sure = [r for r in roots if reaches(r[1], want, True, writable)]
        surely = bool(sure) and self.dice.chance(85)
        return self._descend(*self.dice.pick(sure if surely else roots), want, writable, surely)

    def _constant(self, name: str, type: Type) -> bool:
        return name.startswith("before") or ("." not in name and not type.composite)

    def _descend(self, text: str, type: Type, want: Want, writable: bool, surely: bool = False) -> tuple[str, Type]:
        while True:
            inner = [c for c in type.children(writable) if reaches(c, want, surely, writable)]
            inner = [] if surely and type.kind == "seq" else inner
            if want(type) and (not inner or self.dice.chance(70)):
                return text, type
            if type.kind in ("record", "pair"):
                name, child = self.dice.pick([(n, c) for n, c in type.fields if c in inner])
                text, type = f"{text}.{name}", child
            else:
                text, type = self._element(text, type), type.of

    def _element(self, text: str, type: Type) -> str:
        if type.kind == "map":
            return f"{text}[{self.key(type)}]"
        if type.kind == "seq" and self.dice.chance(30):
            return f"{text}.{self.dice.pick(('first', 'last'))}"
        return f"{text}[{self.index(type)}]"

    def index(self, type: Type) -> str:
        """An index of an array or a sequence, mostly a good one."""
        rare = 1 if self.fuel > 0 else 0
        kind = self.dice.weighted({"plain": 55, "back": 12, "modulo": 25 * rare, "any": 6 * rare})
        if kind == "plain":
            return str(self.dice.integer(0, type.n - 1) if type.kind == "array" else 0)
        if kind == "back":
            return str(-self.dice.integer(1, type.n if type.kind == "array" else 1))
        inner = self.number()
        return f"({inner}) % {type.n}" if kind == "modulo" else inner

    def key(self, type: Type) -> str:
        """A key of a map, mostly a good one."""
        key = type.fields[0][1]
        if self.fuel <= 0 or self.dice.chance(55):
            return self.dice.pick(type.literals)
        if key.kind == "int":
            span = key.hi - key.lo + 1
            return self.number() if self.dice.chance(30) else f"{key.lo} + ({self.number()}) % {span}"
        found = self.path(lambda t: t.kind == key.kind and t.literals == key.literals)
        return found[0] if found else self.dice.pick(type.literals)
