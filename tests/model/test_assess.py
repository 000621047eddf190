"""everystate assess: the syntax of properties, defaults and conflicts by version, and the cells of configurations."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest

from everystate.checker.cli.main import main
from everystate.checker.regression.runners.pool import Pool
from everystate.model.assess import FAILURES, ConfigException, Files, checks, durability, parse, settle
from everystate.model.assess.transactions import protocol
from everystate.model.assess.values import version
from tests.docs.page import ROOT

FLIGHT = "max.in.flight.requests.per.connection"
SET_IDEMPOTENCE, SET_FLIGHT = "enable.idempotence=true", f"{FLIGHT}=6"
REPLICATED = "replication.factor=3\nmin.insync.replicas=2\n"
PROPERTIES = r"""
# a comment
! another one
acks = all
retries:3
linger.ms 5
  client.id =  a b \
      c
key\ with\=signs=\u0041\t\q
empty
ends.in.a.backslash=a\\
acks=1
"""


def test_the_syntax_is_that_of_java() -> None:
    """the expected values are what java.util.Properties of Java 17 reads"""
    assert parse(PROPERTIES) == {
        "acks": "1",
        "retries": "3",
        "linger.ms": "5",
        "client.id": "a b c",
        "key with=signs": "A\tq",
        "empty": "",
        "ends.in.a.backslash": "a\\",
    }


def settled(text: str, release: str) -> tuple[Any, ...]:
    """Idempotence, acks, retries and linger.ms in force, or Kafka's message."""
    try:
        found = settle(Files(parse(text), client=version(release), server=version(release)))
    except ConfigException as error:
        return (str(error),)
    return found.idempotent, found["acks"], found["retries"], found["linger.ms"]


ACKS = "Must set acks to all in order to use the idempotent producer. Otherwise we cannot guarantee idempotence."
MOST_FIVE = f"Must set {FLIGHT} to at most 5 to use the idempotent producer."
FIVE = f"To use the idempotent producer, {FLIGHT} must be set to at most 5. Current value is 6."
NOT_ZERO = "Must set retries to non-zero when using the idempotent producer."
TRANSACTIONAL = "Cannot set a transactional.id without also enabling idempotence."
MAX = 2**31 - 1


@pytest.mark.parametrize(
    ("text", "release", "expected"),
    [
        ("", "2.8", (False, "1", MAX, 0)),
        ("", "3.0.0", (False, "all", MAX, 0)),
        ("", "3.0", (True, "all", MAX, 0)),
        ("", "3.1.0", (False, "all", MAX, 0)),
        ("", "3.9", (True, "all", MAX, 0)),
        ("", "4.0", (True, "all", MAX, 5)),
        ("enable.idempotence=true", "2.8", (True, "all", MAX, 0)),
        ("enable.idempotence=true\nacks=1", "2.8", (ACKS,)),
        ("enable.idempotence=true\nacks=1", "4.1", (ACKS,)),
        ("acks=1", "3.9", (False, "1", MAX, 0)),
        ("acks=-1", "3.9", (True, "all", MAX, 0)),
        ("acks=2", "3.9", ("Invalid value 2 for configuration acks: String must be one of: all, -1, 0, 1",)),
        ("retries=0", "3.9", (False, "all", 0, 0)),
        ("enable.idempotence=TRUE\nretries=0", "3.9", (NOT_ZERO,)),
        (SET_FLIGHT, "2.8", (False, "1", MAX, 0)),
        (SET_FLIGHT, "3.9", (False, "all", MAX, 0)),
        (SET_FLIGHT, "4.0", (FIVE,)),
        (f"acks=1\n{SET_FLIGHT}", "4.4", (FIVE,)),
        (f"{SET_IDEMPOTENCE}\n{SET_FLIGHT}", "3.9", (MOST_FIVE,)),
        ("transactional.id=t", "2.8", (True, "all", MAX, 0)),
        ("transactional.id=t\nacks=1", "2.8", (ACKS,)),
        ("transactional.id=t\nacks=1", "3.9", (TRANSACTIONAL,)),
        ("transactional.id=t\nenable.idempotence=false", "4.4", (TRANSACTIONAL,)),
        ("retries=abc", "4.4", ("Invalid value abc for configuration retries: Not a number of type INT",)),
        ("linger.ms=-1", "4.4", ("Invalid value -1 for configuration linger.ms: Value must be at least 0",)),
        (
            "delivery.timeout.ms=1000",
            "4.4",
            ("delivery.timeout.ms should be equal to or larger than linger.ms + request.timeout.ms",),
        ),
    ],
)
def test_defaults_and_conflicts_are_those_of_the_release(text: str, release: str, expected: tuple[Any, ...]) -> None:
    """what KafkaProducer of 2.8.2, 3.9.2, 4.0.2 and 4.4.0 does; 3.0 and 3.1 by Kafka's upgrade notes"""
    assert settled(text, release) == expected


def test_a_topic_goes_before_a_broker() -> None:
    broker = parse("min.insync.replicas=1\nlog.retention.hours=2\ndefault.replication.factor=2")
    found = settle(Files(topic={"min.insync.replicas": "2"}, broker=broker))
    assert (found["min.insync.replicas"], found["retention.ms"], found["replication.factor"]) == (2, 7_200_000, 2)


def test_what_is_not_used_is_named() -> None:
    found = settle(Files(parse("bootstrap.servers=a:1\nenable.idempotance=false")))
    assert found.unread == ("bootstrap.servers", "enable.idempotance (did you mean enable.idempotence?)")


def test_settings_become_constants() -> None:
    producer = parse(f"retries=2\n{SET_IDEMPOTENCE}")
    files = Files(producer, parse(REPLICATED), client=version("2.7.0"), server=version("4.1"))
    [check] = checks(settle(files), "leader-crash")
    assert check.constants == {
        "generation": "kip-360",
        "broker_generation": "current",
        "acks": "all",
        "max_in_flight": 5,
        "batches": 6,
        "replicas": 3,
        "min_insync": 2,
        "retries": 2,
        "spare": 4,
        "epochs": 4,
        "leader_crashes": 1,
        "faults": 1,
    }


def test_every_finding_has_its_page() -> None:
    both = [Files(), Files(topic=parse(REPLICATED + "unclean.leader.election.enable=true"))]
    found = {
        page for files in both for name in FAILURES for c in checks(settle(files), name) for page in c.findings.values()
    }
    assert len(found) == 8
    assert all((ROOT / "docs" / "explanation" / "findings" / f"{page}.md").exists() for page in found)


def assessed(
    tmp_path: Any, capsys: pytest.CaptureFixture[str], producer: str, topic: str, *options: str
) -> tuple[int, Any]:
    (tmp_path / "producer.properties").write_text(f"bootstrap.servers=a:1\n{producer}")
    (tmp_path / "topic.properties").write_text(topic)
    files = [str(tmp_path / "producer.properties"), "--topic", str(tmp_path / "topic.properties")]
    code = main(["assess", *files, "--kafka", "4.1", "--json", "--quiet", "--workers", "1", *options])
    return code, json.loads(capsys.readouterr().out)


def row(found: Any, failure: str) -> list[Any]:
    """The cells of a failure that the model judges: steps, or the status."""
    cells = [cell for cell in found["cells"] if cell["promise"] != "takes-writes"]
    return [cell.get("steps", cell["status"]) for cell in cells if cell["failure"] == failure]


def changes(found: Any) -> list[tuple[str, int, int]]:
    """The sets of changes: what they are, how many cells they repair and how many they break."""
    return [(each["change"], each["repaired"], each["broken"]) for each in found["repairs"]]


def test_the_defaults_with_three_replicas(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    under = "refusal,slow-broker,rolling-restart,unclean-election,state-expiry"
    code, found = assessed(tmp_path, capsys, "", REPLICATED, "--under", under)
    assert code == found["exit_code"] == 12
    assert row(found, "refusal") == ["kept", "kept", "kept", 6, "kept", 9]
    assert row(found, "slow-broker") == ["kept", 9, "kept", "kept", "kept", 8]
    assert row(found, "rolling-restart") == ["kept", 14, "kept", "kept", "kept", "kept"]
    assert row(found, "unclean-election") == ["cannot happen"] * 6
    assert row(found, "state-expiry") == ["kept", 6, "kept", 7, "kept", 10]
    assert changes(found) == [(f"{FLIGHT}=1", 6, 0)]
    assert found["worst"] == "duplicate"
    [command] = {c["command"] for c in found["cells"] if c["failure"] == "refusal" and "command" in c}
    assert main(command.split()[1:]) == 12
    assert "NoGap, 6 steps" in capsys.readouterr().out


def test_acks_1_loses_records(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    under = "lost-connection,leader-crash,state-expiry"
    code, found = assessed(tmp_path, capsys, "acks=1", REPLICATED, "--under", under, "--no-repairs")
    assert code == 12
    assert not found["idempotent"]
    assert row(found, "lost-connection") == ["kept", 5, 6, 6, "kept", "kept"]
    assert row(found, "leader-crash") == [4, 6, 8, 6, "kept", "kept"]
    assert row(found, "state-expiry") == ["cannot happen"] * 6
    assert found["notes"] == ["Idempotence is off, because acks=1. Kafka only logs it."]


@pytest.mark.thorough
def test_one_in_flight_is_safe_in_a_rolling_restart(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    under = ("--require", "no-loss,no-duplicate,order", "--under", "rolling-restart,leader-crash")
    code, found = assessed(tmp_path, capsys, f"{FLIGHT}=1", REPLICATED, *under)
    assert code == 0
    assert {cell["status"] for cell in found["cells"]} == {"kept"}
    assert found["repairs"] == []


def test_acks_0_is_not_covered_where_a_broker_answers(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = assessed(tmp_path, capsys, "acks=0", REPLICATED, "--under", "refusal")
    assert code == 3
    assert row(found, "refusal") == ["not covered"] * 6


@pytest.mark.thorough
def test_the_page_has_a_counterexample_for_each_broken_cell(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    under = ("--under", "refusal,state-expiry", "--html", str(page))
    _, found = assessed(tmp_path, capsys, "client.id=<b>", REPLICATED, *under)
    text = page.read_text("utf-8")
    links = re.findall(r'<a href="#(check-\d)">broken (\d+)</a>', text)
    assert [int(steps) for _, steps in links] == [c["steps"] for c in found["cells"] if c["status"] == "broken"]
    assert set(re.findall(r'id="(check-\d)"', text)) == {anchor for anchor, _ in links}
    assert set(re.findall(r'href="#([^"]+)"', text)) <= set(re.findall(r'id="([^"]+)"', text))
    assert {f"{c['failure']}.{c['promise']}" for c in found["cells"]} <= set(re.findall(r'<td id="([^"]+)"', text))
    assert text.count("<details open>") == 5 and "Seen in: model, Kafka&#39;s classes, brokers" in text


def test_the_reports_of_ci(tmp_path: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    places = ("--junit", str(tmp_path / "junit.xml"), "--sarif", str(tmp_path / "log.sarif"), "--github")
    under = ("--require", "no-duplicate,no-gap", "--under", "refusal,state-expiry,unclean-election", "--no-repairs")
    code, _ = assessed(tmp_path, capsys, "", REPLICATED, *under, *places)
    suites = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert code == 12
    assert (suites.attrib["tests"], suites.attrib["failures"]) == ("6", "3")
    failed = {c.attrib["name"]: f.attrib["message"] for c in suites.iter("testcase") for f in c.iter("failure")}
    assert failed == {
        "no-gap under refusal": "a record is acknowledged while an earlier one is missing, after 6 steps",
        "no-duplicate under state-expiry": "a record is written twice, after 6 steps",
        "no-gap under state-expiry": "a record is acknowledged while an earlier one is missing, after 7 steps",
    }
    [run] = json.loads((tmp_path / "log.sarif").read_text())["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["no-gap", "no-duplicate", "no-gap"]
    assert all(
        result["level"] == "error" and "everystate check" in result["message"]["text"] for result in run["results"]
    )
    assert "| refusal | kept | broken 6 |" in (tmp_path / "summary").read_text()


@pytest.mark.thorough
def test_two_failures_at_a_time(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    files = Files({}, parse(REPLICATED))
    first, second = checks(settle(files), "refusal+leader-crash")
    alone = [check.constants for name in ("refusal", "leader-crash") for check in checks(settle(files), name)]
    assert second.constants == {**alone[1], **alone[2], "max_in_flight": 3, "batches": 3, "faults": 2}
    assert (first.constants["faults"], first.constants["refusals"]) == (3, 2)
    require = ("--under", "refusal,retention", "--require", "no-gap,no-loss", "--pairs", "--no-repairs")
    code, found = assessed(tmp_path, capsys, "", REPLICATED, *require)
    assert code == 12
    assert row(found, "refusal+retention") == [6, "kept"]
    assert found["bounds"].endswith("A+B: both failures in one behaviour, each as often as alone.")
    code, found = assessed(tmp_path, capsys, "", REPLICATED, "--under", "refusal+unclean-election")
    assert code == 3
    assert row(found, "refusal+unclean-election") == ["cannot happen"] * 6


TRANSACTIONAL = "transactional.id=orders"


@pytest.mark.parametrize(
    ("client", "server", "broker", "expected"),
    [
        ("2.6", "2.5", "", "2.5"),
        ("3.5", "2.8", "", "classic"),
        ("3.9", "3.6", "", "part-1"),
        ("3.6", "3.9.2", "", "3.9.2"),
        ("3.5", "3.9", "", ""),
        ("3.9", "3.9", "transaction.partition.verification.enable=false", ""),
        ("4.0", "4.0.0", "", "4.0.0"),
        ("4.4", "4.0", "", "4.0.2"),
        ("4.0", "4.1", "", "4.1"),
        ("4.2", "4.4", "", "4.3"),
        ("3.9", "4.3", "", "4.3-old-clients"),
        ("3.9", "4.2", "", ""),
        ("4.4", "4.4", "transaction.version=1", "4.3-without-tv2"),
        (
            "4.4",
            "4.4",
            "transaction.version=1\ntransaction.partition.verification.enable=false",
            "4.3-unverified",
        ),
        ("4.4", "4.4", "transaction.version=0", ""),
    ],
)
def test_the_protocol_version_of_transactions(client: str, server: str, broker: str, expected: str) -> None:
    files = Files(parse(TRANSACTIONAL), {}, parse(broker), version(client), version(server))
    assert protocol(settle(files)) == expected


@pytest.mark.thorough
def test_transactions_before_and_after_tv2(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    under = ("--under", "lost-connection,slow-broker,producer-restart,leader-crash", "--kafka", "3.9")
    code, found = assessed(tmp_path, capsys, TRANSACTIONAL, REPLICATED, *under)
    assert code == 12
    assert row(found, "lost-connection") == [24, "kept", "kept", 30, 25, 26, "kept", 5]
    assert row(found, "slow-broker") == ["kept", 20, "kept", 20, "kept", 20, "kept", "kept"]
    assert row(found, "producer-restart") == ["kept"] * 7 + [19]
    assert row(found, "leader-crash") == ["kept"] * 8
    assert ("clients and brokers of 4.4 with transaction.version=2", 8, 0) in changes(found)
    assert found["unrepaired"] == [{"promise": "progress", "failure": "lost-connection"}]


LEADER = "refusal,rejection,clean-restart,rolling-restart,leader-crash,leader-change,retention,partitioned-broker"


@pytest.mark.thorough
def test_transactions_where_leaders_change(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """No failure of the leader of a partition breaks a promise with TV2; one of the log of the coordinator does."""
    under = f"{LEADER},lost-disk,last-replica"
    code, found = assessed(tmp_path, capsys, TRANSACTIONAL, REPLICATED, "--under", under, "--no-repairs")
    assert (code, {cell["status"] for cell in found["cells"] if cell["failure"] in LEADER}) == (12, {"kept"})
    assert [row(found, name) for name in ("lost-disk", "last-replica")] == [["kept"] * 8] * 2
    (tmp_path / "broker.properties").write_text("transaction.state.log.replication.factor=1")
    broker = ("--broker", str(tmp_path / "broker.properties"), "--under", "lost-disk,leader-crash")
    code, found = assessed(tmp_path, capsys, TRANSACTIONAL, REPLICATED, *broker)
    assert code == 12
    assert row(found, "leader-crash") == ["kept"] * 8
    assert row(found, "lost-disk") == ["broken", *["kept"] * 5, 7, 6]
    state = "transaction.state.log.replication.factor=3, transaction.state.log.min.isr=2"
    assert changes(found)[0] == (state, 5, 0)


def test_transactions_on_one_replica(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = ("--under", "clean-restart,retention,power-cut,unclean-election", "--no-repairs")
    _, found = assessed(tmp_path, capsys, TRANSACTIONAL, topic(1, 1, UNCLEAN), *wanted)
    assert [row(found, name) for name in ("clean-restart", "retention")] == [["kept"] * 8] * 2
    assert row(found, "power-cut") == ["broken", 24, "kept", 24, 25, 24, 11, "kept"]
    assert row(found, "unclean-election") == ["cannot happen"] * 8


def test_transactions_where_a_leader_lacks_the_end_of_the_log(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Transactions, finding 26: with a transactional.id an unclean election is more than a loss."""
    wanted = ("--under", "unclean-election,last-replica", "--no-repairs")
    _, found = assessed(tmp_path, capsys, TRANSACTIONAL, topic(3, 2, UNCLEAN), *wanted)
    assert row(found, "unclean-election") == ["broken", 24, "kept", 24, 25, 24, 11, "kept"]
    assert row(found, "last-replica") == ["broken", 24, "kept", 24, 25, 24, 11, "kept"]
    _, found = assessed(tmp_path, capsys, TRANSACTIONAL, topic(3, 3, UNCLEAN), *wanted)
    assert row(found, "unclean-election") == ["kept"] * 8


def test_a_coordinator_that_lacks_the_end_of_its_log(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Transactions, finding 29; only where it is asked for, as Kafka does not do it by itself."""
    assert "unclean-coordinator" not in assessed(tmp_path, capsys, TRANSACTIONAL, REPLICATED, "--under", "refusal")[1]
    wanted = ("--under", "unclean-coordinator")
    _, found = assessed(tmp_path, capsys, TRANSACTIONAL, REPLICATED, *wanted)
    assert row(found, "unclean-coordinator") == ["broken", 23, "kept", 23, 17, 23, 8, 7]
    assert (found["worst"], changes(found)[0]) == ("loss", ("transaction.state.log.min.isr=3", 7, 0))
    (tmp_path / "broker.properties").write_text("transaction.state.log.replication.factor=1")
    broker = ("--broker", str(tmp_path / "broker.properties"), "--no-repairs")
    _, found = assessed(tmp_path, capsys, TRANSACTIONAL, topic(1, 1), *wanted, *broker)
    assert row(found, "unclean-coordinator") == ["cannot happen"] * 8
    _, found = assessed(tmp_path, capsys, TRANSACTIONAL, topic(1, 1), "--under", "power-cut", *broker)
    assert row(found, "power-cut") == ["broken", 23, "kept", 23, 24, 23, 8, 7]


def test_a_producer_whose_log_lost_its_end(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """D17: with one replica, and where the last one in sync comes back without its records."""
    under = ("--under", "power-cut,lost-disk", "--no-repairs")
    _, found = assessed(tmp_path, capsys, "acks=all", topic(1, 1), *under)
    assert [row(found, name) for name in ("power-cut", "lost-disk")] == [["broken", 11, *["kept"] * 4]] * 2
    _, found = assessed(tmp_path, capsys, "acks=all", topic(1, 1, "flush.messages=1"), *under)
    assert row(found, "power-cut") == ["kept", 11, *["kept"] * 4]
    _, found = assessed(
        tmp_path, capsys, "acks=all", REPLICATED, "--under", "last-replica", "--kafka", "4.0", "--no-repairs"
    )
    assert row(found, "last-replica") == ["broken", 16, "kept", 10, "kept", 14]


def test_what_the_model_of_transactions_does_not_have(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = ("--require", "order,no-duplicate", "--under", "producer-restart")
    code, found = assessed(tmp_path, capsys, TRANSACTIONAL, REPLICATED, *wanted)
    assert (code, row(found, "producer-restart")) == (3, ["not covered", "kept"])
    code, found = assessed(tmp_path, capsys, TRANSACTIONAL, REPLICATED, *wanted, "--client", "3.9")
    assert (code, row(found, "producer-restart")) == (3, ["not covered"] * 2)
    wanted = ("--require", "atomic", "--under", "lost-connection,delayed-marker")
    code, found = assessed(tmp_path, capsys, "", REPLICATED, *wanted)
    assert (code, [cell["status"] for cell in found["cells"]]) == (3, ["not covered", "cannot happen"])


def test_a_transaction_may_not_last_longer_than_brokers_allow() -> None:
    with pytest.raises(ConfigException, match=r"larger than the maximum value allowed by the broker"):
        settle(Files(parse(f"{TRANSACTIONAL}\ntransaction.timeout.ms=900001")))


def test_results_are_known_from_before(
    tmp_path: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    under = ("--under", "state-expiry")
    before = assessed(tmp_path, capsys, "", REPLICATED, *under)
    monkeypatch.setattr(Pool, "outcomes", None)
    assert assessed(tmp_path, capsys, "", REPLICATED, *under) == before


def test_what_kafka_changes_is_told() -> None:
    found = settle(Files(parse("acks=1")))
    assert [name for name, source in found.sources.items() if source == "Kafka"] == ["enable.idempotence"]


def cells_of(text: str, topic: str, failure: str, release: str = "4.1") -> tuple[str, str]:
    """Whether records are kept and whether writes are taken, by the rules of replication."""
    settings = settle(Files(parse(text), parse(topic), client=version(release), server=version(release)))
    verdicts = [durability.verdict(settings, [failure], promise) for promise in ("no-loss", "takes-writes")]
    return tuple("" if each is None else each[0] for each in verdicts)  # type: ignore[return-value]


def topic(factor: int, needed: int, more: str = "") -> str:
    return f"replication.factor={factor}\nmin.insync.replicas={needed}\n{more}"


UNCLEAN = "unclean.leader.election.enable=true"


@pytest.mark.parametrize(
    ("producer", "settings", "failure", "expected"),
    [
        ("", topic(1, 1), "power-cut", ("broken", "broken")),
        ("", topic(1, 1, "flush.messages=1"), "power-cut", ("kept", "broken")),
        ("", topic(1, 1, "flush.messages=1"), "lost-disk", ("broken", "broken")),
        ("", topic(3, 1), "lost-disk", ("kept", "kept")),
        ("", topic(3, 2), "lost-disk", ("kept", "kept")),
        ("", topic(3, 3), "lost-disk", ("kept", "broken")),
        ("", topic(3, 2), "two-brokers", ("broken", "broken")),
        ("", topic(3, 3), "two-brokers", ("kept", "broken")),
        ("", topic(3, 1), "two-brokers", ("broken", "kept")),
        ("acks=1", topic(3, 2), "power-cut", ("broken", "kept")),
        ("acks=0", topic(3, 2), "power-cut", ("broken", "kept")),
        ("acks=1", topic(3, 2), "partitioned-broker", ("broken", "kept")),
        ("", topic(3, 2), "partitioned-broker", ("kept", "kept")),
        ("", topic(3, 2), "last-replica", ("kept", "broken")),
        ("", topic(3, 1), "last-replica", ("broken", "broken")),
        ("", topic(3, 2, UNCLEAN), "last-replica", ("broken", "broken")),
        ("", topic(3, 3), "rolling-restart", ("", "broken")),
        ("", topic(3, 2), "rolling-restart", ("", "kept")),
    ],
)
def test_copies_and_writes(producer: str, settings: str, failure: str, expected: tuple[str, str]) -> None:
    assert cells_of(producer, settings, failure) == expected


def test_the_last_replica_comes_back_and_leads() -> None:
    """seen on brokers of 4.4.0 without eligible leader replicas: of 200 records none was left"""
    assert cells_of("", topic(3, 2), "last-replica", "4.0") == ("broken", "broken")
    assert cells_of("", topic(3, 2), "last-replica", "4.1") == ("kept", "broken")


def test_more_replicas_in_sync_than_there_are() -> None:
    """seen on brokers of 3.6.2: no write succeeds"""
    assert cells_of("", topic(2, 3), "refusal", "3.6") == ("", "broken")
    assert cells_of("", topic(2, 3), "refusal", "3.7") == ("", "kept")


def first(
    tmp_path: Any, capsys: pytest.CaptureFixture[str], producer: str, settings: str, *under: str
) -> tuple[str, str]:
    """The worst harm, and the first set of changes."""
    _, found = assessed(tmp_path, capsys, producer, settings, "--under", *under)
    return found["worst"], found["repairs"][0]["change"] if found["repairs"] else ""


@pytest.mark.thorough
def test_the_first_advice_removes_the_worst(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """loss before duplicates: one request in flight would repair more cells"""
    three = "replication.factor=3, min.insync.replicas=2"
    require = ("power-cut,last-replica,state-expiry", "--require", "no-loss,no-duplicate")
    assert first(tmp_path, capsys, "", topic(1, 1), *require) == ("loss", three)
    require = ("power-cut,last-replica", "--require", "no-loss,takes-writes")
    assert first(tmp_path, capsys, "acks=1", topic(3, 2), *require) == ("loss", "acks=all")
    lost = "acks=all, replication.factor=3, min.insync.replicas=2"
    assert first(tmp_path, capsys, "acks=1", topic(1, 1), *require) == ("loss", lost)
    require = ("last-replica", "--require", "no-loss")
    advice = first(tmp_path, capsys, "", topic(2, 1, UNCLEAN), *require)
    assert advice == ("loss", "replication.factor=3, min.insync.replicas=2, unclean.leader.election.enable=false")
    require = ("clean-restart", "--require", "takes-writes")
    assert first(tmp_path, capsys, "", topic(3, 3), *require) == ("refused writes", "min.insync.replicas=2")
