"""Faults of transactions where they cannot be: none is enabled that no producer has there."""

from __future__ import annotations

from everystate.checker import State
from everystate.model.transactions import KafkaTransactions

FAULTS = ("abort", "deadline", "lose_answer")
SENT = (
    "initialize(session=0)",
    "begin(session=0)",
    "add_partition(session=0, partition=0)",
    "send(session=0, partition=0)",
)
ENDED = ("abort_failed(session=0)", "end_transaction(session=0)", "write_marker(partition=0)", "complete()")
DEADLINE, LOST = "deadline(session=0, partition=0)", "lose_answer(session=0)"


def environment(**constants: bool) -> KafkaTransactions:
    """Clients that ask for another epoch themselves, and more faults than the steps spend."""
    return KafkaTransactions(generation="part-1", aborts=2, deadlines=3, lost_answers=3, faults=8, **constants)


def after(spec: KafkaTransactions, *labels: str, state: State | None = None) -> State:
    """The state after the steps of these labels."""
    state = state or spec.initial_states()[0]
    for label in labels:
        state = {step.label: step.state for step in spec.successors(state)}[label]
    return state


def faults(spec: KafkaTransactions, state: State) -> list[str]:
    """Which of the faults are enabled."""
    return sorted({step.action.name for step in spec.successors(state) if step.action.name in FAULTS})


def along(spec: KafkaTransactions, *labels: str) -> list[list[str]]:
    """The same behind each step."""
    return [faults(spec, after(spec, *labels[: at + 1])) for at in range(len(labels))]


def test_nothing_is_aborted_to_which_nothing_was_added_nor_twice() -> None:
    """T9.9; and an application that waits for its answers does not abort before."""
    assert along(environment(), *SENT) == [[], [], ["abort"], ["deadline"]]
    assert along(environment(hasty=True), *SENT) == [[], [], ["abort"], ["abort", "deadline"]]
    assert faults(environment(), after(environment(), *SENT[:3], "abort(session=0)")) == []


def test_the_delivery_timeout_passes_of_what_is_on_the_way_and_once() -> None:
    """T9.2: an answered record has none, and of an expired one the request alone is left."""
    spec, answered = environment(), [f"{step}(partition=0, slot=0)" for step in ("receive", "hear", "proceed")]
    assert along(spec, *SENT, *answered)[-4:] == [["deadline"]] * 3 + [["abort"]]
    assert along(spec, *SENT, DEADLINE)[-1] == []


def test_the_answer_is_lost_of_a_bump_alone_and_its_retry_gets_the_same_epoch() -> None:
    """T2.3."""
    spec = environment()
    assert along(spec, *SENT, DEADLINE, *ENDED)[-5:] == [[], [], [], [], ["lose_answer"]]
    bumping = after(spec, *SENT, DEADLINE, *ENDED)
    lost = [after(spec, *[LOST] * times, state=bumping) for times in (0, 1, 2)]
    assert [state.coordinator.epoch - bumping.coordinator.epoch for state in lost] == [0, 1, 1]
    ended = [after(spec, "bump(session=0)", state=state) for state in lost]
    assert {(state.coordinator.epoch, state.producer[0].epoch) for state in ended} == {(1, 1)}
    assert [faults(spec, state) for state in ended] == [[]] * 3
