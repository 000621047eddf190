"""everystate throughput, on a real broker: one small measurement, and one of memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from everystate.checker.cli.main import main
from everystate.model.cluster.waiting import wait
from tests.cluster.conftest import paths

pytestmark = pytest.mark.thorough

__all__ = ["paths"]


@pytest.mark.kafka
def test_no_run_is_faster_than_its_round_trips_allow(paths: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    """Eight in flight under a window of six are six: 12 batches take two round trips at least, and so on."""
    command = ["throughput", "--rtt", "50", "--in-flight", "1,8", "--window", "6", "--rounds", "3", "--repeat", "1"]
    assert main([*command, "--json", "-", "--quiet"]) == 0
    data = json.loads(capsys.readouterr().out)
    rows = {(row["client"], row["in_flight"], row["trip"]): row for row in data["rows"]}
    assert len(rows) == 10
    trips = {("producer", 1): 3, ("not idempotent", 1): 3, ("not idempotent", 8): 3, ("raw", 1): 3, ("raw", 8): 4}
    for (client, most), count in trips.items():
        row = rows[client, most, 50]
        assert row["batches"] == 3 * most
        for rate in (*row["measured"], row["predicted"]):
            assert rate < row["batches"] / (count * 0.05), (client, most)
            assert rate > 0


@pytest.mark.kafka
def test_a_broker_keeps_five_batches_of_each_producer(paths: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["throughput", "--heap", "20", "--json", "-", "--quiet"]) == 0
    [weight] = json.loads(capsys.readouterr().out)["weights"]
    log = "org.apache.kafka.storage.internals.log."
    assert weight["producers"] == 20
    assert weight["classes"][f"{log}BatchMetadata"] == [5, 200]
    assert weight["classes"][f"{log}ProducerStateEntry"][0] == 1
    assert weight["batch"] == 40


@pytest.mark.kafka
def test_nothing_is_left_of_a_measurement_that_is_killed(paths: list[Path], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "everystate.checker.cli.main", "throughput", "--quiet"]
    process = subprocess.Popen(command, env={**os.environ, "TMPDIR": str(tmp_path)}, stderr=subprocess.DEVNULL)

    def there(kind: str) -> bool:
        return any(tmp_path.glob(f"everystate-{kind}-*"))

    wait("a broker has a folder", lambda: there("cluster") and there("kafka"))
    process.kill()
    process.wait()
    wait("both folders are gone", lambda: not there("cluster") and not there("kafka"))
