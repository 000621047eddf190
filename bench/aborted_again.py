"""abortTransaction while a record that was sent again is on the way, and expires: what Kafka's own client does then.

    python bench/aborted_again.py [VERSION] ...

Prints the client's state and its request to the coordinator after each step (2.5 to 4.4; brokers without TV2), and what
beginTransaction says in the end.
"""

from __future__ import annotations

import sys

from everystate.model.conformance.jars import provide
from everystate.model.conformance.process import Line, run


def story(line: Line) -> list[str]:
    """The steps, each with what is seen after it."""
    import jpype

    from everystate.model.conformance.clock import Clock
    from everystate.model.conformance.transactions.client import TransactionalClient

    client, told = TransactionalClient(1, False, Clock(1_000_000_000)), []

    def seen(step: str) -> None:
        told.append(f"{step:<32}{client.state():<22}{client.asked() or '-'}")

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
    assert client.last is not None
    seen(f"abortTransaction: {client.last.ended}")
    try:
        client.begin_transaction()
        seen("beginTransaction")
    except jpype.JException as error:
        told.append(f"{'beginTransaction':<32}{error.getClass().getSimpleName()}: {error.getMessage()}")
    return told


def main(*versions: str) -> None:
    """Every release in a process of its own."""
    for version in versions or ("3.9.2",):
        kafka, paths = provide(version)
        print(f"Kafka {version}")
        for text in run(kafka, paths, story):
            print(f"  {text}")


if __name__ == "__main__":
    main(*sys.argv[1:])
