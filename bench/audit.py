"""The log audit against programs of one process, on the same files: batches a second, and whether all is found.

python bench/audit.py [--batches N] [--folder DIR] [--json FILE]

Writes the logs first (see audit_logs.py), as segments and as text, 330 bytes a line. Each program runs in a process of
its own: the audit on local[2], the same readers and the same walk in one process with a sort by numpy between them,
and for text Polars (pip install polars), which only counts the batches that do not go on where the last one ended.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from multiprocessing import Pool
from pathlib import Path
from typing import Any

from audit_logs import Partition, write

PARTITIONS, SEGMENTS, ANOMALIES = 8, 4, 600
BROKEN = ("duplicate", "gap", "reordered", "epoch-regression", "copy")
Expected = set[tuple[str, int, int]]
Told = tuple[Expected | None, float]
"""What a program has found, and CPU seconds of processes that the system does not tell of when they have ended."""
WORKER = 3
"""A Python worker of Spark is the child of a daemon, that of Java, that of the program."""


def main() -> None:
    """Measure every program on both kinds of files, and print a table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--batches", type=int, default=10_000_000)
    options.add_argument("--folder", type=Path, default=Path("bench-audit"))
    options.add_argument("--json", type=Path)
    options.add_argument("--run", nargs=2, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.run:
        program, kind = given.run
        print(json.dumps(measured(PROGRAMS[program], given.folder / kind, expected(given.folder))))
        return
    generate(given.folder, given.batches)
    rows = []
    for kind in ("raw", "text"):
        for program in PROGRAMS:
            if (program, kind) != ("polars", "raw"):
                rows.append({"program": program, "files": kind, **run(given.folder, program, kind)})
                print(line(rows[-1], given.batches), flush=True)
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1))


def line(row: dict[str, Any], batches: int) -> str:
    """A row of the table."""
    speed = batches / row["seconds"] / 1e6
    found = f"{row['right']:,} of {row['expected']:,} found, {row['wrong']} invented"
    return (
        f"{row['files']:5} {row['program']:12} {row['seconds']:7.1f} s  {speed:5.2f} M batches/s  "
        f"{row['cpu']:7.1f} s CPU  {row['memory'] >> 20:6,} MiB  {found}"
    )


def run(folder: Path, program: str, kind: str) -> dict[str, Any]:
    """One program in a process of its own."""
    command = [sys.executable, __file__, "--folder", str(folder), "--run", program, kind]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def generate(folder: Path, batches: int) -> None:
    """Write the logs, unless they are there."""
    told = folder / f"expected-{batches}.json"
    if told.exists():
        return
    with Pool(os.cpu_count()) as pool:
        parts = [(Partition(n, batches // PARTITIONS, ANOMALIES, SEGMENTS), folder) for n in range(PARTITIONS)]
        found = pool.starmap(write, parts)
    told.write_text(json.dumps([sorted(one) for one, _ in found]))


def expected(folder: Path) -> Expected:
    """What must be found."""
    [told] = folder.glob("expected-*.json")
    return {(kind, log, offset) for part in json.loads(told.read_text()) for kind, log, offset in part}


def measured(program: Callable[[Path], Told], folder: Path, wanted: Expected) -> dict[str, Any]:
    """A program's time, CPU time of all its processes, peak memory of the largest one, and findings."""
    begun = time.perf_counter()
    found, more = program(folder)
    seconds = time.perf_counter() - begun
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return {
        "seconds": seconds,
        "cpu": more + sum(one.ru_utime + one.ru_stime for one in usage),
        "memory": max(one.ru_maxrss for one in usage) * 1024,
        "expected": len(wanted),
        "right": len(found & wanted) if found is not None else 0,
        "wrong": len(found - wanted) if found is not None else 0,
    }


def workers() -> float:
    """CPU seconds so far of the Python workers of Spark (Linux). The process that starts them does not wait for them,
    and what nobody waits for is counted nowhere."""
    processes = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            told = file.read_text().rpartition(")")[2].split()
            processes[int(file.parent.name)] = int(told[1]), (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")

    def depth(process: int) -> int:
        parent = processes[process][0]
        return 1 if parent == os.getpid() else depth(parent) + 1 if parent in processes else -99

    return sum(cpu for process, (_, cpu) in processes.items() if depth(process) >= WORKER)


# -- programs ----------------------------------------------------------------------------------------------


def spark(folder: Path) -> Told:
    """The audit as `everystate audit --master local[2]` runs it; the start of Spark is part of it."""
    from everystate.checker.spark.session import Settings, session
    from everystate.model.audit import FindingLimits, audit

    with session(Settings(master="local[2]")) as started:
        report = audit(started, [str(folder)], FindingLimits(limit=1_000_000))
        found = {(_kind(f["kind"]), f["partition"], f["base_offset"]) for f in report.found}
        return {one for one in found if one[0] in BROKEN}, workers()


def _kind(kind: str) -> str:
    return "gap" if kind == "jump" else kind.removeprefix("likely-")


def one_process(folder: Path) -> Told:
    """The readers and the walk of the audit, and a sort by numpy of all batches in memory."""
    import numpy as np

    from everystate.model.audit.producers import Audit
    from everystate.model.audit.rows import pieces
    from everystate.model.audit.schema import FIELDS
    from everystate.model.audit.sources import Unit, read

    names = ("producer_id", *FIELDS)
    parts: dict[str, list[Any]] = {name: [] for name in ("log", *names)}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        told, items = read(Unit(str(path), path.stat().st_size))
        log = int(path.stem.split("-")[-1]) if path.suffix == ".txt" else int(path.parent.name.split("-")[-1])
        for batches in pieces(items, 0, str(path), told):
            if isinstance(batches, dict):
                parts["log"].append(np.full(len(batches["number"]), log))
                for name in names:
                    parts[name].append(batches[name])
    columns = {name: np.concatenate(held) for name, held in parts.items()}
    order = np.lexsort((columns["base_offset"], columns["producer_id"], columns["log"]))
    walk = Audit()
    found = [*walk.read({name: held[order] for name, held in columns.items()}), *walk.finish()]
    return {(_kind(f.kind), f.log, f.batch.base_offset) for f in found if _kind(f.kind) in BROKEN}, 0.0


def polars(folder: Path) -> Told:
    """Polars counts, per log, producer and epoch, the batches that do not go on where the last one ended."""
    import polars as pl

    lines = pl.scan_csv(
        folder / "*.txt",
        separator=" ",
        has_header=False,
        quote_char=None,
        truncate_ragged_lines=True,
        missing_columns="insert",
        include_file_paths="log",
        schema={f"c{at}": pl.String for at in range(36)},
    )
    batches = lines.filter(pl.col("c0") == "baseOffset:").select(
        "log",
        offset=pl.col("c1").cast(pl.Int64),
        first=pl.col("c7").cast(pl.Int64),
        last=pl.col("c9").cast(pl.Int64),
        producer=pl.col("c11").cast(pl.Int64),
        epoch=pl.col("c13").cast(pl.Int32),
    )
    keys = ["log", "producer", "epoch"]
    odd = pl.col("first") != pl.col("last").shift(1).over(keys) + 1
    batches.sort("log", "producer", "offset").select(odd.sum()).collect()
    return None, 0.0


PROGRAMS: dict[str, Callable[[Path], Told]] = {"spark": spark, "one_process": one_process, "polars": polars}

if __name__ == "__main__":
    main()
