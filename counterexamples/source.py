"""The source of an action for a page: its lines in tokens, each with a style.

Python's own tokenizer (`tokenize`) is used: it knows the syntax of every spec that it can run.
"""

from __future__ import annotations

import inspect
import io
import itertools
import keyword
import linecache
import os
import re
import textwrap
import tokenize
from collections.abc import Iterator
from typing import Any

from ..checker.errors.place import TRANSLATED
from ..checker.language.spec import Spec

LOOKS = {tokenize.COMMENT: "comment", tokenize.STRING: "string", tokenize.NUMBER: "number"}
OPENING, CLOSING = ("FSTRING_START", "TSTRING_START"), ("FSTRING_END", "TSTRING_END")
"""The end tokens of a string with fields in newer Pythons; in older ones it is one token, and is shown as one."""
BRANCH = re.compile(r"\s*(match|case)\s+[^=\s]")
"""The beginning of a line in which these two names are keywords of the language."""
Place = tuple[int, int]
Piece = tuple[str, str]
"""A text and its style; "" for a plain one."""


def source(spec: Spec, action: str) -> dict[str, Any] | None:
    """The lines of an action, the number of the first, and its file; None without a source."""
    try:
        method = inspect.unwrap(getattr(type(spec), action))
        lines, first = inspect.getsourcelines(method)
    except (OSError, TypeError, AttributeError):
        return None
    original = TRANSLATED.get(inspect.getsourcefile(method) or "", {}).get(first)
    if original is not None:
        return _definition(*original)
    text = textwrap.dedent("".join(lines)).rstrip()
    return {"first": first, "lines": highlighted(text), "place": f"{_place(method)}:{first}"}


def _definition(path: str, first: int) -> dict[str, Any]:
    """The same of a definition of another language: it ends before an empty line or one that is not indented."""
    head, *rest = linecache.getlines(path)[first - 1 :] or [""]
    body = itertools.takewhile(lambda line: line.strip() and line[0].isspace(), rest)
    lines = [[(line.rstrip(), "")] for line in (head, *body)]
    return {"first": first, "lines": lines, "place": f"{path.replace(os.sep, '/').rpartition('/')[2]}:{first}"}


def highlighted(text: str) -> list[list[Piece]]:
    """The lines of a text in tokens; plain from where on it is not Python."""
    lines = text.split("\n")
    looks: list[list[str]] = [[""] * len(line) for line in lines]
    try:
        for first, last, look in _looks(text):
            for number in range(first[0] - 1, last[0]):
                start = first[1] if number == first[0] - 1 else 0
                end = last[1] if number == last[0] - 1 else len(lines[number])
                looks[number][start:end] = [look] * (end - start)
    except (tokenize.TokenError, SyntaxError):
        pass
    return [list(_pieces(line, look)) for line, look in zip(lines, looks, strict=True)]


def _looks(text: str) -> Iterator[tuple[Place, Place, str]]:
    """The ranges of tokens with a style."""
    before, opened = "", list[Place]()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        look, start = LOOKS.get(token.type, ""), token.start
        if tokenize.tok_name[token.type] in OPENING:
            opened.append(start)
        elif tokenize.tok_name[token.type] in CLOSING:
            look, start = "string", opened.pop()
        elif token.type == tokenize.NAME:
            look = "defined" if before in ("def", "class") else "word" if _is_word(token) else ""
        if look and not opened:
            yield start, token.end, look
        before = token.string


def _is_word(token: tokenize.TokenInfo) -> bool:
    branch = BRANCH.match(token.line)
    return keyword.iskeyword(token.string) or (branch is not None and branch.start(1) == token.start[1])


def _pieces(line: str, looks: list[str]) -> Iterator[Piece]:
    start = 0
    for end in range(1, len(line) + 1):
        if end == len(line) or looks[end] != looks[start]:
            yield line[start:end], looks[start]
            start = end


def _place(method: Any) -> str:
    """The file of a method, as its package knows it."""
    name = str(method.__module__)
    if name.startswith("everystate."):
        return name.removeprefix("everystate.").replace(".", "/") + ".py"
    return (inspect.getsourcefile(method) or name).replace("\\", "/").rpartition("/")[2]
