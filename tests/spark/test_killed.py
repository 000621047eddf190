"""What is killed in mid-run costs time and nothing else: the numbers at the end are the same."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")

from everystate.checker.engines import exhaustive
from everystate.checker.ir import model
from everystate.specs.idem_producer import IdempotentProducer

from . import killed

EVERYSTATE = [sys.executable, "-m", "everystate.checker.cli.main"]
PATIENCE = 300.0


def test_a_python_worker_and_an_executor_killed_in_mid_level(cluster: Any, tmp_path: Path) -> None:
    """Four partitions. Each worker of this cluster has a scratch folder of its own, all on one machine: a task that
    moves to the other one does not find its shard, and makes it again from the stored levels."""
    work = tmp_path / "work"
    done = cluster.run(killed.__file__, cluster.url, str(tmp_path), str(work), timeout=PATIENCE)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    expected = exhaustive.check(model.build(IdempotentProducer(**killed.SPEC)))
    assert found["counts"] == [484, 805, 16, "PROVED"]
    assert found["coverage"] == repr(expected.coverage)
    assert (tmp_path / f"killed-{killed.WORKER_AT}").exists()
    assert (tmp_path / f"killed-{killed.EXECUTOR_AT}").exists()
    again = [path.name for path in (work / "levels").iterdir() if path.name.endswith("-rebuilt")]
    assert f"{killed.EXECUTOR_AT:05}-rebuilt" in again or f"{killed.EXECUTOR_AT + 1:05}-rebuilt" in again
    assert found["rebuilt"] > 4


def test_a_driver_killed_in_mid_run_is_resumed_to_the_same_numbers(tmp_path: Path) -> None:
    work = tmp_path / "work"
    constants = [word for name, value in killed.SPEC.items() for word in ("-c", f"{name}={value}")]
    command = [*EVERYSTATE, "check", "idem-producer", *constants, "--engine", "spark", "--workers", "2"]
    command += ["--partitions", "2", "--ship", "60", "--work", str(work)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=tmp_path) as driver:
        assert driver.stderr is not None
        until = time.monotonic() + PATIENCE
        for line in driver.stderr:
            assert time.monotonic() < until
            if line.startswith(b"level 13 "):
                break
        os.kill(driver.pid, signal.SIGKILL)
    assert (work / "levels" / "00013.json").exists()
    assert not (work / "levels" / "00017.json").exists()
    report = tmp_path / "report.json"
    resumed = subprocess.run(
        [*command, "--resume", "--json", str(report)], capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE
    )
    assert resumed.returncode == 0, resumed.stderr
    found = json.loads(report.read_text())
    counts = [found[name] for name in ("engine", "distinct", "generated", "depth", "verdict")]
    assert counts == ["spark", 484, 805, 16, "PROVED"]
    assert "Spark was not started" not in resumed.stderr
