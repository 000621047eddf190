"""The cross-check executes each path that a state takes: wrong code in a branch of one state of many is noticed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from everystate.checker import Int, Spec, action, choose, invariant, require
from everystate.checker.engines.explicit import exhaustive, spill
from everystate.checker.engines.limits import VARIABLE, Limits
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.checker.ir.paths import paths
from everystate.checker.ir.traced import Model
from everystate.checker.ir.tree import Branch, Choice, Tree, Update
from everystate.checker.results.coverage import PathCoverage

SIZE = 200
MANY = SIZE * SIZE + 1


class Rare(Spec):
    """Two counters; in one state of many, `up` does something else."""

    may_terminate = True

    def variables(self) -> None:
        self.x = Int(0, SIZE - 1)
        self.y = Int(0, SIZE - 1)
        self.n = Int(0, 9)

    @action
    def right(self) -> None:
        require(self.x < SIZE - 1 and self.n == 0)
        self.x += 1

    @action
    def up(self) -> None:
        require(self.y < SIZE - 1 and self.n == 0)
        if self.x == 177 and self.y == 33:
            self.n = 4
        else:
            self.y += 1

    @invariant
    def small(self) -> bool:
        return self.n < 5


def planted(m: Model, wrong: int = 3) -> Model:
    """In the rare branch of `up`, n becomes another number."""

    def changed(node: Tree) -> Tree:
        match node:
            case Branch():
                return Branch(node.condition, changed(node.then), changed(node.otherwise))
            case Choice():
                return Choice(node.labels, tuple(map(changed, node.options)))
            case Update() if any(term.op == "const" for _, term in node.writes):
                return Update(tuple((cell, m.pool.const(wrong)) for cell, _ in node.writes))
        return node

    return replace(m, actions=tuple(replace(a, tree=changed(a.tree)) for a in m.actions))


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "60")


def noticed(limits: Limits) -> None:
    with pytest.raises(EverystateError, match=r"E217 up .*: n becomes 3 on symbols, 4 on values, with x = 177, y = 33"):
        exhaustive.check(planted(model.build(Rare())), limits)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_rare_branch_is_executed(workers: int) -> None:
    noticed(Limits(workers=workers))


def test_it_is_executed_in_a_compressed_search() -> None:
    noticed(Limits(compress=True))


def test_it_is_executed_with_states_on_disk(tmp_path: Path) -> None:
    given = planted(model.build(Rare())), Limits(max_memory=600_000, spill=str(tmp_path)), None, "", str(tmp_path)
    with pytest.raises(EverystateError, match=r"E217 up .*: n becomes 3 on symbols, 4 on values"):
        spill.check(*given)


def test_it_is_executed_after_a_resumed_search(tmp_path: Path) -> None:
    """the branch is taken before the search is interrupted"""
    traced, run = planted(model.build(Rare())), str(tmp_path / "run")
    found = exhaustive.check(traced, Limits(work=run, max_states=35_000, cross_check=0))
    assert found.stopped and found.depth > 33 + 177
    noticed(Limits(work=run, resume=True))


@pytest.mark.parametrize("workers", [1, 2])
def test_the_report_counts_paths(workers: int) -> None:
    found = exhaustive.check(model.build(Rare()), Limits(workers=workers))
    nothing = {"right": (0, 1), "up": (0, 2)}
    assert (found.distinct, found.cross_checked) == (40_001, 61) and found.paths is not None
    assert replace(found.paths, merged=None) == PathCoverage(3, 3, nothing)


def test_what_was_not_executed_is_not_counted() -> None:
    found = exhaustive.check(model.build(Rare()), Limits(cross_check=1))
    assert found.cross_checked == 1 and found.paths is not None
    assert (found.paths.executed, found.paths.taken) == (2, 3)
    assert found.paths.statement == "2 of 3 paths"
    assert replace(found.paths, merged=(4, 7)).report() == {
        "executed": 2,
        "taken": 3,
        "never_taken": {},
        "outcomes_executed": 4,
        "outcomes": 7,
    }


class Dead(Rare):
    @action
    def never(self) -> None:
        by = choose((1, 2))
        if self.n == 9:
            self.x = by // (self.n - 9)
        require(self.n == 3 * by)
        self.n = 0


def test_a_path_that_no_state_takes_is_listed() -> None:
    found = exhaustive.check(model.build(Dead()))
    assert found.paths is not None
    assert [*found.paths.details()][1:] == ["no state takes 4 of 6 paths of never"]


def test_paths_are_successors_errors_and_guards_behind_a_branch() -> None:
    trees = {a.instance.name: a.tree for a in model.build(Dead()).actions}
    kinds = {name: [type(leaf).__name__ for leaf in paths(tree)] for name, tree in trees.items()}
    assert (kinds["right"], kinds["up"]) == (["Update"], ["Update", "Update"])
    assert kinds["never"] == 2 * ["Fault", "Update", "Disabled"]
