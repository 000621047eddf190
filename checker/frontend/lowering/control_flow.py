"""Statements whose control flow stays Python's own: inside them a condition splits the path."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from typing import Any

from .nodes import at, load
from .statements import Statements


class Lowering(Statements):
    """Lowers one function."""

    def stmt_If(self, node: ast.If) -> list[ast.stmt]:
        test = self._decided(self.condition(node.test))
        return [ast.If(test, self.block(node.body), self.block(node.orelse) if node.orelse else [])]

    def stmt_While(self, node: ast.While) -> list[ast.stmt]:
        test = self._decided(self.condition(node.test))
        return [ast.While(test, self._in_native_loop(node.body), self.block(node.orelse) if node.orelse else [])]

    def stmt_For(self, node: ast.For) -> list[ast.stmt]:
        item = self._fresh("item")
        into = self._assigned(node.target, load(item))
        body = [*into, *self._in_native_loop(node.body)]
        over = self._call("iterate", self._once(node.iter))
        return [ast.For(ast.Name(item, ast.Store()), over, body, self.block(node.orelse) if node.orelse else [], None)]

    def _in_native_loop(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        outer, self._loop_is_native = self._loop_is_native, True
        try:
            return self.block(body)
        finally:
            self._loop_is_native = outer

    def _natively(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """A block in which a condition splits the path; a loop around it is left as that is."""
        outer, self._native = self._native, True
        try:
            return self.block(body)
        finally:
            self._native = outer

    def stmt_Try(self, node: ast.Try) -> list[ast.stmt]:
        handlers = []
        for handler in node.handlers:
            made = copy.copy(handler)
            made.type = self._es("Anything") if handler.type is None else self.expr(handler.type)
            made.body = self._natively(handler.body)
            made.name = self._fresh("error")
            if handler.name is not None:
                made.body = [*self._assigned(ast.Name(handler.name, ast.Store()), load(made.name)), *made.body]
            made.body.insert(0, ast.Expr(self._call("caught", load(made.name))))
            handlers.append(made)
        bodies = ((self._natively(body) if body else []) for body in (node.orelse, node.finalbody))
        made_try = type(node)(self._natively(node.body), handlers, *bodies)
        return self._splitting([at(made_try, node)])

    def stmt_With(self, node: ast.With) -> list[ast.stmt]:
        items, into = [], list[ast.stmt]()
        for item in node.items:
            manager = self._call("manager", self.expr(item.context_expr))
            name = None
            if item.optional_vars is not None:
                name = self._fresh("with")
                into += self._assigned(item.optional_vars, load(name))
            items.append(ast.withitem(manager, None if name is None else ast.Name(name, ast.Store())))
        return self._splitting([*into, *self._natively(node.body)], items)

    def stmt_Match(self, node: ast.Match) -> list[ast.stmt]:
        cases = []
        for case in node.cases:
            made, names, rests = copy.deepcopy(case), dict[str, str](), set[str]()
            made.pattern, singles = self._without_singletons(made.pattern)
            for pattern in ast.walk(made.pattern):
                bound = getattr(pattern, "name", None) or getattr(pattern, "rest", None)
                if bound is not None and not bound.startswith("__single"):
                    field = "name" if getattr(pattern, "name", None) else "rest"
                    names[bound] = self._fresh("case")
                    setattr(pattern, field, names[bound])
                    if not isinstance(pattern, ast.MatchAs):
                        rests.add(names[bound])  # a list or dict that the pattern makes
            into = list[ast.stmt]()
            for name, captured in names.items():
                value = self._call("made", load(captured)) if captured in rests else load(captured)
                into += self._assigned(ast.Name(name, ast.Store()), value)
            tests: list[ast.expr] = [
                self._decided(self._call("is_", load(name), ast.Constant(value))) for name, value in singles
            ]
            if case.guard is not None:
                tests += [*(self._bound(n, t) for n, t in names.items()), self._decided(self.condition(case.guard))]
            if tests:
                made.guard = ast.BoolOp(ast.And(), tests) if len(tests) > 1 else tests[0]
            made.body = [*into, *self._natively(case.body)]
            self._without_local_names(made.pattern)
            cases.append(made)
        literals: list[ast.expr] = [
            ast.Tuple([v, ast.Constant(line)], ast.Load()) for c in node.cases for v, line in _literals(c.pattern)
        ]
        compared = ast.Tuple(literals, ast.Load())
        subject = self._call("matched", self.expr(node.subject), compared)
        return self._splitting([at(ast.Match(subject, cases), node)])

    def _splitting(self, body: list[ast.stmt], items: Sequence[ast.withitem] = ()) -> list[ast.stmt]:
        return [ast.With([ast.withitem(self._call("splitting"), None), *items], body)]

    def _decided(self, test: ast.expr) -> ast.expr:
        return self._call("decide", test)

    def _without_singletons(self, pattern: ast.pattern) -> tuple[ast.pattern, list[tuple[str, Any]]]:
        """A pattern with a name for each True, False and None in it: Python compares these by `is`."""
        found: list[tuple[str, Any]] = []
        lowering = self

        class Names(ast.NodeTransformer):
            def visit_MatchOr(self, node: ast.MatchOr) -> ast.pattern:
                if any(isinstance(part, ast.MatchSingleton) for part in ast.walk(node)):
                    raise lowering._refused(node, "True, False or None beside |", "", "write a case for each")
                return node

            def visit_MatchSingleton(self, node: ast.MatchSingleton) -> ast.pattern:
                found.append((lowering._fresh("single"), node.value))
                return at(ast.MatchAs(name=found[-1][0]), node)

        made: ast.pattern = Names().visit(pattern)
        return made, found

    def _bound(self, name: str, captured: str) -> ast.expr:
        return self._call("bound", self._frame_of(name), ast.Constant(name), load(captured))

    def _without_local_names(self, pattern: ast.pattern) -> None:
        """The names in a pattern stay dotted names, so local ones are refused."""
        for part in ast.walk(pattern):
            if isinstance(part, ast.Name) and self._is_kept(part.id):
                raise self._refused(part, f"the local name {part.id} in a pattern", "", "compare with `if`")


def _literals(pattern: ast.pattern | None) -> Iterator[tuple[ast.expr, int]]:
    """The literals with which a case compares its subject, and their lines."""
    if isinstance(pattern, ast.MatchValue) and isinstance(pattern.value, ast.Constant):
        yield pattern.value, pattern.lineno
    elif isinstance(pattern, ast.MatchAs):
        yield from _literals(pattern.pattern)
    elif isinstance(pattern, ast.MatchOr):
        for part in pattern.patterns:
            yield from _literals(part)
