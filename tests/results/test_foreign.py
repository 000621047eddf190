"""Traces of other tools: nothing that they hold is dropped, and their steps are matched to those of a spec."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.main import main

EXTRA = {"vars": ["x"], "states": [{"x": 1, "y": 5}, {"x": 1, "y": 6}]}
QUINT = {"vars": [], "states": [{"#meta": {"index": n}, "#map": [["n", n + 1]]} for n in range(2)]}
PARAMS = {
    "params": ["N"],
    "vars": ["x"],
    "states": [{"N": {"#bigint": "3"}, "x": {"#unserializable": "Int"}}, {"x": 1}],
}
JUGS = [(0, 0), (0, 5), (3, 2), (0, 2), (2, 0), (2, 5), (3, 4)]
STATES = [{"big": big, "small": small} for small, big in JUGS]
TLC: dict[str, list[Any]] = {
    "state": [[n, state] for n, state in enumerate(STATES, 1)],
    "action": [
        [[1, STATES[0]], {"name": "FillBig", "location": {"module": "DieHard"}}, [2, STATES[1]]],
        [[2, STATES[1]], {"name": "Pour", "parameters": ["i"], "context": {"i": "big"}}, [3, STATES[2]]],
    ],
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Writes a trace, runs a command on it, and gives (exit code, output, errors)."""
    monkeypatch.chdir(tmp_path)

    def played(data: Any, command: str, *options: str) -> tuple[int, str, str]:
        Path("trace.json").write_text(json.dumps(data))
        code = main([command, "trace.json", *options])
        said = capsys.readouterr()
        return code, said.out, said.err

    return played


def test_what_all_states_hold_is_a_variable(run: Any) -> None:
    assert run(EXTRA, "show")[1].endswith("  1. step\n      y: 5 -> 6\n")
    assert json.loads(run(EXTRA, "show", "--as", "itf")[1])["vars"] == ["x", "y"]


def test_what_only_some_states_hold_is_refused(run: Any) -> None:
    code, _, said = run({"vars": ["x"], "states": [{"x": 1}, {"x": 1, "y": 6}]}, "show")
    assert code == 150 and "state 1 has a value for y, which the states before do not have" in said
    code, _, said = run({"vars": ["x"], "states": [{"x": 1, "y": 6}, {"x": 1}]}, "show")
    assert code == 150 and "state 1 has no value for y" in said


def test_the_form_of_quints_simulator_in_rust(run: Any) -> None:
    assert run(QUINT, "show")[1].endswith("      n = 1\n  1. step\n      n: 1 -> 2\n")


def test_params_and_what_cannot_be_serialized_are_kept(run: Any) -> None:
    assert run(PARAMS, "show")[1] == (
        "A trace of 1 step\nwith N=3\n\n  0. initial state\n      x = Int\n  1. step\n      x: Int -> 1\n"
    )
    again = json.loads(run(PARAMS, "show", "--as", "itf")[1])
    assert (again["params"], again["vars"]) == (["N"], ["x"])
    assert (again["states"][0]["N"], again["states"][0]["x"]) == ({"#bigint": "3"}, {"#unserializable": "Int"})


@pytest.mark.parametrize("names", (["small", "big"], ["big", "small"]))
def test_steps_are_matched_to_actions_of_the_spec(names: list[str], run: Any) -> None:
    code, out, _ = run({"vars": names, "states": STATES[:3]}, "show", "--spec", "die-hard", "--as", "path")
    assert (code, out) == (0, "0,1,5\n")


def test_a_trace_that_violates_a_property_of_the_spec_shows_it(run: Any) -> None:
    _, out, said = run({"vars": ["small", "big"], "states": STATES}, "show", "--spec", "die-hard")
    assert out.startswith("Invariant goal_not_reached violated after 6 steps") and said == ""
    assert run({"vars": ["small", "big"], "states": STATES}, "explain", "--spec", "die-hard", "-q")[0] == 0


def test_steps_that_no_action_takes_are_named(run: Any) -> None:
    _, _, said = run({"vars": ["small", "big"], "states": [STATES[0], STATES[3]]}, "show", "--spec", "die-hard")
    assert said.endswith("of which it is no trace: no action of DieHard leads from state 0 to state 1\n")


TWO_WAYS = """
from everystate.checker import Int, Spec, action


class TwoWays(Spec):
    def variables(self):
        self.x = Int(0, 3)

    @action(by=(1, 2))
    def add(self, by):
        self.x = min(3, self.x + by)

    @action
    def jump(self):
        self.x = 3
"""


def test_a_step_that_several_actions_take_is_reported(run: Any) -> None:
    Path("two_ways.py").write_text(TWO_WAYS)
    states: list[dict[str, Any]] = [{"x": 0}, {"x": 2}, {"x": 3}]
    _, out, said = run({"vars": ["x"], "states": states}, "show", "--spec", "two_ways.py")
    assert "  2. add(by=1)\n" in out
    assert said == "note: it names no actions, and more than one fits: step 2 can be add(by=1) or add(by=2) or jump()\n"
    states[2]["action_taken"] = "jump"
    _, out, said = run({"vars": ["x"], "states": states}, "show", "--spec", "two_ways.py")
    assert "  2. jump()\n" in out and said == ""


def test_the_json_of_tlc(run: Any) -> None:
    _, out, _ = run(TLC, "show")
    assert "  1. FillBig\n      big: 0 -> 5\n  2. Pour(i=big)\n" in out
    assert run(TLC, "show", "--spec", "die-hard")[1].startswith("Invariant goal_not_reached violated after 6 steps")
    assert run(STATES, "show")[1].startswith("A trace of 6 steps\n")


def test_a_lasso_of_tlc(run: Any) -> None:
    data = {
        "state": TLC["state"][:2],
        "action": [*TLC["action"][:1], [[2, STATES[1]], {"name": "Empty"}, [1, STATES[0]]]],
    }
    _, out, _ = run(data, "show")
    assert out.endswith("  2. Empty\n      back to state 0, and so on for ever\n")


SETS = """
from everystate.checker import Int, Map, Seq, Set, Spec, action


class Sets(Spec):
    def variables(self):
        self.members, self.votes, self.log = Set(["a", "b"]), Map(["a", "b"], Int(0, 3)), Seq(Int(0, 3), 3)

    @action
    def vote(self):
        self.members.add("a")
        self.votes["a"] += 1
        self.log.append(2)
"""


def test_sets_and_functions_of_tlc(run: Any) -> None:
    Path("sets.py").write_text(SETS)
    before = {"members": [], "votes": {"a": 0, "b": 0}, "log": []}
    after = {"members": ["a"], "votes": {"a": 1, "b": 0}, "log": [2]}
    _, out, said = run({"state": [[1, before], [2, after]], "action": []}, "show", "--spec", "sets.py")
    assert "  1. vote()\n      members: {} -> {a}\n      votes[a]: 0 -> 1\n" in out and said == ""


@pytest.mark.parametrize("command", (["show", "--as", "path"], ["explain"]))
def test_a_file_that_lacks_what_is_wanted_is_an_error_with_a_code(command: list[str], run: Any) -> None:
    code, _, said = run({"vars": ["small", "big"], "states": STATES}, *command)
    assert code == 150 and said.startswith("error E407: trace.json has no ") and "it names no spec" in said
    code, _, said = run({"vars": ["small", "big"], "states": STATES[:3]}, "explain", "--spec", "die-hard")
    assert code == 150 and "has no explanation: nothing is violated at its end" in said
