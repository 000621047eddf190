"""Rows of a matrix that were not checked: what reports are made of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from everystate.checker.language.conformance import Answer
from everystate.checker.regression.matrix.judge import Row, judge
from everystate.checker.regression.matrix.variants import Variant
from everystate.checker.regression.runners.outcome import Outcome, Place, RenderedTrace, refused, undecided

SPEC = Path(__file__)


def row(
    expected: dict[str, int],
    found: dict[str, int],
    distinct: int = 10,
    name: str = "a/b",
    constants: dict[str, Any] | None = None,
    stopped: str = "",
    answers: Sequence[Answer] = (),
) -> Row:
    """A variant with the properties P and Q, what is expected of it and what was found."""
    violations = [{"property": n, "kind": "invariant", "length": steps, "trace": None} for n, steps in found.items()]
    report: dict[str, Any] = {"target": "t", "constants": {"n": 1}, "exit_code": 12 if found else 0}
    report |= {"distinct": distinct, "generated": 20, "depth": 3, "seconds": 0.5, "violations": violations}
    traces = {n: RenderedTrace(f"story of {n}\x00", "sequenceDiagram\n", "{}") for n in found}
    places = {"P": Place("Spec", "P holds", str(SPEC), 12)}
    chosen = {"n": (1, 2)} if constants is None else constants
    outcome = Outcome(report, "the verdict", ("P", "Q", "error"), (), stopped, "", traces, places, chosen)
    return judge(_variant(name, expected), outcome, answers)


def lost(name: str = "a/lost", reason: str = "the time limit of 1 s is reached") -> Row:
    """A variant that nothing was decided of."""
    return judge(_variant(name, {}), undecided(reason, "t", {"n": 1}))


def impossible(error: Any, name: str = "a/impossible") -> Row:
    """A variant that could not be checked at all."""
    return judge(_variant(name, {}), refused(error, "t", {"n": 1}))


def _variant(name: str, expected: dict[str, int]) -> Variant:
    return Variant(name, "t", "title", expected=expected, mentioned=tuple(expected), line=7)
