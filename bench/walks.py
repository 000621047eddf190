"""Random walks, beside those of another commit.

    python bench/walks.py [--before COMMIT] [--rounds N] [--workers N] [TARGET:WALKS ...]

What lies here and COMMIT, the one before unless another is named, take turns; each batch of walks runs in a process of
its own, with optimised code, and the first only fills the cache. CPU is that of all threads while they walk. The table
has the states of all walks, and states for a second of CPU: the least and the median of the rounds, for both.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import machine
import tracing
from warming import leave_optimised

from everystate.checker.cli.targets import resolve
from everystate.checker.engines.sampling.sample import WalkSettings
from everystate.checker.engines.sampling.walker import Walker
from everystate.checker.frontend.kept import traced

TARGETS = ("idem-producer:100000", "current/realistic:100000", "paxos:100000", "two-phase:100000")
STEPS, SEED = 100, 1


def walked(target: str, workers: int) -> tuple[int, float, float]:
    """One batch: its states, seconds of the processor and of the clock; leaves optimised code in the cache."""
    name, _, walks = target.partition(":")
    more: dict[str, Any] = {"workers": workers} if workers > 1 else {}
    walker = Walker(traced(resolve(name).spec({})), WalkSettings(STEPS, SEED), **more)
    cpu, wall = time.process_time(), time.perf_counter()
    states = walker.sample(range(int(walks))).generated
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    leave_optimised(walker.tiers)
    walker.close()
    return states, cpu, wall


def apart(target: str, workers: int, path: Path) -> tuple[int, float, float]:
    """A batch by the packages of a tree, in a process of its own."""
    environment = os.environ | {"PYTHONPATH": str(path), "EVERYSTATE_CACHE": str(path / "cache")}
    command = [sys.executable, __file__, "--one", target, "--workers", str(workers)]
    states, cpu, wall = json.loads(subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout)
    return states, cpu, wall


def row(target: str, workers: int, paths: list[Path], rounds: int) -> str:
    """A row for a target: what is here with a number of threads, and before with one."""
    crowds = (1, workers)
    for path, crowd in zip(paths, crowds, strict=True):
        apart(target, crowd, path)
    pairs = [[apart(target, crowd, path) for path, crowd in zip(paths, crowds, strict=True)] for _ in range(rounds)]
    texts = []
    for found in zip(*pairs, strict=True):
        speeds = [states / cpu for states, cpu, _ in found]
        texts.append(f"{min(speeds):,.0f} | {median(speeds):,.0f} | {median(wall for *_, wall in found):.2f}")
    ratio = median(before[1] / after[1] for before, after in pairs)
    return f"| `{target}` | {pairs[0][1][0]:,} | {' | '.join(texts)} | {ratio:.1f} |"


def main() -> None:
    """Measure, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", default=TARGETS)
    parser.add_argument("--before", default="HEAD~1", metavar="COMMIT")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--one", metavar="TARGET", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(walked(given.one, given.workers)))
        return
    loads = [os.getloadavg()[0]]
    with tempfile.TemporaryDirectory() as folder:
        old = tracing.tree_of(given.before, Path(folder) / "tree")
        paths = [tracing.importable(tree, Path(folder) / name) for tree, name in ((old, "old"), (tracing.HERE, "new"))]
        print(
            "| target:walks | states | before: states/CPU s, least | median | wall s | now: least | median | wall s "
            "| ratio of CPU |\n|---|---|---|---|---|---|---|---|---|"
        )
        for target in given.targets:
            print(row(target, given.workers, paths, given.rounds), flush=True)
            loads.append(os.getloadavg()[0])
    print(f"\n{machine.described()}, load {machine.span(loads)}")


if __name__ == "__main__":
    main()
