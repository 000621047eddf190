"""The command before any server starts: a trace that is none, and an audit for which Spark is missing."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.main import main
from everystate.checker.cli.sweeps import load
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.frontend import model
from everystate.checker.results.itf import dump
from everystate.checker.results.trace import Trace, TraceStep
from everystate.model import KafkaProducer
from everystate.model.cluster.outcome import Outcome
from everystate.model.commands import replay, replay_logs
from everystate.model.conformance.behaviour import NamedStep, of_trace
from everystate.model.conformance.model_side import ModelSide


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
    assert f"error E735: {path} has no trace of current/clean-restart ({why}) to replay" in said


def written(trace: dict[str, Any], folder: Path, **forged: Any) -> Path:
    """The trace as a file, with other things in its head."""
    path = folder / "trace.itf.json"
    path.write_text(json.dumps({**trace, "#meta": {**trace["#meta"], **forged}}), "utf-8")
    return path


@pytest.mark.parametrize(
    ("forged", "code", "said"),
    [
        ({"target": "die-hard"}, 150, "error E107: DieHard has no constant 'generation'"),
        ({"target": ""}, 2, "error E735: {path} has no trace of a spec that is known here to replay"),
        ({"target": 5}, 2, "error E735: {path} has no trace of a spec that is known here to replay"),
        ({"target": "a.py"}, 2, "error E735: {path} has no trace of a.py, which is not one of `everystate list`,"),
        ({"property": "NoGap"}, 2, "error E735: {path} has no violation of NoGap, which holds at its end, to replay"),
        ({"property": "SequencesContiguous"}, 2, "error E735: {path} has no violation of SequencesContiguous, which"),
        ({"constants": {"clean_restarts": 0}}, 2, "error E735: {path} has no trace of a spec that is known here"),
    ],
    ids=["another-spec", "no-spec", "no-name", "a-file", "another-property", "a-property-untold", "other-constants"],
)
def test_a_trace_with_a_forged_head_is_refused(
    trace: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    forged: dict[str, Any],
    code: int,
    said: str,
) -> None:
    if "constants" in forged:
        forged = {"constants": {**trace["#meta"]["constants"], **forged["constants"]}}
    path = written(trace, tmp_path, **forged)
    assert main(["replay", str(path), "--cluster"]) == code
    assert said.format(path=path) in capsys.readouterr().err


def test_a_trace_of_another_spec_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "die-hard", "--out", str(tmp_path), "--quiet"]) == 12
    (path,) = tmp_path.glob("*.json")
    capsys.readouterr()
    assert main(["replay", str(path), "--cluster"]) == 3
    assert capsys.readouterr().out == "NOT JUDGED  die-hard, on Kafka 4.4.0: DieHard is not the Kafka model\n"


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("current/clean-restart", "current/clean-restart"),
        ("current/crash-restart", "current/crash-restart with clean_restarts=1, crashes=0"),
        (
            "kip-98/one-in-flight",
            "kip-98/one-in-flight with generation=current, replicas=1, max_in_flight=2, pids=1, goals=bump, out of "
            "order, faults=1, disconnects=0, clean_restarts=1",
        ),
    ],
)
def test_a_forged_name_is_not_told_as_if_the_trace_were_of_it(
    trace: dict[str, Any], tmp_path: Path, target: str, told: str
) -> None:
    """The constants are those of the file; where they are not those of the name, they are told with it."""
    assert replay._named(str(written(trace, tmp_path, target=target)), ())[0] == told


def test_a_trace_begins_where_its_spec_does(
    trace: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads(json.dumps(trace))
    document["states"][0]["faults_left"] = {"#bigint": "0"}
    assert main(["replay", str(written(document, tmp_path)), "--cluster"]) == 2
    assert "has no trace of current/clean-restart (it begins in another state) to replay" in capsys.readouterr().err


def test_a_trace_with_a_step_that_no_cluster_can_be_told_to_take(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The counterexample with a segment rolled in its middle; it is refused before any server starts."""
    spec = load("current/clean-restart", {"faults": 2, "rolls": 1})
    assert isinstance(spec, KafkaProducer)
    (found,) = exhaustive.check(model.build(spec), target="current/clean-restart").violations
    assert found.trace is not None
    turns = of_trace(spec, "NoDuplicate", found.trace).turns
    roll = NamedStep("roll", (("broker", 0), ("partition", 0)))
    side, steps = ModelSide(spec), list[TraceStep]()
    initial = side.state
    for turn in (*turns[:3], roll, *turns[3:]):
        step = side.step_of(turn)
        assert step is not None
        side.take(step)
        steps.append(TraceStep(turn.action, dict(turn.arguments), turn.choices, str(turn), side.state))
    path = tmp_path / "trace.itf.json"
    trace = Trace("current/clean-restart", spec.constants, initial, tuple(steps), "NoDuplicate", "invariant")
    path.write_text(dump(trace), "utf-8")
    assert main(["replay", str(path), "--cluster"]) == 3
    assert capsys.readouterr().out == (
        "NOT JUDGED  current/clean-restart with faults=2, rolls=1, NoDuplicate, on Kafka 4.4.0: 0 of 12 steps taken; "
        "no cluster can be told to take step 4, roll(broker=0, partition=0): "
        "a broker begins a segment when it appends the next record, never before\n"
    )


def test_what_is_asked_of_a_trace_that_it_does_not_have(
    trace: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(written(trace, tmp_path))
    assert main(["replay", path, "--cluster", "--property", "NoGap"]) == 2
    assert "error E735: current/clean-restart has no counterexample of NoGap to replay" in capsys.readouterr().err
    assert main(["replay", path, "--cluster", "-c", "batches=2"]) == 2
    assert f"Error: -c: {path} is a trace, which has its own constants" in capsys.readouterr().err
    assert main(["replay", path, "--cluster", "--walks", "1"]) == 2
    assert f"Error: --walks: {path} is a trace; walks are those of a scenario" in capsys.readouterr().err


def test_constants_that_the_user_gives_are_told_with_the_name() -> None:
    name, spec, trace = replay._named("current/clean-restart", ("batches=2",))
    assert (name, spec.constants["batches"], trace) == ("current/clean-restart with batches=2", 2, None)


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
