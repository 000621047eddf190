"""The README: its spec, its counterexample and its commands are what they claim to be."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from everystate.model.conformance.versions import PINNED
from tests.cli.transcript import Run
from tests.conformance.conftest import provided
from tests.selection import quick

from .page import ROOT, forget_files, is_excerpt

TEXT = (ROOT / "README.md").read_text("utf-8")
COMMANDS = re.findall(r"^\| `(everystate [^`]*)` \|", TEXT, re.MULTILINE)
FEWER = {
    "explore idem-producer": "explore --help",
    "watch retry.py": "watch --help",
}
"""A watch and the server of a page do not end; tests/explore opens the page, tests/cli/test_watch.py watches."""
LONG = ("assess", "conform", "prove")
BROKEN = ("check idem-producer -c max_in_flight=6", "check retry.py", "assess producer.properties")
CODES = {f"everystate {command}": 12 for command in BROKEN}
SHOWN = re.findall(r"`everystate (check \S+)`", TEXT)


def block(kind: str) -> str:
    """The only block of a kind."""
    [found] = re.findall(rf"^```{kind}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    return str(found)


@pytest.fixture
def own_spec(run: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The README's spec and properties of a producer, where its commands expect them."""
    monkeypatch.setenv("EVERYSTATE_CROSS_CHECK", "20")
    path = Path("retry.py")
    path.write_text(block("python"), "utf-8")
    Path("producer.properties").write_text("acks=all\n", "utf-8")
    return path


def test_the_commands_are_there() -> None:
    assert len(COMMANDS) >= 6


@pytest.mark.parametrize("command", quick((c for c in COMMANDS if c.split()[1] not in LONG), COMMANDS))
def test_a_command_works(command: str, run: Run, own_spec: Path) -> None:
    forget_files()
    shorter = re.sub("|".join(FEWER), lambda found: FEWER[found.group()], command)
    if "conform" in shorter:
        provided(list(PINNED)[-1])
    output, code = run(shlex.split(shorter)[1:])
    assert (output != "", code) == (True, CODES.get(command, 0))


@pytest.mark.parametrize("command", SHOWN)
def test_a_command_in_the_text_finds_a_violation(command: str, run: Run, own_spec: Path) -> None:
    forget_files()
    assert run(command.split())[1] == 12


def test_the_counterexample_is_the_one_that_is_printed(run: Run, own_spec: Path) -> None:
    forget_files()
    output, _ = run(["check", str(own_spec)])
    assert is_excerpt(block("text").splitlines(), output.splitlines())


def test_the_page_is_short() -> None:
    assert len(TEXT.splitlines()) <= 110
