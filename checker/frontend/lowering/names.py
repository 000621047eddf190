"""What is read from a syntax tree before it is lowered: the names that it declares, and how its parts are left."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence
from typing import Any

from ...language.source import children, statements

NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


class Names:
    """The names that a body declares, found in one walk without the functions and classes inside it.

    `stored` are those it assigns itself: a walrus in a comprehension is one of them, its loop variable is none. `outer`
    are nonlocal here, `shared` here or in functions inside.
    """

    def __init__(self, body: Sequence[ast.AST]) -> None:
        self.stored, self.outer, self.shared = set[str](), set[str](), set[str]()
        self.globals: list[ast.Global] = []
        self.generator = False
        todo = list(body)
        while todo:
            node = todo.pop()
            found: Callable[[Any], None] | None = getattr(self, f"_in_{type(node).__name__}", None)
            if found is not None:
                found(node)
            if isinstance(node, ast.comprehension):
                todo += node.iter, *node.ifs
            elif not isinstance(node, NESTED):
                todo += children(node)
            elif not isinstance(node, ast.ClassDef):
                todo += [d for d in (*node.args.defaults, *node.args.kw_defaults) if d is not None]

    def _in_Name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.stored.add(node.id)

    def _in_ClassDef(self, node: ast.ClassDef | ast.FunctionDef) -> None:
        self.stored.add(node.name)
        self.shared |= Names(node.body).shared

    _in_FunctionDef = _in_ClassDef

    def _in_ExceptHandler(self, node: ast.ExceptHandler | ast.MatchAs | ast.MatchStar) -> None:
        if node.name is not None:
            self.stored.add(node.name)

    _in_MatchAs = _in_MatchStar = _in_ExceptHandler

    def _in_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest is not None:
            self.stored.add(node.rest)

    def _in_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        self.stored |= {a.asname or a.name.partition(".")[0] for a in node.names}

    _in_ImportFrom = _in_Import

    def _in_Global(self, node: ast.Global) -> None:
        self.globals.append(node)

    def _in_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.outer |= set(node.names)
        self.shared |= self.outer

    def _in_Yield(self, node: ast.Yield | ast.YieldFrom) -> None:
        self.generator = True

    _in_YieldFrom = _in_Yield


def parameter_names(arguments: ast.arguments) -> set[str]:
    found = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    return found | {a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None}


def is_left(node: ast.AST, loops: int = 0) -> bool:
    """Whether a statement may be left by return, or by break or continue of a loop around it."""
    if isinstance(node, ast.Return):
        return True
    if isinstance(node, (ast.Break, ast.Continue)):
        return loops == 0
    if isinstance(node, NESTED):
        return False
    if isinstance(node, (ast.For, ast.While)):
        return any(is_left(n, loops + 1) for n in node.body) or any(is_left(n, loops) for n in node.orelse)
    return any(is_left(inner, loops) for inner in statements(node))


def name_of(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def captures(nodes: Sequence[ast.AST]) -> bool:
    """Whether a part of a comprehension makes a function or generator that may be used later."""
    todo, once = list(nodes), set[int]()
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Lambda) or (isinstance(node, ast.GeneratorExp) and id(node) not in once):
            return True
        if isinstance(node, ast.Call):
            once |= {id(argument) for argument in node.args}
        todo += [child for child in children(node) if isinstance(child, ast.AST)]
    return False


def renamed(target: ast.expr, names: dict[str, str]) -> ast.expr:
    """A target of a loop with other names."""
    made = copy.deepcopy(target)
    for node in ast.walk(made):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
    return made


def shape(target: ast.expr) -> Any:
    """How many parts a target takes, nested: (2, (None, (3, ...)))."""
    if not isinstance(target, (ast.Tuple, ast.List)):
        return None
    starred = any(isinstance(t, ast.Starred) for t in target.elts)
    return (-1 if starred else len(target.elts), tuple(shape(t) for t in target.elts))
