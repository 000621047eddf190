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

from ..language.composite_domains import Array, Map, Option, Seq, Set
from ..language.domains import Domain, Enum, OneOf, Product, Structure, named_parts
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


def tree_of(domain: Domain, value: Any) -> Tree:
    """A value of a domain as a tree."""
    match domain:
        case Enum() | OneOf():
            return domain.show(value)
        case Option():
            return None if value is None else tree_of(domain.element, value)
        case Array():
            return Row(tree_of(domain.element, item) for item in value)
        case Seq():
            return [tree_of(domain.element, item) for item in value]
        case Set():
            return Members([tree_of(domain.element, item) for item in value])
        case Map():
            return Pairs([(scalar(key), tree_of(domain.element, value[key])) for key in domain.keys])
        case Product() if domain.cls is tuple:
            return tuple(tree_of(part, v) for part, v in zip(domain.fields.values(), value, strict=True))
        case Structure():
            parts = domain.for_readers(value)
            return Fields(domain.cls.__name__, {n: tree_of(d, part) for n, (d, part) in parts.items()})
    return value


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
    return show_constants({name: constants[name] for name in changed if name in constants})
