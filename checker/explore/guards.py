"""Why an action is disabled: the line that stops it, as it is written, with the values that decided it."""

from __future__ import annotations

import ast
import functools
import linecache
import os
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

from ..errors import place_of
from ..language.concrete_machine import ConcreteMachine
from ..language.domains import shown
from ..language.machine import Disabled, executing

WIDTH = 60
"""Characters of a value that is shown beside a guard."""
FEW = 4
"""Values that are shown beside it."""
SIGNS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
WORDS = {Disabled.CHOICE: "there is nothing to choose from", Disabled.CONSTRAINT: "an action constraint forbids it"}


@dataclass(frozen=True)
class Guard:
    """A line that stops an action: where it stands, its text, and what it compared here; `also` explains a helper."""

    place: str
    text: str
    values: str = ""
    also: str = ""


def guard_of(out: Disabled) -> Guard:
    """What has stopped an attempt; called while the state of the attempt can be read."""
    where = place_of(out.__traceback__)
    if where is None:
        return Guard("", WORDS.get(out.by, "it is disabled"))
    steps = traceback.walk_tb(out.__traceback__)
    frames = [f for f, line in steps if (f.f_code.co_filename, line) == (where.path, where.line)]
    statement = _statement(where.path, where.line)
    text = where.source if statement is None else " ".join(ast.unparse(statement).split())
    values = _values(statement, frames[-1]) if statement is not None and frames else ""
    also = WORDS.get(out.by, "") or _also(where.path, where.line, statement)
    return Guard(f"{_short(where.path)}:{where.line}", text, values, also)


def _short(path: str) -> str:
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


# -- the text ----------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=64)
def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except SyntaxError:
        return None


def _around(path: str, line: int) -> Iterator[ast.AST]:
    """Everything in a file that spans a line, from the outside to the inside."""
    tree = _parsed("".join(linecache.getlines(path)))
    for node in ast.walk(tree) if tree is not None else ():
        if getattr(node, "lineno", line + 1) <= line <= (getattr(node, "end_lineno", None) or line):
            yield node


def _statement(path: str, line: int) -> ast.stmt | None:
    """The innermost statement of a line that has no others in it."""
    found = [node for node in _around(path, line) if isinstance(node, ast.stmt) and not hasattr(node, "body")]
    return found[-1] if found else None


def _also(path: str, line: int, statement: ast.stmt | None) -> str:
    """Of a guard that says nothing itself, `require(False)`, what its method is for."""
    guard = _condition(statement)
    if not isinstance(guard, ast.Constant):
        return ""
    methods = [node for node in _around(path, line) if isinstance(node, ast.FunctionDef)]
    told = (ast.get_docstring(methods[-1]) or "").partition("\n")[0] if methods else ""
    return f"{methods[-1].name}: {told}" if told else ""


# -- the values --------------------------------------------------------------------------------------------


def _condition(statement: ast.stmt | None) -> ast.expr | None:
    """What a require(...) asks; else None."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return call.args[0] if isinstance(call, ast.Call) and len(call.args) == 1 else None


def _values(statement: ast.stmt, frame: FrameType) -> str:
    """The sides of a comparison, or else what the names in a guard stand for; nothing where that cannot be told."""
    guard = _condition(statement)
    if guard is None or isinstance(guard, ast.Constant):
        return ""
    if isinstance(guard, ast.Compare):
        parts = [_told(part, frame) for part in (guard.left, *guard.comparators)]
        if "" not in parts:
            signs = [SIGNS[type(sign)] for sign in guard.ops]
            return parts[0] + "".join(f" {s} {p}" for s, p in zip(signs, parts[1:], strict=True))
    names = dict.fromkeys(ast.unparse(node) for node in ast.walk(guard) if _is_name(node))
    told = {name: _told(ast.parse(name, mode="eval").body, frame) for name in names}
    return ", ".join([f"{name.removeprefix('self.')} = {text}" for name, text in told.items() if text][:FEW])


def _is_name(node: ast.AST) -> bool:
    """Whether it is an attribute of self, or a name that is none."""
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Name) and node.value.id == "self"
    return isinstance(node, ast.Name) and node.id != "self"


def _told(part: ast.expr, frame: FrameType) -> str:
    """A part of a guard evaluated once more, for a reader: it runs where it ran, on values that nobody keeps."""
    try:
        code = compile(ast.fix_missing_locations(ast.Expression(part)), "<guard>", "eval")
        with executing(ConcreteMachine()):
            value: Any = eval(code, frame.f_globals, frame.f_locals)
        text = "" if callable(value) else " ".join(shown(value).split())
    except Exception:
        return ""
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 3]}..."
