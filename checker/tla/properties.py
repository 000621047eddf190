"""Invariants, temporal properties, fairness, constraints and views."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..errors import EverystateError
from .actions import Action, decomposed
from .enabled import enabled, joined
from .expressions import Context, Expressions, Lines, same_text
from .layout import docstring
from .nodes import Node, Place, parts
from .parts import Parts, _has_temporal, resolved
from .python import AND, ATOM, Py, attribute
from .scopes import Constant, Env, Operator, Substitution, Variable, mentions
from .shapes import SetOf, Unknown
from .states import initial_states
from .syntax import refused
from .typing import Typing
from .values import Undefined, is_finite, ordered

Section = list[tuple[str, Place | None]]
ASSUMPTION = "@temporal_assumption"
MOST_VALUES = 12
"""For how many values a quantified part of a temporal formula is written out."""
EXPORTS = {"JsonSerialize", "ndJsonSerialize", "Serialize", "IOSerialize", "CSVWrite"}
INITIAL = 20_000
"""On how many initial states a condition is decided by the translation."""


class Properties:
    """What is checked of a model, and what is assumed."""

    def __init__(
        self, ex: Expressions, spec: Parts, typing: Typing, notes: dict[str, str], actions: list[Action]
    ) -> None:
        self.ex, self.spec, self.typing, self.notes, self.actions = ex, spec, typing, notes, actions
        self.model, self.config = ex.model, ex.model.config
        self.labels: dict[str, Node] = {}
        self.guaranteed: list[str] = []
        """The invariants that the domains guarantee."""
        self.assumed: list[Section] = []
        """The methods of what is assumed of behaviours and is no fairness of actions."""
        self.unfair: EverystateError | None = None
        """Why the fairness of the specification could not be translated: then nothing is said of liveness."""

    def note(self, name: str, error: EverystateError) -> None:
        """A property that is not checked."""
        facts = error.facts if hasattr(error, "facts") else {}
        construct = facts.get("construct") or facts.get("problem") or str(error).splitlines()[0]
        where = facts.get("place", "")
        self.notes[name] = f"is not checked: {construct} ({where})"

    # -- state predicates

    def written(self) -> list[Section]:
        """All properties as methods."""
        out = list(self.assumed)
        for name in self.config.invariants:
            out += self.invariant(name)
        for name in self.config.properties:
            try:
                out += self.property(name)
            except EverystateError as error:
                if error.code != "E460":
                    raise
                self.note(name, error)
        for name in self.config.constraints:
            out.append(self.method(name, "@constraint"))
        for name in self.config.action_constraints:
            made = self.operator(name)
            assert made.definition.body is not None
            text = self.step_condition(made.definition.body, made.env).text
            place = made.definition.place
            if self.config.deadlock:
                reason = "a state may have no step that ACTION_CONSTRAINT allows; write CHECK_DEADLOCK FALSE"
                self.notes["deadlock"] = f"is not checked: {reason} ({self.config.place(name)})"
            head = self._head(name, "@action_constraint", ", before", made, place)
            out.append([*head, (f"        return {text}", place)])
        if self.config.view:
            out.append(self.method(self.config.view, "@view"))
        return [section for section in out if section]

    def operator(self, name: str) -> Operator:
        """A definition that the configuration names."""
        return self.model.operator(name)

    def method(self, name: str, mark: str) -> Section:
        """A predicate of the state as a method of the same name."""
        found = self.operator(name)
        assert found.definition.body is not None
        return self.of_node(name, mark, found.definition.body, found.env, found)

    def of_node(self, name: str, mark: str, node: Node, env: Env, found: Operator | None) -> Section:
        """The same of an expression."""
        ex = self.ex
        if found is not None and not found.definition.params:
            method = ex.method(found, [], node)
            if not method.mark:
                method.mark = mark
                return []
        place = found.definition.place if found else node.place
        lines = Lines(ex, frozenset(), 2)
        lines.returned(node, env, Context(lines=lines))
        return [(line, place) for line in [f"    {mark}", f"    def {ex.free(attribute(name))}(self):", *lines.lines]]

    def invariant(self, name: str) -> list[Section]:
        """An invariant, without what the domains say; a conjunction of named ones becomes several."""
        found = self.operator(name)
        assert found.definition.body is not None
        body = _without_exports(found.definition.body)
        rest = self._rest(body, found.env)
        if not rest:
            self.guaranteed.append(name)
            return []
        if body is not found.definition.body:
            return [self.of_node(name, "@invariant", body, found.env, None)]
        if len(rest) == 1 or body.kind != "and":
            node, env = (body, found.env) if body.kind != "and" else rest[0]
            if node is not body:
                return [self.of_node(name, "@invariant", node, env, None)]
            return [self.of_node(name, "@invariant", node, env, found)]
        node = Node("and", body.place, tuple(n for n, _ in rest))
        if len(rest) == len(body.args):
            return [self.of_node(name, "@invariant", body, found.env, found)]
        return [self.of_node(name, "@invariant", node, found.env, None)]

    def _rest(self, node: Node, env: Env) -> list[tuple[Node, Env]]:
        """The conjuncts that did not become domains."""
        typed = [n for nodes in self.typing.typed.values() for n in nodes]
        if any(node is t for t in typed):
            return []
        if node.kind == "and":
            return [(item, env) for item in node.args if self._rest(item, env)]
        if node.kind == "op" and node.value == "\\in" and node.args[0].kind == "tuple":
            return [] if all(n in self.typing.typed for n in self._names(node.args[0], env)) else [(node, env)]
        inner, scope = resolved(node, env)
        if inner is not node and inner.kind in ("and", "op") and not self._rest(inner, scope):
            return []
        return [(node, env)]

    def _names(self, node: Node, env: Env) -> list[str]:
        found = [env.find(a.value) for a in node.args if a.kind == "id"]
        return [f.name for f in found if isinstance(f, Variable)] if len(found) == len(node.args) else [""]

    # -- temporal properties

    def property(self, name: str) -> list[Section]:
        """A property: an invariant, a step property, a temporal one, or several in a conjunction."""
        found = self.operator(name)
        assert found.definition.body is not None
        return self.temporal(name, found.definition.body, found.env, found)

    def temporal(self, name: str, node: Node, env: Env, found: Operator | None) -> list[Section]:
        """The methods of one temporal formula. One part that is not translated is noted, and the others are checked."""
        node, env = self._opened(node, env)
        if node.kind == "and":
            return self._conjunction(name, self._conjuncts(node, env), found)
        if not _has_temporal(node, env):
            return self.at_the_beginning(name, [(node, env)])
        if node.kind == "forall":
            return self._for_all(name, node, env)
        if self._needs_formula(node, env):
            return [self.formula(name, node, env, found)]
        if node.kind == "op" and node.value == "[]":
            inner, scope = self._opened(node.args[0], env)
            if inner.kind == "box":
                return [self.step(name, inner, scope, found)]
            if not _has_temporal(inner, scope):
                return [self.of_node(name, "@invariant", inner, scope, None)]
            if inner.kind == "op" and inner.value == "<>":
                return [self.single(name, "@infinitely_often", inner.args[0], scope, found)]
            if inner.kind == "op" and inner.value == "=>":
                right, right_env = self._opened(inner.args[1], scope)
                waits = right.kind == "op" and right.value == "<>" and not _has_temporal(right.args[0], right_env)
                if waits and not _has_temporal(inner.args[0], scope):
                    return [self.leads(name, inner.args[0], scope, right.args[0], right_env, found)]
            if inner.kind == "and":
                parts = [(Node("op", node.place, (n,), "[]"), e) for n, e in self._conjuncts(inner, scope)]
                return self._conjunction(name, parts, found)
        if node.kind == "op" and node.value == "<>":
            inner, scope = self._opened(node.args[0], env)
            if inner.kind == "op" and inner.value == "[]" and not _has_temporal(inner.args[0], scope):
                return [self.single(name, "@eventually_always", inner.args[0], scope, found)]
            if not _has_temporal(inner, scope):
                return [self.single(name, "@eventually", inner, scope, found)]
        if node.kind == "op" and node.value == "~>":
            return [self.leads(name, node.args[0], env, node.args[1], env, found)]
        return [self.formula(name, node, env, found)]

    def _needs_formula(self, node: Node, env: Env) -> bool:
        """Whether a formula has conditions of steps elsewhere than in [][A]_v, <><<A>>_v, []<><<A>>_v or <>[][A]_v."""
        inner, scope = self._opened(node, env)
        while inner.kind == "op" and inner.value in ("[]", "<>"):
            inner, scope = self._opened(inner.args[0], scope)
        return inner.kind not in ("box", "angle") and self._has_steps(inner, scope)

    def _has_steps(self, node: Node, env: Env) -> bool:
        """Whether a temporal formula has conditions of steps."""
        node, env = self._opened(node, env)
        if node.kind in ("box", "angle", "fair"):
            return True
        if node.kind in ("forall", "exists"):
            env = Env(env, {n: Constant(n, None) for b in node.value for n in b.names})
        logic = node.kind in ("and", "or", "if", "forall", "exists") or (
            node.kind == "op" and node.value in ("[]", "<>", "~>", "=>", "<=>", "~")
        )
        return logic and any(self._has_steps(a, env) for a in node.args)

    def _conjuncts(self, node: Node, env: Env) -> list[tuple[Node, Env]]:
        """The conjuncts of a temporal formula, also those of definitions in it."""
        opened, scope = self._opened(node, env)
        if opened.kind == "and" and (opened is node or _has_temporal(opened, scope)):
            return [part for item in opened.args for part in self._conjuncts(item, scope)]
        return [(node, env)]

    def _conjunction(self, name: str, items: list[tuple[Node, Env]], found: Operator | None) -> list[Section]:
        """Each part as a property of its own; those without temporal operators are about the initial states."""
        initial = [(n, e) for n, e in items if not _has_temporal(*self._opened(n, e))]
        others = [(n, e) for n, e in items if _has_temporal(*self._opened(n, e))]
        out = self.at_the_beginning(name if not others else f"{name}_Init", initial) if initial else []
        for i, (node, env) in enumerate(others, 1):
            part = name if len(others) == 1 else f"{name}_{i}"
            try:
                out += self.temporal(part, node, env, found if len(others) == 1 else None)
            except EverystateError as error:
                if error.code != "E460":
                    raise
                self.note(part, error)
        return out

    def at_the_beginning(self, name: str, items: list[tuple[Node, Env]]) -> list[Section]:
        """A condition on the initial states: decided here, like ASSUME; a method only where it is false."""
        ev = self.ex.evaluator
        init = Node("and", items[0][0].place, tuple(n for n, _ in self.spec.init))
        try:
            states = itertools.islice(initial_states(ev, init, self.model.root), INITIAL + 1)
            for number, state in enumerate(states):
                if number == INITIAL:
                    raise refused(items[0][0].place, "a property of very many initial states", "write an invariant")
                if not all(ev.truth(node, env, state) for node, env in items):
                    break
            else:
                return []
        except (Undefined, KeyError, TypeError, RecursionError) as error:
            raise refused(
                items[0][0].place, f"a property of the initial states ({error})", "write an invariant"
            ) from None
        condition = " and ".join(self.ex.condition(n, e, Context()).at(AND) for n, e in items)
        place = items[0][0].place
        return [
            [
                *self._head(name, "@temporal", "", None, place),
                (f"        return until({condition}, {condition})", place),
            ]
        ]

    def _opened(self, node: Node, env: Env) -> tuple[Node, Env]:
        """A definition that is temporal, as what it is defined as; state predicates keep their names."""
        while True:
            if node.kind == "and" and len(node.args) == 1:
                node = node.args[0]
                continue
            if node.kind == "let" and _has_temporal(node, env):
                node, env = node.args[0], env.let(node.value)
                continue
            if node.kind == "id" and (_has_temporal(node, env) or resolved(node, env)[0].kind in ("box", "angle")):
                inner, scope = resolved(node, env)
                if inner is node:
                    return node, env
                node, env = inner, scope
                continue
            target, scope, args = node, env, node.args
            if node.kind == "path":
                scope, target = self.ex.evaluator.followed(node, env)
                args = target.args
            if target.kind in ("op", "id"):
                found = scope.find(target.value)
                if isinstance(found, Operator) and found.definition.body is not None:
                    inner_env = found.scope(args, env)
                    if node.kind == "path" or _has_temporal(found.definition.body, inner_env):
                        node, env = found.definition.body, inner_env
                        continue
            return node, env

    def _needs_fairness(self) -> None:
        for name, given in (("SYMMETRY", self.config.symmetry), ("VIEW", self.config.view)):
            if given:
                raise refused(self.config.place(name), f"a temporal property with {name}", f"remove {name}")
        if self.unfair is not None:
            raise self.unfair

    def _head(self, name: str, mark: str, params: str, found: Operator | None, place: Place) -> Section:

        title = self.ex.free(attribute(name))
        comment = found.definition.comment if found else ""
        lines = [f"    {mark}", f"    def {title}(self{params}):", *docstring(comment, 2)]
        return [(line, place) for line in lines]

    def single(self, name: str, mark: str, node: Node, env: Env, found: Operator | None, before: str = "") -> Section:
        """<>P, []<>P and <>[]P."""
        self._needs_fairness()
        place = found.definition.place if found else node.place
        if node.kind in ("box", "angle"):
            return self._about_steps(name, mark, node, env, found, place)
        head = self._head(name, mark, "", found, place)
        lines = Lines(self.ex, frozenset(), 2)
        lines.returned(node, env, Context(lines=lines))
        return [*head, *((line, place) for line in lines.lines)]

    def _about_steps(self, name: str, mark: str, node: Node, env: Env, found: Operator | None, place: Place) -> Section:
        head = self._head(name, mark, ", before", found, place)
        return [*head, (f"        return {self.of_step(node, env).text}", place)]

    def of_step(self, node: Node, env: Env) -> Py:
        """[A]_v or <<A>>_v, as a condition on a step that changes something."""
        action, subscript = node.args
        condition = self.step_condition(action, env)
        if self._are_all_variables(subscript, env):
            return condition
        same = self.step_condition(Node("unchanged", node.place, (subscript,)), env)
        return (
            joined([same, condition], "or") if node.kind == "box" else joined([self.ex.negated(same), condition], "and")
        )

    def _are_all_variables(self, node: Node, env: Env) -> bool:
        """Whether a subscript has every variable of the model, so that each step that changes something changes it."""
        node, env = resolved(node, env)
        items = [resolved(n, env) for n in (node.args if node.kind == "tuple" else (node,))]
        meanings = [scope.find(item.value) for item, scope in items if item.kind == "id"]
        return {m.name for m in meanings if isinstance(m, Variable)} == self.model.variables.keys()

    def leads(
        self, name: str, left: Node, left_env: Env, right: Node, right_env: Env, found: Operator | None
    ) -> Section:
        """P ~> Q."""
        self._needs_fairness()
        if _has_temporal(left, left_env) or _has_temporal(right, right_env):
            raise refused(left.place, "a ~> of temporal formulas", "write it with [] and <>")
        place = found.definition.place if found else left.place
        first = self.ex.condition(left, left_env, Context())
        second = self.ex.condition(right, right_env, Context())
        return [
            *self._head(name, "@leads_to", "", found, place),
            (f"        return {first.text}, {second.text}", place),
        ]

    def step(self, name: str, node: Node, env: Env, found: Operator | None) -> Section:
        """[][A]_v: a property of every step that changes v."""
        same = Node("unchanged", node.place, (node.args[1],))
        place = found.definition.place if found else node.place
        condition, unchanged = self.step_condition(node.args[0], env), self.step_condition(same, env).text
        text = f"{unchanged} or {condition.at(1)}" if unchanged != "True" else condition.text
        return [*self._head(name, "@step_invariant", ", before", found, place), (f"        return {text}", place)]

    def step_condition(self, node: Node, env: Env) -> Py:
        """A condition on a step: `before` is the state before it, `self` the one after."""
        node = _expanded(node, env)
        cx = Context(frozenset({"before"}), state="before", after="self")
        return self.ex.condition(node, env, cx)

    def formula(self, name: str, node: Node, env: Env, found: Operator | None, mark: str = "@temporal") -> Section:
        """Any other formula, as a @temporal one; with another mark, as an assumption."""
        self._needs_fairness()
        place = found.definition.place if found else node.place
        steps = self._has_steps(node, env)
        cx = Context(frozenset({"before"}), state="before") if steps else Context()
        text = self._formula(node, env, cx)
        self.ex.uses |= {mark[1:]}
        return [*self._head(name, mark, ", before" if steps else "", found, place), (f"        return {text}", place)]

    def _formula(self, node: Node, env: Env, cx: Context) -> str:
        """A formula, or a condition, as an argument of a function."""
        node, env = self._opened(node, env)
        if node.kind in ("box", "angle"):
            return self._occurs(node, env)
        if node.kind == "fair":
            action = Node("angle", node.place, (node.args[1], node.args[0]))
            able, taken = enabled(self.ex, action, env, cx).text, self._occurs(action, env)
            again = f"always(eventually({able}))" if node.value == "SF" else f"eventually(always({able}))"
            then = f"always(eventually({taken}))"
            return then if able == "True" else f"implies({again}, {then})"
        if not _has_temporal(node, env):
            return self.ex.condition(node, env, cx).text
        if node.kind in ("and", "or"):
            return self._joined([(a, env) for a in node.args], node.kind, cx)
        if node.kind in ("forall", "exists"):
            items = [(node.args[0], scope) for scope in self._scopes(node, env)]
            return self._joined(items, "and" if node.kind == "forall" else "or", cx)
        parts = [self._formula(a, env, cx) for a in node.args]
        match node.value if node.kind == "op" else node.kind:
            case "[]":
                return f"always({parts[0]})"
            case "<>":
                return f"eventually({parts[0]})"
            case "~>":
                return f"always(implies({parts[0]}, eventually({parts[1]})))"
            case "=>":
                return f"implies({parts[0]}, {parts[1]})"
            case "if":
                return f"implies({parts[0]}, {parts[1]}) & implies(not ({parts[0]}), {parts[2]})"
            case "~":
                return f"~{parts[0]}" if parts[0].endswith(")") and " & " not in parts[0] else f"~({parts[0]})"
        raise refused(node.place, "this temporal formula", "use [], <>, ~> and the operators of logic")

    def _joined(self, items: list[tuple[Node, Env]], kind: str, cx: Context) -> str:
        """Formulas joined by & or |; conditions among them are one condition, joined by `and` or `or`."""
        plain = [(n, e) for n, e in items if not _has_temporal(*self._opened(n, e)) and not self._has_steps(n, e)]
        texts = [
            self._formula(n, e, cx) for n, e in items if not any(n is other and e is scope for other, scope in plain)
        ]
        if plain:
            texts.insert(0, joined([self.ex.condition(n, e, cx) for n, e in plain], kind).at(ATOM))
        simple = re.compile(r"\w+\(.*\)", re.DOTALL)
        texts = [
            text if simple.fullmatch(text) and " & " not in text and " | " not in text else f"({text})"
            for text in texts
        ]
        return (" & " if kind == "and" else " | ").join(texts)

    def _scopes(self, node: Node, env: Env) -> list[Env]:
        """The scopes of a quantified formula, one for each of a few values."""
        scopes = [env]
        for bound in node.value:
            is_known, values = self.ex.known(bound.within, env)
            if not is_known or not is_finite(values) or len(ordered(values)) > MOST_VALUES:
                what, remedy = "a temporal formula for each member of this set", "use a small constant set"
                raise refused(node.place, what, remedy)
            if not isinstance(bound.pattern, str):
                raise refused(node.place, "a tuple as a bound name of a temporal formula", "bind one name")
            scopes = [
                Env(scope, {bound.pattern: Constant(bound.pattern, v)}) for scope in scopes for v in ordered(values)
            ]
        return scopes

    def _occurs(self, node: Node, env: Env) -> str:
        """[A]_v or <<A>>_v as a condition on a step, also on one that changes nothing."""
        action, subscript = node.args
        same = self.step_condition(Node("unchanged", node.place, (subscript,)), env)
        condition = self.step_condition(action, env)
        if node.kind == "box":
            return joined([same, condition], "or").text
        return joined([condition, self.ex.negated(same)], "and").text

    def _for_all(
        self, name: str, node: Node, env: Env, make: Callable[..., list[Section]] | None = None
    ) -> list[Section]:
        """One property for each value of a constant set: a parameter."""
        params, inner = [], env
        for bound in node.value:
            is_known, values = self.ex.known(bound.within, inner)
            if not is_known or not is_finite(values) or not isinstance(bound.pattern, str):
                raise refused(
                    node.place, "a temporal property for all values of a set of the state", "use a constant set"
                )
            over = self.ex.expression(bound.within, inner, Context())
            text = self.ex.fresh(bound.pattern, Context())
            text = "this" if text == "self_" else text
            if not ordered(values):
                return []
            shape = over.shape.of if isinstance(over.shape, SetOf) else Unknown()
            inner = inner.bound({bound.pattern: Py(text, shape, frozen=True)})
            params.append((text, over.text))
        made = (make or self.temporal)(name, node.args[0], inner, None)
        given = ", ".join(f"{n}={t}" for n, t in params)
        names = ", ".join(n for n, _ in params)
        out: list[Section] = []
        for section in made:
            changed: Section = []
            for line, place in section:
                if line.startswith("    @"):
                    if line.strip() in ("@invariant", "@step_invariant"):
                        raise refused(node.place, "this property for all values of a set", "write \\A inside of []")
                    line = line.replace("(", f"({given}, ", 1) if "(" in line else f"{line}({given})"
                elif line.startswith("    def "):
                    line = (
                        line.replace("(self", f"(self, {names}", 1)
                        if "(self, before" not in line
                        else line.replace("(self, before", f"(self, before, {names}", 1)
                    )
                changed.append((line, place))
            out.append(changed)
        return out

    # -- fairness

    def fairness(self) -> dict[int, list[str]]:
        """The decorators of the actions, by the identity of each."""
        found: dict[int, list[str]] = {}
        try:
            for node, env in [part for item in self.spec.fair for part in self._fair_parts(*item)]:
                trial = dict(found)
                try:
                    self._fair(node, env, [], trial)
                    found = trial
                except EverystateError as error:
                    if error.code != "E460":
                        raise
                    self.assumed += self.assumption("", node, env)
            for node, env in self.spec.others:
                self.assumed += self.assumption("", node, env)
        except EverystateError as error:
            if error.code != "E460":
                raise
            self.unfair, self.assumed = error, []
            return {}
        return found

    def _fair_parts(self, node: Node, env: Env) -> list[tuple[Node, Env]]:
        """The conjuncts of the fairness, also those below a quantifier, each with the quantifier."""
        inner, scope = self._opened(node, env)
        if inner.kind == "and":
            return [part for item in inner.args for part in self._fair_parts(item, scope)]
        if inner.kind == "forall" and inner.args[0].kind == "and":
            each = [Node("forall", inner.place, (item,), inner.value) for item in inner.args[0].args]
            return [part for item in each for part in self._fair_parts(item, scope)]
        return [(inner, scope)]

    def assumption(self, name: str, node: Node, env: Env, found: Operator | None = None) -> list[Section]:
        """A part of the specification that is no fairness of actions, as a formula that is assumed."""
        node, env = self._opened(node, env)
        if node.kind == "forall":
            return self._for_all(name, node, env, self.assumption)
        inner = node.args[-1]
        if node.kind == "fair":
            while inner.kind not in ("id", "op") and inner.args and isinstance(inner.args[-1], Node):
                inner = inner.args[-1]
        called = inner.value if inner.kind in ("id", "op") and str(inner.value).isidentifier() else "assumed"
        return [self.formula(f"fair_{called}" if node.kind == "fair" else "assumed", node, env, found, ASSUMPTION)]

    def _fair(self, node: Node, env: Env, over: list[str], found: dict[int, list[str]]) -> None:
        if node.kind == "and":
            for item in node.args:
                self._fair(item, env, over, found)
            return
        if node.kind == "forall":
            inner, names = env, list(over)
            for bound in node.value:
                name = f"fair{len(names)}!"
                inner = inner.bound({bound.pattern: Py(name, _unknown())})
                names.append(name)
            self._fair(node.args[0], inner, names, found)
            return
        if node.kind in ("id", "op") and node.kind != "fair":
            op = env.find(node.value)
            if isinstance(op, Operator) and op.definition.body is not None:
                given: dict[str, Any] = {}
                for p, a in zip(op.definition.params, node.args, strict=True):
                    meaning = env.find(a.value) if a.kind == "id" else None
                    given[p] = (
                        meaning if meaning is not None and not isinstance(meaning, Operator) else Substitution(a, env)
                    )
                self._fair(op.definition.body, Env(op.env, given), over, found)
                return
        if node.kind != "fair":
            raise refused(node.place, "a condition on behaviours that is no fairness", "use WF_ and SF_")
        kind = "@strongly_fair" if node.value == "SF" else "@fair"
        self._mark(kind, node, env, over, found)

    def _mark(self, kind: str, node: Node, env: Env, over: list[str], found: dict[int, list[str]]) -> None:
        """Marks the actions of which a fair formula consists."""
        subscript, action = node.args
        if not self._are_all_variables(subscript, env):
            raise refused(node.place, "fairness of steps that change some variables", "write WF_vars")
        assert self.spec.next is not None
        wanted = list(decomposed(self.ex, action, env))
        by_place: dict[int, list[Action]] = {id(a.node): [] for a in self.actions}
        for own in self.actions:
            by_place[id(own.node)].append(own)
        chosen: list[tuple[Action, Action]] = []
        for fair in wanted:
            same = by_place.get(id(fair.node)) or [a for a in self.actions if _alike(fair, a)]
            if not same:
                raise refused(node.place, "fairness of what is no action of Next", "name the actions as Next does")
            chosen += [(fair, own) for own in same]
        for fair, own in chosen:
            pairs = self._parameters(fair, own)
            quantified = [p for p, f in pairs if f in over]
            if len(chosen) == 1 and len(quantified) == len(own.params):
                decorator = kind
            elif not quantified:
                decorator = f'{kind}(together="{self._label(action, node)}")'
            else:
                each = f'"{quantified[0]}"' if len(quantified) == 1 else str(tuple(quantified)).replace("'", '"')
                decorator = f'{kind}(together="{self._label(action, node)}", each={each})'
            if found.get(id(own), [decorator]) != [decorator]:
                raise refused(node.place, f"two kinds of fairness of {own.name}", "give an action one of them")
            found[id(own)] = [decorator]

    def _label(self, action: Node, node: Node) -> str:
        """The name of a disjunction of actions that is fair, another one for each formula."""
        name = action.value if action.kind in ("id", "op") and isinstance(action.value, str) else "actions"
        while self.labels.setdefault(name, node) is not node:
            name += "_"
        return name

    def _parameters(self, fair: Action, own: Action) -> list[tuple[str, str]]:
        """The parameters of an action, each with the name that stands for it in the fair formula."""
        out = []
        for name, _ in own.params:
            meaning = self._of_parameter(own.env, name)
            other = fair.env.find(meaning) if meaning else None
            text = other.value.text if other is not None and isinstance(getattr(other, "value", None), Py) else ""
            out.append((name, text))
        return out

    def _of_parameter(self, env: Env, text: str) -> str:
        """The name in TLA+ of a parameter."""
        scope: Env | None = env
        while scope is not None:
            for name, entity in scope.names.items():
                if isinstance(getattr(entity, "value", None), Py) and entity.value.text == text:
                    return name
            scope = scope.outer
        return ""


def _alike(fair: Action, own: Action) -> bool:
    """Whether two actions are written alike, and their names mean the same or are parameters."""

    def equal(name: str) -> bool:
        a, b = fair.env.find(name), own.env.find(name)
        return a is b or (isinstance(getattr(a, "value", None), Py) and isinstance(getattr(b, "value", None), Py))

    return same_text(fair.node, own.node) and all(map(equal, _words(fair.node)))


def _words(node: Node) -> set[str]:
    """The names in an expression that may be defined outside of it."""
    own = {node.value} if node.kind in ("id", "op") else {node.value.value} if node.kind == "path" else set()
    return own.union(*map(_words, parts(node)))


def _expanded(node: Node, env: Env) -> Node:
    """UNCHANGED of defined tuples, as equations of their variables."""
    if node.kind == "unchanged":
        inner, scope = resolved(node.args[0], env)
        if inner.kind == "tuple":
            items = tuple(_expanded(Node("unchanged", n.place, (n,)), scope) for n in inner.args)
            return Node("and", node.place, items)
    return node


def _unknown() -> Any:
    return Unknown()


def _without_exports(node: Node) -> Node:
    """An invariant without the alternatives that write a trace to a file: TLC takes them where the others are false."""
    if node.kind != "or":
        return node
    kept = [a for a in node.args if not mentions(a, lambda inner: inner.kind == "op" and inner.value in EXPORTS)]
    return replace(node, args=tuple(kept)) if 0 < len(kept) < len(node.args) else node
