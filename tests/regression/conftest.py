"""Inner runs of pytest load no plugin but Everystate's: those of others take half a second each."""

from __future__ import annotations

import pytest

OTHERS = ("anyio", "hypothesispytest", "xdist")


@pytest.fixture(autouse=True)
def no_other_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", " ".join(f"-p no:{name}" for name in OTHERS))
