"""Every `everystate conform` command of the documentation works, with fewer walks and one of its releases."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import pytest

from everystate.model.commands.conform import command as conform
from everystate.model.conformance.versions import PINNED
from tests.cli.transcript import Run
from tests.conformance.conftest import provided
from tests.selection import quick

from .page import ROOT, forget_files

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMMAND = re.compile(
    r"everystate (conform [^`\n\\]*?(?:\\\n *[^ `\n\\][^`\n\\]*?)*)(?: {3,}[^\n]*)?(?:`|$)", re.MULTILINE
)
PLACES = {"SCENARIO": "late-start", "N": "2"}
"""Words of the documentation that stand for others, and an example of each."""
CHEAP = ("lost-answer-and-fail-over --with coordinator --kafka 4.3.1",)
"""These end what `make test` runs: one of each report that has rules, but for the producer, which README.md has."""


def commands() -> dict[str, str]:
    """Each command with a target, as it is run here, and the page that has it first."""
    found: dict[str, str] = {}
    for path in PAGES:
        for text in COMMAND.findall(path.read_text("utf-8")):
            found.setdefault(" ".join(_shorter(shlex.split(text.replace("\\\n", " ")))), path.name)
    for line in (conform.epilog or "").splitlines():
        if line.startswith("  everystate conform"):
            found.setdefault(" ".join(_shorter(shlex.split(line)[1:])), "conform --help")
    return {line: page for line, page in found.items() if len(line.split()) > 1 and line.split()[1][0] != "-"}


def _shorter(words: list[str]) -> Iterator[str]:
    """The words of a command with few walks, on the last of its releases."""
    before = ""
    for word in words:
        word = re.sub(r"\b(SCENARIO|N)\b", lambda match: PLACES[match[0]], word)
        if before == "--walks":
            word = str(min(int(word), 2))
        if before == "--kafka":
            word = "newest" if word == "all" else word.rpartition(",")[2]
        yield word
        before = word


COMMANDS = commands()


def test_the_commands_are_there() -> None:
    assert len(COMMANDS) >= 40


@pytest.mark.kafka
@pytest.mark.parametrize("line", quick((line for line in COMMANDS if line.endswith(CHEAP)), COMMANDS))
def test_a_command_agrees(line: str, run: Run) -> None:
    forget_files()
    provided(list(PINNED)[-1])
    if ".itf.json" in line:
        assert run(["check", "current/clean-restart", "--out", "traces"])[1] == 12
    output, code = run(shlex.split(line))
    assert code == 0, output
