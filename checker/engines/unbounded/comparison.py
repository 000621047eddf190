"""Compares the formulas for any number of elements with the compiled spec, at several sizes.

At a size, quantifiers become conjunctions and disjunctions over the elements, and functions become cells of the state.
z3 proves for all states of the domains, reachable or not, that each action instance is enabled, fails and changes the
state as its compiled decision tree does, and that initial states and properties are the same.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...backends.smt import INTEGERS, Clock, Leaf, System, z3
from ...ir.traced import Model
from ...language import marks
from ...language.composite_domains import Array, Map, Set
from ...language.domains import Domain, Enum
from .protocol import Condition, Protocol, ReadAction
from .values import Element, Shape, Sort
from .values import Leaf as Part

SAMPLE = 12
"""Instances of an action that are compared where not all are."""


COST = 20_000
"""The most instances of a nest of quantifiers; there are size ** depth."""


class TooLarge(Exception):
    """The formulas have too many instances at a size."""


class Difference(Exception):
    """The formulas and the compiled spec differ; the text says where."""


class Comparison:
    """The comparison of a protocol with a model of one size."""

    def __init__(self, protocol: Protocol, model: Model, sizes: Mapping[str, int], clock: Clock) -> None:
        self.protocol, self.model, self.sizes, self.clock = protocol, model, sizes, clock
        self.system = System([model], INTEGERS)
        world = protocol.world
        self.elements = {
            sort: [z3.Const(f"{name} {i}", sort.of) for i in range(sizes[name])] for name, sort in world.sorts.items()
        }
        self.by_sort = {str(sort.of): elements for sort, elements in self.elements.items()}
        self.majorities = {
            m.relation.name() if z3.is_func_decl(m.relation) else str(m.relation): m for m in world.majorities
        }
        self.leaves = list(self._leaves())
        self.solver = z3.Solver()
        self.solver.add(self.system.valid, *self._dictionary())
        self.queries = 0

    # -- formulas at this size -----------------------------------------------------------------------------

    def expanded(self, term: Any, known: dict[int, Any] | None = None) -> Any:
        """A formula without quantifiers and majorities."""
        known = {} if known is None else known
        self.clock.look()
        if term.get_id() in known:
            return known[term.get_id()][1]
        found = self._expanded(term, known)
        known[term.get_id()] = term, found
        return found

    def _expanded(self, term: Any, known: dict[int, Any]) -> Any:
        if z3.is_quantifier(term):
            ranges = [self.by_sort[str(term.var_sort(i))] for i in range(term.num_vars())]
            parts = [
                self.expanded(z3.substitute_vars(term.body(), *reversed(chosen)), known)
                for chosen in itertools.product(*ranges)
            ]
            return z3.And(parts) if term.is_forall() else z3.Or(parts)
        parts = [self.expanded(part, known) for part in term.children()]
        found = self.majorities.get(term.decl().name()) if z3.is_app(term) else None
        if found is not None:
            holds = z3.substitute(found.condition, *zip(found.parameters, parts, strict=True))
            every = self.elements[found.sort]
            each = [self.expanded(z3.substitute(holds, (found.counted, one)), known) for one in every]
            return z3.PbGe([(part, 1) for part in each], len(every) // 2 + 1)
        if z3.is_and(term):
            return z3.And(parts)
        if z3.is_or(term):
            return z3.Or(parts)
        return term.decl()(*parts) if parts else term

    def at(self, condition: Condition) -> Any:
        """A condition on the present state, at this size."""
        return self.expanded(condition(self.protocol.now))

    def _leaves(self) -> Iterator[tuple[str, tuple[Any, ...], Part, int]]:
        """Each leaf of the state: its variable, its indices, what it is, and its first cell."""
        first = 0
        for name, domain in self.model.spec.domains.items():
            shape = self.protocol.world.variables.shapes.get(name)
            if shape is None:
                raise Difference(f"the declaration of {name}")
            yield from self._of(name, domain, shape, (), first)
            first += domain.size

    def _of(
        self, name: str, domain: Domain, shape: Shape, at: tuple[Any, ...], first: int
    ) -> Iterator[tuple[str, tuple[Any, ...], Part, int]]:
        if shape.leaf is not None:
            part = shape.leaf
            inner = domain.element if part.optional else domain  # type: ignore[attr-defined]
            if isinstance(inner, Enum) and tuple(inner.members) != part.members:
                raise Difference(f"the values of {name}")
            if domain.size != len(part.sorts):
                raise Difference(f"the declaration of {name}")
            yield name, at, part, first
            return
        ranges = [self._values(index) for index in shape.indices]
        if not isinstance(domain, (Array, Map, Set)):
            raise Difference(f"the declaration of {name}")
        number = domain.n if isinstance(domain, Array) else len(domain.position)
        if number != len(list(itertools.product(*ranges))):
            raise Difference(f"the indices of {name}")
        for chosen in itertools.product(*ranges):
            key: Any = chosen[0][0] if len(chosen) == 1 else tuple(value for value, _ in chosen)
            position: int = key if isinstance(domain, Array) else domain.position[key]
            terms = (*at, *(term for _, term in chosen))
            if isinstance(domain, Set):
                yield name, terms, shape.end, first + position
            else:
                assert shape.part is not None
                element = domain.element
                yield from self._of(name, element, shape.part, terms, first + position * element.size)

    def _values(self, index: Any) -> list[tuple[Any, Any]]:
        if isinstance(index, Sort):
            return list(enumerate(self.elements[index]))
        return [(key, z3.IntVal(at)) for at, key in enumerate(index.keys)]

    def _dictionary(self) -> list[Any]:
        """What the functions of the formulas are in terms of the cells."""
        cells = [term for term, _ in self.system.states.cells(0, 0)]
        found = []
        for name, at, part, first in self.leaves:
            functions = self.protocol.now[name](at)
            found.append(self.same(part, functions, cells[first : first + len(part.sorts)]))
        for sort, elements in self.elements.items():
            found += [z3.Distinct(*elements)] if len(elements) > 1 else []
            found.append(sort.first == elements[0])
            for (i, a), (j, b) in itertools.product(enumerate(elements), repeat=2):
                found.append(sort.less(a, b) if i < j else z3.Not(sort.less(a, b)))
        return found

    def same(self, part: Part, terms: Sequence[Any], cells: Sequence[Any]) -> Any:
        """That a leaf has the value of some cells."""
        if part.optional:
            there = cells[0] if z3.is_bool(cells[0]) else cells[0] == 1
            return z3.And(terms[0] == there, z3.Implies(there, self.same(part.without, terms[1:], cells[1:])))
        if part.sort is None:
            return terms[0] == cells[0]
        values = enumerate(self.elements[part.sort])
        return z3.And([z3.Implies(cells[0] == i, terms[0] == element) for i, element in values])

    # -- the comparison ------------------------------------------------------------------------------------

    def run(self, conditions: Mapping[str, Condition], sample: bool = False) -> None:
        """Compare everything, or a sample of the instances of each action.

        Difference where something differs, TooLarge where the formulas have too many instances at this size.
        """
        formulas = [*self.protocol.initial, *(holds(self.protocol.now) for holds in conditions.values())]
        formulas += [part for action in self.protocol.actions for part in (action.guard, action.fault)]
        if max(self._cost(formula, {}) for formula in formulas) > COST:
            raise TooLarge
        self._none("the initial states", self.system.initial == self.expanded(z3.And(self.protocol.initial)))
        for index, prop in enumerate(self.model.properties):
            if prop.name in conditions:
                holds = self.system.holds(index, 0)
                self._none(prop.name, holds == self.at(conditions[prop.name]))
        self._actions(sample)

    def _cost(self, term: Any, known: dict[int, int]) -> int:
        """The instances of the deepest nest of quantifiers in a formula."""
        if term.get_id() not in known:
            parts = [term.body()] if z3.is_quantifier(term) else term.children()
            found = max((self._cost(part, known) for part in parts), default=1)
            for i in range(term.num_vars() if z3.is_quantifier(term) else 0):
                found *= len(self.by_sort[str(term.var_sort(i))])
            known[term.get_id()] = found
        return known[term.get_id()]

    def _none(self, what: str, equal: Any) -> None:
        self.clock.left()
        self.queries += 1
        self.solver.set("timeout", min(60_000, self.clock.left()))
        with self.clock.watching(self.solver):
            found = self.solver.check(z3.Not(equal))
        if found != z3.unsat:
            sizes = ", ".join(f"{name} = {size}" for name, size in self.sizes.items())
            how = "differs from the compiled spec" if found == z3.sat else "could not be compared"
            raise Difference(f"{what} {how} at {sizes}")

    def _actions(self, sample: bool) -> None:
        leaves: dict[tuple[str, Any], list[Leaf]] = {}
        for traced in self.model.actions:
            leaves[traced.instance.name, tuple(value for _, value in traced.instance.arguments)] = []
        for leaf in self.system.leaves:
            leaves[leaf.instance.name, tuple(value for _, value in leaf.instance.arguments)].append(leaf)
        seen = 0
        for action in self.protocol.actions:
            choices = list(itertools.product(*(self._arguments(value) for value in action.arguments.values())))
            seen += len(choices)
            if sample and len(choices) > SAMPLE:
                choices = random.Random(len(choices)).sample(choices, SAMPLE)
            for chosen in choices:
                key = action.name, tuple(value for value, _ in chosen)
                if key not in leaves:
                    raise Difference(f"the instances of {action.name}")
                self._action(action, [pair for _, pair in chosen if pair], leaves[key])
        if seen != len(leaves):
            raise Difference("the instances of the actions")

    def _arguments(self, value: Any) -> list[tuple[Any, Any]]:
        if isinstance(value, Element):
            return [(i, (value.term, element)) for i, element in enumerate(self.elements[value.sort])]
        return [(value, None)]

    def _action(self, action: ReadAction, chosen: Sequence[Any], leaves: Sequence[Leaf]) -> None:
        known: dict[int, Any] = {}

        def here(term: Any) -> Any:
            return self.expanded(z3.substitute(term, *chosen) if chosen else term, known)

        guard, fault = here(action.guard), here(action.fault)
        failing = z3.Or([leaf.guard for leaf in leaves if leaf.error is not None])
        going = [leaf for leaf in leaves if leaf.error is None]
        parts = [failing == fault, z3.Or([leaf.guard for leaf in going]) == z3.And(guard, z3.Not(fault))]
        cells = [term for term, _ in self.system.states.cells(0, 0)]
        after = [(part, [here(t) for t in action.after[name](at)], first) for name, at, part, first in self.leaves]
        slots = self.system.states.places[0]
        for leaf in going:
            writes = dict(leaf.writes)
            values = [writes.get(slot, cell) for slot, cell in zip(slots, cells, strict=True)]
            equal = [self.same(part, terms, values[at : at + len(part.sorts)]) for part, terms, at in after]
            parts.append(z3.Implies(leaf.guard, z3.And(equal)))
        self._none(f"the action {action.name}", z3.And(parts))


def invariants(protocol: Protocol) -> dict[str, Condition]:
    """The invariants of a spec."""
    return {found.name: protocol.property_of(found) for found in protocol.spec._marked(marks.INVARIANT)}
