"""Brokers for tests: the jars of the newest pinned release, or the reason why there are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from everystate.checker.errors import EverystateError

MISSING = ("E520", "E521", "E702", "E703", "E510")
"""What is skipped: no Java, no tool to fetch with, nothing to fetch from, no JPype; any other error fails."""


@pytest.fixture(scope="session")
def paths() -> list[Path]:
    """The class path of a broker."""
    from everystate.checker import java
    from everystate.model.cluster.releases import BROKERS
    from everystate.model.conformance.jars import provide

    try:
        java.find("Kafka", 17, "kafka")
        return provide(pinned=BROKERS)[1]
    except EverystateError as error:
        if error.code not in MISSING:
            raise
        pytest.skip(f"real brokers cannot be had here: {error}")
