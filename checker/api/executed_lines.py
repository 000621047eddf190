"""Which statements of some functions plain Python executes, by its own trace function."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType, FunctionType
from typing import Any

from ..language.concrete_machine import ConcreteMachine
from ..language.machine import current
from ..language.misspellings import syntax_of
from ..language.source import codes_in, statements
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
        self._codes = {id(code): name for name, f in functions.items() for code in codes_in(f.__code__)}
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
                compiled = {line for code in codes_in(function.__code__) for *_, line in code.co_lines() if line}
                yield from self._missing(name, source.node, compiled)

    def _missing(self, name: str, node: ast.AST, compiled: set[int]) -> Iterator[Statement]:
        for part in statements(node):
            lines = compiled.intersection(range(part.lineno, part.end_lineno + 1)) if hasattr(part, "lineno") else ()
            if not lines or any((name, line) in self._lines for line in lines):
                yield from self._missing(name, part, compiled)
            else:
                yield Statement(name, part.lineno, ast.unparse(part).partition("\n")[0].rstrip(":"))
