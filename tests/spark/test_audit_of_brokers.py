"""From the model to the broker's disk: what is replayed on a real broker is found by the audit in its log folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.main import main
from everystate.model import audit
from everystate.model.audit.finding_kinds import Level
from tests.cluster.conftest import paths as paths_of_a_broker

paths = paths_of_a_broker


@pytest.mark.kafka
def test_a_replay_on_a_broker_and_the_audit_of_its_logs(
    paths: list[Path], spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", "current/clean-restart", "--cluster", "--logs", str(tmp_path), "--json", "-"]) == 0
    (outcome,) = json.loads(capsys.readouterr().out)
    assert outcome["conclusions"] == ["record 0 is at offsets 1 and 3"]
    assert outcome["records"] == [[[0, -1], [1, 0], [2, 1], [3, 0]]]
    report = audit.audit(spark, [str(tmp_path)], audit.Wanted(100))
    broken = [found for found in report.found if found.kind.level is Level.BROKEN]
    places = [(x["kind"], x["base_offset"], x["other_base_offset"], x["topic"], x["scenarios"][0]) for x in broken]
    assert places == [("copy", 3, 1, "topic", "current/clean-restart")]


def test_recorded_segments_hold_one_finding(spark: Any) -> None:
    """Compression, transactions and compaction break nothing; the replay of current/clean-restart does."""
    recorded = Path(__file__).parents[1] / "audit" / "recorded"
    report = audit.audit(spark, [str(recorded)], audit.Wanted(100))
    found = sorted((x["kind"], x["topic"], x["base_offset"]) for x in report.found)
    assert [each for each in found if each[0] not in ("epoch-bump",)] == [("copy", "clean-restart", 3)]
    assert {x.kind.level for x in report.found} <= {Level.BROKEN, Level.LEGAL}
