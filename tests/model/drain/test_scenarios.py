"""Every scenario of the drain gives exactly its expected verdicts, shortest lengths and state counts."""

from __future__ import annotations

import pytest

from everystate.checker.language.scenario import Scenario
from everystate.model.drain import GENERATIONS, Turns
from everystate.specs.drain import SCENARIOS
from tests.baseline import as_expected, never_taken

NO_SETTLING = {
    "drain-3.3/one-refused",
    "drain-3.3/hung-leader",
    "drain-3.2/hung-leader",
    "drain-skipping/hung-leader",
    "drain-3.3/hung-leader-given-up",
    "drain-3.3/leader-hangs-later",
    "drain-3.3/slow-follower",
    "drain-3.3/slow-follower-timed-out",
    "drain-3.3/slow-follower-of-another-node",
}
"""Where nothing is resolved or bumped."""
NO_RETRY = {"drain-3.3/slow-follower", "drain-3.3/slow-follower-of-another-node"}
"""Where nothing is sent again; every other action of every scenario is taken."""


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.name)
def test_scenario(scenario: Scenario) -> None:
    result = as_expected(scenario)
    idle = {"settle": NO_SETTLING, "back_off_no_more": NO_RETRY}
    assert never_taken(result) == {action for action, names in idle.items() if scenario.name in names}
    assert not [warning for warning in result.warnings if "vacuous" in warning or "constraint" in warning]


def test_every_generation_has_a_scenario_and_every_scenario_a_text() -> None:
    assert {s.constants["generation"] for s in SCENARIOS} == set(GENERATIONS)
    assert [s.name for s in SCENARIOS if not (s.title and s.text)] == []


@pytest.mark.parametrize(
    ("generation", "room", "stops", "drained", "index"),
    [
        ("3.2", 1, (-1,), [True, False, False], 2),
        ("3.3", 1, (-1,), [True, False, False], 1),
        ("3.2", 8, (1,), [True, False, False], 2),
        ("3.3", 8, (1,), [True, False, False], 1),
        ("3.2", 8, (-1,), [True, True, True], 0),
        ("3.3", 8, (-1,), [True, True, True], 2),
        ("skipping", 8, (1,), [True, False, True], 2),
        ("skipping", 1, (0,), [False, True, False], 2),
    ],
)
def test_one_loop(generation: str, room: int, stops: tuple[int, ...], drained: list[bool], index: int) -> None:
    spec = Turns(generation=generation, leaders=(0, 0, 0), room=room, stops=stops)
    [start] = spec.initial_states()
    [step] = spec.successors(start)
    assert (list(step.state.sent), list(step.state.index)) == (drained, [index])
