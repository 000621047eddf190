"""Why an action is disabled: the line that stops it, as it is written, with the values that decided it."""

from __future__ import annotations

import ast
import functools
import linecache
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

from ..errors import below_here, place_of
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


@dataclass(frozen=True)
class _Line:
    """What is known of a line without any state. `sides` are those of a comparison, `names` what a guard mentions."""

    text: str
    also: str = ""
    signs: tuple[str, ...] = ()
    sides: tuple[CodeType, ...] = ()
    names: tuple[tuple[str, CodeType], ...] = ()


def guard_of(out: Disabled) -> Guard:
    """What has stopped an attempt; called while the state of the attempt can be read."""
    where = place_of(out.__traceback__)
    if where is None:
        return Guard("", WORDS.get(out.by, "it is disabled"))
    found = _line(where.path, where.line)
    steps = traceback.walk_tb(out.__traceback__)
    frames = [f for f, line in steps if (f.f_code.co_filename, line) == (where.path, where.line)]
    values = _values(found, frames[-1]) if frames else ""
    place = f"{below_here(where.path)}:{where.line}"
    return Guard(place, found.text or where.source, values, WORDS.get(out.by, "") or found.also)


def forget() -> None:
    """Forget the lines of files, which may have changed."""
    _line.cache_clear()
    _tree.cache_clear()
    linecache.checkcache()


# -- the text ----------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=10_000)
def _line(path: str, line: int) -> _Line:
    around = list(_around(path, line))
    found = [node for node in around if isinstance(node, ast.stmt) and not hasattr(node, "body")]
    if not found:
        return _Line("")
    text, guard = " ".join(ast.unparse(found[-1]).split()), _condition(found[-1])
    if guard is None:
        return _Line(text)
    if isinstance(guard, ast.Constant):
        return _Line(text, _meant([node for node in around if isinstance(node, ast.FunctionDef)]))
    names = {ast.unparse(node): _code(node) for node in ast.walk(guard) if _is_name(node)}
    signs, sides = list[str](), list[CodeType]()
    if isinstance(guard, ast.Compare):
        signs, sides = [SIGNS[type(op)] for op in guard.ops], [_code(side) for side in (guard.left, *guard.comparators)]
    return _Line(text, "", tuple(signs), tuple(sides), tuple((n.removeprefix("self."), c) for n, c in names.items()))


@functools.lru_cache(maxsize=64)
def _tree(path: str) -> ast.Module:
    try:
        return ast.parse("".join(linecache.getlines(path)))
    except SyntaxError:
        return ast.Module([], [])


def _around(path: str, line: int) -> Iterator[ast.AST]:
    """Everything in a file that spans a line, from the outside to the inside."""
    for node in ast.walk(_tree(path)):
        if getattr(node, "lineno", line + 1) <= line <= (getattr(node, "end_lineno", None) or line):
            yield node


def _condition(statement: ast.stmt) -> ast.expr | None:
    """What a require(...) asks; else None."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return call.args[0] if isinstance(call, ast.Call) and len(call.args) == 1 else None


def _meant(methods: list[ast.FunctionDef]) -> str:
    """Of a guard that says nothing itself, `require(False)`, what its method is for."""
    fields = (ast.get_docstring(methods[-1]) or "").partition("\n")[0] if methods else ""
    return f"{methods[-1].name}: {fields}" if fields else ""


def _is_name(node: ast.AST) -> bool:
    """Whether it is an attribute of self that is read, or another name."""
    if not isinstance(getattr(node, "ctx", None), ast.Load):
        return False
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Name) and node.value.id == "self"
    return isinstance(node, ast.Name) and node.id != "self"


def _code(part: ast.AST) -> CodeType:
    assert isinstance(part, ast.expr), "a guard consists of expressions"
    return compile(ast.fix_missing_locations(ast.Expression(part)), "<guard>", "eval")


# -- the values --------------------------------------------------------------------------------------------


def _values(line: _Line, frame: FrameType) -> str:
    """The sides of a comparison, or else what the names in a guard stand for; nothing where that cannot be told."""
    if line.sides:
        parts = [_told(side, frame) for side in line.sides]
        if "" not in parts:
            return parts[0] + "".join(f" {s} {p}" for s, p in zip(line.signs, parts[1:], strict=True))
    fields = {name: _told(code, frame) for name, code in line.names}
    return ", ".join([f"{name} = {text}" for name, text in fields.items() if text][:FEW])


def _told(code: CodeType, frame: FrameType) -> str:
    """A part of a guard evaluated once more, for a reader: it runs where it ran, on values that nobody keeps."""
    try:
        with executing(ConcreteMachine()):
            value: Any = eval(code, frame.f_globals, frame.f_locals)
        text = "" if callable(value) else " ".join(shown(value).split())
    except (Exception, Disabled):
        return ""
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 3]}..."
