"""Actions and initial predicates as methods: conditions, choices, and assignments at the end."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .expressions import NO_ARM, Context, Expressions, Lazy, Lines, _element, _is_scalar, _plain
from .nodes import Bound, Node, Place, or_unchanged, parts
from .parts import resolved
from .python import ATOM, UNION, Py, attribute, identifier, merged_reads, unwrapped
from .scopes import Env, Local, Operator, Substitution, Variable, assigned_variable, variable_of
from .shapes import BagOf, MapOf, RecordOf, SeqOf, SetOf, Shape, TupleOf, Unknown
from .syntax import refused
from .values import Filtered, Functions, LazySet, Records, Sequences, Subsets, Tuples, is_finite, ordered

LISTED = 100
"""A known set of more members is not listed in Init where it is {x \\in S : P}."""


BAG_METHODS = {
    "BagAdd": "add", "(+)": "update", "\\oplus": "update",
    "BagRemove": "discard", "(-)": "discard", "\\ominus": "discard",
}  # fmt: skip


@dataclass
class Pending:
    """An assignment that is not written yet: of an expression, of a member of a set, or of a value."""

    node: Node
    env: Env
    member: bool = False
    value: Py | None = None


class ActionWriter:
    """Writes the body of one action. `done` are the variables that have their new value already."""

    def __init__(self, ex: Expressions, lines: Lines, init: bool = False, outer: ActionWriter | None = None) -> None:
        self.ex, self.lines, self.init = ex, lines, init
        self.pending: dict[str, Pending] = {}
        self.unchanged: set[str] = set()
        self.done: set[str] = set(outer.done) if outer else set()
        self.outer = outer

    # -- names

    @property
    def context(self) -> Context:
        """The context of an expression in the next statement."""
        return Context(self.lines.active, primes=None if self.init else self.prime, lines=self.lines)

    def prime(self, name: str, node: Node) -> Py:
        """The value of x'."""
        ex = self.ex
        if name in self.done or name in self.unchanged:
            return ex.variable(name, Context())
        writer: ActionWriter | None = self
        while writer is not None:
            if name in writer.unchanged:
                return ex.variable(name, Context())
            if name in writer.pending:
                return writer.settled(name, self.lines) if writer is self else writer.seen_inside(name, self.lines)
            writer = writer.outer
        raise refused(node.place, f"{name}' before {name}' = ...", f"write {name}' = ... first")

    def settled(self, name: str, lines: Lines) -> Py:
        """The value of a pending assignment, in a local name."""
        pending = self.pending[name]
        if pending.value is None:
            shape = self.ex.variables[name]
            if pending.member:
                value = Py(self.chosen(pending.node, pending.env, shape), shape)
            else:
                value = self.ex.expression(pending.node, pending.env, self.context, shape)
                value = self.ex.as_set(value) if value.lazy else value
            if not value.known and not value.text.isidentifier():
                made = not re.fullmatch(
                    r"[\w.\[\]\"', ]+", value.text
                )  # a new object, and no reference to one of the state
                value = lines.local(f"new_{identifier(name)}", value, pending.node.place)
                value = replace(value, reads=frozenset() if made else value.reads)
            pending.value = replace(value, shape=shape)
        return pending.value

    def seen_inside(self, name: str, lines: Lines) -> Py:
        """The same inside of a branch, where a local name that is new is not known after it."""
        pending, known = self.pending[name], self.pending[name].value
        if known is None and pending.member:
            raise refused(pending.node.place, f"{name}' in a branch after a choice of it", f"write {name}' = ...")
        value = self.settled(name, lines)
        pending.value = known
        return value

    # -- conjuncts

    def conjunct(self, node: Node, env: Env) -> None:
        """One conjunct."""
        kind, self.lines.place = node.kind, node.place
        if kind == "and":
            self.conjuncts(self.flattened(node, env))
        elif kind == "let":
            self.conjunct(node.args[0], self.ex.let(node.value, env))
        elif kind == "exists" and (self.acts(node, env) or self.splits(node, env)):
            self.choose(node, env)
        elif kind == "or" and (self.acts(node, env) or self.splits(node, env)):
            self.alternatives(node, env)
        elif kind in ("if", "case") and (self.acts(node, env) or self.splits(node, env)):
            self.conditional(node, env)
        elif kind == "op" and node.value == "\\cdot":
            self.one_after_the_other(node, env)
        elif kind == "op" and node.value == "=>" and self.splits(node.args[1], env):
            self.conditional(Node("if", node.place, (*node.args, Node("bool", node.place, (), True))), env)
        elif kind == "forall" and not self.acts(node, env) and self.splits(node, env):
            self.each(node, env)
        elif kind == "unchanged":
            self.keep(node.args[0], env)
        elif kind in ("id", "op", "path"):
            self.applied(node, env)
        elif kind == "box":
            self.conjunct(or_unchanged(node), env)
        else:
            self.require(node, env)

    def one_after_the_other(self, node: Node, env: Env) -> None:
        """A \\cdot B: a step of A and then one of B, as one step."""
        if self.pending or self.done or self.unchanged or self.outer is not None:
            raise refused(node.place, "\\cdot beside other conditions", "make it an action of its own")
        for part in node.args:
            writer = ActionWriter(self.ex, self.lines)
            writer.conjunct(part, env)
            writer.finish()
            missing = self.ex.variables.keys() - writer.done - writer.unchanged
            if missing:
                raise refused(
                    part.place,
                    f"a part of \\cdot that does not say what {', '.join(sorted(missing))} becomes",
                    "write UNCHANGED",
                )
            self.done |= writer.done
        self.unchanged = set(self.ex.variables) - self.done

    def flattened(self, node: Node, env: Env) -> list[tuple[Node, Env]]:
        """The conjuncts of a formula, also those of definitions and LETs in it that act."""
        if node.kind == "and":
            return [part for item in node.args for part in self.flattened(item, env)]
        if node.kind == "box":
            return [(or_unchanged(node), env)]
        if node.kind == "let" and self.acts(node, env):
            return self.flattened(node.args[0], self.ex.let(node.value, env))
        if node.kind in ("id", "op") and self.acts(node, env):
            found = env.find(node.value)
            if isinstance(found, Operator) and not found.definition.bounds and found.definition.body is not None:
                return self.flattened(found.definition.body, found.scope(node.args, env))
        return [(node, env)]

    def conjuncts(self, items: list[tuple[Node, Env]]) -> None:
        """Several conjuncts. Those that read an old or new value that a branch assigns are written inside of it."""
        for i, (node, env) in enumerate(items):
            rest = items[i + 1 :]
            if not self.init and rest and node.kind in ("or", "if", "case", "exists") and self.acts(node, env):
                assigned = self.primes_of(node, env)
                reading = [self.primes_of(*r, equations=False) & assigned or self.reads_old(*r, assigned) for r in rest]
                inside = rest[: 1 + max((k for k, reads in enumerate(reading) if reads), default=-1)]
                if inside and node.kind == "exists" and self._branches(node.args[0], env):
                    scope = self.choices(node, env)
                    self.conjuncts([*self.flattened(node.args[0], scope), *rest])
                    return
                if inside and node.kind != "exists":
                    write = self.alternatives if node.kind == "or" else self.conditional
                    write(node, env, inside)
                    self.conjuncts(rest[len(inside) :])
                    return
            before = set(self.done)
            self.conjunct(node, env)
            overwritten = self.done - before
            if not self.init and overwritten and any(self.reads_old(*r, overwritten) for r in rest):
                names = ", ".join(sorted(overwritten))
                raise refused(node.place, f"{names} behind what assigns it in a branch", "write the branch last")

    def _branches(self, node: Node, env: Env) -> bool:
        return self._search(node, env, lambda inner, _: inner.kind in ("or", "if", "case", "forall"), set())

    def reads_old(self, node: Node, env: Env, names: set[str]) -> bool:
        """Whether a formula reads the old value of a variable."""

        def reads(inner: Node, scope: Env) -> bool | None:
            if inner.kind == "prime":
                return None
            found = scope.find(inner.value) if inner.kind == "id" else None
            if isinstance(found, Local) and isinstance(found.value, Py):
                return bool(found.value.reads & names)
            return isinstance(found, Variable) and found.name in names

        return self._search(node, env, reads, set())

    def primes_of(self, node: Node, env: Env, equations: bool = True) -> set[str]:
        """The variables whose primes occur in a formula; with `equations` false, not where they are assigned."""
        found: set[str] = set()

        def primed(inner: Node, scope: Env) -> bool:
            if inner.kind == "prime":
                name = self.assigned(inner, scope)
                if name is not None:
                    found.add(name)
            return False

        if not equations and node.kind == "op" and node.value == "=" and node.args[0].kind == "prime":
            self._search(node.args[1], env, primed, set())
        else:
            self._search(node, env, primed, set())
        return found

    def require(self, node: Node, env: Env) -> None:
        """A condition."""
        found = self.ex.condition(node, env, self.context)
        if found.text != "True":
            self.lines.add(f"require({found.text})")
            self.lines.reads |= found.reads

    def applied(self, node: Node, env: Env) -> None:
        """An assignment, or an operator that is defined."""
        if node.kind == "op" and node.value in ("=", "\\in") and env.find(node.value) is None:
            name = self.assigned(node.args[0], env)
            if name is not None:
                self.assign(name, node, env)
                return
        target, found, args = node, env.find(node.value) if node.kind != "path" else None, node.args
        if node.kind == "path":
            scope, target = self.ex.evaluator.followed(node, env)
            found, args = scope.find(target.value), target.args
        while isinstance(found, Substitution):
            if found.node.kind != "id":
                if args and found.node.kind == "lambda":
                    given = {n: Substitution(a, env) for n, a in zip(found.node.value, args, strict=True)}
                    self.conjunct(found.node.args[0], Env(found.env, dict(given)))
                else:
                    self.conjunct(found.node, found.env)
                return
            found = found.env.find(found.node.value)
        if isinstance(found, Local) and isinstance(found.value, Lazy):
            made = found.value.operator.definition
            assert made.body is not None
            if self.acts(made.body, found.value.env) or self.splits(made.body, found.value.env):
                self.conjunct(made.body, found.value.env)
                return
        if isinstance(found, Operator) and not found.definition.bounds and found.definition.body is not None:
            inner = found.scope(args, env)
            if self.acts(found.definition.body, inner) or self.splits(found.definition.body, inner):
                self.conjunct(found.definition.body, inner)
                return
        self.require(node, env)

    def assigned(self, node: Node, env: Env) -> str | None:
        """The variable that an expression on the left of = is, where that assigns it."""
        return assigned_variable(node, env, self.init)

    def assign(self, name: str, node: Node, env: Env) -> None:
        """x' = e, or x' \\in S."""
        if self._has(name):
            value = self.ex.variable(name, Context()) if self.init else self.prime(name, node)
            if node.value == "=":
                other = self.ex.expression(node.args[1], env, self.context, value.shape)
                test = self.ex.equal(value, other)
            else:
                test = self.ex.member(value, node.args[1], env, self.context.inside())
            if test.text != "True":
                self.lines.add(f"require({test.text})")
            return
        self.pending[name] = Pending(node.args[1], env, node.value == "\\in")
        if self.init:
            self.write(name, self.pending.pop(name))
            self.done.add(name)

    def _has(self, name: str) -> bool:
        writer: ActionWriter | None = self
        while writer is not None:
            if name in writer.done or name in writer.pending or name in writer.unchanged:
                return True
            writer = writer.outer
        return False

    def keep(self, node: Node, env: Env) -> None:
        """UNCHANGED."""
        if node.kind == "tuple":
            for item in node.args:
                self.keep(item, env)
            return
        if node.kind == "id":
            found = env.find(node.value)
            if isinstance(found, Variable):
                if self._has(found.name):
                    old, new = self.ex.variable(found.name, Context()), self.prime(found.name, node)
                    if old.text != new.text:
                        self.lines.add(f"require({new.text} == {old.text})")
                else:
                    self.unchanged.add(found.name)
                return
            if isinstance(found, Operator) and found.definition.body is not None:
                self.keep(found.definition.body, found.env)
                return
            if isinstance(found, Substitution):
                self.keep(found.node, found.env)
                return
        if node.kind == "apply" or node.kind == "field" or node.kind in ("op", "record", "function"):
            self.require(Node("op", node.place, (Node("prime", node.place, (node,)), node), "="), env)
            return
        raise refused(node.place, "UNCHANGED of this expression", "write UNCHANGED <<x, y>> with variables")

    # -- what a formula does

    def acts(self, node: Node, env: Env) -> bool:
        """Whether a formula assigns a variable."""
        return self._search(node, env, self._is_assignment, set())

    def _is_assignment(self, node: Node, env: Env) -> bool:
        if node.kind == "unchanged" or (node.kind == "prime" and not self.init):
            return True
        if self.init and node.kind == "op" and node.value in ("=", "\\in") and env.find(node.value) is None:
            name = self.assigned(node.args[0], env)
            return name is not None and not self._has(name)
        return False

    def splits(self, node: Node, env: Env) -> bool:
        """Whether TLC makes several successors of a formula: a disjunction or \\E that can hold in several ways."""
        if self.init and all(map(self._has, self.ex.variables)):  # then TLC asks whether it is true
            return False
        if node.kind == "or":
            return not self.exclusive(node.args, env) or any(self.splits(a, env) for a in node.args)
        if node.kind == "exists":
            return True
        if node.kind == "forall":
            return self.splits(node.args[0], env)
        if node.kind == "and":
            return any(self.splits(a, env) for a in node.args)
        if node.kind in ("if", "case"):
            items = node.args[1:] if node.kind == "if" else [v for _, v in node.args]
            return any(self.splits(a, env) for a in items)
        if node.kind == "let":
            return self.splits(node.args[0], env.let(node.value))
        if node.kind == "op" and node.value == "=>":
            return self.splits(node.args[1], env)
        if node.kind in ("id", "op"):
            found = env.find(node.value)
            if isinstance(found, Substitution) and found.node.kind != "lambda":
                return self.splits(found.node, found.env)
            if isinstance(found, Operator) and found.definition.body is not None and not found.definition.bounds:
                key = ("splits", id(found))
                known: dict[Any, bool] = self.ex.__dict__.setdefault("_splits", {})
                if key not in known:
                    known[key] = False
                    known[key] = self.splits(found.definition.body, found.env)
                return known[key]
        return False

    def exclusive(self, items: tuple[Node, ...], env: Env) -> bool:
        """Whether at most one of some conditions can hold."""
        atoms = [self._atoms(item, env) for item in items]
        return all(_contradict(a, b) for i, a in enumerate(atoms) for b in atoms[:i])

    def _atoms(self, node: Node, env: Env) -> list[tuple[str, Any]]:
        """The conjuncts of a condition: an equation with a known value, or a condition that holds or does not."""
        if node.kind == "and":
            return [atom for item in node.args for atom in self._atoms(item, env)]
        if node.kind == "op" and node.value == "=" and len(node.args) == 2:
            for left, right in (node.args, node.args[::-1]):
                is_known, value = self.ex.known(right, env)
                if is_known and not callable(value) and not self.ex.known(left, env)[0]:
                    return [(_written(left), ("=", value))]
        if node.kind == "op" and node.value == "/=" and len(node.args) == 2:
            is_known, value = self.ex.known(node.args[1], env)
            return [(_written(node.args[0]), ("/=", value))] if is_known else []
        if node.kind == "op" and node.value == "~":
            return [(_written(node.args[0]), False)]
        return [(_written(node), True)]

    def _search(self, node: Node, env: Env, test: Callable[[Node, Env], bool | None], seen: set[int]) -> bool:
        """Whether a node, or one below it, passes a test; None says that nothing below it does."""
        found_here = test(node, env)
        if found_here is not False:
            return bool(found_here)
        if node.kind == "let":
            return self._search(node.args[0], env.let(node.value), test, seen)
        if node.kind in ("id", "op", "path"):
            found, args = env.find(node.value) if node.kind != "path" else None, node.args
            if node.kind == "path":
                scope, target = self.ex.evaluator.followed(node, env)
                found, args = scope.find(target.value), target.args
            if isinstance(found, Local) and isinstance(found.value, Lazy):
                found = found.value.operator
            if isinstance(found, Substitution):
                return self._search(found.node, found.env, test, seen)
            if isinstance(found, Operator) and found.definition.body is not None and id(found) not in seen:
                seen.add(id(found))
                inner = found.scope(args, env)
                if self._search(found.definition.body, inner, test, seen):
                    return True
            return any(self._search(a, env, test, seen) for a in args)
        return any(self._search(part, env, test, seen) for part in parts(node))

    # -- choices and branches

    def choose(self, node: Node, env: Env) -> None:
        """\\E x \\in S : A makes a choice."""
        self.conjunct(node.args[0], self.choices(node, env))

    def choices(self, node: Node, env: Env) -> Env:
        """The choices of \\E x \\in S : A, and the scope of A."""
        names: dict[str, Any] = {}
        for bound in node.value:
            value, target, found = self.choice(bound, env)
            if value is None:
                names.update(found)
                continue
            self.lines.add(f"{target} = {value}")
            names.update(found)
        return Env(env, names)

    def each(self, node: Node, env: Env) -> None:
        """\\A x \\in S : A, where TLC takes A for each member and may find several ways for each.

        A filtered set of a LET around it gets its name before the loop.
        """
        names: dict[str, Any] = {}

        self._filtered_sets(node, env)
        inside, indent = replace(self.context, lines=None), self.lines.indent
        for bound in node.value:
            over = self.ex.iterable(bound.within, env, inside)
            target, found, inside = self.ex.bind(bound, over, inside, node)
            names.update(found)
            items = over.at(1) if over.lazy or not over.frozen else f"sorted({over.text})"
            self.lines.lines.append("    " * indent + f"for {target} in {items}:")
            self.lines.reads |= over.reads
            indent += 1
        lines = Lines(self.ex, inside.active, indent)
        writer = ActionWriter(self.ex, lines, self.init, self)
        writer.conjunct(node.args[0], Env(env, names))
        self.lines.lines += lines.lines or ["    " * indent + "pass"]
        self.lines.reads |= lines.reads

    def _filtered_sets(self, node: Node, env: Env) -> None:
        """Give names to the sets of a LET that are filtered and that a node mentions."""
        found = env.find(node.value) if node.kind == "id" else None
        made = (
            found.value.operator.definition.body if isinstance(found, Local) and isinstance(found.value, Lazy) else None
        )
        if made is not None and made.kind == "filter":
            self.ex.expression(node, env, self.context)
        for part in parts(node):
            self._filtered_sets(part, env)

    def choice(self, bound: Bound, env: Env) -> tuple[str | None, str, dict[str, Any]]:
        """The choice of a bound name: the text, the target, and what the names mean."""
        assert bound.within is not None
        ex = self.ex
        text = self.structured(bound.within, env, None) if isinstance(bound.pattern, str) else None
        if text is not None:
            name = ex.fresh(bound.names[0], self.context)
            self.lines.active |= {name}
            return text.text, name, {bound.names[0]: Local(replace(text, text=name, strength=ATOM))}
        over = ex.iterable(bound.within, env, self.context)
        target, names, inside = ex.bind(bound, over, replace(self.context), bound.within)
        self.lines.active |= inside.active
        if over.known and len(over.value) == 1 and isinstance(bound.pattern, str):
            [only] = over.value
            return None, target, {bound.names[0]: Local(ex.literals.literal(only))}
        self.lines.reads |= over.reads
        generated = unwrapped(over.text, "(") if over.lazy and " for " in over.text and not over.known else None
        return f"choose({generated or over.text})", target.strip("()"), names

    def structured(self, node: Node, env: Env, want: Shape | None) -> Py | None:
        """The choice of a function, record or tuple, as choices of its parts; None for another set."""
        ex = self.ex
        is_known, value = ex.known(node, env)
        if is_known and isinstance(value, Filtered):
            return self.filtered(*value.source)
        if is_known and self.init and isinstance(value, frozenset) and len(value) > LISTED:
            found = self.filtered(*resolved(node, env))
            if found is not None:
                return found
        if is_known:
            return self.of_value(value, want) if isinstance(value, LazySet) else None
        if node.kind == "functions":
            keys_known, keys = ex.known(node.args[0], env)
            if not keys_known:
                return None
            name = ex.fresh("key", self.context)
            part = self.structured(node.args[1], env, None) or self.plain(node.args[1], env)
            text = f"{{{name}: {part.text} for {name} in {ex.literals.keys(tuple(ordered(keys)))}}}"
            return Py(text, MapOf(tuple(ordered(keys)), part.shape), reads=part.reads)
        if node.kind == "product":
            items = [self.structured(item, env, None) or self.plain(item, env) for item in node.args]
            text = f"({', '.join(item.text for item in items)})"
            return Py(text, TupleOf(tuple(item.shape for item in items)), reads=merged_reads(*items))
        if node.kind == "op" and node.value == "SUBSET":
            of = ex.iterable(node.args[0], env, self.context)
            ex.uses.add("subsets")
            return Py(f"choose(subsets({of.text}))", of.shape, reads=of.reads)
        return None

    def filtered(self, node: Node, env: Env) -> Py | None:
        """The choice of a member of {x \\in S : P}, as a choice of S and a condition; None for another set."""
        if node.kind != "filter" or not isinstance(node.value[0].pattern, str):
            return None
        [bound] = node.value
        of = self.structured(bound.within, env, None)
        if of is None:
            return None
        name = self.lines.local(bound.pattern, of, node.place)
        self.require(node.args[0], env.bound({bound.pattern: name}))
        return name

    def plain(self, node: Node, env: Env) -> Py:
        """The choice of a member of a set."""
        over = self.ex.iterable(node, env, self.context)
        shape = over.shape.of if isinstance(over.shape, SetOf) else Unknown()
        return Py(f"choose({over.text})", shape, reads=over.reads)

    def of_value(self, value: Any, want: Shape | None) -> Py | None:
        """The same for a known set."""
        ex = self.ex
        if isinstance(value, Functions):
            keys = tuple(ordered(value.domain))
            part = self.part(value.values)
            name = ex.fresh("key", self.context)
            name = name if f" {name} in " not in part.text else f"outer_{name}"
            if isinstance(_plain(want), SeqOf):
                return Py(f"[{part.text} for {name} in {ex.literals.keys(keys)}]", SeqOf(part.shape, len(keys)))
            return Py(f"{{{name}: {part.text} for {name} in {ex.literals.keys(keys)}}}", MapOf(keys, part.shape))
        if isinstance(value, Sequences) and value.most is not None:
            part, name = self.part(value.of), ex.fresh("key", self.context)
            length = f"choose(range({value.least}, {value.most + 1}))"
            return Py(f"[{part.text} for {name} in range({length})]", SeqOf(part.shape, value.most))
        if isinstance(value, Records):
            made = ex.record_class(frozenset(value.fields), tuple(value.fields), Node("id", Place("", 0)))
            given = {n: self.part(v) for n, v in value.fields.items()}
            text = ex.literals.record(made, {n: p.text for n, p in given.items()})
            return Py(text, RecordOf((tuple((n, p.shape) for n, p in given.items()),)))
        if isinstance(value, Tuples):
            items = [self.part(v) for v in value.parts]
            return Py(f"({', '.join(i.text for i in items)})", TupleOf(tuple(i.shape for i in items)))
        if isinstance(value, Subsets) and is_finite(value):
            of = ex.literals.iterable(value.of)
            ex.uses.add("subsets")
            return Py(f"choose(subsets({of.text}))", of.shape)
        return None

    def part(self, value: Any) -> Py:
        """The choice of a part."""
        found = self.of_value(value, None) if isinstance(value, LazySet) else None
        if found is not None:
            return found
        over = self.ex.literals.iterable(frozenset(value))
        shape = over.shape.of if isinstance(over.shape, SetOf) else Unknown()
        if len(over.value) == 1:
            return self.ex.literals.literal(next(iter(over.value)))
        return Py(f"choose({over.text})", shape)

    def chosen(self, node: Node, env: Env, want: Shape) -> str:
        """A member of a set, chosen: the right side of x' \\in S."""
        found = self.structured(node, env, want)
        return found.text if found is not None else self.plain(node, env).text

    def alternatives(self, node: Node, env: Env, rest: Sequence[tuple[Node, Env]] = ()) -> None:
        """A disjunction that acts, or that TLC splits."""
        items = [item for item in node.args if not self.impossible(item, env)]
        if len(items) == 1:
            self.conjuncts([(items[0], env), *rest])
            return
        self.before_branches([(node, env), *rest])
        name = self.ex.fresh("way", self.context)
        self.lines.active |= {name}
        labels = [self._label(item) for item in items]
        if "" in labels or len(set(labels)) < len(labels):
            ways = [str(i) for i in range(1, len(items) + 1)]
        else:
            ways = [f'"{label}"' for label in labels]
        self.lines.add(f"{name} = choose(({', '.join(ways)}))")
        tests = [f"{name} == {way}" for way in ways]
        self.branches([(test, item) for test, item in zip([*tests[:-1], ""], items, strict=True)], env, rest)

    def impossible(self, node: Node, env: Env) -> bool:
        """Whether a formula is false with these constants."""
        if node.kind == "and":
            return any(self.impossible(item, env) for item in node.args)
        return self.ex.known(node, env) == (True, False)

    def _label(self, node: Node) -> str:
        return str(node.value) if node.kind in ("id", "op") and str(node.value).isidentifier() else ""

    def conditional(self, node: Node, env: Env, rest: Sequence[tuple[Node, Env]] = ()) -> None:
        """IF or CASE with actions."""
        self.before_branches([(node, env), *rest])
        arms = [(node.args[0], node.args[1]), (None, node.args[2])] if node.kind == "if" else list(node.args)
        tests: list[tuple[str, Node]] = []
        for condition, value in arms:
            text = (
                ""
                if condition is None
                else self.ex.condition(condition, env, self.context if not tests else self.context.inside()).text
            )
            if text == "False":
                continue
            tests.append(("" if text == "True" else text, value))
            if tests[-1][0] == "":
                break
        if tests and tests[0][0] == "":
            self.conjuncts([(tests[0][1], env), *rest])
            return
        self.branches(tests, env, rest)

    def before_branches(self, items: Sequence[tuple[Node, Env]]) -> None:
        """Gives local names to new values that the branches read."""
        read: set[str] = set()

        def primed(inner: Node, scope: Env) -> bool:
            if inner.kind == "prime":
                name = variable_of(inner.args[0], scope)
                read.update(() if name is None else (name,))
            return False

        for node, env in items:
            self._search(node, env, primed, set())
        for name in list(self.pending):
            if name in read:
                self.settled(name, self.lines)

    def branches(self, arms: list[tuple[str, Node]], env: Env, rest: Sequence[tuple[Node, Env]]) -> None:
        """if, elif, else, with one formula in each."""
        writers: list[tuple[str, ActionWriter, Lines]] = []
        for test, item in arms:
            lines = Lines(self.ex, self.lines.active, self.lines.indent + 1)
            writer = ActionWriter(self.ex, lines, self.init, self)
            lazies = [lazy for scope in (env, *(e for _, e in rest)) for lazy in _lazies(scope)]
            writer.conjuncts([*writer.flattened(item, env), *rest])
            writer.finish()
            for local, value in lazies:
                local.value = value
            writers.append((test, writer, lines))
        everything = set().union(*(w.done | w.unchanged for _, w, _ in writers)) - self.done
        changed = set().union(*(w.done for _, w, _ in writers)) - self.done
        for test, writer, _ in writers:
            missing = everything - writer.done - writer.unchanged
            if missing:
                place = arms[0][1].place
                names = ", ".join(sorted(missing))
                raise refused(
                    place, f"branches of which one does not say what {names} becomes", f"write UNCHANGED {names} there"
                )
            del test
        for name, pending in self.pending.items():
            if pending.value is None and self.reads_of(name) & changed:
                self.settled(name, self.lines)
            elif pending.value is not None and pending.value.reads & changed:
                place = pending.node.place
                raise refused(
                    place,
                    f"the new value of {name} beside a branch that changes what it reads",
                    "assign it in the branches",
                )
        for i, (test, _, lines) in enumerate(writers):
            if not test and not lines.lines:
                continue  # an else that does nothing
            head = f"if {test}:" if i == 0 else f"elif {test}:" if test else "else:"
            self.lines.add(head)
            self.lines.lines += lines.lines or ["    " * (self.lines.indent + 1) + "pass"]
            self.lines.reads |= lines.reads
            self.lines.active |= lines.active
        if writers[-1][0]:  # of a CASE
            self.lines.add("else:")
            self.lines.lines.append("    " * (self.lines.indent + 1) + f'assert False, "{NO_ARM}"')
        self.done |= changed
        self.unchanged |= everything - changed

    # -- assignments

    def reads_of(self, name: str) -> frozenset[str]:
        """The variables that a pending assignment reads."""
        pending = self.pending[name]
        if pending.value is not None:
            return pending.value.reads
        scratch = Lines(self.ex, self.lines.active)
        saved = _lazies(pending.env)
        cx = replace(self.context, lines=scratch, only_reads=True)
        if pending.member:
            found = self.structured(pending.node, pending.env, None)
            reads = found.reads if found is not None else self.ex.expression(pending.node, pending.env, cx).reads
        else:
            reads = self.ex.expression(pending.node, pending.env, cx, self.ex.variables[name]).reads
        for local, value in saved:
            local.value = value
        return reads | scratch.reads

    def finish(self) -> None:
        """Write all assignments, each after those that read the old value."""
        for name in list(self.pending):
            pending = self.pending[name]
            if pending.member and pending.value is None:
                continue
        reads = {name: self.reads_of(name) for name in self.pending}
        waiting = dict(self.pending)
        while waiting:
            free = [n for n in waiting if not any(n in reads[other] for other in waiting if other != n)]
            if not free:
                name = next(n for n in waiting if waiting[n].value is None or waiting[n].value.reads)  # type: ignore[union-attr]
                shape = self.ex.variables[name]
                self.pending = waiting
                value = self.settled(name, self.lines)
                if not _is_scalar(shape) and value.reads:
                    value = self.lines.local(f"new_{identifier(name)}", _copied(value), waiting[name].node.place)
                waiting[name].value = replace(value, reads=frozenset())
                reads[name] = frozenset()
                continue
            self.write(free[0], waiting.pop(free[0]))
            self.done.add(free[0])
        self.pending = {}

    def write(self, name: str, pending: Pending) -> None:
        """One assignment."""
        self.lines.place = pending.node.place
        location = self.ex.variable(name, Context())
        if pending.value is not None:
            self.lines.add(f"{location.text} = {pending.value.text}")
        elif pending.member:
            self.lines.add(f"{location.text} = {self.chosen(pending.node, pending.env, location.shape)}")
        else:
            self.update(location, pending.node, pending.env)

    def update(self, at: Py, node: Node, env: Env) -> None:
        """Assign a value to a place of the state, in place where it is a change of the old value."""
        ex, lines = self.ex, self.lines
        shape = _plain(at.shape)
        old = None if self.init else self._is_old(node, at, env)
        if old:
            return
        if node.kind == "let":
            self.update(at, node.args[0], ex.let(node.value, env))
            return
        if not self.init and node.kind == "op" and env.find(node.value) is None and len(node.args) == 2:
            left, right = node.args
            if self._is_old(left, at, env):
                item: Py | None = None
                if node.value == "\\cup" and isinstance(shape, SetOf) and right.kind == "set" and len(right.args) == 1:
                    item = ex.hashable(ex.expression(right.args[0], env, self.context, shape.of))
                    lines.add(f"{at.text}.add({item.text})")
                elif node.value == "\\" and isinstance(shape, SetOf) and right.kind == "set" and len(right.args) == 1:
                    item = ex.hashable(ex.expression(right.args[0], env, self.context, shape.of))
                    lines.add(f"{at.text}.discard({item.text})")
                elif node.value == "Append" and isinstance(shape, SeqOf):
                    item = ex.expression(right, env, self.context, shape.of)
                    lines.add(f"{at.text}.append({item.text})")
                elif node.value in BAG_METHODS and isinstance(shape, BagOf):
                    item = self.bag_change(node, env, shape)
                    lines.add(f"{at.text}.{BAG_METHODS[node.value]}({item.text})")
                elif node.value in ("+", "-"):
                    item = ex.expression(right, env, self.context)
                    lines.add(f"{at.text} {node.value}= {item.text}")
                if item is not None:
                    lines.reads |= item.reads
                    return
        if (
            node.kind == "op"
            and node.value == "Tail"
            and self._is_old(node.args[0], at, env)
            and isinstance(shape, SeqOf)
        ):
            lines.add(f"{at.text}.popleft()")
            return
        if not self.init and node.kind == "op" and isinstance(found := env.find(node.value), Operator):
            body, inner = found.definition.body, found.scope(node.args, env)
            if body is not None and body.kind == "except" and self._is_old(body.args[0], at, inner):
                self.update(at, body, inner)
                return
        if node.kind == "except" and self._is_old(node.args[0], at, env) and self._in_place(node, env, at):
            fixed = [(self._fixed_steps(path, env, at), new) for path, new in node.value]
            for path, new in fixed:
                self._update_part(at, path, new, env, node)
            return
        if node.kind == "if" and not self.init and self._is_update(node, at, env):
            condition = ex.condition(node.args[0], env, self.context)
            arms = [(condition.text, node.args[1]), (f"not {condition.at(ATOM)}", node.args[2])]
            if self._is_old(node.args[2], at, env):
                arms = arms[:1]
            elif self._is_old(node.args[1], at, env):
                arms = [(ex.negated(condition).text, node.args[2])]
            else:
                arms[1] = ("", node.args[2])
            for test, part in arms:
                lines.add(f"if {test}:" if test else "else:")
                lines.indent += 1
                before = len(lines.lines)
                self.update(at, part, env)
                if len(lines.lines) == before:
                    lines.add("pass")
                lines.indent -= 1
            return
        value = ex.expression(node, env, self.context, at.shape)
        value = ex.as_set(value) if value.lazy else value
        lines.reads |= value.reads
        lines.add(f"{at.text} = {value.text}")

    def bag_change(self, node: Node, env: Env, shape: BagOf) -> Py:
        """What is added to a bag or removed from it: one element, or all of a set or another bag."""
        ex, right = self.ex, node.args[1]
        if BAG_METHODS[node.value] != "update":
            if node.value in ("(-)", "\\ominus"):  # of one element only
                single = right.kind == "op" and right.value == "SetToBag" and right.args[0].kind == "set"
                if not single or len(right.args[0].args) != 1:
                    raise refused(node.place, f"{node.value} of two bags", "remove one element: SetToBag({e})")
                right = right.args[0].args[0]
            return ex.hashable(ex.expression(right, env, self.context, shape.of))
        if right.kind == "op" and right.value == "SetToBag":
            return ex.iterable(right.args[0], env, self.context)
        return ex.expression(right, env, self.context, shape)

    def _is_update(self, node: Node, at: Py, env: Env) -> bool:
        """Whether a side of an IF keeps the old value, or changes a part of it."""
        return any(
            self._is_old(a, at, env)
            or ((a.kind == "except" or a.value in BAG_METHODS) and self._is_old(a.args[0], at, env))
            for a in node.args[1:]
        )

    def _is_old(self, node: Node, at: Py, env: Env) -> bool:
        """Whether an expression is the old value of the place that is assigned."""
        if node.kind not in ("id", "at", "apply", "field"):
            return False
        cx = replace(self.context, lines=None)
        return self.ex.expression(node, env, cx).text == at.text

    def _in_place(self, node: Node, env: Env, at: Py) -> bool:
        """Whether an EXCEPT may be written part by part: no later part reads what an earlier one changed."""
        variable = next(iter(at.reads), "")
        updates = node.value
        for i, (path, new) in enumerate(updates):
            shape = at.shape
            for step in path[:-1]:
                shape = _part_shape(_plain(shape), step)
            if isinstance(_plain(shape), (TupleOf, Unknown)) or _inside_tuple(at.shape, path):
                return False
            if i and self._reads(new, env, variable):
                return False
        return True

    def _fixed_steps(self, path: tuple[Node, ...], env: Env, at: Py) -> list[Node | Py]:
        """The keys of an update; one that reads what an earlier update changes is evaluated first."""
        out: list[Node | Py] = []
        for step in path:
            if not self._reads(step, env, next(iter(at.reads), "")):
                out.append(step)
                continue
            key = self.ex.expression(step, env, self.context)
            out.append(key if key.text.isidentifier() else self.lines.local("key", key, step.place))
        return out

    def _reads(self, node: Node, env: Env, variable: str) -> bool:
        def read(inner: Node, scope: Env) -> bool:
            if inner.kind != "id":
                return False
            found = scope.find(inner.value)
            if isinstance(found, Local) and isinstance(found.value, Py):
                return variable in found.value.reads
            return isinstance(found, Variable) and found.name == variable

        return self._search(node, env, read, set())

    def _update_part(self, at: Py, path: list[Node | Py], new: Node, env: Env, node: Node) -> None:
        for part in path:
            step = part if isinstance(part, Node) else Node("id", node.place, (), "key!")
            env = env if isinstance(part, Node) else env.bound({"key!": part})
            if isinstance(_plain(at.shape), RecordOf):
                at = self.ex.field_of(at, step.value, node)
            else:
                at = self.ex.applied(at, step, env, self.context, node)
        self.update(at, new, env.bound({"@": at}))


def _copied(value: Py) -> Py:
    """A copy of a collection that a later assignment changes."""
    kind = {SetOf: "set", SeqOf: "list", MapOf: "dict"}.get(type(value.shape))
    return value if kind is None or not value.text.startswith("self.") else replace(value, text=f"{kind}({value.text})")


def _part_shape(shape: Shape | None, step: Node) -> Shape:
    if isinstance(shape, RecordOf):
        return shape.field(step.value) if isinstance(step.value, str) and step.value in shape.names else Unknown()
    return _element(shape) if shape is not None else Unknown()


def _inside_tuple(shape: Shape, path: tuple[Node, ...]) -> bool:
    current: Shape | None = _plain(shape)
    for step in path:
        if isinstance(current, TupleOf):
            return True
        current = _plain(_part_shape(current, step))
    return False


def _lazies(env: Env) -> list[tuple[Local, Any]]:
    """The definitions of LETs around, which get a local name inside of a branch only."""
    found: list[tuple[Local, Any]] = []
    seen: set[int] = set()
    waiting: list[Env | None] = [env]
    while waiting:
        current = waiting.pop()
        while current is not None and id(current) not in seen:
            seen.add(id(current))
            for entity in current.names.values():
                if isinstance(entity, Local) and isinstance(entity.value, Lazy):
                    found.append((entity, entity.value))
                elif isinstance(entity, Substitution):
                    waiting.append(entity.env)
            current = current.outer
    return found


def _contradict(a: list[tuple[str, Any]], b: list[tuple[str, Any]]) -> bool:
    for name, first in a:
        for other, second in b:
            if name != other:
                continue
            if isinstance(first, tuple) and isinstance(second, tuple):
                if first[0] == second[0] == "=" and first[1] != second[1]:
                    return True
                if first[0] != second[0] and first[1] == second[1]:
                    return True
            elif isinstance(first, bool) and isinstance(second, bool) and first != second:
                return True
    return False


def _written(node: Node) -> str:
    """An expression as text, to compare."""
    value = (
        node.value
        if isinstance(node.value, (str, int, bool)) or node.value is None
        else [_bound_text(v) for v in node.value]
        if isinstance(node.value, (tuple, list))
        else node.value
    )
    return f"{node.kind}:{value}({','.join(_written(a) if isinstance(a, Node) else str(a) for a in node.args)})"


def _bound_text(value: Any) -> Any:
    if isinstance(value, Bound):
        return (value.pattern, _written(value.within) if value.within is not None else "")
    return value if isinstance(value, str) else str(value)


@dataclass
class Action:
    """One action of the translation: what becomes a method."""

    name: str
    params: list[tuple[str, str]]
    """Each with the text of the values that it ranges over."""
    node: Node
    env: Env
    operator: Operator | None = None
    keys: tuple[tuple[Any, str], ...] = ()
    """The operators on the way from Next to here, for fairness: each with the parameters that are its arguments."""


def decomposed(ex: Expressions, node: Node, env: Env, name: str = "Next") -> Iterator[Action]:
    """Next, cut at disjunctions and at \\E over constant sets."""

    def walk(
        node: Node, env: Env, params: list[tuple[str, str]], name: str, operator: Operator | None, path: tuple[Any, ...]
    ) -> Iterator[Action]:
        if node.kind == "or" or (node.kind == "and" and len(node.args) == 1):
            for item in node.args:
                yield from walk(item, env, params, name, operator, path)
            return
        if node.kind == "exists":
            inner, added = env, list(params)
            for bound in node.value:
                is_known, values = ex.known(bound.within, env)
                if (
                    not is_known
                    or not is_finite(values)
                    or isinstance(values, (Functions, Subsets))
                    or not isinstance(bound.pattern, str)
                ):
                    break
                members = ordered(values)
                if not members:
                    return
                if len(members) > 300 or any(isinstance(m, (frozenset, LazySet)) for m in members):
                    break
                over = ex.expression(bound.within, env, Context())
                text = ex.fresh(bound.pattern, Context(frozenset(n for n, _ in added)))
                text = "this" if text == "self_" else text
                shape = over.shape.of if isinstance(over.shape, SetOf) else Unknown()
                added.append((text, over.text))
                inner = inner.bound({bound.pattern: Py(text, shape, frozen=True)})
            else:
                yield from walk(node.args[0], inner, added, name, operator, path)
                return
            rest = node.value[len(added) - len(params) :]
            body = node.args[0]
            if body.kind == "or" and not any(b.within is not None and ex.depends(b.within, inner) for b in rest):
                for item in body.args:
                    yield from walk(ex.quantified(item, rest), inner, added, name, operator, path)
                return
            called = inner.find(body.value) if body.kind in ("id", "op") else None
            if isinstance(called, Operator) and not called.definition.bounds:
                name, operator = called.name, called
            yield Action(name, added, ex.quantified(body, rest) if added != params else node, inner, operator, path)
            return
        if node.kind in ("id", "op"):
            found, args = env.find(node.value), node.args
            while isinstance(found, Substitution) and found.node.kind == "id":
                found = found.env.find(found.node.value)
            if isinstance(found, Operator) and found.definition.body is not None and not found.definition.bounds:
                made = found.definition
                given: dict[str, Any] = {}
                for p, a in zip(made.params, args, strict=True):
                    meaning = env.find(a.value) if a.kind == "id" else None
                    given[p] = (
                        meaning
                        if isinstance(meaning, Local) and isinstance(meaning.value, Py)
                        else Substitution(a, env)
                    )
                used = tuple(given[p].value.text for p in made.params if isinstance(given[p], Local))
                step = (id(made), used, len(made.params) == len(used))
                body = found.definition.body
                yield from walk(body, Env(found.env, given), params, made.name, found, (*path, step))
                return
        yield Action(name, params, node, env, operator, path)

    yield from walk(node, env, [], name, None, ())


__all__ = ["UNION", "Action", "ActionWriter", "attribute", "decomposed", "merged_reads"]
