"""Real Kafka for tests: the jars of one release, or the reason why there are none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from everystate.checker.errors import EverystateError

VERSION = "4.3.1"
MISSING = ("E702", "E703", "E704", "E705", "E708")
"""What is skipped: no tool to fetch with, nothing to fetch from, no JPype; an error of any other code fails."""


@pytest.fixture(scope="session")
def kafka() -> Callable[..., Any]:
    """Calls function(line, *args) in a process with the classes of VERSION."""
    from everystate.checker import java
    from everystate.model.conformance.jars import provide
    from everystate.model.conformance.process import run

    try:
        java.find("Kafka", 17, "kafka")
        found, paths = provide(VERSION)
    except EverystateError as error:
        pytest.skip(f"real Kafka cannot be had here: {error}")
    return lambda function, *args: run(found, paths, function, *args)
