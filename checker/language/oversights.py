"""Finds likely oversights in the source of a spec: conditions that stand alone, literals, loops, unused methods."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import lru_cache
from types import FunctionType
from typing import Any

from ..errors import is_ours
from .methods import function_of
from .misspellings import authors_functions, mentioned_in_files, syntax_of
from .source import Source

HARMLESS = {"all", "any", "bool", "isinstance", "len", "max", "min", "sorted", "sum"}
"""Functions whose call alone does nothing."""
CONDITIONAL = {"require": 1, "implies": 2}
"""How many conditions these functions take, as their first arguments."""


def no_effect(action: str) -> str:
    """The sentence for an action that leaves every state as it is."""
    return f"action {action} never changes the state"


def oversights(spec: Any) -> list[str]:
    """A sentence for each."""
    cls = type(spec)
    return [*_in_functions(cls), *_uncalled(spec, cls)]


def _in_functions(cls: type) -> Iterator[str]:
    """Conditions that are statements, `self.n == 3` instead of `require(self.n == 3)`, and those that are literals."""
    for base in cls.__mro__[:-1]:
        for function in authors_functions(base):
            source = syntax_of(function)
            if source is not None:
                yield from _in_function(function.__name__, source)


@lru_cache(maxsize=4096)
def _in_function(name: str, source: Source) -> tuple[str, ...]:
    """The same of one function, kept because a matrix makes many specs of a class."""
    found = []
    for node in _statements(source.node):
        if isinstance(node, ast.Expr) and _is_value(node.value):
            text = ast.unparse(node.value)
            found.append(
                f"{name}, line {node.lineno}: `{text}` stands alone, so it does nothing; "
                f"a guard is written require({text})"
            )
    for part in ast.walk(source.node):
        if isinstance(part, ast.For) and _never_loops(part):
            found.append(
                f"{name}, line {part.lineno}: this loop returns in its first round, whatever its conditions say"
            )
        for literal in _literals(part):
            text = ast.unparse(literal)
            found.append(
                f"{name}, line {literal.lineno}: `{text}` is used as a condition, "
                f"and it is {'true' if _is_true(literal) else 'false'} in every state"
            )
    return tuple(found)


def _never_loops(loop: ast.For) -> bool:
    """Whether a loop with a condition always returns in its first round: its last line is indented too far."""
    conditional = any(isinstance(node, ast.If) for node in loop.body)
    return conditional and _returns(loop.body) and not any(isinstance(node, ast.Continue) for node in ast.walk(loop))


def _returns(body: list[ast.stmt]) -> bool:
    """Whether statements end in a `return` whatever happens."""
    last = body[-1] if body else None
    return isinstance(last, ast.Return) or (isinstance(last, ast.If) and _returns(last.body) and _returns(last.orelse))


def _literals(node: ast.AST) -> Iterator[ast.expr]:
    """The literals that a node takes as conditions: texts, tuples and lists; not True, False, None and numbers."""
    if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        tests = [node.test]
    elif isinstance(node, ast.comprehension):
        tests = node.ifs[:]
    elif isinstance(node, ast.BoolOp):
        tests = node.values[:-1]  # the last one may be a value: `name or "none"`
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        tests = [node.operand]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CONDITIONAL:
        tests = node.args[: CONDITIONAL[node.func.id]]
    else:
        return
    tests += [test.values[-1] for test in tests if isinstance(test, ast.BoolOp)]
    for test in tests:
        text = isinstance(test, ast.Constant) and isinstance(test.value, (str, bytes))
        if text or isinstance(test, (ast.JoinedStr, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.Lambda)):
            yield test


def _is_true(literal: ast.expr) -> bool:
    """Whether a literal counts as true."""
    if isinstance(literal, ast.Dict):
        return bool(literal.keys)
    if isinstance(literal, (ast.Tuple, ast.List)):
        return bool(literal.elts)
    return not isinstance(literal, ast.Constant) or bool(literal.value)


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """The statements inside a function; there are none inside expressions."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        inner = getattr(node, field, ())
        for part in inner if isinstance(inner, list) else ():
            if isinstance(part, ast.stmt):
                yield part
            yield from _statements(part)


def _is_value(node: ast.expr) -> bool:
    """Whether an expression only has a value: evaluating it changes nothing."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in HARMLESS and not _calls(node)
    if isinstance(node, (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp)):
        return not _calls(node)
    return isinstance(node, (ast.Attribute, ast.Subscript, ast.Name))


def _calls(node: ast.expr) -> bool:
    """Whether a part of an expression may change something: a call of a method, or an assignment."""
    return any(
        isinstance(part, (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom))
        or (isinstance(part, ast.Call) and not (isinstance(part.func, ast.Name) and part.func.id in HARMLESS))
        for part in ast.walk(node)
    )


def is_idle(function: FunctionType) -> bool:
    """Whether an action says that it changes nothing: it has guards and no other statement."""
    source = syntax_of(function)
    body = source.node.body if source is not None and isinstance(source.node, ast.FunctionDef) else []
    return all(isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and _is_guard(node.value)) for node in body)


def _is_guard(node: ast.expr) -> bool:
    """Whether an expression is require(...), narrate(...), a docstring or `...`."""
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("require", "narrate")
    return called or isinstance(node, ast.Constant)


def _uncalled(spec: Any, cls: type) -> Iterator[str]:
    """Methods of the spec's own file that have no decorator and are mentioned nowhere."""
    mentioned = mentioned_in_files(cls)
    home = getattr(sys.modules.get(cls.__module__), "__file__", None)
    for base in cls.__mro__[:-1]:
        above = {name for outer in base.__mro__[1:] for name in vars(outer)}
        for name, value in vars(base).items():
            function = function_of(value)
            if not isinstance(function, FunctionType) or is_ours(function.__code__.co_filename):
                continue
            own = function.__code__.co_filename == home and function.__name__ == name
            if own and not (name in mentioned or name in above or name in spec._declared or name[:1] == "_"):
                yield (
                    f"{name} is never called and has no decorator, so it is not checked "
                    f"(line {function.__code__.co_firstlineno})"
                )
