"""Pieces of Python: expressions with precedence and shape, names, and values as literals."""

from __future__ import annotations

import builtins
import keyword
import re
from dataclasses import dataclass, replace
from typing import Any

from ..language import Spec
from ..language import __all__ as LANGUAGE
from ..language.record import Record
from .evaluator import Symbol
from .shapes import (
    MEMBERS,
    BagOf,
    Conflict,
    MapOf,
    Maybe,
    Mixed,
    Names,
    Num,
    RecordClass,
    RecordOf,
    SeqOf,
    SetOf,
    Shape,
    Truth,
    TupleOf,
    Unknown,
    count,
    inner,
    joined,
    listed,
    of_value,
)
from .values import Bag, Function, LazySet, ModelValue, SequenceBag, mapping, order, ordered

LAMBDA, OR, AND, NOT, COMPARE, UNION, CUT, ADD, MULTIPLY, UNARY, ATOM = range(11)
"""How strongly a construct binds."""
RESERVED = {"print", "len", "max", "min", "sum", "any", "all", "set", "frozenset", "range", "sorted", "next", "dict"}
RESERVED |= {"list", "tuple", "abs", "self", "before", "isinstance", "getattr"}


@dataclass(frozen=True, eq=False)
class Py(Symbol):
    """An expression of Python. `reads` are the variables of the state that it refers to."""

    text: str
    shape: Shape
    strength: int = ATOM
    lazy: bool = False
    """A set that can be iterated and asked for members, but is no Python set: a tuple, a range, a generator."""
    reads: frozenset[str] = frozenset()
    frozen: bool = False
    """A sequence as a tuple, or a set as a frozenset: from inside a set."""
    value: Any = None
    known: bool = False
    members: tuple[str, str, str, frozenset[str]] | None = None
    """Of a filtered set the name, the set, which has the same order in each run, the condition, and what these read."""

    def at(self, strength: int) -> str:
        """The text, in brackets where it binds more weakly."""
        return self.text if self.strength >= strength else f"({self.text})"


def unwrapped(text: str, opening: str) -> str | None:
    """What is inside of the brackets around a whole text; None for one like `[] if a else [b]` or `[a][0]`."""
    depth, quoted = 0, False
    for i, char in enumerate(text if text.startswith(opening) else ""):
        quoted = quoted != (char == '"' and text[i - 1] != "\\")
        depth += 0 if quoted else (char in "([{") - (char in ")]}")
        if not depth:
            return text[1:-1] if i == len(text) - 1 else None
    return None


def merged_reads(*parts: Py | frozenset[str]) -> frozenset[str]:
    """All variables that some expressions read."""
    return frozenset().union(*(p.reads if isinstance(p, Py) else p for p in parts))


def identifier(name: str) -> str:
    """A name of TLA+ as one of Python."""
    found = re.sub(r"\W", "_", name)
    if keyword.iskeyword(found) or found in RESERVED or found in ("True", "False", "None"):
        found += "_"
    return found if not found[:1].isdigit() and found else f"_{found}"


def attribute(name: str) -> str:
    """A name of a variable or operator as an attribute of a spec."""
    found = identifier(name)
    return f"{found}_" if hasattr(Spec, found) or found in LANGUAGE or found.startswith("__") else found


def module_name(name: str) -> str:
    """A name of a constant as a name of a module."""
    found = identifier(name)
    return f"{found}_" if found in LANGUAGE or hasattr(builtins, found) else found


def field_name(name: str) -> str:
    """A name of a field of a record."""
    found = identifier(name)
    return f"{found}_" if hasattr(Record, found) or found.startswith("_") else found


class Literals:
    """Values as Python writes them. `nones` are those that are None, `named` the constants of the module by value."""

    def __init__(self) -> None:
        self.nones: set[Any] = set()
        self.named: dict[Any, str] = {}
        self.classes: dict[frozenset[str], RecordClass] = {}
        self.symmetric: dict[frozenset[Any], str] = {}
        """The sets of interchangeable model values, with their names; such a value is written as its number."""

    def value(self, value: Any, shape: Shape | None = None, frozen: bool = False) -> str:
        """One value; a shape says whether a tuple is a sequence or a function."""
        if isinstance(shape, Maybe):
            return "None" if value == shape.none else self.value(value, shape.of, frozen)
        if isinstance(value, ModelValue) and (group := self.group(value)):
            return str(sorted(group, key=order).index(value))
        if isinstance(value, (str, ModelValue)):
            text = value.name if isinstance(value, ModelValue) else value
            return "None" if value in self.nones else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
        if isinstance(value, (bool, int)):
            return str(value)
        if isinstance(shape, BagOf) or isinstance(value, (Bag, SequenceBag)):
            of = shape.of if isinstance(shape, BagOf) else None
            return f"{{{', '.join(f'{self.value(k, of, True)}: {n}' for k, n in mapping(value).items())}}}"
        if isinstance(value, tuple):
            return self._tuple(value, shape, frozen)
        if isinstance(value, Function):
            return self._function(value, shape)
        element = shape.of if isinstance(shape, SetOf) else None
        items = [self.value(v, element, True) for v in ordered(value)]
        if frozen:
            return f"frozenset({{{', '.join(items)}}})" if items else "frozenset()"
        return f"{{{', '.join(items)}}}" if items else "set()"

    def _tuple(self, value: tuple[Any, ...], shape: Shape | None, frozen: bool) -> str:
        if isinstance(shape, MapOf):
            pairs = dict(enumerate(value, 1))
            return self._dict({k: pairs.get(k) for k in shape.keys}, shape.of)
        if isinstance(shape, TupleOf) and len(shape.parts) == len(value):
            parts = [self.value(v, s, True) for v, s in zip(value, shape.parts, strict=True)]
        else:
            element = shape.of if isinstance(shape, SeqOf) else None
            parts = [self.value(v, element, True) for v in value]
            if (isinstance(shape, SeqOf) or not value) and not frozen:
                return f"[{', '.join(parts)}]"
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"

    def _function(self, value: Function, shape: Shape | None) -> str:
        if value.is_record and not isinstance(shape, MapOf):
            made = self.classes.get(frozenset(value.map))
            if made is not None:
                found = shape if isinstance(shape, RecordOf) else None
                given = {k: self.value(v, found.field(k) if found else None) for k, v in value.map.items()}
                return self.record(made, given)
        pairs = value.map
        keys = shape.keys if isinstance(shape, MapOf) else tuple(sorted(pairs, key=order))
        return self._dict({k: pairs.get(k) for k in keys}, shape.of if isinstance(shape, MapOf) else None)

    def _dict(self, pairs: dict[Any, Any], element: Shape | None) -> str:
        values = {self.value(k, None, True): "None" if v is None else self.value(v, element) for k, v in pairs.items()}
        if len(values) > 2 and len(set(values.values())) == 1 and (keys := self.keys(tuple(pairs))):
            variable = "key" if "key" not in keys else "k"
            return f"{{{variable}: {next(iter(values.values()))} for {variable} in {keys}}}"
        return f"{{{', '.join(f'{k}: {v}' for k, v in values.items())}}}"

    def record(self, made: RecordClass, given: dict[str, str]) -> str:
        """A record, with its fields in the order of the class."""
        fields = [name for name in made.fields if name in given or (made.merged and not made.frozen)]
        return f"{made.name}({', '.join(f'{field_name(n)}={given.get(n)}' for n in fields)})"

    def group(self, value: Any) -> frozenset[Any]:
        """The interchangeable values to which a value belongs."""
        return next((group for group in self.symmetric if value in group), frozenset())

    def keys(self, values: tuple[Any, ...]) -> str:
        """Some values to iterate over: the name of a constant, a range, or a tuple."""
        named = self.named.get(frozenset(values))
        if named is not None:
            return named
        if frozenset(values) in self.symmetric:
            return f"range({len(values)})"
        if values and all(type(v) is int for v in values) and values == tuple(range(values[0], values[-1] + 1)):
            return f"range({values[0]}, {values[-1] + 1})" if values[0] else f"range({values[-1] + 1})"
        items = [self.value(v, None, True) for v in values]
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"

    def iterable(self, value: Any) -> Py:
        """A known set, for loops and questions of membership."""
        members = ordered(value)
        shape = SetOf(_common(members))
        return Py(self.keys(tuple(members)), shape, ATOM, lazy=True, value=frozenset(members), known=True)

    def literal(self, value: Any, want: Shape | None = None) -> Py:
        """A known value as an expression."""
        if isinstance(value, (frozenset, LazySet)):
            members = frozenset(value)
            if not members:
                return Py("set()", want if isinstance(want, SetOf) else SetOf(Unknown()), value=members, known=True)
            return replace(self.iterable(members), value=members)
        shape = want if want is not None and not isinstance(want, Unknown) else of_value(value)
        strength = UNARY if isinstance(value, int) and not isinstance(value, bool) and value < 0 else ATOM
        return Py(self.value(value, shape), shape, strength, value=value, known=True)


def _common(members: list[Any]) -> Shape:
    try:
        return joined(map(of_value, members))
    except Conflict:
        return Unknown()


class Domains:
    """Shapes as domains of the language."""

    def __init__(self, literals: Literals) -> None:
        self.literals = literals
        self.uses: set[str] = set()

    def domain(self, shape: Shape, member: bool = False) -> str:
        """The domain of a shape; as a member of a set, one that never changes."""
        if isinstance(shape, Num):
            return self._use("Int", f"{shape.lo}, {shape.hi}")
        if isinstance(shape, Truth):
            return self._use("Bool", "")
        if isinstance(shape, Names):
            return self._names(shape)
        if isinstance(shape, Mixed):
            self.uses.add("ListedValues")
            values = sorted(shape.values, key=order)
            return f"ListedValues([{', '.join(self.literals.value(v, None, True) for v in values)}])"
        if isinstance(shape, Maybe):
            inner_text = self.domain(shape.of, member)
            return inner_text if inner_text.startswith("Option(") else self._use("Option", inner_text)
        if isinstance(shape, SetOf):
            return self._list(shape, "a set as a member of a set") if member else self._set(shape)
        if isinstance(shape, MapOf):
            of = self.domain(shape.of)
            keys = self._interchangeable(shape.keys) or self.literals.keys(shape.keys)
            return self._use("Map", f"{keys}, {self._use('Option', of) if shape.partial else of}")
        if isinstance(shape, SeqOf):
            of = "Bool()" if isinstance(shape.of, Unknown) else self.domain(shape.of)
            return self._use("Seq", f"{of}, {shape.most}")
        if isinstance(shape, BagOf):
            return self._use("Bag", f"{self.domain(shape.of, True)}, {shape.most}")
        if isinstance(shape, TupleOf):
            return self._tuple(shape)
        if isinstance(shape, RecordOf):
            return self._record(shape)
        return self._use("Bool", "")

    def _interchangeable(self, values: tuple[Any, ...]) -> str:
        """The domain of interchangeable values, if they are all of their kind; ValueError if some are."""
        groups = {self.literals.group(v) for v in values} - {frozenset()}
        if not groups:
            return ""
        name = self.literals.symmetric.get(frozenset(values))
        if name is None:
            raise ValueError("interchangeable values beside others; remove SYMMETRY, and all states are visited")
        return self._use("Interchangeable", f'{len(values)}, "{name}"')

    def _use(self, name: str, text: str) -> str:
        self.uses.add(name)
        return f"{name}({text})"

    def _names(self, shape: Names) -> str:
        none = [v for v in shape.values if v in self.literals.nones]
        rest = [v for v in shape.values if v not in self.literals.nones]
        if not rest:
            self.uses.add("ListedValues")
            return "ListedValues([None])"
        same = self._interchangeable(tuple(rest))
        if same:
            return self._use("Option", same) if none else same
        named = self.literals.named.get(frozenset(rest))
        listed = f"*{named}" if named and len(rest) > 1 else ", ".join(self.literals.value(v) for v in rest)
        found = self._use("Enum", listed)
        return self._use("Option", found) if none else found

    def _tuple(self, shape: TupleOf) -> str:
        if all(_scalar(p) for p in shape.parts):
            return self._use("Product", ", ".join(self.domain(p, True) for p in shape.parts))
        return self._list(shape, "a tuple with a part that is a collection")

    def _frozen(self, shape: RecordOf) -> bool:
        return self.literals.classes[frozenset(dict(shape.variants[0]))].frozen

    def _list(self, shape: Shape, problem: str) -> str:
        """All values of a shape for which there is no other domain."""
        values = listed(shape)
        if values is None:
            raise ValueError(problem)
        return self.domain(Mixed(values))

    def _set(self, shape: SetOf) -> str:
        of = shape.of
        if isinstance(of, RecordOf) and not self._frozen(of) and not all(map(_scalar, inner(of))):
            raise ValueError("records with a field that is a collection, as members of a set")
        if isinstance(of, (Names, Num, Mixed)) and not isinstance(of, Mixed):
            values = (
                tuple(sorted(of.values, key=order))
                if isinstance(of, Names)
                else tuple(range(of.lo or 0, (of.hi or 0) + 1))
            )
            same = self._interchangeable(values)
            return self._use("Set", same or self.literals.keys(values))
        if isinstance(of, Unknown):
            return self._use("Set", "Bool()")
        if isinstance(of, RecordOf) and len(of.variants) > 1 and not self._frozen(of):
            made = self.literals.classes[frozenset(dict(of.variants[0]))]
            return self._use("Set", f"[{', '.join(self._variant(made, v, made.fields) for v in of.variants)}]")
        capacity = f", capacity={shape.most}" if shape.most is not None and count(of) > MEMBERS else ""
        return self._use("Set", f"{self.domain(of, True)}{capacity}")

    def _record(self, shape: RecordOf) -> str:
        if self._frozen(shape):
            return self._list(shape, "records that are too many to list")
        made = self.literals.classes[frozenset(dict(shape.variants[0]))]
        if len(shape.variants) == 1:
            return self._variant(made, shape.variants[0], made.fields)
        fields = []
        for name in made.fields:
            absent = any(name not in dict(v) for v in shape.variants)
            if name in shape.names:
                of = self.domain(shape.field(name))
                of = self._use("Option", of) if absent and not of.startswith("Option(") else of
            else:
                self.uses.add("ListedValues")
                of = "ListedValues([None])"
            fields.append(f"{field_name(name)}={of}")
        return f"{made.name}.of({', '.join(fields)})"

    def _variant(self, made: RecordClass, variant: tuple[tuple[str, Shape], ...], order_of: list[str]) -> str:
        given = dict(variant)
        fields = []
        for name in order_of:
            if name in given:
                fields.append(f"{field_name(name)}={self.domain(given[name])}")
            elif made.merged:
                self.uses.add("ListedValues")
                fields.append(f"{field_name(name)}=ListedValues([None])")
        return f"{made.name}.of({', '.join(fields)})"


def _scalar(shape: Shape) -> bool:
    if isinstance(shape, (Num, Truth, Names, Mixed)):
        return True
    if isinstance(shape, (Maybe, TupleOf)):
        return all(map(_scalar, inner(shape)))
    return False
