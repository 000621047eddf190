"""The broker's four checks of one batch, for a given producer state: which check decides, and what is answered.

The checks are the model's own methods. They run here on a log that has only what the broker remembers of one producer,
with the sequences of the user, without the bounds of a state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from .broker import Broker
from .generation import Generation
from .records import APPENDED, DUPLICATE, FENCED, OUT_OF_ORDER, UNKNOWN_PRODUCER

MODULUS = 2**31
CODES = {OUT_OF_ORDER: 45, DUPLICATE: 46, FENCED: 47, UNKNOWN_PRODUCER: 59}
BROKER, PARTITION, OTHERS, PRODUCER = 0, 0, 0, 1
Range = tuple[int, int]
"""The first and the last sequence of a batch."""


@dataclass(frozen=True)
class Check:
    """One check: the rule, what was compared, and whether it decides."""

    rule: str
    name: str
    finding: str
    decides: bool


@dataclass(frozen=True)
class CheckAnswer:
    """The checks in their order up to the one that decides, and the answer to the producer."""

    checks: tuple[Check, ...]
    answer: str


class Memory:
    """A leader with one partition, which remembers the batches of one producer; the methods are the model's."""

    duplicate_of: Any = Broker.duplicate_of
    is_known: Any = Broker.is_known
    last_known: Any = Broker.last_known
    refusal: Any = Broker.refusal
    answer_to_unknown: Any = Broker.answer_to_unknown
    out_of_order_answer: Any = Broker.out_of_order_answer
    remembered: Any = Broker.remembered
    modulus = MODULUS

    def __init__(self, generation: Generation, epoch: int, batches: Sequence[Range], log_is_empty: bool) -> None:
        self.server = generation
        others = [] if log_is_empty else [entry(OTHERS, 0, (0, 0))]
        entries = [*others, *(entry(PRODUCER, epoch, batch) for batch in batches)]
        self.log_capacity = len(entries)
        self.log = [SimpleNamespace(entries=entries, end=len(entries))]
        self.replica = [[SimpleNamespace(start=[0, 0])]]

    def partition_of(self, batch: int) -> int:
        """There is one partition."""
        return PARTITION

    def remembers(self, broker: int, partition: int) -> int:
        """How many batches of a producer a replica keeps (B5)."""
        return self.server.batches_remembered

    def own_log(self, broker: int, partition: int) -> list[Any]:
        """The log of the leader."""
        return self.log[partition].entries

    def after(self, request: Any) -> list[Range]:
        """Append a batch; what is remembered of the producer then."""
        entries = self.log[PARTITION].entries
        entries.append(request)
        return [sequences(entries[at]) for at in self.remembered(BROKER, PARTITION, PRODUCER)]


def sequences(batch: Any) -> Range:
    """The first and the last sequence of an entry or request."""
    return batch.sequence, batch.sequence + batch.size - 1


def entry(pid: int, epoch: int, batch: Range) -> Any:
    """A batch in the log, or in a request."""
    return SimpleNamespace(batch=0, pid=pid, epoch=epoch, sequence=batch[0], size=batch[1] - batch[0] + 1)


def explain(
    generation: Generation,
    known_epoch: int,
    known: Sequence[Range],
    epoch: int,
    batch: Range,
    log_is_empty: bool = False,
) -> CheckAnswer:
    """Go through the checks of a batch until one decides."""
    memory, request = Memory(generation, known_epoch, known, log_is_empty), entry(PRODUCER, epoch, batch)
    checks = [_duplicate(memory, request)]
    if checks[-1].decides:
        return CheckAnswer(tuple(checks), "NONE, with the offset of that batch; nothing is appended")
    outcome = memory.refusal(BROKER, request)
    checks.append(_epoch(memory, request, outcome))
    if not checks[-1].decides:
        checks.append(_sequence(memory, request, outcome))
    if outcome != APPENDED:
        return CheckAnswer(tuple(checks), f"{outcome} ({CODES[outcome]})")
    after = ", ".join(map(shown, memory.after(request)))
    checks.append(
        Check("B5", "append", f"the log appends it; the broker then remembers {after} of epoch {epoch}", True)
    )
    return CheckAnswer(tuple(checks), "NONE, with its own offset")


def shown(batch: Range) -> str:
    """A batch by its sequences."""
    return f"{batch[0]}-{batch[1]}"


def _duplicate(memory: Memory, request: Any) -> Check:
    hit = memory.duplicate_of(BROKER, request) >= 0
    same = f"epoch {request.epoch} and the sequences {shown(sequences(request))}"
    return Check("B2", "duplicate", f"{'a' if hit else 'no'} remembered batch has {same}", hit)


def _epoch(memory: Memory, request: Any, outcome: str) -> Check:
    exists, known, _ = memory.last_known(BROKER, PARTITION, PRODUCER)
    if not exists:
        return Check("B3", "epoch", "no epoch is known", False)
    relation = "lower than" if request.epoch < known else "the same as" if request.epoch == known else "higher than"
    return Check("B3", "epoch", f"{request.epoch} is {relation} the known epoch {known}", outcome == FENCED)


def _sequence(memory: Memory, request: Any, outcome: str) -> Check:
    exists, known, last = memory.last_known(BROKER, PARTITION, PRODUCER)
    refused = outcome != APPENDED
    first = f"first sequence {request.sequence}"
    if not exists:
        return Check("B4.1", "sequence", f"the producer id is not known; {first}", refused)
    if request.epoch > known:
        return Check("B4.3" if refused else "B4.2", "sequence", f"a new epoch begins at 0; {first}", refused)
    verb = "does not follow" if refused else "follows"
    return Check("B4.4", "sequence", f"{first} {verb} the last known sequence {last}", refused)
