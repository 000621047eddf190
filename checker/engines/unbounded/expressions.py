"""Reads expressions of a spec, from their syntax trees, as formulas for any number of elements.

What has no such meaning is refused with its line: nothing is guessed. `comparison` compares the formulas with the
compiled spec, so a mistake in here is not silent.
"""

from __future__ import annotations

import ast
import builtins
import enum
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FunctionType
from typing import Any

from ...backends.smt import z3
from ...errors import describe
from .comparing import Unknown, compare, condition, described, equal, is_plain, number, settled, truth
from .merging import merged
from .values import (
    Case,
    Count,
    Element,
    Index,
    Maybe,
    Number,
    Range,
    Read,
    Repeated,
    Size,
    Sort,
    Truth,
    View,
    exists,
    refused,
)
from .world import UNREAD, World, constants_of


class Expressions:
    """Reads the expressions of one function over a state.

    `faults` gets the conditions under which an expression has no value, `path` those under which it is evaluated.
    """

    def __init__(self, world: World, state: dict[str, Read], function: FunctionType, depth: int = 0) -> None:
        self.world, self.state, self.function, self.depth = world, state, function, depth
        self.names: dict[str, Any] = {}
        self.path: list[Any] = []
        self.guards: list[Any] = []
        self.faults: list[Any] = []
        self.binders: list[Any] = []
        self.parameters: list[Any] = []
        self.guess = False
        """Whether it is a condition of an invariant that may have any value where Python has none."""
        self.total = False
        """Whether an expression must have a value: in a comprehension."""
        if function.__code__.co_varnames[:1] != ("self",):
            raise self.refused("a method whose first parameter is not `self`", ast.Pass())

    # -- expressions ---------------------------------------------------------------------------------------

    def read(self, node: ast.expr) -> Any:
        """The value of an expression; E517 where it is not known."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        try:
            if method is None:
                raise Unknown(f"this {type(node).__name__}")
            return method(node)
        except Unknown as unknown:
            raise self.refused(str(unknown), node) from None

    def refused(self, what: str, node: ast.AST) -> Exception:
        """What cannot be read, with its line."""
        code = self.function.__code__
        where = describe(code.co_filename, getattr(node, "lineno", code.co_firstlineno), code.co_name)
        return refused(what, where, self.world.names)

    def condition(self, node: ast.expr) -> Any:
        """An expression as a formula."""
        value = self.read(node)
        try:
            return condition(value)
        except Unknown as unknown:
            raise self.refused(str(unknown), node) from None

    def fault(self, when: Any) -> None:
        """Note that there is no value where a condition holds."""
        if not z3.is_false(z3.simplify(z3.And(*self.path, when))):
            if self.guess:
                return
            if self.total:
                raise Unknown("an expression in a comprehension that may fail")
            self.faults.append(exists(self.binders, z3.And(*self.guards, *self.path, when)))

    def _constant(self, node: ast.Constant) -> Any:
        if is_plain(node.value):
            return node.value
        raise Unknown(f"the constant {node.value!r}")

    def _name(self, node: ast.Name) -> Any:
        if node.id in self.names:
            return self.names[node.id]
        value = self.found(node.id)
        if is_plain(value) and value is not None:
            return value
        raise Unknown(f"the name {node.id}")

    def found(self, name: str) -> Any:
        """What a name means outside of the function; None for a local name, and where it is not known."""
        code = self.function.__code__
        if name in self.names or name in (*code.co_varnames, *code.co_freevars, *code.co_cellvars):
            return None
        return self.function.__globals__.get(name, getattr(builtins, name, None))

    def _tuple(self, node: ast.Tuple) -> Any:
        return tuple(map(self.read, node.elts))

    def _list(self, node: ast.List) -> Any:
        return tuple(map(self.read, node.elts))

    def _set(self, node: ast.Set) -> Any:
        return tuple(map(self.read, node.elts))

    def _attribute(self, node: ast.Attribute) -> Any:
        if not (isinstance(node.value, ast.Name) and node.value.id == "self" and "self" not in self.names):
            return self._of_enum(node)
        name, world = node.attr, self.world
        if name in world.sorts:
            return Size(world.sorts[name])
        if name in world.variables.shapes:
            return self.view(View(name, world.variables.shapes[name]))
        if name in world.derived:
            if world.derived[name] is UNREAD:
                raise Unknown(f"self.{name}, as `variables` computes it,")
            return world.derived[name]
        value = world.spec.constants.get(name, getattr(type(world.spec), name, None))
        if name not in world.spec.domains and is_plain(value) and value is not None:
            return value
        raise Unknown(f"self.{name}")

    def _of_enum(self, node: ast.Attribute) -> Any:
        if isinstance(node.value, ast.Name) and node.value.id not in self.names:
            value = getattr(self.found(node.value.id), node.attr, None)
            if isinstance(value, enum.Enum):
                return value
        raise Unknown(f"the attribute {node.attr}")

    def view(self, view: View) -> Any:
        """A part of a variable; its value, where it is a leaf."""
        if view.shape.leaf is None:
            return view
        return view.shape.leaf.value(self.state[view.variable](view.at))

    def _subscript(self, node: ast.Subscript) -> Any:
        whole, at = self.read(node.value), self.read(node.slice)
        if isinstance(whole, View):
            return self.view(self.inside(whole, at))
        if isinstance(whole, tuple) and type(at) is int and -len(whole) <= at < len(whole):
            return whole[at]
        raise Unknown(f"an index of {described(whole)}")

    def inside(self, view: View, at: Any) -> View:
        """The part of an array or a map at an index."""
        given = at if isinstance(at, tuple) else (at,)
        if view.shape.part is None or view.shape.is_set or len(given) != len(view.shape.indices):
            raise Unknown(f"an index of self.{view.variable}")
        terms = [self.index(index, value) for index, value in zip(view.shape.indices, given, strict=True)]
        return View(view.variable, view.shape.part, (*view.at, *terms))

    def index(self, index: Index, value: Any) -> Any:
        """An index as a term."""
        if isinstance(value, Maybe):
            value = self.present(value)
        if isinstance(index, Sort):
            if isinstance(value, Element) and value.sort is index:
                return value.term
            if type(value) is int and value == 0:
                return index.first
            raise Unknown(f"{described(value)} as an index of {index.name}")
        if is_plain(value) and value in index.keys:
            return z3.IntVal(index.keys.index(value))
        if isinstance(value, Number) and index.keys == tuple(range(index.keys[0], index.keys[-1] + 1)):
            if value.lo < min(0, index.keys[0]):
                raise Unknown("an index that may be negative")
            self.fault(z3.Not(z3.And(index.keys[0] <= value.term, value.term <= index.keys[-1])))
            return value.term - index.keys[0]
        raise Unknown(f"{described(value)} as an index")

    def items(self, whole: Any) -> list[Case]:
        """What a loop over a value goes through; see Reader."""
        raise NotImplementedError

    def present(self, value: Maybe) -> Any:
        """A value that is not None here; None is a fault."""
        self.fault(z3.Not(value.present))
        return value.value

    # -- operators -----------------------------------------------------------------------------------------

    def _boolop(self, node: ast.BoolOp) -> Any:
        found, depth, stop = list[Any](), len(self.path), isinstance(node.op, ast.Or)
        for part in node.values:
            value = self.read(part)
            term = condition(value)
            found.append(term)
            if value is stop:
                break
            self.path.append(z3.Not(term) if stop else term)
        del self.path[depth:]
        return truth(z3.simplify(z3.Or(found))) if stop and _constant(found) else self._joined(found, stop)

    def _joined(self, found: list[Any], either: bool) -> Any:
        if any(z3.is_true(t) if either else z3.is_false(t) for t in found):
            return either
        left = [t for t in found if not (z3.is_true(t) or z3.is_false(t))]
        if not left:
            return not either
        return Truth(z3.Or(left) if either else z3.And(left))

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        value = self.read(node.operand)
        if isinstance(node.op, ast.Not):
            return not value if settled(value) is not None else Truth(z3.Not(condition(value)))
        if isinstance(node.op, ast.USub) and type(value) is int:
            return -value
        raise Unknown(f"this operation on {described(value)}")

    def _ifexp(self, node: ast.IfExp) -> Any:
        value = self.read(node.test)
        known = settled(value)
        if known is not None:
            return self.read(node.body if known else node.orelse)
        test = condition(value)
        with self.when(test):
            one = self.read(node.body)
        with self.when(z3.Not(test)):
            other = self.read(node.orelse)
        return merged(test, one, other)

    @contextmanager
    def when(self, condition: Any) -> Iterator[None]:
        """What is read in the body is evaluated where a condition holds."""
        self.path.append(condition)
        try:
            yield
        finally:
            self.path.pop()

    def _compare(self, node: ast.Compare) -> Any:
        left, found = self.read(node.left), list[Any]()
        for op, part in zip(node.ops, node.comparators, strict=True):
            right = self.read(part)
            if isinstance(op, (ast.In, ast.NotIn)):
                inside = self._inside(left, right)
                found.append(inside if isinstance(op, ast.In) else z3.Not(inside))
            else:
                one, other = self._numbers(op, left, right)
                found.append(compare(op, one, other, self.majority))
            left = right
        return truth(z3.simplify(z3.And(found))) if _constant(found) else self._joined(found, False)

    def _numbers(self, op: ast.cmpop, *sides: Any) -> tuple[Any, ...]:
        """The sides of a comparison; of an order, which None does not have."""
        if isinstance(op, (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)):
            return sides
        return tuple(self.present(side) if isinstance(side, Maybe) else side for side in sides)

    def _inside(self, value: Any, whole: Any) -> Any:
        if isinstance(whole, tuple):
            return z3.Or([equal(value, item) for item in whole])
        if isinstance(whole, View) and whole.shape.is_set:
            return self.state[whole.variable]((*whole.at, self.index(whole.shape.indices[0], value)))[0]
        if isinstance(whole, Range) and isinstance(value, Element) and value.sort is whole.sort and not whole.below:
            return z3.BoolVal(True)
        if isinstance(whole, View) and whole.shape.part is not None and not whole.shape.is_map:
            cases = self.items(whole)
            return z3.Or([exists([t for _, t in c.binders], z3.And(c.condition, equal(c.value, value))) for c in cases])
        raise Unknown(f"`in` {described(whole)}")

    def majority(self, sort: Sort, counter: Any, holds: Any) -> Any:
        """That more than half of a sort satisfy a condition about a constant."""
        used = constants_of(holds)
        parameters = [term for term in (*self.parameters, *self.binders) if term.get_id() in used]
        found = self.world.majority(sort, counter, parameters, holds)
        return found.relation(*parameters) if parameters else found.relation

    def _binop(self, node: ast.BinOp) -> Any:
        return self.operated(node.op, self.read(node.left), self.read(node.right))

    def operated(self, op: ast.operator, a: Any, b: Any) -> Any:
        """The value of an operation on two values."""
        if type(a) is int and type(b) is int and type(op) in _PLAIN:
            if isinstance(op, (ast.FloorDiv, ast.Mod)) and b == 0:
                raise Unknown("a division by 0")
            return _PLAIN[type(op)](a, b)
        if isinstance(a, (tuple, Repeated)) and isinstance(b, (tuple, Repeated, Size, int)):
            return _lists(op, a, b)
        if isinstance(op, ast.Mult) and isinstance(b, Count):
            a, b = b, a
        if isinstance(op, ast.Mult) and isinstance(a, Count) and type(b) is int and b > 0:
            return Count(a.cases, a.factor * b)
        if isinstance(a, Size) and type(b) is int:
            if isinstance(op, (ast.Add, ast.Sub)):
                return Size(a.sort, a.plus + (b if isinstance(op, ast.Add) else -b), a.half)
            if isinstance(op, ast.FloorDiv) and b == 2 and a == Size(a.sort):
                return Size(a.sort, 0, True)
        a, b = (self.present(side) if isinstance(side, Maybe) else side for side in (a, b))
        x, y = number(a), number(b)
        if x is None or y is None:
            raise Unknown(f"arithmetic with {described(b if x else a)}")
        return self._arithmetic(op, x, y)

    def _arithmetic(self, op: ast.operator, x: Number, y: Number) -> Number:
        match op:
            case ast.Add():
                return Number(x.term + y.term, x.lo + y.lo, x.hi + y.hi)
            case ast.Sub():
                return Number(x.term - y.term, x.lo - y.hi, x.hi - y.lo)
            case ast.Mod() if y.lo == y.hi > 0:
                return Number(x.term % y.term, 0, y.hi - 1)
        raise Unknown("this arithmetic")


def _lists(op: ast.operator, a: Any, b: Any) -> Any:
    """A list of several values, or of as many as there are elements of a sort."""
    if isinstance(a, tuple) and isinstance(b, tuple) and isinstance(op, ast.Add):
        return a + b
    if isinstance(a, tuple) and len(a) == 1 and isinstance(op, ast.Mult):
        if isinstance(b, Size) and not b.half and b.plus in (0, -1):
            return Repeated(b.sort, a[0], a[0], b.plus == 0)
        if type(b) is int:
            return a * b
    if isinstance(a, tuple) and len(a) == 1 and isinstance(b, Repeated) and not b.whole and isinstance(op, ast.Add):
        return Repeated(b.sort, a[0], b.rest, True)
    raise Unknown("this list")


_PLAIN: dict[type[ast.operator], Any] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
}


def _constant(found: Sequence[Any]) -> bool:
    """Whether all of some formulas are constants."""
    return all(z3.is_true(term) or z3.is_false(term) for term in map(z3.simplify, found))
