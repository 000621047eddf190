"""The types of all modules, by mypy; a test like the others, so that it runs beside them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PACKAGES = ("checker", "model", "specs", "counterexamples")


def test_mypy_finds_nothing() -> None:
    command = [sys.executable, "-m", "mypy", *(word for name in PACKAGES for word in ("-p", f"everystate.{name}"))]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[1], check=False)
    assert done.returncode == 0, done.stdout + done.stderr
