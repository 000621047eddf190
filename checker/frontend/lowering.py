"""From the syntax tree of a function to that of its lifted function: one method for each kind of syntax node.

In the lifted function everything that Python would evaluate itself calls the front end (`__es__`, see `operations`):
branches, short circuits, loops, calls, comparisons, attributes and writes. The bodies of `if`, `for` and `while` become
functions, so that both sides of a condition that depends on the state can be executed and merged. Such a function
returns None where control falls through its end, or how it is left (`return`, `break`, `continue`). The code after a
statement that can be left becomes a function as well, which is called only where control gets there.

Local names are stored in a frame, `__L1["x"]`, which the front end can restore. Inside `try`, `with`, `match` and
generators control flow stays Python's own; there a condition splits the path.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from ..errors import EverystateError, describe
from ..language.source import Source, children, statements

ES = "__es__"
"""The name of the front end's operations in lifted code."""
NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
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
POSITION = ("lineno", "col_offset", "end_lineno", "end_col_offset")
Node = TypeVar("Node", bound=ast.AST)
UNARY: dict[type[ast.AST], str] = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert"}


class _Scope:
    """The names of one function, lambda or comprehension: plain ones, and those in its frame."""

    def __init__(self, plain: set[str], kept: set[str], frame: str = "") -> None:
        self.plain, self.kept, self.frame = plain, kept, frame


class Lowering:
    """Rewrites one function; `path` is its file, for messages."""

    def __init__(self, source: Source, path: str, name: str) -> None:
        self._owner, self._path, self._function = source.owner.lstrip("_"), path, name
        self._scopes: list[_Scope] = []
        self._number = 0
        self._native = False
        """Whether control flow stays Python's here."""
        self._loop_is_native = False
        self._generator = False
        self._first = ""
        """The first parameter of the function, for super()."""

    # -- functions -----------------------------------------------------------------------------------------

    def function(self, node: ast.FunctionDef | ast.Lambda) -> ast.FunctionDef:
        """The lifted function, without its decorators and defaults."""
        lifted = copy.copy(node) if isinstance(node, ast.FunctionDef) else _of_lambda(node)
        lifted.args = _without_defaults(node.args)
        return self._lowered(lifted)

    def _lowered(self, node: ast.FunctionDef) -> ast.FunctionDef:
        parameters = _parameters(node.args)
        own = _Names(node.body)
        for n in own.globals:
            if own.stored & set(n.names):
                raise self._refused(
                    n, "assigning a global name", "it is not part of the state", "use a variable", False
                )
        kept = (own.stored | (parameters & own.shared)) - own.outer
        generator = own.generator
        frame = self._fresh("L")
        outer = self._first, self._native, self._loop_is_native, self._generator
        positional = [*node.args.posonlyargs, *node.args.args]
        self._first, self._native = positional[0].arg if positional else "", generator
        self._loop_is_native, self._generator = False, generator
        self._scopes.append(_Scope({self._mangled(p) for p in parameters - kept}, kept, frame))
        given = [ast.keyword(p, _load(self._mangled(p))) for p in sorted(parameters & kept)]
        head: list[ast.stmt] = []
        if kept:
            head.append(_assign(frame, ast.Call(self._es("frame"), [], given)))
        if generator:
            body = [*head, *self.block(node.body)]
        else:
            inner = self._fresh("body")
            result = ast.Return(ast.Call(self._es("result"), [ast.Call(_load(inner), [], [])], []))
            body = [*head, _def(inner, self.block(node.body)), result]
        self._scopes.pop()
        self._first, self._native, self._loop_is_native, self._generator = outer
        made = ast.FunctionDef(node.name, self._arguments(node.args), body, [], None)
        if hasattr(node, "type_params"):
            setattr(made, "type_params", [])  # noqa: B010  from Python 3.12 on
        return _at(made, node)

    def _arguments(self, arguments: ast.arguments) -> ast.arguments:
        """Parameters without their annotations; defaults are supplied by the caller."""
        made = copy.copy(arguments)
        for group in ("posonlyargs", "args", "kwonlyargs"):
            setattr(made, group, [ast.arg(self._mangled(a.arg), None) for a in getattr(arguments, group)])
        for one in ("vararg", "kwarg"):
            given = getattr(arguments, one)
            setattr(made, one, None if given is None else ast.arg(self._mangled(given.arg), None))
        return made

    # -- blocks --------------------------------------------------------------------------------------------

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The statements of a body; the code after one that may be left becomes a function."""
        out: list[ast.stmt] = []
        for at, node in enumerate(statements):
            if self._native or not isinstance(node, (ast.If, ast.For, ast.While)):
                out += [_at(made, node) for made in self.statement(node)]
                if isinstance(node, (ast.Return, ast.Break, ast.Continue, ast.Raise)):
                    break
                continue
            definitions, call = self._compound(node)
            leaves, rest = _leaves(node), list(statements[at + 1 :])
            if leaves and rest:
                name = self._fresh("rest")
                definitions.append(_def(name, self.block(rest)))
                call.keywords.append(ast.keyword("rest", _load(name)))
            last: ast.stmt = ast.Return(call) if leaves else ast.Expr(call)
            out += [_at(made, node) for made in (*definitions, last)]
            if leaves:
                return out
        return out or [ast.Pass()]

    def _compound(self, node: ast.If | ast.For | ast.While) -> tuple[list[ast.stmt], ast.Call]:
        """The functions of an `if` or a loop, and the call that decides between them."""
        names = [self._fresh("then" if isinstance(node, ast.If) else "body"), self._fresh("else")]
        if isinstance(node, ast.For):
            item = self._fresh("item")
            into = self._assigned(node.target, _load(item))
            definitions: list[ast.stmt] = [_def(names[0], [*into, *self.block(node.body)], item)]
            given = [self._once(node.iter), _load(names[0])]
        else:
            definitions = [_def(names[0], self.block(node.body))]
            test = self.condition(node.test)
            given = [test if isinstance(node, ast.If) else _thunk(test), _load(names[0])]
        if node.orelse:
            definitions.append(_def(names[1], self.block(node.orelse)))
            given.append(_load(names[1]))
        operation = {ast.If: "if_", ast.For: "for_", ast.While: "while_"}[type(node)]
        return definitions, _at(ast.Call(self._es(operation), given, []), node)

    # -- statements ----------------------------------------------------------------------------------------

    def statement(self, node: ast.stmt) -> list[ast.stmt]:
        """The lifted form of a statement."""
        found: Callable[[Any], list[ast.stmt]] | None = getattr(self, f"stmt_{type(node).__name__}", None)
        if found is None:
            raise self._refused(
                node, f"`{type(node).__name__.lower()}`", "the front end does not compile it", "write it another way"
            )
        return found(node)

    def stmt_Pass(self, node: ast.Pass) -> list[ast.stmt]:
        return [node]

    def stmt_Global(self, node: ast.Global) -> list[ast.stmt]:
        return [ast.Pass()]

    stmt_Nonlocal = stmt_Global

    def stmt_Expr(self, node: ast.Expr) -> list[ast.stmt]:
        return [ast.Expr(self.expr(node.value))]

    def stmt_Return(self, node: ast.Return) -> list[ast.stmt]:
        value = ast.Constant(None) if node.value is None else self.expr(node.value)
        return [ast.Return(value if self._generator else ast.Call(self._es("Return"), [value], []))]

    def stmt_Break(self, node: ast.Break) -> list[ast.stmt]:
        return [node] if self._loop_is_native else [ast.Return(self._es("BREAK"))]

    def stmt_Continue(self, node: ast.Continue) -> list[ast.stmt]:
        return [node] if self._loop_is_native else [ast.Return(self._es("CONTINUE"))]

    def stmt_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        if len(node.targets) == 1:
            return self._assigned(node.targets[0], self.expr(node.value))
        name = self._fresh("value")
        out: list[ast.stmt] = [_assign(name, self.expr(node.value))]
        for target in node.targets:
            out += self._assigned(target, _load(name))
        return out

    def stmt_AnnAssign(self, node: ast.AnnAssign) -> list[ast.stmt]:
        return [ast.Pass()] if node.value is None else self._assigned(node.target, self.expr(node.value))

    def stmt_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        target, operator = node.target, ast.Constant("i" + OPERATORS[type(node.op)].rstrip("_"))

        def augmented(old: ast.expr) -> ast.expr:
            return _at(ast.Call(self._es("augment"), [operator, old, self.expr(node.value)], []), node)

        if isinstance(target, ast.Name):
            return self._assigned(target, augmented(self.expr(_loaded(target))))
        obj = self._fresh("object")
        out: list[ast.stmt] = [_assign(obj, self.expr(target.value))]
        if isinstance(target, ast.Attribute):
            name = ast.Constant(self._mangled(target.attr))
            old = _at(ast.Call(self._es("getattr"), [_load(obj), name], []), target)
            return [*out, ast.Expr(ast.Call(self._es("setattr"), [_load(obj), name, augmented(old)], []))]
        key = self._fresh("key")
        out.append(_assign(key, self.expr(target.slice)))
        old = _at(ast.Call(self._es("getitem"), [_load(obj), _load(key)], []), target)
        return [*out, ast.Expr(ast.Call(self._es("setitem"), [_load(obj), _load(key), augmented(old)], []))]

    def _assigned(self, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        """What assigns a value to a target."""
        made: list[ast.stmt]
        if isinstance(target, ast.Name):
            made = [ast.Assign([self._stored_name(target)], value)]
        elif isinstance(target, ast.Attribute):
            name = ast.Constant(self._mangled(target.attr))
            made = [ast.Expr(ast.Call(self._es("setattr"), [self.expr(target.value), name, value], []))]
            made = self._value_first(value, made)
        elif isinstance(target, ast.Subscript):
            given = [self.expr(target.value), self.expr(target.slice), value]
            made = self._value_first(value, [ast.Expr(ast.Call(self._es("setitem"), given, []))])
        elif isinstance(target, (ast.Tuple, ast.List)):
            made = self._unpacked(target, value)
        else:
            raise self._refused(target, "this target", "the front end does not assign to it", "assign to a name")
        return [_at(one, target) for one in made]

    def _value_first(self, value: ast.expr, made: list[ast.stmt]) -> list[ast.stmt]:
        """Python evaluates the value before the object that it is assigned to."""
        if isinstance(value, (ast.Constant, ast.Name)):
            return made
        call = made[0].value  # type: ignore[attr-defined]
        name = self._fresh("value")
        call.args[-1] = _load(name)
        return [_assign(name, value), *made]

    def _unpacked(self, target: ast.Tuple | ast.List, value: ast.expr) -> list[ast.stmt]:
        stars = [i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred)]
        names = [self._fresh("part") for _ in target.elts]
        parts: list[ast.expr] = [ast.Name(n, ast.Store()) for n in names]
        count = ast.Constant(len(names) if not stars else None)
        if stars:
            parts[stars[0]] = ast.Starred(parts[stars[0]], ast.Store())
        out: list[ast.stmt] = [
            ast.Assign([ast.Tuple(parts, ast.Store())], ast.Call(self._es("unpack"), [value, count], []))
        ]
        for inner, name in zip(target.elts, names, strict=True):
            if isinstance(inner, ast.Starred):
                out += self._assigned(inner.value, ast.Call(self._es("own"), [_load(name)], []))
            else:
                out += self._assigned(inner, _load(name))
        return out

    def stmt_Delete(self, node: ast.Delete) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for target in node.targets:
            if isinstance(target, ast.Name):
                out.append(ast.Delete([self._stored_name(target, ast.Del())]))
            elif isinstance(target, ast.Subscript):
                given = [self.expr(target.value), self.expr(target.slice)]
                out.append(ast.Expr(ast.Call(self._es("delitem"), given, [])))
            else:
                raise self._refused(
                    target, "del of an attribute", "a state keeps all its variables", "assign to it", False
                )
        return out

    def stmt_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        message = ast.Constant(None) if node.msg is None else _thunk(self.expr(node.msg))
        return [ast.Expr(ast.Call(self._es("assert_"), [self.condition(node.test), message], []))]

    def stmt_Raise(self, node: ast.Raise) -> list[ast.stmt]:
        parts = (None if part is None else self.expr(part) for part in (node.exc, node.cause))
        return [ast.Raise(*parts)]

    def stmt_FunctionDef(self, node: ast.FunctionDef) -> list[ast.stmt]:
        name = self._fresh(f"def_{node.name}_")
        made = self._lowered(node)
        made.name = name
        made.args.defaults = [self.expr(d) for d in node.args.defaults]
        made.args.kw_defaults = [None if d is None else self.expr(d) for d in node.args.kw_defaults]
        value: ast.expr = ast.Call(self._es("local"), [_load(name), ast.Constant(node.name)], [])
        for decorator in reversed(node.decorator_list):
            value = ast.Call(self._es("call"), [self.expr(decorator), value], [])
        target = _at(ast.Name(node.name, ast.Store()), node)
        return [made, ast.Assign([self._stored_name(target)], value)]

    def stmt_ClassDef(self, node: ast.ClassDef) -> list[ast.stmt]:
        """A class inside a function: Python makes it, with lifted methods."""
        outer = self._owner, self._native
        self._owner, self._native = node.name.lstrip("_"), True
        own = _Names(node.body).stored
        body: list[ast.stmt] = []
        for part in node.body:
            if isinstance(part, ast.FunctionDef):
                method = self._lowered(part)
                method.args.defaults = [self.expr(d) for d in part.args.defaults]
                method.args.kw_defaults = [None if d is None else self.expr(d) for d in part.args.kw_defaults]
                method.decorator_list = [self.expr(d) for d in part.decorator_list]
                body.append(method)
            elif isinstance(part, (ast.Assign, ast.AnnAssign)):
                made = copy.copy(part)
                self._scopes.append(_Scope(own, set()))
                made.value = None if part.value is None else self.expr(part.value)
                self._scopes.pop()
                body.append(made)
            elif isinstance(part, (ast.Pass, ast.Expr)):
                body.append(ast.Pass())
            else:
                raise self._refused(part, f"`{type(part).__name__.lower()}` in a class", "", "write it outside")
        self._owner, self._native = outer
        keywords = [ast.keyword(k.arg, self.expr(k.value)) for k in node.keywords]
        made_class = copy.copy(node)
        made_class.bases, made_class.keywords, made_class.body = [self.expr(b) for b in node.bases], keywords, body
        made_class.decorator_list = []
        value: ast.expr = _load(node.name)
        for decorator in reversed(node.decorator_list):
            value = ast.Call(self._es("call"), [self.expr(decorator), value], [])
        return [_at(made_class, node), ast.Assign([self._stored_name(ast.Name(node.name, ast.Store()))], value)]

    def stmt_Import(self, node: ast.Import | ast.ImportFrom) -> list[ast.stmt]:
        made, out = copy.copy(node), list[ast.stmt]()
        made.names = []
        for alias in node.names:
            name = self._fresh("import")
            bound = alias.asname or alias.name.partition(".")[0]
            made.names.append(ast.alias(alias.name, name))
            value: ast.expr = _load(name)
            if alias.asname is None and "." in alias.name and isinstance(node, ast.Import):
                raise self._refused(node, f"import {alias.name}", "inside a function", "import it above the class")
            out.append(ast.Assign([self._stored_name(ast.Name(bound, ast.Store()))], value))
        return [made, *out]

    stmt_ImportFrom = stmt_Import

    # -- statements whose control flow stays Python's -------------------------------------------------------

    def stmt_If(self, node: ast.If) -> list[ast.stmt]:
        test = ast.Call(self._es("decide"), [self.condition(node.test)], [])
        return [ast.If(test, self.block(node.body), self.block(node.orelse) if node.orelse else [])]

    def stmt_While(self, node: ast.While) -> list[ast.stmt]:
        test = ast.Call(self._es("decide"), [self.condition(node.test)], [])
        body = self._in_native_loop(node.body)
        return [ast.While(test, body, self.block(node.orelse) if node.orelse else [])]

    def stmt_For(self, node: ast.For) -> list[ast.stmt]:
        item = self._fresh("item")
        into = self._assigned(node.target, _load(item))
        body = [*into, *self._in_native_loop(node.body)]
        over = ast.Call(self._es("iterate"), [self._once(node.iter)], [])
        return [ast.For(ast.Name(item, ast.Store()), over, body, self.block(node.orelse) if node.orelse else [], None)]

    def _in_native_loop(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        outer, self._loop_is_native = self._loop_is_native, True
        try:
            return self.block(body)
        finally:
            self._loop_is_native = outer

    def _natively(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        """A block in which a condition splits the path; a loop around it is left as that is."""
        outer, self._native = self._native, True
        try:
            return self.block(body)
        finally:
            self._native = outer

    def stmt_Try(self, node: ast.Try) -> list[ast.stmt]:
        handlers = []
        for handler in node.handlers:
            made = copy.copy(handler)
            made.type = self._es("Anything") if handler.type is None else self.expr(handler.type)
            made.body = self._natively(handler.body)
            made.name = self._fresh("error")
            if handler.name is not None:
                made.body = [*self._assigned(ast.Name(handler.name, ast.Store()), _load(made.name)), *made.body]
            made.body.insert(0, ast.Expr(ast.Call(self._es("caught"), [_load(made.name)], [])))
            handlers.append(made)
        bodies = ((self._natively(body) if body else []) for body in (node.orelse, node.finalbody))
        made_try = type(node)(self._natively(node.body), handlers, *bodies)
        guard = ast.withitem(ast.Call(self._es("splitting"), [], []), None)
        return [ast.With([guard], [_at(made_try, node)])]

    def stmt_With(self, node: ast.With) -> list[ast.stmt]:
        items, into = [], list[ast.stmt]()
        for item in node.items:
            manager = ast.Call(self._es("manager"), [self.expr(item.context_expr)], [])
            name = None
            if item.optional_vars is not None:
                name = self._fresh("with")
                into += self._assigned(item.optional_vars, _load(name))
            items.append(ast.withitem(manager, None if name is None else ast.Name(name, ast.Store())))
        guard = ast.withitem(ast.Call(self._es("splitting"), [], []), None)
        return [ast.With([guard, *items], [*into, *self._natively(node.body)])]

    def stmt_Match(self, node: ast.Match) -> list[ast.stmt]:
        cases = []
        for case in node.cases:
            made, names, rests = copy.deepcopy(case), dict[str, str](), set[str]()
            made.pattern, singles = self._without_singletons(made.pattern)
            for pattern in ast.walk(made.pattern):
                bound = getattr(pattern, "name", None) or getattr(pattern, "rest", None)
                if bound is not None and not bound.startswith("__single"):
                    field = "name" if getattr(pattern, "name", None) else "rest"
                    names[bound] = self._fresh("case")
                    setattr(pattern, field, names[bound])
                    if not isinstance(pattern, ast.MatchAs):
                        rests.add(names[bound])  # a list or dict that the pattern makes
            into = list[ast.stmt]()
            for name, captured in names.items():
                value = ast.Call(self._es("made"), [_load(captured)], []) if captured in rests else _load(captured)
                into += self._assigned(ast.Name(name, ast.Store()), value)
            tests: list[ast.expr] = [self._decided(self._same(name, value)) for name, value in singles]
            if case.guard is not None:
                tests += [*(self._bound(n, t) for n, t in names.items()), self._decided(self.condition(case.guard))]
            if tests:
                made.guard = ast.BoolOp(ast.And(), tests) if len(tests) > 1 else tests[0]
            made.body = [*into, *self._natively(case.body)]
            self._expressions(made.pattern)
            cases.append(made)
        literals = [found for case in node.cases for found in _literals(case.pattern)]
        compared = ast.Tuple([ast.Tuple([v, ast.Constant(line)], ast.Load()) for v, line in literals], ast.Load())
        subject = ast.Call(self._es("matched"), [self.expr(node.subject), compared], [])
        guard = ast.withitem(ast.Call(self._es("splitting"), [], []), None)
        return [ast.With([guard], [_at(ast.Match(subject, cases), node)])]

    def _decided(self, test: ast.expr) -> ast.expr:
        return ast.Call(self._es("decide"), [test], [])

    def _same(self, name: str, value: Any) -> ast.expr:
        return ast.Call(self._es("is_"), [_load(name), ast.Constant(value)], [])

    def _without_singletons(self, pattern: ast.pattern) -> tuple[ast.pattern, list[tuple[str, Any]]]:
        """A pattern with a name for each True, False and None in it: Python compares these by `is`."""
        found: list[tuple[str, Any]] = []
        lowering = self

        class Names(ast.NodeTransformer):
            def visit_MatchOr(self, node: ast.MatchOr) -> ast.pattern:
                if any(isinstance(part, ast.MatchSingleton) for part in ast.walk(node)):
                    raise lowering._refused(node, "True, False or None beside |", "", "write a case for each")
                return node

            def visit_MatchSingleton(self, node: ast.MatchSingleton) -> ast.pattern:
                found.append((lowering._fresh("single"), node.value))
                return _at(ast.MatchAs(name=found[-1][0]), node)

        made: ast.pattern = Names().visit(pattern)
        return made, found

    def _bound(self, name: str, captured: str) -> ast.expr:
        given = [self._frame_of(name), ast.Constant(name), _load(captured)]
        return ast.Call(self._es("bound"), given, [])

    def _expressions(self, pattern: ast.pattern) -> None:
        """Lower the names and attributes in a pattern: they must stay dotted names, so local ones are refused."""
        for part in ast.walk(pattern):
            if isinstance(part, ast.Name) and self._scope_of(part.id) is not None:
                scope = self._scope_of(part.id)
                if scope is not None and part.id in scope.kept:
                    raise self._refused(part, f"the local name {part.id} in a pattern", "", "compare with `if`")

    # -- expressions ---------------------------------------------------------------------------------------

    def expr(self, node: ast.expr) -> ast.expr:
        """The lifted form of an expression."""
        found: Callable[[Any], ast.expr] | None = getattr(self, f"expr_{type(node).__name__}", None)
        if found is None:
            name = f"`{type(node).__name__.lower()}`"
            raise self._refused(node, name, "the front end does not compile it", "write it another way")
        return _at(found(node), node)

    def condition(self, node: ast.expr) -> ast.expr:
        """An expression that is used only as a condition."""
        if isinstance(node, ast.BoolOp):
            operation = "all_true" if isinstance(node.op, ast.And) else "any_true"
            given = [self.condition(node.values[0]), *(_thunk(self.condition(v)) for v in node.values[1:])]
            return _at(ast.Call(self._es(operation), given, []), node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return _at(ast.Call(self._es("not_"), [self.condition(node.operand)], []), node)
        return self.expr(node)

    def expr_Constant(self, node: ast.Constant) -> ast.expr:
        return node

    def expr_Name(self, node: ast.Name) -> ast.expr:
        name = self._mangled(node.id)
        scope = self._scope_of(node.id)
        if scope is not None and node.id in scope.kept:
            return ast.Subscript(_load(scope.frame), ast.Constant(node.id), ast.Load())
        return ast.Name(name, ast.Load())

    def expr_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        return self._put(node.target.id, self.expr(node.value))

    def expr_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        operation = "and_" if isinstance(node.op, ast.And) else "or_"
        given = [self.expr(node.values[0]), *(_thunk(self.expr(v)) for v in node.values[1:])]
        return ast.Call(self._es(operation), given, [])

    def expr_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        if isinstance(node.op, ast.Not):
            return self.condition(node)
        if isinstance(node.operand, ast.Constant):
            return node
        return ast.Call(self._es("unary"), [ast.Constant(UNARY[type(node.op)]), self.expr(node.operand)], [])

    def expr_BinOp(self, node: ast.BinOp) -> ast.expr:
        given = [ast.Constant(OPERATORS[type(node.op)]), self.expr(node.left), self.expr(node.right)]
        return ast.Call(self._es("binary"), given, [])

    def expr_Compare(self, node: ast.Compare) -> ast.expr:
        if len(node.ops) == 1:
            return self._compared(node.ops[0], self.expr(node.left), self.expr(node.comparators[0]))
        # a < b < c is `a < b and b < c`, and b is evaluated once
        names = [self._fresh("left"), self._fresh("middle")]
        left, middle = (_at(_load(name), node) for name in names)
        rest = _at(ast.Compare(middle, node.ops[1:], node.comparators[1:]), node)
        self._scopes.append(_Scope(set(names), set()))
        first = _at(self._compared(node.ops[0], left, middle), node)
        last = _at(self.expr_Compare(rest), node)
        self._scopes.pop()
        both = ast.Call(self._es("and_"), [first, _thunk(last)], [])
        given = [self.expr(node.left), self.expr(node.comparators[0])]
        return ast.Call(ast.Lambda(_named_arguments(names), both), given, [])

    def _compared(self, operator: ast.cmpop, left: ast.expr, right: ast.expr) -> ast.expr:
        return ast.Call(self._es(COMPARISONS[type(operator)]), [left, right], [])

    def expr_IfExp(self, node: ast.IfExp) -> ast.expr:
        sides = [_thunk(self.expr(node.body)), _thunk(self.expr(node.orelse))]
        return ast.Call(self._es("ifexp"), [self.condition(node.test), *sides], [])

    def expr_Call(self, node: ast.Call) -> ast.expr:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "super" and not node.args and self._scope_of("super") is None:
            return ast.Call(self._es("super_"), [_load("__class__"), self.expr(_load(self._first))], [])
        function = self.expr(node.func)
        if name == "require" and len(node.args) == 1 and not node.keywords:
            args = [self.condition(node.args[0])]
        else:
            args = self._elements(node.args)
        keywords = [ast.keyword(k.arg, self.expr(k.value)) for k in node.keywords]
        return ast.Call(self._es("call"), [function, *args], keywords)

    def expr_Attribute(self, node: ast.Attribute) -> ast.expr:
        return ast.Call(self._es("getattr"), [self.expr(node.value), ast.Constant(self._mangled(node.attr))], [])

    def expr_Subscript(self, node: ast.Subscript) -> ast.expr:
        return ast.Call(self._es("getitem"), [self.expr(node.value), self.expr(node.slice)], [])

    def expr_Slice(self, node: ast.Slice) -> ast.expr:
        parts = (ast.Constant(None) if p is None else self.expr(p) for p in (node.lower, node.upper, node.step))
        return ast.Call(self._es("slice"), list(parts), [])

    def expr_Tuple(self, node: ast.Tuple) -> ast.expr:
        return ast.Tuple(self._elements(node.elts), ast.Load())

    def expr_List(self, node: ast.List) -> ast.expr:
        return ast.Call(self._es("own"), [ast.List(self._elements(node.elts), ast.Load())], [])

    def expr_Set(self, node: ast.Set) -> ast.expr:
        return ast.Call(self._es("set_of"), [ast.List(self._elements(node.elts), ast.Load())], [])

    def _elements(self, nodes: Sequence[ast.expr]) -> list[ast.expr]:
        return [
            ast.Starred(ast.Call(self._es("iterate"), [self._once(n.value)], []), ast.Load())
            if isinstance(n, ast.Starred)
            else self._once(n)
            for n in nodes
        ]

    def _once(self, node: ast.expr) -> ast.expr:
        """An argument or iterable; a generator that is made here is used once, so nothing sees its position."""
        made = self.expr(node)
        if isinstance(node, ast.GeneratorExp) or (isinstance(node, ast.Call) and _name_of(node.func) in LAZY):
            made = _at(ast.Call(self._es("used_once"), [made], []), node)
        return made

    def expr_Dict(self, node: ast.Dict) -> ast.expr:
        keys: list[ast.expr | None] = [
            None if k is None else ast.Call(self._es("key"), [self.expr(k)], []) for k in node.keys
        ]
        return ast.Call(self._es("own"), [ast.Dict(keys, [self.expr(v) for v in node.values])], [])

    def expr_Lambda(self, node: ast.Lambda) -> ast.expr:
        parameters, kept = _parameters(node.args), _Names([node.body]).stored
        frame = self._fresh("L")
        self._scopes.append(_Scope({self._mangled(n) for n in parameters - kept}, kept, frame))
        body = self.expr(node.body)
        self._scopes.pop()
        if kept:  # a walrus
            given = [ast.keyword(n, _load(self._mangled(n))) for n in sorted(parameters & kept)]
            body = ast.Call(ast.Lambda(_named_arguments([frame]), body), [ast.Call(self._es("frame"), [], given)], [])
        arguments = self._arguments(node.args)
        arguments.defaults = [self.expr(d) for d in node.args.defaults]
        arguments.kw_defaults = [None if d is None else self.expr(d) for d in node.args.kw_defaults]
        return ast.Call(self._es("local"), [ast.Lambda(arguments, body), ast.Constant("<lambda>")], [])

    def expr_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        parts: list[ast.expr] = []
        for value in node.values:
            if isinstance(value, ast.FormattedValue):
                form = ast.Constant(None) if value.format_spec is None else self.expr(value.format_spec)
                parts.append(ast.Tuple([self.expr(value.value), ast.Constant(value.conversion), form], ast.Load()))
            else:
                parts.append(value)
        return ast.Call(self._es("text"), parts, [])

    def expr_Yield(self, node: ast.Yield) -> ast.expr:
        return ast.Yield(None if node.value is None else self.expr(node.value))

    def expr_YieldFrom(self, node: ast.YieldFrom) -> ast.expr:
        return ast.YieldFrom(ast.Call(self._es("iterate"), [self.expr(node.value)], []))

    # -- comprehensions ------------------------------------------------------------------------------------

    def expr_ListComp(self, node: ast.ListComp) -> ast.expr:
        return self._comprehension("list_of", node.generators, node.elt)

    def expr_SetComp(self, node: ast.SetComp) -> ast.expr:
        return self._comprehension("set_from", node.generators, node.elt)

    def expr_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        return self._comprehension("generator", node.generators, node.elt)

    def expr_DictComp(self, node: ast.DictComp) -> ast.expr:
        pair = _at(ast.Tuple([node.key, node.value], ast.Load()), node)
        return self._comprehension("dict_from", node.generators, pair)

    def _comprehension(self, operation: str, generators: Sequence[ast.comprehension], element: ast.expr) -> ast.expr:
        """The iterable, and a function that handles one of its items: it calls `emit` for each element.

        Where functions inside could see a later value of a loop variable, these variables are names of one frame.
        """
        emit, over = self._fresh("emit"), self._once(generators[0].iter)
        if not _captures([element, *(part for g in generators for part in (g.iter, *g.ifs))]):
            return ast.Call(self._es(operation), [over, self._step(generators, element, emit, [emit], False)], [])
        frame = self._fresh("L")
        self._scopes.append(_Scope(set(), _Names([g.target for g in generators]).stored, frame))
        step = self._step(generators, element, emit, [emit], True)
        self._scopes.pop()
        made = ast.Call(ast.Lambda(_named_arguments([frame]), step), [ast.Call(self._es("frame"), [], [])], [])
        return ast.Call(self._es(operation), [over, made], [])

    def _step(
        self, generators: Sequence[ast.comprehension], element: ast.expr, emit: str, parameters: list[str], framed: bool
    ) -> ast.expr:
        """What one item leads to; a list of one holds the item."""
        first, *rest = generators
        source, target = self._fresh("source"), first.target
        names = sorted(_Names([target]).stored)
        if not framed:
            self._scopes.append(_Scope(set(names), set()))
        if rest:
            given = [self._once(rest[0].iter), self._step(rest, element, emit, [], framed)]
            inner: ast.expr = ast.Call(ast.Attribute(_load(emit), "walk", ast.Load()), given, [])
        else:
            inner = ast.Call(_load(emit), [self.expr(element)], [])
        for test in reversed(first.ifs):
            given = [self.condition(test), _thunk(_at(inner, test))]
            inner = ast.Call(ast.Attribute(_load(emit), "when", ast.Load()), given, [])
        if framed:
            fresh = {name: self._fresh("one") for name in names}
            target = _renamed(target, fresh)
            put = [self._put(name, _load(one)) for name, one in fresh.items()]
            inner = ast.Subscript(ast.Tuple([*put, inner], ast.Load()), ast.Constant(-1), ast.Load())
        else:
            self._scopes.pop()
        if isinstance(target, (ast.Tuple, ast.List)):
            made: ast.expr = ast.Call(self._es("unpacked"), [_load(source), ast.Constant(_shape(target))], [])
        else:
            made = _load(source)
        loop = ast.comprehension(target, made, [], 0)
        listed = ast.Subscript(ast.ListComp(inner, [loop]), ast.Constant(0), ast.Load())
        return ast.Lambda(_named_arguments([source, *parameters]), listed)

    def _put(self, name: str, value: ast.expr) -> ast.expr:
        return ast.Call(self._es("assigned"), [self._frame_of(name), ast.Constant(name), value], [])

    # -- names ---------------------------------------------------------------------------------------------

    def _scope_of(self, name: str) -> _Scope | None:
        for scope in reversed(self._scopes):
            if name in scope.kept or self._mangled(name) in scope.plain:
                return scope
        return None

    def _frame_of(self, name: str) -> ast.expr:
        for scope in reversed(self._scopes):
            if name in scope.kept:
                return _load(scope.frame)
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
        return ast.Attribute(_load(ES), name, ast.Load())

    def _refused(self, node: ast.AST, what: str, reason: str, remedy: str, limit: bool = True) -> EverystateError:
        """E230: a `limit` of the front end, or what would be a mistake in plain Python, too."""
        where = describe(self._path, node.lineno, self._function)  # type: ignore[attr-defined]
        return EverystateError("E230", where, expression=what, reason=reason, remedy=remedy, limit=limit)


def _at(made: Node, node: ast.AST) -> Node:
    """A node with the position of another, in a third of the time of `ast.copy_location`."""
    own, other = vars(made), vars(node)
    for name in POSITION:
        if name in other:
            own[name] = other[name]
    return made


def _literals(pattern: ast.pattern | None) -> Iterator[tuple[ast.expr, int]]:
    """The literals with which a case compares its subject, and their lines."""
    if isinstance(pattern, ast.MatchValue) and isinstance(pattern.value, ast.Constant):
        yield pattern.value, pattern.lineno
    elif isinstance(pattern, ast.MatchAs):
        yield from _literals(pattern.pattern)
    elif isinstance(pattern, ast.MatchOr):
        for part in pattern.patterns:
            yield from _literals(part)


def _load(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _loaded(name: ast.Name) -> ast.Name:
    return _at(ast.Name(name.id, ast.Load()), name)


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _thunk(body: ast.expr) -> ast.expr:
    return _at(ast.Lambda(_named_arguments([]), body), body)


def _named_arguments(names: list[str]) -> ast.arguments:
    return ast.arguments([], [ast.arg(n, None) for n in names], None, [], [], None, [])


def _def(name: str, body: list[ast.stmt], *parameters: str) -> ast.stmt:
    made = ast.FunctionDef(name, _named_arguments(list(parameters)), body, [], None)
    if "type_params" in ast.FunctionDef._fields:
        setattr(made, "type_params", [])  # noqa: B010  from Python 3.12 on
    return made


def _of_lambda(node: ast.Lambda) -> ast.FunctionDef:
    made = ast.FunctionDef("__lambda__", node.args, [_at(ast.Return(node.body), node.body)], [], None)
    return _at(made, node)


def _without_defaults(arguments: ast.arguments) -> ast.arguments:
    """Parameters whose defaults are those of the author's function object."""
    made = copy.copy(arguments)
    made.defaults = []
    made.kw_defaults = [None] * len(arguments.kwonlyargs)
    return made


def _parameters(arguments: ast.arguments) -> set[str]:
    found = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    return found | {a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None}


class _Names:
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
        self.shared |= _Names(node.body).shared

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


def _leaves(node: ast.AST, loops: int = 0) -> bool:
    """Whether a statement may be left by return, or by break or continue of a loop around it."""
    if isinstance(node, ast.Return):
        return True
    if isinstance(node, (ast.Break, ast.Continue)):
        return loops == 0
    if isinstance(node, NESTED):
        return False
    if isinstance(node, (ast.For, ast.While)):
        return any(_leaves(n, loops + 1) for n in node.body) or any(_leaves(n, loops) for n in node.orelse)
    return any(_leaves(inner, loops) for inner in statements(node))


def _name_of(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _captures(nodes: Sequence[ast.AST]) -> bool:
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


def _renamed(target: ast.expr, names: dict[str, str]) -> ast.expr:
    """A target of a loop with other names."""
    made = copy.deepcopy(target)
    for node in ast.walk(made):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
    return made


def _shape(target: ast.expr) -> Any:
    """How many parts a target takes, nested: (2, (None, (3, ...)))."""
    if not isinstance(target, (ast.Tuple, ast.List)):
        return None
    starred = any(isinstance(t, ast.Starred) for t in target.elts)
    return (-1 if starred else len(target.elts), tuple(_shape(t) for t in target.elts))
