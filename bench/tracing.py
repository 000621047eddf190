"""Tracing and compiling of specs by two commits of this repository, in turns.

    python bench/tracing.py COMMIT [COMMIT] [--specs NAME ...] [--runs N]

Each run is a process of its own with an empty cache of compiled models. Measured is the time of the processor: of
tracing a spec, and of making the quick code that a search begins with. The least of all runs counts. Without the second
commit what lies here is compared, as it is.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import machine

HERE = Path(__file__).parents[1]
SPECS = ("die-hard", "simple", "two-phase", "alternating-bit", "missionaries", "ewd840", "token-ring", "idem-producer")
SPECS += ("2.4/retention", "current/split", "current/clean-leader-change", "current/two-leader-crashes")
MEASURED = """
import sys, time
from everystate.checker.cli.targets import resolve
from everystate.checker.frontend import model
from everystate.checker.backends.native.program import Program
from everystate.checker.backends.native.tiered_code import TieredCode

spec = resolve(sys.argv[1]).spec({})
start = time.process_time()
traced = model.build(spec)
middle = time.process_time()
TieredCode(Program(traced)).first()
print(middle - start, time.process_time() - middle)
"""
Seconds = tuple[float, float]


def importable(tree: Path, folder: Path) -> Path:
    """A folder from which the packages of a tree are imported."""
    packages = tomllib.loads((tree / "pyproject.toml").read_text())["tool"]["setuptools"]["package-dir"]
    top = folder / "everystate"
    top.mkdir(parents=True)
    for name, where in packages.items():
        if name == "everystate":
            for path in (tree / where).iterdir():
                (top / path.name).symlink_to(path)
        else:
            (top / name.removeprefix("everystate.")).symlink_to(tree / where)
    return folder


def tree_of(commit: str, folder: Path) -> Path:
    """The files of a commit."""
    packed = subprocess.run(["git", "-C", HERE, "archive", commit], check=True, capture_output=True).stdout
    folder.mkdir()
    subprocess.run(["tar", "x", "-C", folder], input=packed, check=True)
    return folder


def measured(spec: str, path: Path) -> Seconds:
    """Seconds of the processor for tracing a spec and for compiling it."""
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"EVERYSTATE_CACHE": cache, "PYTHONPATH": str(path)}
        command = [sys.executable, "-c", MEASURED, spec]
        done = subprocess.run(command, env=environment, cwd=path, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{spec} in {path.name}: {done.stderr}")
    trace, compiling = map(float, done.stdout.split())
    return trace, compiling


def row(spec: str, paths: list[Path], runs: int) -> list[Seconds]:
    """The least times of a spec by each tree, which take turns."""
    times: list[list[Seconds]] = [[] for _ in paths]
    for _ in range(runs):
        for found, path in zip(times, paths, strict=True):
            found.append(measured(spec, path))
    return [(min(t for t, _ in found), min(c for _, c in found)) for found in times]


def main() -> None:
    """Print a line for each spec, and the geometric means."""
    parser = argparse.ArgumentParser(description="Tracing and compiling of specs by two commits, in turns.")
    parser.add_argument("commits", nargs="+", metavar="COMMIT", help="one, or two")
    parser.add_argument("--specs", nargs="+", default=SPECS)
    parser.add_argument("--runs", type=int, default=4, help="processes for each spec and commit")
    given = parser.parse_args()
    print(machine.described())
    print(f"{'':32}{'trace ms':>10}{'':>10}{'':>7}{'compile ms':>12}{'':>10}")
    ratios: list[Seconds] = []
    with tempfile.TemporaryDirectory(prefix="tracing-") as name:
        folder = Path(name)
        trees = [tree_of(commit, folder / commit) for commit in given.commits[:2]]
        trees += [HERE] if len(trees) == 1 else []
        paths = [importable(tree, folder / f"path-{i}") for i, tree in enumerate(trees)]
        for spec in given.specs:
            (a, b), (c, d) = row(spec, paths, given.runs)
            ratios.append((c / a, d / b))
            numbers = f"{a * 1000:10.0f}{c * 1000:10.0f}{c / a:7.2f}{b * 1000:12.0f}{d * 1000:10.0f}{d / b:7.2f}"
            print(f"{spec:32}{numbers}", flush=True)
    means = [math.exp(sum(math.log(r[i]) for r in ratios) / len(ratios)) for i in range(2)]
    print(f"{'geometric mean':32}{means[0]:27.2f}{means[1]:29.2f}")


if __name__ == "__main__":
    main()
