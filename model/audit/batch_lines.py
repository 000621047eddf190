"""Reads dumps with a line for each batch: many lines at once through Arrow's reader of separated values.

All lines of a version have the same words at the same positions, which the first line of a chunk gives. A chunk with a
different line is halved until that line is alone; so one damaged line costs little and hides no other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from .schema import CONTROL, NO_SEQUENCE, TRANSACTIONAL, WEAK, Batches, Columns, Flaw, Items
from .segment import MODULUS

NUMBERS = {
    "baseOffset": "base_offset",
    "lastOffset": "last_offset",
    "baseSequence": "first_sequence",
    "lastSequence": "last_sequence",
    "producerId": "producer_id",
    "producerEpoch": "epoch",
    "position": "position",
    "size": "size",
}
"""The numbers that every line of a batch has."""
OPTIONAL = ("count", "partitionLeaderEpoch", "crc")
"""Numbers that some versions print."""
FACTS = ("isTransactional", "isControl", "isvalid")
CHECKED = ("baseSequence", "producerId", "isvalid")
"""Fields whose names are compared in every line."""
CREATED = "CreateTime"
NARROW = {"first_sequence": np.int32, "last_sequence": np.int32, "epoch": np.int32, "leader_epoch": np.int32}
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Facts:
    """The properties of batches."""

    transactional: Array
    control: Array
    valid: Array


def read_lines(lines: bytes, text: bytes, at: int) -> Items:
    """The batches of some lines, in a text that begins at a byte of the dump."""
    form = Form.of(lines[: lines.index(b"\n")])
    table = form.read(lines) if form else None
    if form is not None and table is not None and (columns := form.columns(table)) is not None:
        yield from sound(columns, form.facts(table), form.numbers(table, "count", 0))
        return
    if lines.count(b"\n") > 1:
        middle = lines.index(b"\n", len(lines) // 2 - 1) + 1
        middle = middle if middle < len(lines) else lines.index(b"\n") + 1
        yield from read_lines(lines[:middle], text, at)
        yield from read_lines(lines[middle:], text, at)
        return
    line = lines.rstrip(b"\n")
    message = line[:120].decode("utf-8", "backslashreplace")
    yield Flaw("bad-line", at + max(0, text.find(line)), len(line), message + ("..." if len(line) > 120 else ""))


@dataclass(frozen=True)
class Form:
    """The positions of the fields in the lines of a dump: the index of each value among the words of a line."""

    words: int
    values: dict[str, int]
    time: int

    @staticmethod
    def of(line: bytes) -> Form | None:
        """The form of a line; None where a required field is missing."""
        words = line.rstrip(b" ").split(b" ")
        names = [word[:-1].decode("ascii", "replace") for word in words[::2] if word.endswith(b":")]
        values = {name: 2 * at + 1 for at, name in enumerate(names)}
        if len(names) * 2 != len(words) or not set(NUMBERS) | {"isTransactional", "isvalid"} <= set(values):
            return None
        return Form(len(words), values, values["position"] + 1)

    def read(self, lines: bytes) -> pa.Table | None:
        """The fields that matter, as a table; None where some line has another form."""
        taken = {name: values for name, values in self.values.items() if name in (*NUMBERS, *FACTS, *OPTIONAL)}
        types: dict[str, Any] = {f"f{at}": pa.bool_() if name in FACTS else pa.int64() for name, at in taken.items()}
        types |= {
            f"f{at - 1}": pa.dictionary(pa.int32(), pa.string())
            for at in (*map(self.values.__getitem__, CHECKED), self.time + 1)
        }
        types[f"f{self.time + 1}"] = pa.int64()
        options = csv.ConvertOptions(
            include_columns=list(types), column_types=types, null_values=["null"], strings_can_be_null=False
        )
        reading = csv.ReadOptions(autogenerate_column_names=True, use_threads=False, block_size=1 << 20)
        try:
            return csv.read_csv(
                pa.BufferReader(lines),
                reading,
                csv.ParseOptions(delimiter=" ", quote_char=False, ignore_empty_lines=False),
                options,
            )
        except (pa.ArrowInvalid, pa.ArrowKeyError):
            return None

    def columns(self, table: pa.Table) -> Columns | None:
        """The columns of the batches; None where a line has its fields in another order, or an impossible number."""
        for name in CHECKED:
            if table[f"f{self.values[name] - 1}"].unique().to_pylist() != [f"{name}:"]:
                return None
        if any(table[f"f{self.values[name]}"].null_count for name in (*NUMBERS, "isTransactional", "isvalid")):
            return None
        found = {own: table[f"f{self.values[name]}"].to_numpy() for name, own in NUMBERS.items()}
        found["leader_epoch"] = self.numbers(table, "partitionLeaderEpoch", -1)
        span = found["last_offset"] - found["base_offset"]
        first, last = found["first_sequence"], found["last_sequence"]
        wrong = (span < 0) | ((first >= 0) & (((last - first) % MODULUS) != span)) | (found["base_offset"] < 0)
        wrong |= (first < NO_SEQUENCE) | (first >= MODULUS) | (last >= MODULUS) | (found["size"] < 0)
        return None if wrong.any() else found | {"content": self._content(table, found, span)}

    def numbers(self, table: pa.Table, name: str, default: int) -> Array:
        """A number that some versions print; the default for all lines where this one does not."""
        if name not in self.values:
            return np.full(table.num_rows, default, np.int64)
        return np.asarray(pc.fill_null(table[f"f{self.values[name]}"], default).to_numpy())

    def _content(self, table: pa.Table, found: Columns, span: Array) -> Array:
        """The content key: a text has only size, number and newest time of records, and the time may be the
        broker's; without a producer id the checksum is that of the records."""
        created = pc.equal(table[f"f{self.time}"].cast(pa.string()), f"{CREATED}:").to_numpy()
        time = table[f"f{self.time + 1}"].to_numpy()
        mixed = (time * 1_000_003 + found["size"]) * 31 + self.numbers(table, "count", 0) * 7 + span
        weak = np.where(created & (time >= 0), mixed & (2**63 - 1), 0)
        checksum = self.numbers(table, "crc", 0).astype(np.int64)  # with a producer id it covers the sequence as well
        return np.where((found["producer_id"] < 0) & (checksum > 0), (checksum << 31) ^ found["size"], weak)

    def facts(self, table: pa.Table) -> Facts:
        """The properties in the lines; brokers before 2.0 do not say which batches are markers."""

        def fact(name: str) -> Array:
            return np.asarray(pc.fill_null(table[f"f{self.values[name]}"], False).to_numpy())

        sequence = table[f"f{self.values['baseSequence']}"].to_numpy()
        producer = table[f"f{self.values['producerId']}"].to_numpy()
        control = fact("isControl") if "isControl" in self.values else (producer >= 0) & (sequence < 0)
        return Facts(fact("isTransactional"), control, fact("isvalid"))


def sound(columns: Columns, facts: Facts, count: Array) -> Items:
    """The batches that the dump found valid, and a flaw for each other one."""
    columns = _typed(columns, facts)
    first = 0
    for at in [*np.flatnonzero(~facts.valid).tolist(), len(facts.valid)]:
        if at > first:
            yield Batches({name: values[first:at] for name, values in columns.items()}, int(count[first:at].sum()))
        if at < len(facts.valid):
            message = f"told by the dump; offset {columns['base_offset'][at]}"
            yield Flaw("checksum", int(columns["position"][at]), int(columns["size"][at]), message)
        first = at + 1


def _typed(columns: Columns, facts: Facts) -> Columns:
    """Columns in the types of the schema, with their flags."""
    found: Columns = {name: values.astype(NARROW.get(name, np.int64)) for name, values in columns.items()}
    found["flags"] = (facts.transactional * TRANSACTIONAL + facts.control * CONTROL + WEAK).astype(np.int8)
    return found
