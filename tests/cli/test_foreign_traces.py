"""A trace may come from somebody else: nothing that it names is run, nothing that it says reaches a terminal raw."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from everystate.checker.backends.native import compile as machine_code
from everystate.checker.cli.main import main

LAMP = """
from pathlib import Path

from everystate.checker import Int, Spec, action, invariant

Path(__file__).with_name("was-run").touch()


class Lamp(Spec):
    def variables(self):
        self.x = Int(0, 2)

    @action
    def up(self):
        self.x = (self.x + 1) % 3

    @invariant
    def low(self):
        return self.x < 2
"""
COMMANDS = {
    "show": ["show"],
    "show as a page": ["show", "--as", "html", "-o", "out.html"],
    "show as a path": ["show", "--as", "path"],
    "explain": ["explain"],
    "graph": ["graph", "die-hard", "--around"],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a spec, a trace of it, and no mark of the spec having been run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lamp.py").write_text(LAMP)
    assert main(["check", "lamp.py", "-q", "--out", "."]) == 12
    (tmp_path / "was-run").unlink()
    return tmp_path


def named(folder: Path, target: str) -> str:
    """The trace, with another target."""
    data = json.loads((folder / "lamp-low.itf.json").read_text())
    data["#meta"]["target"] = target
    # A module that was loaded before is not run again.
    (folder / "other.py").write_text(LAMP)
    (folder / "trace.json").write_text(json.dumps(data))
    return "trace.json"


@pytest.mark.parametrize("target", ["other.py", "other.py:Lamp", "other:Lamp", "./other.py", "os:Lamp"])
@pytest.mark.parametrize("name", COMMANDS)
def test_what_a_trace_names_is_not_run_by(name: str, target: str, folder: Path) -> None:
    main([*COMMANDS[name], named(folder, target)])
    assert not (folder / "was-run").exists()


def test_show_says_how_the_spec_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", named(folder, "other.py")]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("Invariant low violated after 2 steps\nother.py\n")
    assert said.err == (
        "note: shown without its spec: the spec of the trace is not in `everystate list`: other.py; "
        "if you trust it, name it yourself: --spec other.py\n"
    )


@pytest.mark.parametrize("arguments", [["show", "--as", "path"], ["explain", "-q"]])
def test_a_spec_that_the_user_names_is_loaded(
    arguments: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, named(folder, "other.py"), "--spec", "other.py"]) == 0
    assert (folder / "was-run").exists()
    assert capsys.readouterr().err == ""


def test_a_graph_is_drawn_around_a_trace_of_the_target_that_was_given(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["graph", "other.py", "--around", named(folder, "elsewhere.py")]) == 0
    assert main(["graph", "die-hard", "--around", "trace.json"]) == 150
    said = capsys.readouterr().err
    assert "trace.json has no trace of die-hard: its variables are x, those of the spec small, big" in said


def test_what_a_terminal_would_obey_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (folder / "lamp-low.itf.json").read_text().replace('"up()"', '"up\\u001b[2J"')
    (folder / "hostile.json").write_text(text)
    assert main(["show", "hostile.json"]) != 0
    assert "it has control characters" in capsys.readouterr().err


def test_a_page_holds_the_words_of_a_trace_as_text(folder: Path) -> None:
    text = (folder / "lamp-low.itf.json").read_text().replace('"up()"', '"</script><img src=x onerror=alert(1)>"')
    (folder / "hostile.json").write_text(text)
    for form in ("html", "svg"):
        assert main(["show", "hostile.json", "--as", form, "-o", f"page.{form}"]) == 0
        assert "<img" not in (folder / f"page.{form}").read_text()


def test_machine_code_of_another_user_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path))
    machine_code.keep("text", b"code")
    assert machine_code.cached("text") == b"code"
    monkeypatch.setattr(os, "getuid", lambda: os.stat(tmp_path).st_uid + 1)
    assert machine_code.cached("text") is None


def test_the_trace_of_ones_own_check_has_its_spec(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["check", "lamp.py", "-q", "--out", "one.json"]) == 12
    (folder / "below").mkdir()
    monkeypatch.chdir(folder / "below")
    assert main(["explain", "../one.json"]) == 0
    assert "Invariant low violated: x = 2" in capsys.readouterr().out
    edited = (folder / "one.json").read_text().replace('"low"', '"high"')
    (folder / "one.json").write_text(edited)
    assert main(["explain", "../one.json"]) == 150
    assert "error E406" in capsys.readouterr().err
