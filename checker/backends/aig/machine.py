"""A model as a circuit whose output says that something is violated.

Inputs choose a leaf of the decision trees; where its guard does not hold, the state stays as it is. An only initial
state is the one in which all latches hold 0. Otherwise one more latch says that inputs have chosen an initial state.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...ir.initial_states import Table, tables
from ...ir.traced import Model, TracedAction
from ...ir.tree import Branch, Choice, Fault, Tree, Update, folded, nodes
from ...language import marks
from ..native.initial_states import InitialStates
from .circuit import FALSE, TRUE, Circuit
from .places import Place, State
from .words import Unsupported, Words

ROWS = 1 << 12
"""The most initial values of one variable, or initial states where @initial methods write."""
FAILS, STAYS, PROPERTY = "an action fails", "no action is enabled", "a property"


@dataclass(frozen=True)
class Wanted:
    """Something that must not happen: its kind, and for a property its index. `error` is the number of the error that
    its evaluation has, None where it is false."""

    kind: str
    index: int = -1
    error: int | None = None


class Machine:
    """The circuit of a model as the bytes of an AIGER file, and what its latches mean.

    Unsupported where a part of the model has no circuit.
    """

    def __init__(self, model: Model, wanted: Sequence[Wanted]) -> None:
        self.model, self.circuit = model, Circuit()
        self.places = [Place(i, cell.lo, cell.hi, cell.boolean) for i, cell in enumerate(model.cells)]
        self.latches = [latch for place in self.places for latch in place.latches]
        begins = self._beginnings()
        self.only = all(len(rows) == 1 for rows in begins) and not self._filters
        self.flips = [bit for bits in self._first(begins) for bit in bits] if self.only else [0] * len(self.latches)
        started = TRUE if self.only else self.circuit.latch()
        held = iter([self.circuit.latch() ^ flip for flip in self.flips])
        self.now = State(self.circuit, self.places, [[next(held) for _ in place.latches] for place in self.places])
        self.read = Words(self.circuit, self.now)
        self._take()
        self.bad = self.circuit.and_(started, self.circuit.any(map(self._violated, wanted)))
        """The output: something is violated."""
        after = [bit ^ flip for bit, flip in zip(itertools.chain(*self.next.held), self.flips, strict=True)]
        self.following = after if self.only else self._begun(begins, started, after)
        """What the latches of the circuit hold next."""
        self.file = self.circuit.file(self.following, self.bad)

    def meaning(self, latch: int) -> tuple[int, bool] | None:
        """(number of the predicate, the value with which it holds) of a latch of the circuit; None for the latch that
        says that an initial state was chosen."""
        latch -= not self.only
        return None if latch < 0 else (latch, not self.flips[latch])

    # -- steps ---------------------------------------------------------------------------------------------

    def _take(self) -> None:
        """Guards, errors, and the state after the step that the inputs have chosen."""
        circuit = self.circuit
        leaves = [leaf for action in self.model.actions for leaf in self._leaves(action.tree)]
        self.inside = circuit.all(map(self.read, self.model.inside))
        self.fails = [guard for guard, update in leaves if update is None]
        self.enabled = [guard for guard, _ in leaves]
        steps = [(guard, update) for guard, update in leaves if update is not None]
        self.steps = len(steps)
        """How many leaves the first inputs choose among, by number."""
        chosen = zip(self._chosen(len(steps)), steps, strict=True)
        taken = [circuit.all([here, guard, self.inside]) for here, (guard, _) in chosen]
        self.taken = circuit.any(taken)
        writes: list[dict[tuple[int, ...], list[int]]] = [{} for _ in self.places]
        for here, (_, update) in zip(taken, steps, strict=True):
            for cell, term in update.writes:
                held = tuple(self.places[cell].of_term(self.read, term))
                writes[cell].setdefault(held, []).append(here)
        held_next = [self._written(now, by) for now, by in zip(self.now.held, writes, strict=True)]
        self.next = State(circuit, self.places, held_next)

    def _written(self, now: Sequence[int], writes: dict[tuple[int, ...], list[int]]) -> list[int]:
        """What the latches of a cell hold after a step, given who writes what."""
        circuit = self.circuit
        options = [(circuit.any(by), held) for held, by in writes.items()]
        options.append((circuit.any(by for by, _ in options) ^ 1, tuple(now)))
        return [circuit.any(circuit.and_(by, held[i]) for by, held in options) for i in range(len(now))]

    def _chosen(self, number: int) -> list[int]:
        """A literal for each of some options, at most one of which holds: inputs have the number of one."""
        bits = [self.circuit.input() for _ in range((number - 1).bit_length() if number else 0)]
        return [self.circuit.all(bit ^ (k >> i & 1) ^ 1 for i, bit in enumerate(bits)) for k in range(number)]

    def _leaves(self, tree: Tree) -> Iterator[tuple[int, Update | None]]:
        """(guard, update) of each leaf; no update where the step fails."""
        todo: list[tuple[Tree, int]] = [(tree, TRUE)]
        while todo:
            node, path = todo.pop()
            if isinstance(node, Branch):
                condition = self.read(node.condition)
                todo.append((node.otherwise, self.circuit.and_(path, condition ^ 1)))
                todo.append((node.then, self.circuit.and_(path, condition)))
            elif isinstance(node, Choice):
                todo += [(option, path) for option in node.options]
            elif isinstance(node, (Fault, Update)):
                yield path, node if isinstance(node, Update) else None

    # -- what must not happen ------------------------------------------------------------------------------

    def _violated(self, wanted: Wanted) -> int:
        circuit = self.circuit
        if wanted.kind == FAILS:
            return circuit.and_(self.inside, circuit.any(self.fails))
        if wanted.kind == STAYS:
            return circuit.and_(self.inside, circuit.any(self.enabled) ^ 1)
        prop = self.model.properties[wanted.index]
        read = Words(circuit, self.next, self.now) if prop.steps else self.read
        errors = [read(condition) for condition, _ in prop.errors]
        found = circuit.and_(read(prop.term) ^ 1, circuit.any(errors) ^ 1)
        found = found if wanted.error is None else errors[wanted.error]
        return circuit.and_(self.taken, found) if prop.steps else found

    # -- initial states ------------------------------------------------------------------------------------

    @property
    def _filters(self) -> Sequence[TracedAction]:
        """The @initial methods, if they only exclude combinations of declared values."""
        hooks = self.model.beginning
        writes = any(isinstance(node, Update) and node.writes for hook in hooks for node in nodes(hook.tree))
        return () if writes else hooks

    def _beginnings(self) -> list[list[tuple[int, ...]]]:
        """Initial values of consecutive cells; the initial states are their combinations, as far as filters allow."""
        spec = self.model.spec
        if spec._named(marks.INITIAL) and not self._filters:
            found = [list(dict.fromkeys(itertools.islice(InitialStates(self.model).each(), ROWS + 1)))]
        else:
            found = [rows_of(table) for domain in spec.domains.values() for table in tables(domain)]
        if any(len(rows) > ROWS for rows in found):
            raise Unsupported("there are too many initial values")
        return found

    def _first(self, begins: Sequence[Sequence[tuple[int, ...]]]) -> list[list[int]]:
        """What the latches of each cell hold in the first initial state."""
        values = [value for rows in begins for value in rows[0]]
        return [place.of_value(value) for place, value in zip(self.places, values, strict=True)]

    def _begun(self, begins: Sequence[Sequence[tuple[int, ...]]], started: int, after: list[int]) -> list[int]:
        """What all latches hold next, where inputs choose the initial state."""
        held = self._any_of(begins)
        read = Words(self.circuit, State(self.circuit, self.places, held))
        accepted = self.circuit.all(folded(hook.tree, self._succeeds, read) for hook in self._filters)
        chosen = itertools.chain(*held)
        latches = [self.circuit.ite(started, bit, first) for bit, first in zip(after, chosen, strict=True)]
        return [self.circuit.or_(started, accepted), *latches]

    def _any_of(self, begins: Sequence[Sequence[tuple[int, ...]]]) -> list[list[int]]:
        """What the latches of each cell hold in the initial state that inputs choose."""
        circuit, held, places = self.circuit, list[list[int]](), iter(self.places)
        for rows in begins:
            here = self._chosen(len(rows))
            here[-1] = circuit.any(here[:-1]) ^ 1
            for column in zip(*rows, strict=True):
                place = next(places)
                options = list(zip(*map(place.of_value, column), strict=True))
                held.append([circuit.any(itertools.compress(here, bits)) for bits in options])
        return held

    def _succeeds(self, node: Tree, parts: Sequence[int], read: Words) -> int:
        """Where an @initial method that writes nothing ends without an error."""
        match node:
            case Branch():
                return self.circuit.ite(read(node.condition), *parts)
            case Choice():
                return self.circuit.any(parts)
        return TRUE if isinstance(node, Update) else FALSE


def rows_of(table: Table) -> list[tuple[int, ...]]:
    """The rows of a table of initial values, and one more than ROWS where there are too many."""
    return [(v,) for v in table[: ROWS + 1]] if isinstance(table, range) else list(map(tuple, table.tolist()))
