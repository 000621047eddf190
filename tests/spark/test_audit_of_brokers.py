"""From the model to the broker's disk: what is replayed on a real broker is found by the audit in its log folder."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.main import main
from everystate.model.commands import replay_logs
from tests.cluster.conftest import paths as paths_of_a_broker

pytestmark = pytest.mark.thorough

paths = paths_of_a_broker


@pytest.mark.kafka
def test_a_replay_on_a_broker_and_the_audit_of_its_logs(
    paths: list[Path], spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Model, consumer and audit say the same, and the audit names the scenario, of which it knows nothing."""
    monkeypatch.setattr(replay_logs, "opened", lambda *_: contextlib.nullcontext(spark))
    page, logs = tmp_path / "replay.html", tmp_path / "logs"
    command = ["replay", "current/clean-restart", "--cluster", "--html", str(page), "--logs", str(logs), "--json", "-"]
    assert main(command) == 0
    (outcome,) = json.loads(capsys.readouterr().out)
    assert outcome["conclusions"] == ["record 0 is at offsets 1 and 3"]
    assert outcome["predicted"] == outcome["written"] == outcome["records"] == [[[0, -1], [1, 0], [2, 1], [3, 0]]]
    (finding,) = outcome["audited"]["findings"]
    assert (finding["kind"], finding["offset"], finding["other"]) == ("copy", 3, 1)
    assert finding["like"][0] == "current/clean-restart"
    assert outcome["audited"]["found"] == ["copy at offset 3 of offset 1"]
    assert [str(path.relative_to(logs)) for path in logs.rglob("*.log")] == [
        "NoDuplicate/broker-0/topic-0/00000000000000000000.log"
    ]
    assert page.read_text("utf-8").count('<article class="good">') == 3
