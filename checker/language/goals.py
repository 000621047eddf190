"""Goals of a search: a property, or an expression over the state, which becomes a property of the spec."""

from __future__ import annotations

import ast
import builtins
import linecache
import sys
from collections.abc import Callable, Iterator
from typing import Any

from .. import language
from ..errors import EverystateError, suggestion
from .decorators import reachable
from .marks import CONSTRAINT, INVARIANT, REACHABLE
from .spec import Spec

PLACE = "condition"
"""The file name in errors of an expression."""
OF_STATES = (INVARIANT, REACHABLE, CONSTRAINT)


def wanted(spec: Spec, text: str) -> tuple[Spec, str]:
    """The spec with a goal among its properties, and its name there; E513 for an expression with a mistake.

    A name alone is a property, or else a boolean variable. In an expression variables and constants are written with or
    without `self.`; the words of the language and the names of the spec's module are known.
    """
    name = text.strip()
    if name.isidentifier() and name not in spec.domains:
        return spec, name
    method = reachable(_method(spec, name))
    name = f"self.{name}" if name in spec.domains else name
    cls = type(type(spec).__name__, (type(spec),), {name: method, "__module__": type(spec).__module__})
    return cls(**spec.constants), name


def condition(spec: Spec, text: str) -> tuple[Spec, str]:
    """The same for a condition of one state; E511 for a name that is no property, E513 for a property of more."""
    found, name = wanted(spec, text)
    known = {prop.name: prop for prop in found.properties}
    if name not in known:
        hint, names = suggestion(name, [*known, *spec.domains]), ", ".join(known) or "(it has none)"
        raise EverystateError("E511", None, spec=type(spec).__name__, name=name, suggestion=hint, names=names)
    if known[name].steps or known[name].kind not in OF_STATES:
        raise _mistake(spec, text, f"{name} is of more than one state ({known[name].kind})", 0)
    return found, name


def _method(spec: Spec, text: str) -> Callable[[Any], Any]:
    """The expression as a method."""
    try:
        body = ast.parse(text, PLACE, "eval").body
    except SyntaxError as error:
        raise _mistake(spec, text, error.msg, (error.offset or 1) - 1) from None
    known = _names(spec)
    _check(spec, text, body, known)
    own = set(_own(spec)) - {"self"}
    function = ast.Expression(ast.Lambda(_only_self(), _Qualified(own - _bound(body)).visit(body)))
    linecache.cache[PLACE] = (len(text), None, [text + "\n"], PLACE)
    made = eval(compile(ast.fix_missing_locations(function), PLACE, "eval"), known)
    made.__code__ = made.__code__.replace(co_name=PLACE)
    made.__syntax__ = function.body
    return made  # type: ignore[no-any-return]


def _only_self() -> ast.arguments:
    return ast.arguments(posonlyargs=[], args=[ast.arg("self")], kwonlyargs=[], kw_defaults=[], defaults=[])


def _names(spec: Spec) -> dict[str, Any]:
    """Every name that an expression may use, apart from those of the spec itself: later modules hide earlier ones."""
    found = {**vars(builtins), **{name: getattr(language, name) for name in language.__all__}}
    for base in reversed(type(spec).__mro__):
        if issubclass(base, Spec) and base is not Spec:
            found.update(vars(sys.modules[base.__module__]))
    return found


def _own(spec: Spec) -> list[str]:
    """Variables, constants and derived constants."""
    return [*spec.domains, *spec.constants, *(n for n in vars(spec) if not n.startswith("_"))]


def _check(spec: Spec, text: str, body: ast.expr, known: dict[str, Any]) -> None:
    """E513 at the first unknown name."""
    own, bound = _own(spec), _bound(body)
    for name, column, of_self in _used(body):
        if of_self:
            fine, candidates = name in own or hasattr(type(spec), name), own
        else:
            fine, candidates = name in known or name in own or name in bound | {"self"}, [*own, *known]
        if not fine:
            raise _mistake(spec, text, f"there is no {name!r}{suggestion(name, candidates)}", column)


def _used(body: ast.expr) -> Iterator[tuple[str, int, bool]]:
    """(name, column, whether it is an attribute of self), from left to right."""
    found = []
    for node in ast.walk(body):
        if isinstance(node, ast.Name):
            found.append((node.id, node.col_offset, False))
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            found.append((node.attr, (node.end_col_offset or 0) - len(node.attr), True))
    yield from sorted(found, key=lambda use: use[1])


def _bound(body: ast.expr) -> set[str]:
    """Names that the expression itself binds: in comprehensions, lambdas and with :=."""
    stored = {n.id for n in ast.walk(body) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return stored | {n.arg for n in ast.walk(body) if isinstance(n, ast.arg)}


class _Qualified(ast.NodeTransformer):
    """Writes `self.` before the names of the spec."""

    def __init__(self, own: set[str]) -> None:
        self.own = own

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self.own:
            return node
        return ast.copy_location(ast.Attribute(ast.Name("self", ast.Load()), node.id, ast.Load()), node)


def _mistake(spec: Spec, text: str, problem: str, column: int) -> EverystateError:
    properties = ", ".join(p.name for p in spec.properties)
    variables = ", ".join(f"self.{name}" for name in spec.domains)
    caret = " " * column + "^"
    return EverystateError(
        "E513", None, problem=problem, text=text, caret=caret, properties=properties, variables=variables
    )
