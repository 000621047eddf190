"""From typing `everystate check` to the verdict on a small spec.

    python bench/startup.py [--runs N]

Warm: the compiled model is in the cache. First: an empty cache of compiled models, no byte code of any module
(an empty PYTHONPYCACHEPREFIX), and as far as the system lets go of them the libraries out of the file cache.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import llvmlite
import machine
import numpy as np

EVERYSTATE = Path(sys.executable).with_name("everystate")
MILLION = "idem-producer -c batches=8 -c max_sends=4 -c resets=3 -c leader_changes=1"
"""1,161,192 states."""
TARGETS = {"die-hard": 12, "idem-producer": 0, MILLION: 0}
WARM_GOAL, FIRST_GOAL = 1.5, 15.0
LIBRARIES = (Path(np.__file__).parent, Path(llvmlite.__file__).parent)


def processor() -> float:
    """Seconds that processes have used which were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def check(target: str, folder: Path) -> tuple[float, float, str]:
    """(wall seconds, seconds of the processor, what was printed) of one check whose caches are in `folder`."""
    environment = os.environ | {
        "EVERYSTATE_CACHE": str(folder / "models"),
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [str(EVERYSTATE), "check", *target.split()]
    start, used = time.perf_counter(), processor()
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if done.returncode != TARGETS[target]:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return seconds, processor() - used, done.stderr


def forget(folder: Path) -> None:
    """Ask the system to drop a folder's files from its cache; it keeps those in use."""
    if not hasattr(os, "posix_fadvise"):
        return
    for path in folder.rglob("*.so*"):
        with path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def first(target: str, folder: Path) -> tuple[float, float, str]:
    """As on a machine that has never run it."""
    for library in LIBRARIES:
        forget(library)
    return check(target, folder)


def row(target: str, runs: int) -> str:
    """Measure one target: a first run and the warm runs behind it, twice over."""
    firsts, warms, said = [], [], ""
    for _ in range(2):
        with tempfile.TemporaryDirectory(prefix="startup-") as name:
            seconds, _, said = first(target, Path(name))
            firsts.append(seconds)
            warms += [check(target, Path(name))[:2] for _ in range(runs)]
    told = next((line for line in said.splitlines() if line.endswith("...")), "nothing")
    walls, used = zip(*warms, strict=True)
    figures = f"{min(walls):>8.2f}{median(walls):>9.2f}{min(used):>8.2f}{median(used):>9.2f}"
    name = "1.16M states" if target == MILLION else target
    return f"{name:16}{figures}{firsts[0]:>10.2f}{firsts[1]:>8.2f}   {told}"


def main() -> None:
    """Print one line for each target."""
    parser = argparse.ArgumentParser(description="From typing `everystate check` to the verdict, in seconds.")
    parser.add_argument("--runs", type=int, default=10, help="warm runs behind each first run")
    runs = parser.parse_args().runs
    loads = [os.getloadavg()[0]]
    heads = f"{'warm s':>8}{'median':>9}{'CPU s':>8}{'median':>9}{'first s':>10}{'again':>8}"
    print(f"{machine.described()}\n{'':16}{heads}   said meanwhile")
    for target in TARGETS:
        print(row(target, runs), flush=True)
        loads.append(os.getloadavg()[0])
    print(f"goals: warm {WARM_GOAL} s, first {FIRST_GOAL:.0f} s; load {machine.span(loads)}")


if __name__ == "__main__":
    main()
