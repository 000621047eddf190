"""`everystate follow producer-log`: the log of an ordinary producer, with batches of many records, at full speed.

The log is of KafkaProducer 4.4.0 with its defaults at DEBUG: 1,000 records, 292 batches, and one restart of the broker.
"""

from __future__ import annotations

import gzip
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from everystate.checker.cli.commands.follow import vocabulary
from everystate.checker.cli.main import main
from everystate.checker.cli.sweeps import load
from everystate.checker.follow.answer import DEVIATES, FOLLOWS, UNDECIDED, Answer, Follower
from everystate.checker.follow.candidates import UnseenActions
from everystate.checker.follow.events import Place
from everystate.checker.follow.sources import Order
from everystate.checker.frontend.model import build
from everystate.model.follow.producer import constants
from everystate.parts import FOLLOWED
from tests.selection import quick

from .test_layouts import LAYOUTS, LINE

pytestmark = pytest.mark.xdist_group("producer-log")
"""One process traces the model for all."""

LOG = Path(__file__).parent / "recorded" / "full-speed" / "producer.log.gz"
WORDS = vocabulary("everystate.model.follow.producer")


@cache
def lines() -> tuple[str, ...]:
    return tuple(gzip.decompress(LOG.read_bytes()).decode().splitlines())


def places(word: str) -> list[int]:
    return [at for at, line in enumerate(lines()) if word in line]


@cache
def follower() -> Follower:
    spec = load(FOLLOWED["producer-log"], constants([iter(lines())]))
    return Follower(
        build(spec), "log", UnseenActions(WORDS.unseen, WORDS.at_most or 1), Order(), observes=WORDS.observes
    )


def followed(text: list[str]) -> Answer:
    return follower().follow("log", [WORDS.events((Place("log", at), line) for at, line in enumerate(text, 1))])


def test_the_constants_are_those_of_the_log() -> None:
    found = constants([iter(lines())])
    assert [name for name in found if found[name] == 1] == [
        "replicas", "disconnects", "clean_restarts", "refusals", "expiries", "pids",
    ]  # fmt: skip


def test_a_log_at_full_speed_follows(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["follow", "producer-log", str(LOG), "-q"]) == 0
    assert "891 events explained by a trace of the spec" in capsys.readouterr().out


@pytest.mark.parametrize("run", quick(["expiry"], ["expiry", "election", "lost-answers-of-3.9.2", "restart"]))
def test_recorded_faults_follow(run: str, capsys: pytest.CaptureFixture[str]) -> None:
    """an expired producer and a restart, where a batch is written twice; an election; lost answers"""
    twice = run in ("expiry", "restart")
    assert main(["follow", "producer-log", str(LOG.parents[1] / run / "producer.log"), "-q"]) == (12 if twice else 0)
    printed = capsys.readouterr().out
    assert printed.startswith("VIOLATED" if twice else "FOLLOWS") and ("NoDuplicate" in printed) == twice


def changed(at: int, pattern: str, text: str) -> list[str]:
    found = list(lines())
    found[at] = re.sub(pattern, text, found[at])
    return found


def sequence_goes_back() -> tuple[list[str], int]:
    at = places("Assigned producerId")[200]
    return changed(at, r"base sequence \d+", "base sequence 5"), at + 1


def another_epoch() -> tuple[list[str], int]:
    at = places("Assigned producerId")[200]
    return changed(at, "producerEpoch 0", "producerEpoch 1"), at + 1


def sent_again_without_a_reason() -> tuple[list[str], int]:
    at = places("Assigned producerId")[150]
    return [*lines()[:at], *lines()[at + 1 :]], at


def an_older_offset() -> tuple[list[str], int]:
    at = places("errorCode=0")[250]
    return changed(at, r"baseOffset=\d+", "baseOffset=7"), at


def out_of_order_for_no_reason() -> tuple[list[str], int]:
    at = places("errorCode=0")[250]
    text = changed(at, "errorCode=0", "errorCode=45")
    text[at] = re.sub(r"baseOffset=\d+", "baseOffset=-1", text[at])
    return text, at


DAMAGE: list[Callable[[], tuple[list[str], int]]] = [
    sequence_goes_back, another_epoch, sent_again_without_a_reason, an_older_offset, out_of_order_for_no_reason,
]  # fmt: skip


@pytest.mark.parametrize("damage", quick(DAMAGE[1:3], DAMAGE))
def test_the_first_impossible_line_is_named(damage: Callable[[], tuple[list[str], int]]) -> None:
    text, at = damage()
    answer = followed(text)
    assert answer.verdict == DEVIATES and answer.why is not None
    assert [refused.event.place.number for refused in answer.why.refused] == [at + 1]


def test_what_is_not_covered_is_undecided() -> None:
    """another producer id, as of a release before 2.5"""
    answer = followed([*lines()[:300], re.sub("set to 0", "set to 7", lines()[places("ProducerId set")[0]])])
    assert (answer.verdict, answer.followed.stopped.split(":")[0]) == (UNDECIDED, "not covered")


def test_invariants_are_evaluated_along_the_way() -> None:
    """a restart may have written batches twice; nothing shows that it has"""
    answer = followed(list(lines()))
    assert answer.verdict == FOLLOWS and answer.violated == {}


@pytest.mark.thorough
def test_another_producer_of_the_partition_is_recognised() -> None:
    """a gap in the offsets where nothing was sent again"""
    at = places("errorCode=0")[100]
    text = [
        re.sub(r"baseOffset=(\d+)", lambda found: f"baseOffset={int(found[1]) + 50}", line) if number >= at else line
        for number, line in enumerate(lines())
    ]
    assert (followed(text).verdict, followed(text).violated) == (FOLLOWS, {})


def in_layout(layout: Callable[..., str]) -> Iterator[str]:
    for line in lines():
        found = LINE.fullmatch(line)
        yield layout(*found.groups()) if found else line


@pytest.mark.parametrize("name", [*LAYOUTS, "of one's own"])
def test_any_layout_has_the_same_events(name: str) -> None:
    layout = LAYOUTS.get(name, lambda d, t, thread, level, logger, text: f"{d} {t} | {level} | {logger} | {text}")
    found = [event.place.number for event in WORDS.events(enumerate_lines(in_layout(layout)))]
    assert found == [event.place.number for event in WORDS.events(enumerate_lines(iter(lines())))]


def test_several_producers_in_one_log_are_several_runs() -> None:
    """Their lines lie between each other as their threads wrote them."""
    other = [line.replace("clientId=producer-1", "clientId=producer-2") for line in lines()]
    mixed = [line for pair in zip(lines(), other, strict=True) for line in pair]
    runs = Counter(event.run for event in WORDS.events(enumerate_lines(iter(mixed))))
    [alone] = Counter(event.run for event in WORDS.events(enumerate_lines(iter(lines())))).values()
    assert runs == {"producer-1, topic-0": alone, "producer-2, topic-0": alone}


def enumerate_lines(text: Iterator[str]) -> Iterator[tuple[Place, str]]:
    for at, line in enumerate(text, 1):
        yield Place("log", at), line
