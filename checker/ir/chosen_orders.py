"""In another process: modules of a user are compiled so that they go through plain sets in an order that is chosen.

Seeds of Python's hash give few orders of many, and what shows in one order of forty they seldom show. Here each element
of a set stands once at each place: the elements in the order of their texts, or in that of this process where they have
none, turned by 0, 1, 2 ... What a module puts into a set, and what it asks of it, stays as it is; only where the text
of a module goes through something, and that is a plain set, it goes through a list of it. Sets that libraries go
through keep the order that the seed gives them. What `id` says of objects is chosen, too: it grows from one to the next
in every other order, and falls in the rest.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from enum import Enum
from importlib.machinery import SourceFileLoader
from types import CodeType
from typing import Any
from zipimport import zipimporter

from ..border import sources
from ..border.bytecode import of_library
from ..errors import is_ours

_TURNED, _POPPING, _PLACED = "turned_by_everystate", "popping_by_everystate", "placed_by_everystate"
_GO_THROUGH = {
    *("iter", "list", "tuple", "dict", "enumerate", "zip", "map", "filter", "sorted", "reversed", "min", "max", "sum"),
    *("any", "all", "reduce", "deque", "Counter", "OrderedDict", "islice", "chain", "from_iterable", "product"),
    *("permutations", "combinations", "cycle", "groupby", "accumulate", "takewhile", "dropwhile", "zip_longest"),
    *("pairwise", "starmap", "nsmallest", "nlargest", "fromiter", "join", "extend", "update", "fromkeys"),
}
"""Functions and methods of Python that go through what they are given."""
_QUIET = (ast.GeneratorExp, ast.ListComp, ast.DictComp, ast.Constant, ast.JoinedStr, ast.Tuple, ast.List, ast.Dict)
"""What is no set, whatever it holds."""


class Orders:
    """By how much each plain set is turned, and how many elements the largest one had that somebody went through.

    `tied`: one had elements that no text tells from one another, which stand in the order that this process gives them.
    """

    def __init__(self, by: int) -> None:
        self.by, self.largest, self.tied = by, 0, False
        self._placed: dict[int, tuple[int, Any]] = {}

    def turned(self, value: Any) -> Any:
        """What is gone through in place of a value: the elements of a plain set in the order that is chosen."""
        if type(value) not in (set, frozenset) or len(value) < 2 or all(type(part) in (int, bool) for part in value):
            return value
        self.largest = max(self.largest, len(value))
        elements = [*value]
        places = [*map(_place, elements)]
        self.tied = self.tied or len({*places}) < len(places)
        listed = [elements[at] for at in sorted(range(len(elements)), key=places.__getitem__)]
        at = self.by % len(listed)
        return listed[at:] + listed[:at]

    def placed(self, value: Any) -> int:
        """The address of an object that is chosen."""
        number = len(self._placed) + 1
        return self._placed.setdefault(id(value), ((1 << 40) + (-number if self.by % 2 else number) * 16, value))[0]

    def functions(self) -> dict[str, Callable[[Any], Any]]:
        """What a compiled module calls, by name."""

        def turned(value: Any) -> Any:
            return self.turned(value)

        def popping(value: Any) -> Any:
            return _Popping(value, self) if type(value) is set else value

        def placed(value: Any) -> int:
            return self.placed(value)

        return {_TURNED: turned, _POPPING: popping, _PLACED: placed}

    def install(self) -> None:
        """From here on, modules that are imported, and are neither ours nor a library's, go through sets like that."""

        def get_code(loader: SourceFileLoader, name: str) -> CodeType | None:
            path = loader.get_filename(name)
            known = is_ours(path) or of_library(path)
            return _get_code(loader, name) if known else compiled(path, loader.get_data(path))

        def in_archive(loader: zipimporter, name: str) -> CodeType:
            path = loader.get_filename(name)
            known = of_library(path) or not path.endswith(".py")
            return _in_archive(loader, name) if known else compiled(path, loader.get_data(path))

        of_library(__file__)  # to find out where libraries lie loads a module, from Python 3.13 on
        vars(builtins).update(self.functions())
        SourceFileLoader.get_code = get_code  # type: ignore[method-assign, assignment]
        zipimporter.get_code = in_archive  # type: ignore[method-assign, assignment]
        sources._read.cache_clear()


_get_code: Callable[[SourceFileLoader, str], CodeType | None] = SourceFileLoader.get_code
_in_archive: Callable[[zipimporter, str], CodeType] = zipimporter.get_code


class _Popping:
    """A plain set, to take the first element out of it."""

    def __init__(self, value: set[Any], orders: Orders) -> None:
        self._value, self._orders = value, orders

    def pop(self) -> Any:
        if len(self._value) < 2:
            return self._value.pop()
        found = next(iter(self._orders.turned(self._value)))
        self._value.discard(found)
        return found


def _place(value: Any) -> tuple[Any, ...]:
    """Where an element stands, the same in each process; who has no text keeps the place that he has there."""
    if isinstance(value, Enum):
        return "enum", type(value).__qualname__, str(value.name)
    if isinstance(value, str):
        return "text", str.__str__(value)
    if isinstance(value, (tuple, frozenset)):
        parts = [_place(part) for part in value]
        return "some", *(sorted(parts) if isinstance(value, frozenset) else parts)
    if isinstance(value, type):
        return "class", value.__module__, value.__qualname__
    return "other", repr(value) if type(value) in (int, bool, float, bytes, type(None)) else type(value).__qualname__


def compiled(path: str, text: bytes) -> CodeType:
    """The body of a module that goes through plain sets in the order that is chosen."""
    tree = ast.parse(text, path)
    turning = _Turning("id" in _bound(tree))
    code: CodeType = compile(ast.fix_missing_locations(turning.visit(tree)), path, "exec", dont_inherit=True)
    return code


def _bound(tree: ast.Module) -> set[str]:
    """The names that a module gives to something itself."""
    found = set[str]()
    for node in ast.walk(tree):
        names = (getattr(node, name, None) for name in ("name", "asname", "arg", "rest"))
        found.update(name for name in names if isinstance(name, str))
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
    return found


class _Turning(ast.NodeTransformer):
    """Hands to `turned` whatever a module may go through, and has `placed` in the place of `id`."""

    def __init__(self, has_its_own_id: bool) -> None:
        self.has_its_own_id = has_its_own_id

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == "id" and not self.has_its_own_id:
            return ast.copy_location(ast.Name(_PLACED, node.ctx), node)
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        node.iter = _handed(node.iter)
        return self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.iter = _handed(node.iter)
        return self.generic_visit(node)

    def visit_Starred(self, node: ast.Starred) -> ast.AST:
        node.value = _handed(node.value) if isinstance(node.ctx, ast.Load) else node.value
        return self.generic_visit(node)

    def visit_YieldFrom(self, node: ast.YieldFrom) -> ast.AST:
        node.value = _handed(node.value)
        return self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        if any(isinstance(target, (ast.Tuple, ast.List)) or _is_slice(target) for target in node.targets):
            node.value = _handed(node.value)
        return self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        if isinstance(node.op, ast.Add):  # to a list; a set cannot be added to one
            node.value = _handed(node.value)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        called = node.func
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if isinstance(called, ast.Attribute) and name == "pop" and not node.args:
            called.value = _handed(called.value, _POPPING)
        elif name in _GO_THROUGH:
            node.args = [arg if isinstance(arg, ast.Starred) else _handed(arg) for arg in node.args]
        return self.generic_visit(node)


def _is_slice(target: ast.expr) -> bool:
    return isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice)


def _handed(value: ast.expr, to: str = _TURNED) -> ast.expr:
    if isinstance(value, _QUIET):
        return value
    return ast.copy_location(ast.Call(ast.Name(to, ast.Load()), [value], []), value)
