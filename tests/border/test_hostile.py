"""Hostile Python is refused, or means what it means in Python, wherever it stands."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.border.verdicts import meaning, outcome, outcome_apart

from .everyday import EVERYDAY
from .hostile import HOSTILE, Hostile
from .newer import NEWER
from .roundabout import ROUNDABOUT

KINDS = ("invariant", "guard")
ALL = HOSTILE + ROUNDABOUT + EVERYDAY + (NEWER if sys.version_info >= (3, 14) else [])


@pytest.mark.parametrize(
    ("hostile", "kind"),
    [pytest.param(h, KINDS[i % 2], id=f"{i} {h.bad[:50]}") for i, h in enumerate(ALL)],
)
def test_hostile_python_is_refused_or_means_what_it_means(
    hostile: Hostile, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everystate.checker.engines.explicit.report.after_search", lambda *_, **__: None)
    compiled = (outcome_apart if hostile.everywhere else outcome)(hostile.source(kind), "native", tmp_path)
    if hostile.outcome != "same":
        assert compiled == ("refused", hostile.outcome)
    else:
        assert compiled == meaning(hostile.source(kind), tmp_path)
