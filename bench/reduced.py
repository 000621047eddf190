"""Full search beside reduced: states, steps and seconds of a processor (without tracing and compiling), as a table.

python bench/reduced.py [TARGET[,NAME=VALUE...] ...]
"""

from __future__ import annotations

import resource
import sys

from everystate.checker.cli.options import constants
from everystate.checker.cli.targets import resolve
from everystate.checker.engines.explicit import exhaustive, reduced
from everystate.checker.engines.limits import Limits
from everystate.checker.frontend import model
from everystate.checker.ir import stubborn
from everystate.checker.results.result import Result

TARGETS = (
    "idem-producer",
    "idem-producer,batches=8,window=4,max_in_flight=4,resets=2",
    "current/lost-request-or-response",
    "current/clean-leader-change",
    "two-phase,managers=6",
    "simple",
    "chameneos",
    "chameneos,creatures=5,meetings=4",
    "paxos",
    "ewd840,nodes=5",
)


def cpu() -> float:
    """Seconds of a processor that this process has used."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def timed(search: object, traced: model.Model) -> tuple[Result, float]:
    """A search without the cross-check, compiled before."""
    run = search.check  # type: ignore[attr-defined]
    run(traced, Limits(cross_check=0))  # what is compiled is kept
    start = cpu()
    return run(traced, Limits(cross_check=0)), cpu() - start


def main() -> int:
    """Print a row for each target."""
    print("| target | parts | full: states | generated | CPU s | reduced: states | generated | CPU s | of it tables |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for target in sys.argv[1:] or TARGETS:
        name, *given = target.split(",")
        found = resolve(name)
        traced = model.build(found.spec(constants(found.cls, tuple(given))))
        start = cpu()
        parts, tables = len(stubborn.reduction(traced).parts), cpu() - start
        cells = [f"`{' '.join([name, *(f'-c {g}' for g in given)])}`", f"{parts}"]
        for search in (exhaustive, reduced):
            result, seconds = timed(search, traced)
            cells += [f"{result.distinct:,}", f"{result.generated:,}", f"{seconds:.2f}"]
        print("| " + " | ".join([*cells, f"{tables:.2f}"]) + " |", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
