"""What liveness costs beside the safety search of the same states, by two commits of this repository, in turns.

    python bench/liveness.py COMMIT [COMMIT] [--runs N] [--large]

Each run is a process of its own. Measured is the time of the processor: of the search, and of judging all temporal
properties, without any cross-check; and the peak of the memory. Each tree has a cache of its own, which is filled by a
run that does not count. The least of all runs counts. Without the second commit what lies here is compared, as it is.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import machine
from tracing import HERE, importable, tree_of

FILTER, FIRST, TABLE = (f"liveness_specs:{name}" for name in ("FilterLock", "FirstInLine", "Philosophers"))
KAFKA = {"batches": 6, "max_in_flight": 4, "leader_changes": 2, "late_errors": 1, "faults": 2}
CASES = [
    ("filter lock, 4 processes, 4 properties", FILTER, {"processes": 4}),
    ("filter lock, 5 processes, 5 properties", FILTER, {"processes": 5}),
    ("filter lock, 5 processes, 1 property", FIRST, {"processes": 5}),
    ("10 philosophers, strong fairness", TABLE, {"seats": 10}),
    ("token-ring, 7 nodes, 7 values", "token-ring", {"nodes": 7, "values": 7}),
    ("ewd840-liveness, 6 nodes", "ewd840-liveness", {"nodes": 6}),
    ("allocator, 20 properties", "allocator", {"clients": 4, "resources": 3}),
    ("Kafka: a result for each record", "everystate.model.liveness:Delivering", KAFKA),
]
LARGE = [("filter lock, 6 processes, 6 properties", FILTER, {"processes": 6})]
MEASURED = """
import json, resource, sys, time
from everystate.checker.cli.targets import resolve
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.engines.limits import Limits
from everystate.checker.engines.temporal import liveness
from everystate.checker.frontend import model

spent = {}

def timed(owner, name, part):
    real = getattr(owner, name)
    def call(*given):
        start = time.process_time()
        try:
            return real(*given)
        finally:
            spent[part] = time.process_time() - start
    setattr(owner, name, call)

timed(exhaustive.Exhaustive, "_levels", "search")
timed(liveness, "violations", "liveness")
traced = model.build(resolve(sys.argv[1]).spec(json.loads(sys.argv[2])))
found = exhaustive.check(traced, Limits(workers=1, cross_check=0, deadlock=False))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
shown = sorted((v.property, v.length, v.trace and v.trace.loop) for v in found.violations)
print(json.dumps({**spent, "peak": peak, "distinct": found.distinct, "verdict": [found.verdict.value, shown]}))
"""


def measured(target: str, constants: dict[str, int], path: Path, cache: Path) -> dict[str, Any]:
    """What one run has taken."""
    environment = os.environ | {"EVERYSTATE_CACHE": str(cache), "PYTHONPATH": f"{path}:{Path(__file__).parent}"}
    command = [sys.executable, "-c", MEASURED, target, json.dumps(constants)]
    done = subprocess.run(command, env=environment, cwd=path, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{target} in {path.name}: {done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def row(case: tuple[str, str, dict[str, int]], paths: list[Path], runs: int) -> str:
    """The least times by each tree, which take turns."""
    name, target, constants = case
    found: list[list[dict[str, Any]]] = [[] for _ in paths]
    for _ in range(runs + 1):
        for some, path in zip(found, paths, strict=True):
            some.append(measured(target, constants, path, path / "cache"))
    if len({json.dumps((run["distinct"], run["verdict"])) for some in found for run in some}) != 1:
        raise SystemExit(f"{name}: the verdicts differ: {[some[0]['verdict'] for some in found]}")
    cells = []
    for some in found:
        search, live, peak = (min(run[part] for run in some[1:]) for part in ("search", "liveness", "peak"))
        cells.append(f"{search:10.3f}{live:9.3f}{live / search:7.1f}{peak:7,.0f}")
    return f"{name:45}{found[0][0]['distinct']:>10,}{''.join(cells)}"


def main() -> None:
    """Print a line for each case."""
    parser = argparse.ArgumentParser(description="What liveness costs beside the search, by two commits, in turns.")
    parser.add_argument("commits", nargs="+", metavar="COMMIT", help="one, or two")
    parser.add_argument("--runs", type=int, default=3, help="processes for each case and commit")
    parser.add_argument("--large", action="store_true", help="9 million states instead: minutes, and 10 GB")
    given = parser.parse_args()
    print(machine.described())
    print(f"{'':45}{'states':>10}" + f"{'search s':>10}{'liveness':>9}{'ratio':>7}{'MB':>7}" * 2)
    with tempfile.TemporaryDirectory(prefix="liveness-") as name:
        folder = Path(name)
        trees = [tree_of(commit, folder / commit) for commit in given.commits[:2]]
        trees += [HERE] if len(trees) == 1 else []
        paths = [importable(tree, folder / f"path-{i}") for i, tree in enumerate(trees)]
        for case in LARGE if given.large else CASES:
            print(row(case, paths, given.runs), flush=True)


if __name__ == "__main__":
    main()
