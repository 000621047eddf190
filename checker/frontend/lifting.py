"""Lifted functions: each function of an author is compiled once, and cached."""

from __future__ import annotations

import ast
import re
from types import CellType, CodeType, FunctionType
from typing import Any

from ..language.source import Source, children, source_of
from .lowering.control_flow import Lowering
from .lowering.expressions import ES
from .lowering.nodes import POSITION

LIFTED: set[CodeType] = set()
"""The code of lifted functions, and of all functions inside them."""
_codes: dict[tuple[CodeType, str], CodeType] = {}


def is_lifted(function: FunctionType) -> bool:
    """Whether a function is lifted already, such as a lambda that a lifted function has made."""
    return function.__code__ in LIFTED


def lifted(function: FunctionType, operations: Any) -> FunctionType:
    """The lifted function of an author's function, which calls some operations; it shares globals and closure."""
    key = (function.__code__, function.__code__.co_filename)
    code = _codes.get(key)
    if code is None:
        code = _codes[key] = _compiled(function)
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells[ES] = CellType(operations)
    closure = tuple(cells[name] for name in code.co_freevars)
    made = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = function.__qualname__
    return made


def _compiled(function: FunctionType) -> CodeType:
    source: Source = source_of(function)
    outer = function.__code__
    made = Lowering(source, outer.co_filename, outer.co_name).function(source.node)
    made.name = "__lifted__"  # not the author's name, by which the function may call itself
    free = [ES, *outer.co_freevars]
    keep = ast.copy_location(ast.Expr(ast.Tuple([ast.Name(n, ast.Load()) for n in free], ast.Load())), made)
    made.body.insert(0, keep)  # so that it has them all in its closure
    arguments = ast.arguments([], [ast.arg(n, None) for n in free], None, [], [], None, [])
    factory = ast.FunctionDef("__factory__", arguments, [made], [], None)
    if "type_params" in ast.FunctionDef._fields:
        setattr(factory, "type_params", [])  # noqa: B010  from Python 3.12 on
    module = ast.Module([ast.copy_location(factory, made)], [])
    _locate(module, {})
    code = compile(module, outer.co_filename, "exec", dont_inherit=True)
    return _named(_inner(_inner(code)), outer.co_name, outer.co_qualname)


def _locate(node: Any, around: dict[str, Any]) -> None:
    """Give each node without a position that of the node around it, like `ast.fix_missing_locations`.

    An operation of the front end ends where it begins: else Python names the last line of a call that takes several.
    """
    if "lineno" in getattr(node, "_attributes", ()):
        own = vars(node)
        if "lineno" in own:
            around = own
        else:
            for name in POSITION:
                own[name] = around[name]
            if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == ES:
                node.end_lineno, node.end_col_offset = node.lineno, node.col_offset + 1
    for child in children(node):
        _locate(child, around)


_OWN = re.compile(r"__def_(\w+)_\d+__$")
"""How the lowering calls a function that the author has written inside another one."""


def _inner(code: CodeType) -> CodeType:
    return next(value for value in code.co_consts if isinstance(value, CodeType))


def _named(code: CodeType, name: str, qualified: str) -> CodeType:
    """The code, and all code inside it, under the author's names, which messages print."""
    inside = _OWN.match(code.co_name)
    if inside is not None:
        name, qualified = inside[1], f"{qualified}.<locals>.{inside[1]}"
    consts = tuple(_named(v, name, qualified) if isinstance(v, CodeType) else v for v in code.co_consts)
    made = code.replace(co_name=name, co_qualname=qualified, co_consts=consts)
    LIFTED.add(made)
    return made
