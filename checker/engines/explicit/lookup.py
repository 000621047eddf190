"""Finds stored states by their keys through the table of a store, as machine code does (see backends/native/context).

It is written a second time here, for arrays of keys. What a slot points at is compared with the whole key, so what is
found is stored there. What is not found may still be stored, if the table is damaged.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...backends.native.interface import HASH_SEED, LANES, LANES_BITS, MULTIPLIERS
from .store import Store


def hashed(keys: Any) -> Any:
    """The hash of each key, a row of words each."""
    value = np.full(len(keys), HASH_SEED, np.uint64)
    for word in range(keys.shape[1]):
        value = (value ^ keys[:, word]) * np.uint64(MULTIPLIERS[word % len(MULTIPLIERS)])
        value ^= value >> np.uint64(29)
    value *= np.uint64(MULTIPLIERS[-1])
    return value ^ (value >> np.uint64(32))


def indexes(store: Store, keys: Any) -> Any:
    """The index of the stored state with each key; -1 where none is found. No worker is running."""
    found = np.full(len(keys), -1, np.int64)
    table, bits = store.table.array(np.uint32)[: 1 << store.bits].reshape(-1, LANES), store.bits
    values = hashed(keys)
    tags = (values >> np.uint64(bits - LANES_BITS)) & np.uint64((1 << (31 - bits)) - 1)
    buckets = values & np.uint64(len(table) - 1)
    left = np.arange(len(keys))
    for _ in range(len(table)):
        if not len(left):
            break
        slots = table[buckets[left]]
        for some, index in _candidates(slots, tags[left], bits):
            equal = (store.keys_at(index) == keys[left[some]]).all(axis=1)
            found[left[some[equal]]] = index[equal]
        open_ = (slots != 0).all(axis=1) & (found[left] < 0)
        left = left[open_]
        buckets[left] = (buckets[left] + np.uint64(1)) & np.uint64(len(table) - 1)
    return found


def _candidates(slots: Any, tags: Any, bits: int) -> Iterator[tuple[Any, Any]]:
    """For each lane the rows whose slot has the right tag, and the indexes in these slots."""
    for lane in range(LANES):
        slot = slots[:, lane].astype(np.uint64)
        some = np.flatnonzero((slot != 0) & (slot >> np.uint64(bits + 1) == tags))
        if len(some):
            yield some, (slot[some] & np.uint64((1 << bits) - 1)).astype(np.int64) - 1
