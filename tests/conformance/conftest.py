"""Real Kafka for tests: the jars of one release, or the reason why there are none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.errors import EverystateError
from everystate.model.conformance.process import run
from everystate.model.conformance.versions import Kafka

VERSION = "4.3.1"
MISSING = ("E520", "E521", "E702", "E703", "E510")
"""What is skipped: no Java, no tool to fetch with, nothing to fetch from, no JPype; any other error fails."""


@pytest.fixture(scope="session")
def release() -> Callable[[str], Callable[..., Any]]:
    """By version: what calls function(line, *args) in a process with the classes of a release."""
    return lambda version: partial(run, *provided(version))


@pytest.fixture(scope="session")
def kafka(release: Callable[[str], Callable[..., Any]]) -> Callable[..., Any]:
    """Calls function(line, *args) in a process with the classes of VERSION."""
    return release(VERSION)


def provided(version: str, **given: Any) -> tuple[Kafka, Sequence[Path]]:
    """A release and its jars; the test is skipped where they cannot be had."""
    from everystate.checker import java
    from everystate.model.conformance.jars import provide

    try:
        java.find("Kafka", 17, "kafka")
        return provide(version, **given)
    except EverystateError as error:
        if error.code not in MISSING:
            raise
        pytest.skip(f"real Kafka cannot be had here: {error}")
