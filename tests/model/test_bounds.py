"""Every kind of fault, and every pair of kinds, can be asked for: it happens, or what it needs is named."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

from everystate.checker.engines.explicit import exhaustive, python
from everystate.checker.errors import EverystateError
from everystate.checker.frontend.model import build
from everystate.checker.results.result import Result
from everystate.model import KafkaProducer
from everystate.model.fault_table import FAULTS, TABLE, actions
from everystate.model.faults import Faults
from tests.model.test_memory import after, written

ACTIONS = {fault.cap: fault.action for fault in TABLE}
NEEDS = {fault.cap: fault.needs for fault in TABLE}
FOLLOWER = "leader_changes, leader_crashes, isr_shrinks, unclean_elections and min_insync = 2 need two replicas"
WINDOW = "window_changes and wide_replicas need wide_window, idle_changes need window_changes"
IDS = "every restart of the producer needs one of the pids, and the producer of foreign_appends one of its own"
HALVES = "too_large needs two batches or more in one partition, and no modulus"
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"leader_changes": 1, "replicas": 1}, FOLLOWER),
    ({"leader_crashes": 1, "replicas": 1}, FOLLOWER),
    ({"isr_shrinks": 1, "replicas": 1}, FOLLOWER),
    ({"min_insync": 2, "replicas": 1}, FOLLOWER),
    ({"unclean_elections": 1}, "unclean_elections need isr_shrinks"),
    ({"power_cuts": 1}, "power_cuts need one replica, isr_shrinks or restarts"),
    ({"window_changes": 1}, WINDOW),
    ({"wide_replicas": "1"}, WINDOW),
    ({"idle_changes": True}, WINDOW),
    ({"producer_restarts": 1}, IDS),
    ({"producer_restarts": 1, "foreign_appends": 1, "pids": 2}, IDS),
    ({"foreign_appends": 1}, IDS),
    ({"late_errors": 1, "acks": "1"}, "late_errors need acks = all and two replicas"),
    ({"late_errors": 1, "replicas": 1}, "late_errors need acks = all and two replicas"),
    ({"too_large": 1, "batches": 1}, HALVES),
    ({"too_large": 1, "batches": 4, "partitions": 2}, HALVES),
    ({"too_large": 1, "modulus": 9}, HALVES),
    ({"survivors": 1}, "survivors need disconnects"),
    ({"spare": 0}, "1 to 3 replicas, at least one batch, partition, producer id and spare place"),
]


def test_the_table_has_each_fault_as_its_action_is_written() -> None:
    """A fault without its row would never happen, and no report would show it."""
    texts = {name: inspect.getsource(found) for name, found in vars(Faults).items() if callable(found)}
    spent = {(cap, name) for name, text in texts.items() for cap in re.findall(r'self\.spend\("(\w+)"\)', text)}
    assert spent == set(ACTIONS.items())
    for column, call in (("answers", "self.answer("), ("elects", "self.elect(")):
        assert {name for name, text in texts.items() if call in text} == set(actions(column)), column


def asked_for(*kinds: str) -> dict[str, Any]:
    """One fault of each kind, in the smallest environment that has them."""
    constants: dict[str, Any] = {"batches": 1, "max_in_flight": 1, **dict.fromkeys(kinds, 1)}
    for kind in kinds:
        constants |= NEEDS.get(kind, {})
    return constants | {"faults": sum(constants.get(kind, 0) for kind in FAULTS)}


def check(*kinds: str) -> Result:
    return python.check(KafkaProducer(**asked_for(*kinds)))


def test_every_kind_of_fault_has_a_row_a_cap_and_an_action() -> None:
    """a cap is a constant that is 0 unless a scenario sets it"""
    caps, names = KafkaProducer._declared_constants(), {found.name for found in KafkaProducer()._marked("action")}
    assert all(caps[fault.cap].default == 0 and fault.action in names for fault in TABLE)


def spends_all(spec: KafkaProducer, actions: set[str]) -> bool:
    """Whether a behaviour that takes all these actions spends the whole budget; depth first, faults first."""
    first = spec.initial_states()[0]
    todo, seen = [(first, frozenset[str]())], set[Any]()
    while todo:
        state, taken = todo.pop()
        if not state.faults_left and taken == actions:
            return True
        if (state, taken) not in seen and spec.property_holds("LogFits", state):
            seen.add((state, taken))
            steps = sorted(spec.successors(state), key=lambda step: step.action.name in actions)
            todo += [(step.state, taken | ({step.action.name} & actions)) for step in steps]
    return False


@pytest.mark.parametrize("kind", FAULTS)
def test_each_kind_alone_happens(kind: str) -> None:
    result = check(kind)
    assert not result.stopped
    assert result.coverage[ACTIONS[kind]].taken > 0
    assert "budget_spent" in result.held


@pytest.mark.parametrize("first", FAULTS)
def test_each_pair_happens_in_one_behaviour(first: str) -> None:
    for second in FAULTS[FAULTS.index(first) + 1 :]:
        assert spends_all(KafkaProducer(**asked_for(first, second)), {ACTIONS[first], ACTIONS[second]}), (first, second)


@pytest.mark.parametrize(("constants", "why"), REFUSED, ids=lambda value: str(value))
def test_what_a_fault_needs_is_named(constants: dict[str, Any], why: str) -> None:
    with pytest.raises(EverystateError, match="E112") as refused:
        KafkaProducer(**constants)
    assert f"why: {why}" in refused.value.explain()


def test_more_faults_than_all_kinds_allow_are_no_more_than_that() -> None:
    result = python.check(KafkaProducer(batches=1, faults=3, disconnects=1))
    assert "budget_spent" in result.held


@pytest.mark.parametrize(
    ("constants", "line"),
    [
        ({"epochs": 0, "invalid_records": 1}, "C9.1; at most the constant `epochs`"),
        ({"generation": "kip-98", "pids": 1, "expiries": 1}, "one more than before; below the constant `pids`"),
    ],
)
def test_a_bound_that_is_too_small_is_named(constants: dict[str, Any], line: str) -> None:
    error = exhaustive.check(build(KafkaProducer(**constants))).violation("error")
    assert error.error is not None and error.error.code == "E301"
    assert line in error.error.explain()


def test_no_session_gets_the_id_of_the_other_producer() -> None:
    spec = KafkaProducer(generation="kip-98", pids=3, expiries=1, foreign_appends=1, faults=2)
    assert [str(i) for i in spec.instances if i.name == "init_producer_id"] == [
        "init_producer_id(session=1)",
        "init_producer_id(session=2)",  # an error: only one is its own
    ]
    assert spec.own_pids == 2


@pytest.mark.parametrize("kind", ["expiries", "rolls"])
def test_what_each_log_does_by_itself_does_not_multiply_with_the_partitions(kind: str) -> None:
    model = build(KafkaProducer(partitions=8, batches=8, **{kind: 1}))
    instances = [action for action in model.actions if action.instance.name == ACTIONS[kind]]
    assert len(instances) == 16  # two replicas; an E204 before, when one instance spoke of all eight


def test_an_election_with_many_partitions_names_what_it_needs() -> None:
    many = {"partitions": 8, "batches": 8, "leader_changes": 1}
    with pytest.raises(EverystateError, match=r"E112 the assumption ends_can_be_chosen of KafkaProducer is false"):
        KafkaProducer(**many)
    assert KafkaProducer(explicit_replication=True, **many).partitions == 8
    assert KafkaProducer(partitions=4, batches=4, leader_changes=1).partitions == 4


def test_what_followers_hear_counts_with_their_log_ends() -> None:
    """Four partitions, each with four ends and three ways to have heard: 20,736 paths, an E204 before."""
    many = {"partitions": 4, "batches": 4, "leader_changes": 1, "retentions": 1}
    with pytest.raises(EverystateError, match=r"E112 the assumption ends_can_be_chosen of KafkaProducer is false"):
        KafkaProducer(**many)
    assert KafkaProducer(**{**many, "partitions": 3, "batches": 3}).partitions == 3
    build(KafkaProducer(explicit_replication=True, **many))


def test_where_each_fetch_is_a_step_so_is_what_it_tells_of_the_log_start() -> None:
    """Behind a clean restart the follower knows nobody, as all records lie below the log start that it has heard of."""
    kinds = ("disconnects", "retentions", "leader_changes", "clean_restarts")
    spec = KafkaProducer(explicit_replication=True, batches=1, max_in_flight=1, faults=4, **dict.fromkeys(kinds, 1))
    known = (*written(0), "disconnect(broker=0)", "delete_records(partition=0)", "fetch(partition=0)")
    again = ("change_leader(broker=1)", "learn_leader(broker=1)", "send_again(batch=0)", "handle(broker=1, batch=0)")
    assert spec.property_holds("NoDuplicate", after(spec, *known, *again))
    assert not spec.property_holds(
        "NoDuplicate", after(spec, *known, "restart_cleanly(broker=1)", "rejoin(broker=1)", *again)
    )
