"""Settings of librdkafka: names, defaults, conflicts with its own messages, and which results of the model apply."""

from __future__ import annotations

import re
from typing import Any

import pytest

from everystate.model.assess import Assessment, ConfigException, Files, cells, plan, repairs, settle
from everystate.model.assess.assessment import Result
from everystate.model.assess.page import effect
from tests.model.test_assess import FLIGHT, REPLICATED, assessed, row

IDEMPOTENT = {"enable.idempotence": "true"}
TRANSACTIONAL = {"transactional.id": "orders"}
OUTSIDE = 'Configuration property "{}" value {} is outside allowed range {}'
REFUSED = [
    ({**IDEMPOTENT, "request.required.acks": "1"}, "`acks` must be set to `all` when `enable.idempotence` is true"),
    ({**IDEMPOTENT, "retries": "0", "acks": "1"}, "`retries` must be set >= 1 when `enable.idempotence` is true"),
    ({**IDEMPOTENT, FLIGHT: "6", "retries": "0"}, "`max.in.flight` must be set <= 5 when `enable.idempotence` is true"),
    (
        {**IDEMPOTENT, "queuing.strategy": "lifo"},
        "`queuing.strategy` must be set to `fifo` when `enable.idempotence` is true",
    ),
    ({"enable.gapless.guarantee": "1"}, "`enable.gapless.guarantee` requires `enable.idempotence` to be enabled"),
    ({**TRANSACTIONAL, "enable.idempotence": "f"}, "`transactional.id` requires `enable.idempotence=true`"),
    (
        {**TRANSACTIONAL, "message.timeout.ms": "70000"},
        "`message.timeout.ms` must be set <= `transaction.timeout.ms`",
    ),
    ({"message.timeout.ms": "10", "linger.ms": "10"}, "`message.timeout.ms` must be greater than `linger.ms`"),
    ({"message.send.max.retries": "many"}, 'Invalid value for configuration property "message.send.max.retries"'),
    ({"max.in.flight": "0"}, OUTSIDE.format(FLIGHT, 0, "1..1000000")),
    ({"linger.ms": "-1"}, OUTSIDE.format("queue.buffering.max.ms", -1, "0..900000")),
    ({"acks": "1001"}, OUTSIDE.format("request.required.acks", 1001, "-1..1000")),
    ({"enable.idempotence": "maybe"}, 'Expected bool value for "enable.idempotence": true or false'),
    ({"compression.codec": "zip"}, 'Invalid value "zip" for configuration property "compression.codec"'),
]
TAKEN: list[tuple[dict[str, str], tuple[Any, ...]]] = [
    ({}, (False, "all", 1_000_000, 300_000)),
    ({"max.in.flight": "3", "acks": "-1"}, (False, "all", 3, 300_000)),
    ({"request.required.acks": "0", "message.timeout.ms": "0"}, (False, "0", 1_000_000, 0)),
    (IDEMPOTENT, (True, "all", 5, 300_000)),
    (TRANSACTIONAL, (True, "all", 5, 60_000)),
]


@pytest.mark.parametrize(("given", "message"), REFUSED)
def test_what_it_refuses(given: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigException, match=re.escape(message)):
        settle(Files(given, librdkafka=True))


@pytest.mark.parametrize(("given", "expected"), TAKEN)
def test_the_settings_in_force(given: dict[str, str], expected: tuple[Any, ...]) -> None:
    found = settle(Files(given, librdkafka=True))
    assert (found.idempotent, found["acks"], found[FLIGHT], found["delivery.timeout.ms"]) == expected


def test_librdkafka_itself_says_the_same() -> None:
    confluent_kafka = pytest.importorskip("confluent_kafka")
    for given, message in REFUSED:
        with pytest.raises(confluent_kafka.KafkaException, match=re.escape(message)):
            confluent_kafka.Producer({**given, "log_level": 0})
    for given, _ in TAKEN:
        confluent_kafka.Producer({**given, "log_level": 0})


@pytest.mark.parametrize("name", ["message.timeout.ms", "queue.buffering.max.ms", "max.in.flight"])
def test_it_is_recognised_by_a_name(name: str) -> None:
    assert settle(Files({name: "1000"})).librdkafka
    assert not settle(Files({"linger.ms": "1000"})).librdkafka


@pytest.mark.thorough
def test_what_the_model_of_another_client_says(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    under = ("--under", "lost-connection,leader-crash", "--no-repairs")
    code, found = assessed(tmp_path, capsys, "max.in.flight=5\nacks=1", REPLICATED, *under)
    assert (code, found["client"]) == (12, "librdkafka 2.16")
    assert row(found, "lost-connection") == ["kept", 5, 6, 6, "not covered", "not covered"]
    assert row(found, "leader-crash") == [4, 6, 8, 6, "not covered", "not covered"]
    idempotent = ("--client", "librdkafka", "--under", "leader-crash", "--no-repairs")
    code, found = assessed(tmp_path, capsys, "enable.idempotence=true", REPLICATED, *idempotent)
    assert (code, row(found, "leader-crash")) == (3, ["kept", *["not covered"] * 5])
    code, found = assessed(tmp_path, capsys, "transactional.id=t", REPLICATED, *idempotent)
    assert (code, row(found, "leader-crash")) == (3, ["not covered"] * 6)


def test_what_a_change_leaves_unknown_is_said() -> None:
    """with idempotence librdkafka is in no model: its duplicates are not removed, but not known"""
    files = Files({"acks": "1", "message.timeout.ms": "5000"}, {"replication.factor": "3", "min.insync.replicas": "2"})
    settings = settle(files)
    broken = {check.command: Result({"NoDuplicate": 5}) for check in plan(settings, ["power-cut"]).values()}
    before = Assessment(settings, cells(settings, ["power-cut"], ["no-loss", "no-duplicate"], broken))
    [first, *_] = repairs(files, before, lambda wanted: {command: Result({}) for command in wanted})
    assert (first.change, first.unknown) == ("acks=all", 1)
    assert effect(before, first) == "removes every loss; not known: 1 of the broken cells"
