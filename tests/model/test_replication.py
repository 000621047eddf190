"""docs/explanation/replication.md says what the checker says; scenarios and rules of three replicas."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from everystate.checker.engines.explicit.exhaustive import check
from everystate.checker.engines.limits import Limits
from everystate.checker.frontend.model import build
from everystate.checker.language.scenario import Scenario
from everystate.model import KafkaProducer
from everystate.specs import kafka
from everystate.specs.replication import THREE as SCENARIOS
from tests.baseline import as_expected, never_taken, states
from tests.model.test_memory import after, written

DOCS = Path(__file__).resolve().parents[2] / "docs"
ROW = re.compile(r"^\| ([^|]+) \| `(current/[\w-]+)` \| (?:`([^|]+)`)? ?\| (.+) \|$", re.MULTILINE)
CELL = re.compile(r"^(holds|[\w ,]+) \(([\d,]+)\)$")
COLUMNS = [(2, 1), (2, 2), (3, 1), (3, 2)]
BY_NAME = {scenario.name: scenario for scenario in kafka.SCENARIOS}
FAST = 500
"""States, at most, of what is checked at every change."""


def cells() -> list[object]:
    """Each cell: the scenario, its constants, what fails after how many steps, and the number of states."""
    found: list[object] = []
    for _, name, with_three, columns in ROW.findall((DOCS / "explanation" / "replication.md").read_text("utf-8")):
        more = {n: int(value) for n, value in re.findall(r"-c (\w+)=(\d+)", with_three)}
        before = ""
        for (replicas, min_insync), cell in zip(COLUMNS, columns.split(" | "), strict=True):
            before = cell if cell != "=" else before
            told = CELL.match(before)
            assert told is not None, cell
            states = int(told[2].replace(",", ""))
            fails = {prop: int(steps) for prop, steps in re.findall(r"(\w+) (\d+)", told[1])}
            given = {**BY_NAME[name].constants, **(more if replicas == 3 else {}), "goals": ""}
            constants = {**given, "replicas": replicas, "min_insync": min_insync}
            marks = () if states <= FAST else pytest.mark.thorough
            found.append(pytest.param(constants, fails, states, marks=marks, id=f"{name}-rf{replicas}-min{min_insync}"))
    return found


CELLS = cells()


def test_the_page_has_a_row_for_each_finding() -> None:
    assert len(CELLS) == 18 * len(COLUMNS)


@pytest.mark.parametrize(("constants", "fails", "states"), CELLS)
def test_a_cell_of_the_page(constants: dict[str, object], fails: dict[str, int], states: int) -> None:
    result = check(build(KafkaProducer(**constants)), Limits(workers=2, max_memory=6 << 30))
    assert ({v.property: v.length for v in result.violations}, result.distinct) == (fails, states)


@pytest.mark.parametrize(
    "scenario",
    [pytest.param(s, marks=() if states(s.name) <= FAST else pytest.mark.thorough, id=s.name) for s in SCENARIOS],
)
def test_a_scenario_of_three_replicas(scenario: Scenario) -> None:
    assert never_taken(as_expected(scenario)) <= {"start_loop"}


@pytest.mark.parametrize(
    "name",
    [
        "unclean-election",
        pytest.param("two-clean-leader-changes", marks=pytest.mark.thorough),
        pytest.param("clean-restart-of-the-follower", marks=pytest.mark.thorough),
    ],
)
def test_each_fetch_as_a_step_gives_the_same_verdicts_with_three_replicas(name: str) -> None:
    scenario = next(s for s in SCENARIOS if s.name == f"three-replicas/{name}")
    spec = KafkaProducer(**{**scenario.constants, "explicit_replication": True})
    assert {v.property for v in check(build(spec), Limits(workers=2)).violations} == set(scenario.expected)


def test_an_answer_that_was_read_was_fetched_by_every_follower_in_sync() -> None:
    """B6.1."""
    spec = KafkaProducer(replicas=3, isr_shrinks=1, leader_changes=1, faults=2)
    acked = (*written(0), "read_answer(broker=0, batch=0)")
    for before, ends in (((), (2, 2)), (("shrink_isr(broker=2)",), (2, 1))):
        state = after(spec, *before, *acked)
        assert tuple(int(state.replica[0][broker].replicated) for broker in (1, 2)) == ends


def test_who_comes_back_has_what_is_below_the_high_watermark_and_what_the_leader_began_with() -> None:
    """Partition#isFollowerInSync: of three replicas the leader is not alone, so it need not be all."""
    spec = KafkaProducer(replicas=3, isr_shrinks=2, leader_changes=1, faults=3)
    back = after(spec, "shrink_isr(broker=2)", *written(0), "rejoin(broker=2)")
    assert int(back.replica[0][2].replicated) == 1
    led = after(
        spec, "shrink_isr(broker=2)", *written(0), "change_leader(broker=1) choosing 2, True", "rejoin(broker=2)"
    )
    assert int(led.replica[0][2].replicated) == 2


def test_the_third_replica_has_no_more_than_a_new_leader() -> None:
    """D4."""
    spec = KafkaProducer(replicas=3, isr_shrinks=1, leader_changes=2, faults=3)
    behind = after(spec, "shrink_isr(broker=1)", *written(0), "read_answer(broker=0, batch=0)")
    assert [int(replica.replicated) for replica in behind.replica[0]] == [0, 1, 2]
    out = KafkaProducer(replicas=3, isr_shrinks=2, unclean_elections=1, faults=3)
    lost = after(out, "shrink_isr(broker=1)", *written(0), "read_answer(broker=0, batch=0)", "shrink_isr(broker=2)")
    led = after(out, "elect_uncleanly(broker=1) choosing 1", state=lost)
    assert [int(replica.replicated) for replica in led.replica[0]] == [1, 0, 1]


def test_only_who_left_while_too_few_were_in_sync_is_eligible() -> None:
    """KIP-966, PartitionChangeBuilder#maybePopulateTargetElr; one that crashes is not."""
    spec = KafkaProducer(replicas=3, min_insync=2, elr=True, isr_shrinks=2, crashes=1, unclean_elections=1, faults=4)
    out = ("shrink_isr(broker=1)", "shrink_isr(broker=2)")
    assert [bool(each) for each in after(spec, *out).eligible] == [False, False, True]
    assert [bool(each) for each in after(spec, *out, "rejoin(broker=1)").eligible] == [False, False, False]
    crashed = after(spec, *out, "restart_after_crash(broker=2) choosing 1")
    assert [bool(each) for each in crashed.eligible] == [False, False, False]
    led = after(spec, *out, "elect_uncleanly(broker=2) choosing 1")
    assert [bool(each) for each in led.eligible] == [True, False, False]
