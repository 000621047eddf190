"""Real Kafka for tests: the jars of one release, or the reason why there are none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.errors import EverystateError
from everystate.model.conformance.versions import Kafka
from tests.conformance.kept import Kept

VERSION = "4.3.1"
MISSING = ("E520", "E521", "E702", "E703", "E510")
"""What is skipped: no Java, no tool to fetch with, nothing to fetch from, no JPype; any other error fails."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of one release go to one worker of xdist, one behind the other: they share its process."""
    for item in items:
        names, given = getattr(item, "fixturenames", ()), getattr(item, "callspec", None)
        version = VERSION if "kafka" in names else given and given.params.get("version")
        if version and ("kafka" in names or "release" in names) and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(f"kafka-{version}"))


@pytest.fixture(scope="session")
def release() -> Iterator[Callable[[str], Callable[..., Any]]]:
    """By version: what calls function(line, *args) in the process with the classes of a release."""
    kept: list[Kept] = []

    def of(version: str) -> Callable[..., Any]:
        given = provided(version)

        def call(function: Callable[..., Any], *args: Any) -> Any:
            if kept and not (kept[0].kafka == given[0] and kept[0].lives):
                kept.pop().end()
            if not kept:
                kept.append(Kept(*given))
            return kept[0].call(function, *args)

        return call

    yield of
    for each in kept:
        each.end()


@pytest.fixture(scope="session")
def kafka(release: Callable[[str], Callable[..., Any]]) -> Callable[..., Any]:
    """Calls function(line, *args) in the process with the classes of VERSION."""
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
