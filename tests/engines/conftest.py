"""Chunks of a few states, so that all workers of a search take part in small levels too."""

from __future__ import annotations

import pytest

from everystate.checker.engines import exhaustive


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exhaustive, "CHUNK", 8)
