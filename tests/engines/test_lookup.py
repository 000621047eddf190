"""Stored states are found through the table, each at its index, and nothing else is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from everystate.checker import Int, Spec, action, view
from everystate.checker.engines.explicit import compression, exhaustive, store
from everystate.checker.engines.explicit.history import History
from everystate.checker.engines.explicit.lookup import hashed, indexes
from everystate.checker.engines.limits import Limits
from everystate.checker.frontend import model
from everystate.specs.idem_producer import IdempotentProducer


class Seen(Spec):
    """States differ in one of two numbers."""

    may_terminate = True

    def variables(self) -> None:
        self.shown = Int(0, 20_000)
        self.hidden = Int(0, 3)

    @action(by=range(1, 4))
    def go(self, by: int) -> None:
        self.shown = min(20_000, self.shown + by)
        self.hidden = by

    @view
    def what_counts(self) -> Any:
        return self.shown


def searched(spec: Spec, **limits: Any) -> exhaustive.Exhaustive:
    search = exhaustive.Exhaustive(model.build(spec), Limits(cross_check=0, **limits))
    search.run()
    return search


def producer() -> Spec:
    return IdempotentProducer(batches=6, max_in_flight=5, max_sends=3, resets=2, bumps=1, leader_changes=1)


@pytest.mark.parametrize(
    ("spec", "limits", "distinct"),
    [
        (producer, {"workers": 1}, 49_355),
        (producer, {"workers": 2}, 49_355),
        (producer, {"workers": 2, "compress": True}, 49_355),
        (Seen, {"workers": 1}, 20_001),
    ],
)
@pytest.mark.parametrize("share", [0.8, 0.95])
def test_each_state_is_found_at_its_index(
    spec: Any, limits: Any, distinct: int, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compression, "FROM", 1000)
    monkeypatch.setattr(store, "FULL", share)
    search = searched(spec(), **limits)
    places = np.concatenate([np.arange(*part) for level in search.levels for part in level])
    assert len(places) == distinct and (search.store.part_tables is not None) == ("compress" in limits)
    keys = search.store.keys_at(places)
    assert (indexes(search.store, keys) == places).all()
    assert (indexes(search.store, keys ^ np.uint64(1 << 63)) == -1).all()
    history, asked = History(search.compiled, search.store, search.levels), [key.tobytes() for key in keys[::97]]
    assert history._looked_up(asked) == history.levels_of(asked)
    assert [*history.levels_of(asked).values()] == sorted(history.levels_of(asked).values())


def test_a_state_that_the_table_has_lost_is_found_among_all_states() -> None:
    search = searched(producer())
    history, place = History(search.compiled, search.store, search.levels), search.levels[7][0][0]
    key = search.store.keys_at(np.array([place]))
    slots = search.store.table.array(np.uint32)[: 1 << search.store.bits]
    bucket = int(hashed(key)[0]) & ((1 << search.store.bits) // 16 - 1)
    slots[16 * bucket : 16 * bucket + 16] = 0
    assert indexes(search.store, key).tolist() == [-1] and history.levels_of([key[0].tobytes()]) == {
        key[0].tobytes(): 8
    }
