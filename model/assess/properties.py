"""The syntax of java.util.Properties, as Properties.load reads it."""

from __future__ import annotations

import re
from collections.abc import Iterator

BLANK = " \t\f"
CONTROL = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def parse(text: str) -> dict[str, str]:
    """The keys and values of a file; of a key that is there twice, the last value. ValueError for a bad \\u."""
    return {key: value for key, value, _ in numbered(text)}


def numbered(text: str) -> Iterator[tuple[str, str, int]]:
    """Each key with its value and the line where it begins."""
    for line, number in _logical_lines(text):
        yield *_pair(line), number


def _logical_lines(text: str) -> Iterator[tuple[str, int]]:
    """Lines without comments and leading blanks, joined where one ends in an odd number of backslashes."""
    whole, open_, begun = "", False, 0
    for number, line in enumerate(re.split(r"\r\n|\n|\r", text), 1):
        line = line.lstrip(BLANK)
        if not open_ and (not line or line[0] in "#!"):
            continue
        begun = begun if open_ else number
        open_ = (len(line) - len(line.rstrip("\\"))) % 2 == 1
        whole += line[:-1] if open_ else line
        if not open_:
            yield whole, begun
            whole = ""
    if whole:
        yield whole, begun


def _pair(line: str) -> tuple[str, str]:
    end = 0
    while end < len(line) and line[end] not in "=:" + BLANK:
        end += 2 if line[end] == "\\" else 1
    rest = line[end:].lstrip(BLANK)
    if rest[:1] in ("=", ":"):
        rest = rest[1:].lstrip(BLANK)
    return _unescape(line[:end]), _unescape(rest)


def _unescape(text: str) -> str:
    return re.sub(r"\\(u.{0,4}|.)", _character, text)


def _character(match: re.Match[str]) -> str:
    escape = match[1]
    if escape[0] != "u":
        return CONTROL.get(escape, escape)
    if not re.fullmatch(r"u[0-9a-fA-F]{4}", escape):
        raise ValueError("Malformed \\uxxxx encoding.")
    return chr(int(escape[1:], 16))
