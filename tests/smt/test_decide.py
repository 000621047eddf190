"""Proofs without lemmas: the verdict of IC3 is that of the exhaustive search, and each proof is confirmed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

pytest.importorskip("z3", reason="z3 is not installed")

from everystate.checker.engines.explicit import exhaustive
from everystate.checker.engines.limits import Limits
from everystate.checker.engines.symbolic import decide as deciding
from everystate.checker.engines.symbolic.search import Question
from everystate.checker.errors import EverystateError
from everystate.checker.ir import explorer, model
from everystate.checker.ir.model import Model
from everystate.checker.results.result import Result
from everystate.checker.results.verdict import Verdict
from tests.agreement.long import MAX_PATHS
from tests.agreement.readers import load
from tests.agreement.test_random_specs import sources

SPECS = 40


def outcome(result: Result) -> tuple[Verdict, tuple[tuple[str, str, int | None], ...]]:
    """The verdict, and what is violated in the fewest steps."""
    found = [(v.property, v.kind.value, v.length) for v in result.violations]
    least = min((length for _, _, length in found if length is not None), default=None)
    return result.verdict, tuple(sorted(v for v in found if v[2] == least))


def agrees(traced: Model, explored: int | None = None) -> Verdict:
    """The verdict on a model, on which both engines agree."""
    wanted = outcome(exhaustive.check(traced, Limits(max_states=300_000)))
    found = deciding.decide(traced, Question(0, seconds=60, doublecheck=0), most=explored)
    assert outcome(found.result) == wanted, found.result.statement
    return wanted[0]
