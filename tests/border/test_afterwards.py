"""What a spec executes once it was traced, or where a command makes it in a way of its own, changes no verdict."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

import pytest

from everystate.checker.cli.main import main

TOLD = """
from everystate.checker import *


class Counter(Spec):
    may_terminate = True

    def variables(self):
        self.n = Int(0, 20)

    @action
    def up(self):
        require(self.n < 20)
        narrate(lambda: told(self.n))
        self.n += 1

    @invariant
    def fine(self):
        return self.n != 7


def told(n):
    from everystate.checker.results.result import Result
    from everystate.checker.results.verdict import Verdict

    said = {"verdict": Verdict.PROVED, "violations": (), "exit_code": 0}
    Result.__getattribute__ = lambda self, name: said[name] if name in said else object.__getattribute__(self, name)
    return "it is one more"
"""
SWAPPED = (
    TOLD[: TOLD.index("    from everystate.checker.results.result")]
    + """\
    from everystate.checker.cli import reporting

    reporting.tell.__code__ = (lambda result, wishes: print("it is fine") or 0).__code__
    return "it is one more"
"""
)
OPENED = """
import sys

from everystate.checker import *


class Counter(Spec):
    may_terminate = True
    top = Constant(20)

    def variables(self):
        self.n = Int(0, self.top)
        sys.modules["everystate.checker.engines.symbolic.parametric"].Search.first = lambda search: []

    @action
    def up(self):
        require(self.n < self.top)
        self.n += 1

    @invariant
    def fine(self):
        return self.n != 7
"""
MATRIX = """
[[variant]]
name = "counter"
target = "counter.py"
expect = { fine = "proved" }
"""
PROGRAM = """
from counter import Counter
from everystate import check
from everystate.checker.errors import EverystateError

for cache in (True, True):
    try:
        print(check(Counter, cache=cache).proved)
    except EverystateError as error:
        print(error.code)
"""
REPLACED = "everystate.checker.results.result.Result.__getattribute__ lies outside of the state"


def run(folder: Path, source: str, *arguments: str) -> tuple[int, str]:
    """The exit code of Python, and all that it prints."""
    (folder / "counter.py").write_text(source)
    (folder / "matrix.toml").write_text(MATRIX)
    (folder / "program.py").write_text(PROGRAM)
    done = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("check", "counter.py"), 150),
        (("check", "counter.py", "--json", "-"), 150),
        (("check", "counter.py", "--engine", "python"), 150),
        (("prove", "counter.py", "--depth", "8"), 150),
        (("matrix", "matrix.toml"), 12),
        (("matrix", "matrix.toml", "--no-cache"), 12),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, tuple) else "",
)
def test_a_text_for_readers_exchanges_nothing(
    arguments: tuple[str, ...], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """it is made when a story is told, once the search has found a violation"""
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path / "cache"))
    for _ in range(2):
        exit_code, said = run(tmp_path, TOLD, "-m", "everystate", *arguments)
        assert exit_code == code and REPLACED in said and "PROVED" not in said


@pytest.mark.parametrize("command", ["check", "prove", "walk", "cases"])
def test_what_a_text_exchanges_is_told_at_the_latest_when_the_command_ends(command: str, tmp_path: Path) -> None:
    """also where that is who would have told it, and where no verdict is told"""
    code, said = run(tmp_path, SWAPPED, "-m", "everystate", command, "counter.py")
    assert code == 150
    assert "error E232: everystate.checker.cli.reporting.tell lies outside of the state" in said


def test_the_graph_asks_for_no_text(tmp_path: Path) -> None:
    code, said = run(tmp_path, SWAPPED, "-m", "everystate", "graph", "counter.py")
    assert (code, "E232" in said) == (0, False)


def test_so_it_is_in_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path / "cache"))
    assert run(tmp_path, TOLD, "program.py") == (0, "E232\nE232\n")


def test_a_spec_with_open_constants_exchanges_nothing(tmp_path: Path) -> None:
    """a spec is made for each choice"""
    code, said = run(tmp_path, OPENED, "-m", "everystate", "prove", "counter.py", "--open", "top=9..10", "--depth", "8")
    assert code == 150 and "everystate.checker.engines.symbolic.parametric" in said and "E232" in said


LEAVING = """
import gc
import sys

from everystate.checker import *


class Counter(Spec):
    may_terminate = True

    def variables(self):
        self.n = Int(0, 20)

    @action
    def up(self):
        require(self.n < 20)
        narrate(lambda: told(self))
        self.n += 1

    @invariant
    def fine(self):
        return self.n != 7


class Lame(Counter):
    def fine(self):
        return True


def spy(frame, event, given):
    if type(given).__name__ == "Result":
        object.__setattr__(given, "violations", ())


def told(spec):
    {told}
    return "up"
"""


@pytest.mark.parametrize(
    ("told", "engine", "name"),
    [
        ("sys.setprofile(spy)", "native", "sys.setprofile"),
        ("gc.callbacks.append(spy)", "native", "gc.callbacks"),
        ("object.__setattr__(spec, '__class__', Lame)", "python", "its class"),
        ("vars(spec)['instances'] = ()", "python", "instances"),
    ],
)
def test_a_text_for_readers_leaves_nothing_that_python_or_an_engine_asks(
    told: str, engine: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """exit code 0 was told of a result that lost its violations, PROVED of a class whose property was another one"""
    path, callbacks, profiler = tmp_path / "leaving.py", list(gc.callbacks), sys.getprofile()
    path.write_text(LEAVING.format(told=told))
    try:
        code = main(["check", f"{path}:Counter", "--engine", engine])
    finally:
        sys.setprofile(profiler)
        gc.callbacks[:] = callbacks
    assert code == 150 and f"error E232: {name} lies outside of the state" in capsys.readouterr().err


QUIET = """
import os

from everystate.checker import *


class Counter(Spec):
    may_terminate = True

    def variables(self):
        self.n = Int(0, 20)

    @initial
    def begins(self):
        narrate(lambda: told())
        self.n = choose(range(3))

    @action
    def up(self):
        require(self.n < 20)
        narrate(lambda: told())
        self.n += 1

    @invariant
    def fine(self):
        narrate(lambda: told())
        return self.n <= 20

    @constraint
    def small(self):
        narrate(lambda: told())
        return self.n < 15


def told():
    os.write(1, b"asked")
    return "up"
"""


def test_a_search_in_plain_python_asks_for_no_text(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """also where a property and an @initial say something: what a text does is done when a story is told"""
    path = tmp_path / "quiet.py"
    path.write_text(QUIET)
    assert main(["check", f"{path}:Counter", "--engine", "python"]) == 0
    told = capfd.readouterr()
    assert "PROVED" in told.out and "asked" not in told.out + told.err
