"""Lays out the text of a Python file: docstrings, and long lines."""

from __future__ import annotations

import re
from typing import TypeVar

T = TypeVar("T")

WIDTH = 118


def docstring(comment: str, indent: int) -> list[str]:
    """A comment as a docstring."""
    text = [line.rstrip() for line in comment.replace("\\", "/").replace('"""', "'''").strip().splitlines()]
    space = "    " * indent
    if not text:
        return []
    if text[-1].endswith('"'):
        text[-1] += " "
    if len(text) == 1 and len(text[0]) < WIDTH - 12:
        return [f'{space}"""{text[0]}"""']
    return [f'{space}"""{text[0]}', *(f"{space}{line}" if line else "" for line in text[1:]), f'{space}"""']


def module_docstring(comment: str, name: str) -> list[str]:
    """The docstring of the module: its comment, else its name."""
    return docstring(comment or name, 0)


def wrapped(lines: list[tuple[str, T]]) -> list[tuple[str, T]]:
    """All lines, the long ones broken, with what belongs to each; docstrings stay as they are."""
    out, inside = [], False
    for line, place in lines:
        quoted = line.count('"""') % 2 == 1
        out += [(line, place)] if inside or quoted else [(part, place) for part in wrap(line)]
        inside = inside != quoted
    return out


def wrap(line: str) -> list[str]:
    """A long line, broken inside of its outermost brackets, at `and` and `or` or at commas."""
    if len(line) <= WIDTH or line.lstrip().startswith(("#", '"""')) or '"""' in line:
        return [line]
    indent = len(line) - len(line.lstrip())
    space = " " * indent
    opened = _outermost(line)
    if line.lstrip().startswith("return ") and opened is None:
        return [line]
    if line.lstrip().startswith("return ") and (parts := _split(line.strip()[7:])) and len(parts) > 1:
        return [f"{space}return (", *(w for p in parts for w in wrap(f"{space}    {p}")), f"{space})"]
    if opened is None:
        return [line]
    start, end = opened
    inner = line[start + 1 : end]
    parts = _split(inner)
    if len(parts) <= 1:
        return [line[: start + 1], *wrap(f"{space}    {inner.strip()}"), f"{space}{line[end:]}"]
    return [line[: start + 1], *(w for p in parts for w in wrap(f"{space}    {p}")), *wrap(f"{space}{line[end:]}")]


def _outermost(line: str) -> tuple[int, int] | None:
    """The longest pair of brackets that is in no other."""
    depth, start, found, quoted = 0, 0, None, False
    for i, char in enumerate(line):
        if char == '"':
            quoted = not quoted
        if quoted:
            continue
        if char in "([{":
            if depth == 0:
                start = i
            depth += 1
        elif char in ")]}":
            depth -= 1
            if depth == 0 and (found is None or i - start > found[1] - found[0]):
                found = (start, i)
        elif char == "#" and depth == 0:
            break
    return found if found is not None and found[1] - found[0] > 2 else None


def _split(text: str) -> list[str]:
    """The parts of a text at its outermost commas, else before `or`, `and`, `if`, `else`, `for`."""
    for pattern in (r",", r" or ", r" and ", r" [|] ", r" & ", r" (?=if )| (?=else )| (?=for )"):
        parts, depth, last, quoted = [], 0, 0, False
        breaks = {m.start(): m.end() for m in re.finditer(pattern, text)}
        if pattern == r"," and re.search(r"(?<![\w])(for|lambda) ", _without_brackets(text)):
            continue
        i = 0
        while i < len(text):
            char = text[i]
            quoted = quoted != (char == '"')
            if not quoted:
                depth += (char in "([{") - (char in ")]}")
            if depth == 0 and not quoted and i in breaks:
                piece = text[last:i].strip()
                if pattern == r",":
                    parts.append(f"{piece},")
                    last = breaks[i]
                else:
                    parts.append(piece)
                    last = i + 1
            i += 1
        rest = text[last:].strip()
        if parts:
            return [*parts, *([f"{rest}," if pattern == r"," else rest] if rest else [])]
    return [text]


def _without_brackets(text: str) -> str:
    out, depth = [], 0
    for char in text:
        depth += char in "([{"
        if depth == 0:
            out.append(char)
        depth -= char in ")]}"
    return "".join(out)
