"""Refinement: every initial state and every step of a spec, as a mapping shows them, are those of another one."""

from __future__ import annotations

import random
from typing import Any

import pytest

from everystate.checker import (
    Array,
    Constant,
    Enum,
    Int,
    Option,
    Record,
    Seq,
    Set,
    Spec,
    action,
    choose,
    constraint,
    initial,
    invariant,
    refines,
    require,
)
from everystate.checker.api.fingerprint import fingerprint
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.engines.sampling.walk import walk
from everystate.checker.engines.symbolic import bounded
from everystate.checker.engines.symbolic.inductive import prove
from everystate.checker.engines.symbolic.search import Question
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.checker.results import itf
from everystate.checker.results.text import render
from everystate.checker.results.verdict import ExitCode, Kind, Verdict
from everystate.counterexamples.path import follow, path_of
from everystate.counterexamples.report import report
from everystate.specs.classics.tcommit import TCommit
from everystate.specs.classics.two_phase import TwoPhase

from .conftest import Engine, native


class Commits(TwoPhase):
    @refines(TCommit)
    def commits(self) -> dict[str, Any]:
        """two-phase commit is a transaction commit"""
        return {"state": self.state}


class Hasty(Commits):
    @action(rm="managers")
    def learn_commit(self, rm: int) -> None:
        require("commit" in self.sent or rm in self.votes)
        self.state[rm] = "committed"


def test_two_phase_commit_is_a_transaction_commit(check: Engine) -> None:
    result = check(Commits())
    assert (result.verdict, result.distinct, result.generated) == (Verdict.PROVED, 288, 1146)
    claim = (
        "commits: in all 288 reachable states it begins as TCommit does, and each step is one of TCommit or changes "
        "nothing there (safety only)"
    )
    assert claim in result.statement
    assert "commits" in result.held


def test_a_manager_that_commits_alone_does_not_refine(check: Engine) -> None:
    result = check(Hasty())
    found = result.violation("commits")
    assert (found.kind, found.length, found.states) == (Kind.REFINEMENT, 3, 645)
    assert render(found.trace).splitlines()[-6:] == [
        "  3. learn_commit(rm=0)",
        "      state[0]: prepared -> committed",
        "      TCommit: state[0]: prepared -> committed",
        "",
        "commits fails: the last step is no step of TCommit:",
        "  state = [prepared, working, working] -> [committed, working, working]",
    ]


class Up(Spec):
    """From 1 to 4, one by one."""

    top = Constant(4)

    def variables(self) -> None:
        self.x = Int(1, 4)

    @action
    def up(self) -> None:
        require(self.x < self.top)
        self.x += 1


class Climb(Spec):
    """From 0 to 3; `shift` and `by` make it something else."""

    shift = Constant(1)
    by = Constant(1)
    most = Constant(0, "where it may begin")
    may_terminate = True

    def variables(self) -> None:
        self.y = Int(0, 3)
        self.idle = Int(0, 1)

    @initial
    def somewhere(self) -> None:
        self.y = choose(range(self.most + 1))

    @action
    def go(self) -> None:
        require(self.y + self.by <= 3)
        self.y += self.by

    @action
    def think(self) -> None:
        self.idle = 1 - self.idle

    @refines(Up)
    def climbs(self) -> dict[str, Any]:
        return {"x": self.y + self.shift}


def test_steps_that_change_nothing_there_are_steps(check: Engine) -> None:
    result = check(Climb())
    assert (result.verdict, result.distinct) == (Verdict.PROVED, 8)


def test_a_step_of_two_is_no_step_although_all_states_are_reachable_there(check: Engine) -> None:
    result = check(Climb(by=2))
    [found] = result.violations
    assert (found.kind, found.property, found.length, found.states) == (Kind.REFINEMENT, "climbs", 1, 2)
    assert result.exit_code is ExitCode.SAFETY


def test_an_initial_state_that_is_none_there_is_found_without_a_step(check: Engine) -> None:
    result = check(Climb(most=2))
    [found] = result.violations
    assert (found.kind, found.length, found.states) == (Kind.REFINEMENT, 0, 2)
    assert render(found.trace) == (
        "Refinement climbs violated in an initial state\n"
        "Climb with most=2\n"
        "\n"
        "  0. initial state\n"
        "      y    = 1\n"
        "      idle = 0\n"
        "      Up: x = 2\n"
        "\n"
        "climbs fails: it is no initial state of Up:\n"
        "  y = 1\n"
    )


def test_a_mapping_outside_the_domain_is_an_error_in_a_property(check: Engine) -> None:
    found = check(Climb(shift=0)).violation("climbs")
    assert (found.kind, found.length, found.text) == (Kind.PROPERTY_ERROR, 0, "0 is outside Int(1, 4)")
    assert (found.error.where.function, found.trace.beside) == ("climbs", (None,))
    result = check(Climb(shift=2))
    assert [(v.kind, v.length) for v in result.violations] == [(Kind.PROPERTY_ERROR, 3), (Kind.REFINEMENT, 0)]
    assert result.exit_code is ExitCode.PROPERTY_EVALUATION


def test_constants_of_equal_names_are_passed_on_and_others_given(check: Engine) -> None:
    class Lower(Climb):
        top = Constant(3)

    class Given(Climb):
        @refines(Up, top=lambda self: self.shift + 2)
        def climbs(self) -> dict[str, Any]:
            return {"x": self.y + self.shift}

    assert check(Lower()).violation("climbs").length == 3
    assert check(Lower(top=4)).verdict is Verdict.PROVED
    assert check(Given()).violation("climbs").length == 3


def test_steps_beyond_a_constraint_are_judged(check: Engine) -> None:
    class Bounded(Climb):
        @action
        def jump(self) -> None:
            require(self.y == 0)
            self.y = 3

        @constraint
        def low(self) -> bool:
            return self.y < 2

    assert check(Bounded()).violation("climbs").length == 1


class Item(Record):
    a = Int(0, 1)
    b = Enum("low", "high")


class Everything(Spec):
    """One variable of each kind, and choices."""

    may_terminate = True

    def variables(self) -> None:
        self.items = Seq(Item, 2)
        self.members = Set(range(3))
        self.owner = Option(Enum("me", "you"))
        self.cells = Array(2, Int(0, 2))

    @action
    def take(self) -> None:
        self.members.add(choose(range(3)))
        self.owner = choose(["me", "you"])

    @action
    def put(self) -> None:
        require(len(self.items) < 2)
        self.items.append(Item(a=choose([0, 1]), b="high"))

    @action
    def fail(self) -> None:
        require(self.cells[0] < 2)
        self.cells[0] += 1
        self.cells[1] = self.cells[0] + 1


class Mirrored(Spec):
    """The same with other types; with `lie` it does what only a failing step would do."""

    lie = Constant(False)
    may_terminate = True

    def variables(self) -> None:
        self.n = Int(0, 2)
        self.has = Array(3, Int(0, 1))
        self.who = Int(0, 2)
        self.cell = Int(0, 2)

    @action(i=range(3), who=(1, 2))
    def take(self, i: int, who: int) -> None:
        self.has[i] = 1
        self.who = who

    @action
    def put(self) -> None:
        require(self.n < 2)
        self.n += 1

    @action
    def count(self) -> None:
        require(self.cell < (2 if self.lie else 1))
        self.cell += 1

    @refines(Everything)
    def mirrors(self) -> dict[str, Any]:
        items = [Item(a=i, b="high") for i in range(2)]
        return {
            "items": items[:1] if self.n == 1 else items if self.n == 2 else [],
            "members": {i for i in range(3) if self.has[i] == 1},
            "owner": None if self.who == 0 else "me" if self.who == 1 else "you",
            "cells": [self.cell, 0 if self.cell == 0 else self.cell + 1] if self.cell < 2 else [2, 2],
        }


def test_every_kind_of_value_is_mapped(check: Engine) -> None:
    result = check(Mirrored())
    assert (result.verdict, result.distinct) == (Verdict.PROVED, 6 * (1 + 7 * 2))


def test_a_step_that_fails_there_is_no_step_there(check: Engine) -> None:
    assert check(Mirrored(lie=True)).violation("mirrors").length == 2


# -- against a judge --------------------------------------------------------------------------------------


def tables(dice: random.Random) -> dict[str, Any]:
    """A mapping of six states to three, and steps of both: those above are those that are mapped, now and then less."""
    image = [dice.randrange(3) for _ in range(6)]
    steps = {s: tuple(sorted(dice.sample(range(6), 1 + dice.randrange(2)))) for s in range(6)}
    needed = {(image[s], image[t]) for s, after in steps.items() for t in after}
    above = {pair for pair in needed if dice.random() < 0.9} | {(dice.randrange(3), dice.randrange(3))}
    return {"image": tuple(image), "steps": steps, "above": above, "begins": 1 + dice.randrange(2)}


def judged(given: dict[str, Any]) -> int | None:
    """The length of the shortest violation, None where there is none."""
    image, level, seen, length = given["image"], {0}, {0}, 0
    if image[0] > given["begins"]:
        return 0
    while level:
        after = {(s, t) for s in level for t in given["steps"][s]}
        length += 1
        if any(image[s] != image[t] and (image[s], image[t]) not in given["above"] for s, t in after):
            return length
        level = {t for _, t in after} - seen
        seen |= level
    return None


def made(given: dict[str, Any]) -> Spec:
    above, image, steps = tuple(sorted(given["above"])), given["image"], given["steps"]

    class Above(Spec):
        def variables(self) -> None:
            self.begins = given["begins"]
            self.pairs = above
            self.at = Int(0, 2)

        @initial
        def begin(self) -> None:
            self.at = choose(range(self.begins + 1))

        @action
        def go(self) -> None:
            before, after = choose(self.pairs)
            require(self.at == before)
            self.at = after

    class Below(Spec):
        may_terminate = True

        def variables(self) -> None:
            self.following = tuple(steps[s] for s in range(6))
            self.image = image
            self.at = Int(0, 5)

        @action(s=range(6))
        def go(self, s: int) -> None:
            require(self.at == s)
            self.at = choose(self.following[s])

        @refines(Above)
        def mapped(self) -> dict[str, Any]:
            return {"at": self.image[self.at]}

    return Below()


def test_random_refinements_are_judged_as_a_judge_does() -> None:
    dice, lengths = random.Random(253), []
    for _ in range(10):
        given = tables(dice)
        result = native(made(given))
        length = result.violation("mapped").length if result.violations else None
        assert length == judged(given), given
        lengths.append(length)
    assert lengths == [None, 0, None, 3, None, 1, 2, None, 2, 2]


class Nowhere(Up):
    @initial
    def above(self) -> None:
        self.x += 4


class Climbs(Climb):
    @refines(Nowhere)
    def climbs(self) -> dict[str, Any]:
        return {"x": self.y + self.shift}


def test_an_abstract_spec_that_cannot_begin_is_refused(check: Engine) -> None:
    """plain Python called it an error in the property"""
    with pytest.raises(EverystateError, match="E301 x = 5 is outside") as found:
        check(Climbs())
    assert found.value.where is not None and found.value.where.function == "above"


# -- other engines ----------------------------------------------------------------------------------------


def test_z3_judges_steps_and_beginnings() -> None:
    found = bounded.check(model.build(Climb(by=2)), Question(3, cross_check=10))
    assert [(v.kind, v.length) for v in found.violations] == [(Kind.REFINEMENT, 1)]
    found = bounded.check(model.build(Climb(most=1)), Question(3, cross_check=10))
    assert [(v.kind, v.length) for v in found.violations] == [(Kind.REFINEMENT, 0)]
    assert prove(model.build(Climb(most=1)), Question(1, cross_check=10)).result.verdict is Verdict.VIOLATED
    found = bounded.check(model.build(Climb()), Question(1, cross_check=10))
    assert found.statement.startswith("BOUNDED  climbs (safety only) holds in all behaviours of up to 1 step ")
    proved = prove(model.build(Climb()), Question(1, cross_check=10)).result
    assert proved.verdict is Verdict.PROVED and "climbs (safety only) holds" in proved.statement


class Low(Climb):
    @invariant
    def below_two(self) -> bool:
        return self.y < 2


def test_z3_tells_nothing_that_is_longer_than_a_wrong_beginning() -> None:
    found = bounded.check(model.build(Low(most=1)), Question(3, cross_check=10))
    assert [(v.property, v.length) for v in found.violations] == [("climbs", 0)]
    assert found.statement.startswith(
        "VIOLATED  climbs violated in an initial state; no shorter behaviour violates anything"
    )


def test_walks_judge_steps_and_beginnings() -> None:
    assert [(v.kind, v.length) for v in walk(Climb(most=1), 5, 5, seed=1).violations] == [(Kind.REFINEMENT, 0)]
    assert [v.kind for v in walk(Climb(by=2), 5, 9, seed=1).violations] == [Kind.REFINEMENT]
    assert walk(Climb(), 5, 9, seed=1).verdict is Verdict.SAMPLED


def test_a_wrong_relation_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def anything(tracer: Any, *_: Any) -> Any:
        return tracer.pool.true, []

    monkeypatch.setattr(model, "refines", anything)
    with pytest.raises(EverystateError, match="E217 climbs differs between compiled code and plain Python") as found:
        exhaustive.check(model.build(Climb(by=2)))
    assert found.value.where is not None and found.value.where.function == "climbs"


def test_a_kept_result_depends_on_where_the_abstract_spec_begins() -> None:
    class Wider(Up):
        @initial
        def anywhere(self) -> None:
            self.x = choose([1, 2])

    class Other(Climb):
        @refines(Wider)
        def climbs(self) -> dict[str, Any]:
            return {"x": self.y + self.shift}

    one, other = (fingerprint(model.build(cls(most=1)), True) for cls in (Climb, Other))
    assert one != other


# -- traces -----------------------------------------------------------------------------------------------


def test_the_abstract_states_stand_in_files_pages_and_paths() -> None:
    spec = Hasty()
    trace = native(spec).violation("commits").trace
    assert trace.abstract == "TCommit"
    assert [state.value("state") for state in trace.beside] == [state.value("state") for state in trace.states]
    document = itf.parse(itf.dump(trace), "t")
    assert itf.dump(document.trace(spec)) == itf.dump(trace)
    told, again = ([line for line in render(t).splitlines() if "TCommit:" in line] for t in (trace, document.plain()))
    assert told == again and len(told) == 5
    assert document.states[3]["#meta"]["abstract"] == {"state": ["committed", "working", "working"]}
    assert '"title":"TCommit"' in report(trace, spec) and '"title":"TCommit"' in report(document.plain())
    replayed = follow(spec, path_of(spec, trace))
    assert [(v.property, v.kind) for v in replayed.violations] == [("commits", Kind.REFINEMENT)]
    assert replayed.violations[0].trace is not None
    assert replayed.violations[0].trace.beside == trace.beside
