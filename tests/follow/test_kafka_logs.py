"""Recorded runs of a real producer and broker: the model explains them, and not those in which something broke.

`python bench/kafka_logs.py` records them anew. What is told of the model by its constants is what could have happened:
a run with a restart follows where a restart may be, and nowhere else.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.commands.follow import vocabulary
from everystate.checker.cli.main import main
from everystate.checker.cli.sweeps import load
from everystate.checker.errors import EverystateError
from everystate.checker.follow.answer import DEVIATES, FOLLOWS, Answer, Follower
from everystate.checker.follow.candidates import UnseenActions
from everystate.checker.follow.events import Event, Place
from everystate.checker.follow.logs import events_of
from everystate.checker.follow.run import MOST
from everystate.checker.follow.sources import Order
from everystate.checker.frontend.model import build
from tests.selection import quick

RECORDED = Path(__file__).parent / "recorded"
LINES, FRAMES = "everystate.model.follow.lines", "everystate.model.follow.frames"
SMALL = {"warm": 0, "replicas": 1, "batches": 5, "max_in_flight": 5, "spare": 4}
NOTHING: dict[str, int] = {}
LOSS, RESTART = {"disconnects": 1}, {"clean_restarts": 1}
ELECTION = {"replicas": 2, "leader_changes": 1, "disconnects": 1, "faults": 2}
EXPIRY = {"expiries": 1, "disconnects": 1, "faults": 2}


@cache
def follower(words: str, *constants: tuple[str, int]) -> Follower:
    spec, told = load("everystate.model.kafka:KafkaProducer", {**SMALL, **dict(constants)}), vocabulary(words)
    return Follower(build(spec), "kafka", UnseenActions(told.unseen, told.at_most or 1), Order(), MOST, told.observes)


def followed(words: str, constants: dict[str, int], *logs: str | Iterable[str]) -> Answer:
    told = vocabulary(words)
    sources = [
        events_of(str(RECORDED / log), told)
        if isinstance(log, str)
        else told.events((Place("log", number), line) for number, line in enumerate(log, 1))
        for log in logs
    ]
    return follower(words, *constants.items()).follow("run", sources)


def lines(log: str) -> list[str]:
    return (RECORDED / log).read_text().splitlines()


REAL = {
    "fine": (NOTHING, 20, 10),
    "lost-answers": (LOSS, 23, 12),
    "lost-answers-on-4.3.1": (LOSS, 23, 12),
    "lost-answers-of-3.9.2": (LOSS, 23, 12),
    "restart": (RESTART, 21, 11),
    "election": (ELECTION, 18, 11),
    "expiry": (EXPIRY, 11, 6),
}
"""What could have happened, and the events of the log lines and of the frames."""


@pytest.mark.parametrize("run", quick(["restart"], REAL))
def test_the_log_lines_of_a_real_run_follow(run: str) -> None:
    constants, events, _ = REAL[run]
    answer = followed(LINES, constants, f"{run}/producer.log", f"{run}/broker.log")
    assert (answer.verdict, answer.events) == (FOLLOWS, events)
    alone = followed(LINES, constants, f"{run}/producer.log")
    assert alone.verdict == FOLLOWS and 0 < alone.events < events


@pytest.mark.parametrize("run", quick(["restart"], REAL))
def test_the_frames_of_a_real_run_follow(run: str) -> None:
    constants, _, events = REAL[run]
    answer = followed(FRAMES, constants, f"{run}/proxy.jsonl")
    assert (answer.verdict, answer.events) == (FOLLOWS, events)


def test_a_leader_that_changed_is_what_explains_the_answer_of_the_old_one() -> None:
    """Two lost connections and two replicas do not: nobody answers then that it does not lead."""
    constants = {"replicas": 2, "disconnects": 2, "faults": 2}
    answer = followed(FRAMES, constants, "election/proxy.jsonl")
    assert answer.verdict == DEVIATES and answer.why is not None
    [refused] = answer.why.refused
    assert (
        json.loads(lines("election/proxy.jsonl")[refused.event.place.number - 1])["answer"] == "NOT_LEADER_OR_FOLLOWER"
    )


CODE = 'the log says "OUT_OF_ORDER_SEQUENCE_NUMBER"'
SKIPPED = "next_request(0) is [0, 0, 0, 1], the log says [0, 0, 0, 2]"
OFFSET = 'is "appended at 1", the log says "appended at 2"'
REFUSED = {
    "a restart that nobody allowed for": ("restart", LOSS, CODE, CODE),
    "a broker that was made to forget": ("expiry", LOSS, OFFSET, OFFSET),
    "a request that the proxy swallowed": ("swallowed", LOSS, SKIPPED, CODE),
    "two requests that the proxy exchanged": ("reordered", LOSS, SKIPPED, CODE),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_run_in_which_something_broke_does_not_follow(what: str) -> None:
    run, constants, by_frames, by_lines = REFUSED[what]
    answer = followed(FRAMES, constants, f"{run}/proxy.jsonl")
    assert answer.verdict == DEVIATES and answer.why is not None
    records = [json.loads(line) for line in lines(f"{run}/proxy.jsonl")]
    [refused] = answer.why.refused
    broken = records[refused.event.place.number - 1]
    assert (broken["answer"], broken["offset"]) in (("OUT_OF_ORDER_SEQUENCE_NUMBER", -1), ("NONE", 2))
    assert any(by_frames in told for told, _ in refused.reasons)
    both = followed(LINES, constants, f"{run}/producer.log", f"{run}/broker.log")
    assert both.verdict == DEVIATES and both.why is not None
    assert any(by_lines in told for each in both.why.refused for told, _ in each.reasons)


MANY = {"disconnects": 2, "clean_restarts": 2, "crashes": 2, "expiries": 2, "refusals": 2, "faults": 2}
"""The docs name them."""


@pytest.mark.parametrize("run", ["swallowed", "reordered"])
def test_no_faults_of_the_model_explain_what_the_proxy_did(run: str) -> None:
    """A broker answers a connection in order: a request that was handled unseen cannot lie before one whose answer is
    seen."""
    assert followed(FRAMES, MANY, f"{run}/proxy.jsonl").verdict == DEVIATES


def test_what_the_producer_threw_is_no_step_of_the_model() -> None:
    answer = followed(LINES, LOSS, "swallowed/producer.log")
    assert answer.verdict == DEVIATES and answer.why is not None
    [refused] = answer.why.refused
    assert "Uncaught error" in lines("swallowed/producer.log")[refused.event.place.number - 1]


def test_several_producers_in_one_log_are_several_runs() -> None:
    """Their lines lie between each other as their threads wrote them."""
    one = lines("fine/producer.log")
    other = [line.replace("clientId=producer-1", "clientId=producer-2") for line in one]
    dice, mixed = random.Random(3), []
    waiting = [iter(one), iter(other)]
    while waiting:
        chosen = dice.choice(waiting)
        line = next(chosen, None)
        waiting.remove(chosen) if line is None else mixed.append(line)
    events = list(vocabulary(LINES).events((Place("log", n), line) for n, line in enumerate(mixed, 1)))
    for client in ("producer-1", "producer-2"):
        mine = [event for event in events if event.run == client]
        answer = follower(LINES).follow(client, [mine])
        assert (answer.verdict, answer.events) == (FOLLOWS, 15)
    with pytest.raises(EverystateError, match="are of run producer-"):
        followed(LINES, NOTHING, mixed)


# -- lines that cannot be trusted ----------------------------------------------------------------------------


def log4j(line: str) -> str:
    """A line as Kafka's own configuration of log4j writes it."""
    when, rest = line[:23], line[24:]
    _, _, rest = rest.partition("] ")
    level, logger, _, text = rest.split(" ", 3)
    return f"[{when}] {level} {text} ({logger})"


def test_lines_may_be_those_of_log4j() -> None:
    found = [log4j(line) if " - " in line and line.startswith("20") else line for line in lines("restart/producer.log")]
    assert followed(LINES, RESTART, found).verdict == FOLLOWS
    assert followed(LINES, LOSS, found).verdict == DEVIATES


def told_of(found: list[str], constants: dict[str, int] = RESTART) -> str:
    with pytest.raises(EverystateError) as error:
        followed(LINES, constants, found)
    assert error.value.code == "E443"
    return error.value.what


@pytest.mark.parametrize("log", ["restart/producer.log", "restart/broker.log"])
def test_a_line_that_is_cut_off_is_never_left_out(log: str) -> None:
    """Wherever a line that tells something is cut, it is an error, or tells as much as before."""
    found, told = lines(log), vocabulary(LINES)

    def count(all_lines: Iterable[str]) -> int:
        return sum(1 for _ in told.events((Place("log", n), line) for n, line in enumerate(all_lines, 1)))

    whole, dice = count(found), random.Random(5)
    places = {event.place.number - 1 for event in told.events((Place(log, n), x) for n, x in enumerate(found, 1))}
    for number in sorted(places):
        for at in {dice.randrange(26, len(found[number])) for _ in range(6)}:
            cut = [*found[:number], found[number][:at], *found[number + 1 :]]
            try:
                assert count(cut) == whole, f"line {number + 1} cut at {at}: {cut[number]}"
            except EverystateError as error:
                assert error.code == "E443"


def test_lines_of_another_version_are_told() -> None:
    """Kafka 2.5 wrote `Sending PRODUCE {...} with correlation id 7 to node 0`."""
    found = lines("restart/producer.log")
    at = next(n for n, line in enumerate(found) if "Sending PRODUCE" in line)
    head = found[at].partition("Sending PRODUCE")[0]
    found[at] = f"{head}Sending PRODUCE {{acks=-1,timeout=30000}} with correlation id 7 to node 0"
    assert "of a Kafka that writes it in another way" in told_of(found)


def test_two_lines_in_one_are_told() -> None:
    found = lines("restart/producer.log")
    at = next(n for n, line in enumerate(found) if "Sending PRODUCE" in line)
    found[at - 1 : at + 1] = [found[at - 1] + found[at]]
    assert "several threads wrote at once" in told_of(found)


def test_a_log_that_lacks_lines_is_told() -> None:
    found = lines("restart/producer.log")
    assert "does not begin with the producer" in told_of([x for x in found if "ProducerId set to" not in x])
    assert "DEBUG of NetworkClient" in told_of([x for x in found if "Sending PRODUCE" not in x])
    assert "DEBUG of NetworkClient" in told_of([x for x in found if "Received PRODUCE" not in x])
    assert "TRACE of Sender" in told_of([x for x in found if "Received produce response" not in x])


def test_batches_of_several_records_are_told() -> None:
    found = [line.replace("base sequence 2 ", "base sequence 3 ") for line in lines("fine/producer.log")]
    assert "had 2 records" in told_of(found, NOTHING)


def changed(log: str, line: str, old: str, new: str, which: int = 0) -> list[str]:
    """A log of which one of the lines with a text is another."""
    found = lines(log)
    at = [n for n, each in enumerate(found) if line in each][which]
    assert old in found[at]
    found[at] = found[at].replace(old, new)
    return found


CONTRADICTIONS = {
    "an answer of another broker": (
        "Received PRODUCE",
        "response from node 0",
        "response from node 1",
        "came of node 1, and is read as one of node 0",
    ),
    "an answer for another partition": ("Received PRODUCE", "(index=0", "(index=1", "of partition 1"),
    "another epoch than the one after it": (
        "set to 0 with epoch 1",
        "epoch 1",
        "epoch 2",
        "with epoch 1 now, and before",
    ),
    "the first epoch": ("set to 0 with epoch 0", "epoch 0", "epoch 1", "begins with epoch 1"),
}


@pytest.mark.parametrize("what", CONTRADICTIONS)
def test_lines_that_contradict_each_other_are_told(what: str) -> None:
    line, old, new, said = CONTRADICTIONS[what]
    assert said in told_of(changed("restart/producer.log", line, old, new))


def test_what_is_written_once_is_told_when_it_is_there_twice() -> None:
    for line, said in (("Received PRODUCE", "was answered twice"), ("ProducerId set to", "was got before")):
        found = lines("restart/producer.log")
        at = next(n for n, each in enumerate(found) if line in each)
        assert said in told_of([*found[: at + 1], *found[at:]])


@pytest.mark.parametrize(("line", "which"), [("ProducerId: 0; Set last ack'd", 0), ("Assigned producerId 0", 2)])
def test_a_producer_id_that_was_never_set_is_told(line: str, which: int) -> None:
    found = changed("fine/producer.log", line, line, line.replace("0", "7", 1), which)
    assert "producer id 7 was never set" in told_of(found)


def test_a_partition_that_the_model_does_not_have_is_no_answer_of_its_broker() -> None:
    index = '"partitionResponses":[{"index":'
    broker = changed("fine/broker.log", "Completed request", f"{index}0", f"{index}1", 3)
    answer = followed(LINES, NOTHING, "fine/producer.log", broker)
    assert answer.verdict == DEVIATES and answer.why is not None
    assert any("has_partitions(2) is false" in reason for each in answer.why.refused for reason, _ in each.reasons)


def test_a_clock_that_jumps_is_told(tmp_path: Path) -> None:
    """Backwards it is an error, as the order it gives is not the one in which things happened."""
    found = lines("fine/producer.log")
    at = max(n for n, line in enumerate(found) if "Sending PRODUCE" in line)
    found[at] = "2020" + found[at][4:]
    assert followed(LINES, NOTHING, found).verdict == FOLLOWS
    told = vocabulary(LINES)
    clocked = Follower(
        follower(LINES).stepper.model, "kafka", UnseenActions(told.unseen, 6), Order(True, 0.5), MOST, told.observes
    )
    sources = [
        told.events((Place("log", n), x) for n, x in enumerate(found, 1)),
        events_of(str(RECORDED / "fine/broker.log"), told),
    ]
    with pytest.raises(EverystateError, match="its clock goes back by"):
        clocked.follow("run", sources)


# -- records that cannot be trusted --------------------------------------------------------------------------


def frames(run: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines(f"{run}/proxy.jsonl")]


def told_of_frames(run: str, found: list[dict[str, Any]]) -> str:
    with pytest.raises(EverystateError) as error:
        followed(FRAMES, LOSS, [json.dumps(each) for each in found])
    assert error.value.code == "E443", run
    return error.value.what


def test_an_answer_to_a_request_that_was_not_seen_is_told() -> None:
    """Also on a connection of which nothing is known: its request is missing, and with it a step."""
    found = frames("fine")
    found[-1]["connection"] += 1
    assert "request 10 of connection 4 was not seen before" in told_of_frames("fine", found)
    assert "was not seen before" in told_of_frames(
        "expiry", [each for n, each in enumerate(frames("expiry")) if n != 3]
    )


def test_a_connection_that_was_given_up_is_not_taken_up_again() -> None:
    found = frames("lost-answers")
    found[7]["connection"] = 3
    assert "connection 3 was given up before" in told_of_frames("lost-answers", found)


@pytest.mark.parametrize("code", ["OUT_OF_ORDER_SEQUENCE_NUMBER", "NONE"])
def test_an_error_has_no_offset_and_a_success_has_one(code: str) -> None:
    found = frames("restart")
    at = next(n for n, each in enumerate(found) if each.get("answer") == code)
    found[at]["offset"] = 7 if code != "NONE" else -1
    assert "offset" in told_of_frames("restart", found)


# -- the bridge ----------------------------------------------------------------------------------------------


def transcripts(*targets: str) -> Iterator[dict[str, Any]]:
    golden = Path(__file__).parents[1] / "conformance" / "golden.jsonl.gz"
    for line in gzip.decompress(golden.read_bytes()).decode().splitlines():
        told = json.loads(line)
        if told["target"] in targets:
            yield told


def bridged(told: dict[str, Any]) -> Answer:
    words = vocabulary("everystate.model.follow.bridge")
    spec = load(told["place"], told["constants"])
    bridge = Follower(build(spec), told["target"], UnseenActions(), Order(), MOST, words.observes)
    events: list[Event] = list(words.events([(Place("golden", 1), json.dumps(told))]))
    return bridge.follow(told["name"], [events])


def test_what_kafkas_classes_did_follows_and_what_they_did_not_does_not() -> None:
    [told] = transcripts("current/clean-restart")
    assert (bridged(told).verdict, bridged(told).events) == (FOLLOWS, 12)
    [turn, _, changed] = told["steps"][8]
    name = next(name for name in changed if name.startswith(("next sequence", "connection")))
    changed[name] = [] if isinstance(changed[name], list) else changed[name] + 1
    answer = bridged(told)
    assert answer.verdict == DEVIATES and answer.why is not None and answer.events == 9, turn
    assert str(answer.why.refused[0].event.place) == "golden, line 1 (its event 10)"
    assert any(f"shown({name!r}) is" in reason for reason, _ in answer.why.refused[0].reasons)


def test_a_log_without_the_levels_says_which_are_needed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "client.log"
    log.write_text(
        "[2024-01-01 00:00:00,000] WARN [Producer clientId=p] lost (org.apache.kafka.clients.NetworkClient)\n"
    )
    assert main(["follow", "current/no-fault", str(log), "--map", "everystate.model.follow.lines", "-q"]) == 150
    assert "; events are in lines of DEBUG of NetworkClient, " in capsys.readouterr().err
