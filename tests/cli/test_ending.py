"""Whoever ends the process of a command, its exit code is no verdict that nobody has reached."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SPEC = """
import atexit
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
        ("os._exit(0)", 255, ENDED.format("os._exit")),
        ("os.execv('/bin/true', ['true'])", 255, ENDED.format("os.execv")),
        ("atexit.register(os._exit, 256)", 12, ""),  # it was 0, after VIOLATED
    ],
)
def test_a_text_that_ends_the_process_says_nothing_of_the_spec(text: str, code: int, told: str, tmp_path: Path) -> None:
    (tmp_path / "tiny.py").write_text(SPEC.format(text=text))
    command = [sys.executable, "-m", "everystate", "check", "tiny.py", "-q"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == code
    assert (told in run.stderr) and (("VIOLATED" in run.stdout) is not bool(told))
