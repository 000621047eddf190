"""`show` and `follow` on traces of the newest TLC and Quint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.followed_trace import follow_trace
from everystate.checker.language import Array, Bool, Enum, Int, Map, Option, Spec, action, choose, invariant, require
from everystate.checker.results.itf import parse


class Seats(Spec):
    may_terminate = True

    def variables(self) -> None:
        self.busy = Array(2, Bool())
        self.owner = Option(Int(0, 1))
        self.mode = Enum("Idle", "Taken")
        self.grid = Map([(0, 0), (0, 1)], Bool())

    @action(i=range(2))
    def take(self, i: int) -> None:
        require(not self.busy[i])
        self.busy[i] = True
        self.owner = choose(range(2))
        self.mode = "Taken"
        self.grid[0, i] = True

    @invariant
    def own_seat(self) -> bool:
        return self.owner is None or self.busy[self.owner]


QUINT = [
    {
        "seats::busy": {"#map": [[{"#bigint": "0"}, False], [{"#bigint": "1"}, False]]},
        "seats::owner": {"tag": "None", "value": {"#tup": []}},
        "seats::mode": {"tag": "Idle", "value": {"#tup": []}},
        "seats::grid": {"#map": [[{"#tup": [{"#bigint": "0"}, {"#bigint": str(j)}]}, False] for j in (0, 1)]},
        "mbt::nondetPicks": {},
        "nondet_picks": {},
    },
    {
        "seats::busy": {"#map": [[{"#bigint": "0"}, False], [{"#bigint": "1"}, True]]},
        "seats::owner": {"tag": "Some", "value": {"#bigint": "1"}},
        "seats::mode": {"tag": "Taken", "value": {"#tup": []}},
        "seats::grid": {"#map": [[{"#tup": [{"#bigint": "0"}, {"#bigint": str(j)}]}, j == 1] for j in (0, 1)]},
        "mbt::nondetPicks": {},
        "nondet_picks": {},
    },
]
TLC: list[dict[str, Any]] = [
    {"busy": {"0": False, "1": False}, "owner": "None", "mode": "Idle", "grid": {"<<0, 0>>": False, "<<0, 1>>": False}},
    {"busy": {"0": False, "1": True}, "owner": 1, "mode": "Taken", "grid": {"<<0, 0>>": False, "<<0, 1>>": True}},
]
FILES: dict[str, Any] = {
    "quint": {"vars": list(QUINT[0]), "states": QUINT},
    "tlc": {"counterexample": {"state": [[1, TLC[0]], [2, TLC[1]]], "action": []}, "vars": list(TLC[0])},
}


@pytest.mark.parametrize("name", FILES)
def test_a_trace_is_matched_with_the_actions(name: str) -> None:
    trace = parse(json.dumps(FILES[name]), name).trace(Seats())
    assert [step.label for step in trace.steps] == ["take(i=1) choosing 1"]


@pytest.mark.parametrize(("owner", "code", "said"), [(1, 0, "FOLLOWS"), (0, 12, "VIOLATED")])
def test_follow_evaluates_the_invariants(
    owner: int, code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    states = [TLC[0], {**TLC[1], "owner": owner}]
    document = parse(json.dumps({"state": [[1, states[0]], [2, states[1]]]}), str(tmp_path / "trace.json"))
    assert follow_trace(document, Seats()) == code
    assert capsys.readouterr().out.startswith(said)
