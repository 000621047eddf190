"""Expressions: every operation that Python would evaluate itself becomes a call of the front end."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence
from typing import Any

from ...errors import EverystateError, describe
from ...language.source import Source
from .names import Names, captures, name_of, parameter_names, renamed, shape
from .nodes import at, load, named_arguments, thunk

ES = "__es__"
"""The name of the front end's operations in lifted code."""
OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.BitOr: "or_",
    ast.BitXor: "xor",
    ast.BitAnd: "and_",
    ast.MatMult: "matmul",
}
COMPARISONS: dict[type[ast.AST], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.In: "contains",
    ast.NotIn: "lacks",
    ast.Is: "is_",
    ast.IsNot: "is_not",
}
LAZY = {
    *("map", "filter", "zip", "enumerate", "reversed", "iter", "chain", "from_iterable", "count", "islice", "pairwise"),
    *("takewhile", "dropwhile", "accumulate", "starmap", "zip_longest", "filterfalse", "cycle", "repeat"),
}
"""Functions whose result is an iterator."""
UNARY: dict[type[ast.AST], str] = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert"}


class Scope:
    """The names of one function, lambda or comprehension: plain ones, and those in its frame."""

    def __init__(self, plain: set[str], kept: set[str], frame: str = "") -> None:
        self.plain, self.kept, self.frame = plain, kept, frame


class Expressions:
    """Lowers the expressions of one function; `path` is its file, for messages."""

    def __init__(self, source: Source, path: str, name: str) -> None:
        self._owner, self._path, self._function = source.owner.lstrip("_"), path, name
        self._scopes: list[Scope] = []
        self._number = 0
        self._native = False
        """Whether control flow stays Python's here."""
        self._loop_is_native = False
        self._generator = False
        self._first = ""
        """The first parameter of the function, for super()."""

    # -- expressions ---------------------------------------------------------------------------------------

    def expr(self, node: ast.expr) -> ast.expr:
        """The lifted form of an expression."""
        found: Callable[[Any], ast.expr] | None = getattr(self, f"expr_{type(node).__name__}", None)
        if found is None:
            name = f"`{type(node).__name__.lower()}`"
            raise self._refused(node, name, "the front end does not compile it", "write it another way")
        return at(found(node), node)

    def condition(self, node: ast.expr) -> ast.expr:
        """An expression that is used only as a condition."""
        if isinstance(node, ast.BoolOp):
            operation, (first, *rest) = "all_true" if isinstance(node.op, ast.And) else "any_true", node.values
            return at(self._call(operation, self.condition(first), *(thunk(self.condition(v)) for v in rest)), node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return at(self._call("not_", self.condition(node.operand)), node)
        return self.expr(node)

    def expr_Constant(self, node: ast.Constant) -> ast.expr:
        return node

    def expr_Name(self, node: ast.Name) -> ast.expr:
        if self._is_kept(node.id):
            return ast.Subscript(self._frame_of(node.id), ast.Constant(node.id), ast.Load())
        return load(self._mangled(node.id))

    def expr_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        return self._put(node.target.id, self.expr(node.value))

    def expr_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        operation, (first, *rest) = "and_" if isinstance(node.op, ast.And) else "or_", node.values
        return self._call(operation, self.expr(first), *(thunk(self.expr(value)) for value in rest))

    def expr_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        if isinstance(node.op, ast.Not):
            return self.condition(node)
        if isinstance(node.operand, ast.Constant):
            return node
        return self._call("unary", ast.Constant(UNARY[type(node.op)]), self.expr(node.operand))

    def expr_BinOp(self, node: ast.BinOp) -> ast.expr:
        return self._call("binary", ast.Constant(OPERATORS[type(node.op)]), self.expr(node.left), self.expr(node.right))

    def expr_Compare(self, node: ast.Compare) -> ast.expr:
        if len(node.ops) == 1:
            return self._compared(node.ops[0], self.expr(node.left), self.expr(node.comparators[0]))
        # a < b < c is `a < b and b < c`, and b is evaluated once
        names = [self._fresh("left"), self._fresh("middle")]
        left, middle = (at(load(name), node) for name in names)
        rest = at(ast.Compare(middle, node.ops[1:], node.comparators[1:]), node)
        self._scopes.append(Scope(set(names), set()))
        first = at(self._compared(node.ops[0], left, middle), node)
        last = at(self.expr_Compare(rest), node)
        self._scopes.pop()
        both = self._call("and_", first, thunk(last))
        given = [self.expr(node.left), self.expr(node.comparators[0])]
        return ast.Call(ast.Lambda(named_arguments(names), both), given, [])

    def _compared(self, operator: ast.cmpop, left: ast.expr, right: ast.expr) -> ast.expr:
        return self._call(COMPARISONS[type(operator)], left, right)

    def expr_IfExp(self, node: ast.IfExp) -> ast.expr:
        sides = [thunk(self.expr(node.body)), thunk(self.expr(node.orelse))]
        return self._call("ifexp", self.condition(node.test), *sides)

    def expr_Call(self, node: ast.Call) -> ast.expr:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "super" and not node.args and self._scope_of("super") is None:
            return self._call("super_", load("__class__"), self.expr(load(self._first)))
        function = self.expr(node.func)
        if name == "require" and len(node.args) == 1 and not node.keywords:
            args = [self.condition(node.args[0])]
        else:
            args = self._elements(node.args)
        keywords = [ast.keyword(k.arg, self.expr(k.value)) for k in node.keywords]
        return ast.Call(self._es("call"), [function, *args], keywords)

    def expr_Attribute(self, node: ast.Attribute) -> ast.expr:
        return self._call("getattr", self.expr(node.value), ast.Constant(self._mangled(node.attr)))

    def expr_Subscript(self, node: ast.Subscript) -> ast.expr:
        return self._call("getitem", self.expr(node.value), self.expr(node.slice))

    def expr_Slice(self, node: ast.Slice) -> ast.expr:
        parts = (ast.Constant(None) if p is None else self.expr(p) for p in (node.lower, node.upper, node.step))
        return self._call("slice", *parts)

    def expr_Tuple(self, node: ast.Tuple) -> ast.expr:
        return ast.Tuple(self._elements(node.elts), ast.Load())

    def expr_List(self, node: ast.List) -> ast.expr:
        return self._call("own", ast.List(self._elements(node.elts), ast.Load()))

    def expr_Set(self, node: ast.Set) -> ast.expr:
        return self._call("set_of", ast.List(self._elements(node.elts), ast.Load()))

    def _elements(self, nodes: Sequence[ast.expr]) -> list[ast.expr]:
        return [
            ast.Starred(self._call("iterate", self._once(n.value)), ast.Load())
            if isinstance(n, ast.Starred)
            else self._once(n)
            for n in nodes
        ]

    def _once(self, node: ast.expr) -> ast.expr:
        """An argument or iterable; a generator that is made here is used once, so nothing sees its position."""
        made = self.expr(node)
        if isinstance(node, ast.GeneratorExp) or (isinstance(node, ast.Call) and name_of(node.func) in LAZY):
            made = at(self._call("used_once", made), node)
        return made

    def expr_Dict(self, node: ast.Dict) -> ast.expr:
        keys: list[ast.expr | None] = [None if k is None else self._call("key", self.expr(k)) for k in node.keys]
        return self._call("own", ast.Dict(keys, [self.expr(v) for v in node.values]))

    def expr_Lambda(self, node: ast.Lambda) -> ast.expr:
        parameters, kept = parameter_names(node.args), Names([node.body]).stored
        frame = self._fresh("L")
        self._scopes.append(Scope({self._mangled(n) for n in parameters - kept}, kept, frame))
        body = self.expr(node.body)
        self._scopes.pop()
        if kept:  # a walrus
            given = [ast.keyword(n, load(self._mangled(n))) for n in sorted(parameters & kept)]
            body = ast.Call(ast.Lambda(named_arguments([frame]), body), [ast.Call(self._es("frame"), [], given)], [])
        return self._call("local", ast.Lambda(self._arguments(node.args), body), ast.Constant("<lambda>"))

    def _arguments(self, arguments: ast.arguments) -> ast.arguments:
        """Parameters without their annotations."""
        made = copy.copy(arguments)
        for group in ("posonlyargs", "args", "kwonlyargs"):
            setattr(made, group, [ast.arg(self._mangled(a.arg), None) for a in getattr(arguments, group)])
        for one in ("vararg", "kwarg"):
            given = getattr(arguments, one)
            setattr(made, one, None if given is None else ast.arg(self._mangled(given.arg), None))
        made.defaults = [self.expr(d) for d in arguments.defaults]
        made.kw_defaults = [None if d is None else self.expr(d) for d in arguments.kw_defaults]
        return made

    def expr_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        parts: list[ast.expr] = []
        for value in node.values:
            if isinstance(value, ast.FormattedValue):
                form = ast.Constant(None) if value.format_spec is None else self.expr(value.format_spec)
                parts.append(ast.Tuple([self.expr(value.value), ast.Constant(value.conversion), form], ast.Load()))
            else:
                parts.append(value)
        return self._call("text", *parts)

    def expr_Yield(self, node: ast.Yield) -> ast.expr:
        return ast.Yield(None if node.value is None else self.expr(node.value))

    def expr_YieldFrom(self, node: ast.YieldFrom) -> ast.expr:
        return ast.YieldFrom(self._call("iterate", self.expr(node.value)))

    # -- comprehensions ------------------------------------------------------------------------------------

    def expr_ListComp(self, node: ast.ListComp) -> ast.expr:
        return self._comprehension("list_of", node.generators, node.elt)

    def expr_SetComp(self, node: ast.SetComp) -> ast.expr:
        return self._comprehension("set_from", node.generators, node.elt)

    def expr_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        return self._comprehension("generator", node.generators, node.elt)

    def expr_DictComp(self, node: ast.DictComp) -> ast.expr:
        pair = at(ast.Tuple([node.key, node.value], ast.Load()), node)
        return self._comprehension("dict_from", node.generators, pair)

    def _comprehension(self, operation: str, generators: Sequence[ast.comprehension], element: ast.expr) -> ast.expr:
        """The iterable, and a function that handles one of its items: it calls `emit` for each element.

        Where functions inside could see a later value of a loop variable, these variables are names of one frame.
        """
        emit, over = self._fresh("emit"), self._once(generators[0].iter)
        if not captures([element, *(part for g in generators for part in (g.iter, *g.ifs))]):
            return self._call(operation, over, self._step(generators, element, emit, [emit], False))
        frame = self._fresh("L")
        self._scopes.append(Scope(set(), Names([g.target for g in generators]).stored, frame))
        step = self._step(generators, element, emit, [emit], True)
        self._scopes.pop()
        made = ast.Call(ast.Lambda(named_arguments([frame]), step), [self._call("frame")], [])
        return self._call(operation, over, made)

    def _step(
        self, generators: Sequence[ast.comprehension], element: ast.expr, emit: str, parameters: list[str], framed: bool
    ) -> ast.expr:
        """What one item leads to; a list of one holds the item."""
        first, *rest = generators
        source, target = self._fresh("source"), first.target
        names = sorted(Names([target]).stored)
        if not framed:
            self._scopes.append(Scope(set(names), set()))
        if rest:
            given = [self._once(rest[0].iter), self._step(rest, element, emit, [], framed)]
            inner: ast.expr = ast.Call(ast.Attribute(load(emit), "walk", ast.Load()), given, [])
        else:
            inner = ast.Call(load(emit), [self.expr(element)], [])
        for test in reversed(first.ifs):
            given = [self.condition(test), thunk(at(inner, test))]
            inner = ast.Call(ast.Attribute(load(emit), "when", ast.Load()), given, [])
        if framed:
            fresh = {name: self._fresh("one") for name in names}
            target = renamed(target, fresh)
            put = [self._put(name, load(one)) for name, one in fresh.items()]
            inner = ast.Subscript(ast.Tuple([*put, inner], ast.Load()), ast.Constant(-1), ast.Load())
        else:
            self._scopes.pop()
        if isinstance(target, (ast.Tuple, ast.List)):
            made: ast.expr = self._call("unpacked", load(source), ast.Constant(shape(target)))
        else:
            made = load(source)
        loop = ast.comprehension(target, made, [], 0)
        listed = ast.Subscript(ast.ListComp(inner, [loop]), ast.Constant(0), ast.Load())
        return ast.Lambda(named_arguments([source, *parameters]), listed)

    def _put(self, name: str, value: ast.expr) -> ast.expr:
        return self._call("assigned", self._frame_of(name), ast.Constant(name), value)

    # -- names ---------------------------------------------------------------------------------------------

    def _scope_of(self, name: str) -> Scope | None:
        for scope in reversed(self._scopes):
            if name in scope.kept or self._mangled(name) in scope.plain:
                return scope
        return None

    def _is_kept(self, name: str) -> bool:
        scope = self._scope_of(name)
        return scope is not None and name in scope.kept

    def _frame_of(self, name: str) -> ast.expr:
        for scope in reversed(self._scopes):
            if name in scope.kept:
                return load(scope.frame)
        raise AssertionError(f"{name} is assigned, and in no frame")

    def _stored_name(self, node: ast.Name, context: ast.expr_context | None = None) -> ast.expr:
        return ast.Subscript(self._frame_of(node.id), ast.Constant(node.id), context or ast.Store())

    def _mangled(self, name: str) -> str:
        private = name.startswith("__") and not name.endswith("__") and self._owner
        return f"_{self._owner}{name}" if private else name

    def _fresh(self, kind: str) -> str:
        self._number += 1
        return f"__{kind}{self._number}__"

    def _es(self, name: str) -> ast.expr:
        return ast.Attribute(load(ES), name, ast.Load())

    def _call(self, operation: str, *given: ast.expr) -> ast.Call:
        """A call of an operation of the front end."""
        return ast.Call(self._es(operation), list(given), [])

    def _refused(self, node: ast.AST, what: str, reason: str, remedy: str, limit: bool = True) -> EverystateError:
        """E230: a `limit` of the front end, or what would be a mistake in plain Python, too."""
        where = describe(self._path, node.lineno, self._function)  # type: ignore[attr-defined]
        return EverystateError("E230", where, expression=what, reason=reason, remedy=remedy, limit=limit)
