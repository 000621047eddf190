"""What a real transactional producer does where the model has no step, told where there is a JVM."""

from __future__ import annotations

from typing import Any

from bench.aborted_again import Told, story
from everystate.model.conformance.clock import Clock
from everystate.model.conformance.transactions.client import TransactionalClient


def told(line: Any) -> tuple[list[Told], list[tuple[str, str, str]]]:
    """T9.13, and T9.9 without TV2 and with it."""
    return story(line), [ended_with_nothing(tv2, commits) for tv2 in (False, True) for commits in (False, True)]


def ended_with_nothing(tv2: bool, commits: bool) -> tuple[str, str, str]:
    """T9.9: a transaction is ended to which nothing was added: state, request to the coordinator, end of the call."""
    client = TransactionalClient(1, tv2, Clock(1_000_000_000))
    client.init_transactions()
    client.told("NONE", (1000, 5))
    client.begin_transaction()
    if commits:
        client.commit()
    else:
        client.abort()
    assert client.last is not None
    return client.state(), str(client.asked()), client.last.ended
