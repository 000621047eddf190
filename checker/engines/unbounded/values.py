"""What expressions of a spec mean for any number of elements: sorts, numbers of few values, and what is counted.

A constant that is left open, such as the number of clients, gives an unbounded sort. Its elements can be compared, put
in order, and used as indices. There is no arithmetic on them, and their number is only compared with how many of them
satisfy a condition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...backends.smt import z3
from ...errors import EverystateError, Where


class Sort:
    """The elements 0, 1, 2, ... that are fewer than a constant, which may have any value from 1 on."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.of = z3.DeclareSort(name)
        self.first = z3.Const(f"the first of {name}", self.of)
        self._less = z3.Function(f"less in {name}", self.of, self.of, z3.BoolSort())
        self.ordered = False
        """Whether a formula puts elements in order."""

    def less(self, a: Any, b: Any) -> Any:
        """That an element is before another one."""
        self.ordered = True
        return self._less(a, b)

    def fresh(self, name: str) -> Any:
        """A new constant of this sort."""
        return z3.FreshConst(self.of, name)

    @property
    def axioms(self) -> list[Any]:
        """That the elements are in a total order, with a first one."""
        a, b, c = (z3.Const(f"{letter} of {self.name}", self.of) for letter in "abc")
        less = self._less
        return [
            z3.ForAll([a], z3.Not(less(a, a))),
            z3.ForAll([a, b, c], z3.Implies(z3.And(less(a, b), less(b, c)), less(a, c))),
            z3.ForAll([a, b], z3.Or(a == b, less(a, b), less(b, a))),
            z3.ForAll([a], z3.Not(less(a, self.first))),
        ]


@dataclass(frozen=True)
class Fixed:
    """Indices that do not depend on an open constant."""

    keys: tuple[Any, ...]


Index = Sort | Fixed


@dataclass(frozen=True)
class Truth:
    """A condition."""

    term: Any


@dataclass(frozen=True)
class Element:
    """An element of a sort."""

    sort: Sort
    term: Any


@dataclass(frozen=True)
class Number:
    """A whole number between bounds that do not depend on an open constant."""

    term: Any
    lo: int
    hi: int


@dataclass(frozen=True)
class Member:
    """One of some named values, as its position."""

    term: Any
    members: tuple[Any, ...]


@dataclass(frozen=True)
class Maybe:
    """A value that may be None."""

    present: Any
    value: Any


@dataclass(frozen=True)
class Size:
    """The number of elements of a sort, plus a number; `half` for half of it, rounded down, plus a number."""

    sort: Sort
    plus: int = 0
    half: bool = False


@dataclass(frozen=True)
class Range:
    """The elements of a sort; with `below` those before one of them."""

    sort: Sort
    below: Any = None


@dataclass(frozen=True)
class Keys:
    """All combinations of some indices."""

    parts: tuple[Index, ...]


@dataclass(frozen=True)
class Case:
    """An element of a comprehension: for all values of the binders where a condition holds."""

    binders: tuple[tuple[Sort, Any], ...]
    condition: Any
    value: Any


@dataclass(frozen=True)
class Cases:
    """The elements of a comprehension, in order."""

    cases: tuple[Case, ...]
    lazy: bool = False
    """Whether it is a generator, whose elements are read when they are needed."""


@dataclass(frozen=True)
class Repeated:
    """A list with one value for all elements of a sort; the first one may differ. One too short unless `whole`."""

    sort: Sort
    first: Any
    rest: Any
    whole: bool


@dataclass(frozen=True)
class Count:
    """How many elements satisfy their condition, times a factor."""

    cases: tuple[Case, ...]
    factor: int = 1


@dataclass(frozen=True)
class Majority:
    """A relation that holds where more than half of the elements of a sort satisfy a condition.

    `relation` takes the parameters. The condition is about these and about one more element, `counted`.
    """

    relation: Any
    parameters: tuple[Any, ...]
    sort: Sort
    counted: Any
    condition: Any

    @property
    def name(self) -> str:
        """The name of the relation."""
        return str(self.relation)


# -- parts of a state ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Leaf:
    """A value in a state: `kind` is bool, member, number or element; it may be None if `optional`."""

    kind: str
    members: tuple[Any, ...] = ()
    lo: int = 0
    hi: int = 0
    sort: Sort | None = None
    optional: bool = False

    @property
    def sorts(self) -> list[Any]:
        """The sorts of its parts for z3."""
        own = {"bool": z3.BoolSort, "member": z3.IntSort, "number": z3.IntSort}
        part = self.sort.of if self.sort is not None else own[self.kind]()
        return [z3.BoolSort(), part] if self.optional else [part]

    @property
    def bounds(self) -> tuple[int, int]:
        """The least and greatest value of a member or a number."""
        return (0, len(self.members) - 1) if self.kind == "member" else (self.lo, self.hi)

    @property
    def without(self) -> Leaf:
        """The same, which is not None."""
        return Leaf(self.kind, self.members, self.lo, self.hi, self.sort)

    def value(self, parts: Sequence[Any]) -> Any:
        """The value of some parts."""
        if self.optional:
            return Maybe(parts[0], self.without.value(parts[1:]))
        match self.kind:
            case "bool":
                return Truth(parts[0])
            case "member":
                return Member(parts[0], self.members)
            case "number":
                return Number(parts[0], self.lo, self.hi)
        assert self.sort is not None
        return Element(self.sort, parts[0])


@dataclass(frozen=True)
class Shape:
    """A domain: the indices of a part of it, and that part; a set has its possible members as indices."""

    indices: tuple[Index, ...] = ()
    part: Shape | None = None
    leaf: Leaf | None = None
    is_set: bool = False
    is_map: bool = False
    initial: Any = None
    """The value at the beginning, see `declarations`."""

    @property
    def whole(self) -> tuple[Index, ...]:
        """The indices of its leaves."""
        return (*self.indices, *(self.part.whole if self.part is not None else ()))

    @property
    def end(self) -> Leaf:
        """Its leaves, which are all alike."""
        found = self.part.end if self.part is not None else self.leaf
        assert found is not None
        return found


@dataclass(frozen=True)
class View:
    """A part of a variable: its shape, and the indices that lead to it."""

    variable: str
    shape: Shape
    at: tuple[Any, ...] = ()


Read = Callable[[tuple[Any, ...]], tuple[Any, ...]]
"""The parts of a leaf of a variable at some indices."""


@dataclass
class Variables:
    """The variables of a spec, and their functions in an arbitrary state."""

    shapes: dict[str, Shape] = field(default_factory=dict)
    functions: dict[str, list[Any]] = field(default_factory=dict)

    def declare(self, name: str, shape: Shape) -> None:
        """Add a variable."""
        inputs = [index.of if isinstance(index, Sort) else z3.IntSort() for index in shape.whole]
        self.shapes[name] = shape
        self.functions[name] = [
            z3.Function(f"{name}.{i}", *inputs, sort) if inputs else z3.Const(f"{name}.{i}", sort)
            for i, sort in enumerate(shape.end.sorts)
        ]

    def state(self) -> dict[str, Read]:
        """An arbitrary state."""
        return {name: self._read(name) for name in self.shapes}

    def _read(self, name: str) -> Read:
        functions = self.functions[name]
        return lambda at: tuple(f(*at) if at else f for f in functions)

    @property
    def axioms(self) -> list[Any]:
        """That numbers and named values are in their domains."""
        found = []
        for name, shape in self.shapes.items():
            if shape.end.kind in ("member", "number"):
                lo, hi = shape.end.bounds
                at, _ = arbitrary(shape)
                term = self._read(name)(at)[-1]
                found.append(for_all([v for v in at if z3.is_const(v)], z3.And(lo <= term, term <= hi)))
        return found


def arbitrary(shape: Shape) -> tuple[tuple[Any, ...], list[tuple[Sort, Any]]]:
    """Indices of an arbitrary leaf as new constants, and those of them that are elements."""
    at: list[Any] = []
    elements = []
    for index in shape.whole:
        if isinstance(index, Sort):
            at.append(index.fresh("i"))
            elements.append((index, at[-1]))
        else:
            at.append(z3.FreshConst(z3.IntSort(), "k"))
    return tuple(at), elements


def for_all(binders: Sequence[Any], condition: Any) -> Any:
    """That a condition holds for all values of some constants."""
    return z3.ForAll(list(binders), condition) if binders else condition


def exists(binders: Sequence[Any], condition: Any) -> Any:
    """That a condition holds for some values of some constants."""
    return z3.Exists(list(binders), condition) if binders else condition


def refused(what: str, where: Where | None, names: str = "") -> EverystateError:
    """What cannot be proved for any number of elements."""
    return EverystateError("E517", where, what=what, names=names)
