"""Blocks: whatever is packed, in parts and lots of any size, comes back once and in order."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from everystate.model.audit.blocks import ORDER, RECORD, Merge, pack, unpack
from everystate.model.audit.findings import walk
from everystate.model.audit.producers import Audit
from everystate.model.audit.schema import FIELDS, KEYS, Columns

from .columns import columns
from .generator import Batch, Log, Writer

NAMES = (*KEYS, *FIELDS)


def three_producers(count: int) -> list[Batch]:
    log, writers = Log(), [Writer(producer) for producer in (-1, 5, 7, 1 << 40)]
    for at in range(count):
        writer = writers[at * 7 % 4]
        log.append(writer, 1 + at % 3, **({} if writer.producer >= 0 else {"sequence": -1}))
    return log.batches


def part(rows: Columns, chosen: Any, unit: int) -> Columns:
    found = {name: values[chosen] for name, values in rows.items()}
    return found | {"unit": np.full(len(found["log"]), unit)}


def sorted_blocks(parts: list[Columns]) -> pa.Table:
    """The blocks of some parts, in the order in which Spark hands them to a task."""
    table = pa.Table.from_batches([pack(held) for held in parts])
    return table.sort_by([(name, "ascending") for name in ORDER[:3]]).combine_chunks()


def tuples(found: list[Columns]) -> list[tuple[int, ...]]:
    return [row for held in found for row in zip(*(held[name].tolist() for name in NAMES), strict=True)]


def test_a_block_is_a_row_with_its_lowest_offset_and_batches_without_a_producer_are_left_out() -> None:
    rows = columns([three_producers(12)])
    packed = pack({name: values[::-1] for name, values in rows.items()})
    told = [packed.column(name).to_pylist() for name in ("producer_id", "base_offset", "event")]
    assert told == [[5, 7, 1 << 40], [6, 3, 1], [None] * 3]
    assert [len(held) for held in packed.column("batches").to_pylist()] == [3 * RECORD.itemsize] * 3
    nothing = pack({name: values[:0] for name, values in rows.items()})
    assert (len(nothing), nothing.schema) == (0, packed.schema)


def test_a_part_of_a_table_unpacks_to_its_own_batches() -> None:
    rows = columns([three_producers(8), three_producers(16)])
    table = sorted_blocks([part(rows, rows["log"] == log, log) for log in (0, 1)])
    [whole] = table.to_batches()
    assert tuples([unpack(whole.slice(1, 3))]) == tuples([unpack(whole)])[2:10]


@settings(max_examples=80)
@given(st.data())
def test_batches_come_in_order_whatever_overlaps(data: st.DataObject) -> None:
    """Files that hold any parts of two logs, in any order of offsets, cut into blocks and lots of any size."""
    logs = [three_producers(data.draw(st.integers(1, 40))) for _ in range(2)]
    rows = columns(logs)
    rows["section"] = rows["log"].copy()
    places = st.lists(st.integers(0, len(rows["log"]) - 1), min_size=1, max_size=30)
    parts = [part(rows, np.array(chosen), unit) for unit, chosen in enumerate(data.draw(st.lists(places, max_size=6)))]
    if not parts:
        parts = [part(rows, slice(None), 0)]
    cuts = [part(held, slice(at, at + 5), unit) for unit, held in enumerate(parts) for at in range(0, 80, 5)]
    lots = sorted_blocks(cuts).to_batches(max_chunksize=data.draw(st.integers(1, 9)))
    merge = Merge()
    found = [merge.next(lot) for lot in lots if len(lot)]
    if merge.held is not None:
        found.append(merge.held)
    together = {name: np.concatenate([held[name] for held in parts]) for name in NAMES}
    owned = together["producer_id"] >= 0
    expected = {name: values[owned] for name, values in together.items()}
    order = np.lexsort([expected[name] for name in reversed(ORDER)])
    assert tuples(found) == tuples([{name: values[order] for name, values in expected.items()}])


def test_a_log_that_is_there_twice_in_other_pieces_is_walked_once() -> None:
    batches = three_producers(60)
    batches += [dataclasses.replace(batches[at], offset=1000 + at) for at in (29, 31)]
    rows = columns([batches])
    cuts = [part(rows, slice(at, at + size), size) for size in (7, 11) for at in range(0, len(rows["log"]), size)]
    lots = sorted_blocks(cuts).to_batches(max_chunksize=2)
    audit = Audit()
    expected = [(f.kind, f.batch.base_offset) for f in [*audit.read(rows), *audit.finish()]]
    found = [row for lot in walk(iter(lots)) for row in lot.to_pylist()]
    assert sorted(expected) == [("duplicate", 1029), ("duplicate", 1031)]
    assert [(row["kind"], row["base_offset"]) for row in found] == expected
