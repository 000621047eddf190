"""Finds the syntax tree of a function, by the position of its code object in the parsed file."""

from __future__ import annotations

import ast
import linecache
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from types import CodeType, FunctionType
from typing import Any

from ..errors import EverystateError, describe

Written = ast.FunctionDef | ast.Lambda


@dataclass(frozen=True)
class Source:
    """The syntax tree of a function, and the class in whose body it was written ("" for none)."""

    node: Written
    owner: str


def source_of(function: FunctionType) -> Source:
    """The syntax tree of a function; E230 where there is none, or where the file has changed since it was imported."""
    code = function.__code__
    given = getattr(function, "__syntax__", None)
    if given is not None:  # a condition that was typed, to which names of the spec were added
        return Source(given, "")
    text = text_of(code.co_filename, function.__globals__)
    if not text:
        raise _unavailable(code, "its source cannot be found", "write it in a file or in a notebook cell")
    try:
        file = _parsed(code.co_filename, text)
    except SyntaxError:
        file = _File(ast.Module([], []), frozenset())
    index = file.lambdas if code.co_name == "<lambda>" else file.functions
    found = index.get((code.co_name, code.co_firstlineno), [])
    if code.co_name == "<lambda>" and len(found) > 1:
        found = _around(_extent(code), found)
    rewritten = "@pytest_ar" in function.__globals__  # pytest compiles the asserts of a test file differently
    if len(found) != 1 or not (rewritten or code in file.codes):
        reason = "its file is not what was imported: it has changed since, or the function was made another way"
        raise _unavailable(code, reason, "run the command again")
    return found[0]


def text_of(path: str, module: dict[str, Any] | None = None) -> str:
    """What linecache has of a file: the same string as long as it has the same lines. Python knows the hash of that."""
    lines = linecache.getlines(path, module)
    known = _TEXTS.get(path)
    if known is None or known[0] is not lines:
        known = _TEXTS[path] = lines, "".join(lines)
    return known[1]


_TEXTS: dict[str, tuple[list[str], str]] = {}


def _unavailable(code: CodeType, reason: str, remedy: str) -> EverystateError:
    where = describe(code.co_filename, code.co_firstlineno, code.co_name)
    return EverystateError("E230", where, expression=f"{code.co_qualname}", reason=reason, remedy=remedy, limit=True)


_Index = dict[tuple[str, int], list[Source]]
"""Functions by name and first line (that of the first decorator)."""


@dataclass(frozen=True)
class _File:
    """The syntax tree of a file, and its compiled functions."""

    tree: ast.Module
    codes: frozenset[CodeType]

    @cached_property
    def functions(self) -> _Index:
        return _index(self.tree, statements)

    @cached_property
    def lambdas(self) -> _Index:
        """The same with lambdas, for which every expression is visited."""
        return _index(self.tree, children)


def file_tree(path: str) -> ast.Module | None:
    """The syntax tree of a file, as far as it can be read."""
    text = text_of(path)
    try:
        return _parsed(path, text).tree if text else None
    except SyntaxError:
        return None


@lru_cache(maxsize=256)
def _parsed(path: str, text: str) -> _File:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # the import has said it
        return _File(ast.parse(text, path), frozenset(codes_in(compile(text, path, "exec", dont_inherit=True))))


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """A code object and all those inside it."""
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from codes_in(value)


def _index(tree: ast.Module, parts: Callable[[ast.AST], list[Any]]) -> _Index:
    found: _Index = {}
    todo: list[tuple[ast.AST, str]] = [(tree, "")]
    while todo:
        node, owner = todo.pop()
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            name, decorators = getattr(node, "name", "<lambda>"), getattr(node, "decorator_list", [])
            first = min([node.lineno, *(d.lineno for d in decorators)])
            found.setdefault((name, first), []).append(Source(node, owner))
        elif isinstance(node, ast.ClassDef):
            owner = node.name
        todo += [(part, owner) for part in parts(node)]
    return found


def statements(node: ast.AST) -> list[Any]:
    """The statements in a statement, and the cases and handlers that hold some."""
    parts = ("body", "orelse", "handlers", "finalbody", "cases")
    return [inner for part in parts for inner in getattr(node, part, ())]


def children(node: Any) -> list[Any]:
    """What a syntax node holds but for names, operators and contexts: nodes, and plain values, which hold nothing.

    It takes a third of the time of `ast.iter_child_nodes`.
    """
    found = []
    for field in _fields(node.__class__):
        value = getattr(node, field, None)
        if type(value) is list:
            found += value
        elif value is not None:
            found.append(value)
    return found


@cache
def _fields(kind: type) -> tuple[str, ...]:
    without = ("ctx", "op", "ops", "id", "attr", "arg", "name", "kind")
    return tuple(field for field in getattr(kind, "_fields", ()) if field not in without)


def _around(extent: tuple[int, int, int, int], lambdas: list[Source]) -> list[Source]:
    """The innermost lambda around some instructions, which need not cover its body: `not a in b` is one of `a in b`."""
    bodies: list[tuple[Any, Source]] = [(source.node.body, source) for source in lambdas]
    start, end = extent[:2], extent[2:]
    around = [
        ((body.lineno, body.col_offset), source)
        for body, source in bodies
        if (body.lineno, body.col_offset) <= start and end <= (body.end_lineno, body.end_col_offset)
    ]
    return [source for at, source in around if at == max(at for at, _ in around)]


def _extent(code: CodeType) -> tuple[int, int, int, int]:
    """The part of the file that the instructions of a lambda cover, which is its body."""
    positions = [p for p in code.co_positions() if None not in p and (p[2], p[3]) != (0, 0)]
    starts = [(p[0], p[2]) for p in positions]
    ends = [(p[1], p[3]) for p in positions]
    return (*min(starts), *max(ends))  # type: ignore[return-value]
