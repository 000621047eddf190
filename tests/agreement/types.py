"""The types of random specs: domains with their source text, and random ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .dice import Dice


@dataclass(frozen=True)
class Type:
    """A domain: its kind, its source text, and what its values are made of."""

    kind: str
    text: str
    lo: int = 0
    hi: int = 0
    n: int = 0
    """Elements of an array, capacity of a sequence."""
    literals: tuple[str, ...] = ()
    """Members of an enum, keys of a map, the class name of a record, as source text."""
    element: Type | None = None
    fields: tuple[tuple[str, Type], ...] = ()
    """Fields of a record; of a map only ("key", type of the keys)."""
    cells: int = 1

    @property
    def of(self) -> Type:
        """The type of the elements."""
        assert self.element is not None
        return self.element

    @property
    def composite(self) -> bool:
        """Whether values are objects that can change in place."""
        return self.kind in ("record", "array", "seq", "set", "map")

    def children(self, writable: bool = False) -> Iterator[Type]:
        """The types of the parts that can be reached without asking whether they exist, and perhaps assigned."""
        if self.kind == "record" or (self.kind == "pair" and not writable):
            yield from (t for _, t in self.fields)
        elif self.kind in ("array", "seq", "map"):
            yield self.of


BOOL = Type("bool", "Bool()")
PAIR = Type("pair", "Pair", fields=(("x", Type("int", "Int(0, 2)", 0, 2)), ("on", BOOL)), cells=2)
"""A NamedTuple."""
EDGES = tuple(sign * ((1 << bits) + by) for bits in (31, 32, 53, 60, 61) for by in (0, -1, 1) for sign in (1, -1))
"""Where numbers stop to fit into 32 bits, into a float, and (at 62 bits) into a domain."""
MOST = (1 << 62) - 1
"""No bound of a domain is larger."""
BEYOND = tuple(sign * ((1 << bits) + by) for bits in (62, 63, 64, 70) for by in (0, -1, 1) for sign in (1, -1))
"""Where numbers stop to fit into a machine word."""


def plain(type: Type, high: bool = False) -> str:
    """The lowest value of a type (or a high one) as source text."""
    if type.kind in ("int", "bool"):
        return str(type.hi if high else type.lo) if type.kind == "int" else str(high)
    if type.kind in ("enum",):
        return type.literals[-1 if high else 0]
    if type.kind == "option":
        return plain(type.of, high) if high else "None"
    if type.kind == "pair":
        return f"Pair({', '.join(plain(t, high) for _, t in type.fields)})"
    if type.kind == "record":
        return f"{type.literals[0]}({', '.join(f'{n}={plain(t, high)}' for n, t in type.fields)})"
    if type.kind == "map":
        return f"{{{', '.join(f'{k}: {plain(type.of, high)}' for k in type.literals)}}}"
    if type.kind == "set":
        return f"{{{plain(type.of, high)}}}" if high else "set()"
    count = type.n if type.kind == "array" else min(type.n, 2 if high else 0)
    return f"[{', '.join([plain(type.of, high)] * count)}]"


def reaches(found: Type, want: Callable[[Type], bool], surely: bool = False, writable: bool = False) -> bool:
    """Whether a part of a type (or all of it) is wanted; surely: not through a sequence, which may be empty."""
    if want(found) or (surely and found.kind == "seq"):
        return want(found)
    return any(reaches(child, want, surely, writable) for child in found.children(writable))


def integer(lo: int, hi: int) -> Type:
    return Type("int", f"Int({lo}, {hi})", lo, hi)


class Types:
    """Random types of one spec, over its enums and record classes."""

    def __init__(self, dice: Dice, wide: bool = False) -> None:
        self.dice, self.wide = dice, wide
        self.enums = [self._strings(), Type("enum", "Enum(Color)", literals=("Color.RED", "Color.GREEN", "Color.BLUE"))]
        if self.dice.chance(40):
            self.enums.append(Type("enum", 'Enum("busy", "gone", "idle")', literals=('"busy"', '"gone"', '"idle"')))
        self.records: list[Type] = []

    def _strings(self) -> Type:
        names = tuple(f'"{n}"' for n in ("idle", "busy", "done", "lost")[: self.dice.integer(2, 4)])
        return Type("enum", f"Enum({', '.join(names)})", literals=names)

    def scalar(self) -> Type:
        """A number, a boolean or an enum."""
        kind = self.dice.weighted({"int": 6, "bool": 2, "enum": 2})
        if kind == "int" and self.wide and self.dice.chance(35):
            return self._edge()
        if kind == "int" and self.dice.chance(3):
            return integer(-(10 ** self.dice.integer(3, 6)), 10**6)
        if kind == "int":
            lo = self.dice.pick((0, 0, 0, 1, -1, -2, -3, 3))
            return integer(lo, lo + self.dice.pick((2, 3, 1, 5, 0, 6, 12)))
        return BOOL if kind == "bool" else self.dice.pick(self.enums)

    def _edge(self) -> Type:
        """Numbers between two edges."""
        one, other = self.dice.pick((0, -1, 1, *EDGES)), self.dice.pick((MOST, -MOST, *EDGES))
        lo, hi = min(one, other), max(one, other)
        return integer(max(lo, hi - MOST), hi)

    def any(self, depth: int) -> Type:
        """A type that nests `depth` times at most."""
        if depth == 0:
            return self.scalar()
        kinds = {"scalar": 5, "array": 3, "seq": 4, "set": 2, "map": 2, "option": 2, "pair": 1}
        if self.records:
            kinds["record"] = 4
        kind = self.dice.weighted(kinds)
        return self.scalar() if kind == "scalar" else getattr(self, f"_{kind}")(depth)

    def _pair(self, depth: int) -> Type:
        return PAIR

    def _record(self, depth: int) -> Type:
        return self.dice.pick(self.records)

    def _length(self, depth: int) -> tuple[int, Type]:
        """How many elements, and their type; more where they are small."""
        inner = self.any(depth - 1)
        return self.dice.pick((2, 3, 1, 3, 4) if inner.cells == 1 else (2, 3, 1)), inner

    def _array(self, depth: int) -> Type:
        n, inner = self._length(depth)
        return Type("array", f"Array({n}, {inner.text})", n=n, element=inner, cells=n * inner.cells)

    def _seq(self, depth: int) -> Type:
        n, inner = self._length(depth)
        return Type("seq", f"Seq({inner.text}, {n})", n=n, element=inner, cells=1 + n * inner.cells)

    def _set(self, depth: int) -> Type:
        inner = self.dice.pick([integer(0, 2), integer(-1, 1), BOOL, PAIR, *self.enums])
        size = len(inner.literals) or {"bool": 2, "int": 3, "pair": 6}[inner.kind]
        if self.dice.chance(40):
            n = self.dice.pick((2, 3, 1))
            return Type("set", f"Set({inner.text}, capacity={n})", n=n, element=inner, cells=1 + n * inner.cells)
        return Type("set", f"Set({inner.text})", element=inner, cells=size)

    def _map(self, depth: int) -> Type:
        texts, key = self.dice.pick(
            [
                ("range(2)", integer(0, 1)),
                ("range(1, 4)", integer(1, 3)),
                ("[3, -1]", Type("int", "", -1, 3, literals=("3", "-1"))),
                ("Bool()", BOOL),
                *((e.text, e) for e in self.enums),
            ]
        )
        truths = ("False", "True") if key.kind == "bool" else ()
        literals = key.literals or truths or tuple(map(str, range(key.lo, key.hi + 1)))
        inner = self.any(depth - 1)
        text = f"Map({texts}, {inner.text})"
        keys = (("key", key),)
        return Type("map", text, literals=literals, element=inner, fields=keys, cells=len(literals) * inner.cells)

    def _option(self, depth: int) -> Type:
        inner = self.any(depth - 1)
        if inner.kind == "option":
            return inner
        return Type("option", f"Option({inner.text})", element=inner, cells=1 + inner.cells)

    def record(self, name: str) -> Type:
        """A new record class of two or three fields."""
        fields = tuple((f, self.any(1)) for f in ("u", "v", "w")[: self.dice.integer(2, 3)])
        text = f"{name}.of({', '.join(f'{f}={t.text}' for f, t in fields)})" if self.dice.chance(30) else name
        made = Type("record", text, fields=fields, literals=(name,), cells=sum(t.cells for _, t in fields))
        self.records.append(made)
        return made
