"""Every pinned release by its own signatures: what is made of them agrees, and one that is unknown is told by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from everystate.model.conformance.signatures import FIXED, FORMS, TYPES
from tests.conformance import jobs
from tests.selection import quick

pytestmark = pytest.mark.kafka
OLDEST, MIDDLE, NEWEST = "2.5.1", "3.2.3", "4.4.0"
"""The ends of what is pinned, and a release between the changes of the wire (2.8) and of the books (3.3)."""


def test_every_parameter_of_every_form_has_a_type() -> None:
    used = {name for forms in FORMS.values() for form in forms for name in form.split()}
    assert used - set(TYPES) == set() and set(TYPES) - used == set()
    assert set(FIXED) - used == set()


@pytest.mark.parametrize("version", quick([OLDEST], [OLDEST, MIDDLE, NEWEST]))
def test_a_client_sends_is_answered_and_bumps(release: Callable[..., Any], version: str) -> None:
    told = release(version)(jobs.send_three)
    assert told == {
        "release": version,
        "would send": [0, 1, 2],
        "requests": [((0,), 1000, 0, 0), ((1,), 1000, 0, 1), ((2,), 1000, 0, 2)],
        "acked": [0, None, None],
        "in flight": [(1, 1, 1, False), (2, 2, 0, False)],
        "bump requested": True,
        "after the bump": [(1, 0, 1, True), (2, 1, 1, True)],
        "pair": (1000, 1),
    }


@pytest.mark.thorough
def test_signatures_that_differ_are_told_with_what_is_there_instead(release: Callable[..., Any]) -> None:
    told = release(NEWEST)(jobs.unknown)
    assert [(code, what) for code, what, _ in told] == [
        ("E710", "Kafka 4.4.0 has no class Selectable"),
        ("E710", "Kafka 4.4.0 has no Sender.txnPartitionMap"),
        ("E710", "Kafka 4.4.0 has no BufferPool(boolean, int)"),
    ]
    assert told[-1][2].splitlines() == [
        "error E710: Kafka 4.4.0 has no BufferPool(boolean, int)",
        "  why: classes are called by the signatures of the supported releases; declared there: "
        "BufferPool(long, int, Metrics, Time, String); BufferPool(long, int, Metrics, Time, String, AllocationMode)",
        "  do: choose another version, or report it: the release is newer than this table",
        "  see: everystate errors E710",
    ]
