"""The syntax of TLA+ as small immutable nodes, each with its place in the file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Place:
    """A line and a column of a `.tla` or `.cfg` file, both counted from 1."""

    file: str
    line: int
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, eq=False)
class Node:
    """One expression. `kind` says which; `args` are its parts, `value` is what is no expression.

    kinds: num str bool id op at and or forall exists choose if case let set filter map function functions record
    records tuple product except apply field prime unchanged box angle fair lambda operator path
    """

    kind: str
    place: Place
    args: tuple[Any, ...] = ()
    value: Any = None

    def __repr__(self) -> str:
        return f"{self.kind}({self.value if self.value is not None else ''}{list(self.args) or ''})"


@dataclass(frozen=True)
class Bound:
    """One `x \\in S` of a quantifier; the pattern is a name, or a tuple of names."""

    pattern: str | tuple[str, ...]
    within: Node | None

    @property
    def names(self) -> tuple[str, ...]:
        """The names that it binds."""
        return (self.pattern,) if isinstance(self.pattern, str) else self.pattern


@dataclass(eq=False)
class Definition:
    """A definition of a module: an operator, a function (`bounds`), or an instance (`module`)."""

    name: str
    params: tuple[str, ...]
    body: Node | None
    place: Place
    comment: str = ""
    local: bool = False
    bounds: tuple[Bound, ...] = ()
    module: str = ""
    substitutions: dict[str, Node] = field(default_factory=dict)
    arities: dict[str, int] = field(default_factory=dict)


@dataclass
class Module:
    """One module, as it is written."""

    name: str
    file: str
    comment: str = ""
    extends: list[str] = field(default_factory=list)
    constants: dict[str, int] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    """With the comment beside each."""
    definitions: list[Definition] = field(default_factory=list)
    instances: list[Definition] = field(default_factory=list)
    """Instances without a name, which add their definitions to the module."""
    assumptions: list[tuple[str, Node]] = field(default_factory=list)
    inner: dict[str, Module] = field(default_factory=dict)


def parts(node: Node) -> list[Node]:
    """All nodes directly below one."""
    found: list[Node] = []

    def collect(value: Any) -> None:
        if isinstance(value, Node):
            found.append(value)
        elif isinstance(value, Bound):
            if value.within is not None:
                found.append(value.within)
        elif isinstance(value, Definition):
            collect(value.bounds)
            if value.body is not None:
                found.append(value.body)
            collect(tuple(value.substitutions.values()))
        elif isinstance(value, (tuple, list)):
            for item in value:
                collect(item)

    collect(node.args)
    collect(node.value)
    return found


def or_unchanged(box: Node) -> Node:
    """[A]_v as what it means: A, or v does not change."""
    action, subscript = box.args
    return Node("or", box.place, (action, Node("unchanged", box.place, (subscript,))))
