"""Plain trees: the values of a state reduced to data, the form in which traces are shown and compared.

A tree is a number, a boolean, a string, None, a list (a sequence), a tuple, or one of the classes below. It needs no
spec, so traces of other tools have it too.
"""

from __future__ import annotations

import enum
import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..language.domains import Domain, named_parts
from ..language.forms import Form
from ..language.marks import Constants
from ..language.state import State

Tree = Any


@dataclass(frozen=True)
class Fields:
    """A record; `name` is its class, empty where that is not known."""

    name: str
    items: dict[str, Tree]


class Row(list[Tree]):
    """An array: unlike those of a sequence, its elements keep their positions."""


@dataclass(frozen=True)
class Members:
    """A set, its members in a fixed order."""

    items: list[Tree]


@dataclass(frozen=True)
class Pairs:
    """A map, its keys in a fixed order."""

    items: list[tuple[Tree, Tree]]


@dataclass(frozen=True)
class Variant:
    """A member of a tagged union, as other tools write it."""

    tag: str
    value: Tree


@dataclass(frozen=True)
class ForeignText:
    """A value that another tool could not write, such as the set of all integers: its text."""

    text: str


class _AsTree(Form):
    def number(self, domain: Domain, value: Any) -> Tree:
        return value

    boolean = number

    def name(self, domain: Domain, value: Any) -> Tree:
        return domain.show(value)

    def option(self, domain: Any, value: Any) -> Tree:
        return None if value is None else self(domain.element, value)

    def array(self, domain: Any, value: Any) -> Tree:
        return Row(self(domain.element, item) for item in value)

    def sequence(self, domain: Any, value: Any) -> Tree:
        return [self(domain.element, item) for item in value]

    def members(self, domain: Any, value: Any) -> Tree:
        return Members([self(domain.element, item) for item in value])

    def pairs(self, domain: Any, value: Any) -> Tree:
        return Pairs([(scalar(key), self(domain.element, item)) for key, item in domain.pairs(value)])

    def parts(self, domain: Any, value: Any) -> Tree:
        return tuple(map(self, domain.fields.values(), value))

    def fields(self, domain: Any, value: Any) -> Tree:
        shown = domain.for_readers(value)
        return Fields(domain.cls.__name__, {name: self(part, item) for name, (part, item) in shown.items()})


tree_of = _AsTree()
"""`tree_of(domain, value)` is a value of a domain as a tree."""


def trees_of(state: State) -> dict[str, Tree]:
    """Every variable of a state as a tree."""
    return {name: tree_of(state.domains[name], value) for name, value in state.values().items()}


def scalar(value: Any) -> Tree:
    """A key, an argument or a choice as a tree, unless it is one: enum members by name, tuples and records by parts."""
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, (Fields, Members, ForeignText, Pairs, Variant)):
        return value
    named = named_parts(value)
    if named is not None:
        return Fields(type(value).__name__, {name: scalar(part) for name, part in named.items()})
    if isinstance(value, (tuple, list)):
        return type(value)(map(scalar, value)) if type(value) in (tuple, list) else list(map(scalar, value))
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def show(tree: Tree) -> str:
    """A tree as people write it; the same text as `print(state)` gives."""
    match tree:
        case Fields(name, items):
            return f"{name}({', '.join(f'{n}={show(v)}' for n, v in items.items())})"
        case Members(items):
            return "{" + ", ".join(map(show, items)) + "}"
        case Pairs(items):
            return "{" + ", ".join(f"{show(k)}: {show(v)}" for k, v in items) + "}"
        case Variant(tag, value):
            return tag if value is None else f"{tag}({show(value)})"
        case ForeignText(text):
            return text
        case list():
            return "[" + ", ".join(map(show, tree)) + "]"
        case tuple():
            return "(" + ", ".join(map(show, tree)) + ")"
    return str(tree)


def show_short(tree: Tree) -> str:
    """The same, with equal neighbours of a sequence written once."""
    match tree:
        case list():
            return "[" + ", ".join(_runs([*map(show_short, tree)])) + "]"
        case Fields(name, items):
            return f"{name}({', '.join(f'{n}={show_short(v)}' for n, v in items.items())})"
    return show(tree)


def _runs(texts: list[str]) -> Iterator[str]:
    for text, some in itertools.groupby(texts):
        number = len([*some])
        yield f"{text} ({number} times)" if number > 1 and len(text) > SHORT else ", ".join([text] * number)


SHORT = 20
"""Characters of a text that is repeated in full."""
BLANK = re.compile(r"^\w.*[ ,]")
"""A text that would look like several values in a list; one that begins with a bracket does not."""
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def steers(data: Any) -> bool:
    """Whether some text in JSON data has characters that a terminal obeys: all but ends of lines and tabs."""
    if isinstance(data, str):
        return CONTROL.search(data) is not None
    if isinstance(data, dict):
        return any(steers(part) for pair in data.items() for part in pair)
    return isinstance(data, list) and any(map(steers, data))


def show_constants(constants: Mapping[str, Any]) -> str:
    """Constants in one line: goal=4, fair=True."""
    return ", ".join(f"{name}={show(scalar(value))}" for name, value in constants.items())


def show_changed(constants: Mapping[str, Any]) -> str:
    """The constants that differ from their defaults, in one line; all where the defaults are not known."""
    changed = constants.changed if isinstance(constants, Constants) else constants
    shown = {name: show(scalar(constants[name])) for name in changed if name in constants}
    return ", ".join(f"{name}={repr(text) if BLANK.search(text) else text}" for name, text in shown.items())
