"""What specs/baseline.json says of each scenario; one without a row fails as itself, and no other test with it.

Slow scenarios run with EVERYSTATE_SLOW=1, and in `everystate matrix`.
"""

from __future__ import annotations

import importlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from everystate import specs
from everystate.checker.engines.explicit.exhaustive import check
from everystate.checker.engines.limits import Limits
from everystate.checker.frontend.model import build
from everystate.checker.language.scenario import Scenario
from everystate.checker.results.result import Result

PATH = Path(specs.__file__ or "").with_name("baseline.json")
ROWS: dict[str, dict[str, Any]] = json.loads(PATH.read_text("utf-8"))["variants"]


def row(name: str) -> dict[str, Any]:
    """The row of a scenario."""
    if name not in ROWS:
        pytest.fail(f"{name} has no row in specs/baseline.json; CONTRIBUTING.md says how to write it")
    return ROWS[name]


def as_expected(scenario: Scenario) -> Result:
    """The search of a scenario, which has its expected lengths, and the counts of its row; skipped where it is slow."""
    if scenario.slow and os.environ.get("EVERYSTATE_SLOW") != "1":
        pytest.skip("slow: set EVERYSTATE_SLOW=1")
    module, name = scenario.target.split(":")
    spec = getattr(importlib.import_module(module), name)(**scenario.constants)
    result = check(build(spec), Limits(workers=2, max_memory=6 << 30))
    assert {v.property: v.length for v in result.violations} == scenario.expected
    assert not result.stopped
    known = row(scenario.name)
    assert [result.distinct, result.generated, result.depth] == [known[n] for n in ("distinct", "generated", "depth")]
    return result


def never_taken(result: Result) -> set[str]:
    """The actions that a search has not taken."""
    return {name for name, seen in result.coverage.items() if not seen.taken}


def states(name: str) -> int:
    """The states of a scenario; 0 without a row, so that its test is one of the fast ones, and fails."""
    return int(ROWS.get(name, {"distinct": 0})["distinct"])
