"""Where the cache keeps what was made of a spec, by all that determines it: the same place means the same result.

It covers the class of the spec with everything that can be reached from it, the constants, what `variables()` made,
Python, and the sources of the front end. A spec has no place where a part of it cannot be spelled out by value.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..cache import cache_folder, ours
from ..errors import file_of
from .by_value import Content, Unknown

READERS = ("errors", "language", "ir", "frontend")
"""The folders of the checker whose code reads specs."""


def place_of(spec: Any) -> Path | None:
    """The cache location for results of a spec; None where its content is not known in full."""
    cls = type(spec)
    home = sys.modules.get(cls.__module__)
    if home is None or vars(home).get(cls.__qualname__) is not cls or not Path(file_of(home)).is_file():
        return None
    content = Content(frozenset(base for part in _specs(spec) for base in type(part).__mro__))
    try:
        content.add(sys.version, _readers(), *(fact for part in _specs(spec) for fact in _facts(part)))
    except Unknown:
        return None
    return cache_folder() / "traced" / content.digest()


def is_known(spec: Any) -> bool:
    """Whether the cache has a result for a spec that is being made: then it was examined. The spec keeps its place."""
    place = spec._place_in_cache = place_of(spec)
    return place is not None and ours(place)


def _specs(spec: Any) -> Iterator[Any]:
    """A spec and those that it refines."""
    yield spec
    for refined in vars(spec).get("_refinements", {}).values():
        yield from _specs(refined.abstract)


def _facts(spec: Any) -> Iterator[Any]:
    """The class of a spec, its constants, and what `variables()` made: domains, and constants derived from others."""
    yield type(spec)
    yield spec._constants
    yield spec._variables
    yield {name: value for name, value in vars(spec).items() if not name.startswith("_") and name not in LISTS}


LISTS = ("instances", "properties")
"""Attributes of a spec that follow from the others."""


@functools.cache
def _readers() -> tuple[tuple[int, int, int], ...]:
    """The sources of what reads a spec, each with its size and when it was changed."""
    here = Path(__file__).parents[1]
    found = [path.stat() for folder in READERS for path in sorted((here / folder).rglob("*.py"))]
    return tuple((stat.st_ino, stat.st_size, stat.st_mtime_ns) for stat in found)
