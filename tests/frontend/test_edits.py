"""The second model and verdict are those of the edited spec, whatever was edited; what is known in full is stored."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.api.fingerprint import dump
from everystate.checker.cli.main import main
from everystate.checker.cli.targets import resolve
from everystate.checker.frontend import kept, model
from tests.selection import quick

from .edits import EDITS, Edit

PROVED, VIOLATED = 0, 12


@pytest.mark.parametrize("edit", quick(EDITS[::2], EDITS), ids=lambda edit: edit.name)
def test_the_second_model_is_that_of_the_edited_spec(edit: Edit, tmp_path: Path) -> None:
    edit.write(tmp_path)
    first = apart(_models, tmp_path, edit.old)
    stored = entries(tmp_path)
    assert len(stored) == (not edit.refused)
    assert apart(_models, tmp_path, edit.old) == first and first[0] == first[1]
    assert entries(tmp_path) == stored
    edit.apply(tmp_path)
    cached, fresh = apart(_models, tmp_path, edit.new)
    assert cached == fresh != first[1]


@pytest.mark.thorough
@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.name)
def test_the_second_verdict_is_that_of_the_edited_spec(edit: Edit, tmp_path: Path) -> None:
    edit.write(tmp_path)
    assert [apart(_checked, tmp_path, edit.old) for _ in range(2)] == [PROVED, PROVED]
    edit.apply(tmp_path)
    assert apart(_checked, tmp_path, edit.new) == VIOLATED


def test_a_small_spec_is_not_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path / "cache"))
    EDITS[0].write(tmp_path)
    assert main(["check", str(tmp_path / "spec.py:S")]) == PROVED
    assert not entries(tmp_path)


def entries(folder: Path) -> set[Path]:
    return {*(folder / "cache" / "traced").glob("*")}


def apart(what: Callable[[Path], Any], folder: Path, quota: str) -> Any:
    """What a function returns in a process of its own, in which everything is stored."""
    receiver, sender = multiprocessing.Pipe(duplex=False)

    def run() -> None:
        os.environ |= {"EVERYSTATE_CACHE": str(folder / "cache"), "QUOTA": quota}
        kept.LEAST = 0
        with open(os.devnull, "w") as sys.stdout, open(os.devnull, "w") as sys.stderr:
            sender.send(what(folder))

    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    found = receiver.recv() if receiver.poll(60) else "nothing"
    process.join()
    return found


def _models(folder: Path) -> tuple[list[str], list[str]]:
    """The model that is stored or made, and one that is made."""
    target = resolve(str(folder / "spec.py:S"))
    return [*dump(kept.traced(target.spec()))], [*dump(model.build(target.spec()))]


def _checked(folder: Path) -> int:
    return main(["check", str(folder / "spec.py:S"), "--cross-check", "off"])
