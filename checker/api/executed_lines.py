"""Which statements of some functions are executed, as Python's own tracing reports lines."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType, FrameType, FunctionType
from typing import Any

from ..language.concrete_machine import ConcreteMachine
from ..language.machine import current
from ..language.misspellings import syntax_of
from ..language.source import statements
from ..language.spec import Spec


@dataclass(frozen=True)
class Statement:
    """A statement of a function: its first line in the file, and the text of that line; for a whole function, none."""

    function: str
    line: int
    text: str = ""

    def __str__(self) -> str:
        return f"{self.function}, line {self.line}: {self.text}" if self.text else self.function


class ExecutedLines:
    """Notes the lines of some functions, by name, that plain Python executes. A line with several statements counts as
    a whole."""

    def __init__(self, functions: Mapping[str, FunctionType]) -> None:
        self._functions = dict(functions)
        self._codes = {id(code): name for name, f in functions.items() for code in _with_inner(f.__code__)}
        self._lines: set[tuple[str, int]] = set()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Note what this thread executes. A debugger that is tracing gets its turn again afterwards."""
        before = sys.gettrace()
        sys.settrace(self._call)
        try:
            yield
        finally:
            sys.settrace(before)

    def watch(self, spec: Spec) -> None:
        """Note, from now on, what this spec executes on values; all else that a search does is as fast as before."""
        vars(spec).update(_method=self._watched(spec._method), _question=self._watched(spec._question))

    def _watched(self, find: Callable[[Any], Callable[..., Any]]) -> Callable[[Any], Callable[..., Any]]:
        def found(key: Any) -> Callable[..., Any]:
            body = find(key)

            def run(*given: Any) -> Any:
                if not isinstance(current(), ConcreteMachine):
                    return body(*given)
                with self.watching():
                    return body(*given)

            return run

        return found

    def _call(self, frame: FrameType, event: str, argument: Any) -> Any:
        name = self._codes.get(id(frame.f_code))
        if name is None:
            return None

        def line(frame: FrameType, event: str, argument: Any) -> Any:
            self._lines.add((name, frame.f_lineno))
            return line

        return line

    def missing(self) -> Iterator[Statement]:
        """What was not executed: whole functions, and statements of others, without what is inside these."""
        executed = {name for name, _ in self._lines}
        for name, function in self._functions.items():
            source = syntax_of(function)
            if name not in executed:
                yield Statement(name, function.__code__.co_firstlineno)
            elif source is not None:
                yield from self._missing(name, source.node)

    def _missing(self, name: str, node: ast.AST) -> Iterator[Statement]:
        for part in statements(node):
            if not isinstance(part, ast.stmt) or self._is_executed(name, part):
                yield from self._missing(name, part)
            elif _is_executable(part):
                yield Statement(name, part.lineno, ast.unparse(part).partition("\n")[0].rstrip(":"))

    def _is_executed(self, name: str, part: ast.stmt) -> bool:
        return any((name, line) in self._lines for line in range(part.lineno, (part.end_lineno or part.lineno) + 1))


def _with_inner(code: CodeType) -> Iterator[CodeType]:
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _with_inner(value)


def _is_executable(statement: ast.stmt) -> bool:
    """Whether Python has an instruction for a statement: for a text that stands alone, for example, it has none."""
    if isinstance(statement, ast.Expr):
        return not isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.AnnAssign):
        return statement.value is not None
    return not isinstance(statement, (ast.Global, ast.Nonlocal))
