"""Real Kafka for tests: the jars of one release, or the reason why there are none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from everystate.checker.errors import EverystateError

VERSION = "4.3.1"
MISSING = ("E520", "E521", "E702", "E703", "E510")
"""What is skipped: no Java, no tool to fetch with, nothing to fetch from, no JPype; any other error fails."""


@pytest.fixture(scope="session")
def release() -> Callable[[str], Callable[..., Any]]:
    """By version: what calls function(line, *args) in a process with the classes of a release."""
    return _release


@pytest.fixture(scope="session")
def kafka() -> Callable[..., Any]:
    """Calls function(line, *args) in a process with the classes of VERSION."""
    return _release(VERSION)


def _release(version: str) -> Callable[..., Any]:
    from everystate.checker import java
    from everystate.model.conformance.jars import provide
    from everystate.model.conformance.process import run

    try:
        java.find("Kafka", 17, "kafka")
        found, paths = provide(version)
    except EverystateError as error:
        if error.code not in MISSING:
            raise
        pytest.skip(f"real Kafka cannot be had here: {error}")
    return lambda function, *args: run(found, paths, function, *args)
