"""`everystate watch`: every save is checked, whatever the editor does, and what has changed is reported."""

from __future__ import annotations

import os
import py_compile
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.commands.watch import CheckReporter
from everystate.checker.cli.main import main
from everystate.checker.cli.sweeps import load
from everystate.checker.cli.targets import resolve, tell_imports
from everystate.checker.cli.watching import Answer, Child, Watch, changes, look, said
from everystate.checker.errors import EverystateError
from everystate.checker.regression.runners.job import Job, run
from everystate.checker.regression.runners.outcome import Outcome, undecided
from everystate.checker.results.text import plain

SPEC = """from everystate.checker import Int, Spec, action, invariant

from .limits import MOST


class Counter(Spec):
    def variables(self) -> None:
        self.n = Int(0, 9)

    @action
    def up(self) -> None:
        self.n = (self.n + 1) % 8

    @invariant
    def small(self) -> bool:
        return self.n < MOST
"""


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A spec that is proved, with a file beside it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "limits.py").write_text("MOST = 8\n", "utf-8")
    (tmp_path / "spec.py").write_text(SPEC, "utf-8")
    return tmp_path / "spec.py"


def write(path: Path, text: str) -> None:
    """Save by renaming another file, so that time and size alone need not differ."""
    other = path.with_suffix(".new")
    other.write_text(text, "utf-8")
    os.replace(other, path)


def in_place(path: Path) -> None:
    """Write another text of the same length into the same file, with the time that it had."""
    kept = path.stat()
    path.write_text(path.read_text("utf-8").replace("8", "7"), "utf-8")
    os.utime(path, ns=(kept.st_atime_ns, kept.st_mtime_ns))


@dataclass
class Scripted:
    """Somebody who edits: what is done in each pause; at its end Ctrl-C."""

    todo: list[Callable[[], Any]] = field(default_factory=list)
    pauses: int = 0

    def __call__(self) -> None:
        self.pauses += 1
        if not self.todo:
            raise KeyboardInterrupt
        self.todo.pop(0)()


@dataclass
class Noted:
    """What a watch reports."""

    report_check: list[tuple[str, list[str]]] = field(default_factory=list)
    lost: int = 0

    def outcome(self, outcome: Outcome, changed: list[str]) -> None:
        self.report_check.append((outcome.statement, [Path(path).name for path in changed]))

    def gone(self) -> None:
        self.lost += 1


@dataclass
class Counted:
    """Checks that say which one they are; `slow` ones answer when asked that often."""

    path: Path
    slow: dict[int, int] = field(default_factory=dict)
    begun: int = 0
    ended: int = 0

    def __call__(self, job: Job) -> Counted:
        self.begun += 1
        return self

    def answer(self) -> Answer | None:
        left = self.slow.get(self.begun, 0)
        if left:
            self.slow[self.begun] = left - 1
            write(self.path, f"# saved while check {self.begun} is under way\n")
            return None
        beside = str(self.path.with_name("limits.py"))
        return Answer(undecided(f"check {self.begun}", "t", {}), look([str(self.path), beside]))

    def end(self) -> None:
        self.ended += 1


def watched(spec: Path, *todo: Callable[[], Any], slow: dict[int, int] | None = None) -> tuple[Noted, Counted]:
    noted, checks = Noted(), Counted(spec, slow or {})
    watch = Watch(str(spec), Job("t", "t"), noted.outcome, noted.gone, checks, Scripted(list(todo)))
    with pytest.raises(KeyboardInterrupt):
        watch.run()
    assert checks.ended == checks.begun
    return noted, checks


def nothing() -> None:
    """A pause in which nobody does anything."""


def test_every_kind_of_save_is_a_check(spec: Path) -> None:
    beside = spec.with_name("limits.py")
    kept = spec.stat()

    def same_time_and_size() -> None:
        write(spec, SPEC)
        os.utime(spec, ns=(kept.st_atime_ns, kept.st_mtime_ns))

    noted, _ = watched(
        spec,
        *(nothing, lambda: spec.write_text(SPEC + "\n", "utf-8"), nothing),
        *(lambda: write(spec, SPEC), nothing),
        *(same_time_and_size, nothing),
        *(lambda: in_place(spec), nothing),
        *(lambda: beside.write_text("MOST = 9\n# longer\n", "utf-8"), nothing),
    )
    report_check: list[tuple[str, list[str]]] = [("UNDECIDED  check 1", [])]
    report_check += [(f"UNDECIDED  check {n}", ["spec.py"]) for n in (2, 3, 4, 5)]
    assert noted.report_check == [*report_check, ("UNDECIDED  check 6", ["limits.py"])] and noted.lost == 0


def test_a_file_that_is_gone_is_waited_for(spec: Path) -> None:
    noted, checks = watched(
        spec,
        *(nothing, spec.unlink, nothing, nothing, nothing),
        *(lambda: write(spec, "half"), lambda: write(spec, SPEC), nothing),
    )
    assert (noted.lost, checks.begun) == (1, 2)
    assert noted.report_check == [("UNDECIDED  check 1", []), ("UNDECIDED  check 2", ["spec.py"])]


def test_a_save_while_a_check_is_under_way_begins_another(spec: Path) -> None:
    noted, checks = watched(spec, nothing, nothing, slow={1: 1})
    assert (checks.begun, checks.ended) == (2, 2)
    assert noted.report_check == [("UNDECIDED  check 2", ["spec.py"])]


def test_it_begins_with_a_file_that_is_not_there_yet(spec: Path) -> None:
    spec.unlink()
    noted, checks = watched(spec, nothing, nothing, lambda: write(spec, SPEC), nothing)
    assert (noted.lost, checks.begun) == (1, 1)


# -- in words ------------------------------------------------------------------------------------------------


def outcome(target: str, **constants: Any) -> Outcome:
    return run(Job(target, target, constants, cache=False), load)


def test_what_has_changed_is_told() -> None:
    safe, unsafe = outcome("idem-producer"), outcome("idem-producer", max_in_flight=6)
    assert changes(safe, unsafe) == [
        "NoDup: holds -> violated after 18 steps",
        "InOrder: holds -> violated after 18 steps",
        "states: 1,813 -> 3,031",
    ]
    assert changes(safe, safe) == []
    other = replace(safe, checked=tuple(n for n in safe.checked if n != "NoDup"))
    assert changes(safe, other) == ["NoDup: not checked any more"] and changes(other, safe) == ["NoDup: new, holds"]


def test_nothing_holds_where_an_action_fails_or_a_search_ended_early() -> None:
    safe = outcome("idem-producer")
    failed = replace(safe, report={**safe.report, "violations": [{"property": "error", "length": 1}]})
    assert [said(failed, name) for name in ("NoDup", "error")] == ["undecided", "violated after 1 step"]
    assert said(replace(safe, stopped="the limit of 5 states is reached"), "NoDup") == "undecided"


def test_the_teller(capsys: pytest.CaptureFixture[str]) -> None:
    teller = CheckReporter("my/spec.py", plain)
    safe, unsafe = outcome("idem-producer"), outcome("idem-producer", max_in_flight=6)
    teller.report_check(safe, [])
    first = capsys.readouterr().out
    assert "\nPROVED  NoDup, InOrder" in first and first.endswith(" states cross-checked\n\n")
    assert first.startswith("warning: action leader_change was never enabled")
    teller.report_check(unsafe, [os.path.abspath("my/spec.py"), os.path.abspath("my/beside.py")])
    second = capsys.readouterr().out
    assert second.startswith("changed: spec.py, beside.py\n  NoDup: holds -> violated after 18 steps\n")
    assert "\nInvariant NoDup violated after 18 steps. Expected: no batch is in the log twice\n" in second
    assert "VIOLATED  NoDup" in second
    teller.report_check(outcome("idem-producer", windows=3), [])
    broken = capsys.readouterr().out
    assert broken.startswith("error E107: ") and broken.endswith("fix this error; the spec was not checked\n\n")
    teller.report_check(unsafe, [])
    again = capsys.readouterr().out
    assert again.startswith("  nothing has changed in the verdict\nwarning: ") and "\nVIOLATED  NoDup" in again
    teller.report_check(replace(safe, report={**safe.report, "warnings": ["action up was never enabled"]}), [])
    assert "warning: action up was never enabled\nPROVED" in capsys.readouterr().out
    teller.lost()
    assert capsys.readouterr().out == "my/spec.py is not there; waiting for it to come back\n"


def test_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "idem-producer"]) == 2
    assert "watch takes the file of a spec, path/to/spec.py or path/to/spec.py:Class" in capsys.readouterr().err
    assert main(["watch", "spec.py", "-c", "window"]) == 2
    assert "-c window: write NAME=VALUE" in capsys.readouterr().err


# -- for real ------------------------------------------------------------------------------------------------


def test_what_was_saved_is_what_is_checked(
    spec: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file beside the spec is saved with its size and time as they were, and lies there compiled as it was."""
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    beside = spec.with_name("limits.py")
    kept = beside.stat()
    py_compile.compile(str(beside), doraise=True)

    def smaller() -> None:
        write(beside, "MOST = 7\n")
        os.utime(beside, ns=(kept.st_atime_ns, kept.st_mtime_ns))

    monkeypatch.setattr("everystate.checker.cli.watching.wait", Scripted([nothing, smaller, nothing]))
    assert main(["watch", "spec.py", "--no-color"]) == 130
    out, err = capsys.readouterr()
    assert re.match(
        r"PROVED  small holds in all 8 reachable states.*; 8 states cross-checked\n\nchanged: limits.py\n", out
    )
    assert "  small: holds -> violated after 7 steps\n\nInvariant small violated after 7 steps" in out
    assert err == "stopped watching spec.py\n"


def test_a_process_that_dies_is_told(spec: Path) -> None:
    (spec.parent / "limits.py").write_text("import os\nos._exit(7)\n", "utf-8")
    child = Child(Job("spec.py", "spec.py"))
    answer = None
    try:
        while answer is None:
            answer = child.answer()
    finally:
        child.end()
    assert answer.outcome.statement == "UNDECIDED  its process ended with code 7"
    assert str(spec.parent / "limits.py") in answer.files


def test_a_file_that_kept_the_spec_from_being_loaded_is_watched(
    spec: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    beside = spec.with_name("limits.py")
    beside.write_text("MOST = (8\n", "utf-8")
    monkeypatch.setattr(
        "everystate.checker.cli.watching.wait", Scripted([nothing, lambda: write(beside, "MOST = 8\n"), nothing])
    )
    assert main(["watch", "spec.py", "--no-color"]) == 130
    out = capsys.readouterr().out
    assert out.startswith("error E103: spec.py cannot be imported: SyntaxError: '(' was never closed")
    assert "\nfix this error; the spec was not checked\n\nchanged: limits.py\nPROVED  small holds in all 8 " in out


IMPORTED = {
    "a missing module": ("import nowhere", ["nowhere.py", "nowhere/__init__.py"]),
    "a broken module": ("import broken_here", ["broken_here.py", "broken_here/__init__.py"]),
    "a missing neighbour": ("from .nowhere import N", ["nowhere.py", "nowhere/__init__.py"]),
    "a module of a package": ("import package.part", ["package.py", "package/__init__.py"]),
    "one that another could hide": ("import limits", ["limits.py", "limits/__init__.py"]),
    "of a function": ("def most():\n    import limits\n    return limits.MOST\nMOST = most()", ["limits.py"]),
    "outside of the folder": ("import sys; sys.path.append('..'); import everystate_test_above", []),
    "Python's own": ("import this_is_nowhere_else, json", ["this_is_nowhere_else.py"]),
}


@pytest.mark.parametrize(("text", "files"), IMPORTED.values(), ids=IMPORTED)
def test_every_file_on_which_an_import_depends_is_told(
    text: str, files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "inner"
    (inner / "package").mkdir(parents=True)
    for path in ("limits.py", "package/__init__.py", "package/part.py", "../everystate_test_above.py"):
        (inner / path).write_text("MOST = 8\n", "utf-8")
    (inner / "broken_here.py").write_text("(", "utf-8")
    (inner / "spec.py").write_text(text, "utf-8")
    monkeypatch.chdir(inner)
    monkeypatch.setattr(sys, "path", [*sys.path])
    report_check: list[str] = []
    tell_imports(report_check.append)
    try:
        with pytest.raises(EverystateError, match=r"E10[34]"):
            resolve("spec.py")
    finally:
        tell_imports(None)
    above = [str(tmp_path / "everystate_test_above.py")] if "above" in text else []
    assert [path for path in report_check if os.path.relpath(path) in files] == [str(inner / file) for file in files]
    assert [path for path in map(os.path.normpath, report_check) if not path.startswith(str(inner))] == above


@pytest.mark.parametrize("name", ["spec.py", "limits.py"])
def test_files_are_read_themselves_not_what_was_compiled(spec: Path, name: str) -> None:
    """a script that edits and checks does both within a second, and what it writes may be as long as it was"""
    path = spec.with_name(name)
    text = path.read_text("utf-8")
    path.write_text(f"LIMIT = 1\n{text}", "utf-8")
    kept = path.stat()
    py_compile.compile(str(path), doraise=True)
    write(path, f"LIMIT = 2\n{text}")
    os.utime(path, ns=(kept.st_atime_ns, kept.st_mtime_ns))
    module = resolve("spec.py").cls.__module__
    found = sys.modules[module if name == "spec.py" else f"{module}.limits"]
    assert found.LIMIT == 2
