"""A model as a transition system for z3, or several models of one spec that differ in constants.

Every leaf of every decision tree has a selector. Exactly one selector holds in a step; it implies the conditions on the
path to its leaf and the values that the leaf assigns. Leaves that are the same formula in several models share one
selector, so parts that do not depend on constants are written once.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import z3

from ...errors import CheckedError
from ...ir.traced import Model
from ...ir.tree import Branch, Choice, Fault, Tree, Update
from ...language import marks
from ...language.declarations import ActionInstance
from .arithmetic import BITS, Arithmetic
from .states import States
from .terms import Terms

FAULT, STUCK, BROKEN = "error", "deadlock", "error in a property"
Property = Callable[[int], Any]


@dataclass(frozen=True)
class Leaf:
    """One kind of step: its guard, its assignments (by slot), and the error if the step fails."""

    instance: ActionInstance
    labels: tuple[Any, ...]
    guard: Any
    writes: tuple[tuple[int, Any], ...]
    error: CheckedError | None


@dataclass(frozen=True)
class Goal:
    """Something to look for: `formula` is over moment 0, or over 0 and 1 if it is about a step.

    `key` is the kind: that of a property, BROKEN for one that cannot be evaluated, FAULT for a failing step (seen in
    the state before it), STUCK for a deadlock. `index` is the property's position in the model.
    """

    name: str
    key: str
    formula: Any
    index: int = -1
    step: bool = False
    error: CheckedError | None = None

    @property
    def ahead(self) -> int:
        """Steps beyond moment 0 that it is about; a step that cannot be taken counts."""
        return int(self.step or self.key == FAULT)


class System:
    """The transition relation, the initial states and the goals of models over the same slots."""

    def __init__(self, models: Sequence[Model], arithmetic: Arithmetic = BITS) -> None:
        self.models, self.arithmetic = models, arithmetic
        self.states = States(models, arithmetic)
        bits = max(1, (len(models) - 1).bit_length())
        self.which = z3.BitVec("model", bits)
        self._terms = [Terms(arithmetic, self.states.cells(m, 0)) for m in range(len(models))]
        self.leaves = self._leaves()
        self.selectors = [z3.Bool(f"step {k}@0") for k in range(len(self.leaves))]
        self.transition = self._transition()

    @property
    def model(self) -> Model:
        """The only model, or the first of several."""
        return self.models[0]

    def chosen(self, model: int) -> Any:
        """The condition that a given model runs."""
        return z3.BoolVal(True) if len(self.models) == 1 else self.which == model

    def each(self, formula: Property) -> Any:
        """A formula that each model has for itself; the same for several is written once."""
        found: dict[int, tuple[Any, list[Any]]] = {}
        for m in range(len(self.models)):
            part = formula(m)
            found.setdefault(part.get_id(), (part, []))[1].append(self.chosen(m))
        if len(found) == 1:
            return next(iter(found.values()))[0]
        return z3.And([z3.Implies(z3.Or(models), part) for part, models in found.values()])

    # -- steps ---------------------------------------------------------------------------------------------

    def _leaves(self) -> list[Leaf]:
        merged: dict[tuple[Any, ...], tuple[Leaf, list[Any]]] = {}
        for m, model in enumerate(self.models):
            for action in model.actions:
                for leaf in self._of_tree(m, action.instance, action.tree):
                    writes = tuple((slot, value.get_id()) for slot, value in leaf.writes)
                    error = (leaf.error.code, leaf.error.where) if leaf.error else None
                    key = (str(leaf.instance), repr(leaf.labels), leaf.guard.get_id(), writes, error)
                    merged.setdefault(key, (leaf, []))[1].append(self.chosen(m))
        return [self._shared(leaf, models) for leaf, models in merged.values()]

    def _shared(self, leaf: Leaf, models: list[Any]) -> Leaf:
        if len(models) == len(self.models):
            return leaf
        return Leaf(leaf.instance, leaf.labels, z3.And(leaf.guard, z3.Or(models)), leaf.writes, leaf.error)

    def _of_tree(self, m: int, instance: ActionInstance, tree: Tree) -> Iterator[Leaf]:
        todo: list[tuple[Tree, tuple[Any, ...], tuple[Any, ...]]] = [(tree, (), ())]
        while todo:
            node, path, labels = todo.pop()
            if isinstance(node, Branch):
                condition = self._terms[m](node.condition)
                todo.append((node.otherwise, (*path, z3.Not(condition)), labels))
                todo.append((node.then, (*path, condition), labels))
            elif isinstance(node, Choice):
                options = list(zip(node.options, node.labels, strict=True))
                todo += [(option, path, (*labels, label)) for option, label in reversed(options)]
            elif isinstance(node, Fault):
                yield Leaf(instance, labels, z3.And(path), (), node.error)
            elif isinstance(node, Update):
                yield Leaf(instance, labels, z3.And(path), self._writes(m, node), None)

    def _writes(self, m: int, update: Update) -> tuple[tuple[int, Any], ...]:
        found = []
        for cell, term in update.writes:
            slot, value = self.states.places[m][cell], self._terms[m](term)
            interval = self.states.slots[slot].interval
            fitted = value if term.boolean else self.arithmetic.fit((value, (term.lo, term.hi)), interval)
            found.append((slot, fitted))
        return tuple(found)

    def _transition(self) -> Any:
        """One step from moment 0 to moment 1 by exactly one leaf that does not fail."""
        steps = [(s, leaf) for s, leaf in zip(self.selectors, self.leaves, strict=True) if leaf.error is None]
        fails = [s for s, leaf in zip(self.selectors, self.leaves, strict=True) if leaf.error is not None]
        parts = [z3.Or([s for s, _ in steps]), *map(z3.Not, fails)]
        parts += at_most_one([s for s, _ in steps])
        parts += [z3.Implies(selector, leaf.guard) for selector, leaf in steps]
        return z3.And(*parts, *self.assignments(), self.inside)

    def assignments(self) -> list[Any]:
        """The effect of a selected leaf that does not fail on each slot, whether its guard holds or not."""
        parts: list[Any] = []
        assigned: dict[int, dict[int, tuple[Any, list[Any]]]] = {i: {} for i in range(len(self.states.slots))}
        for selector, leaf in zip(self.selectors, self.leaves, strict=True):
            for slot, value in leaf.writes:
                assigned[slot].setdefault(value.get_id(), (value, []))[1].append(selector)
        for slot, values in assigned.items():
            now, after = self.states.moment(0)[slot], self.states.moment(1)[slot]
            parts += [z3.Implies(z3.Or(by), after == value) for value, by in values.values()]
            parts.append(z3.Or(*(s for _, by in values.values() for s in by), after == now))
        return parts

    # -- sets of states ------------------------------------------------------------------------------------

    @functools.cached_property
    def inside(self) -> Any:
        """That moment 0 satisfies the constraints, so that steps are taken from it."""
        return self.each(lambda m: self._all(m, self.models[m].inside))

    @functools.cached_property
    def initial(self) -> Any:
        """That moment 0 is an initial state (and which model runs is one of them)."""
        return z3.And(self._known, self.each(self.states.initial))

    @functools.cached_property
    def valid(self) -> Any:
        """That moment 0 is a state that the language can express, of one of the models."""
        return z3.And(self._known, self.each(self.states.valid))

    @property
    def _known(self) -> Any:
        """That the number of the model that runs is one of theirs."""
        return z3.ULE(self.which, len(self.models) - 1) if len(self.models) > 1 else z3.BoolVal(True)

    def _all(self, m: int, terms: Sequence[Any]) -> Any:
        return z3.And([self._terms[m](t) for t in terms])

    def term(self, m: int, term: Any) -> Any:
        """A term of one model over moment 0."""
        return self._terms[m](term)

    # -- goals ---------------------------------------------------------------------------------------------

    def goals(self, deadlock: bool = True) -> list[Goal]:
        """Everything that can be violated, errors first, then the properties in the order of the spec."""
        failing = [leaf.guard for leaf in self.leaves if leaf.error is not None]
        found = [Goal(FAULT, FAULT, z3.And(z3.Or(failing), self.inside))] if failing else []
        for index, prop in enumerate(self.model.properties):
            if prop.kind not in marks.ON_GRAPHS:
                found += self._of_property(index)
        going = [self.chosen(m) for m, model in enumerate(self.models) if not model.spec._ends]
        if deadlock and going:
            among = [] if len(going) == len(self.models) else [z3.Or(going)]
            still = [z3.Not(leaf.guard) for leaf in self.leaves]
            found.append(Goal(STUCK, STUCK, z3.And(*among, self.inside, *still)))
        return found

    def targets(self) -> list[Goal]:
        """The goals of @reachable."""
        return [self.wanted(p.name) for p in self.model.of_kind(marks.REACHABLE)]

    def wanted(self, name: str) -> Goal:
        """That a property holds, as something to look for."""
        index = next(i for i, p in enumerate(self.model.properties) if p.name == name)
        step = self.model.properties[index].steps
        return Goal(name, marks.REACHABLE, self._where(index, wanted=True), index, step)

    def _of_property(self, index: int) -> Iterator[Goal]:
        prop = max((model.properties[index] for model in self.models), key=lambda p: len(p.errors))
        step = prop.steps
        for number, (_, error) in enumerate(prop.errors):
            yield Goal(prop.name, BROKEN, self.each(partial(self._broken, index, number)), index, step, error)
        if prop.kind in (marks.INVARIANT, marks.STEP_INVARIANT):
            yield Goal(prop.name, prop.kind, self._where(index, wanted=False), index, step)

    def holds(self, index: int, m: int) -> Any:
        """Where a property of one model has a value, and it is true."""
        return z3.And(self._reader(m, index)(self.models[m].properties[index].term), z3.Not(self.fails(index, m)))

    def fails(self, index: int, m: int) -> Any:
        """Where a property of one model has no value."""
        read = self._reader(m, index)
        return z3.Or([read(condition) for condition, _ in self.models[m].properties[index].errors])

    def _broken(self, index: int, number: int, m: int) -> Any:
        errors = self.models[m].properties[index].errors
        return self._reader(m, index)(errors[number][0]) if number < len(errors) else z3.BoolVal(False)

    def _where(self, index: int, wanted: bool) -> Any:
        """Where a property has a value, and it is (not) the wanted one."""

        def formula(m: int) -> Any:
            prop, read = self.models[m].properties[index], self._reader(m, index)
            holds = read(prop.term) if wanted else z3.Not(read(prop.term))
            return z3.And(holds, *(z3.Not(read(condition)) for condition, _ in prop.errors))

        return self.each(formula)

    def _reader(self, m: int, index: int) -> Terms:
        if not self.models[m].properties[index].steps:
            return self._terms[m]
        return Terms(self.arithmetic, self.states.cells(m, 1), self.states.cells(m, 0))


PAIRS = 40


def at_most_one(selectors: Sequence[Any]) -> list[Any]:
    """That no two hold: pair by pair while these are few, which the solver propagates faster than a counter."""
    if len(selectors) > PAIRS:
        return [z3.AtMost(*selectors, 1)]
    return [z3.Or(z3.Not(a), z3.Not(b)) for a, b in itertools.combinations(selectors, 2)]
