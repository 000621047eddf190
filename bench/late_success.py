"""A late success of a record that has expired, in the next transaction: what Kafka's own client makes of it.

    python bench/late_success.py [VERSION] ...

Prints after each step the client's state, lastAcked and the next sequence of the partition, and the results of the two
records of the second transaction (T9.17); without TV2, and from 4.0 on with it.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

from everystate.model.conformance.classes import has
from everystate.model.conformance.clock import Clock
from everystate.model.conformance.jars import provide
from everystate.model.conformance.process import Line, run
from everystate.model.conformance.transactions.client import UPDATES, TransactionalClient

EXPIRED, FIRST, SECOND = range(3)
"""The record of the first transaction, and those of the second one."""


class Seen(NamedTuple):
    """What is seen after a step."""

    step: str
    state: str
    last_acked: int | None
    next_sequence: int
    results: tuple[str, str]


class Story:
    """One producer with one partition, and what was seen of it."""

    def __init__(self, tv2: bool) -> None:
        self.client, self.seen = TransactionalClient(1, tv2, Clock(1_000_000_000)), list[Seen]()
        self.tv2 = tv2

    def tell(self, late: bool) -> list[Seen]:
        """Two transactions; the success of the expired record comes in the second one, or never."""
        client = self.client
        client.init_transactions()
        client.told("NONE", (1000, 5))
        client.begin_transaction()
        self._send(EXPIRED)
        client.expire_record(EXPIRED)
        if not late:
            client.lose(0)
        client.abort()
        client.told("NONE", (1000, 6) if self.tv2 else None)
        if not self.tv2:
            client.told("NONE", (1000, 6))
        client.begin_transaction()
        self._send(FIRST)
        self._send(SECOND)
        self._see("both records of the next transaction are on the wire")
        if late:
            client.hear(0, "NONE", 7)
            self._see("the expired record of the transaction before is acknowledged")
        client.hear(0, "NOT_ENOUGH_REPLICAS", -1)
        client.hear(0, "OUT_OF_ORDER_SEQUENCE_NUMBER", -1)
        self._see("the first record is refused for now, so the second is out of order")
        return self.seen

    def _send(self, record: int) -> None:
        self.client.send(record, 0)
        if self.client.asked() is not None:
            self.client.told("NONE")
        self.client.drain(0)

    def _see(self, step: str) -> None:
        entry = self.client.entry(0)
        first, second = (self._result(record) for record in (FIRST, SECOND))
        self.seen.append(Seen(step, self.client.state(), entry.last_acked, entry.next_sequence, (first, second)))

    def _result(self, record: int) -> str:
        found: Any = self.client.result(record)
        return "open" if found is None else found.error or "ok"


def stories(line: Line) -> dict[tuple[bool, bool], list[Seen]]:
    """By whether there is TV2, and whether the late success comes: what was seen."""
    kinds = (False, True) if has("TransactionManager", UPDATES) else (False,)
    return {(tv2, late): Story(tv2).tell(late) for tv2 in kinds for late in (False, True)}


def main() -> None:
    """Prints the stories of each release."""
    for version in sys.argv[1:] or ["4.4.0"]:
        for (tv2, late), seen in run(*provide(version), stories).items():
            print(f"Kafka {version}, {'TV2' if tv2 else 'without TV2'}, {'late success' if late else 'no late answer'}")
            for each in seen:
                print(f"  {each.step}: {each.state}, lastAcked {each.last_acked}, next {each.next_sequence}", end="")
                print(f", records {each.results[0]}, {each.results[1]}")


if __name__ == "__main__":
    main()
