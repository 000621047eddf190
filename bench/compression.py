"""Compressed states beside whole ones: bytes a state, and CPU seconds of the search, in rounds that alternate.

    python bench/compression.py [--rounds N] [--workers N] [TARGET:STATES ...]

Each search runs in a process of its own. The first two of a target only fill the cache with optimised code, so that
none is measured with quick code. CPU is that of the process from the end of the first level to the end of the search:
tracing and writing machine code are left out, compression what was stored before it began is not. The limit on states
makes large spaces affordable; bytes a state fall on the whole further while a space grows.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from warming import leave_optimised

from everystate.checker.cli.targets import resolve
from everystate.checker.engines.explicit.exhaustive import Exhaustive
from everystate.checker.engines.limits import Limits
from everystate.checker.engines.observer import Progress, Silent
from everystate.checker.frontend import model

TARGETS = ("current/realistic:5000000", "idem-producer:20000000")
CONSTANTS = {"idem-producer": {"batches": 8, "max_sends": 4, "resets": 3, "bumps": 1, "leader_changes": 1}}


@dataclass(frozen=True)
class Run:
    """One search; `compression` are the words of each part."""

    distinct: int
    generated: int
    cpu: float
    bytes: float
    whole: int
    compression: str


class Clock(Silent):
    """CPU seconds when the first level was over."""

    start = 0.0

    def level(self, progress: Progress) -> None:
        self.start = self.start or time.process_time()


class Timed(Exhaustive):
    """A search that notes when it is over, before anything is cross-checked."""

    end = 0.0

    def _conclude(self, *given: Any) -> Any:
        self.end = time.process_time()
        return super()._conclude(*given)


def search(name: str, states: int, compress: bool, workers: int, warm: bool) -> Run:
    """Trace, search; to warm up: leave optimised code in the cache."""
    traced, clock = model.build(resolve(name).spec(CONSTANTS.get(name, {}))), Clock()
    limits = Limits(workers=workers, max_states=states, cross_check=1, compress=compress)
    run = Timed(traced, limits, clock)
    result, part_tables = run.run(), run.store.part_tables
    if warm:
        leave_optimised(run.tiers)
    groups = part_tables.compression.groups if part_tables else ()
    compression = " ".join("+".join(map(str, group)) for group in groups)
    cpu = run.end - clock.start
    return Run(result.distinct, result.generated, cpu, result.bytes_per_state, 8 * traced.layout.words, compression)


def apart(*arguments: str) -> Run:
    """A search in a process of its own."""
    done = subprocess.run([sys.executable, __file__, "--one", *arguments], stdout=subprocess.PIPE, check=True)
    return Run(**json.loads(done.stdout))


def main() -> None:
    """Measure, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", default=TARGETS, metavar="TARGET:STATES")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--one", nargs=5, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        name, states, workers, compress, warm = given.one
        print(json.dumps(asdict(search(name, int(states), compress == "1", int(workers), warm == "1"))))
        return
    print(
        "| target | states | bytes whole | bytes compressed | CPU whole | CPU compressed | ratio | words of the parts |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for target in given.targets:
        name, _, states = target.partition(":")
        line = (name, states, str(given.workers))
        for compress in "01":
            apart(*line, compress, "1")
        runs = [(apart(*line, "0", "0"), apart(*line, "1", "0")) for _ in range(given.rounds)]
        whole, compressed = ([pair[k] for pair in runs] for k in (0, 1))
        assert len({(run.distinct, run.generated) for pair in runs for run in pair}) == 1 or given.workers > 1
        cpu = [median(run.cpu for run in some) for some in (whole, compressed)]
        print(
            f"| `{name}` | {whole[0].distinct:,} | {whole[0].bytes:.1f} | {compressed[0].bytes:.1f} | {cpu[0]:.2f} s "
            f"| {cpu[1]:.2f} s | {cpu[1] / cpu[0]:.2f} | {compressed[0].compression} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
