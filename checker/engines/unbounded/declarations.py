"""Reads `variables()` and the initial states."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

from ...backends.smt import z3
from ...errors import EverystateError
from ...language import composite_domains, domains, symmetry
from ...language.domains import AnyOf
from .calls import Reader
from .comparing import Unknown, condition, described, equal, is_plain, settled
from .values import (
    Cases,
    Fixed,
    Index,
    Keys,
    Leaf,
    Range,
    Read,
    Repeated,
    Shape,
    Size,
    Sort,
    for_all,
)
from .world import UNREAD, World, body_of

ANY = AnyOf()
"""The initial value that may be any of the domain."""


class Declarer(Reader):
    """Executes `variables()`: declares the variables of a world, and computes what it derives from the constants."""

    def __init__(self, world: World, function: FunctionType) -> None:
        super().__init__(world, {}, function)

    def run(self) -> None:
        """Execute the whole method."""
        self.execute(body_of(self.function))

    def execute(self, body: Sequence[ast.stmt]) -> None:
        """Execute some statements."""
        for node in body:
            match node:
                case ast.Expr(ast.Constant()) | ast.Pass():
                    pass
                case ast.Expr(ast.Call(ast.Attribute(ast.Call(ast.Name("super"), [], []), "variables"), [], [])):
                    self._of_base()
                case ast.Assign([target], value):
                    self._declare(target, value)
                case ast.If():
                    test = settled(self.read(node.test))
                    if test is None:
                        raise self.refused("a variable that depends on an open constant", node)
                    self.execute(node.body if test else node.orelse)
                case _:
                    raise self.refused(f"this {type(node).__name__}", node)

    def _of_base(self) -> None:
        classes = type(self.world.spec).__mro__
        own = next(i for i, cls in enumerate(classes) if vars(cls).get("variables") is self.function)
        base = next(vars(cls)["variables"] for cls in classes[own + 1 :] if "variables" in vars(cls))
        Declarer(self.world, base).run()

    def _declare(self, target: ast.expr, given: ast.expr) -> None:
        is_own = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self"
        name = target.attr if isinstance(target, ast.Attribute) and is_own else ""
        try:
            value = self.read(given)
        except EverystateError as error:
            is_local = isinstance(target, ast.Name)
            if error.code != "E517" or name in self.world.spec.domains or not (name or is_local):
                raise
            if not self._is_harmless(given):
                raise
            if isinstance(target, ast.Name):
                self.names.pop(target.id, None)
            else:
                self.world.derived[name] = UNREAD
            return
        if isinstance(value, Shape) != (name in self.world.spec.domains) and not isinstance(target, ast.Name):
            raise self.refused("this declaration", target)
        if isinstance(value, Shape) and name:
            self.world.variables.declare(name, value)
        elif name:
            self.world.derived[name] = value
        else:
            self._bound(target, value)

    def _is_harmless(self, node: ast.expr) -> bool:
        """Whether an expression that cannot be read changes nothing that others read: it calls builtins only."""
        called = [inner.func for inner in ast.walk(node) if isinstance(inner, ast.Call)]
        return all(isinstance(f, ast.Name) and self.found(f.id) in vars(builtins).values() for f in called)

    # -- domains -------------------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Any:
        called = self.found(node.func.id) if isinstance(node.func, ast.Name) else None
        if called is AnyOf and not node.args and not node.keywords:
            return ANY
        kinds: dict[type, Callable[..., Shape]] = {
            domains.Bool: self._bool,
            domains.Int: self._int,
            domains.Enum: self._enum,
            symmetry.Interchangeable: self._interchangeable,
            composite_domains.Option: self._option,
            composite_domains.Array: self._array,
            composite_domains.Map: self._map,
            composite_domains.Set: self._of_members,
        }
        if not isinstance(called, type) or called not in kinds:
            return super()._call(node)
        named = {keyword.arg: self.read(keyword.value) for keyword in node.keywords}
        if named.keys() - {"init"}:
            raise Unknown(f"this {called.__name__}")
        given = list(map(self.read, node.args))
        positional = {domains.Bool: 0, domains.Int: 2, composite_domains.Option: 1}.get(called, 2)
        if len(given) > positional and called is not domains.Enum:
            raise Unknown(f"this {called.__name__}")
        return kinds[called](*given, init=named.get("init"))

    def _bool(self, *, init: Any) -> Shape:
        return Shape(leaf=Leaf("bool"), initial=False if init is None else init)

    def _int(self, lo: Any = None, hi: Any = None, *, init: Any) -> Shape:
        if type(lo) is int and type(hi) is int:
            return Shape(leaf=Leaf("number", lo=lo, hi=hi), initial=lo if init is None else init)
        if type(lo) is int and lo == 0 and isinstance(hi, Size) and hi == Size(hi.sort, -1):
            return self._element(hi.sort, init)
        raise Unknown(f"numbers from {described(lo)} to {described(hi)}")

    def _element(self, sort: Sort, init: Any) -> Shape:
        return Shape(leaf=Leaf("element", sort=sort), initial=0 if init is None else init)

    def _interchangeable(self, size: Any, name: Any, *, init: Any) -> Shape:
        if isinstance(size, Size) and size == Size(size.sort):
            return self._element(size.sort, init)
        raise Unknown("interchangeable values of a fixed number")

    def _enum(self, *members: Any, init: Any) -> Shape:
        if not members or not all(isinstance(member, str) for member in members):
            raise Unknown("this Enum")
        return Shape(leaf=Leaf("member", members), initial=members[0] if init is None else init)

    def _option(self, of: Any = None, *, init: Any) -> Shape:
        inner = self._domain(of).leaf
        if inner is None or inner.optional:
            raise Unknown("this Option")
        leaf = Leaf(inner.kind, inner.members, inner.lo, inner.hi, inner.sort, True)
        return Shape(leaf=leaf, initial=init)

    def _domain(self, value: Any) -> Shape:
        """A domain that is a part of another one."""
        if isinstance(value, Shape):
            return value
        if isinstance(value, Range) and value.below is None:
            return self._element(value.sort, None)
        numbers = value if isinstance(value, tuple) else ()
        if numbers and all(type(n) is int for n in numbers) and numbers == tuple(range(numbers[0], numbers[-1] + 1)):
            return self._int(numbers[0], numbers[-1], init=None)
        raise Unknown(f"{described(value)} as a domain")

    def _array(self, size: Any = None, element: Any = None, *, init: Any) -> Shape:
        if isinstance(size, Size) and size == Size(size.sort):
            return Shape((size.sort,), self._domain(element), initial=init)
        if type(size) is int:
            return Shape((Fixed(tuple(range(size))),), self._domain(element), initial=init)
        raise Unknown(f"an array of {described(size)}")

    def _map(self, keys: Any = None, element: Any = None, *, init: Any) -> Shape:
        return Shape(self._indices(keys), self._domain(element), is_map=True, initial=init)

    def _of_members(self, members: Any = None, capacity: Any = None, *, init: Any) -> Shape:
        indices = self._indices(members)
        if capacity is not None or len(indices) != 1:
            raise Unknown("this Set")
        return Shape(indices, self._bool(init=None), is_set=True, initial=init)

    def _indices(self, keys: Any) -> tuple[Index, ...]:
        match keys:
            case Range() if keys.below is None:
                return (keys.sort,)
            case Shape() if keys.leaf is not None and keys.leaf.kind == "element" and keys.leaf.sort is not None:
                return (keys.leaf.sort,)
            case tuple() if all(map(is_plain, keys)) and not any(isinstance(key, tuple) for key in keys):
                return (Fixed(keys),)
            case Keys():
                return keys.parts
        raise Unknown(f"{described(keys)} as keys")

    def _listcomp(self, node: ast.ListComp) -> Any:
        """All pairs of some indices, or what a comprehension is elsewhere."""
        names = [g.target.id for g in node.generators if isinstance(g.target, ast.Name) and not g.ifs]
        parts = node.elt.elts if isinstance(node.elt, ast.Tuple) else [node.elt]
        used = [part.id for part in parts if isinstance(part, ast.Name)]
        once = len(set(names)) == len(names) == len(node.generators) and sorted(used) == sorted(names)
        if not once or len(used) != len(parts):
            return super()._listcomp(node)
        found = {}
        for generator, name in zip(node.generators, names, strict=True):
            found[name] = self.read(generator.iter)
            if not isinstance(found[name], (Range, tuple)):
                return super()._listcomp(node)
        if not any(isinstance(whole, Range) for whole in found.values()):
            return super()._listcomp(node)
        return Keys(tuple(self._indices(found[name])[0] for name in used))


# -- initial states ------------------------------------------------------------------------------------------


def begins(world: World, state: dict[str, Read]) -> list[Any]:
    """What `variables()` says of the initial states."""
    return [_begins(shape, state[name], (), None) for name, shape in world.variables.shapes.items()]


def _begins(shape: Shape, read: Read, at: tuple[Any, ...], given: Any) -> Any:
    initial = shape.initial if given is None else given
    if initial is ANY:
        return z3.BoolVal(True)
    if shape.leaf is not None:
        return equal(shape.leaf.value(read(at)), initial)
    assert shape.part is not None
    parts, elements = list[Any](), []
    counters = [index.fresh("i") if isinstance(index, Sort) else None for index in shape.indices]
    for choice in _choices(shape.indices, counters):
        parts.append(_begins_at(shape, read, (*at, *choice), choice, initial))
    elements = [counter for counter in counters if counter is not None]
    return for_all(elements, z3.And(parts))


def _choices(indices: Sequence[Index], counters: Sequence[Any]) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = [()]
    for index, counter in zip(indices, counters, strict=True):
        own = [counter] if isinstance(index, Sort) else [z3.IntVal(at) for at in range(len(index.keys))]
        found = [(*before, term) for before in found for term in own]
    return found


def _begins_at(shape: Shape, read: Read, at: tuple[Any, ...], choice: tuple[Any, ...], initial: Any) -> Any:
    part, index = shape.part, shape.indices[0]
    assert part is not None
    match initial:
        case None:
            return _begins(part, read, at, None)
        case Repeated() if index is initial.sort and initial.whole and len(choice) == 1:
            is_first = choice[0] == initial.sort.first
            first, rest = (_begins(part, read, at, value) for value in (initial.first, initial.rest))
            return z3.If(is_first, first, rest)
        case Cases() if len(initial.cases) == 1 and [s for s, _ in initial.cases[0].binders] == [index]:
            case = initial.cases[0]
            value = condition(case.value)
            return equal_truth(part, read, at, z3.substitute(value, (case.binders[0][1], choice[0])))
        case tuple() if isinstance(index, Fixed) and len(choice) == 1 and len(initial) == len(index.keys):
            return _begins(part, read, at, initial[choice[0].as_long()])
    raise Unknown(f"the initial value {described(initial)}")


def equal_truth(part: Shape, read: Read, at: tuple[Any, ...], value: Any) -> Any:
    """That a boolean leaf has a value."""
    if part.leaf is None or part.leaf.kind != "bool" or part.leaf.optional:
        raise Unknown("this initial value")
    return read(at)[0] == value
