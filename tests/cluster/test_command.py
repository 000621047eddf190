"""The command before any server starts: a trace that is none, and an audit for which Spark is missing."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli import replay_logs
from everystate.checker.cli.main import main
from everystate.model.cluster.outcome import Outcome


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The counterexample of current/clean-restart, as `everystate check --out` writes it."""
    folder = tmp_path_factory.mktemp("traces")
    assert main(["check", "current/clean-restart", "--out", str(folder), "--quiet"]) == 12
    (path,) = folder.glob("*NoDuplicate*.json")
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda states: states.insert(2, states[1]), "step 2, send(batch=0), cannot be taken"),
        (lambda states: states.__delitem__(1), "step 1, send(batch=1), cannot be taken"),
        (lambda states: states[3]["batch"].reverse(), "step 3, handle(broker=0, batch=0), leads to another state"),
    ],
    ids=["a-step-twice", "a-step-less", "another-state"],
)
def test_a_trace_that_is_no_behaviour_of_its_spec(
    trace: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str], change: Any, why: str
) -> None:
    document = json.loads(json.dumps(trace))
    change(document["states"])
    path = tmp_path / "trace.itf.json"
    path.write_text(json.dumps(document), "utf-8")
    assert main(["replay", str(path), "--cluster"]) == 2
    said = capsys.readouterr().err
    assert f"error E735: {path} has no behaviour of current/clean-restart ({why}) to replay" in said


def test_without_spark_the_line_of_the_audit_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay_logs, "missing", lambda *packages: "PySpark" if "pyspark" in packages else "")
    outcome = Outcome("current/x", "NoDuplicate", 0)
    with ExitStack() as stack:
        replay_logs.Auditor({"no_audit": False, "quiet": True}, stack).add(outcome, tmp_path)
    assert outcome.audited is None
    assert outcome.not_audited.startswith("PySpark is not installed: ")
    assert "[spark]" in outcome.not_audited


def test_a_folder_for_logs_that_holds_others_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("jpype")
    (tmp_path / "other.log").touch()
    assert main(["replay", "current/clean-restart", "--cluster", "--logs", str(tmp_path), "--quiet"]) == 2
    assert f"Error: --logs: {tmp_path} is not an empty folder; name a new one" in capsys.readouterr().err
