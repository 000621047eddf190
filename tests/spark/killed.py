"""A search on a cluster in which tasks kill what they run on; prints what was found. Run by test_killed.py.

python killed.py MASTER FOLDER WORK
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from everystate.checker import Int, Spec, action, implies, invariant, require
from everystate.checker.engines import distributed
from everystate.checker.engines.distributed import cluster
from everystate.checker.engines.distributed.deduplication import settle
from everystate.checker.engines.limits import Limits
from everystate.checker.frontend import model
from everystate.checker.spark.session import Settings, session

SPEC = {
    "batches": 3,
    "max_in_flight": 2,
    "window": 2,
    "max_sends": 3,
    "resets": 1,
    "bumps": 1,
    "leader_changes": 1,
}
"""What a command checks that is killed: 484 states."""
LARGE = {"batches": 7, "max_in_flight": 6, "max_sends": 3, "resets": 2, "bumps": 1, "leader_changes": 1}
"""What the commands check that are told to end: 155,179 states in 57 levels, so that none has ended before."""
WORKER_AT, EXECUTOR_AT = 4, 5
"""The levels in whose mid a Python worker and an executor are killed, once each."""


class Words(Spec):
    """Levels of 1, 4, 16, 64 and 256 states, as many as there are words of so many digits."""

    may_terminate = True

    def variables(self) -> None:
        self.length = Int(0, 4)
        self.word = Int(0, 255)

    @action(digit=range(4))
    def append(self, digit: int) -> None:
        require(self.length < 4)
        self.length += 1
        self.word = 4 * self.word + digit

    @invariant
    def empty_at_first(self) -> bool:
        return implies(self.length == 0, self.word == 0)


def deadly(settle: Any, folder: str) -> Any:
    """The second half of a level, which kills after its first row."""

    def function(task: Any, step: Any, batches: Any) -> Iterator[Any]:
        for number, batch in enumerate(settle(task, step, batches)):
            yield batch
            if number == 0 and step.level in (WORKER_AT, EXECUTOR_AT) and first(folder, step.level):
                os.kill(os.getpid() if step.level == WORKER_AT else executor(), signal.SIGKILL)

    return function


def first(folder: str, level: int) -> bool:
    """Whether nobody has killed in a level before."""
    try:
        os.close(os.open(f"{folder}/killed-{level}", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def executor() -> int:
    """The Java process above this Python worker and its daemon."""
    return parent(os.getppid())


def parent(process: int) -> int:
    """The parent of a process."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def main(master: str, folder: str, work: str) -> None:
    """Search, and print the result with how often a partition was made again."""
    cluster.settle = deadly(settle, folder)  # type: ignore[attr-defined]  # what its tasks call
    settings = Settings(master=master, conf={"spark.executor.memory": "1g", "spark.cores.max": "2"})
    plan = distributed.Plan(lambda: session(settings), partitions=4, ship=4, work=work)
    search = distributed.Distributed(model.build(Words()), Limits(), plan)
    result = search.run()
    counts = [result.distinct, result.generated, result.depth, result.verdict.name]
    print(json.dumps({"counts": counts, "rebuilt": search.spent["rebuilt"], "coverage": str(result.coverage)}))


if __name__ == "__main__":
    sys.modules["killed"] = sys.modules["__main__"]
    main(*sys.argv[1:])
