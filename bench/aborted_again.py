"""abortTransaction while a record that was sent again is on the way, and expires: what Kafka's own client does then.

    python bench/aborted_again.py [VERSION] ...

Prints after each step the client's state, its request to the coordinator, and how its last call has ended (2.5 to 4.4;
brokers without TV2).
"""

from __future__ import annotations

import sys
from typing import NamedTuple

from everystate.model.conformance.jars import provide
from everystate.model.conformance.process import Line, run


class Told(NamedTuple):
    """What is seen after a step: the client's state, its request to the coordinator, how its last call has ended."""

    step: str
    state: str
    request: str
    call: str


def story(line: Line) -> list[Told]:
    """The steps, each with what is seen after it (T9.13)."""
    import jpype

    from everystate.model.conformance.clock import Clock
    from everystate.model.conformance.transactions.client import TransactionalClient

    client, told = TransactionalClient(1, False, Clock(1_000_000_000)), []

    def seen(step: str, call: str = "") -> None:
        assert client.last is not None
        told.append(Told(step, client.state(), str(client.asked() or "-"), call or client.last.ended or "open"))

    client.init_transactions()
    client.told("NONE", (1000, 5))
    client.begin_transaction()
    client.send(0, 0)
    client.told("NONE")
    client.drain(0)
    client.lose(0)
    client.drain(0)
    seen("the record is sent again")
    client.abort()
    seen("abortTransaction is called")
    client.expire_record(0)
    seen("the record expires")
    client.told("NONE")
    seen("EndTxn is answered")
    try:
        client.begin_transaction()
        seen("beginTransaction", "ok")
    except jpype.JException as error:
        seen("beginTransaction", str(error.getClass().getSimpleName()))
    return told


def main(*versions: str) -> None:
    """Every release in a process of its own."""
    for version in versions or ("3.9.2",):
        kafka, paths = provide(version)
        print(f"Kafka {version}")
        for step, state, request, call in run(kafka, paths, story):
            print(f"  {step:<28}{state:<22}{request:<36}{call}")


if __name__ == "__main__":
    main(*sys.argv[1:])
