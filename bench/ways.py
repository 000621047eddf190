"""The ways of an exhaustive search, beside those of another commit: full and compressed; and SPIN reduced.

    python bench/ways.py [--before COMMIT] [--rounds N] [TARGET[,NAME=VALUE...][:STATES] ...]

Each search runs in a process of its own with optimised code; the first of each way only fills the cache. What lies here
and COMMIT, the one before unless another is named, take turns. CPU is that of the process from the end of the first
level to the end of the search, wall time what went by meanwhile, both the median of the rounds. STATES is a limit for
spaces that memory does not hold. SPIN searches the natural text of the
peer model breadth first and depth first, with its own partial-order reduction.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import Any, get_args

import machine
import tracing
from spin import run as spin
from warming import leave_optimised

from everystate.checker.cli.options import constants
from everystate.checker.cli.targets import resolve
from everystate.checker.engines.explicit.exhaustive import Exhaustive
from everystate.checker.engines.limits import Limits
from everystate.checker.engines.observer import Progress, Silent
from everystate.checker.frontend import model

PEER = (8, 5, 5, 4, 3, 1, 1)
PEER_NAMES = ("batches", "max_in_flight", "window", "max_sends", "resets", "bumps", "leader_changes")
TARGETS = (
    ",".join(["idem-producer", *(f"{name}={value}" for name, value in zip(PEER_NAMES, PEER, strict=True))]),
    "current/realistic:5000000",
    "simple",
    "token-ring,nodes=6,values=6",
    "two-phase,managers=8",
    "chameneos,creatures=5,meetings=4",
    "paxos",
)
WAYS = ("full", "compressed")


@dataclass(frozen=True)
class Run:
    """One search."""

    distinct: int
    generated: int
    bytes: float
    cpu: float
    wall: float


class Clock(Silent):
    """Seconds of the processor and of the clock when the first level was over."""

    cpu = wall = 0.0

    def level(self, progress: Progress) -> None:
        if not self.cpu:
            self.cpu, self.wall = time.process_time(), time.perf_counter()


class Timed(Exhaustive):
    """What a search was when it was over, before anything is cross-checked."""

    found: Run | None = None

    def _conclude(self, *given: Any) -> Any:
        cpu, wall = time.process_time() - self.observer.cpu, time.perf_counter() - self.observer.wall
        generated = self._counted(self.program.counters.generated) + self.generated_initially
        self.found = Run(self.distinct, generated, self.store.bytes / self.distinct, cpu, wall)
        return SimpleNamespace(interrupted=False)  # what was searched is not told


def search(target: str, way: str) -> Run | None:
    """One search, with optimised code in the cache afterwards."""
    name, _, states = target.partition(":")
    name, *given = name.split(",")
    found = resolve(name)
    traced = model.build(found.spec(constants(found, tuple(given))))
    limits = Limits(max_states=int(states) if states else None, compress=way == "compressed")
    run = Timed(traced, limits, Clock())
    run.run()
    leave_optimised(run.tiers)
    return run.found


def apart(target: str, way: str, path: Path) -> Run:
    """A search by the packages of a tree, in a process of its own."""
    environment = os.environ | {"PYTHONPATH": str(path), "EVERYSTATE_CACHE": str(path / "cache")}
    command = [sys.executable, __file__, "--one", target, way]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    return Run(**json.loads(done.stdout))


def rows(target: str, paths: list[Path], rounds: int) -> None:
    """Print a row for each way of a target."""
    for way in WAYS:
        for path in paths:
            apart(target, way, path)
        before, after = zip(*[[apart(target, way, path) for path in paths] for _ in range(rounds)], strict=True)
        cpu = [median(run.cpu for run in some) for some in (before, after)]
        one, wall = after[0], median(run.wall for run in after)
        print(
            f"| `{target}` | {way} | {one.distinct:,} | {one.generated:,} | {one.bytes:.1f} | {cpu[1]:.2f} "
            f"| {wall:.2f} | {cpu[0]:.2f} | {cpu[0] / cpu[1]:.2f} |",
            flush=True,
        )


def rivals(rounds: int) -> None:
    """Print a row for SPIN with its reduction in each mode."""
    with tempfile.TemporaryDirectory(prefix="spin-") as folder:
        for mode in get_args(spin.Mode):
            verifier = spin.build(
                dict(zip(spin.PARAMETERS, PEER, strict=True)), mode, Path(folder), "plain", reduce=True
            )
            runs = [verifier.search() for _ in range(rounds)]
            cpu, wall = median(run.cpu_seconds for run in runs), median(run.wall_seconds for run in runs)
            print(
                f"| SPIN {mode} | its reduction | {runs[0].stored:,} | {runs[0].transitions:,} "
                f"| {runs[0].bytes_per_state:.1f} | {cpu:.2f} | {wall:.2f} | | |",
                flush=True,
            )


def main() -> None:
    """Measure, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", default=TARGETS)
    parser.add_argument("--before", default="HEAD~1", metavar="COMMIT")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--one", nargs=2, metavar=("TARGET", "WAY"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        found = search(*given.one)
        assert found is not None
        print(json.dumps(asdict(found)))
        return
    loads = [os.getloadavg()[0]]
    with tempfile.TemporaryDirectory() as folder:
        old = tracing.tree_of(given.before, Path(folder) / "tree")
        paths = [tracing.importable(tree, Path(folder) / name) for tree, name in ((old, "old"), (tracing.HERE, "new"))]
        print("| target | way | states | generated | bytes a state | CPU s | wall s | before: CPU s | ratio |")
        print("|---|---|---|---|---|---|---|---|---|")
        for target in given.targets:
            rows(target, paths, given.rounds)
            loads.append(os.getloadavg()[0])
    try:
        rivals(given.rounds)
    except spin.SpinError as error:
        print(f"no figures of SPIN: {error}", file=sys.stderr)
    print(f"\n{machine.described()}, load {machine.span(loads)}")


if __name__ == "__main__":
    main()
