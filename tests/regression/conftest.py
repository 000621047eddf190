"""Inner runs of pytest load no plugin but Everystate's: those of others take half a second each.

Each has a temporary folder of its own: runs that share one warn when they remove the same old files.
"""

from __future__ import annotations

from pathlib import Path

import pytest

OTHERS = ("anyio", "hypothesispytest", "xdist")


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    options = [*(f"-p no:{name}" for name in OTHERS), f"--basetemp={tmp_path / 'inner'}"]
    monkeypatch.setenv("PYTEST_ADDOPTS", " ".join(options))
