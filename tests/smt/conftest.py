"""Proofs are found by our own engines here, whether ABC is installed or not; `test_abc` is about ABC."""

from __future__ import annotations

import pytest

from everystate.checker.engines.symbolic import abc


@pytest.fixture(autouse=True)
def without_abc(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """ABC is not found."""
    if request.node.path.name != "test_abc.py":
        monkeypatch.setattr(abc, "PROGRAMS", ())
