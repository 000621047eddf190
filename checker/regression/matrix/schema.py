"""The format of a matrix file: its tables and keys, and their types; anything else is refused with its line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ...errors import EverystateError, suggestion
from ...language.conformance import VERDICTS

Check = Callable[[Any], bool]


@dataclass(frozen=True)
class Key:
    """One key: its type, in words and as a test."""

    expected: str
    fits: Check
    needed: bool = False


def _number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _positive(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_text, value))


def _expectation(value: Any) -> bool:
    return value in ("proved", "violated") if isinstance(value, str) else _number(value) and value >= 0


CONFORM: dict[str, Check] = {
    "releases": lambda v: _texts(v),
    "walks": lambda v: _number(v) and v >= 0,
    "steps": lambda v: _number(v) and v > 0,
    "seed": lambda v: _number(v),
    "faults": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool) and 0 <= v <= 1,
    "expect": lambda v: v in VERDICTS,
}


def _conform(value: Any) -> bool:
    if isinstance(value, dict):
        return all(key in CONFORM and CONFORM[key](each) for key, each in value.items())
    return isinstance(value, bool) or _texts(value)


LIMITS = {
    "tags": Key("a list of strings", _texts),
    "time": Key("a number of seconds", _positive),
    "memory": Key("a number of gibibytes", _positive),
    "states": Key("a number of states", lambda v: _number(v) and v > 0),
    "threads": Key("a number of threads", lambda v: _number(v) and 1 <= v <= 256),
    "deadlock": Key("true or false", lambda v: isinstance(v, bool)),
    "conform": Key(
        'true, a list of releases, or a table such as { releases = ["4.4.0"], walks = 100, expect = "agreed" }; its '
        f"keys are {', '.join(CONFORM)}, and a verdict is one of {', '.join(map(repr, VERDICTS))}",
        _conform,
    ),
}
EXPECT = Key(
    'a table such as { NoDuplicate = 18, InOrder = "proved" }: steps, "proved" or "violated"',
    lambda v: isinstance(v, dict) and all(map(_expectation, v.values())),
)
TABLES: dict[str, dict[str, Key]] = {
    "defaults": LIMITS,
    "variant": {
        "name": Key("a string", _text, needed=True),
        "target": Key("a string", _text, needed=True),
        "title": Key("a string", _text),
        "constants": Key("a table of constants", lambda v: isinstance(v, dict)),
        "expect": EXPECT,
        "distinct": Key("a number of states", lambda v: _number(v) and v > 0),
        **LIMITS,
    },
    "scenarios": {
        "match": Key("a pattern or a list of patterns of names", lambda v: _text(v) or _texts(v), needed=True),
        "except": Key("a pattern or a list of patterns of names", lambda v: _text(v) or _texts(v)),
        "constants": Key("a table of constants", lambda v: isinstance(v, dict)),
        **LIMITS,
    },
}


_TABLE = re.compile(r"^\s*\[\[\s*[\"']?(?:variant|scenarios)[\"']?\s*\]\]", re.MULTILINE)


def is_matrix(text: str) -> bool:
    """Whether a file is a matrix of Everystate: another tool may call a file of its own `compat-matrix.toml`.

    A file of ours has a [[variant]] with a target, or [[scenarios]] with a match. One that is not valid TOML is ours
    if such a table begins in it.
    """
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return _TABLE.search(text) is not None
    needed = {name: {key for key, kind in keys.items() if kind.needed} for name, keys in TABLES.items()}
    rows = ((name, row) for name in ("variant", "scenarios") for row in _rows(content.get(name)))
    return any(isinstance(row, dict) and not needed[name].isdisjoint(row.keys() - {"name"}) for name, row in rows)


def _rows(entries: Any) -> list[Any]:
    return entries if isinstance(entries, list) else []


@dataclass(frozen=True)
class Table:
    """One table of the file: its name, its number among those of this name, its line and its content."""

    name: str
    index: int
    line: int
    content: dict[str, Any] = field(default_factory=dict)


class Reader:
    """Reads one file; `tables` gives its checked content."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.text = path, text

    def tables(self) -> list[Table]:
        """The tables in the order of the file, defaults first; E420 to E423 when something is wrong."""
        found: list[Table] = []
        for name, content in self._parsed().items():
            if name not in TABLES:
                line = max(1, self._top(name))
                raise self.error(
                    "E421",
                    line,
                    key=name,
                    table="the file",
                    hint=suggestion(name, list(TABLES)),
                    known=", ".join(TABLES),
                )
            several = name != "defaults"
            if isinstance(content, list) != several:
                expected = f"a list: [[{name}]]" if several else f"one table: [{name}]"
                raise self.error("E422", self._top(name), key=name, table="the file", expected=expected, value=content)
            entries = content if several else [content]
            for index, entry in enumerate(entries):
                found.append(self._table(name, index, entry))
        return sorted(found, key=lambda table: (table.name != "defaults", table.line))

    def error(self, code: str, line: int, **facts: object) -> EverystateError:
        """An error at a line of the file."""
        return EverystateError(code, None, place=f"{self.path}:{line}", **facts)

    def line(self, table: Table, key: str) -> int:
        """The line of a key."""
        return line_of(self.text, table.name, table.index, key)

    def _parsed(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            message, _, place = str(error).partition(" (at ")
            words = place.replace(",", " ").split()
            line = int(words[1]) if words[:1] == ["line"] else len(self.text.splitlines())
            raise self.error("E420", line, reason=message[:1].lower() + message[1:]) from None

    def _top(self, name: str) -> int:
        lines = self.text.splitlines()
        return next((n for n, line in enumerate(lines, start=1) if line.lstrip("[ \t\"'").startswith(name)), 1)

    def _table(self, name: str, index: int, content: Any) -> Table:
        keys, shown = TABLES[name], f"[{name}]" if name == "defaults" else f"[[{name}]]"
        table = Table(name, index, line_of(self.text, name, index), content if isinstance(content, dict) else {})
        if not isinstance(content, dict):
            raise self.error("E422", table.line, key=name, table="the file", expected="a table", value=content)
        for key, value in content.items():
            if key not in keys:
                raise self.error(
                    "E421",
                    self.line(table, key),
                    key=key,
                    table=shown,
                    hint=suggestion(key, list(keys)),
                    known=", ".join(keys),
                )
            if not keys[key].fits(value):
                raise self.error(
                    "E422", self.line(table, key), key=key, table=shown, expected=keys[key].expected, value=value
                )
        for key in keys:
            if keys[key].needed and key not in content:
                raise self.error("E423", table.line, key=key, table=shown, expected=keys[key].expected)
        return table


HEADER = re.compile(r"\s*\[\[?\s*([\w.\"'-]+)\s*\]\]?\s*(#.*)?")


def line_of(text: str, table: str, index: int, key: str = "") -> int:
    """The line of a key in the index-th [[table]] (or in [table]); that of the table if the key is not found."""
    section = list(_section(text, table, index))
    first = section[0][0] if section else 1
    if not key:
        return first
    name = rf"[\"']?{re.escape(key)}[\"']?"
    for pattern in (rf"\s*{name}\s*[=.]", rf"\s*\[[\w.]*\.{name}\s*\]", rf".*[{{,]\s*{name}\s*="):
        for number, line in section:
            if re.match(pattern, line):
                return number
    return first


def _section(text: str, table: str, index: int) -> Iterator[tuple[int, str]]:
    """The lines of one table, those of its sub-tables included."""
    seen, inside = -1, False
    for number, line in enumerate(text.splitlines(), start=1):
        match = HEADER.fullmatch(line)
        if match:
            name = match[1]
            if name == table:
                seen += 1
            inside = seen == index and (name == table or name.startswith(table + "."))
        if inside:
            yield number, line
