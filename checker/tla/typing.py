"""The shape of each variable: from the type invariant, and from a run of the first states."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import EverystateError
from .evaluator import Evaluator, State
from .nodes import Node, Place, parts
from .parts import Parts
from .python import identifier
from .scopes import Env, Model, Operator, Substitution, Variable
from .shapes import (
    BagOf,
    Conflict,
    MapOf,
    Maybe,
    Mixed,
    Names,
    Num,
    RecordClass,
    RecordOf,
    SeqOf,
    SetOf,
    Shape,
    TupleOf,
    Unknown,
    bounded,
    covers,
    inner,
    join,
    joined,
    names_of,
    nones,
    of_set,
    of_value,
    with_maps,
)
from .states import _Search, initial_states, successors
from .syntax import refused
from .values import Function, Undefined

STATES, MORE, WORK = 1_500, 30_000, 1_500_000
"""How many states a run visits to see the values of variables, where all have a type or not, and how many expressions
it evaluates at most, which takes some five seconds."""


MARGIN = ""
"""The key beside the bounds of variables for how many times larger than usual the other bounds are guessed."""


@dataclass
class Typing:
    """What is known of the variables."""

    shapes: dict[str, Shape] = field(default_factory=dict)
    typed: dict[str, list[Node]] = field(default_factory=dict)
    """The conjuncts of the type invariant that became domains."""
    guessed: set[str] = field(default_factory=set)
    """Variables whose bounds come from a run."""
    whole: bool = False
    """Whether the run visited all states."""
    states: list[State] = field(default_factory=list)
    generated: int = 0
    sets: set[frozenset[Any]] = field(default_factory=set)
    """The sets of strings or numbers of the module."""
    seen: dict[str, Shape] = field(default_factory=dict)
    """The shapes of the values in the states of the run."""


Conjunct = tuple[Node, Env, str]


def type_conjuncts(model: Model, ev: Evaluator, names: list[str]) -> dict[str, list[Conjunct]]:
    """For each variable the sets that type invariants name, `\\in` or `\\subseteq`."""
    found: dict[str, list[Conjunct]] = {}

    def collect(node: Node, env: Env, depth: int) -> None:
        if node.kind == "and":
            for item in node.args:
                collect(item, env, depth)
        elif node.kind == "id" and depth < 6:
            meaning = env.find(node.value)
            if isinstance(meaning, Operator) and meaning.definition.body is not None:
                collect(meaning.definition.body, meaning.env, depth + 1)
        elif node.kind == "path" and depth < 6:
            try:
                scope, target = ev.followed(node, env)
            except EverystateError:
                return
            collect(target, scope, depth + 1)
        elif node.kind == "op" and node.value in ("\\in", "\\subseteq") and node.args[0].kind == "id":
            left, scope = node.args[0], env
            meaning = scope.find(left.value)
            while isinstance(meaning, Substitution) and meaning.node.kind == "id":
                left, scope = meaning.node, meaning.env
                meaning = scope.find(left.value)
            if isinstance(meaning, Variable):
                found.setdefault(meaning.name, []).append((node, env, node.value))
        elif (
            node.kind == "op"
            and node.value == "\\in"
            and node.args[0].kind == "tuple"
            and node.args[1].kind == "product"
        ):
            for left, right in zip(node.args[0].args, node.args[1].args, strict=False):
                collect(Node("op", node.place, (left, right), "\\in"), env, depth)

    likely = [n for n in model.operators if "type" in n.lower() and n not in names]
    for name in [*names, *likely]:
        operator = model.root.find(name)
        if isinstance(operator, Operator) and not operator.definition.params and operator.definition.body is not None:
            collect(operator.definition.body, operator.env, 0)
    return found


def run(ev: Evaluator, parts_: Parts, env: Env, most: int) -> tuple[list[State], int, bool]:
    """The first states, and whether they are all."""
    assert parts_.next is not None
    before = ev.work
    seen: dict[Any, State] = {}
    level: list[State] = []
    generated = 0
    init = Node("and", parts_.next[0].place, tuple(n for n, _ in parts_.init))
    try:
        for state in initial_states(ev, init, env):
            generated += 1
            key = frozenset(state.items())
            if key not in seen:
                seen[key] = state
                level.append(state)
            if len(seen) >= most or ev.work - before > WORK:
                break
        while level:
            following = []
            for state in level:
                if not _within(ev, state):
                    continue
                for new in successors(ev, parts_.next[0], parts_.next[1], state):
                    generated += 1
                    key = frozenset(new.items())
                    if key not in seen:
                        seen[key] = new
                        following.append(new)
                if len(seen) >= most or ev.work - before > WORK:
                    return list(seen.values()), generated, False
            level = following
    except (Undefined, KeyError, TypeError, RecursionError) as error:
        ev.problem = str(error)
        return list(seen.values()), generated, False
    return list(seen.values()), generated, True


def _within(ev: Evaluator, state: State) -> bool:
    for name in ev.model.config.constraints:
        operator = ev.model.operator(name)
        try:
            assert operator.definition.body is not None
            if not ev.truth(operator.definition.body, operator.env, state):
                return False
        except Undefined:
            return True
    return True


def typing(
    model: Model, ev: Evaluator, spec: Parts, bounds: dict[str, int], seen: dict[str, Shape] | None = None
) -> Typing:
    """The shapes of all variables; E460 for one whose values have no common domain.

    A bound of Nat or Seq is guessed from more states than it takes to see what kind of values there are. `seen` is what
    the run of another translation has seen, where there should be none.
    """
    conjuncts = type_conjuncts(model, ev, model.config.invariants)
    if seen is not None:
        return _of_run(model, ev, spec, conjuncts, bounds, 0, seen)
    if conjuncts.keys() >= model.variables.keys():
        found = _of_run(model, ev, spec, conjuncts, bounds, STATES)
        if found.whole or not found.guessed:
            return found
    return _of_run(model, ev, spec, conjuncts, bounds, MORE)


def _of_run(
    model: Model,
    ev: Evaluator,
    spec: Parts,
    conjuncts: dict[str, list[Conjunct]],
    bounds: dict[str, int],
    most: int,
    before: dict[str, Shape] | None = None,
) -> Typing:
    """The shapes after a run of at most so many states, or with the shapes of a run before."""
    found = Typing()
    if before is None:
        found.states, found.generated, found.whole = run(ev, spec, model.root, most)
    sets = found.sets = string_sets(model, ev)
    for name in model.variables:
        seen: Shape = Unknown()
        place = next((d.place for d in [*model.root_module.definitions]), None)
        try:
            for state in found.states:
                if name in state:
                    seen = join(seen, of_value(state[name]))
        except Conflict as error:
            if name not in conjuncts:
                assert place is not None
                raise refused(
                    place, f"the variable {name}, whose values are {error},", "use values of one kind"
                ) from None
            seen = Unknown()
        seen = with_maps(seen, sets) if before is None else before[name]
        found.seen[name] = seen
        typed: Shape | None = None
        if name in conjuncts:
            for node, env, kind in conjuncts[name]:
                try:
                    values = ev.evaluate(node.args[1], env)
                    if not _has(values, kind, [s[name] for s in found.states[:200] if name in s]):
                        continue
                    typed = with_maps(of_set(values), sets) if isinstance(values, frozenset) else of_set(values)
                    typed = SetOf(typed) if kind == "\\subseteq" else typed
                    if covers(values, kind == "\\subseteq"):
                        found.typed[name] = [node]
                    break
                except Undefined:
                    continue
                except Conflict as error:
                    raise refused(node.place, f"the type of {name}: {error}", "use values of one kind") from None
        if typed is not None:
            with_seen = _joined(typed, seen)
            shape, guessed = bounded(with_seen, seen, bounds.get(name), bounds.get(MARGIN, 1))
        else:
            if isinstance(seen, Unknown):
                assert place is not None
                why = f" ({ev.problem})" if ev.problem else ""
                raise refused(
                    place,
                    f"the variable {name}, whose type is not known{why},",
                    f"write a type invariant: {name} \\in ...",
                )
            if not found.whole:
                seen = _with_texts(seen, assigned_texts(model, name))
            guessed = not found.whole
            shape = bounded(_open(seen), seen, bounds.get(name), bounds.get(MARGIN, 1))[0] if guessed else seen
        if guessed:
            found.guessed.add(name)
        found.shapes[name] = shape
    return found


def assigned_texts(model: Model, name: str) -> tuple[str, ...]:
    """The strings that the modules assign to a variable, as the labels of pc, also to parts of it."""
    found: dict[str, None] = {}

    def collect(node: Node, inside: bool) -> None:
        left = node.args[0] if node.kind == "op" and node.value == "=" else None
        if isinstance(left, Node) and left.kind == "prime" and left.args[0].kind == "id":
            inside = left.args[0].value == name
        if inside and node.kind == "str":
            found.setdefault(node.value)
        new = [part for _, part in node.value] if node.kind == "except" else parts(node)
        for part in new:
            collect(part, inside)

    for module in model.modules.values():
        for made in module.definitions:
            if made.body is not None:
                collect(made.body, False)
    return tuple(found)


def _with_texts(shape: Shape, texts: tuple[str, ...]) -> Shape:
    """A shape of strings, or of functions to strings, with more strings."""
    if isinstance(shape, Names) and shape.values and all(isinstance(v, str) for v in shape.values):
        return join(shape, names_of(texts)) if texts else shape
    return replace(shape, of=_with_texts(shape.of, texts)) if isinstance(shape, MapOf) else shape


def string_sets(model: Model, ev: Evaluator) -> set[frozenset[Any]]:
    """The sets of strings that constants and definitions of the module have: what functions are on."""
    found: set[frozenset[Any]] = set()
    for name in [*model.config.values, *model.config.overrides, *model.operators]:
        entity = model.root.find(name)
        if isinstance(entity, Operator) and (entity.definition.params or entity.definition.bounds):
            continue
        try:
            value = ev.evaluate(Node("id", Place("", 0), (), name), model.root)
        except (Undefined, EverystateError, RecursionError, KeyError, TypeError, AttributeError):
            continue
        kinds = {type(v) for v in value} if isinstance(value, frozenset) else set()
        if kinds in ({str}, {int}):
            found.add(value)
    return found


def _joined(typed: Shape, seen: Shape) -> Shape:
    try:
        return join(typed, seen) if not isinstance(seen, Unknown) and _weak(typed) else typed
    except Conflict:
        return typed


def _weak(shape: Shape) -> bool:
    """Whether a shape has a part without any value."""
    return isinstance(shape, Unknown) or any(map(_weak, inner(shape)))


def _open(shape: Shape) -> Shape:
    """A shape from values that were seen, without the bounds, since others may come."""
    if isinstance(shape, Num):
        return Num(0 if shape.lo is not None and shape.lo >= 0 else None, None)
    if isinstance(shape, SeqOf):
        return SeqOf(_open(shape.of), None)
    if isinstance(shape, BagOf):
        return BagOf(_open(shape.of), None)
    if isinstance(shape, (SetOf, MapOf, Maybe)):
        return replace(shape, of=_open(shape.of))
    if isinstance(shape, TupleOf):
        return TupleOf(tuple(map(_open, shape.parts)))
    if isinstance(shape, RecordOf):
        return RecordOf(tuple(tuple((n, _open(s)) for n, s in v) for v in shape.variants))
    return shape


def _has(values: Any, kind: str, seen: list[Any]) -> bool:
    """Whether the values of a run are in the set that a type invariant names."""
    try:
        return all(v in values if kind == "\\in" else all(m in values for m in v) for v in seen)
    except (Undefined, TypeError):
        return True


def all_nones(shapes: dict[str, Shape]) -> set[Any]:
    """The values that are None in the translation."""
    return set().union(*map(nones, shapes.values()))


class RecordClasses:
    """Groups the variants of all records that share a place into classes, and names these."""

    def __init__(self, model: Model, ev: Evaluator, shapes: dict[str, Shape]) -> None:
        self.groups: list[dict[frozenset[str], tuple[str, ...]]] = []
        self.merged: set[frozenset[str]] = set()
        self.frozen: set[frozenset[str]] = set()
        self.names: dict[frozenset[str], str] = {}
        for shape in shapes.values():
            self._collect(shape, False)
        self._name_by_definitions(model, ev, shapes)

    def _collect(self, shape: Shape, in_set: bool) -> None:
        if isinstance(shape, Mixed):
            records = [of_value(v) for v in shape.values if isinstance(v, Function) and v.is_record]
            if records and isinstance(of := joined(records), RecordOf):
                self.frozen |= {frozenset(dict(v)) for v in of.variants}
                self._collect(of, False)
        elif isinstance(shape, RecordOf):
            variants = {frozenset(dict(v)): tuple(dict(v)) for v in shape.variants}
            together = [g for g in self.groups if g.keys() & variants.keys()]
            made: dict[frozenset[str], tuple[str, ...]] = {}
            for group in together:
                made.update(group)
                self.groups.remove(group)
            made.update({k: v for k, v in variants.items() if k not in made})
            self.groups.append(made)
            if len(shape.variants) > 1 and not in_set:
                self.merged |= set(variants)
        for part in inner(shape):
            self._collect(part, isinstance(shape, SetOf))

    def _name_by_definitions(self, model: Model, ev: Evaluator, shapes: dict[str, Shape]) -> None:
        for name, operator in model.operators.items():
            made = operator.definition
            if made.params or made.bounds or made.body is None:
                continue
            kinds = {"records"} | ({"op"} if made.body.kind == "op" and made.body.value == "\\cup" else set())
            if made.body.kind not in kinds:
                continue
            names = frozenset(map(frozenset, _record_sets(made.body, operator.env)))
            for variant in names:
                self.names.setdefault(variant, name)
        for name, shape in shapes.items():
            for variant in _variants(shape):
                self.names.setdefault(variant, name.capitalize() if name.islower() else name[:1].upper() + name[1:])

    def classes(self, taken: set[str]) -> dict[frozenset[str], RecordClass]:
        """The class of each variant."""
        found: dict[frozenset[str], RecordClass] = {}
        used: set[str] = set(taken)
        for group in self.groups:
            names = [self.names[v] for v in group if v in self.names]
            name = identifier(common_name(names) if names else "Entry")
            name = name[:1].upper() + name[1:]
            if name.endswith("s") and len(name) > 4 and not name.endswith("ss"):
                name = name[:-1]
            base, number = name, 1
            while name in used:
                number += 1
                name = f"{base}{number}" if number > 2 else f"{base}Record"
            used.add(name)
            made = RecordClass(name, group, bool(self.merged & group.keys()), bool(self.frozen & group.keys()))
            found.update(dict.fromkeys(group, made))
        return found


def common_name(names: list[str]) -> str:
    """The word with which all names end, as Message of P1aMessage and P1bMessage; else the most frequent name."""
    words = {name[match.start() :] if (match := re.search(r"[A-Z][a-z]+$", name)) else name for name in names}
    return words.pop() if len(words) == 1 < len(set(names)) else max(names, key=names.count)


def _record_sets(node: Node, env: Env) -> list[tuple[str, ...]]:
    if node.kind == "records":
        return [node.value]
    if node.kind == "id":
        meaning = env.find(node.value)
        if isinstance(meaning, Operator) and meaning.definition.body is not None and not meaning.definition.params:
            return _record_sets(meaning.definition.body, meaning.env)
        return []
    return (
        [found for part in parts(node) for found in _record_sets(part, env)]
        if node.kind == "op" and node.value == "\\cup"
        else []
    )


def _variants(shape: Shape) -> list[frozenset[str]]:
    own = [frozenset(dict(v)) for v in shape.variants] if isinstance(shape, RecordOf) else []
    return own + [v for part in inner(shape) for v in _variants(part)]


__all__ = ["EverystateError", "RecordClasses", "Typing", "_Search", "all_nones", "typing"]
