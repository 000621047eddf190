"""A state as words, and back."""

from __future__ import annotations

from random import Random

import numpy as np

from everystate.checker.ir.layout import plan
from everystate.checker.language.domains import Bool, Int

EDGES = {
    "all": Int(-(2**61), 2**61 - 1),
    "low": Int(1 - 2**62, 5 - 2**62),
    "one": Int(7, 7),
    "truth": Bool(),
    "high": Int(2**61, 2**62 - 1),
    "small": Int(-3, 4),
}


def test_many_states_are_unpacked_as_each_of_them_is() -> None:
    layout, random = plan(dict(EDGES)), Random(5)
    cells = [cell for name, domain in EDGES.items() for cell in domain.cells(name)]
    states = [tuple(random.choice((c.lo, c.hi, random.randint(c.lo, c.hi))) for c in cells) for _ in range(200)]
    rows = np.array([layout.pack(state) for state in states], np.uint64)
    assert layout.words == 3
    assert layout.unpack_all(rows) == states == [layout.unpack(row) for row in rows.tolist()]
    assert layout.unpack_all(rows[:0]) == []


def test_a_spec_without_variables_has_one_state() -> None:
    assert plan({}).unpack_all(np.zeros((2, 1), np.uint64)) == [(), ()]
