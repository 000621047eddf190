"""Where the properties of a spec are written, as plain data that can travel."""

from __future__ import annotations

import inspect
from dataclasses import dataclass

from ..language.declarations import class_place, method_place
from ..language.spec import Spec


@dataclass(frozen=True)
class Place:
    """One property: the class of its spec, its sentence, and the line of its `def`."""

    spec: str
    text: str
    path: str
    line: int


def places(spec: Spec) -> dict[str, Place]:
    """Every property that can be placed; a deadlock, and an action that fails, belong to the class."""
    name, found = type(spec).__name__, {}
    for prop in spec.properties:
        method = inspect.unwrap(getattr(type(spec), prop.name))
        where = method_place(method)
        found[prop.name] = Place(name, prop.text, where.path, _line_of_def(method, where.line))
    whole = class_place(type(spec))
    if whole is not None:
        found["deadlock"] = Place(name, "some action is enabled", whole.path, whole.line)
        found["error"] = Place(name, "no action fails", whole.path, whole.line)
    return found


def _line_of_def(method: object, first: int) -> int:
    """A decorated function begins at its decorators."""
    try:
        lines, _ = inspect.getsourcelines(method)  # type: ignore[arg-type]
    except (OSError, TypeError):
        return first
    return next((first + n for n, line in enumerate(lines) if line.lstrip().startswith("def ")), first)
