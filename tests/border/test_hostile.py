"""Hostile Python is refused, or means what it means in Python, wherever it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from everystate.checker.engines import exhaustive, python
from everystate.checker.errors import EverystateError
from everystate.checker.ir.model import build
from tests.agreement.readers import load

from .hostile import HOSTILE, Hostile

KINDS = ("invariant", "guard")


def outcome(source: str, engine: str, folder: Path) -> tuple[object, ...]:
    try:
        spec = load(source, folder)
        result = python.check(spec) if engine == "python" else exhaustive.check(build(spec))
    except EverystateError as error:
        assert error.where is not None, "the error names no line"
        return ("refused", error.code)
    return (result.verdict, tuple((v.property, v.length) for v in result.violations), result.distinct, result.generated)


@pytest.mark.parametrize(
    ("hostile", "kind"), [pytest.param(h, KINDS[i % 2], id=f"{i} {h.bad[:50]}") for i, h in enumerate(HOSTILE)]
)
def test_hostile_python_is_refused_or_means_what_it_means(
    hostile: Hostile, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everystate.checker.engines.report.after_search", lambda *_, **__: None)
    compiled = outcome(hostile.source(kind), "native", tmp_path)
    if hostile.outcome != "same":
        assert compiled == ("refused", hostile.outcome)
    else:
        assert compiled == outcome(hostile.source(kind), "python", tmp_path)
