"""Calls in the path of an event: a method of the spec, or a function of the file beside it, with arguments.

    free()    holder(2)    level("tea", RED)    oldest(-1, (0, 1))

An argument is what Python would read there; a bare name is the member of an enum of the spec that is written so.
"""

from __future__ import annotations

import ast
import enum
import functools
import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..errors import suggestion
from ..language.annotations import signature_of
from ..language.domains import Enum, shown
from ..language.forms import Mismatch
from ..language.methods import function_of
from ..language.spec import Spec
from ..language.symmetry import parts_of

Called = Callable[[], Any]


def called(spec: Spec, functions: Mapping[str, Callable[..., Any]], path: str) -> Called:
    """What a path calls; Mismatch for what cannot be observed so."""
    try:
        found = ast.parse(path.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Mismatch("it is not a call as Python writes it") from None
    if not isinstance(found, ast.Call) or not isinstance(found.func, ast.Name) or found.keywords:
        raise Mismatch("it is neither a path nor name(argument, ...)")
    try:
        name, arguments = found.func.id, [_argument(spec, each) for each in found.args]
    except (TypeError, RecursionError):  # as of a key that has no hash, and of an expression that goes deep
        raise Mismatch("it has an argument that is no value") from None
    function = functools.partial(functions[name], spec) if name in functions else _method(spec, functions, name)
    try:
        signature_of(function).bind(*arguments)
    except TypeError as error:
        raise Mismatch(f"{name} takes other arguments: {error}") from None
    return functools.partial(function, *arguments)


def _method(spec: Spec, functions: Mapping[str, Callable[..., Any]], name: str) -> Callable[..., Any]:
    method = function_of(inspect.getattr_static(type(spec), name, None))
    declared = {found.name: found for found in spec._marked("action", "initial")}
    if name in declared:
        raise Mismatch(f"{name} is an {declared[name].mark.kind}: it changes the state")
    if not callable(method) or name.startswith("_") or hasattr(Spec, name):
        raise Mismatch(f"there is no method {name!r}{suggestion(name, functions)}")
    found: Callable[..., Any] = getattr(spec, name)
    return found


def _argument(spec: Spec, node: ast.expr) -> Any:
    if isinstance(node, ast.Name):
        return _member(spec, node.id)
    if isinstance(node, (ast.Tuple, ast.List)):
        parts = [_argument(spec, each) for each in node.elts]
        return tuple(parts) if isinstance(node, ast.Tuple) else parts
    try:
        value = ast.literal_eval(node)
    except ValueError:
        raise Mismatch(f"{ast.unparse(node)} is no value that could be an argument") from None
    if value is None or isinstance(value, (bool, int, str)):
        return value
    raise Mismatch(f"{ast.unparse(node)} is no value that could be an argument")


def _member(spec: Spec, name: str) -> Any:
    found: list[Any] = []
    for value in _members(spec):
        if shown(value) == name and value not in found:
            found.append(value)
    if len(found) != 1:
        what = "several enums of the spec have" if found else "no enum of the spec has"
        raise Mismatch(f"{what} the member {name}")
    return found[0]


def _members(spec: Spec) -> Iterator[Any]:
    """Every member of an enum that a variable or a parameter can be."""
    for domain in itertools.chain.from_iterable(map(parts_of, spec.domains.values())):
        yield from domain.members if isinstance(domain, Enum) else ()
        yield from (piece.key for piece in domain.pieces() if isinstance(piece.key, enum.Enum))
    for instance in spec.instances:
        yield from (value for _, value in instance.arguments if isinstance(value, enum.Enum))
