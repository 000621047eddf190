"""What is killed in mid-run costs time and nothing else: the numbers at the end are the same."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")

from everystate.checker.engines.explicit import exhaustive
from everystate.checker.frontend import model

from . import killed

pytestmark = pytest.mark.thorough

EVERYSTATE = [sys.executable, "-m", "everystate.checker.cli.main"]
PATIENCE = 300.0


def test_a_python_worker_and_an_executor_killed_in_mid_level(cluster: Any, tmp_path: Path) -> None:
    """Four partitions. Each worker of this cluster has a scratch folder of its own, all on one machine: a task that
    moves to the other one does not find its shard, and makes it again from the stored levels."""
    work = tmp_path / "work"
    done = cluster.run(killed.__file__, cluster.url, str(tmp_path), str(work), timeout=PATIENCE)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    expected = exhaustive.check(model.build(killed.Words()))
    assert found["counts"] == [341, 341, 5, "PROVED"]
    assert found["coverage"] == str(expected.coverage)
    assert (tmp_path / f"killed-{killed.WORKER_AT}").exists()
    assert (tmp_path / f"killed-{killed.EXECUTOR_AT}").exists()
    again = [path.name for path in (work / "levels").iterdir() if path.name.endswith("-rebuilt")]
    assert f"{killed.EXECUTOR_AT:05}-rebuilt" in again or f"{killed.EXECUTOR_AT + 1:05}-rebuilt" in again
    assert found["rebuilt"] > 4


def check(spec: dict[str, int], *options: str) -> list[str]:
    """The arguments of a command that checks an instance."""
    constants = [word for name, value in spec.items() for word in ("-c", f"{name}={value}")]
    return ["check", "idem-producer", *constants, "--engine", "spark", "--workers", "2", *options]


@pytest.mark.usefixtures("quick_java")
@pytest.mark.parametrize(
    ("number", "line", "code"),
    [
        (signal.SIGINT, b"level 9 ", 130),
        (signal.SIGTERM, b"level 9 ", 143),
        (signal.SIGTERM, b"starting Spark", 143),
    ],
    ids=["ctrl-c", "terminated", "terminated-at-the-start"],
)
def test_a_driver_that_is_told_to_end_leaves_nothing_behind(
    tmp_path: Path, number: int, line: bytes, code: int
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary)}
    command = [*EVERYSTATE, *check(killed.LARGE, "--ship", "40")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment) as driver:
        assert driver.stderr is not None
        for told in driver.stderr:
            if told.startswith(line):
                break
        until = time.monotonic() + PATIENCE
        while not list(temporary.glob("everystate-spark-*")) and time.monotonic() < until:
            time.sleep(0.01)
        driver.send_signal(number)
        told = driver.stderr.read()
    assert driver.returncode == code, told
    assert [path.name for path in temporary.iterdir() if path.name.startswith("everystate")] == []
    assert b"Traceback" not in told
    assert not [line for line in running() if bytes(temporary) in line]


def running() -> Iterator[bytes]:
    """The command lines of all processes; one that ends while it is looked at has none."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            yield path.read_bytes()


KILLS_ITSELF = """
import io, os, signal, sys
from everystate.checker.cli.main import main

class Deadly(io.TextIOWrapper):
    def write(self, text):
        if text.startswith("level 13 "):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().write(text)

sys.stderr = Deadly(sys.stderr.buffer, line_buffering=True)
main(sys.argv[1:])
"""


@pytest.mark.usefixtures("quick_java")
def test_a_driver_killed_in_mid_run_is_resumed_to_the_same_numbers(tmp_path: Path) -> None:
    """killed when it tells of a level, by itself: who waits for that may be late, and it has ended"""
    work = tmp_path / "work"
    command = check(killed.SPEC, "--partitions", "2", "--ship", "60", "--work", str(work))
    driver = [sys.executable, "-c", KILLS_ITSELF, *command]
    died = subprocess.run(driver, capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE)
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert (work / "levels" / "00013.json").exists()
    assert not (work / "levels" / "00014.json").exists()
    report = tmp_path / "report.json"
    resumed = subprocess.run(
        [*EVERYSTATE, *command, "--resume", "--json", str(report)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=PATIENCE,
    )
    assert resumed.returncode == 0, resumed.stderr
    found = json.loads(report.read_text())
    counts = [found[name] for name in ("engine", "distinct", "generated", "depth", "verdict")]
    assert counts == ["spark", 484, 805, 16, "PROVED"]
    assert "Spark was not started" not in resumed.stderr
