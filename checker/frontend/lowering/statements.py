"""Functions, blocks and plain statements."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence
from typing import Any

from .expressions import OPERATORS, Expressions, Scope
from .names import Names, is_left, parameter_names
from .nodes import assign, at, define, load, loaded, of_lambda, thunk, without_defaults


class Statements(Expressions):
    """Lowers functions and statements; a subclass has those whose control flow stays Python's own."""

    # -- functions -----------------------------------------------------------------------------------------

    def function(self, node: ast.FunctionDef | ast.Lambda) -> ast.FunctionDef:
        """The lifted function, without its decorators and defaults."""
        lifted = copy.copy(node) if isinstance(node, ast.FunctionDef) else of_lambda(node)
        lifted.args = without_defaults(node.args)
        return self._lowered(lifted)

    def _lowered(self, node: ast.FunctionDef) -> ast.FunctionDef:
        parameters = parameter_names(node.args)
        own = Names(node.body)
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
        self._scopes.append(Scope({self._mangled(p) for p in parameters - kept}, kept, frame))
        given = [ast.keyword(p, load(self._mangled(p))) for p in sorted(parameters & kept)]
        head: list[ast.stmt] = []
        if kept:
            head.append(assign(frame, ast.Call(self._es("frame"), [], given)))
        if generator:
            body = [*head, *self.block(node.body)]
        else:
            inner = self._fresh("body")
            result = ast.Return(self._call("result", ast.Call(load(inner), [], [])))
            body = [*head, define(inner, self.block(node.body)), result]
        self._scopes.pop()
        self._first, self._native, self._loop_is_native, self._generator = outer
        made = ast.FunctionDef(node.name, self._arguments(node.args), body, [], None)
        if hasattr(node, "type_params"):
            setattr(made, "type_params", [])  # noqa: B010  from Python 3.12 on
        return at(made, node)

    # -- blocks --------------------------------------------------------------------------------------------

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The statements of a body; the code after one that may be left becomes a function."""
        out: list[ast.stmt] = []
        for index, node in enumerate(statements):
            if self._native or not isinstance(node, (ast.If, ast.For, ast.While)):
                out += [at(made, node) for made in self.statement(node)]
                if isinstance(node, (ast.Return, ast.Break, ast.Continue, ast.Raise)):
                    break
                continue
            definitions, call = self._compound(node)
            left, rest = is_left(node), list(statements[index + 1 :])
            if left and rest:
                name = self._fresh("rest")
                definitions.append(define(name, self.block(rest)))
                call.keywords.append(ast.keyword("rest", load(name)))
            last: ast.stmt = ast.Return(call) if left else ast.Expr(call)
            out += [at(made, node) for made in (*definitions, last)]
            if left:
                return out
        return out or [ast.Pass()]

    def _compound(self, node: ast.If | ast.For | ast.While) -> tuple[list[ast.stmt], ast.Call]:
        """The functions of an `if` or a loop, and the call that decides between them."""
        names = [self._fresh("then" if isinstance(node, ast.If) else "body"), self._fresh("else")]
        if isinstance(node, ast.For):
            item = self._fresh("item")
            into = self._assigned(node.target, load(item))
            definitions: list[ast.stmt] = [define(names[0], [*into, *self.block(node.body)], item)]
            given = [self._once(node.iter), load(names[0])]
        else:
            definitions = [define(names[0], self.block(node.body))]
            test = self.condition(node.test)
            given = [test if isinstance(node, ast.If) else thunk(test), load(names[0])]
        if node.orelse:
            definitions.append(define(names[1], self.block(node.orelse)))
            given.append(load(names[1]))
        operation = {ast.If: "if_", ast.For: "for_", ast.While: "while_"}[type(node)]
        return definitions, at(self._call(operation, *given), node)

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
        return [ast.Return(value if self._generator else self._call("Return", value))]

    def stmt_Break(self, node: ast.Break) -> list[ast.stmt]:
        return [node] if self._loop_is_native else [ast.Return(self._es("BREAK"))]

    def stmt_Continue(self, node: ast.Continue) -> list[ast.stmt]:
        return [node] if self._loop_is_native else [ast.Return(self._es("CONTINUE"))]

    def stmt_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        if len(node.targets) == 1:
            return self._assigned(node.targets[0], self.expr(node.value))
        name = self._fresh("value")
        out: list[ast.stmt] = [assign(name, self.expr(node.value))]
        for target in node.targets:
            out += self._assigned(target, load(name))
        return out

    def stmt_AnnAssign(self, node: ast.AnnAssign) -> list[ast.stmt]:
        return [ast.Pass()] if node.value is None else self._assigned(node.target, self.expr(node.value))

    def stmt_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        target, operator = node.target, ast.Constant("i" + OPERATORS[type(node.op)].rstrip("_"))

        def augmented(old: ast.expr) -> ast.expr:
            return at(self._call("augment", operator, old, self.expr(node.value)), node)

        if isinstance(target, ast.Name):
            return self._assigned(target, augmented(self.expr(loaded(target))))
        obj = self._fresh("object")
        out: list[ast.stmt] = [assign(obj, self.expr(target.value))]
        if isinstance(target, ast.Attribute):
            name = ast.Constant(self._mangled(target.attr))
            old = at(self._call("getattr", load(obj), name), target)
            return [*out, ast.Expr(self._call("setattr", load(obj), name, augmented(old)))]
        key = self._fresh("key")
        out.append(assign(key, self.expr(target.slice)))
        old = at(self._call("getitem", load(obj), load(key)), target)
        return [*out, ast.Expr(self._call("setitem", load(obj), load(key), augmented(old)))]

    def _assigned(self, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        """What assigns a value to a target."""
        made: list[ast.stmt]
        if isinstance(target, ast.Name):
            made = [ast.Assign([self._stored_name(target)], value)]
        elif isinstance(target, ast.Attribute):
            made = self._put_into("setattr", target.value, ast.Constant(self._mangled(target.attr)), value)
        elif isinstance(target, ast.Subscript):
            made = self._put_into("setitem", target.value, self.expr(target.slice), value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            made = self._unpacked(target, value)
        else:
            raise self._refused(target, "this target", "the front end does not assign to it", "assign to a name")
        return [at(one, target) for one in made]

    def _put_into(self, operation: str, target: ast.expr, key: ast.expr, value: ast.expr) -> list[ast.stmt]:
        """Python evaluates the value before the object and the key that it is assigned to."""
        into, first = self.expr(target), list[ast.stmt]()
        if not isinstance(value, (ast.Constant, ast.Name)):
            name = self._fresh("value")
            first, value = [assign(name, value)], load(name)
        return [*first, ast.Expr(self._call(operation, into, key, value))]

    def _unpacked(self, target: ast.Tuple | ast.List, value: ast.expr) -> list[ast.stmt]:
        stars = [i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred)]
        names = [self._fresh("part") for _ in target.elts]
        parts: list[ast.expr] = [ast.Name(n, ast.Store()) for n in names]
        count = ast.Constant(len(names) if not stars else None)
        if stars:
            parts[stars[0]] = ast.Starred(parts[stars[0]], ast.Store())
        out: list[ast.stmt] = [ast.Assign([ast.Tuple(parts, ast.Store())], self._call("unpack", value, count))]
        for inner, name in zip(target.elts, names, strict=True):
            if isinstance(inner, ast.Starred):
                out += self._assigned(inner.value, self._call("own", load(name)))
            else:
                out += self._assigned(inner, load(name))
        return out

    def stmt_Delete(self, node: ast.Delete) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for target in node.targets:
            if isinstance(target, ast.Name):
                out.append(ast.Delete([self._stored_name(target, ast.Del())]))
            elif isinstance(target, ast.Subscript):
                out.append(ast.Expr(self._call("delitem", self.expr(target.value), self.expr(target.slice))))
            else:
                raise self._refused(
                    target, "del of an attribute", "a state keeps all its variables", "assign to it", False
                )
        return out

    def stmt_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        message = ast.Constant(None) if node.msg is None else thunk(self.expr(node.msg))
        return [ast.Expr(self._call("assert_", self.condition(node.test), message))]

    def stmt_Raise(self, node: ast.Raise) -> list[ast.stmt]:
        parts = (None if part is None else self.expr(part) for part in (node.exc, node.cause))
        return [ast.Raise(*parts)]

    def stmt_FunctionDef(self, node: ast.FunctionDef) -> list[ast.stmt]:
        name = self._fresh(f"def_{node.name}_")
        made = self._lowered(node)
        made.name = name
        value = self._decorated(node, self._call("local", load(name), ast.Constant(node.name)))
        target = at(ast.Name(node.name, ast.Store()), node)
        return [made, ast.Assign([self._stored_name(target)], value)]

    def stmt_ClassDef(self, node: ast.ClassDef) -> list[ast.stmt]:
        """A class inside a function: Python makes it, with lifted methods."""
        outer = self._owner, self._native
        self._owner, self._native = node.name.lstrip("_"), True
        own = Names(node.body).stored
        body: list[ast.stmt] = []
        for part in node.body:
            if isinstance(part, ast.FunctionDef):
                method = self._lowered(part)
                method.decorator_list = [self.expr(d) for d in part.decorator_list]
                body.append(method)
            elif isinstance(part, (ast.Assign, ast.AnnAssign)):
                made = copy.copy(part)
                self._scopes.append(Scope(own, set()))
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
        target = self._stored_name(ast.Name(node.name, ast.Store()))
        return [at(made_class, node), ast.Assign([target], self._decorated(node, load(node.name)))]

    def _decorated(self, node: ast.FunctionDef | ast.ClassDef, value: ast.expr) -> ast.expr:
        for decorator in reversed(node.decorator_list):
            value = self._call("call", self.expr(decorator), value)
        return value

    def stmt_Import(self, node: ast.Import | ast.ImportFrom) -> list[ast.stmt]:
        made, out = copy.copy(node), list[ast.stmt]()
        made.names = []
        for alias in node.names:
            name = self._fresh("import")
            bound = alias.asname or alias.name.partition(".")[0]
            made.names.append(ast.alias(alias.name, name))
            value: ast.expr = load(name)
            if alias.asname is None and "." in alias.name and isinstance(node, ast.Import):
                raise self._refused(node, f"import {alias.name}", "inside a function", "import it above the class")
            out.append(ast.Assign([self._stored_name(ast.Name(bound, ast.Store()))], value))
        return [made, *out]

    stmt_ImportFrom = stmt_Import
