"""Whatever command is asked: a spec with state outside of the state is refused, as by check."""

from __future__ import annotations

from pathlib import Path

import pytest

from everystate.checker.cli.main import main

HIDDEN = """
from everystate.checker import *

SEEN = []


class Hidden(Spec):
    may_terminate = True

    def variables(self):
        self.n = Int(0, 5)

    @action
    def up(self):
        require(self.n < 3)
        SEEN.append(1)
        self.n += 1

    @action
    def jump(self):
        require(len(SEEN) > 40)
        self.n = 5

    @reachable
    def five(self):
        return self.n == 5
"""
ORDER = """
from everystate.checker import *

NAMES = {"one", "two", "three", "four", "five", "six"}


class Ordered(Spec):
    may_terminate = True

    def variables(self):
        self.name = Enum("none", *sorted(NAMES))

    @action
    def up(self):
        require(self.name == "none")
        self.name = next(iter(NAMES))
"""
COMMANDS = ["check", "check --engine python", "graph", "cases", "cases --cover steps", "walk", "explore"]


@pytest.mark.parametrize(("text", "code"), [(HIDDEN, "E232"), (ORDER, "E144")], ids=["hidden", "order"])
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.usefixtures("other_orders")
def test_no_command_tells_anything_of_what_is_outside_of_the_state(
    command: str, text: str, code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`graph` said `the whole space`, and `cases` which goal is never reached."""
    path = tmp_path / "spec.py"
    path.write_text(text)
    name, *options = command.split()
    assert main([name, str(path), *options]) == 150
    told = capsys.readouterr()
    assert not told.out and f"error {code}: " in told.err
