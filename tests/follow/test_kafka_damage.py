"""A small recorded run, damaged in every way."""

from __future__ import annotations

from collections import Counter

import pytest

from .kafka_damage import Brute, Run, damages

EXPECTED = {
    ("dropped", "DEVIATES"): 1,  # the first request
    ("dropped", "FOLLOWS"): 2,  # an answer that is read unseen, and the last one
    ("dropped", "error"): 2,
    ("doubled", "DEVIATES"): 3,
    ("doubled", "error"): 2,
    ("swapped", "FOLLOWS"): 1,
    ("swapped", "error"): 3,
    ("number", "DEVIATES"): 15,
    ("number", "FOLLOWS"): 2,  # a lost request on the next connection; a sequence after a batch that timed out
    ("number", "error"): 14,
    ("number", "same"): 11,  # times, where no clock orders logs, and the correlation of a request without an answer
    ("cut", "error"): 15,
}


@pytest.mark.thorough
def test_every_damage_of_a_run_is_called_what_it_is() -> None:
    """Where a damaged log follows, plain Python finds a behaviour, too."""
    run, judge, found = Run("expiry"), Brute("expiry"), Counter[tuple[str, str]]()
    for damage in damages(run.lines):
        verdict, _, events = run.becomes(damage.lines)
        found[damage.kind, verdict] += 1
        if verdict == "FOLLOWS":
            assert judge.follows(events), damage
    assert found == EXPECTED
