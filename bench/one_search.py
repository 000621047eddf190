"""One exhaustive search in a process of its own, with what it used, as JSON: for speed.py.

python bench/one_search.py WORKERS N F W R L E C
"""

from __future__ import annotations

import json
import resource
import sys
import time
from dataclasses import asdict, dataclass

from everystate.checker.backends.native import Program, compile_program
from everystate.checker.engines.explicit.exhaustive import check
from everystate.checker.engines.limits import Limits
from everystate.checker.engines.observer import Progress, Silent
from everystate.checker.frontend import model
from everystate.specs.idem_producer import IdempotentProducer

CONSTANTS = ("batches", "max_in_flight", "window", "max_sends", "resets", "bumps", "leader_changes")


@dataclass(frozen=True)
class OurRun:
    """One search. `grown_bytes` is what it added to the peak memory of the process, Python and LLVM excluded."""

    distinct: int
    generated: int
    steps: int
    verdict: str
    words: int
    prepare_seconds: float
    cpu_seconds: float
    wall_seconds: float
    store_bytes_per_state: float
    grown_bytes: int
    peak_rss_bytes: int


class Clock(Silent):
    """Stops the CPU time from the end of level 1 (the initial states) to the end of the search."""

    def __init__(self) -> None:
        self.start: float | None = None
        self.end = 0.0

    def level(self, progress: Progress) -> None:
        if self.start is None:
            self.start = time.process_time()

    def phase(self, text: str) -> None:
        self.end = time.process_time()

    @property
    def seconds(self) -> float:
        """CPU seconds of all threads."""
        assert self.start is not None, "the search ended before level 1"
        return self.end - self.start


def peak_rss() -> int:
    """Bytes that this process has held at most; Linux counts KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def search(workers: int, constants: dict[str, int]) -> OurRun:
    """Trace, compile, search."""
    start = time.perf_counter()
    traced = model.build(IdempotentProducer(**constants))
    compile_program(Program(traced))
    prepared, before, clock = time.perf_counter() - start, peak_rss(), Clock()
    result = check(traced, Limits(workers=workers), clock)
    return OurRun(
        distinct=result.distinct,
        generated=result.generated,
        steps=result.depth - 1,
        verdict=result.verdict.name,
        words=traced.layout.words,
        prepare_seconds=prepared,
        cpu_seconds=clock.seconds,
        wall_seconds=result.seconds,
        store_bytes_per_state=result.bytes_per_state,
        grown_bytes=peak_rss() - before,
        peak_rss_bytes=peak_rss(),
    )


if __name__ == "__main__":
    workers, *values = map(int, sys.argv[1:])
    print(json.dumps(asdict(search(workers, dict(zip(CONSTANTS, values, strict=True))))))
