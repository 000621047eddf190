"""What conformance is made of, without a Java: numbers, covers, words, verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from everystate.checker.errors import EverystateError
from everystate.checker.language.spec import Spec
from everystate.model import KafkaProducer
from everystate.model.conformance import harness
from everystate.model.conformance.behaviour import Behaviour, NamedStep
from everystate.model.conformance.compare import Difference, ObservedStep, differences
from everystate.model.conformance.cover import cover
from everystate.model.conformance.difference_text import agreed_text, met, summary
from everystate.model.conformance.driver import UNTOLD
from everystate.model.conformance.harness import Planner, Subject, whole
from everystate.model.conformance.mapping import ACTIONS
from everystate.model.conformance.model_side import ModelSide
from everystate.model.conformance.numbers import Numbers
from everystate.model.conformance.page import page
from everystate.model.conformance.parts import PRODUCER_AND_LOGS
from everystate.model.conformance.report import Agreed, FoundDifference, Report, as_json, together
from everystate.model.conformance.rules import ARGUED, RULES
from everystate.model.conformance.versions import PINNED
from everystate.model.conformance.wording import value_text
from everystate.model.drain import Drain
from everystate.model.fault_table import TABLE
from everystate.model.rules import rules
from everystate.model.transactions import KafkaTransactions


def test_numbers_near_the_wrap_and_the_last_epoch() -> None:
    near = Numbers(KafkaProducer(warm=7, modulus=9))
    assert [near.sequence(s) for s in (7, 8, 0, -1)] == [2**31 - 2, 2**31 - 1, 0, -1]
    assert near.sequence(9) == -(2**31)
    last = Numbers(KafkaProducer(epochs=2, epoch_exhausts=True, pids=2))
    assert (last.pair(0, 2), last.pair(1, 0), last.pair(-1, 0)) == ((1000, 32767), (1001, 32765), (-1, -1))
    assert Numbers(KafkaProducer()).sequence(3) == 3


def test_a_cover_takes_every_step_of_the_graph() -> None:
    spec = KafkaProducer(batches=2, replicas=1, disconnects=1)
    start = spec.initial_states()[0]
    states, todo, edges = {start}, [start], 0
    while todo:
        for step in spec.successors(todo.pop()):
            edges += 1
            if step.state not in states:
                states.add(step.state)
                todo.append(step.state)
    taken = set()
    for behaviour in cover(spec, len(states)):
        side = ModelSide(spec)
        for turn in behaviour.turns:
            before = side.state
            named = side.step_of(turn)
            assert named is not None
            side.take(named)
            taken.add((before, turn))
    assert len(taken) == edges
    with pytest.raises(
        EverystateError, match=f"E721 the graph of KafkaProducer has more than {len(states) - 1} states"
    ):
        cover(spec, len(states) - 1)


def test_what_the_model_has_let_go_of_is_not_compared() -> None:
    assert differences({"a": 1, "b": UNTOLD, "c": 2}, {"a": 1, "b": 7, "c": 3}) == {"c": (2, 3)}


def test_observables_in_words() -> None:
    assert value_text("log of partition 0", (((-1,), 1000, 0, 0), ((0, 1), -1, -1, -1))) == (
        "another (id 1000 epoch 0 seq 0); b0+b1 (no id)"
    )
    assert value_text("connection to broker 1", (((2,), "ok", 3),)) == "answer b2: ok, place 3 in the log"
    assert (value_text("producer id and epoch", (7, 1)), value_text("producer id and epoch", None)) == (
        "id 7 epoch 1",
        "nothing",
    )
    assert (
        value_text("remembered by broker 0 of partition 0", ((1000, 1, ((0, 0), (1, 2))),))
        == "id 1000 epoch 1: seq 0, 1-2"
    )
    assert value_text("remembered by broker 0 of partition 0", UNTOLD) == UNTOLD
    assert value_text("in flight of partition 0", ((1, 2, 1, True),)) == "b1 seq 2, retried, renumbered"
    assert value_text("bump requested for partition 0", True) == "yes"
    assert value_text("batches in the log of partition 0", (0, 2)) == value_text(
        "what the sweep of the next pass expires", (0, 2)
    )
    assert value_text("batches in the log of partition 0", (0, 2)) == "b0; b2"
    assert value_text("who executes the next request of a closed connection", (1,)) == "broker 1"


def test_verdicts_and_exit_codes() -> None:
    agreed = Report("4.3.1", behaviours=Counter(walk=1), steps=7, parts={PRODUCER_AND_LOGS: ["target"]})
    found = FoundDifference("target", "walk 0", ["send(batch=0)"], [], Difference({"x": (1, 2)}), 1)
    differs = Report("4.2.2", behaviours=Counter(walk=2), found=[found], differing=1)
    nothing = Report("3.9.2", obstacles={"target": ["no"]})
    stopped = Report("4.1.2", behaviours=Counter(walk=1), interrupted=True)
    assert [report.exit_code for report in (agreed, differs, nothing, stopped)] == [0, 12, 3, 130]
    assert together([agreed, nothing]) == 3
    assert together([agreed, nothing, differs, stopped]) == 12
    assert as_json(differs)["found"][0]["difference"]["values"] == {"x": (1, 2)}
    assert list(summary(agreed)) == [
        "Kafka's producer and logs: the real classes are Sender, TransactionManager, RecordAccumulator, NetworkClient "
        "and UnifiedLog; the driver simulates network, clock, leadership, replication and other answers",
        "AGREED  Kafka 4.3.1: 1 walk, 7 steps; after every step the model agrees with Kafka's producer and logs",
    ]
    assert list(summary(nothing)) == ["target is not driven: no", "NOT JUDGED  Kafka 3.9.2: nothing, 0 steps"]


def test_the_last_line_names_a_known_difference() -> None:
    """It is all that -q prints."""
    late = FoundDifference("", "", [], [], Difference({"x": (1, 2)}), 0, times=2, known="KAFKA-13794: a late answer")
    other = FoundDifference("", "", [], [], Difference({"y": (1, 2)}), 0)
    report = Report("2.7.2", behaviours=Counter(walk=9), found=[late, other], differing=3)
    *_, verdict = summary(report)
    assert verdict == "DIFFERENT  Kafka 2.7.2: 9 walks, 0 steps; 3 of them differ (known: KAFKA-13794 2)"


def test_a_reproduced_counterexample_is_shown_side_by_side_with_the_rules_in_words() -> None:
    sides = [
        ObservedStep("the beginning", (), {"log of partition 0": ()}, {"log of partition 0": ()}),
        ObservedStep(
            "handle(broker=0, batch=0)",
            ({"text": "b0 goes into the log"},),
            {"log of partition 0": (((0,), 1000, 0, 0),), "bump requested for partition 0": False},
            {"log of partition 0": (((0,), 1000, 0, 0),), "bump requested for partition 0": False},
        ),
    ]
    agreed = Agreed(sides, [["B1.11", "C7.1 held back"]])
    assert agreed_text("NoDuplicate", agreed, "4.4.0").splitlines() == [
        "NoDuplicate",
        "",
        "     MODEL                              KAFKA 4.4.0, with the same values",
        "",
        "  1. handle(broker=0, batch=0)          UnifiedLog.append (B1.11)",
        '     "b0 goes into the log"             Sender.getExpiredInflightBatches (C7.1 held back)',
        "                                          log of partition 0: b0 (id 1000 epoch 0 seq 0)",
    ]
    report = Report("4.4.0", shown=["a", "b"], agreed={"a": agreed}, rules=Counter({"C7.1 held back": 1, "B1.11": 2}))
    assert met(report) == [
        ("B1.11", 2, "Then the log appends the batch, moves its end and updates the producer state (B5)."),
        ("C7.1 held back", 1, rules()["C7.1"].in_short),
    ]
    written = page([report])
    assert written.count("<td>b0 (id 1000 epoch 0 seq 0)</td>") == 2
    assert (
        "Reproduced on Kafka 4.4.0: a" in written
        and "<li>b</li>" in written
        and "updates the producer state" in written
    )


def test_a_search_that_was_cut_short_is_told_beside_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also after the release was driven, whose process knows nothing of it."""

    def subject(found: list[Behaviour]) -> Subject:
        return Subject(
            "environments/x", "", lambda given: KafkaProducer(**given), lambda spec: (found, "a limit is reached")
        )

    monkeypatch.setattr(harness, "require", lambda *_: None)
    kafka = list(PINNED.values())[-1]
    planner = Planner([subject([Behaviour("NoDuplicate", ())])])
    plans, before = planner.plans(kafka)
    assert [len(plan.behaviours) for plan in plans] == [1]
    report = whole(Report(kafka.version, behaviours=Counter(behaviour=1), steps=6), before)
    assert (report.cut, report.idle, report.exit_code) == ({"environments/x": "a limit is reached"}, {}, 0)
    assert next(summary(report)) == "environments/x may have other counterexamples: a limit is reached"
    assert as_json(report)["cut"] == report.cut
    plans, report = Planner([subject([])]).plans(kafka)
    assert (plans, report.cut, report.idle, report.exit_code) == ([], {}, {"environments/x": "a limit is reached"}, 3)


def subject(make: Callable[[dict[str, Any]], Spec], beside: str = "") -> Subject:
    return Subject("txn", "", make, lambda spec: ([Behaviour("NoNeedlessEnd", ())], ""), beside=beside)


def made(kind: type[Spec], given: dict[str, Any], **fixed: Any) -> Spec:
    return kind(**fixed, **given)


def test_a_verdict_says_what_of_kafka_is_real_and_what_the_model_simulates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "require", lambda *_: None)
    plans, before = Planner([subject(lambda given: KafkaTransactions(**given))]).plans(PINNED["4.4.0"])
    assert [(plan.beside, plan.part) for plan in plans] == [
        ("producers", "Kafka's producers"),
        ("coordinator", "Kafka's coordinator and logs"),
    ]
    report = whole(Report("4.4.0", behaviours=Counter(behaviour=2), steps=6), before)
    *_, verdict = summary(report)
    assert verdict == (
        "AGREED  Kafka 4.4.0: 2 behaviours, 6 steps; after every step the model agrees with Kafka's producers "
        "(coordinator and leaders simulated by the model), and with Kafka's coordinator and logs "
        "(producers simulated by the model)"
    )
    assert [(part["name"], part["by_model"]) for part in as_json(report)["parts"]] == [
        ("Kafka's producers", ("coordinator", "leaders")),
        ("Kafka's coordinator and logs", ("producers",)),
    ]
    kinds: tuple[type[Spec], ...] = (KafkaProducer, Drain)
    for kind in kinds:
        [plan] = Planner([subject(partial(made, kind))]).plans(PINNED["3.9.2"])[0]
        assert plan.part == "Kafka's producer and logs"


def test_a_part_that_is_not_driven_is_told_and_is_an_obstacle_if_it_was_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(harness, "require", lambda *_: None)

    def make(given: dict[str, Any]) -> KafkaTransactions:
        return KafkaTransactions(**{"generation": "classic", **given})

    value_text = (
        "beside Kafka's coordinator and logs: its generation is classic, and the brokers of this release are of the "
        "generation 4.3; -c generation=4.3 drives it so"
    )
    plans, report = Planner([subject(make)]).plans(PINNED["4.4.0"])
    assert ([plan.beside for plan in plans], report.obstacles, report.undriven) == (
        ["producers"],
        {},
        {"txn": [value_text]},
    )
    assert f"txn is not driven {value_text}" in list(summary(report))
    plans, report = Planner([subject(make, "coordinator")]).plans(PINNED["4.4.0"])
    assert (plans, report.obstacles, report.exit_code) == ([], {"txn": [value_text]}, 3)
    plans, report = Planner([subject(lambda given: Drain(**given), "coordinator")]).plans(PINNED["4.4.0"])
    assert report.obstacles == {"txn": ["nothing of it is driven beside Kafka's coordinator"]}


def test_a_world_of_many_that_cannot_be_driven_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "require", lambda *_: None)
    found = [Behaviour("NoNeedlessEnd", ())]
    environments = [
        Subject(
            name,
            "",
            partial(made, KafkaTransactions, generation="3.9.2", late_joins=late),
            lambda spec: (found, ""),
            beside="producers",
            of_many=True,
        )
        for name, late in (("txn-environments/new", 0), ("txn-environments/late-joins", 1))
    ]
    plans, before = Planner(environments).plans(PINNED["3.9.2"])
    assert [plan.target for plan in plans] == ["txn-environments/new"]
    assert list(before.undriven) == ["txn-environments/late-joins"]
    assert whole(Report("3.9.2", behaviours=Counter(walk=26), steps=6), before).exit_code == 0


def test_a_turn_that_is_not_enabled_is_left_out() -> None:
    side = ModelSide(KafkaProducer())
    assert side.step_of(NamedStep("send", (("batch", 1),))) is None
    assert side.step_of(NamedStep("no_such_action", ())) is None
    step = side.step_of(NamedStep("send", (("batch", 0),)))
    assert step is not None
    assert str(side.take(step)) == "send(batch=0)"


def test_kafka_can_be_driven_to_every_fault() -> None:
    """but to a window that changes, which no release has (`drivable`)"""
    assert {fault.action for fault in TABLE} - set(ACTIONS) == {"change_window"}


def test_every_rule_is_counted_or_argued_away() -> None:
    ids = [name for name in rules() if name[0] in "BCD"]
    headings = {name for name in ids if any(other.startswith(f"{name}.") for other in ids)}
    counted = {name.partition(" ")[0] for name in RULES}
    assert len(ids) == 105
    assert {name for name in ids if name not in counted | set(ARGUED) | headings} == set()
    assert (counted | set(ARGUED)) - set(ids) == set()
    assert counted & set(ARGUED) == set()
