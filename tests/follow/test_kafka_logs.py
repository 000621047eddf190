"""Recorded frames of a real producer and broker: the model explains them, and not those in which something broke.

`python bench/kafka_logs.py` records them anew. What is told of the model by its constants is what could have happened:
a run with a restart follows where a restart may be, and nowhere else.
"""

from __future__ import annotations

import json
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
from everystate.checker.follow.events import Place
from everystate.checker.follow.run import MOST
from everystate.checker.follow.sources import Order
from everystate.checker.frontend.model import build
from tests.selection import quick

RECORDED = Path(__file__).parent / "recorded"
WORDS = vocabulary("everystate.model.follow.frames")
SMALL = {"warm": 0, "replicas": 1, "batches": 5, "max_in_flight": 5, "spare": 4}
NOTHING: dict[str, int] = {}
LOSS, RESTART = {"disconnects": 1}, {"clean_restarts": 1}
ELECTION = {"replicas": 2, "leader_changes": 1, "disconnects": 1, "faults": 2}
EXPIRY = {"expiries": 1, "disconnects": 1, "faults": 2}


@cache
def follower(*constants: tuple[str, int]) -> Follower:
    spec = load("everystate.model.kafka:KafkaProducer", {**SMALL, **dict(constants)})
    return Follower(
        build(spec), "kafka", UnseenActions(WORDS.unseen, WORDS.at_most or 1), Order(), MOST, WORDS.observes
    )


def followed(constants: dict[str, int], log: str | list[str]) -> Answer:
    text = lines(log) if isinstance(log, str) else log
    events = WORDS.events((Place("log", number), line) for number, line in enumerate(text, 1))
    return follower(*constants.items()).follow("run", [events])


def lines(log: str) -> list[str]:
    return (RECORDED / log).read_text().splitlines()


REAL = {
    "fine": (NOTHING, 10),
    "lost-answers": (LOSS, 12),
    "lost-answers-on-4.3.1": (LOSS, 12),
    "lost-answers-of-3.9.2": (LOSS, 12),
    "restart": (RESTART, 11),
    "election": (ELECTION, 11),
    "expiry": (EXPIRY, 6),
}
"""What could have happened, and the events of the frames."""


@pytest.mark.parametrize("run", quick(["restart"], REAL))
def test_the_frames_of_a_real_run_follow(run: str) -> None:
    constants, events = REAL[run]
    answer = followed(constants, f"{run}/proxy.jsonl")
    assert (answer.verdict, answer.events) == (FOLLOWS, events)


def test_a_leader_that_changed_is_what_explains_the_answer_of_the_old_one() -> None:
    """Two lost connections and two replicas do not: nobody answers then that it does not lead."""
    constants = {"replicas": 2, "disconnects": 2, "faults": 2}
    answer = followed(constants, "election/proxy.jsonl")
    assert answer.verdict == DEVIATES and answer.why is not None
    [refused] = answer.why.refused
    assert (
        json.loads(lines("election/proxy.jsonl")[refused.event.place.number - 1])["answer"] == "NOT_LEADER_OR_FOLLOWER"
    )


CODE = 'the log says "OUT_OF_ORDER_SEQUENCE_NUMBER"'
SKIPPED = "next_request(0) is [0, 0, 0, 1], the log says [0, 0, 0, 2]"
OFFSET = 'is "appended at 1", the log says "appended at 2"'
REFUSED = {
    "a restart without a constant for it": ("restart", CODE),
    "a broker that was made to forget": ("expiry", OFFSET),
    "a request that the proxy swallowed": ("swallowed", SKIPPED),
    "two requests that the proxy exchanged": ("reordered", SKIPPED),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_run_in_which_something_broke_does_not_follow(what: str) -> None:
    run, reason = REFUSED[what]
    answer = followed(LOSS, f"{run}/proxy.jsonl")
    assert answer.verdict == DEVIATES and answer.why is not None
    records = [json.loads(line) for line in lines(f"{run}/proxy.jsonl")]
    [refused] = answer.why.refused
    broken = records[refused.event.place.number - 1]
    assert (broken["answer"], broken["offset"]) in (("OUT_OF_ORDER_SEQUENCE_NUMBER", -1), ("NONE", 2))
    assert any(reason in told for told, _ in refused.reasons)


MANY = {"disconnects": 2, "clean_restarts": 2, "crashes": 2, "expiries": 2, "refusals": 2, "faults": 2}
"""The docs name them."""


@pytest.mark.parametrize("run", ["swallowed", "reordered"])
def test_no_faults_of_the_model_explain_what_the_proxy_did(run: str) -> None:
    """A broker answers a connection in order: a request that was handled unseen cannot lie before one whose answer is
    seen."""
    assert followed(MANY, f"{run}/proxy.jsonl").verdict == DEVIATES


def frames(run: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines(f"{run}/proxy.jsonl")]


def told_of_frames(run: str, found: list[dict[str, Any]]) -> str:
    with pytest.raises(EverystateError) as error:
        followed(LOSS, [json.dumps(each) for each in found])
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


def test_a_log_without_the_levels_says_which_are_needed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "client.log"
    log.write_text(
        "[2024-01-01 00:00:00,000] WARN [Producer clientId=p] lost (org.apache.kafka.clients.NetworkClient)\n"
    )
    assert main(["follow", "producer-log", str(log), "-q"]) == 150
    assert "; events are in lines of DEBUG of org.apache.kafka.clients.NetworkClient" in capsys.readouterr().err
