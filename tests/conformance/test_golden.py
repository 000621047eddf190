"""The model against what Kafka's own classes showed when it was recorded: no Java, no jars, no JPype."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.kafka_golden import OF_OLD, OLD, OLD_FAULTS
from everystate.checker.cli.sweeps import load
from everystate.model import KafkaProducer
from everystate.model.conformance.behaviour import NamedStep
from everystate.model.conformance.drivable import obstacles
from everystate.model.conformance.golden import ENABLED, SETTLED, Transcript, parting, read, write
from everystate.model.conformance.mapping import NEXT_PASS
from everystate.model.conformance.versions import PINNED
from everystate.specs.kafka import SCENARIOS
from everystate.specs.kafka.environments import ENVIRONMENTS
from everystate.specs.kafka.rare import RARE
from tests.conformance.mistakes import RefusesUnknown

FILE = Path(__file__).with_name("golden.jsonl.gz")
RECORDED = list(read(FILE))
ANEW = "record anew: python bench/kafka_golden.py"


@pytest.fixture(autouse=True)
def without_jpype(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever imports JPype gets an ImportError."""
    monkeypatch.setitem(sys.modules, "jpype", None)


def recorded(target: str) -> list[Transcript]:
    return [each for each in RECORDED if each.target == target]


def spec_of(transcript: Transcript) -> KafkaProducer:
    spec = load(transcript.place, transcript.constants)
    assert isinstance(spec, KafkaProducer)
    return spec


@pytest.mark.parametrize("target", dict.fromkeys(each.target for each in RECORDED))
def test_the_model_does_what_kafka_did(target: str) -> None:
    found = [parting(spec_of(transcript), transcript) for transcript in recorded(target)]
    assert [str(each) for each in found if each is not None] == []


def test_the_model_does_what_producers_and_logs_of_old_releases_did() -> None:
    transcripts = list(read(OLD))
    assert [each.kafka for each in transcripts] == [version for version in OLD_FAULTS for _ in range(OF_OLD)], ANEW
    assert [str(found) for found in (parting(spec_of(each), each) for each in transcripts) if found is not None] == []


def test_counterexamples_walks_through_each_world_and_rare_behaviours_are_recorded_of_the_newest_release() -> None:
    newest = list(PINNED.values())[-1]
    assert {each.kafka for each in RECORDED} == {newest.version}, ANEW
    violated = [s for s in SCENARIOS if s.expected and not s.slow]
    driven = [s for s in violated if not list(obstacles(KafkaProducer(**s.constants), newest))]
    expected = {s.name: sorted(s.expected) for s in driven}
    expected |= {f"environments/{name}": ["walk 0", "walk 1", "walk 2"] for name in ENVIRONMENTS}
    expected |= {f"rare/{rare.name}": [rare.rule] for rare in RARE}
    found = {each.target: sorted(other.name for other in recorded(each.target)) for each in RECORDED}
    assert found == expected, ANEW
    assert {each.target: each.constants for each in RECORDED} == {
        **{s.name: s.constants for s in driven},
        **{f"environments/{name}": constants for name, constants in ENVIRONMENTS.items()},
        **{f"rare/{rare.name}": rare.constants for rare in RARE},
    }, ANEW


def test_logs_of_kafka_hold_a_record_twice_in_every_recording_of_a_duplicate() -> None:
    shown = [each for each in RECORDED if each.name == "NoDuplicate"]
    most = {}
    for transcript in shown:
        last = transcript.beginning | {name: value for step in transcript.steps for name, value in step.changed.items()}
        log = Counter(record for ids, *_ in last["log of partition 0"] for record in ids if record >= 0)
        most[transcript.target] = max(log.values())
    assert most.pop("current/retention-and-restart") == 1  # retention has deleted the first copy
    assert (len(most), set(most.values())) == (15, {2})


def test_a_mistaken_model_is_found_at_the_first_step_that_differs() -> None:
    """B4.1 answering 45."""
    traces = [each for each in RECORDED if each.target.startswith("current/")]
    found = [each for each in (parting(RefusesUnknown(**t.constants), t) for t in traces) if each is not None]
    assert {each.transcript.target for each in found} == {
        "current/cold-start-refused",
        "current/expiry-and-lost-response",
        "current/expiry-and-refusal",
        "current/retention-and-restart",
    }
    first = next(each for each in found if str(each.transcript) == "current/expiry-and-refusal, NoGap (producers)")
    assert (first.step, first.move) == (6, "handle(broker=0, batch=1)")
    refused, begun = "OUT_OF_ORDER_SEQUENCE_NUMBER", ((-1,), 1000, 0, 0)
    settled = {"replicated": ((0, 1),)}
    assert first.values == {
        "connection to broker 0": ((((1,), refused),), (((1,), "ok", 1),)),
        "log of partition 0": ((begun,), (begun, ((1,), 1000, 0, 2))),
        "remembered by broker 0 of partition 0": ((), ((1000, 0, ((2, 2),)),)),
        SETTLED: (
            {**settled, "ends": (1,), "answered": (refused, 0)},
            {**settled, "ends": (2,), "answered": ("appended", 1)},
        ),
    }
    assert str(first).startswith(
        "current/expiry-and-refusal, NoGap (producers), step 6, handle(broker=0, batch=1):\n"
        "  connection to broker 0\n"
        "    model        (((1,), 'OUT_OF_ORDER_SEQUENCE_NUMBER'),)\n"
        "    Kafka 4.4.0  (((1,), 'ok', 1),)\n"
    )


SETTLES = {"replicated": ((0,),), "ends": (3,), "answered": ("appended", 2)}


@pytest.mark.parametrize(
    ("mistake", "move", "values"),
    [
        ({"changed": {NEXT_PASS: "sends b7"}}, "handle(broker=0, batch=1)", {NEXT_PASS: ("sends nothing", "sends b7")}),
        ({"settled": {}}, "handle(broker=0, batch=1)", {SETTLED: (SETTLES, {})}),
        ({"turn": NamedStep("restart_producer", ())}, "restart_producer()", {ENABLED: (False, True)}),
    ],
)
def test_a_transcript_with_a_mistake_is_found_at_its_step(
    mistake: dict[str, Any], move: str, values: dict[str, tuple[Any, Any]]
) -> None:
    transcript = recorded("current/clean-restart")[0]
    steps = list(transcript.steps)
    if "changed" in mistake:
        mistake = {"changed": steps[3].changed | mistake["changed"]}
    steps[3] = steps[3]._replace(**mistake)
    found = parting(spec_of(transcript), replace(transcript, steps=tuple(steps)))
    assert found is not None
    assert (found.step, found.move, found.values) == (4, move, values)


def test_a_beginning_that_differs_is_step_0() -> None:
    transcript = recorded("current/clean-restart")[0]
    beginning = transcript.beginning | {"known leader": 1}
    found = parting(spec_of(transcript), replace(transcript, beginning=beginning))
    assert found is not None
    assert (found.step, found.move, found.values) == (0, "the beginning", {"known leader": (0, 1)})


def test_a_file_that_is_written_again_is_the_same(tmp_path: Path) -> None:
    write(tmp_path / "again", RECORDED)
    assert (tmp_path / "again").read_bytes() == FILE.read_bytes()
