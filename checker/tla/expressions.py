"""Expressions of TLA+ as expressions of Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import EverystateError
from .evaluator import Evaluator
from .nodes import Bound, Definition, Node, Place, parts
from .python import (
    ADD,
    AND,
    ATOM,
    COMPARE,
    CUT,
    LAMBDA,
    MULTIPLY,
    NOT,
    OR,
    UNARY,
    UNION,
    Domains,
    Literals,
    Py,
    attribute,
    field_name,
    identifier,
    merged_reads,
    module_name,
)
from .scopes import MISSING, Constant, Env, Instance, Local, Model, Operator, Substitution, Variable, part_of
from .shapes import (
    BagOf,
    Conflict,
    MapOf,
    Maybe,
    Mixed,
    Names,
    Num,
    Pending,
    RecordClass,
    RecordOf,
    SeqOf,
    SetOf,
    Shape,
    Truth,
    TupleOf,
    Unknown,
    join,
    joined,
    of_set,
    of_value,
    unlike,
)
from .shapes import (
    inner as parts_of_shape,
)
from .syntax import refused
from .values import (
    Either,
    Filtered,
    Function,
    Functions,
    Infinite,
    LazySet,
    ModelValue,
    Records,
    Sequences,
    Subsets,
    Tuples,
    Undefined,
    is_finite,
    is_set,
    order,
    ordered,
)

LARGE = 3_000
"""A known set with more members is not listed."""


NO_ARM = "no arm of the CASE is true"
WORDS = {
    "functions": "a set of functions [S -> T] where S or T depends on the state",
    "fair": "WF or SF as a part of an expression",
    "lambda": "LAMBDA as a value",
}
"""What a refusal calls a node that has no translation."""


@dataclass(frozen=True)
class Context:
    """Where an expression stands: which names of Python are taken, and what the state and the next state are called."""

    active: frozenset[str] = frozenset()
    state: str = "self"
    after: str = ""
    """What the next state is called; nothing in an action, where it is being made."""
    primes: Callable[[str, Node], Py] | None = None
    substituted: Mapping[int, Py] = field(default_factory=dict)
    """The values of primed variables of an instance, by the identity of their substitution (see enabled)."""
    next: bool = False
    """Whether variables mean their values in the next state."""
    only_reads: bool = False
    """Whether only the variables that an expression reads are asked for: then it need not be one of Python."""
    lines: Any = None
    """Where statements may be added before the expression; None inside of another one."""

    def inside(self, *names: str) -> Context:
        """The context of a part in which more names are taken, and before which no statement can be added."""
        return replace(self, active=self.active | set(names), lines=None)


@dataclass(eq=False)
class Lazy:
    """A definition of a LET whose value gets a local name before the first statement that needs it."""

    operator: Operator
    env: Env


@dataclass
class Method:
    """A helper of the generated class."""

    name: str
    params: list[str]
    lines: list[str]
    shape: Shape
    comment: str
    place: Any
    reads: frozenset[str] = frozenset()
    mark: str = ""
    """The decorator of a property."""
    packed: bool = False


class Expressions:
    """Translates expressions; collects the constants and the methods that they need."""

    def __init__(
        self,
        model: Model,
        evaluator: Evaluator,
        variables: dict[str, Shape],
        literals: Literals,
        library: dict[str, Any],
    ) -> None:
        self.library = library
        self.model, self.evaluator, self.variables = model, evaluator, variables
        self.literals, self.domains = literals, Domains(literals)
        self.constants: dict[str, tuple[str, str]] = {}
        """The constants of the module: the text of each, and its comment."""
        self.constant_values: dict[str, Any] = {}
        self.methods: dict[Any, Method] = {}
        self.taken: set[str] = set()
        self.uses: set[str] = set()
        self._depends: dict[int, bool] = {}
        self._quantified_parts: dict[tuple[int, int], Node] = {}
        self.kept: list[Any] = []

    # -- what is known

    def depends(self, node: Node, env: Env, bound: frozenset[str] = frozenset()) -> bool:
        """Whether the value of an expression depends on the state or on a name of the translation."""
        if node.kind in ("num", "str", "bool"):
            return False
        if node.kind in ("prime", "unchanged", "fair", "box", "angle", "unknown"):
            return True
        if node.kind == "at":
            return True
        if node.kind in ("id", "op", "path"):
            return self._name_depends(node, env, bound)
        if node.kind == "part":
            return self.depends(*part_of(node, env))
        if node.kind == "let":
            inner = env.let(node.value)
            return self.depends(node.args[0], inner, bound - {d.name for d in node.value})
        names = bound
        if node.kind in ("forall", "exists", "choose", "filter", "map", "function"):
            bounds: tuple[Bound, ...] = node.value
            if any(b.within is not None and self.depends(b.within, env, bound) for b in bounds):
                return True
            names = bound | {n for b in bounds for n in b.names}
            return any(self.depends(part, env, names) for part in node.args)
        if node.kind == "lambda":
            return self.depends(node.args[0], env, bound | set(node.value))
        if node.kind == "except":
            inner_env = env.bound({"@": None})
            return any(self.depends(p, inner_env, names | {"@"}) for p in parts(node) if p.kind != "at")
        return any(self.depends(part, env, names) for part in parts(node))

    def _name_depends(self, node: Node, env: Env, bound: frozenset[str]) -> bool:
        args = node.args if node.kind == "op" else ()
        name, found = node.value, None
        if node.kind == "path":
            try:
                scope, target = self.evaluator.followed(node, env)
            except EverystateError:
                return True
            name, found, args = target.value, scope.find(target.value), target.args
            if any(self.depends(a, env, bound) for p in node.args for a in p.args):
                return True
        elif name in bound:
            return any(self.depends(a, env, bound) for a in args)
        else:
            found = env.find(name)
        if any(self.depends(a, env, bound) for a in args):
            return True
        if isinstance(found, Local):
            return isinstance(found.value, (Py, Lazy))
        if isinstance(found, Variable):
            return True
        if isinstance(found, Constant):
            return found.value is MISSING
        if isinstance(found, Substitution):
            return self.depends(found.node, found.env)
        if isinstance(found, Operator):
            key = id(found)
            if key not in self._depends:
                self._depends[key] = False
                self.kept.append(found)
                made = found.definition
                names = frozenset(
                    (*made.params, *(n for b in made.bounds for n in b.names), *([made.name] if made.bounds else []))
                )
                within = any(b.within is not None and self.depends(b.within, found.env) for b in made.bounds)
                self._depends[key] = within or (made.body is not None and self.depends(made.body, found.env, names))
            return self._depends[key]
        return bool(name == "ENABLED")

    def known(self, node: Node, env: Env) -> tuple[bool, Any]:
        """The value of an expression that does not depend on the state."""
        if self.depends(node, env):
            return False, None
        try:
            return True, self.evaluator.evaluate(node, env)
        except Undefined:
            return False, None
        except RecursionError:
            return False, None

    # -- expressions

    def expression(self, node: Node, env: Env, cx: Context, want: Shape | None = None) -> Py:
        """An expression; `want` is the shape that it must have, where its place has one."""
        is_known, value = self.known(node, env)
        if is_known and not callable(value) and not (isinstance(value, LazySet) and not is_finite(value)):
            named = self._named_constant(node, env, value, want)
            return named if named is not None else self.constant(value, node, want)
        method = getattr(self, f"_{node.kind}", None)
        if method is None:
            what, source = node.value if node.kind == "unknown" else (node.kind, "")
            construct = WORDS.get(node.kind) or f"{what} {source[:50]}".strip()
            raise refused(node.place, construct, "write it with operators of the standard modules on constant sets")
        found: Py = method(node, env, cx, want)
        return found

    def condition(self, node: Node, env: Env, cx: Context) -> Py:
        """A condition; `TRUE` is True."""
        return self.expression(node, env, cx, Truth())

    def constant(self, value: Any, node: Node, want: Shape | None = None) -> Py:
        """A known value."""
        if isinstance(value, LazySet):
            count = 0
            for count, _ in enumerate(value, 1):
                if count > LARGE:
                    raise refused(
                        node.place, "a set of more than 3,000 members that is listed", "bound it in the configuration"
                    )
            value = frozenset(value)
        self._note_records(value, node)
        if isinstance(want, (SetOf, MapOf, SeqOf, BagOf, TupleOf, RecordOf, Maybe)):
            try:
                join(want, _shape_of(value))
            except Conflict:
                want = None
        elif want is not None and not isinstance(want, Unknown):
            want = None
        return self.literals.literal(value, want)

    def _note_records(self, value: Any, node: Node) -> None:
        if isinstance(value, Function):
            if value.is_record:
                self.record_class(frozenset(value.map), tuple(value.map), node)
            for v in value.map.values():
                self._note_records(v, node)
        elif isinstance(value, (tuple, frozenset)):
            for v in value:
                if not isinstance(v, (int, str, ModelValue)):
                    self._note_records(v, node)

    def record_class(self, names: frozenset[str], ordered_names: tuple[str, ...], node: Node) -> RecordClass:
        """The class of the records with some fields."""
        found = self.literals.classes.get(names)
        if found is None:
            name = f"Record{len({c.name for c in self.literals.classes.values()}) + 1}"
            found = RecordClass(name, {names: ordered_names})
            self.literals.classes[names] = found
        return found

    def _named_constant(self, node: Node, env: Env, value: Any, want: Shape | None) -> Py | None:
        """A constant of the module by its name."""
        if node.kind != "id" or isinstance(value, (str, ModelValue, bool, LazySet)):
            return None
        found = env.find(node.value)
        name, comment = node.value, ""
        while isinstance(found, Substitution) and found.node.kind == "id":
            name, found = found.node.value, found.env.find(found.node.value)
        if isinstance(found, Operator):
            if found.env.outer is not self.model.builtins and found.env.outer is not None:
                return None
            comment = found.definition.comment
            name = found.name if node.value not in self.model.config.overrides else node.value
        elif not isinstance(found, Constant):
            return None
        if value in (frozenset(), ()) or (isinstance(value, (tuple, frozenset)) and len(value) > LARGE):
            return None
        self._note_records(value, node)
        python_name = module_name(name)
        if python_name in self.constants and self.constant_values[python_name] != value:
            return None
        shape = want if isinstance(want, (MapOf, SeqOf, TupleOf)) and _fits(value, want) else _shape_of(value)
        if isinstance(value, tuple) and isinstance(shape, SeqOf):
            shape = _shape_of(value)
        lazy = isinstance(value, frozenset)
        if python_name not in self.constants:
            text = self.literals.keys(tuple(ordered(value))) if lazy else self.literals.value(value, shape)
            if lazy and text == self.literals.named.get(value):  # another name of the same set
                return Py(text, SetOf(of_set(value)), ATOM, lazy=True, value=value, known=True)
            self.constants[python_name] = (text, comment)
            self.constant_values[python_name] = value
            if lazy:
                self.literals.named.setdefault(value, python_name)
        if isinstance(value, tuple) and isinstance(want, (SeqOf, MapOf)):
            return None
        if lazy:
            return Py(python_name, SetOf(_common_shape(value)), ATOM, lazy=True, value=value, known=True)
        return Py(python_name, shape, ATOM, value=value, known=True)

    # -- names

    def _id(self, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        return self._meaning(node, env.find(node.value), (), env, cx, want)

    def _op(self, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        return self._meaning(node, env.find(node.value), node.args, env, cx, want)

    def _part(self, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        return self.expression(*part_of(node, env), cx, want)

    def _path(self, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        scope, target = self.evaluator.followed(node, env)
        return self._meaning(target, scope.find(target.value), target.args, env, cx, want)

    def _meaning(self, node: Node, found: Any, args: tuple[Node, ...], env: Env, cx: Context, want: Shape | None) -> Py:
        if isinstance(found, Local):
            value = found.value
            if isinstance(value, Lazy):
                return self.lazy(value, found, node, cx, want)
            if isinstance(value, Py) and args:
                given = [self.expression(a, env, cx) for a in args]
                return Py(
                    f"{value.at(ATOM)}({', '.join(g.text for g in given)})",
                    Unknown(),
                    reads=merged_reads(value, *given),
                )
            if isinstance(value, Py):
                return value
            return self.constant(value, node, want)
        if isinstance(found, Variable):
            return self.variable(found.name, cx, node)
        if isinstance(found, Substitution):
            if args:
                return self._applied_argument(node, found, args, env, cx, want)
            return self.expression(found.node, found.env, cx, want)
        if isinstance(found, Operator):
            return self._called(node, found, args, env, cx, want)
        if isinstance(found, Constant):
            problem = f"the constant {found.name} has no value"
            remedy = f"give it one in the configuration: CONSTANT {found.name} = ..."
            raise EverystateError("E462", None, place=str(node.place), problem=problem, remedy=remedy)
        if isinstance(found, Instance):
            raise refused(node.place, f"the instance {node.value} as a value", "name one of its definitions")
        if node.value in self.library:
            made: Py = self.library[node.value](self, Node(node.kind, node.place, args, node.value), env, cx, want)
            return made
        raise refused(
            node.place, f"the operator {node.value} on the state", "define it with other operators in the module"
        )

    def variable(self, name: str, cx: Context, node: Node | None = None) -> Py:
        """A variable of the state."""
        if cx.next and cx.primes is not None and node is not None:
            return cx.primes(name, node)
        return Py(f"{cx.state}.{attribute(name)}", self.variables[name], reads=frozenset((name,)))

    def lazy(self, value: Lazy, local: Local, node: Node, cx: Context, want: Shape | None) -> Py:
        """A definition of a LET: gets a local name if a statement can be added, else is written where it is used."""
        made = value.operator.definition
        assert made.body is not None
        if cx.lines is None:
            return self.expression(made.body, value.env, cx, want)
        found = self.expression(made.body, value.env, cx, want)
        if found.known or found.text.isidentifier() or re.fullmatch(r"self\.\w+", found.text):
            return found
        name: Py = cx.lines.local(made.name, found, made.place)
        local.value = replace(name, members=found.members)
        return local.value  # type: ignore[no-any-return]

    def _applied_argument(
        self, node: Node, found: Substitution, args: tuple[Node, ...], env: Env, cx: Context, want: Shape | None
    ) -> Py:
        target, scope = found.node, found.env
        while target.kind == "id":
            meaning = scope.find(target.value)
            if not isinstance(meaning, Substitution):
                return self._meaning(Node("op", node.place, args, target.value), meaning, args, env, cx, want)
            target, scope = meaning.node, meaning.env
        if target.kind == "lambda":
            given = {name: Substitution(a, env) for name, a in zip(target.value, args, strict=True)}
            return self.expression(target.args[0], Env(scope, dict(given)), cx, want)
        raise refused(node.place, f"`{node.value}` as an operator", "pass an operator or a LAMBDA")

    def _called(
        self, node: Node, found: Operator, args: tuple[Node, ...], env: Env, cx: Context, want: Shape | None
    ) -> Py:
        made = found.definition
        if made.body is None or made.bounds:
            return self._recursive_function(node, found, cx)
        if len(args) != len(made.params):
            raise refused(node.place, f"{made.name} with {len(args)} arguments", f"give it {len(made.params)}")
        as_method = not self._captures(found.env) and not self._has_operators(made, args, env)
        as_method = as_method and (not cx.next or not self.depends(Node("id", node.place, (), found.name), found.env))
        if as_method and self._primed(found):
            as_method = False
        if as_method and any(self._is_known_function(a, env) for a in args):
            as_method = False  # what is known of it would be lost
        if as_method:
            return self._method_call(node, found, args, env, cx)
        return self.expression(made.body, found.scope(args, env), cx, want)

    def _is_known_function(self, node: Node, env: Env) -> bool:
        if node.kind in ("num", "str", "bool"):
            return False
        is_known, value = self.known(node, env)
        return is_known and isinstance(value, (frozenset, tuple, Function, LazySet))

    def _primed(self, found: Operator) -> bool:
        seen: set[int] = set()

        def primed(node: Node, env: Env) -> bool:
            if node.kind in ("prime", "unchanged"):
                return True
            if node.kind in ("id", "op"):
                op = env.find(node.value)
                if isinstance(op, Operator) and id(op) not in seen and op.definition.body is not None:
                    seen.add(id(op))
                    if primed(op.definition.body, op.env):
                        return True
            return any(primed(p, env) for p in parts(node))

        return found.definition.body is not None and primed(found.definition.body, found.env)

    def _captures(self, env: Env | None) -> bool:
        """Whether a scope has names of the translation, which a method would not see."""
        seen: set[int] = set()
        waiting = [env]
        while waiting:
            current = waiting.pop()
            while current is not None and id(current) not in seen:
                seen.add(id(current))
                for entity in current.names.values():
                    if isinstance(entity, Local) and isinstance(entity.value, (Py, Lazy)):
                        return True
                    if isinstance(entity, Substitution):
                        waiting.append(entity.env)
                current = current.outer
        return False

    def _has_operators(self, made: Definition, args: tuple[Node, ...], env: Env) -> bool:
        return bool(made.arities) or any(self._is_operator(a, env) for a in args)

    def _is_operator(self, node: Node, env: Env) -> bool:
        if node.kind == "lambda":
            return True
        if node.kind != "id":
            return False
        found = env.find(node.value)
        while isinstance(found, Substitution) and found.node.kind in ("id", "lambda"):
            if found.node.kind == "lambda":
                return True
            found = found.env.find(found.node.value)
        return isinstance(found, Operator) and bool(found.definition.params)

    def _method_call(self, node: Node, found: Operator, args: tuple[Node, ...], env: Env, cx: Context) -> Py:
        given = [self.expression(a, env, cx) for a in args]
        given = [
            replace(g, text=f"set({g.text})", lazy=False, strength=ATOM) if g.lazy and not g.known else g for g in given
        ]
        method = self.method(found, given, node)
        text = f"{cx.state}.{method.name}({', '.join(g.text for g in given)})"
        return Py(text, method.shape, reads=merged_reads(method.reads, *given))

    def method(self, found: Operator, given: list[Py], node: Node) -> Method:
        """The helper for an operator with arguments of some shapes."""
        made = found.definition
        key = (id(made), id(found.env), tuple((_kind(g.shape), g.lazy, g.frozen) for g in given))
        if key in self.methods:
            return self.methods[key]
        self.kept.append(found)
        name = self.free(attribute(made.name))
        params = [identifier(p) if identifier(p) != "self" else "this" for p in made.params]
        method = Method(name, params, [], Pending(), made.comment, made.place)
        self.methods[key] = method
        want: Shape | None = None
        for _ in range(3):  # the second time with the shape of a recursive call, or of all that is returned
            writer = Lines(self, frozenset(params))
            local = {
                p: Local(Py(n, _widened(g.shape), lazy=g.lazy, frozen=g.frozen, reads=frozenset()))
                for p, n, g in zip(made.params, params, given, strict=True)
            }
            assert made.body is not None
            cx = Context(frozenset(params), lines=writer)
            result = writer.returned(made.body, Env(found.env, dict(local)), cx, want)
            again = not isinstance(result.shape, type(method.shape))
            if want is None and any(unlike(shape, result.shape) for shape in writer.shapes):
                want, again = result.shape, True
            method.lines, method.shape, method.reads = writer.lines, result.shape, writer.reads
            if not again:
                break
        return method

    def free(self, name: str) -> str:
        """A name of a method that is not taken."""
        number, found = 1, name
        while found in self.taken:
            number += 1
            found = f"{name}_{number}"
        self.taken.add(found)
        return found

    def _recursive_function(self, node: Node, found: Operator, cx: Context) -> Py:
        """A recursive function as a method; the names around it that it reads become parameters."""
        made = found.definition
        captures = self._captures(found.env)
        key = (id(made), id(found.env), "function", cx.active if captures else frozenset())
        if key not in self.methods:
            self.kept.append(found)
            names = [n for b in made.bounds for n in b.names]
            params = [self.fresh(n, cx) for n in names]
            method = Method(self.free(attribute(made.name)), params, [], Pending(), made.comment, made.place)
            method.packed = len(made.bounds) == 1 and not isinstance(made.bounds[0].pattern, str)
            self.methods[key] = method
            local = self._arguments(made, params, found.env, cx)
            inside = cx.active | set(params)
            outer = list(params)
            want = None
            for _ in range(3):
                writer = Lines(self, inside)
                call = Py(
                    f"self.{method.name}", FunctionOf(method.shape, tuple(method.params[: -len(outer)]), method.packed)
                )
                scope = Env(found.env, {**local, made.name: Local(call)})
                saved = [(e, e.value) for e in _lazy_locals(found.env)]
                assert made.body is not None
                result = writer.returned(made.body, scope, Context(inside, state="self", lines=writer), want)
                want = result.shape if any(unlike(shape, result.shape) for shape in writer.shapes) else want
                for entity, value in saved:
                    entity.value = value
                words = set(re.findall(r"\w+", "\n".join(writer.lines)))
                extra = sorted((cx.active - set(outer)) & words) if captures else []
                method.params = [*extra, *outer]
                method.lines, method.shape, method.reads = writer.lines, result.shape, writer.reads
        method = self.methods[key]
        extra = method.params[: len(method.params) - sum(len(b.names) for b in made.bounds)]
        return Py(f"self.{method.name}", FunctionOf(method.shape, tuple(extra), method.packed), reads=method.reads)

    def _arguments(self, made: Definition, params: list[str], env: Env, cx: Context) -> dict[str, Any]:
        """What the bound names of a function mean in its method."""
        local: dict[str, Any] = {}
        waiting = list(params)
        for bound in made.bounds:
            assert bound.within is not None
            is_known, domain = self.known(bound.within, env)
            if is_known:
                element = of_set(domain)
            else:
                of = self.iterable(bound.within, env, cx.inside()).shape
                element = of.of if isinstance(of, SetOf) else Unknown()
            for i, name in enumerate(bound.names):
                part = element
                if not isinstance(bound.pattern, str):
                    part = element.parts[i] if isinstance(element, TupleOf) else Unknown()
                local[name] = Local(Py(waiting.pop(0), part))
        return local

    # -- logic

    def _bool(self, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        return Py(str(node.value), Truth())

    def _and(self, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        return self._junction(node, env, cx, " and ", AND, neutral=True)

    def _or(self, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        return self._junction(node, env, cx, " or ", OR, neutral=False)

    def _junction(self, node: Node, env: Env, cx: Context, sign: str, strength: int, neutral: bool) -> Py:
        items: list[Py] = []
        for i, item in enumerate(node.args):
            is_known, value = self.known(item, env)
            if is_known and value is neutral:
                continue
            if is_known and value is (not neutral):
                items.append(Py(str(value), Truth()))
                break
            items.append(self.condition(item, env, cx if i == 0 else cx.inside()))
        items = [item for item in items if item.text != str(neutral)]
        if not items:
            return Py(str(neutral), Truth())
        if len(items) == 1:
            return items[0]
        text = sign.join(item.at(strength + 1 if item.strength != strength else strength) for item in items)
        return Py(text, Truth(), strength, reads=merged_reads(*items))

    def negated(self, inner: Py) -> Py:
        """The opposite of a condition."""
        if inner.text in ("True", "False"):
            return Py("False" if inner.text == "True" else "True", Truth())
        if inner.strength == NOT and inner.text.startswith("not "):
            return Py(inner.text[4:], Truth(), COMPARE, reads=inner.reads)
        if inner.strength == COMPARE:
            for sign, opposite in (
                (" == ", " != "),
                (" != ", " == "),
                (" not in ", " in "),
                (" in ", " not in "),
                (" is not ", " is "),
                (" is ", " is not "),
            ):
                if inner.text.count(sign) == 1 and not any(k in inner.text for k in (" for ", " if ", " and ", " or ")):
                    if (sign in (" in ", " is ") and f" not{sign}" in inner.text) or (
                        " is not" in inner.text and sign == " is "
                    ):
                        continue
                    if sum(inner.text.count(s) for s in (" == ", " != ", " in ", " is ", " < ", " <= ")) == 1:
                        return Py(inner.text.replace(sign, opposite), Truth(), COMPARE, reads=inner.reads)
        return Py(f"not {inner.at(NOT)}", Truth(), NOT, reads=inner.reads)

    def _forall(self, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        return self._quantified(node, env, cx, "all")

    def _exists(self, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        return self._quantified(node, env, cx, "any")

    def _quantified(self, node: Node, env: Env, cx: Context, function: str) -> Py:
        loops, inner, within, reads = self.loops(node.value, env, cx)
        body = self.condition(node.args[0], inner, within)
        return Py(f"{function}({body.text} {loops})", Truth(), reads=merged_reads(reads, body))

    def quantified(self, body: Node, bounds: tuple[Bound, ...]) -> Node:
        """\\E over some bounds of a part of a formula: the same node each time, since fairness refers to it."""
        key = (id(body), len(bounds))
        return self._quantified_parts.setdefault(key, Node("exists", body.place, (body,), bounds))

    def loops(self, bounds: tuple[Bound, ...], env: Env, cx: Context) -> tuple[str, Env, Context, frozenset[str]]:
        """`for x in S for y in T`, the scope of what follows, and the variables that the sets read."""
        texts, names, inside, reads = [], dict[str, Any](), cx.inside(), frozenset[str]()
        for bound in bounds:
            if bound.within is None:
                raise refused(Node("id", self._place(bound)).place, "a quantifier without a set", "give it a set")
            over = self.iterable(bound.within, env, inside)
            target, bound_names, inside = self.bind(bound, over, inside, bound.within)
            names.update(bound_names)
            reads |= over.reads
            texts.append(f"for {target} in {over.at(OR)}")
        return " ".join(texts), Env(env, names), inside, reads

    def _place(self, bound: Bound) -> Any:
        return bound.within.place if bound.within is not None else Place(str(self.model.path), 1)

    def bind(self, bound: Bound, over: Py, cx: Context, node: Node) -> tuple[str, dict[str, Any], Context]:
        """The target of a loop over a set, its names with their shapes, and the context of its body."""
        shape = over.shape
        element = shape.of if isinstance(shape, SetOf) else Unknown()
        names: dict[str, Any] = {}
        targets = []
        kept = all(_only_members(self.variables[name]) for name in over.reads)
        for i, name in enumerate(bound.names):
            python_name = self.fresh(name, cx)
            cx = cx.inside(python_name)
            targets.append(python_name)
            part = element
            if not isinstance(bound.pattern, str):
                if isinstance(element, TupleOf):
                    part = element.parts[i]
                elif isinstance(element, SeqOf):
                    part = element.of
                elif not isinstance(element, Unknown):
                    raise refused(node.place, f"<<{', '.join(bound.names)}>> in a set of no tuples", "bind one name")
            reads = frozenset() if kept or _is_scalar(part) else over.reads
            names[name] = Local(Py(python_name, part, reads=reads, frozen=True))
        text = targets[0] if isinstance(bound.pattern, str) else f"({', '.join(targets)})"
        return text, names, cx

    def fresh(self, name: str, cx: Context) -> str:
        """A name of Python for a bound one that hides no other."""
        found, number = identifier(name), 1
        base = found
        while found in cx.active or found in self.constants:
            number += 1
            found = f"{base}{number}"
        return found

    def _choose(self, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        [bound] = node.value
        if bound.within is None:
            raise refused(node.place, "CHOOSE without a set", "give it a set, or name a constant for the value")
        extreme = self._extreme(node, env, cx)
        if extreme is not None:
            return extreme
        over = self.iterable(bound.within, env, cx)
        target, names, inside = self.bind(bound, over, cx.inside(), node)
        body = self.condition(node.args[0], Env(env, names), inside)
        condition, reads = "" if body.text == "True" else body.at(OR), merged_reads(over, body)
        if over.known or (over.lazy and over.text.startswith("range(")):
            items = over.text
        elif _is_sortable(over):
            items = f"sorted({over.text})"
        elif over.members and over.members[0] == target:
            _, items, kept, more = over.members
            reads |= more
            condition = f"{kept} and {body.at(AND)}" if condition else kept
        else:
            items = over.text
        where = f" if {condition}" if condition else ""
        found = names[bound.names[0]].value.shape if isinstance(bound.pattern, str) else over.shape.of  # type: ignore[attr-defined]
        return Py(f"next({target} for {target} in {items}{where})", found, reads=reads, frozen=True)

    def _extreme(self, node: Node, env: Env, cx: Context) -> Py | None:
        """The largest or smallest number of a set: CHOOSE x \\in S : \\A y \\in S : x >= y."""
        [bound], body = node.value, node.args[0]
        if body.kind == "and" and len(body.args) == 1:
            body = body.args[0]
        if body.kind != "forall" or len(body.value) != 1 or not isinstance(bound.pattern, str):
            return None
        [other], test = body.value, body.args[0]
        if (
            other.within is None
            or not same_text(other.within, bound.within)
            or test.kind != "op"
            or len(test.args) != 2
        ):
            return None
        left, right = test.args
        sides = (left.value if left.kind == "id" else "", right.value if right.kind == "id" else "")
        sign = {"<": "<=", ">": ">="}.get(test.value, test.value)
        if (
            sign != test.value
            or sign not in ("<=", ">=")
            or sides
            not in (
                (bound.pattern, other.pattern),
                (other.pattern, bound.pattern),
            )
        ):
            return None
        largest = (sign == ">=") == (sides[0] == bound.pattern)
        over = self.iterable(bound.within, env, cx)
        return Py(f"{'max' if largest else 'min'}({over.text})", Num(), reads=over.reads)

    def _if(self, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        condition = self.condition(node.args[0], env, cx)
        if condition.text in ("True", "False"):
            return self.expression(node.args[1 if condition.text == "True" else 2], env, cx, want)
        then, otherwise = self.in_one_form(node.args[1:], env, cx.inside(), want)
        return self.conditional(condition, then, otherwise, node)

    def in_one_form(self, nodes: Sequence[Node], env: Env, cx: Context, want: Shape | None) -> list[Py]:
        """Several values, written as values of one shape: all as lists, or all as tuples."""
        found = [self.expression(node, env, cx, want) for node in nodes]
        try:
            whole = joined(py.shape for py in found)
        except Conflict:
            return found
        if any(unlike(py.shape, whole) for py in found):
            found = [self.formed(self.expression(node, env, cx, whole), whole) for node in nodes]
        return found

    def formed(self, py: Py, shape: Shape) -> Py:
        """A sequence or function in the form of Python that a shape has."""
        wanted, own = _plain(shape), _plain(py.shape)
        if py.known and type(own) is not type(wanted) and isinstance(wanted, (SeqOf, MapOf)):
            return self.literals.literal(py.value, wanted) if isinstance(py.value, tuple) else py
        text = ""
        if isinstance(wanted, SeqOf) and (isinstance(own, TupleOf) or (isinstance(own, SeqOf) and py.frozen)):
            text = f"list({py.text})"
        elif isinstance(wanted, SeqOf) and isinstance(own, MapOf):
            text = f"list({py.at(ATOM)}.values())"
        elif isinstance(wanted, MapOf) and isinstance(own, TupleOf):
            text = f"dict(enumerate({py.text}, 1))"
        return replace(py, text=text, strength=ATOM, shape=shape, frozen=False) if text else py

    def conditional(self, condition: Py, then: Py, otherwise: Py, node: Node) -> Py:
        """One of two values."""
        then, otherwise = self.alike(then, otherwise)
        try:
            shape = join(then.shape, otherwise.shape)
        except Conflict as error:
            raise refused(node.place, f"a value that is {error}", "use values of one kind") from None
        if isinstance(shape, Truth) and otherwise.text == "False":
            return Py(f"{condition.at(AND)} and {then.at(AND)}", Truth(), AND, reads=merged_reads(condition, then))
        if isinstance(shape, Truth) and then.text == "True":
            return Py(
                f"{condition.at(OR)} or {otherwise.at(OR)}", Truth(), OR, reads=merged_reads(condition, otherwise)
            )
        text = f"{then.at(OR)} if {condition.at(OR)} else {otherwise.at(LAMBDA)}"
        reads = merged_reads(condition, then, otherwise)
        lazy, frozen = then.lazy and otherwise.lazy, then.frozen and otherwise.frozen
        return Py(text, shape, LAMBDA, reads=reads, lazy=lazy, frozen=frozen)

    def alike(self, a: Py, b: Py) -> tuple[Py, Py]:
        """Two values in the same form of Python: both sets, both lists."""
        if isinstance(a.shape, SetOf) and isinstance(b.shape, SetOf) and a.lazy != b.lazy:
            a, b = self.as_set(a), self.as_set(b)
        try:
            whole = join(a.shape, b.shape)
        except Conflict:
            return a, b
        if a.frozen != b.frozen or unlike(a.shape, whole) or unlike(b.shape, whole):
            a, b = self.formed(a, whole), self.formed(b, whole)
        return a, b

    def _case(self, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        values = self.in_one_form([value for _, value in node.args], env, cx.inside(), want)
        found = self._no_arm(node)
        for (condition, _), value in zip(reversed(node.args), reversed(values), strict=True):
            test = self.condition(condition, env, cx.inside()) if condition is not None else Py("True", Truth())
            known = test.text in ("True", "False")
            found = (value if test.text == "True" else found) if known else self.conditional(test, value, found, node)
        return found

    def _no_arm(self, node: Node) -> Py:
        """The error of a CASE without a true arm, as a call."""
        key = ("case", id(node))
        if key not in self.methods:
            self.kept.append(node)
            line = f'assert False, "{NO_ARM}"'
            self.methods[key] = Method(self.free("no_arm"), [], [line], Unknown(), "", node.place)
        return Py(f"self.{self.methods[key].name}()", Unknown())

    def _let(self, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        return self.expression(node.args[0], self.let(node.value, env), cx, want)

    def let(self, definitions: tuple[Definition, ...], env: Env) -> Env:
        """The scope of a LET, in which definitions without parameters are evaluated when they are needed."""
        inner = env.let(definitions)
        for made in definitions:
            entity = inner.names[made.name]
            plain = isinstance(entity, Operator) and not made.params and not made.bounds
            if plain and made.body is not None and self.depends(made.body, inner):
                inner.names[made.name] = Local(Lazy(entity, inner))
        return inner

    # -- primes

    def _prime(self, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        inner, scope, primes = node.args[0], env, cx.primes
        if cx.after:
            return self.expression(inner, scope, replace(cx, state=cx.after, after=""), want)
        if primes is None:
            raise refused(node.place, "a prime outside of an action", "move it into the action")
        if inner.kind == "id":
            found = env.find(inner.value)
            while isinstance(found, Substitution) and found.node.kind == "id":
                inner, scope = found.node, found.env
                found = scope.find(inner.value)
            if isinstance(found, Variable):
                return primes(found.name, node)
            if id(found) in cx.substituted:
                return cx.substituted[id(found)]
        return self.expression(inner, scope, replace(cx, next=True), want)

    def _unchanged(self, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        items = node.args[0].args if node.args[0].kind == "tuple" else node.args
        equal = [Node("op", node.place, (Node("prime", i.place, (i,)), i), "=") for i in items]
        return self.expression(Node("and", node.place, tuple(equal)), env, cx)

    # -- sets

    def iterable(self, node: Node, env: Env, cx: Context) -> Py:
        """A set to iterate over."""
        found = self.expression(node, env, cx)
        if isinstance(found.shape, SetOf):
            return found
        if isinstance(found.shape, Pending):
            return replace(found, shape=SetOf(Pending()))
        raise refused(node.place, "a set whose members are not known", "write it as a set of the standard modules")

    def as_set(self, py: Py) -> Py:
        """A set on which Python's operators work."""
        if not py.lazy:
            return py
        if py.text.startswith("(") and py.known and len(py.value) <= 6 and py.strength == ATOM:
            return replace(py, text=self.literals.value(py.value, py.shape), lazy=False)
        return replace(py, text=f"set({py.text})", lazy=False, strength=ATOM)

    def hashable(self, py: Py) -> Py:
        """A value as a member of a set or a key."""
        if py.frozen or py.known:
            if py.known and isinstance(py.value, (frozenset, tuple)):
                return replace(py, text=self.literals.value(py.value, py.shape, True), lazy=False, frozen=True)
            return py
        if isinstance(py.shape, SetOf):
            return replace(py, text=f"frozenset({py.text})", strength=ATOM, lazy=False, frozen=True)
        if isinstance(py.shape, SeqOf):
            return replace(py, text=f"tuple({py.text})", strength=ATOM, frozen=True)
        return py

    def _set(self, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        element = want.of if isinstance(want, SetOf) else None
        items = [self.hashable(self.expression(item, env, cx, element)) for item in node.args]
        shape = self.common([i.shape for i in items], node)
        if not items:
            return Py("set()", want if isinstance(want, SetOf) else SetOf(Unknown()))
        return Py(f"{{{', '.join(i.text for i in items)}}}", SetOf(shape), reads=merged_reads(*items))

    def common(self, shapes: list[Shape], node: Node) -> Shape:
        """The shape of several values."""
        try:
            return joined(shapes)
        except Conflict as error:
            raise refused(node.place, f"{error} in one place", "use values of one kind") from None

    def _filter(self, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        [bound] = node.value
        over = self.iterable(bound.within, env, cx)
        target, names, inside = self.bind(bound, over, cx.inside(), node)
        body = self.condition(node.args[0], Env(env, names), inside)
        if body.text == "True":
            return over
        text, reads = f"{target} for {target} in {over.at(OR)} if {body.at(OR)}", merged_reads(over, body)
        if isinstance(over.shape, SetOf) and isinstance(over.shape.of, (SetOf, SeqOf, MapOf)) and not over.known:
            return Py(f"({text})", over.shape, lazy=True, reads=reads)  # its members cannot be those of a set
        ordered = over.lazy or re.fullmatch(r"self\.\w+", over.text)
        members = (target, over.at(OR), body.at(AND), reads) if ordered else None
        return Py(f"{{{text}}}", over.shape, reads=reads, members=members)

    def _map(self, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        loops, inner, inside, reads = self.loops(node.value, env, cx)
        element = want.of if isinstance(want, SetOf) else None
        body = self.hashable(self.expression(node.args[0], inner, inside, element))
        return Py(f"{{{body.text} {loops}}}", SetOf(body.shape), reads=merged_reads(reads, body))

    def _product(self, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        sets = [self.iterable(a, env, cx) for a in node.args]
        names: list[str] = []
        inside = cx.inside()
        for letter in "abcdefgh"[: len(sets)]:
            names.append(self.fresh(letter, inside))
            inside = inside.inside(names[-1])
        loops = " ".join(f"for {n} in {s.at(OR)}" for n, s in zip(names, sets, strict=True))
        shape = TupleOf(tuple(s.shape.of if isinstance(s.shape, SetOf) else Unknown() for s in sets))
        return Py(f"{{({', '.join(names)}) {loops}}}", SetOf(shape), reads=merged_reads(*sets))

    # -- functions, tuples and records

    def _function(self, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        bounds: tuple[Bound, ...] = node.value
        length = self._length(bounds, env, cx) if len(bounds) == 1 and isinstance(bounds[0].pattern, str) else None
        keys = None
        sets = [self.iterable(b.within, env, cx.inside()) for b in bounds if b.within is not None]
        is_known = all(s.known for s in sets)
        if is_known:
            listed = [ordered(s.value) for s in sets]
            keys = listed[0] if len(listed) == 1 else None
        sequence = isinstance(_plain(want), SeqOf) or (length is not None and not is_known)
        loops, inner, inside, reads = self.loops(bounds, env, cx)
        wanted = _plain(want)
        element = wanted.of if isinstance(wanted, (SeqOf, MapOf)) else None
        body = self.expression(node.args[0], inner, inside, element)
        body = self.as_set(body) if body.lazy else body
        reads = merged_reads(reads, body)
        if sequence and (length is not None or (keys is not None and keys == list(range(1, len(keys) + 1)))):
            return Py(f"[{body.text} {loops}]", SeqOf(body.shape), reads=reads)
        names = [inner.names[n].value.text for b in bounds for n in b.names]
        pattern = [b.pattern for b in bounds]
        key = names[0] if len(bounds) == 1 and isinstance(pattern[0], str) else f"({', '.join(names)})"
        if is_known:
            import itertools

            all_keys = tuple(listed[0]) if len(bounds) == 1 else tuple(itertools.product(*listed))
            partial = isinstance(wanted, MapOf) and wanted.partial and set(all_keys) != set(wanted.keys)
            if not partial:
                return Py(f"{{{key}: {body.text} {loops}}}", MapOf(all_keys, body.shape), reads=reads)
        if isinstance(wanted, MapOf) and wanted.partial and len(bounds) == 1 and isinstance(pattern[0], str):
            return self._partial(node, bounds[0], env, cx, wanted)
        raise refused(
            node.place, "a function whose domain depends on the state", "give it all keys, and a value for none"
        )

    def _partial(self, node: Node, bound: Bound, env: Env, cx: Context, wanted: MapOf) -> Py:
        """A partial function: None where a key is not in its domain."""
        assert bound.within is not None and isinstance(bound.pattern, str)
        name = self.fresh(bound.pattern, cx)
        inside = cx.inside(name)
        key = Py(name, of_set(frozenset(wanted.keys)), frozen=True)
        test = self.member(key, bound.within, env, inside)
        body = self.expression(node.args[0], env.bound({bound.pattern: key}), inside, wanted.of)
        text = f"{{{name}: {body.at(OR)} if {test.at(OR)} else None for {name} in {self.literals.keys(wanted.keys)}}}"
        return Py(text, wanted, reads=merged_reads(test, body))

    def _length(self, bounds: tuple[Bound, ...], env: Env, cx: Context) -> Node | None:
        within = bounds[0].within
        if within is not None and within.kind == "op" and within.value == ".." and within.args[0].kind == "num":
            return within.args[1] if within.args[0].value == 1 else None
        if within is not None and within.kind == "op" and within.value == "DOMAIN":
            inner = self.expression(within.args[0], env, cx.inside())
            return within if isinstance(inner.shape, SeqOf) else None
        return None

    def _tuple(self, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        wanted = _plain(want)
        if isinstance(wanted, SeqOf):
            items = [self.expression(a, env, cx, wanted.of) for a in node.args]
            items = [self.as_set(i) if i.lazy else i for i in items]
            shape = self.common([i.shape for i in items], node)
            return Py(f"[{', '.join(i.text for i in items)}]", SeqOf(shape, len(items)), reads=merged_reads(*items))
        wants = (
            wanted.parts
            if isinstance(wanted, TupleOf) and len(wanted.parts) == len(node.args)
            else [None] * len(node.args)
        )
        items = [self.hashable(self.expression(a, env, cx, w)) for a, w in zip(node.args, wants, strict=True)]
        if isinstance(wanted, MapOf):
            keys = self.literals
            text = ", ".join(f"{keys.value(k)}: {i.text}" for k, i in zip(wanted.keys, items, strict=False))
            return Py(f"{{{text}}}", wanted, reads=merged_reads(*items))
        text = f"({', '.join(i.text for i in items)}{',' if len(items) == 1 else ''})"
        return Py(text, TupleOf(tuple(i.shape for i in items)), reads=merged_reads(*items))

    def _record(self, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        wanted = _plain(want)
        made = self.record_class(frozenset(node.value), node.value, node)
        if isinstance(wanted, MapOf):
            pairs = [self.expression(a, env, cx, wanted.of) for a in node.args]
            text = ", ".join(f'"{n}": {p.text}' for n, p in zip(node.value, pairs, strict=True))
            return Py(f"{{{text}}}", wanted, reads=merged_reads(*pairs))
        given: dict[str, Py] = {}
        for name, part in zip(node.value, node.args, strict=True):
            shape = wanted.field(name) if isinstance(wanted, RecordOf) and name in wanted.names else None
            value = self.expression(part, env, cx, shape)
            given[name] = self.as_set(value) if value.lazy else value
        text = self.literals.record(made, {n: p.text for n, p in given.items()})
        shape = RecordOf((tuple((n, p.shape) for n, p in given.items()),))
        return Py(text, shape, reads=merged_reads(*given.values()))

    def _records(self, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        made = self.record_class(frozenset(node.value), node.value, node)
        sets = [self.iterable(a, env, cx) for a in node.args]
        names: list[str] = []
        for part in node.value:
            names.append(self.fresh(part, cx.inside(*names)))
        loops = " ".join(f"for {n} in {s.at(OR)}" for n, s in zip(names, sets, strict=True))
        shapes = [s.shape.of if isinstance(s.shape, SetOf) else Unknown() for s in sets]
        text = self.literals.record(made, dict(zip(node.value, names, strict=True)))
        shape = SetOf(RecordOf((tuple(zip(node.value, shapes, strict=True)),)))
        return Py(f"{{{text} {loops}}}", shape, reads=merged_reads(*sets))

    def _field(self, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        record = self.expression(node.args[0], env, cx)
        return self.field_of(record, node.value, node)

    def field_of(self, record: Py, name: str, node: Node) -> Py:
        """A field of a record."""
        shape = record.shape.of if isinstance(record.shape, Maybe) else record.shape
        if isinstance(shape, MapOf):
            return Py(f'{record.at(ATOM)}["{name}"]', shape.of, reads=record.reads)
        if isinstance(shape, Unknown):  # of a collection that is always empty, so this is never evaluated
            return Py(f"{record.at(ATOM)}.{field_name(name)}", shape, reads=record.reads)
        if isinstance(shape, Mixed):
            shape = joined(_shape_of(v) for v in shape.values if isinstance(v, Function) and v.is_record)
        if not isinstance(shape, RecordOf) or name not in shape.names:
            raise refused(
                node.place, f".{name} of a value that is no record with this field", "check the type invariant"
            )
        return Py(f"{record.at(ATOM)}.{field_name(name)}", shape.field(name), reads=record.reads, frozen=record.frozen)

    def _apply(self, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        made, scope = self._constructor(node.args[0], env)
        if made is not None:  # a function whose domain depends on the state has no value of its own
            given = {made.value[0].pattern: Substitution(node.args[1], env)}
            return self.expression(made.args[0], Env(scope, dict(given)), cx, want)
        function = self.expression(node.args[0], env, cx)
        return self.applied(function, node.args[1], env, cx, node)

    def _constructor(self, node: Node, env: Env) -> tuple[Node | None, Env]:
        """[x \\in S |-> e], where a name of a LET stands for it and S depends on the state."""
        while node.kind == "id":
            found = env.find(node.value)
            if isinstance(found, Local) and isinstance(found.value, Lazy):
                node, env = found.value.operator.definition.body or node, found.value.env
            elif isinstance(found, Substitution):
                node, env = found.node, found.env
            else:
                return None, env
        if node.kind != "function" or len(node.value) != 1 or not isinstance(node.value[0].pattern, str):
            return None, env
        within = node.value[0].within
        is_set = within is not None and within.kind in ("id", "filter") and self.depends(within, env)
        return (node if is_set and not self._length(node.value, env, Context()) else None), env

    def applied(self, function: Py, index: Node, env: Env, cx: Context, node: Node) -> Py:
        """A function at an argument."""
        shape = function.shape.of if isinstance(function.shape, Maybe) else function.shape
        if isinstance(shape, FunctionOf):
            args = index.args if index.kind == "tuple" else (index,)
            given = [self.as_set(self.expression(a, env, cx)) for a in args]
            texts = [
                *shape.extra,
                *(f"*{g.at(ATOM)}" if shape.packed and index.kind != "tuple" else g.text for g in given),
            ]
            return Py(f"{function.text}({', '.join(texts)})", shape.of, reads=merged_reads(function, *given))
        if isinstance(shape, RecordOf):
            is_known, name = self.known(index, env)
            if not is_known:
                argument = self.expression(index, env, cx)
                fields = self.common([s for v in shape.variants for _, s in v], node)
                return Py(f"getattr({function.text}, {argument.text})", fields, reads=merged_reads(function, argument))
            return self.field_of(function, name, node)
        is_known, position = self.known(index, env)
        if isinstance(shape, (SeqOf, TupleOf)):
            of = shape.of if isinstance(shape, SeqOf) else joined(shape.parts) if not is_known else None
            if is_known and type(position) is int:
                if isinstance(shape, TupleOf):
                    if not 1 <= position <= len(shape.parts):
                        raise refused(node.place, f"part {position} of a tuple of {len(shape.parts)}", "correct it")
                    of = shape.parts[position - 1]
                assert of is not None
                text = str(position - 1) if position > 0 else f"len({function.text})"  # an error
                return Py(f"{function.at(ATOM)}[{text}]", of, reads=function.reads, frozen=function.frozen)
            argument = self.expression(index, env, cx)
            assert of is not None
            return Py(
                f"{function.at(ATOM)}[{self.position(argument, function)}]",
                of,
                reads=merged_reads(function, argument),
                frozen=function.frozen,
            )
        if isinstance(shape, BagOf):
            argument = self.hashable(self.expression(index, env, cx, shape.of))
            return Py(f"{function.at(ATOM)}[{argument.text}]", Num(0), reads=merged_reads(function, argument))
        if isinstance(shape, MapOf):
            argument = self.hashable(self.expression(index, env, cx))
            text = (
                argument.text[1:-1] if isinstance(argument.shape, TupleOf) and index.kind == "tuple" else argument.text
            )
            return Py(f"{function.at(ATOM)}[{text}]", shape.of, reads=merged_reads(function, argument))
        if isinstance(shape, Unknown):
            argument = self.expression(index, env, cx)
            return Py(f"{function.at(ATOM)}[{argument.text}]", shape, reads=merged_reads(function, argument))
        raise refused(node.place, "the application of a value that is no function", "check the type invariant")

    def less_one(self, argument: Py) -> str:
        """An index of TLA+ as one of Python."""
        if argument.text.endswith(" + 1") and argument.strength == ADD and argument.text.count(" ") == 2:
            return argument.text[:-4]
        return f"{argument.at(ADD)} - 1"

    def position(self, argument: Py, of: Py) -> str:
        """An index of a sequence as one of Python, which counts from the end below 0: there it is an error of both."""
        text, least = self.less_one(argument), argument.shape.lo if isinstance(argument.shape, Num) else None
        if (least is not None and least > 0) or argument.text == f"len({of.text})":
            return text
        return f"{text} if {argument.at(UNION)} > 0 else len({of.text})"

    def _at(self, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        found = env.find("@")
        assert isinstance(found, Local)
        value: Py = found.value
        return value

    def _except(self, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        value = self.expression(node.args[0], env, cx, want)
        for path, new in node.value:
            value = self._updated(value, list(path), new, env, cx, node)
        return value

    def _updated(self, value: Py, path: list[Node], new: Node, env: Env, cx: Context, node: Node) -> Py:
        if not path:
            found = self.expression(new, env.bound({"@": value}), cx, value.shape)
            return self.as_set(found) if found.lazy else found
        shape = value.shape.of if isinstance(value.shape, Maybe) else value.shape
        step, *rest = path
        if isinstance(shape, Unknown):  # of a collection that is always empty, so this is never evaluated
            return value
        if isinstance(shape, RecordOf):
            name = step.value
            old = self.field_of(value, name, node)
            inner = self._updated(old, rest, new, env, cx, node)
            made = self.record_class(frozenset(dict(shape.variants[0])), tuple(dict(shape.variants[0])), node)
            if len(shape.variants) != 1 and not made.merged:
                raise refused(node.place, "EXCEPT on records of several kinds", "write the record with all fields")
            given = {n: inner.text if n == name else self.field_of(value, n, node).text for n in shape.names}
            return Py(self.literals.record(made, given), shape, reads=merged_reads(value, inner))
        old = self.applied(value, step, env, cx, node)
        inner = self._updated(old, rest, new, env, cx, node)
        reads = merged_reads(value, inner, old)
        if isinstance(shape, MapOf):
            key = self.hashable(self.expression(step, env, cx))
            return Py(f"{{**{value.at(UNION)}, {key.text}: {inner.text}}}", shape, reads=reads)
        index = self.expression(step, env, cx)
        if isinstance(shape, TupleOf):
            if index.known:
                items = [
                    inner.text if i == index.value - 1 else f"{value.at(ATOM)}[{i}]" for i in range(len(shape.parts))
                ]
                return Py(f"({', '.join(items)}{',' if len(items) == 1 else ''})", shape, reads=reads)
            at, item = self.fresh("i", cx), self.fresh("item", cx)
            new_item = f"{inner.at(OR)} if {at} == {index.at(ADD)} else {item}"
            text = f"tuple({new_item} for {at}, {item} in enumerate({value.text}, 1))"
            return Py(text, shape, reads=reads)
        before, after = self.less_one(index), index.text
        if index.known:
            before, after = str(index.value - 1), str(index.value)
        return Py(f"[*{value.at(ATOM)}[:{before}], {inner.text}, *{value.at(ATOM)}[{after}:]]", shape, reads=reads)

    # -- membership

    def member(self, x: Py, node: Node, env: Env, cx: Context) -> Py:
        """Whether a value is in a set."""
        is_known, value = self.known(node, env)
        if is_known and is_set(value):
            named = self._named_constant(node, env, value, None) if isinstance(value, frozenset) else None
            if named is not None and _is_scalar(x.shape):
                return Py(f"{x.at(UNION)} in {named.text}", Truth(), COMPARE, reads=x.reads)
            return self.member_of(x, value, node, cx)
        if node.kind == "op" and env.find(node.value) is None:
            if node.value == "..":
                low, high = (self.expression(a, env, cx.inside()) for a in node.args)
                return Py(
                    f"{low.at(UNION)} <= {x.at(UNION)} <= {high.at(UNION)}",
                    Truth(),
                    COMPARE,
                    reads=merged_reads(x, low, high),
                )
            if node.value in ("\\cup", "\\cap", "\\") and len(node.args) == 2:
                a, b = (self.member(x, n, env, cx) for n in node.args)
                b = self.negated(b) if node.value == "\\" else b
                sign, strength = (" or ", OR) if node.value == "\\cup" else (" and ", AND)
                return Py(f"{a.at(strength)}{sign}{b.at(strength)}", Truth(), strength, reads=merged_reads(a, b))
            if node.value == "SUBSET":
                return self._all_in(x, node.args[0], env, cx)
            if node.value == "Seq":
                return self._all_in(x, node.args[0], env, cx)
        if node.kind == "set" and len(node.args) == 1:
            return self.equal(x, self.expression(node.args[0], env, cx.inside(), x.shape))
        if node.kind == "functions":
            return self._all_in(
                replace(x, text=f"{x.at(ATOM)}.values()", shape=SetOf(_element(x.shape)), lazy=True),
                node.args[1],
                env,
                cx,
            )
        if node.kind == "records" and isinstance(x.shape, RecordOf):
            tests = [
                self.member(self.field_of(x, n, node), a, env, cx) for n, a in zip(node.value, node.args, strict=True)
            ]
            return Py(" and ".join(t.at(AND) for t in tests), Truth(), AND, reads=merged_reads(*tests))
        within = self.expression(node, env, cx.inside())
        if isinstance(x.shape, SetOf) and not x.known:
            name = self.fresh("other", cx)
            return Py(
                f"any({name} == {self.as_set(x).at(UNION)} for {name} in {within.text})",
                Truth(),
                reads=merged_reads(x, within),
            )
        x = self.hashable(x)
        return Py(f"{x.at(UNION)} in {within.at(UNION)}", Truth(), COMPARE, reads=merged_reads(x, within))

    def _all_in(self, x: Py, node: Node, env: Env, cx: Context) -> Py:
        name = self.fresh("item", cx)
        inside = cx.inside(name)
        test = self.member(Py(name, _element(x.shape), reads=frozenset(), frozen=True), node, env, inside)
        if test.text == "True":
            return Py("True", Truth())
        if isinstance(x.shape, SetOf) and not x.lazy and test.text.startswith(f"{name} in "):
            within = self.as_set(self.expression(node, env, cx.inside()))
            return Py(f"{x.at(UNION)} <= {within.at(UNION)}", Truth(), COMPARE, reads=merged_reads(x, within))
        return Py(f"all({test.text} for {name} in {x.at(OR)})", Truth(), reads=merged_reads(x, test))

    def member_of(self, x: Py, value: Any, node: Node, cx: Context) -> Py:
        """Whether a value is in a known set."""
        if x.known:
            return Py(str(x.value in value), Truth())
        if isinstance(value, Infinite):
            test = f"{x.at(UNION)} >= 0" if value.name == "Nat" else "True"
            return Py(test, Truth(), COMPARE if test != "True" else ATOM, reads=x.reads)
        if isinstance(value, Subsets):
            return self._each(x, value.of, node, cx)
        if isinstance(value, Functions):
            keys = tuple(ordered(value.domain))
            if isinstance(x.shape, MapOf) and set(x.shape.keys) == set(keys) and not x.shape.partial:
                items = Py(f"{x.at(ATOM)}.values()", SetOf(x.shape.of), lazy=True, reads=x.reads)
                return self._each(items, value.values, node, cx)
            if isinstance(x.shape, RecordOf):
                tests = [self.member_of(self.field_of(x, k, node), value.values, node, cx) for k in keys]
                return self._every(tests)
            if isinstance(x.shape, (SeqOf, TupleOf)):
                size = Py(f"len({x.text}) == {len(keys)}", Truth(), COMPARE, reads=x.reads)
                return self._every([size, self._each(x, value.values, node, cx)])
        if isinstance(value, Records) and isinstance(x.shape, (RecordOf, Maybe)):
            shape = x.shape.of if isinstance(x.shape, Maybe) else x.shape
            if isinstance(shape, RecordOf) and len(shape.variants) == 1 and set(shape.names) == set(value.fields):
                tests = [self.member_of(self.field_of(x, n, node), s, node, cx) for n, s in value.fields.items()]
                if isinstance(x.shape, Maybe):
                    tests.insert(0, Py(f"{x.text} is not None", Truth(), COMPARE, reads=x.reads))
                return self._every(tests)
        if isinstance(value, Tuples) and isinstance(x.shape, TupleOf):
            tests = [
                self.member_of(Py(f"{x.at(ATOM)}[{i}]", s, reads=x.reads), part, node, cx)
                for i, (s, part) in enumerate(zip(x.shape.parts, value.parts, strict=True))
            ]
            return self._every(tests)
        if isinstance(value, Sequences):
            inner = self._each(x, value.of, node, cx)
            limits = [] if value.most is None else [f"len({x.text}) <= {value.most}"]
            if value.least:
                limits = [f"{value.least} <= {limits[0]}" if limits else f"{value.least} <= len({x.text})"]
            return self._every([*(Py(t, Truth(), COMPARE, reads=x.reads) for t in limits), inner])
        if isinstance(value, Either):
            tests = [self.member_of(x, part, node, cx) for part in value.parts]
            return Py(" or ".join(t.at(OR) for t in tests), Truth(), OR, reads=x.reads)
        if isinstance(value, Filtered):
            written, env = value.source
            [bound] = written.value
            if isinstance(bound.pattern, str):
                holds = self.condition(written.args[0], env.bound({bound.pattern: x}), cx.inside())
                return self._every([self.member_of(x, value.of, node, cx), holds])
        if isinstance(value, LazySet) and not is_finite(value):
            raise refused(node.place, "membership in this infinite set", "use Nat, Int, or a set that is finite")
        listed = self.constant(value, node)
        members = listed.value
        if not members:
            return Py("False", Truth())
        if isinstance(x.shape, Maybe) and not _is_scalar(x.shape):
            rest = self.member_of(replace(x, shape=x.shape.of), members - {x.shape.none}, node, cx)
            if x.shape.none in members:
                return Py(f"{x.at(UNION)} is None or {rest.at(OR)}", Truth(), OR, reads=x.reads)
            return Py(f"{x.at(UNION)} is not None and {rest.at(AND)}", Truth(), AND, reads=x.reads)
        if any(map(_has_lists, parts_of_shape(x.shape))):
            if len(members) > 100:
                raise refused(node.place, "membership in a set of more than 100 collections", "write what they have")
            tests = [self.equal(x, self.literals.literal(m, x.shape)) for m in ordered(members)]
            return Py(" or ".join(t.at(OR) for t in tests), Truth(), OR, reads=x.reads)
        if isinstance(x.shape, (SetOf, MapOf)) or any(isinstance(m, frozenset) for m in members):
            name = self.fresh("other", cx)
            return Py(f"any({self.as_set(x).at(UNION)} == {name} for {name} in {listed.text})", Truth(), reads=x.reads)
        if len(members) == 1:
            return self.equal(x, self.literals.literal(next(iter(members)), x.shape))
        if isinstance(x.shape, Truth) and members == {True, False}:
            return Py("True", Truth())
        return Py(f"{self.hashable(x).at(UNION)} in {listed.text}", Truth(), COMPARE, reads=x.reads)

    def _every(self, tests: list[Py]) -> Py:
        kept = [t for t in tests if t.text != "True"]
        if not kept:
            return Py("True", Truth())
        if len(kept) == 1:
            return kept[0]
        return Py(" and ".join(t.at(AND) for t in kept), Truth(), AND, reads=merged_reads(*kept))

    def _each(self, x: Py, of: Any, node: Node, cx: Context) -> Py:
        name = self.fresh("item", cx)
        test = self.member_of(Py(name, _element(x.shape), frozen=True), of, node, cx.inside(name))
        if test.text == "True":
            return test
        return Py(f"all({test.text} for {name} in {x.at(OR)})", Truth(), reads=x.reads)

    def equal(self, a: Py, b: Py) -> Py:
        """Whether two values are equal."""
        reads = merged_reads(a, b)
        for one, other in ((a, b), (b, a)):
            if one.text == "None":
                return Py(f"{other.at(UNION)} is None", Truth(), COMPARE, reads=reads)
            if one.known and one.value in (frozenset(), ()) and isinstance(other.shape, (SetOf, SeqOf, BagOf)):
                return Py(f"not {other.at(UNARY)}", Truth(), NOT, reads=reads)
            if one.known and one.value == () and isinstance(other.shape, TupleOf) and other.shape.parts:
                return Py("False", Truth(), ATOM, reads=reads)
            if one.text in ("set()", "[]") and isinstance(other.shape, (SetOf, SeqOf)):
                return Py(f"not {other.at(UNARY)}", Truth(), NOT, reads=reads)
            if one.text in ("True", "False") and isinstance(other.shape, Truth):
                return other if one.text == "True" else self.negated(other)
        if isinstance(a.shape, SetOf) or isinstance(b.shape, SetOf):
            a, b = self.as_set(a), self.as_set(b)
        a, b = self.alike(a, b)
        return Py(f"{a.at(UNION)} == {b.at(UNION)}", Truth(), COMPARE, reads=reads)


@dataclass(frozen=True)
class FunctionOf(Shape):
    """A recursive function, which is a method of Python: `extra` come before its arguments."""

    of: Shape
    extra: tuple[str, ...] = ()
    packed: bool = False
    """Whether it takes a tuple, by its parts."""


class Line(str):
    """A line of Python that knows which place of the module it comes from."""

    place: Any = None


class Lines:
    """The statements of one method; `place` is that of the formula that is being translated."""

    def __init__(self, owner: Expressions, active: frozenset[str], indent: int = 0) -> None:
        self.owner, self.active, self.indent = owner, active, indent
        self.lines: list[str] = []
        self.reads: frozenset[str] = frozenset()
        self.shapes: list[Shape] = []
        self.place: Any = None

    def add(self, text: str) -> None:
        """One line."""
        line = Line("    " * self.indent + text)
        line.place = self.place
        self.lines.append(line)

    def local(self, name: str, value: Py, place: Any) -> Py:
        """A local name for a value."""
        found = self.owner.fresh(name, Context(self.active))
        self.active |= {found}
        self.add(f"{found} = {value.text}")
        reads = frozenset() if _is_scalar(value.shape) else value.reads
        self.reads |= value.reads
        return Py(found, value.shape, lazy=value.lazy, frozen=value.frozen, reads=reads)

    def returned(self, node: Node, env: Env, cx: Context, want: Shape | None = None) -> Py:
        """The statements that return a value, of a shape where one is wanted."""
        owner, self.place = self.owner, node.place
        if node.kind == "let":
            return self.returned(node.args[0], owner.let(node.value, env), cx, want)
        if node.kind == "if" and not owner.known(node, env)[0]:
            condition = owner.condition(node.args[0], env, replace(cx, lines=self, active=self.active))
            self.add(f"if {condition.text}:")
            self.indent += 1
            then = self.returned(node.args[1], env, cx, want)
            self.indent -= 1
            otherwise = self.returned(node.args[2], env, cx, want)
            shape = owner.common([then.shape, otherwise.shape], node)
            self.reads |= condition.reads
            return replace(then, shape=shape)
        value = owner.expression(node, env, replace(cx, lines=self, active=self.active), want)
        value = owner.formed(value, want or value.shape)
        self.shapes.append(value.shape)
        value = owner.as_set(value) if value.lazy and not value.known else value
        self.add(f"return {value.text}")
        self.reads |= value.reads
        return value


def _lazy_locals(env: Env) -> list[Local]:
    found, current = [], env
    while current is not None:
        found += [e for e in current.names.values() if isinstance(e, Local) and isinstance(e.value, Lazy)]
        current = current.outer  # type: ignore[assignment]
    return found


def _plain(shape: Shape | None) -> Shape | None:
    return shape.of if isinstance(shape, Maybe) else shape


def _element(shape: Shape) -> Shape:
    if isinstance(shape, (SetOf, SeqOf, MapOf)):
        return shape.of
    return joined(shape.parts) if isinstance(shape, TupleOf) else Unknown()


def _is_scalar(shape: Shape) -> bool:
    if isinstance(shape, (TupleOf, Maybe)):
        return all(map(_is_scalar, shape.parts if isinstance(shape, TupleOf) else (shape.of,)))
    return isinstance(shape, (Num, Truth, Names, Mixed))


def _has_lists(shape: Shape) -> bool:
    """Whether a value has a part that is a list in the state, and a tuple among the members of a set."""
    return isinstance(shape, (SeqOf, BagOf)) or any(map(_has_lists, parts_of_shape(shape)))


def _only_members(shape: Shape) -> bool:
    """Whether all records of a place are members of sets and bags, which never change."""
    if isinstance(shape, (SetOf, BagOf)):
        return True
    return not isinstance(shape, RecordOf) and all(map(_only_members, parts_of_shape(shape)))


def _is_sortable(py: Py) -> bool:
    element = py.shape.of if isinstance(py.shape, SetOf) else Unknown()
    return isinstance(element, (Num, Names)) and not py.text.startswith("range(")


def _shape_of(value: Any) -> Shape:
    try:
        return of_value(value)
    except Conflict:
        return SetOf(Unknown()) if isinstance(value, frozenset) else Unknown()


def _common_shape(value: Any) -> Shape:
    try:
        return of_set(value)
    except Conflict:
        return Unknown()


def _fits(value: Any, shape: Shape) -> bool:
    try:
        join(_shape_of(value), shape)
    except Conflict:
        return False
    return True


def _widened(shape: Shape) -> Shape:
    """A number that is known to be at least 0, or 1, or neither."""
    return Num(None if shape.lo is None or shape.lo < 0 else min(shape.lo, 1)) if isinstance(shape, Num) else shape


def _kind(shape: Shape) -> Any:
    """What of a shape the translation of a method depends on."""
    if isinstance(shape, Num):
        return _widened(shape)
    if isinstance(shape, (Truth, Names, Mixed)):
        return type(shape).__name__
    if isinstance(shape, RecordOf):
        return tuple(tuple((n, _kind(s)) for n, s in variant) for variant in shape.variants)
    if isinstance(shape, MapOf):
        return ("MapOf", shape.keys, _kind(shape.of), shape.partial)
    if isinstance(shape, TupleOf):
        return ("TupleOf", *map(_kind, shape.parts))
    if isinstance(shape, (SetOf, SeqOf, BagOf, Maybe, FunctionOf)):
        return (type(shape).__name__, _kind(shape.of))
    return type(shape).__name__


def same_text(a: Node, b: Node | None) -> bool:
    """Whether two expressions are written alike."""
    if b is None or a.kind != b.kind or len(a.args) != len(b.args):
        return False
    if isinstance(a.value, (str, int, bool)) or a.value is None:
        if a.value != b.value:
            return False
    else:
        first, second = parts(a), parts(b)
        return (
            len(first) == len(second)
            and all(map(same_text, first, second))
            and str(a.value)[:0] == str(b.value)[:0]
            and _names(a) == _names(b)
        )
    return all(map(same_text, a.args, b.args))


def _names(node: Node) -> list[Any]:
    value = node.value
    return (
        [b.names for b in value]
        if isinstance(value, tuple) and value and isinstance(value[0], Bound)
        else [repr(value)]
    )


__all__ = ["ATOM", "CUT", "MULTIPLY", "Context", "Expressions", "Lines", "field", "module_name", "order"]
