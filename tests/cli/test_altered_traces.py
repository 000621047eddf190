"""A trace file that was cut off, edited or made of another version of its spec: what it says is not taken for true."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.main import main

LAMP = """
from everystate.checker import *


class Lamp(Spec):
    \"\"\"A lamp that fails at 4.\"\"\"

    low = Constant(3, "what is low")
    stops = Constant(9, "where it stops")

    def variables(self):
        self.x = Int(0, 4)

    @action
    def up(self):
        require(self.x < self.stops)
        self.x += 1

    @action
    def skip(self):
        require(self.x == 0)
        self.x = choose(range(2, 4))

    @invariant
    def is_low(self):
        return self.x < self.low

    @step_invariant
    def slowly(self, before):
        return self.x <= before.x + 1

    @eventually
    def nine(self):
        return self.x == 9
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a spec, and traces of all that it violates."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lamp.py").write_text(LAMP)
    assert main(["check", "lamp.py", "-q", "--out", "."]) == 14
    assert main(["check", "lamp.py", "-q", "--out", ".", "-c", "stops=4"]) == 12
    return tmp_path


def altered(folder: Path, name: str, change: Callable[[Any], Any]) -> str:
    data = json.loads((folder / f"lamp-{name}.itf.json").read_text())
    change(data)
    (folder / "altered.itf.json").write_text(json.dumps(data))
    return "altered.itf.json"


def test_a_trace_as_it_was_written_is_shown_with_its_spec(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = sorted(path.name for path in folder.glob("*.itf.json"))
    assert found == [f"lamp-{name}.itf.json" for name in ("deadlock", "error", "is_low", "nine", "slowly")]
    for name in found:
        assert main(["show", name, "--spec", "lamp.py"]) == 0
    assert capsys.readouterr().err == ""


ALTERED: list[tuple[str, str, Callable[[Any], Any], str]] = [
    ("is_low", "cut off", lambda d: d["states"].pop(), "is_low holds at its end"),
    (
        "slowly",
        "another step",
        lambda d: d["states"][1].update(x=1),
        "step 1, skip() choosing 2, is no step of the spec",
    ),
    ("deadlock", "a state left out", lambda d: d["states"].pop(1), "step 1, up(), is no step of the spec"),
    ("is_low", "another beginning", lambda d: d["states"].pop(0), "it does not begin as the spec does"),
    ("error", "other constants", lambda d: d["#meta"]["constants"].update(stops=4), "no step fails at its end"),
    ("deadlock", "other constants", lambda d: d["#meta"]["constants"].update(stops=9), "there is a step at its end"),
    ("is_low", "other constants", lambda d: d["#meta"]["constants"].update(low=5), "is_low holds at its end"),
    ("is_low", "no property", lambda d: d["#meta"].update(property="bright"), "the spec has no property bright"),
    (
        "nine",
        "another loop",
        lambda d: d.update(loop=0) or d["#meta"].update(closing="up()"),
        "it does not come back to state 0",
    ),
]


@pytest.mark.parametrize(("name", "what", "change", "said"), ALTERED, ids=[f"{n}-{w}" for n, w, _, _ in ALTERED])
def test_an_altered_trace_is_shown_without_what_its_file_says_of_it(
    name: str, what: str, change: Callable[[Any], Any], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of the first five states of a trace of NoDup it said that NoDup is false in the last state."""
    path = altered(folder, name, change)
    capsys.readouterr()
    assert main(["show", path, "--spec", "lamp.py"]) == 0
    shown = capsys.readouterr()
    assert shown.err == f"note: shown without its spec, of which it is no trace: {said}\n"
    assert shown.out.startswith("A trace of ")
    assert not any(words in shown.out for words in ("fails", "is false", "is enabled", "is fair"))
    assert main(["explain", path, "--spec", "lamp.py"]) == 150
    assert capsys.readouterr().out == ""
