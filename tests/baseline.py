"""What specs/baseline.json says of each scenario; one without a row fails as itself, and no other test with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from everystate import specs

PATH = Path(specs.__file__ or "").with_name("baseline.json")
ROWS: dict[str, dict[str, Any]] = json.loads(PATH.read_text("utf-8"))["variants"]


def row(name: str) -> dict[str, Any]:
    """The row of a scenario."""
    if name not in ROWS:
        pytest.fail(f"{name} has no row in specs/baseline.json; CONTRIBUTING.md says how to write it")
    return ROWS[name]


def states(name: str) -> int:
    """The states of a scenario; 0 without a row, so that its test is one of the fast ones, and fails."""
    return int(ROWS.get(name, {"distinct": 0})["distinct"])
