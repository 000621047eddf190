"""Counterexamples replayed on real brokers: they are reproduced, and what is not as in the model is told."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from everystate.checker.cli.sweeps import load
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.model import KafkaProducer
from everystate.model.cluster.impossible import impossible
from everystate.model.cluster.late import is_answered_late
from everystate.model.cluster.outcome import Outcome
from everystate.model.cluster.replay import Job, replay
from everystate.model.cluster.report import as_json, exit_code, outcome_lines, together, verdict
from everystate.model.cluster.walk import walk
from everystate.model.conformance.behaviour import Behaviour, NamedStep, of_trace
from everystate.model.conformance.compare import Difference

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[2]
MISTAKES = ROOT / "tests" / "conformance" / "mistakes.py"


@functools.cache
def counterexample(target: str, property: str) -> tuple[dict[str, Any], Behaviour]:
    """The constants of a scenario, and the counterexample of a property."""
    spec = load(target, {})
    found = exhaustive.check(model.build(spec), target=target).violations
    trace = next(v.trace for v in found if v.property == property)
    return spec.constants, of_trace(spec, property, trace)


@pytest.fixture
def play(paths: list[Path], tmp_path: Path) -> Iterator[Callable[..., Outcome]]:
    """Replays a behaviour; nothing is left in the folder of the servers."""
    from everystate.model.cluster.releases import BROKERS
    from everystate.model.conformance.process import run
    from everystate.model.conformance.versions import release

    place = tmp_path / "servers"
    place.mkdir()

    def played(where: str, constants: dict[str, Any], behaviour: Behaviour, hear: Any = str) -> Outcome:
        job = Job(where, where, constants, behaviour, load, tuple(paths), place)
        outcome: Outcome = run(release(pinned=BROKERS), paths, replay, job, hear=hear)
        return outcome

    yield played
    assert list(place.iterdir()) == []


@pytest.mark.kafka
def test_a_crash_duplicates_on_a_real_broker_as_in_the_model(play: Callable[..., Outcome]) -> None:
    outcome = play("current/crash-restart", *counterexample("current/crash-restart", "NoDuplicate"))
    assert (outcome.not_judged, outcome.difference, outcome.servers) == ("", None, 1)
    assert outcome.records == [[(0, -1), (1, 0), (2, 1), (3, 0)]]
    assert outcome.written == outcome.records
    assert [seen.model == {**seen.model, **seen.kafka} for seen in outcome.seen] == [True] * 12
    lines = list(outcome_lines(outcome, "4.4.0"))
    assert lines[-1] == (
        "REPRODUCED  current/crash-restart, NoDuplicate, on Kafka 4.4.0: 11 steps, each as in the model; "
        "record 0 is at offsets 1 and 3"
    )
    assert "record 0: at offsets 1 and 3; no result yet" in lines
    assert exit_code(outcome) == 0
    schema = json.loads((ROOT / "docs" / "reference" / "replay.schema.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(json.loads(json.dumps([as_json(outcome, "4.4.0")])))


@pytest.mark.kafka
def test_two_elections_duplicate_on_real_brokers_as_in_the_model(play: Callable[..., Outcome]) -> None:
    """A batch is replicated while the leader does not know it, so its answer becomes an error when leadership moves."""
    target = "current/two-clean-leader-changes"
    outcome = play(target, *counterexample(target, "NoDuplicate"))
    assert (outcome.not_judged, outcome.difference, outcome.servers) == ("", None, 3)
    assert outcome.records == [[(0, -1), (1, 0), (2, 1), (3, 0)]]
    assert outcome.results == ["open", "acked", "open"]
    assert outcome.turns[2].startswith("change_leader(broker=1)")
    answers = outcome.seen[4].kafka["connection to broker 0"]
    assert answers == (((0,), "a retriable error"), ((1,), 1000, 0, 2))


@pytest.mark.kafka
def test_the_first_step_that_is_not_as_in_the_model_is_told(play: Callable[..., Outcome]) -> None:
    """A model in which snapshots hold all batches says that the retry is known; the broker does not know it."""
    constants, behaviour = counterexample("current/clean-restart", "NoDuplicate")
    outcome = play(f"{MISTAKES}:SnapshotsHoldAll", constants, behaviour)
    assert exit_code(outcome) == 12
    assert (len(outcome.turns), outcome.turns[-1]) == (7, "handle(broker=0, batch=0)")
    assert outcome.difference is not None
    name = "connection to broker 0"
    assert outcome.difference.values[name] == ((((0,), "ok", 1),), (((0,), "OUT_OF_ORDER_SEQUENCE_NUMBER"),))
    lines = list(outcome_lines(outcome, "4.4.0"))
    assert "  ! connection to broker 0:" in lines[0]
    assert lines[-1].endswith("SnapshotsHoldAll, NoDuplicate, on Kafka 4.4.0: step 7 differs")


@pytest.mark.kafka
def test_ctrl_c_ends_a_replay_and_its_servers(play: Callable[..., Outcome]) -> None:
    heard: list[str] = []

    def interrupt(line: str) -> None:
        heard.append(line)
        if line.startswith("step 3"):
            os.kill(os.getpid(), signal.SIGINT)

    outcome = play("current/clean-restart", *counterexample("current/clean-restart", "NoDuplicate"), hear=interrupt)
    assert (outcome.interrupted, exit_code(outcome)) == (True, 130)
    assert heard[0] == "starting 1 server"
    assert 2 <= len(outcome.turns) < 11


@pytest.mark.kafka
def test_a_broker_that_dies_by_itself_ends_a_replay(play: Callable[..., Outcome], tmp_path: Path) -> None:
    """Killed by the process that replays, in a step: another one would be told too late of which step it is."""
    behaviour = counterexample("current/clean-restart", "NoDuplicate")
    with pytest.raises(EverystateError) as caught:
        play(f"{Path(__file__).with_name('killing.py')}:KillsServers", *behaviour)
    assert (caught.value.code, caught.value.exit_code) == ("E732", 255)
    assert caught.value.what == "node 0 of the cluster ended unexpectedly, by SIGKILL"
    assert servers_of(tmp_path) == []


def servers_of(place: Path) -> list[int]:
    """The processes of kafka.Kafka whose files lie somewhere in a folder."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (each / "cmdline").read_bytes().split(b"\0")
            if b"kafka.Kafka" in words and any(bytes(place) in word for word in words):
                found.append(int(each.name))
    return found


# what is said -----------------------------------------------------------------------------------------------


def made(**given: Any) -> Outcome:
    return replace(
        Outcome("scenario", "Property", 2, ["send(batch=0)", "handle(broker=0)"], results=["acked"]), **given
    )


def test_what_is_not_judged_is_neither_reproduced_nor_different() -> None:
    outcome = made(not_judged="waited 60 seconds in vain: the moon", turns=["send(batch=0)"])
    expected = "NOT JUDGED  scenario, Property, on Kafka 4.4.0: 1 of 2 steps taken; waited 60 seconds in vain: the moon"
    assert (verdict(outcome, "4.4.0"), exit_code(outcome)) == (expected, 3)
    assert as_json(outcome, "4.4.0")["verdict"] == "NOT JUDGED"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"written": [[(0, -1), (1, 0)]]}, "every record is in the log once, or nowhere"),
        ({"written": [[(1, 0), (2, 0)]]}, "record 0 is at offsets 1 and 2"),
        ({"written": [[]]}, "record 0 was acknowledged and is in no log"),
        ({"written": [[(1, 0)]], "results": ["failed"]}, "record 0 is at offset 1 and was reported as failed"),
        ({"written": [[(0, 1)]], "results": ["open", "acked"]}, "record 0 is not in the log, and record 1 is"),
        (
            {"written": [[(0, 0)], [(0, 1)]], "results": ["acked", "acked"]},
            "every record is in the log once, or nowhere",
        ),
    ],
)
def test_where_the_records_are_is_told(given: dict[str, Any], said: str) -> None:
    assert verdict(made(**given), "4.4.0").endswith(f"2 steps, each as in the model; {said}")


def test_a_copy_that_retention_has_taken_is_told() -> None:
    outcome = made(written=[[(1, 0), (2, 0)]], records=[[(2, 0)]])
    assert "record 0: at offset 2, and was at 1; acked" in list(outcome_lines(outcome, "4.4.0"))


def test_the_gravest_of_several_replays_is_the_exit_code() -> None:
    different, undecided = made(difference=Difference({"x": (1, 2)})), made(not_judged="no")
    assert [together(found) for found in ([made()], [made(), undecided], [undecided, different])] == [0, 3, 12]


def test_a_step_that_no_cluster_can_be_told_to_take_is_named() -> None:
    spec = load("current/error-after-append", {"rolls": 1})
    assert isinstance(spec, KafkaProducer)
    turns = (NamedStep("send", (("batch", 0),)), NamedStep("roll", (("broker", 0), ("partition", 0))), late(0))
    assert impossible(spec, Behaviour("NoDuplicate", turns)) == (
        "no cluster can be told to take step 2, roll(broker=0, partition=0): "
        "a broker begins a segment when it appends the next record, never before"
    )
    assert impossible(spec, Behaviour("NoDuplicate", turns[:1])) == ""


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({}, ""),
        ({"partitions": 2}, "the follower of several partitions is not held back"),
    ],
)
def test_an_answer_is_late_where_a_follower_can_be_held_back(given: dict[str, int], why: str) -> None:
    spec = load("current/error-after-append", given)
    assert isinstance(spec, KafkaProducer)
    head = "no cluster can be told to take step 1, answer_late(broker=0, batch=0): "
    assert impossible(spec, Behaviour("NoDuplicate", (late(0),))) == (head + why if why else "")


@pytest.mark.parametrize(
    ("turn", "why"),
    [
        (
            NamedStep("delete_records", (("partition", 0),)),
            "retention is that of a topic, so it deletes of each partition",
        ),
        (
            NamedStep("expire_producers", (("broker", 0), ("partition", 0))),
            "when producers expire is the config of a broker, so those of each partition do",
        ),
    ],
)
def test_a_step_of_one_partition_that_a_cluster_takes_for_each_is_named(turn: NamedStep, why: str) -> None:
    """A walk was DIFFERENT by it: the records of the other partition were deleted, too."""
    for partitions, answer in ((1, ""), (2, f"no cluster can be told to take step 1, {turn}: {why}")):
        spec = KafkaProducer(partitions=partitions, warm=1, retentions=1, expiries=1, faults=2)
        assert impossible(spec, Behaviour("NoDuplicate", (turn,))) == answer


def late(batch: int, action: str = "answer_late") -> NamedStep:
    return NamedStep(action, (("broker", 0), ("batch", batch)))


def test_which_answers_come_late_is_known_from_the_steps_to_come() -> None:
    turns = [
        late(0, "handle"),
        NamedStep("send", (("batch", 1),)),
        late(0),
        late(1, "handle"),
        NamedStep("disconnect", (("broker", 0),)),
        late(1, "handle"),
        late(1, "read_answer"),
        late(2, "handle"),
        late(2),
    ]
    assert [at for at in range(len(turns)) if is_answered_late(turns, at)] == [0, 7]


@pytest.mark.kafka
def test_a_request_times_out_on_real_brokers_when_it_is_told_to(play: Callable[..., Outcome]) -> None:
    """Two of four answers come too late (B6.4): both batches are sent again, and recognised."""
    target = "current/error-after-append"
    spec = load(target, {})
    assert isinstance(spec, KafkaProducer)
    behaviour = walk(spec, 0, 0)
    outcome = play(target, spec.constants, behaviour)
    assert (outcome.not_judged, outcome.difference, outcome.servers) == ("", None, 3)
    assert [turn.action for turn in behaviour.turns].count("answer_late") == 2
    answers = [seen.kafka["connection to broker 0"] for seen in outcome.seen if seen.label.startswith("answer_late")]
    assert [[entry[1] for entry in outcome_lines].count("a retriable error") for outcome_lines in answers] == [1, 2]
    assert outcome.records == [[(0, -1), (1, 0), (2, 1), (3, 2), (4, 3)]]
    assert outcome.results == ["acked"] * 4


def test_a_walk_is_the_same_again_and_ends_where_nothing_but_faults_is_left() -> None:
    spec = load("current/clean-restart-one-in-flight", {})
    assert isinstance(spec, KafkaProducer)
    found = [walk(spec, number, 7) for number in range(3)]
    assert found == [walk(spec, number, 7) for number in range(3)]
    assert [each.name for each in found] == [f"walk {number} of seed 7" for number in range(3)]
    for each in found:
        actions = [turn.action for turn in each.turns]
        assert (actions.count("send"), actions[-1]) == (spec.batches, "read_answer")
    assert any(turn.action == "restart_cleanly" for each in found for turn in each.turns)
