"""Whoever ends the process of a command, its exit code is no verdict that nobody has reached."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from everystate.checker.cli.main import main
from everystate.exit_code import ENDINGS, Ending

SPEC = """
import os
from everystate.checker import *


class Tiny(Spec):
    def variables(self):
        self.n = Int(0, 3)

    @action
    def go(self):
        narrate(lambda: text())
        self.n = (self.n + 1) % 3

    @invariant
    def small(self):
        return self.n < 2


def text():
    return {text}
"""
ENDED = "error E506: the process was ended by {} before its command was done\n"


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ("os.execv('/bin/true', ['true'])", 255, ENDED.format("os.execv")),
        ("os._exit(type('Zero', (int,), {'__and__': lambda self, other: 1})())", 255, ENDED.format("os._exit")),
        ("__import__('atexit').register(os._exit, 256)", 12, ""),  # it was 0, after VIOLATED
    ],
)
def test_a_text_that_ends_the_process_says_nothing_of_the_spec(text: str, code: int, told: str, tmp_path: Path) -> None:
    (tmp_path / "tiny.py").write_text(SPEC.format(text=text))
    command = [sys.executable, "-m", "everystate", "check", "tiny.py", "-q"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == code
    assert (told in run.stderr) and (("VIOLATED" in run.stdout) is not bool(told))


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ("setattr(sys, 'stdout', io.StringIO())", 12, "VIOLATED  small fails after 2 steps"),
        ("setattr(sys, 'stdout', None)", 12, "VIOLATED  small fails after 2 steps"),
        ("setattr(sys.stdout, 'write', len)", 12, "VIOLATED  small fails after 2 steps"),
        ("setattr(sys, 'stderr', None)", 12, "VIOLATED  small fails after 2 steps"),
        ("sys.stdout.close()", 150, "error E403: standard output cannot be written: bad file descriptor"),
    ],
)
def test_what_a_text_puts_in_the_place_of_the_streams_hides_no_verdict(
    text: str, code: int, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the exit code was left."""
    imports = "import io\nimport sys\nimport os\n"
    (tmp_path / "tiny.py").write_text(SPEC.replace("import os\n", imports).format(text=text))
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, (tmp_path / name).open("w"))
    assert main(["check", str(tmp_path / "tiny.py"), "-q"]) == code
    assert (tmp_path / ("stdout" if code == 12 else "stderr")).read_text().startswith(told)


MADE = """
class Made(EverystateError):
    exit_code = 0
    explain = lambda self: "PROVED"


def raised(error, **facts):
    vars(error).update(facts)
    raise error
"""


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ("raised(Made('E104', target='x'))", 150, "error E104: "),
        ("raised(EverystateError('E104', target='x'), exit_code=0)", 150, "error E104: "),
        ("raised(Made('E104', target='x'), code='PROVED')", 255, "error PROVED: "),
        ("raised(Made.__new__(Made))", 255, "error E503: "),
    ],
)
def test_an_error_that_a_text_makes_ends_with_no_code_of_its_own(
    text: str, code: int, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was 0, and PROVED."""
    imports = f"import os\nfrom everystate.checker.errors import EverystateError\n{MADE}"
    (tmp_path / "tiny.py").write_text(SPEC.replace("import os\n", imports).format(text=text))
    assert main(["check", str(tmp_path / "tiny.py"), "-q"]) == code
    assert capsys.readouterr().err.startswith(told)


LEAVING = """
from everystate.checker import *


class Text:
    def __repr__(self):
        raise SystemExit


class Leaving(Spec):
    def variables(self):
        {variables}
        self.n = Int(0, 3)

    @assumption
    def fine(self):
        return {assumed}

    @action(by={values})
    def go(self, by):
        self.n = (self.n + 1) % 3

    @invariant
    def small(self):
        return self.n < 2
"""


@pytest.mark.parametrize(
    ("given", "code", "told"),
    [
        ({"variables": "exit(0)"}, 150, "error E113: Leaving.variables() failed: SystemExit: 0\n"),
        ({"assumed": "exit(0)"}, 150, "error E117: Leaving.fine() failed: SystemExit: 0\n"),
        ({"values": "lambda self: exit(0)"}, 150, "error E119: the values of parameter 'by' of Leaving.go cannot"),
        ({"values": "[Text()]"}, 150, "error E119: the values of parameter 'by' of Leaving.go cannot be listed"),
        ({"variables": "self.m = Int(0, 3, init=Text())"}, 255, ENDED.format("SystemExit")),
    ],
)
def test_a_spec_that_leaves_while_it_is_made_is_no_proof(
    given: dict[str, str], code: int, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command ended with 0, and said nothing."""
    parts = {"variables": "pass", "assumed": "True", "values": "[1]", **given}
    (tmp_path / "leaving.py").write_text(LEAVING.format(**parts))
    assert main(["check", str(tmp_path / "leaving.py"), "-q"]) == code
    assert capsys.readouterr().err.startswith(told)


def test_a_map_of_words_that_leaves_follows_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parts = {"variables": "pass", "assumed": "True", "values": "[1]"}
    (tmp_path / "leaving.py").write_text(LEAVING.format(**parts))
    (tmp_path / "words.py").write_text("def event(entry):\n    raise SystemExit(0)\n")
    (tmp_path / "log.jsonl").write_text('{"n": 2}\n')
    names = [str(tmp_path / name) for name in ("leaving.py", "log.jsonl", "words.py")]
    assert main(["follow", *names[:2], "--map", names[2]]) == 150
    assert "SystemExit: 0" in capsys.readouterr().err


def test_a_number_that_is_missing_is_what_python_makes_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was StopIteration."""
    for name in ENDINGS:
        monkeypatch.setattr(os, name, getattr(os, name))
        monkeypatch.setattr(sys.modules[os.name], name, getattr(os, name))
    Ending()
    for given in ([], ["0"], [0.0], [0, 0]):
        with pytest.raises(TypeError):
            os._exit(*given)


REPLACING = """
import sys
from everystate.checker import *


class Poor:
    def write(self, text):
        return len(text)


sys.{stream} = Poor()


class Tiny(Spec):
    def variables(self):
        self.n = Int(0, 3)

    @action
    def go(self):
        self.n = (self.n + 1) % 3

    @invariant
    def small(self):
        return self.n < 2
"""


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_stream_of_the_spec_that_can_do_little_costs_no_verdict(
    stream: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the place of stderr it was E503, for want of `isatty`; Python ended with 120, for want of `flush`."""
    path, before = tmp_path / "replacing.py", (sys.stdout, sys.stderr)
    path.write_text(REPLACING.format(stream=stream))
    assert main(["check", str(path)]) == 12
    assert "VIOLATED  small fails after 2 steps" in capsys.readouterr().out
    assert (sys.stdout, sys.stderr) == before
