"""All successors of a state as a circuit has them, to be compared with the interpreter."""

from __future__ import annotations

import itertools
from random import Random

from everystate.checker.backends.aig import FAILS, PROPERTY, STAYS, Machine, Wanted
from everystate.checker.backends.interpreter import Valuation
from everystate.checker.ir.traced import Model
from everystate.checker.language.concrete import initial_states
from tests.agreement.states import arbitrary, initial

from .successors import expected

Cells = tuple[int, ...]
COMBINATIONS = 1 << 10


def machine(model: Model) -> Machine:
    """The circuit of a model, with everything that a proof looks for."""
    wanted = [Wanted(FAILS), *([] if model.spec._ends else [Wanted(STAYS)])]
    for index, prop in enumerate(model.properties):
        if prop.kind == "invariant":
            wanted += [Wanted(PROPERTY, index), *(Wanted(PROPERTY, index, k) for k in range(len(prop.errors)))]
    return Machine(model, wanted)


def held(circuit: Machine, cells: Cells) -> list[bool]:
    """What the latches hold in a state."""
    bits = [bit for place, value in zip(circuit.places, cells, strict=True) for bit in place.of_value(value)]
    flipped = [bool(bit) != bool(flip) for bit, flip in zip(bits, circuit.flips, strict=True)]
    return flipped if circuit.only else [True, *flipped]


def read(circuit: Machine, latches: list[bool]) -> Cells:
    """The state in which the latches hold some values."""
    values = latches if circuit.only else latches[1:]
    bits = iter([value != bool(flip) for value, flip in zip(values, circuit.flips, strict=True)])
    found = []
    for place in circuit.places:
        own = [next(bits) for _ in place.latches]
        if place.boolean:
            found.append(int(own[0]) if own else place.lo)
        elif place.bounded:
            found.append(place.hi - sum(own))
        else:
            found.append(place.lo + sum(1 << i for i, bit in enumerate(own) if bit))
    return tuple(found)


def wrong(model: Model, cells: Cells) -> bool:
    """Whether something is violated in a state, for the interpreter."""
    value, steps = Valuation(cells), expected(model, cells)
    inside = all(map(value, model.inside))
    fails = any(isinstance(after[0], str) for _, _, after in steps)
    judged = [prop for prop in model.properties if prop.kind == "invariant"]
    false = any(not value(p.term) or any(value(error) for error, _ in p.errors) for p in judged)
    return fails or (inside and not steps and not model.spec._ends) or false


def compare(model: Model, most: int) -> int:
    """Compare on initial, reached and arbitrary states; how many successors were the same."""
    circuit, random, seen, successors = machine(model), Random(most), set[tuple[int, ...]](), 0
    graph, number = circuit.circuit, len(circuit.circuit.inputs)
    todo = initial(model.spec)[: most // 2 + 1]
    todo += [arbitrary(model.spec, random) for _ in range(most // 2)]
    while todo and len(seen) < most:
        cells = todo.pop(random.randrange(len(todo)))
        if cells in seen:
            continue
        seen.add(cells)
        wanted = {after for _, _, after in expected(model, cells) if not isinstance(after[0], str)}
        latches, found = held(circuit, cells), set()
        assert read(circuit, latches) == cells
        for k in range(circuit.steps):
            inputs = [bool(k >> i & 1) for i in range(number)]
            found.add(read(circuit, graph.values(circuit.following, inputs, latches)))
        assert found | {cells} == wanted | {cells}, f"{cells}\ncircuit: {found}\ninterpreter: {wanted}"
        assert graph.values([circuit.bad], [False] * number, latches) == [wrong(model, cells)], cells
        successors += len(wanted)
        todo += wanted
    return successors


def beginnings(model: Model) -> set[Cells]:
    """The initial states, as the circuit has them."""
    circuit = machine(model)
    graph, latches = circuit.circuit, [False] * len(circuit.circuit.latches)
    if circuit.only:
        return {read(circuit, latches)}
    free = len(graph.inputs) - (circuit.steps - 1).bit_length()
    assert 1 << free <= COMBINATIONS
    found = set()
    for chosen in itertools.product([False, True], repeat=free):
        inputs = [*[False] * (len(graph.inputs) - free), *chosen]
        begun, *rest = graph.values(circuit.following, inputs, latches)
        if begun:
            found.add(read(circuit, [begun, *rest]))
    return found


def initials(model: Model) -> set[Cells]:
    """The initial states, by plain Python."""
    return {state.cells for state in initial_states(model.spec)}
