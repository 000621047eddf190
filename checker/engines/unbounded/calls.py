"""Reads comprehensions, calls of builtins, and helper methods."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any

from ...backends.smt import z3
from ...language import statements
from ...language.spec import Spec
from .comparing import Unknown, condition, described, is_plain, settled
from .expressions import Expressions
from .merging import merged
from .values import (
    Case,
    Cases,
    Count,
    Element,
    Index,
    Range,
    Size,
    Sort,
    Truth,
    View,
    exists,
    for_all,
)
from .world import body_of

DEEPEST = 20
"""Calls of methods inside each other."""


class Reader(Expressions):
    """Reads all expressions of a function."""

    def _generatorexp(self, node: ast.GeneratorExp) -> Any:
        return replace(self.cases(node.generators, node.elt), lazy=True)

    def _listcomp(self, node: ast.ListComp) -> Any:
        return self.cases(node.generators, node.elt)

    def cases(self, generators: Sequence[ast.comprehension], element: ast.expr) -> Cases:
        """The elements of a comprehension."""
        known, total = dict(self.names), self.total
        self.total = True
        try:
            return Cases(tuple(self._cases(generators, element, (), z3.BoolVal(True))))
        finally:
            self.names, self.total = known, total

    def _cases(
        self, generators: Sequence[ast.comprehension], element: ast.expr, binders: Any, holds: Any
    ) -> Iterator[Case]:
        if not generators:
            yield Case(binders, holds, self.read(element))
            return
        first, *rest = generators
        for case in self.items(self.read(first.iter)):
            self.bind(first.target, case.value)
            new = [term for _, term in case.binders]
            self.binders += new
            here = z3.And(holds, case.condition, *map(self.condition, first.ifs))
            if not z3.is_false(z3.simplify(here)):
                yield from self._cases(rest, element, (*binders, *case.binders), here)
            del self.binders[len(self.binders) - len(new) :]

    def items(self, whole: Any) -> list[Case]:
        """What a loop over a value goes through."""
        yes = z3.BoolVal(True)
        match whole:
            case tuple():
                return [Case((), yes, item) for item in whole]
            case Cases():
                return list(whole.cases)
            case Range():
                term = whole.sort.fresh("one")
                before = yes if whole.below is None else whole.sort.less(term, whole.below)
                return [Case(((whole.sort, term),), before, Element(whole.sort, term))]
            case View() if whole.shape.is_set and isinstance(whole.shape.indices[0], Sort):
                sort = whole.shape.indices[0]
                term = sort.fresh("one")
                inside = self.state[whole.variable]((*whole.at, term))[0]
                return [Case(((sort, term),), inside, Element(sort, term))]
            case View() if whole.shape.part is not None and not (whole.shape.is_set or whole.shape.is_map):
                return [self._item(whole, index, term) for index, term in self._places(whole.shape.indices[0])]
        raise Unknown(f"a loop over {described(whole)}")

    def _places(self, index: Index) -> Iterator[tuple[Index, Any]]:
        if isinstance(index, Sort):
            yield index, index.fresh("one")
        else:
            yield from ((index, z3.IntVal(at)) for at in range(len(index.keys)))

    def _item(self, whole: View, index: Index, term: Any) -> Case:
        assert whole.shape.part is not None
        value = self.view(View(whole.variable, whole.shape.part, (*whole.at, term)))
        return Case(((index, term),) if isinstance(index, Sort) else (), z3.BoolVal(True), value)

    def bind(self, target: ast.expr, value: Any) -> None:
        """Give a value to a name, or to several."""
        if isinstance(value, Cases) and value.lazy:
            raise Unknown("a name for a generator")
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        elif isinstance(target, ast.Tuple) and isinstance(value, tuple) and len(target.elts) == len(value):
            for part, item in zip(target.elts, value, strict=True):
                self.bind(part, item)
        else:
            raise Unknown("this target of an assignment")

    def _call(self, node: ast.Call) -> Any:
        if isinstance(node.func, ast.Attribute):
            return self._method(node, node.func)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        called = self.found(name)
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            raise Unknown(f"this call of {name}")
        if called is statements.implies and len(node.args) == 2:
            left = self.condition(node.args[0])
            with self.when(left):
                return Truth(z3.Implies(left, self.condition(node.args[1])))
        known = {any: self._any, all: self._all, sum: self._sum, len: self._len, range: self._range}
        if called not in known or called is None:
            raise Unknown(f"a call of {name}")
        return known[called](*map(self.read, node.args))

    def _any(self, *given: Any) -> Any:
        cases = self.items(*given)
        terms = [exists([b for _, b in c.binders], z3.And(c.condition, condition(c.value))) for c in cases]
        return Truth(z3.Or(terms))

    def _all(self, *given: Any) -> Any:
        cases = self.items(*given)
        terms = [for_all([b for _, b in c.binders], z3.Implies(c.condition, condition(c.value))) for c in cases]
        return Truth(z3.And(terms))

    def _sum(self, *given: Any) -> Any:
        if len(given) == 1 and isinstance(given[0], Cases | View | tuple):
            cases = [
                Case(c.binders, c.condition, bool(c.value) if c.value in (0, 1) else c.value)
                if is_plain(c.value)
                else c
                for c in self.items(given[0])
            ]
            if all(isinstance(c.value, (bool, Truth)) for c in cases):
                return Count(tuple(cases))
        raise Unknown("a sum of what is not true or false")

    def _len(self, *given: Any) -> Any:
        whole = given[0] if len(given) == 1 else None
        if isinstance(whole, tuple):
            return len(whole)
        if isinstance(whole, Cases) or (isinstance(whole, View) and whole.shape.is_set):
            return Count(tuple(Case(c.binders, c.condition, True) for c in self.items(whole)))
        raise Unknown("this length")

    def _range(self, *given: Any) -> Any:
        if len(given) == 2 and given[0] == 0:
            given = given[1:]
        if all(type(value) is int for value in given) and given:
            return tuple(range(*given))
        if len(given) == 1 and isinstance(given[0], Size) and given[0] == Size(given[0].sort):
            return Range(given[0].sort)
        if len(given) == 1 and isinstance(given[0], Element):
            return Range(given[0].sort, given[0].term)
        raise Unknown(f"a range up to {described(given[-1])}" if given else "a range")

    def _method(self, node: ast.Call, called: ast.Attribute) -> Any:
        """The value of a helper method of the spec, which is read in place."""
        is_self = isinstance(called.value, ast.Name) and called.value.id == "self" and "self" not in self.names
        found = next((vars(c)[called.attr] for c in type(self.world.spec).__mro__ if called.attr in vars(c)), None)
        if not is_self or type(found) is not FunctionType or called.attr in vars(Spec) or node.keywords:
            raise Unknown(f"this call of {called.attr}")
        if self.depth > DEEPEST or found.__code__.co_flags & (0x04 | 0x08 | 0x20) or found.__closure__:
            raise Unknown(f"a call of {called.attr}")
        given, names = list(map(self.read, node.args)), found.__code__.co_varnames[1 : found.__code__.co_argcount]
        if len(given) != len(names) or found.__code__.co_kwonlyargcount:
            raise Unknown(f"a call of {called.attr} with other arguments than it has")
        inner = Reader(self.world, self.state, found, self.depth + 1)
        inner.names = dict(zip(names, given, strict=True))
        inner.path, inner.guards, inner.faults = self.path, self.guards, self.faults
        inner.binders, inner.parameters, inner.total = self.binders, self.parameters, self.total
        inner.guess = self.guess
        return inner.returned(body_of(found))

    def returned(self, body: Sequence[ast.stmt]) -> Any:
        """The value that a body without effects returns."""
        for at, statement in enumerate(body):
            match statement:
                case ast.Return() if statement.value is not None:
                    return self.read(statement.value)
                case ast.Assign() | ast.AnnAssign() if statement.value is not None:
                    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                    value = self.read(statement.value)
                    for target in targets:
                        self._bound(target, value)
                case ast.If():
                    return self._branches(statement, body[at + 1 :])
                case ast.Expr(ast.Constant()) | ast.Pass():
                    pass
                case _:
                    raise self.refused(f"this {type(statement).__name__} in a method that returns a value", statement)
        raise self.refused("a method that returns no value", body[-1])

    def _bound(self, target: ast.expr, value: Any) -> None:
        try:
            self.bind(target, value)
        except Unknown as unknown:
            raise self.refused(str(unknown), target) from None

    def _branches(self, node: ast.If, rest: Sequence[ast.stmt]) -> Any:
        value = self.read(node.test)
        known = settled(value)
        if known is not None:
            return self.returned([*(node.body if known else node.orelse), *rest])
        test, names = condition(value), dict(self.names)
        with self.when(test):
            one = self.returned([*node.body, *rest])
        self.names = names
        with self.when(z3.Not(test)):
            other = self.returned([*node.orelse, *rest])
        try:
            return merged(test, one, other)
        except Unknown as unknown:
            raise self.refused(str(unknown), node) from None
