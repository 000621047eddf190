"""Specs are typed: mypy, strict, knows what the variables of a spec are, and finds nothing wrong in the tutorial's."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from .page import ROOT

pytestmark = pytest.mark.xdist_group("mypy")
SPEC = "tests/docs/typed_spec.py"
PACKAGES = re.compile(r"\b(?:everystate|typed_spec|tests|builtins)\.(?:\w+\.)*")
MESSAGE = re.compile(r"(.+?):(\d+): (note|error): (.*)")


def test_mypy_knows_the_variables_of_a_spec() -> None:
    pytest.importorskip("mypy")
    specs = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs" / "tutorials").glob("*.py"))
    command = [sys.executable, "-m", "mypy", "--strict", *specs, SPEC]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    found: dict[int, str] = {}
    for path, line, kind, text in MESSAGE.findall(said.stdout):
        assert path == SPEC, said.stdout
        if text.startswith("Left operand is"):
            continue
        told = text.removeprefix('Revealed type is "').removesuffix('"') if kind == "note" else text
        found[int(line)] = PACKAGES.sub("", told) if kind == "note" else f"error: {text.rpartition('[')[2][:-1]}"
    lines = (ROOT / SPEC).read_text("utf-8").splitlines()
    wanted = {at: text.rpartition("  # ")[2] for at, text in enumerate(lines, start=1) if "  # " in text}
    assert found == wanted, said.stdout + said.stderr
    assert len(specs) == 4 and said.returncode == 1
