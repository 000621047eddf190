"""What a method marked @display returns: tables by title, or groups of them."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import EverystateError
from .declarations import Declared, method_place


class _NoTables(Exception):
    pass


def tables(shown: Any, method: Declared) -> dict[str, Any]:
    """The tables that a method draws, as lists of rows; E225 for anything else."""
    try:
        return _by_title(shown, inner=True)
    except _NoTables as error:
        raise EverystateError("E225", method_place(method.method), name=method.name, value=error) from None


def _by_title(found: Any, inner: bool) -> dict[str, Any]:
    if not isinstance(found, Mapping) or not all(isinstance(title, str) for title in found):
        raise _NoTables(reprlib.repr(found))
    return {title: _by_title(t, False) if inner and isinstance(t, Mapping) else _rows(t) for title, t in found.items()}


def _rows(found: Any) -> list[Mapping[Any, Any]]:
    if not isinstance(found, Iterable) or isinstance(found, (str, Mapping)):
        raise _NoTables(f"{reprlib.repr(found)} for a table")
    rows = [*found]
    for row in rows:
        if not isinstance(row, Mapping) or not all(isinstance(column, (str, int)) for column in row):
            raise _NoTables(f"{reprlib.repr(row)} for a row")
    return rows
