"""A spec means what its author wrote: where Python leaves out its asserts, nothing is checked (E145)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SPEC = """from everystate.checker import *


class Turns(Spec):
    def variables(self):
        self.n = Int(0, 9)

    @action
    def up(self):
        self.n = (self.n + 1) % 10
        assert self.n < 5
"""
REFUSED = """error E145: Python leaves out each `assert` of Turns: it was started with -O or PYTHONOPTIMIZE
  where: turns.py:4, in Turns
      class Turns(Spec):
  why: an assert states what never happens; left out, it holds in every verdict, and `__debug__` is false
  do: start Python without -O and with PYTHONOPTIMIZE unset: `env -u PYTHONOPTIMIZE everystate ...`
  see: everystate errors E145, or docs/errors.md#e145
"""


@pytest.mark.parametrize("engine", [(), ("--engine", "python")], ids=["native", "python"])
def test_no_verdict_without_the_asserts_of_a_spec(engine: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "turns.py").write_text(SPEC)
    command = [sys.executable, "-m", "everystate", "check", "turns.py", "-q", *engine]
    environment = {**os.environ, "PYTHONOPTIMIZE": "1"}
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (run.stderr, run.stdout, run.returncode) == (REFUSED, "", 150)
