"""How a reason is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from everystate.checker.errors import Where
from everystate.checker.follow.diagnosis import shown_path
from everystate.model import broker


def test_a_place_is_told_as_everybody_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Below the folder that one is in, inside of Everystate wherever that lies, and else as it is."""
    monkeypatch.chdir(tmp_path)
    assert shown_path(Where(str(tmp_path / "specs" / "lock.py"), 7, "go")) == "specs/lock.py:7"
    assert shown_path(Where(broker.__file__, 50, "handle")) == "everystate/model/broker.py:50"
    assert shown_path(Where("/elsewhere/lock.py", 7, "go")) == "/elsewhere/lock.py:7"
