"""How far the tests of the border go along the paths of a method before it is refused for having too many."""

from __future__ import annotations

import pytest

from everystate.checker.ir import explorer

MAX_PATHS = 2_000
"""Nothing here has between this and 10,000, which is the limit; counting to that takes seconds."""


@pytest.fixture(autouse=True)
def few_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer, "MAX_PATHS", MAX_PATHS)
