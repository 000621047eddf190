"""Time to a verdict: what a user waits for, of two or more versions of Everystate in turns.

    python bench/verdict_times.py after=.venv/bin/everystate before="env PYTHONPATH=/old python -m everystate"
        [--only WORD ...] [--timeout SECONDS] [--no-second]

Each version runs every command twice: with an empty cache, and again. The table has seconds of the processor, children
included, and of the clock in brackets. `> N` stands for a command that was ended, `(exit N)` for one that was refused.
"""

from __future__ import annotations

import argparse
import os
import resource
import shlex
import signal
import subprocess
import tempfile
import time

FAILED = (2, 150, 255)
COMMANDS = (
    "check simple",
    "check game-of-life",
    "check two-phase",
    "check paxos",
    "check write-through-cache",
    "check ewd840-liveness",
    "check idem-producer/unsafe",
    "check current/clean-leader-change",
    "check current/one-fault-of-every-kind",
    "check current/realistic --max-states 1000000",
    "prove two-phase",
    "prove token-ring",
    "prove idem-producer",
    "frontier idem-producer -x window=1..6 -y max_in_flight=1..6 -c batches=7 --no-cache",
    "matrix --tag fast --no-cache",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("versions", nargs="+", metavar="NAME=COMMAND")
    parser.add_argument("--only", nargs="+", default=[""], metavar="WORD", help="commands with one of these words")
    parser.add_argument("--timeout", type=float, default=600)
    parser.add_argument("--no-second", action="store_true", help="with an empty cache only")
    given = parser.parse_args()
    versions = dict(text.split("=", 1) for text in given.versions)
    runs = ("first",) if given.no_second else ("first", "second")
    columns = [f"{name}, {run}" for run in runs for name in versions]
    print(f"| CPU s (wall s) | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}", flush=True)
    for command in COMMANDS:
        if any(word in command for word in given.only):
            found = measured(command, versions, runs, given.timeout)
            print(f"| `{command}` | {' | '.join(found)} |", flush=True)


def measured(command: str, versions: dict[str, str], runs: tuple[str, ...], timeout: float) -> list[str]:
    """What each run of a command took, by each version."""
    with tempfile.TemporaryDirectory() as folder:
        caches = {name: os.path.join(folder, name) for name in versions}
        return [once(f"{versions[name]} {command}", caches[name], timeout) for _ in runs for name in versions]


def once(command: str, cache: str, timeout: float) -> str:
    """What one run took."""
    start, before = time.perf_counter(), spent()
    quiet = subprocess.DEVNULL
    environment = {**os.environ, "EVERYSTATE_CACHE": cache}
    process = subprocess.Popen(
        shlex.split(command), stdout=quiet, stderr=quiet, env=environment, start_new_session=True
    )
    try:
        code = process.wait(timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return f"> {timeout:.0f}"
    if code in FAILED:
        return f"(exit {code})"
    return f"{spent() - before:.1f} ({time.perf_counter() - start:.1f})"


def spent() -> float:
    """Seconds of the processor of all children so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
