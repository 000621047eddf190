"""The archive of a server's classes, which Java executes as it lies there."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from everystate.model.cluster.class_data import ClassData


def test_the_archive_of_somebody_else_is_not_mapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path))
    java: Any = SimpleNamespace(program=tmp_path / "java")
    assert not ClassData(java, [], tmp_path / "fresh").there
    place = ClassData(java, [], tmp_path / "fresh").place
    place.parent.mkdir()
    place.write_bytes(b"classes")
    assert ClassData(java, [], tmp_path / "fresh").there
    owner = place.stat().st_uid
    monkeypatch.setattr("os.getuid", lambda: owner + 1)
    found = ClassData(java, [], tmp_path / "fresh")
    assert not found.there and found.used() == []
