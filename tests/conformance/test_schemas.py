"""The published schemas of what conform, replay and throughput write: they know every field, and nothing else."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from everystate.checker.cli.main import main
from everystate.model.cluster import outcome as of_replay
from everystate.model.cluster import report as replayed
from everystate.model.conformance import parts
from everystate.model.conformance import report as conformed
from everystate.model.conformance.compare import Difference, ObservedStep
from everystate.model.throughput import heap, plan

ROOT = Path(__file__).parents[2]
SCHEMAS: dict[str, Any] = {
    name: json.loads((ROOT / "docs" / "reference" / f"{name}.schema.json").read_text("utf-8"))
    for name in ("conform", "replay", "throughput")
}
SEEN = ObservedStep("send(batch=0)", ({"text": "produce b0"},), {"log": ((0, "ok"), None, True)}, {"log": ()})
DIFFERENCE = Difference({"log": ((1, "ok"), ())}, "")
FINDING = of_replay.Finding(0, 0, "copy", "broken", 3, 1, "is sequence 1", ("current/clean-restart",), "a picture")
REPLAYS = [
    of_replay.Outcome("a", "NoDuplicate", 2),
    of_replay.Outcome("a", "NoDuplicate", 2, not_judged="waited in vain", memory=[1 << 27]),
    of_replay.Outcome("a", "walk 0 of seed 0", 2, ["send(batch=0)"], [SEEN], DIFFERENCE, interrupted=True),
    of_replay.Outcome(
        "a",
        "NoDuplicate",
        2,
        predicted=[[(0, -1), (1, 0)]],
        written=[[(0, -1), (1, 0)]],
        records=[[(0, -1), (1, 0)]],
        batches=[[of_replay.OnDisk(0, (-1,), 1000, 0, 0)]],
        results=["open"],
        audited=of_replay.Audited([FINDING], ["x"], ["x"], ["x"], ["x"]),
        seconds={"start": 0.5},
    ),
]
CONFORMED = conformed.Report(
    "4.4.0",
    ["a", "b"],
    Counter(walk=2),
    9,
    0.5,
    Counter(send=2),
    Counter({"B4.4": 1}),
    ["a, NoDuplicate: 11 steps"],
    [conformed.FoundDifference("a", "walk 0", ["send(batch=0)"], [SEEN], DIFFERENCE, 4, 2, "KAFKA-1")],
    1,
    {"b": ["no batch comes near the wrap"]},
    "kip-360",
    ["a"],
    {"b": "no property fails"},
    parts={parts.CLIENTS: ["a"]},
    undriven={"a": ["beside Kafka's coordinator: no"]},
)
GROWN = dict.fromkeys((*heap.OF_PRODUCERS, heap.BATCH), (5, 200))


def told(data: Any) -> Any:
    """As it is in a file."""
    return json.loads(json.dumps(data))


def outputs() -> dict[str, list[Any]]:
    return {
        "conform": [[], [conformed.as_json(CONFORMED), conformed.as_json(conformed.Report("4.3.1"))]],
        "replay": [[replayed.as_json(each, "4.4.0")] for each in REPLAYS],
        "throughput": [heap.as_json(heap.HeapUse({1000: GROWN}), "4.4.0")],
    }


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_is_written_is_as_its_schema_says(name: str) -> None:
    Draft202012Validator.check_schema(SCHEMAS[name])
    for output in outputs()[name]:
        Draft202012Validator(SCHEMAS[name]).validate(told(output))


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_has_a_field_more_or_less_anywhere_is_refused(name: str) -> None:
    """Every object that has fixed fields is changed, one at a time; tables by name are not such objects."""
    validator, count = Draft202012Validator(SCHEMAS[name]), 0
    for output in map(told, outputs()[name]):
        for place in objects(output):
            kept = dict(place)
            place["more"] = {"no": "such"}
            assert not validator.is_valid(output), kept
            del place["more"]
            for key in kept:
                del place[key]
                assert not validator.is_valid(output), (kept, key)
                place[key] = kept[key]
                count += 1
        assert validator.is_valid(output)
    assert count == {"conform": 70, "replay": 116, "throughput": 9}[name]


TABLES = (
    "actions",
    "rules",
    "driven",
    "obstacles",
    "undriven",
    "idle",
    "cut",
    "seconds",
    "values",
    "model",
    "kafka",
    "classes",
    "narration",
)


def objects(data: Any, name: str = "") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [data] if isinstance(data, dict) and name not in TABLES else []
    for key, value in data.items() if isinstance(data, dict) else [(name, each) for each in data]:
        if isinstance(value, (dict, list)) and key not in ("model", "kafka", "values"):
            found += objects(value, key)
    return found


def test_a_prediction_is_as_its_schema_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["throughput", "--service", "2", "--rtt", "10", "--in-flight", "1,6", "--quiet", "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    validator = Draft202012Validator(SCHEMAS["throughput"])
    validator.validate(found)
    assert not validator.is_valid({**found, "rows": [{**found["rows"][0], "client": "librdkafka"}]})
    assert {row["client"] for row in found["rows"]} <= {plan.REAL, plan.NOT_IDEMPOTENT, plan.RAW}


def test_the_schemas_know_every_word_and_field() -> None:
    replay, release = SCHEMAS["replay"]["$defs"], SCHEMAS["conform"]["$defs"]["release"]
    words = [*replayed.VERDICTS.values(), "AGREED"]
    assert sorted(replay["replay"]["properties"]["verdict"]["enum"]) == sorted(words)
    assert replay["replay"]["properties"]["exit_code"]["enum"] == list(replayed.VERDICTS)
    assert release["properties"]["exit_code"]["enum"] == list(replayed.VERDICTS)
    own = {"kafka", "verdict", "exit_code", "conclusions"}
    assert set(replay["replay"]["properties"]) == own | {each.name for each in fields(of_replay.Outcome)}
    row = SCHEMAS["throughput"]["$defs"]["row"]["properties"]
    assert row["client"]["enum"] == [plan.REAL, plan.NOT_IDEMPOTENT, plan.RAW]
    assert set(SCHEMAS["throughput"]["$defs"]["plan"]["properties"]) == {each.name for each in fields(plan.Plan)}
