"""Detects likely mistakes in names: a mistyped `variables`, a missing mark, an assignment to an undeclared variable."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from types import FunctionType
from typing import Any, get_origin

from ..errors import EverystateError, describe, is_ours, suggestion
from .declarations import class_place, place_of_value
from .domains import Domain
from .marks import ACTION, INITIAL, fairness_of, mark_of
from .methods import function_of
from .record import Record
from .source import Source, children, file_tree, source_of
from .statements import choose, require

SPECIAL = ("variables", "may_terminate", "conformance")
MARKS = (
    "action",
    "action_constraint",
    "assumption",
    "constraint",
    "eventually",
    "eventually_always",
    "fair",
    "infinitely_often",
    "initial",
    "invariant",
    "leads_to",
    "lemma",
    "reachable",
    "refines",
    "step_invariant",
    "strongly_fair",
    "temporal_assumption",
    "view",
)
CHANGES = (
    "add",
    "append",
    "clear",
    "discard",
    "extend",
    "insert",
    "pop",
    "popleft",
    "remove",
    "reverse",
    "sort",
    "update",
)


def check_words(cls: type) -> None:
    """E132 for a domain in a class body, E133 for a method or attribute that only looks special."""
    inherited = {name for base in cls.__mro__[1:] for name in vars(base)}
    for name, value in vars(cls).items():
        if isinstance(value, Domain):
            raise EverystateError("E132", class_place(cls), spec=cls.__name__, name=name)
        if name.startswith("_") or name in inherited:
            continue
        function = function_of(value)
        unmarked = isinstance(function, FunctionType) and not mark_of(function) and not fairness_of(function)
        if unmarked and name in MARKS:
            raise _looks_special(cls, name, value, f"@{name}", f"write @{name} above it, or use another name")
        if unmarked or isinstance(value, bool):
            from difflib import get_close_matches

            for close in get_close_matches(name.lower(), SPECIAL, 1, 0.85):
                raise _looks_special(cls, name, value, close, f"write {close!r}, or use another name")


def _looks_special(cls: type, name: str, value: Any, meant: str, remedy: str) -> EverystateError:
    where = place_of_value(value) or class_place(cls)
    return EverystateError("E133", where, spec=cls.__name__, name=name, meant=meant, remedy=remedy)


def check_assigned(spec: Any) -> None:
    """E201 for an assignment to a name of self that is no variable: `self.nmae = 3` in an action.

    To a type checker it declares an attribute, and an engine meets it only when it is executed, so it is checked when a
    spec is made. A method without a mark may declare the names it assigns to, for variables() may call it; where one
    calls setattr, any name may be declared.
    """
    cls = type(spec)
    if not spec.domains:  # E111 says more
        return
    steps = [found.method for found in spec._marked(ACTION, INITIAL)]
    others = [f for base in cls.__mro__[:-1] for f in authors_functions(base) if f not in steps]
    trees = [source for source in map(syntax_of, others) if source is not None]
    if any(_mentions(source.node, "setattr", "__setattr__") for source in trees):
        return
    declared = {name for source in trees for name, _ in _assigned(source)} | vars(spec).keys() | spec.domains.keys()
    for step in steps:
        source = syntax_of(step)
        for name, line in _assigned(source) if source is not None else ():
            if name not in declared and not name.startswith("_") and not hasattr(cls, name):
                where = describe(step.__code__.co_filename, line, step.__code__.co_name)
                hint = suggestion(name, list(spec.domains))
                raise EverystateError("E201", where, spec=cls.__name__, name=name, suggestion=hint)


def no_variable(spec: Any) -> EverystateError:
    """E111 at the first assignment of variables(): a plain value makes a constant."""
    cls = type(spec)
    where, source = class_place(cls), syntax_of(cls.variables)
    assigned = () if source is None else _assigned(source)
    if assigned:
        where = describe(cls.variables.__code__.co_filename, assigned[0][1], "variables")
    names = list(dict.fromkeys(name for name, _ in assigned))
    detail, example = "", "count = Int(0, 3)"
    if names and names[0] in vars(spec):
        made = ", ".join(f"self.{name}" for name in names)
        detail = f": variables() assigns no domain to {made}, so it is a constant"
        example = f"{names[0]} = {domain_for(vars(spec)[names[0]])}"
    elif names:
        detail, example = (
            f": variables() annotates self.{names[0]} and assigns nothing to it",
            f"{names[0]} = Int(0, 3)",
        )
    elif cls.variables.__code__.co_nlocals > 1:
        name = cls.variables.__code__.co_varnames[1]
        detail, example = f": {name} is a local name of variables()", f"{name} = ..."
    return EverystateError("E111", where, spec=cls.__name__, detail=detail, example=example)


def domain_for(value: Any) -> str:
    """A domain, as text, that a value of Python may have been meant for."""
    if isinstance(value, (list, tuple)) and value and all(isinstance(part, str) for part in value):
        return f"Enum({', '.join(map(repr, value))})"
    if isinstance(value, str):
        return f"Enum({value!r}, ...)"
    if isinstance(value, Record):
        return type(value).__name__
    kind = value if isinstance(value, type) else get_origin(value) or type(value)
    return _FOR.get(kind, f"Int(0, {max(3, value)}, init={value})" if kind is int and value else "Int(0, 3)")


_FOR = {
    bool: "Bool()",
    list: "Seq(Int(0, 3), 4)",
    tuple: "Array(2, Int(0, 3))",
    set: "Set(range(4))",
    frozenset: "Set(range(4))",
    dict: "Map(range(4), Int(0, 3))",
    type(None): "Option(Int(0, 3))",
}


def check_forgotten(spec: Any) -> None:
    """E133 for a method that changes the state or has a guard, carries no mark, and is mentioned nowhere."""
    cls = type(spec)
    mentioned = mentioned_in_files(cls)
    for base in cls.__mro__[:-1]:
        for name, value in vars(base).items():
            function = function_of(value)
            if not isinstance(function, FunctionType) or is_ours(function.__code__.co_filename):
                continue
            if (
                name in spec._declared
                or mark_of(function)
                or name.startswith("__")
                or name in SPECIAL
                or getattr(cls, name, None) is None
            ):
                continue
            if name in mentioned:
                continue
            source = syntax_of(function)
            if source is not None and _acts(spec, function, source):
                facts = {"meant": "an action", "remedy": "write @action above it, call it, or remove it"}
                raise EverystateError("E133", place_of_value(value), spec=cls.__name__, name=name, **facts)


def mentioned_in_files(cls: type) -> frozenset[str]:
    """The names that the files of a class mention."""
    return frozenset[str]().union(*map(_mentioned, _files(cls)))


def authors_functions(cls: type) -> Iterator[FunctionType]:
    """An author's methods."""
    for value in vars(cls).values():
        function = function_of(value)
        if isinstance(function, FunctionType) and not is_ours(function.__code__.co_filename):
            yield function


def syntax_of(function: FunctionType) -> Source | None:
    """The syntax tree of a function; None where there is none to look at."""
    try:
        return source_of(function)
    except EverystateError:
        return None


def _first(source: Source) -> str:
    parameters = [*source.node.args.posonlyargs, *source.node.args.args]
    return parameters[0].arg if parameters else ""


@lru_cache(maxsize=4096)
def _assigned(source: Source) -> tuple[tuple[str, int], ...]:
    """The names that a method assigns to on its first argument, each with its line."""
    own, found = _first(source), list[tuple[str, int]]()
    todo: list[ast.AST] = [source.node]
    while todo:
        node = todo.pop(0)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _is_name(node.value, own):
            found.append((node.attr, node.lineno))
        if not isinstance(node, ast.ClassDef):
            todo += ast.iter_child_nodes(node)
    return tuple(found)


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


@lru_cache(maxsize=4096)
def _mentions(tree: ast.AST, *names: str) -> bool:
    """Whether a name occurs, as one, as an attribute, or as a string."""
    todo = [tree]
    while todo:
        node = todo.pop()
        found = getattr(node, "attr", None) or getattr(node, "id", None) or getattr(node, "value", None)
        if isinstance(found, str) and found in names:
            return True
        todo += children(node)
    return False


def _acts(spec: Any, function: FunctionType, source: Source) -> bool:
    """Whether a method has a guard or a choice, or changes a variable."""
    own, known = _first(source), function.__globals__
    for node in ast.walk(source.node):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if known.get(node.func.id) in (require, choose) and node.func.id in ("require", "choose"):
                return True
        elif isinstance(node, (ast.Attribute, ast.Subscript)):
            changes = isinstance(node.ctx, (ast.Store, ast.Del))
            changes = changes or (isinstance(node, ast.Attribute) and node.attr in CHANGES)
            if changes and _variable(node, own) in spec.domains:
                return True
    return False


def _variable(node: ast.expr, own: str) -> str:
    """The attribute of the first parameter in which a part of the state begins."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Attribute) and _is_name(node.value, own):
            return node.attr
        node = node.value
    return ""


def _files(cls: type) -> Iterator[ast.Module]:
    """The syntax trees of the files that may call a method of a class: the files of its methods."""
    paths = {f.__code__.co_filename for base in cls.__mro__[:-1] for f in authors_functions(base)}
    for path in sorted(paths):
        tree = file_tree(path)
        if tree is not None:
            yield tree


@lru_cache(maxsize=256)
def _mentioned(tree: ast.Module) -> frozenset[str]:
    """The names that a file mentions; the body of a function does not mention the function itself."""
    found = set[str]()
    todo: list[tuple[ast.AST, frozenset[str]]] = [(tree, frozenset())]
    while todo:
        node, inside = todo.pop()
        name = getattr(node, "attr", None) or getattr(node, "id", None) or getattr(node, "value", None)
        if isinstance(name, str) and name not in inside:
            found.add(name)
        if isinstance(node, ast.FunctionDef):
            todo += [(decorator, inside) for decorator in node.decorator_list]
            inside |= {node.name}
        todo += [(child, inside) for child in children(node)]
    return frozenset(found)
