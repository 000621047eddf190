"""The conditions of a verdict: every engine says them in the last line, in a warning and in its report."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from everystate.checker import (
    Constant,
    Int,
    Spec,
    action,
    constraint,
    eventually,
    fair,
    implies,
    invariant,
    leads_to,
    reachable,
    require,
    view,
)
from everystate.checker.api import cache
from everystate.checker.cli.main import main
from everystate.checker.engines.explicit import exhaustive, python
from everystate.checker.engines.limits import Limits
from everystate.checker.engines.sampling import walk
from everystate.checker.engines.symbolic import attempt, bounded, decide, inductive, parametric
from everystate.checker.engines.symbolic.search import Question
from everystate.checker.frontend import model
from everystate.checker.regression.runners.outcome import PROVED, UNDECIDED, outcome_of
from everystate.checker.results.report import report, summary
from everystate.checker.results.result import Result
from everystate.checker.results.verdict import ExitCode, Verdict


class Counter(Spec):
    """Five steps lead to x = 5, the search ends at x = 2."""

    cap = Constant(1)

    def variables(self) -> None:
        self.x = Int(0, 9)

    @action
    def up(self) -> None:
        self.x = min(9, self.x + 1)

    @action
    def reset(self) -> None:
        self.x = 0

    @constraint
    def soon(self) -> bool:
        return self.x <= self.cap

    @invariant
    def never_five(self) -> bool:
        return self.x != 5


def opened(spec: Spec) -> Result:
    traced = parametric.trace_all(lambda choice: type(spec)(**choice), {"cap": range(1, 3)})
    return parametric.check(traced, Question(4)).result


ENGINES: dict[str, Callable[[Spec], Result]] = {
    "native": lambda spec: exhaustive.check(model.build(spec)),
    "interrupted": lambda spec: exhaustive.check(model.build(spec), Limits(max_states=1)),
    "python": python.check,
    "walk": lambda spec: walk.walk(spec, 5, 20, 0),
    "bounded": lambda spec: bounded.check(model.build(spec), Question(4)),
    "reach": lambda spec: bounded.reach(model.build(spec), "never_five", Question(4))[0],
    "inductive": lambda spec: inductive.prove(model.build(spec), Question(4)).result,
    "open constants": opened,
}
PRUNED = {
    "native": "pruned 1 successor",
    "python": "pruned 1 successor",
    "walk": "pruned 36 successors",
}


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_says_the_constraint(engine: str) -> None:
    found = ENGINES[engine](Counter())
    assert found.verdict is not Verdict.VIOLATED
    assert "within soon" in found.statement and "  conditions   within soon" in summary(found)
    assert report(found)["conditions"][:1] == ["within soon"]
    if engine in PRUNED:
        told = f"State constraint soon {PRUNED[engine]}; states beyond it were not explored"
        assert told in found.warnings and told in report(found)["warnings"]
    elif engine != "interrupted":
        assert "States beyond the state constraint soon were not explored" in found.warnings


class NeverSeen(Spec):
    """An action that is never enabled, and an implication whose left side is never true."""

    def variables(self) -> None:
        self.x = Int(0, 3)

    @action
    def go(self) -> None:
        self.x = (self.x + 1) % 3

    @action
    def never(self) -> None:
        require(self.x == 3)

    @invariant
    def empty(self) -> bool:
        return implies(self.x == 3, self.x == 1)


NEVER_SEEN: dict[str, tuple[Callable[[Spec], Result], str]] = {
    "native": (ENGINES["native"], ""),
    "python": (ENGINES["python"], ""),
    "walk": (ENGINES["walk"], " on the walks"),
    "bounded": (ENGINES["bounded"], " in behaviours of up to 4 steps"),
    "inductive": (ENGINES["inductive"], ""),
    "proof": (lambda spec: decide.decide(model.build(spec), Question(4)).result, ""),
    "proof, not all states explored": (
        lambda spec: decide.decide(model.build(spec), Question(4), help=attempt.Help(states=1)).result,
        "",
    ),
}


@pytest.mark.parametrize("engine", NEVER_SEEN)
def test_every_engine_says_what_never_happened(engine: str) -> None:
    check, where = NEVER_SEEN[engine]
    idle, empty = check(NeverSeen()).vacuous
    assert idle.partition("; ")[0] == f"action never was never enabled{where}"
    assert re.sub("[0-9]+", "N", empty.replace(where, "")) == (
        "empty holds vacuously at line N: the left side of `return implies(self.x == N, self.x == N)` was never true"
    )


class Viewed(Spec):
    """A counter of which only the parity is looked at."""

    cap = Constant(1)

    def variables(self) -> None:
        self.x = Int(0, 9)

    @action
    def up(self) -> None:
        self.x = (self.x + 1) % 10

    @view
    def parity(self) -> int:
        return self.x % 2


@pytest.mark.parametrize("engine", ("native", "python"))
def test_engines_that_merge_states_say_the_view(engine: str) -> None:
    found = ENGINES[engine](Viewed())
    assert found.verdict is Verdict.PROVED and report(found)["conditions"] == ["up to the view parity"]
    assert found.warnings == (
        "states with equal views were explored once: the verdict holds if the view keeps all that matters",
    )


@pytest.mark.parametrize("engine", ("walk", "bounded", "inductive"))
def test_engines_that_merge_no_states_do_not_say_the_view(engine: str) -> None:
    assert report(ENGINES[engine](Viewed()))["conditions"] == []


# -- goals -----------------------------------------------------------------------------------------------------


class Goals(Spec):
    """A goal that is reached, one that is far, and one that is only asked for with a bonus."""

    bonus = Constant(False)

    def variables(self) -> None:
        self.x = Int(0, 9)

    @action
    def up(self) -> None:
        self.x = (self.x + 1) % 10

    @reachable
    def one(self) -> bool:
        return self.x == 1

    @reachable
    def nine(self) -> bool:
        return self.x == 9

    @reachable(when="bonus")
    def two(self) -> bool:
        return self.x == 2

    @reachable(when=lambda self: not self.bonus)
    def three(self) -> bool:
        return self.x == 3


def test_goals_that_were_not_judged_stand_in_the_last_line() -> None:
    found = bounded.check(model.build(Goals()), Question(4))
    assert found.held == ("one", "three") and list(found.conditions.unjudged) == ["nine"]
    assert found.statement.endswith("nothing is said of longer ones; nine is not judged")
    walked = walk.walk(Goals(), 5, 4, 0)
    assert walked.statement.endswith("nothing is proved; nine is not judged")


@pytest.mark.parametrize("engine", ("native", "python"))
def test_a_goal_that_is_not_asked_for_is_in_no_verdict(engine: str) -> None:
    without, asked = ENGINES[engine](Goals()), ENGINES[engine](Goals(bonus=True))
    assert set(without.held) == {"one", "nine", "three"} and "two" not in without.checked
    assert set(asked.held) == {"one", "nine", "two"} and "three" not in asked.checked
    assert without.distinct == asked.distinct == 10


# -- liveness --------------------------------------------------------------------------------------------------


class Vacuous(Spec):
    """The counter is fair, so each fair behaviour leaves the constraint."""

    def variables(self) -> None:
        self.count = Int(0, 100)
        self.flag = Int(0, 1)

    @fair
    @action
    def up(self) -> None:
        self.count += 1

    @constraint
    def soon(self) -> bool:
        return self.count <= 3

    @eventually
    def flag_comes(self) -> bool:
        return self.flag == 1

    @leads_to
    def follows(self) -> tuple[bool, bool]:
        return self.count == 1, self.flag == 1


@pytest.mark.parametrize("engine", ("native", "python"))
def test_liveness_is_undecided_where_no_fair_behaviour_stays_inside(engine: str) -> None:
    found = ENGINES[engine](Vacuous())
    reason = "is undecided: no fair behaviour stays inside the state constraint soon"
    assert (found.verdict, found.exit_code) == (Verdict.UNDECIDED, ExitCode.UNDECIDED)
    assert found.distinct == 8 - 4 and found.held == ()
    assert found.warnings[-2:] == (f"flag_comes {reason}", f"follows {reason}")
    assert found.statement.endswith("flag_comes, follows are not judged")
    outcome = outcome_of(found, Vacuous())
    assert outcome.of("flag_comes").status == UNDECIDED and outcome.of("deadlock").status == PROVED
    assert outcome.overall().status == UNDECIDED


def test_a_result_that_is_kept_has_its_conditions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    traced = model.build(Vacuous())
    first, again = (cache.kept(traced, Limits(), "v", lambda: exhaustive.check(traced)) for _ in range(2))
    assert (first[1], again[1]) == (False, True)
    assert again[0].conditions == first[0].conditions and again[0].statement == first[0].statement


# -- commands --------------------------------------------------------------------------------------------------

CUT = '''
from everystate.checker import *

class Cut(Spec):
    """a counter"""
    top = Constant(9, "where it ends")
    cap = Constant(5, "how far the search goes")

    def variables(self):
        self.x = Int(0, 9)

    @action
    def up(self):
        self.x = min(self.top, self.x + 1)

    @constraint
    def soon(self):
        return self.x <= self.cap

    @invariant
    def never_five(self):
        return self.x != 5
'''
MATRIX = """
[[variant]]
name = "far"
target = "cut.py"
constants = { cap = 5 }
expect = { never_five = 5 }

[[variant]]
name = "near"
target = "cut.py"
constants = { cap = 1 }
"""


@pytest.fixture
def cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cut.py").write_text(CUT)
    return tmp_path


def test_a_map_says_the_constraint(cut: Path, capsys: Any) -> None:
    assert main(["frontier", "cut.py", "-x", "top=4..6", "-y", "cap=1..5", "-q", "-o", "map.svg"]) == 0
    told = capsys.readouterr()
    assert (
        told.out.splitlines()[0] == "cut.py within soon"
        and "cut.py within soon</text>" in (cut / "map.svg").read_text()
    )
    warning = "State constraint soon pruned successors; states beyond it were not explored"
    assert told.err.count(warning) == 1


def test_a_matrix_says_the_constraint(cut: Path, capsys: Any) -> None:
    (cut / "m.toml").write_text(MATRIX)
    assert main(["matrix", "m.toml", "-q"]) == 0
    warning = "State constraint soon pruned successors; states beyond it were not explored"
    assert f"warning: cut.py: {warning}" in capsys.readouterr().err


VACUOUS_FILE = """
from everystate.checker import Constant, Int, Spec, action, invariant, require


class Stairs(Spec):
    top, start = Constant(3), Constant(0)

    def variables(self):
        self.x = Int(0, 9, init=self.start)

    @action
    def up(self):
        self.x = min(self.top, self.x + 1)

    @action
    def jump(self):
        require(self.x == 5)

    @action
    def never(self):
        require(self.x == 9)

    @invariant
    def low(self):
        return self.x < 9
"""


def test_a_map_says_what_happened_in_no_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stairs.py").write_text(VACUOUS_FILE)
    assert main(["frontier", "stairs.py", "-x", "top=4..6", "-y", "start=0..1", "-q"]) == 0
    assert capsys.readouterr().err == "warning: Stairs: action never was never enabled in any of 6 checks\n"


def test_a_matrix_says_what_never_happened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stairs.py").write_text(VACUOUS_FILE)
    (tmp_path / "m.toml").write_text('[[variant]]\nname = "stairs"\ntarget = "stairs.py"\n')
    assert main(["matrix", "m.toml", "-q"]) == 0
    assert capsys.readouterr().err == (
        "warning: Stairs: action jump was never enabled\nwarning: Stairs: action never was never enabled\n"
    )


def test_a_smaller_bound_of_the_search_is_no_safe_setting(cut: Path, capsys: Any) -> None:
    assert main(["check", "cut.py", "--out", "t", "-q"]) == 12
    capsys.readouterr()
    assert main(["explain", str(next((cut / "t").iterdir())), "--spec", "cut.py", "-q"]) == 0
    told = capsys.readouterr().out
    assert "nearest safe settings" not in told
    assert "holds only within soon, which pruned successors: cap = 0, cap = 3" in told
