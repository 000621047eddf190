"""The model of leader epochs beside Kafka's epoch cache, by release."""

from __future__ import annotations

import pytest

from everystate.model.conformance.process import run
from tests.conformance.conftest import provided
from tests.conformance.epoch_caches import answered


@pytest.mark.kafka
@pytest.mark.thorough
@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("1.1.1", (False, False)),
        ("2.0.1", (True, False)),
        ("2.5.1", (True, False)),
        ("2.6.3", (True, True)),
        ("4.4.0", (True, True)),
    ],
)
def test_the_epoch_cache(version: str, expected: tuple[bool, bool]) -> None:
    """what `kafka-7415` and `kafka-10706` of the model change, in the first releases that have it"""
    assert run(*provided(version), answered) == expected
