"""Domains: the finite sets of values that variables, fields and parameters range over.

A domain knows four things about its values: how many integer cells one takes and the interval of each
(`cells`), how to build a fresh, validated Python value (`make`), how to write it into cells (`encode`) and
how to read it back (`decode`). Cells are the only currency between the language and the engines. Unused
cells (sequence slots past the length, the payload of an absent option) hold their lower bound, so equal
values have equal cells. Here are those of single values; `composite_domains` are made of others.
"""

from __future__ import annotations

import dataclasses
import enum
import itertools
import math
import operator
import sys
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import Any, TypeVar

from ..errors import CheckedError, EverystateError, is_ours, user_place
from .outside import outside
from .values import CollectionValue, RecordValue

D = TypeVar("D", bound="Domain")


@dataclass(frozen=True)
class Cell:
    """One integer of a state: `path` names it for people, lo..hi is its closed interval."""

    path: str
    lo: int
    hi: int
    boolean: bool = False


@dataclass(frozen=True)
class Piece:
    """A component of the values of a domain: its own domain, its first cell, and the path that names it for people.

    `source` writes it in Python, given the whole and the key. `exists` is (cell, number) for a component that values
    have only while that cell exceeds the number, and whose cells are at their lower bound otherwise.
    """

    domain: Domain
    at: int
    path: str
    source: Callable[[str, str], str]
    key: Any = None
    exists: tuple[int, int] | None = None


def indexed(whole: str, key: str) -> str:
    """A component by its index or key, in Python."""
    return f"{whole}[{key}]"


class AnyOf:
    """Several initial values, as the `init=` of a domain: each of them begins a state of its own.

    `AnyOf(1, 2)` has these, `AnyOf(range(5))` those of an iterable or of a domain, `AnyOf()` the whole domain. A value
    outside of the domain is an error (E203).

        self.count = Int(0, 3, init=AnyOf(1, 2))
        self.busy = Bool(init=AnyOf())
    """

    def __init__(self, *values: Any) -> None:
        whole = not values
        if len(values) == 1 and isinstance(values[0], (range, list, tuple, set, frozenset, Domain)):
            values = tuple(values[0].values() if isinstance(values[0], Domain) else values[0])
        if not whole and not values:
            facts = {"reason": "there is no value to begin with", "remedy": "AnyOf() is the whole domain"}
            raise EverystateError("E202", user_place(), domain="AnyOf([])", **facts)
        self.values: tuple[Any, ...] = values

    def __repr__(self) -> str:
        return f"AnyOf({', '.join(map(repr, self.values))})"


class Unset(enum.Enum):
    """The default of an argument that was not given; help() shows it as `...`."""

    UNSET = 0

    def __repr__(self) -> str:
        return "..."


UNSET = Unset.UNSET


class Domain:
    """A finite set of values, the base class of `Int`, `Bool` and all others; iterating gives the values.

    `init=` of each gives the initial value, or several as `AnyOf(...)`. The default is the lowest value; a value with
    parts begins with their initial values. A subclass may have an `__init__` of its own, and nothing else (E202).

        self.count = Int(0, 3)
        self.busy = any(self.count == n for n in Int(1, 2))  # in an action
    """

    size: int
    immutable = False
    """Whether values are immutable."""
    shape = "number"
    """The shape of values, which each `forms.Form` has a method for."""
    ordered = False
    """Whether the components of a value are sorted, those that exist first."""
    most: int | None = None
    """The maximum sum of the cells, where there is one."""

    def __init_subclass__(cls) -> None:
        """A user-defined subclass may change how a domain is made; its values are defined by the base class (E202)."""
        super().__init_subclass__()
        if is_ours(sys._getframe(1).f_code.co_filename):
            return
        for name in vars(cls):
            theirs = not name.startswith("__") or name in ("__eq__", "__getattr__", "__getattribute__", "__setattr__")
            if theirs and (hasattr(Domain, name) or any(name in vars(base) for base in cls.__mro__[1:])):
                remedy = "override __init__ only"
                facts = {"reason": f"it has a {name} of its own", "remedy": remedy}
                raise EverystateError("E202", user_place(), domain=cls.__name__, **facts)

    def __init__(self, init: Any = UNSET) -> None:
        self.init = init
        self.place = None if init is UNSET else user_place()

    @property
    def has_init(self) -> bool:
        """Whether init= is given."""
        return self.init is not UNSET

    def cells(self, path: str) -> Iterator[Cell]:
        """The cells of one value, in order."""
        for piece in self.pieces(path):
            yield from piece.domain.cells(piece.path)

    def pieces(self, path: str = "") -> Iterator[Piece]:
        """The components of a value, in the order of their cells; none of a domain that takes one cell."""
        return iter(())

    def sums(self, at: int) -> Iterator[tuple[int, int, int]]:
        """(start, size, most) where the sum of so many cells is bounded, in a value whose cells start at `at`."""
        if self.most is not None:
            yield at, self.size, self.most
        for piece in self.pieces():
            yield from piece.domain.sums(at + piece.at)

    def inner(self) -> Sequence[Domain]:
        """The domains that this one is made of, and that of its keys."""
        return ()

    def moved(self, value: Any, by: Mapping[str, tuple[int, ...]]) -> Any:
        """The image of a value under a permutation of interchangeable values."""
        return value

    def make(self, value: Any) -> Any:
        """A fresh value equal to `value`; CheckedError E301 when it is outside the domain."""
        raise NotImplementedError

    def member(self, value: Any) -> Any:
        """The same as a member of a set or a key, which never changes."""
        return self.make(value)

    def count(self) -> int:
        """How many values there are."""
        return math.prod(c.hi - c.lo + 1 for c in self.cells(""))

    def changing(self) -> Domain | None:
        """The mutable part of this domain, which a member of a set cannot have; None where there is none."""
        return None if self.immutable else self

    def code(self, value: Any) -> int | None:
        """The integer that encodes a member in its cell, None for other values; for domains of one cell.

        This alone decides membership: a value belongs to a domain if it equals a member and is an instance of the
        member's class. On symbols `ir.membership` calls it for each value that a symbol may have.
        """
        raise NotImplementedError

    def no_member(self, value: Any) -> EverystateError:
        """The error of an assignment of a known value that is no member."""
        return self._reject(value)

    def lowest(self) -> Any:
        """The value whose cells are all at their lower bound."""
        raise NotImplementedError

    def encode(self, value: Any, out: list[int]) -> None:
        """Append the cells of a valid value."""
        raise NotImplementedError

    def decode(self, cells: Sequence[int], at: int) -> Any:
        """The value whose cells start at position `at`."""
        raise NotImplementedError

    def values(self) -> list[Any]:
        """All values, lowest first; only for domains small enough to list."""
        return list(self.each_value())

    def each_value(self) -> Iterable[Any]:
        """The same, one after the other."""
        spans = [range(cell.lo, cell.hi + 1) for cell in self.cells("")]
        alone = len(spans) == 1  # a product would list the span
        return (self.decode(codes, 0) for codes in (zip(*spans, strict=True) if alone else itertools.product(*spans)))

    def __iter__(self) -> Iterator[Any]:
        """All values, for quantifiers and loops: each a fresh one."""
        return iter(alternatives(self))

    def parts(self) -> list[tuple[str, Domain]]:
        """Component domains whose own init= matters when this domain has none."""
        return []

    def join(self, values: Sequence[Any]) -> Any:
        """A value from one value per part."""
        return self.lowest()

    def initials(self) -> list[Any]:
        """The initial values: init= if given, else every combination of the parts' initial values."""
        return list(self.each_initial())

    def each_initial(self) -> Iterator[Any]:
        """The initial values, one after the other."""
        if isinstance(self.init, AnyOf):
            yield from (self._initial(v) for v in (self.init.values or self.each_value()))
        elif self.init is not UNSET:
            yield self._initial(self.init)
        elif not self.parts():
            yield self.lowest()
        else:
            for chosen in itertools.product(*(domain.initials() for _, domain in self.parts())):
                yield self.make(self.join(chosen))

    def show(self, value: Any) -> str:
        """The value as people write it."""
        return repr(value)

    def _initial(self, value: Any) -> Any:
        try:
            return self.make(value)
        except CheckedError:
            raise EverystateError("E203", self.place, value=value, domain=self) from None

    def _reject(self, value: Any) -> CheckedError:
        return outside(value, repr(value), self)

    def _malformed(self, reason: str, remedy: str) -> EverystateError:
        name = "Set" if isinstance(self, ListedValues) else type(self).__name__
        facts = {"domain": name, "reason": reason, "remedy": remedy}
        return EverystateError("E202", user_place(), **facts)

    def _needs(self, given: Any, what: str, example: str) -> None:
        """E202 when an argument is missing."""
        if given is UNSET:
            raise self._malformed(f"it lacks {what}", f"write for example {example}")


class Scalar(Domain):
    """Numbers, booleans and members of enums, which take one cell."""

    size = 1
    immutable = True


def of_kind(value: Any, member: Any) -> bool:
    """Whether a value, or a symbol, is an instance of a member's class; of a tuple, whether each part is.

    True is an int, and so is a member of an IntEnum; 1 is neither of them, though it equals both.
    """
    if not isinstance(member, tuple):
        return isinstance(value, type(member))
    return isinstance(value, tuple) and len(value) == len(member) and all(map(of_kind, value, member))


def _whole(value: Any) -> Any:
    """A number of Python's own for one of a library that counts with whole numbers, as numpy does."""
    return operator.index(value) if hasattr(type(value), "__index__") and not isinstance(value, int) else value


class Int(Scalar):
    """The whole numbers lo..hi, both included; the initial value is lo, unless `init` says otherwise.

    Bounds that are no numbers, or in the wrong order, are an error (E202). To assign a value outside of them is an
    error of the spec (E301), with a trace that leads there.

        self.count = Int(0, 3)
        self.count = min(3, self.count + 1)  # in an action
    """

    def __init__(self, lo: Any = UNSET, hi: Any = UNSET, init: Any = UNSET) -> None:
        super().__init__(init)
        self._needs(hi, "a bound", "Int(0, 3), which has 0, 1, 2 and 3")
        lo, hi = _whole(lo), _whole(hi)
        if not (isinstance(lo, int) and isinstance(hi, int)):
            raise self._malformed(f"the bounds {lo!r} and {hi!r} are not both integers", "correct its bounds")
        if lo > hi:
            raise self._malformed(f"the lower bound {lo} is above the upper bound {hi}", "correct its bounds")
        if hi - lo >= 1 << 62 or max(abs(lo), abs(hi)) >= 1 << 62:
            raise self._malformed("bounds beyond 2^62 do not fit a machine word", "correct its bounds")
        self.lo, self.hi = lo, hi

    def __repr__(self) -> str:
        return f"Int({self.lo}, {self.hi})"

    def cells(self, path: str) -> Iterator[Cell]:
        yield Cell(path, self.lo, self.hi)

    def code(self, value: Any) -> int | None:
        if type(value) is not int:
            if not isinstance(value, int):
                return None
            value = int.__index__(value)
        return value if self.lo <= value <= self.hi else None

    def make(self, value: Any) -> Any:
        code = self.code(value)
        if code is None:
            raise self._reject(value)
        return code

    def lowest(self) -> int:
        return self.lo

    def encode(self, value: Any, out: list[int]) -> None:
        out.append(value)

    def decode(self, cells: Sequence[int], at: int) -> int:
        return cells[at]


def compares(cls: type) -> bool:
    """Whether a class has an __eq__ or __ne__ of its own; those from Python's library compare the parts."""
    own = [vars(base)[n] for base in cls.__mro__ for n in ("__eq__", "__ne__") if n in vars(base)]
    codes = [m.__code__.co_filename for m in own if isinstance(m, FunctionType)]
    return any(name != "<string>" and not is_ours(name) for name in codes)


class Bool(Scalar):
    """False and True; the initial value is False, unless `init` says otherwise.

    To assign a number or anything else is an error of the spec (E301).

        self.busy = Bool()
        self.busy = not self.busy  # in an action
    """

    def __repr__(self) -> str:
        return "Bool()"

    shape = "boolean"

    def cells(self, path: str) -> Iterator[Cell]:
        yield Cell(path, 0, 1, boolean=True)

    def code(self, value: Any) -> int | None:
        return int(value) if isinstance(value, bool) else None

    def make(self, value: Any) -> Any:
        if self.code(value) is None:
            raise self._reject(value)
        return value

    def lowest(self) -> bool:
        return False

    def encode(self, value: Any, out: list[int]) -> None:
        out.append(int(value))

    def decode(self, cells: Sequence[int], at: int) -> bool:
        return bool(cells[at])


class Enum(Scalar):
    """Named values, as strings or as a class derived from enum.Enum; the first one is the initial value.

    A value that is no member is an error wherever it is assigned or compared (E212), with the closest name.

        self.phase = Enum("idle", "busy")
        self.phase = "busy"  # in an action
    """

    shape = "name"

    def __init__(self, *members: Any, init: Any = UNSET) -> None:
        super().__init__(init)
        if len(members) == 1 and isinstance(members[0], type) and issubclass(members[0], enum.Enum):
            members = tuple(members[0])
        remedy = "list them one by one, Enum('idle', 'busy'), or name a class derived from enum.Enum"
        if not all(isinstance(m, (str, enum.Enum)) for m in members):
            raise self._malformed("members are strings or members of an enum.Enum class", remedy)
        same = alike(members, shown) if members else "it has no members"
        if same:
            raise self._malformed(same, remedy)
        other = next((type(m) for m in members if compares(type(m))), None)
        if other is not None:
            reason = f"{other.__name__} has an __eq__ of its own, and Python compares members by identity as well"
            raise self._malformed(reason, "leave __eq__ alone, and write a method of another name")
        for member in members:
            if isinstance(member, enum.Enum):  # so that Kind(self.kind) finds it, as Kind(Kind.A) does
                type(member)._value2member_map_.setdefault(member, member)
        self._list(tuple(members))

    def __repr__(self) -> str:
        return f"Enum({', '.join(map(self.show, self.members))})"

    def cells(self, path: str) -> Iterator[Cell]:
        yield Cell(path, 0, len(self.members) - 1)

    def _list(self, members: tuple[Any, ...]) -> None:
        self.members, self._index = members, {m: i for i, m in enumerate(members)}

    def code(self, value: Any) -> int | None:
        found = self._index.get(value) if unchanging(value) else None
        return found if found is not None and of_kind(value, self.members[found]) else None

    def make(self, value: Any) -> Any:
        code = self.code(value)
        if code is None:
            raise self._reject(value)
        return self.members[code]

    def no_member(self, value: Any) -> EverystateError:
        """E212 for a string or a member of another enum, which is always a mistake; else E301."""
        own = isinstance(value, enum.Enum) and any(isinstance(m, type(value)) for m in self.members)
        return self._reject(value) if own or not isinstance(value, (str, enum.Enum)) else no_member(value, self.members)

    def _initial(self, value: Any) -> Any:
        code = self.code(value)
        if code is None:
            raise no_member(value, self.members)
        return self.members[code]

    def lowest(self) -> Any:
        return self.members[0]

    def encode(self, value: Any, out: list[int]) -> None:
        out.append(self._index[value])

    def decode(self, cells: Sequence[int], at: int) -> Any:
        return self.members[cells[at]]

    def show(self, value: Any) -> str:
        return value.name if isinstance(value, enum.Enum) else str(value)


class ListedValues(Enum):
    """One of some listed values that never change, as in a Set: numbers, strings, enum members, tuples."""

    def __init__(self, values: Iterable[Any]) -> None:
        Domain.__init__(self)
        members = tuple(values)
        strange = [m for m in members if not unchanging(m)]
        if strange:
            raise self._malformed(f"{written(strange[0])} is no member", _MEMBERS)
        same = alike(members, self.show)
        if same:
            raise self._malformed(same, "correct its members")
        self._list(members)

    def __repr__(self) -> str:
        return f"[{', '.join(map(self.show, self.members))}]"

    def no_member(self, value: Any) -> EverystateError:
        return self._reject(value)

    def show(self, value: Any) -> str:
        if isinstance(value, tuple):
            return f"({', '.join(map(self.show, value))}{',' if len(value) == 1 else ''})"
        return shown(value)


def alike(values: Sequence[Any], show: Callable[[Any], str]) -> str:
    """That two values are equal, or look alike in traces; empty where all differ."""
    seen: dict[Any, Any] = {}
    printed: dict[str, Any] = {}
    for value in values:
        if value in seen:
            return f"{_called(seen[value])} and {_called(value)} are equal in Python"
        if show(value) in printed:
            return f"{_called(printed[show(value)])} and {_called(value)} are both shown as {show(value)}"
        seen[value] = printed[show(value)] = value
    return ""


def _called(value: Any) -> str:
    """A member as an author writes it."""
    return f"{type(value).__name__}.{value.name}" if isinstance(value, enum.Enum) else repr(value)


def unchanging(value: Any) -> bool:
    """Whether a value has a fixed identity: a number, a string, an enum member, None, or a tuple of these."""
    if isinstance(value, tuple):
        return not compares(type(value)) and all(map(unchanging, value))
    if isinstance(value, frozenset):
        return all(map(unchanging, value))
    if isinstance(value, RecordValue):
        return "_fixed" in value.__dict__
    if is_frozen_dataclass(type(value)):
        return not compares(type(value)) and all(map(unchanging, parts_of_value(value)))
    return value is None or isinstance(value, (int, str, enum.Enum))


_MEMBERS = "members are numbers, booleans, strings, enum members, and tuples or frozen dataclasses of these"


def is_frozen_dataclass(cls: Any) -> bool:
    """Whether a class makes immutable values with named parts."""
    parameters = getattr(cls, "__dataclass_params__", None)
    return isinstance(cls, type) and parameters is not None and parameters.frozen and parameters.eq


def is_named_tuple(cls: Any) -> bool:
    """Whether a class is a typing.NamedTuple."""
    return isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")


def parts_of_value(value: Any) -> tuple[Any, ...]:
    """The parts of a tuple or of a frozen dataclass."""
    return value if isinstance(value, tuple) else tuple(getattr(value, f.name) for f in dataclasses.fields(value))


def named_parts(value: Any) -> dict[str, Any] | None:
    """The parts of a record, NamedTuple or frozen dataclass by their names; None for any other value."""
    if isinstance(value, RecordValue):
        return {name: part for name, part in value.__dict__.items() if not name.startswith("_")}
    if is_named_tuple(type(value)):
        return dict(zip(value._fields, value, strict=True))
    if is_frozen_dataclass(type(value)):
        return dict(zip((f.name for f in dataclasses.fields(value)), parts_of_value(value), strict=True))
    return None


def rebuilt(cls: Any, parts: Sequence[Any]) -> Any:
    """A tuple, or a frozen dataclass, of these parts, without running the initialisation of the class again."""
    if issubclass(cls, tuple):
        return tuple.__new__(cls, parts)
    made = object.__new__(cls)
    for found, part in zip(dataclasses.fields(cls), parts, strict=True):
        object.__setattr__(made, found.name, part)
    return made


class Structure(Domain):
    """Values of named parts, each of which has a domain of its own."""

    cls: Any
    fields: dict[str, Domain]
    offsets: dict[str, int]
    shape = "fields"

    def _lay(self, fields: dict[str, Domain]) -> None:
        ends = list(itertools.accumulate((domain.size for domain in fields.values()), initial=0))
        self.fields, self.offsets, self.size = fields, dict(zip(fields, ends, strict=False)), ends[-1]

    def _build(self, parts: Iterable[Any]) -> Any:
        """The value of these parts."""
        raise NotImplementedError

    def parts_of(self, value: Any) -> Sequence[Any]:
        """The parts of a value."""
        raise NotImplementedError

    def for_readers(self, value: Any) -> dict[str, tuple[Domain, Any]]:
        """The parts of a value that readers see, with their domains."""
        pairs = zip(self.fields.items(), self.parts_of(value), strict=True)
        return {name: (domain, part) for (name, domain), part in pairs}

    def pieces(self, path: str = "") -> Iterator[Piece]:
        for name, domain in self.fields.items():
            source = f"[{name}]" if self.shape == "parts" else f".{name}"
            yield Piece(domain, self.offsets[name], f"{path}.{name}", partial(_followed, source))

    def inner(self) -> Sequence[Domain]:
        return tuple(self.fields.values())

    def moved(self, value: Any, by: Mapping[str, tuple[int, ...]]) -> Any:
        parts = zip(self.fields.values(), self.parts_of(value), strict=True)
        return self.join([domain.moved(part, by) for domain, part in parts])

    def count(self) -> int:
        return math.prod(domain.count() for domain in self.fields.values())

    def changing(self) -> Domain | None:
        return next((found for domain in self.fields.values() if (found := domain.changing())), None)

    def lowest(self) -> Any:
        return self._build(domain.lowest() for domain in self.fields.values())

    def parts(self) -> list[tuple[str, Domain]]:
        return list(self.fields.items())

    def join(self, values: Sequence[Any]) -> Any:
        return self._build(values)

    def encode(self, value: Any, out: list[int]) -> None:
        for domain, part in zip(self.fields.values(), self.parts_of(value), strict=True):
            domain.encode(part, out)

    def decode(self, cells: Sequence[int], at: int) -> Any:
        return self._build(domain.decode(cells, at + self.offsets[name]) for name, domain in self.fields.items())

    def each_value(self) -> Iterable[Any]:
        return (self._build(parts) for parts in itertools.product(*(d.values() for d in self.fields.values())))


def _followed(text: str, whole: str, _: str) -> str:
    return whole + text


class Product(Structure):
    """Tuples, NamedTuples or frozen dataclasses, of one domain for each part. Such a value never changes in place.

    `Product(range(3), Bool())` has tuples, `Product(Vote, ballot=range(2), by=Bool())` objects of a class. What the
    annotations of the class say need not be repeated: `kind: Literal["ack", "nak"]`, `by: Annotated[int, range(3)]`.
    A part that can change in place is an error (E202): use a Record.

        self.vote = Product(range(3), Bool())
        self.vote = (2, True)  # in an action
    """

    immutable = True

    @property
    def shape(self) -> str:  # type: ignore[override]
        return "parts" if self.cls is tuple else "fields"

    def __init__(self, *parts: Any, init: Any = UNSET, **fields: Any) -> None:
        super().__init__(init)
        self._needs(parts[0] if parts else UNSET, "its parts", "Product(range(3), Bool())")
        self.cls = tuple
        if len(parts) == 1 and (is_named_tuple(parts[0]) or is_frozen_dataclass(parts[0])):
            self.cls = parts[0]
            self._lay(self._of_class(fields))
        elif fields:
            reason = f"{written(parts[0])} is neither a NamedTuple nor a frozen dataclass"
            raise self._malformed(
                reason, "write Product(Vote, ballot=range(3)) for a class Vote, or leave the names out"
            )
        else:
            self._lay({str(i): as_domain(part) for i, part in enumerate(parts)})
        changing = next((name for name, domain in self.fields.items() if not domain.immutable), None)
        if changing is not None:
            reason = f"the part {changing} is {self.fields[changing]}, which can change"
            raise self._malformed(reason, "use a Record: its fields may be of any domain")

    def _of_class(self, given: dict[str, Any]) -> dict[str, Domain]:
        cls, found = self.cls, dict[str, Domain]()
        if compares(cls):
            reason = f"{cls.__name__} has an __eq__ of its own, and values are compared by their parts"
            raise self._malformed(reason, "write a method of another name")
        names = list(cls._fields) if issubclass(cls, tuple) else [f.name for f in dataclasses.fields(cls)]
        strange = [name for name in given if name not in names]
        if strange:
            remedy = f"its parts are {', '.join(names)}"
            raise self._malformed(f"{cls.__name__} has no part {strange[0]}", remedy)
        hints = {} if given.keys() >= set(names) else _annotations(cls)
        for name in names:
            domain = as_domain(given[name]) if name in given else _annotated_domain(hints.get(name))
            if domain is None:
                reason = f"{cls.__name__}.{name} does not say which values it has"
                annotation = f"annotate {name}: Annotated[int, range(4)] or Literal['a', 'b']"
                raise self._malformed(reason, f"write Product({cls.__name__}, {name}=Int(0, 3)), or {annotation}")
            found[name] = domain
        return found

    def __repr__(self) -> str:
        if self.cls is tuple:
            return f"Product({', '.join(map(repr, self.fields.values()))})"
        return f"{self.cls.__name__}({', '.join(f'{n}={d}' for n, d in self.fields.items())})"

    def is_like(self, value: Any) -> bool:
        """Whether a value is a tuple of as many parts, or an object of the class."""
        if issubclass(self.cls, tuple):
            return isinstance(value, self.cls) and len(value) == len(self.fields)
        return type(value) is self.cls

    def parts_of(self, value: Any) -> Sequence[Any]:
        return parts_of_value(value)

    def _build(self, parts: Iterable[Any]) -> Any:
        return rebuilt(self.cls, tuple(parts))

    def make(self, value: Any) -> Any:
        if not self.is_like(value):
            raise self._reject(value)
        try:
            return self._build(d.make(v) for d, v in zip(self.fields.values(), parts_of_value(value), strict=True))
        except CheckedError as error:
            if error.code == "E301" and error.where is None:
                error.where = user_place()
            raise

    def show(self, value: Any) -> str:
        parts = [d.show(v) for d, v in zip(self.fields.values(), parts_of_value(value), strict=True)]
        if self.cls is not tuple:
            return (
                f"{self.cls.__name__}({', '.join(f'{n}={part}' for n, part in zip(self.fields, parts, strict=True))})"
            )
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def _annotations(cls: type) -> dict[str, Any]:
    """What the annotations of a class mean; nothing where they cannot be evaluated."""
    try:
        return typing.get_type_hints(cls, include_extras=True)
    except (NameError, TypeError, AttributeError):
        return {}


def _annotated_domain(hint: Any) -> Domain | None:
    """The domain for an annotation."""
    if typing.get_origin(hint) is typing.Annotated:
        return next((as_domain(extra) for extra in hint.__metadata__ if is_domain(extra)), None)
    if typing.get_origin(hint) is typing.Literal:
        values = typing.get_args(hint)
        return Enum(*values) if all(isinstance(v, str) for v in values) else ListedValues(values)
    if hint is bool:
        return Bool()
    return as_domain(hint) if is_domain(hint) else None


class OneOf(Domain):
    """The values of several domains, one after the other: the possible members of a Set."""

    shape = "name"

    def __init__(self, domains: Sequence[Domain]) -> None:
        super().__init__()
        self.domains = tuple(domains)

    def __repr__(self) -> str:
        return f"[{', '.join(map(str, self.domains))}]"

    def inner(self) -> Sequence[Domain]:
        return self.domains

    def moved(self, value: Any, by: Mapping[str, tuple[int, ...]]) -> Any:
        return self.of(value).moved(value, by)

    def count(self) -> int:
        return sum(domain.count() for domain in self.domains)

    def changing(self) -> Domain | None:
        return next((found for domain in self.domains if (found := domain.changing())), None)

    def each_value(self) -> Iterable[Any]:
        return (value for domain in self.domains for value in domain.each_value())

    def make(self, value: Any) -> Any:
        return self.of(value).make(value)

    def member(self, value: Any) -> Any:
        return self.of(value).member(value)

    def of(self, value: Any) -> Domain:
        """The first domain that has a value."""
        for domain in self.domains:
            try:
                domain.make(value)
            except CheckedError:
                continue
            return domain
        raise self._reject(value)

    def show(self, value: Any) -> str:
        return self.of(value).show(value)


def as_domain(value: Any) -> Domain:
    """A domain from what an author may write in its place: a domain, a record class, a range, an enum class."""
    if isinstance(value, Domain):
        return value
    if isinstance(value, type) and issubclass(value, RecordValue):
        made: Domain = value.of()
        return made
    if isinstance(value, type) and issubclass(value, enum.Enum):
        return Enum(value)
    if isinstance(value, range) and len(value) and value.step == 1:
        return Int(value[0], value[-1])
    if is_named_tuple(value) or is_frozen_dataclass(value):
        return Product(value)
    reason = "it is not Int, Bool, Enum, Array, Seq, Set, Bag, Map, Option, Product or a Record"
    remedy = f"write {written(value)}(...)" if isinstance(value, type) else "write for example Int(0, 3)"
    for kind, instead in ((int, "Int(lo, hi)"), (bool, "Bool()"), (str, "Enum('a', 'b')")):
        remedy = f"write {instead}" if value is kind else remedy
    if isinstance(value, (tuple, list, set, frozenset)) and value and all(isinstance(each, str) for each in value):
        remedy = f"write Enum({', '.join(map(repr, value))})"
    raise EverystateError("E202", user_place(), domain=written(value), reason=reason, remedy=remedy)


def is_domain(value: Any) -> bool:
    """Whether as_domain() takes a value."""
    if isinstance(value, type):
        known = issubclass(value, (RecordValue, enum.Enum))
        return known or is_named_tuple(value) or is_frozen_dataclass(value)
    return isinstance(value, Domain) or (isinstance(value, range) and len(value) > 0 and value.step == 1)


def written(value: Any) -> str:
    """What an author wrote for a domain: a class by its name."""
    return value.__name__ if isinstance(value, type) else repr(value)


def no_member(value: Any, members: Sequence[Any]) -> EverystateError:
    """E212 for a value that an enum does not have; a text that is a member's name is not that member."""
    from difflib import get_close_matches

    known = {shown(m): f"{type(m).__name__}.{m.name}" if isinstance(m, enum.Enum) else m for m in members}
    name = shown(value)
    close = [own for own in known if own.lower() == name.lower()] or get_close_matches(name, list(known), 1)
    meant = [repr(own) if known[own] == own else known[own] for own in close[:1]]
    hint = f"; did you mean {meant[0]}?" if meant else ""
    domain, listed = f"Enum({', '.join(known)})", ", ".join(known.values())
    return EverystateError("E212", user_place(), value=value, domain=domain, suggestion=hint, members=listed)


def alternatives(value: Any) -> Sequence[Any]:
    """What choose() or a parameter ranges over, one by one."""
    if isinstance(value, Domain) or (isinstance(value, type) and is_domain(value)):
        return [fresh(member) for member in as_domain(value).values()]
    if isinstance(value, (int, range)):
        return range(value) if isinstance(value, int) else value
    return list(value)


def options(value: Any, references: bool = False) -> Sequence[Any]:
    """The same, equal members of one class once; `references` are never the same, however equal they are.

    A reference is whatever can be changed in place: a record or a collection.
    """
    members = alternatives(value)
    if isinstance(members, range):
        return members
    if all(map(_is_known, members)):
        found: dict[Any, Any] = {}
        for item in members:
            found.setdefault((classes(item), item), item)
        return list(found.values())
    known: list[Any] = []
    for item in members:
        apart = references and not unchanging(item)
        if apart or not any(classes(item) == classes(other) and item == other for other in known):
            known.append(item)
    return known


def _is_known(value: Any) -> bool:
    """Whether a value is itself a number, a string, an enum member or made of these, rather than a reference."""
    if isinstance(value, tuple) or is_frozen_dataclass(type(value)):
        return all(map(_is_known, parts_of_value(value)))
    if issubclass(type(value), RecordValue):
        return "_fixed" in value.__dict__ and "_binding" not in value.__dict__
    return value is None or issubclass(type(value), (int, str, enum.Enum))


def classes(value: Any) -> Any:
    """The class of a value or symbol; of a tuple those of its parts."""
    return tuple(map(classes, value)) if type(value) is tuple else value.__class__


def chosen(value: Any, at: int) -> Any:
    """The key of a choice among equivalent ones: the value, or the identity of a reference."""
    return (classes(value), value) if unchanging(value) else at


def fresh(value: Any) -> Any:
    """A copy of a value that is handed to an action: changes by the action must not outlive the step."""
    if isinstance(value, RecordValue):
        record = object.__new__(type(value))  # its class may have an __init__ of its own
        record.__dict__.update({n: fresh(part) for n, part in value.__dict__.items() if not n.startswith("_")})
        return record
    if issubclass(type(value), CollectionValue):
        return value.domain.make(value)
    if isinstance(value, (list, set)):
        return type(value)(map(fresh, value))
    return {key: fresh(part) for key, part in value.items()} if isinstance(value, dict) else value


def shown(value: Any) -> str:
    """An argument, a choice or a key as people write it."""
    if isinstance(value, enum.Enum):
        return value.name
    named = named_parts(value)
    if named is not None:
        return f"{type(value).__name__}({', '.join(f'{name}={shown(part)}' for name, part in named.items())})"
    return str(value)
