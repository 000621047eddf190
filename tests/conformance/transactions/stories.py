"""Stories of a real transactional producer, told where there is a JVM."""

from __future__ import annotations

from typing import Any

import pytest

from everystate.model.conformance.clock import Clock
from everystate.model.conformance.transactions.client import TransactionalClient


def aborted_again(line: Any) -> list[tuple[str, str, str]]:
    """T9.13: state, request, how abortTransaction ended; when the record has expired, at the answer, at a new begin."""
    import jpype

    client = TransactionalClient(1, False, Clock(1_000_000_000))

    def seen(state: str) -> tuple[str, str, str]:
        assert client.last is not None
        return state, str(client.asked()), client.last.ended or "open"

    client.init_transactions()
    client.told("NONE", (1000, 5))
    client.begin_transaction()
    client.send(0, 0)
    client.told("NONE")
    client.drain(0)
    client.lose(0)
    client.drain(0)
    client.abort()
    client.expire_record(0)
    found = [seen(client.state())]
    client.told("NONE")
    found.append(seen(client.state()))
    with pytest.raises(jpype.JException) as thrown:
        client.begin_transaction()
    return [*found, seen(str(thrown.value.getClass().getSimpleName()))]
