"""Fairness of disjunctions, temporal properties with parameters, and those of stability and of steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import pytest

import everystate
from everystate.checker import (
    Array,
    Constant,
    Int,
    Spec,
    action,
    constraint,
    eventually,
    eventually_always,
    fair,
    infinitely_often,
    leads_to,
    require,
    strongly_fair,
)
from everystate.checker.api.fingerprint import fingerprint
from everystate.checker.engines.explicit import exhaustive, python
from everystate.checker.engines.sampling import walk
from everystate.checker.engines.temporal import liveness
from everystate.checker.engines.temporal.graph import Graph
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.checker.ir.portable import portable
from everystate.checker.language.fairness import Disjunction
from everystate.checker.results.itf import dump, parse
from everystate.checker.results.result import Result
from everystate.checker.results.text import render
from tests.engines.fair_systems import disagreements, native, system
from tests.selection import quick


@pytest.mark.parametrize("seed", quick(range(10), range(40)))
def test_random_systems_are_judged_as_by_brute_force(seed: int) -> None:
    assert disagreements(seed, python.check, Counter()) == []


@pytest.mark.parametrize("seed", [500, 501, 502])
def test_the_order_of_states_changes_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    before, real, arranged = native(system(seed)), Graph.arranged, list[Graph]()

    def arrange(self: Graph) -> Graph:
        arranged.append(real(self))
        return arranged[-1]

    monkeypatch.setattr(liveness, "LARGE", 0)
    monkeypatch.setattr(Graph, "arranged", arrange)
    after = native(system(seed))
    assert (after.verdict, after.violations) == (before.verdict, before.violations)
    assert len(arranged) == 1


@pytest.mark.parametrize("seed", quick(range(500, 503), range(500, 510)))
def test_machine_code_judges_random_systems_in_the_same_way(seed: int) -> None:
    assert disagreements(seed, native, Counter()) == []


class Clients(Spec):
    """A server that serves somebody; nobody says whom."""

    clients = Constant(2, "clients")

    def variables(self) -> None:
        self.waits = Array(self.clients, Int(0, 1))

    @action(c="clients")
    def ask(self, c: int) -> None:
        require(self.waits[c] == 0)
        self.waits[c] = 1

    @fair(together="serve")
    @action(c="clients")
    def serve(self, c: int) -> None:
        require(self.waits[c] == 1)
        self.waits[c] = 0

    @leads_to(c="clients")
    def served(self, c: int) -> Any:
        """who asks is served some time"""
        return self.waits[c] == 1, self.waits[c] == 0

    @infinitely_often
    def some_are_free(self) -> Any:
        return self.waits[0] + self.waits[1] < 2


class EachServed(Clients):
    @fair(together="serve", each="c")
    @action(c="clients")
    def serve(self, c: int) -> None:
        require(self.waits[c] == 1)
        self.waits[c] = 0


@pytest.mark.parametrize("check", [native, python.check])
def test_a_disjunction_is_fair_to_nobody_in_particular(check: Callable[[Spec], Result]) -> None:
    found = check(Clients())
    assert [(v.property, v.length) for v in found.violations] == [("served(c=0)", 3), ("served(c=1)", 3)]
    assert found.held == ("some_are_free",)
    assert Clients()._fairness() == [Disjunction("weak", (2, 3))]
    assert EachServed()._fairness() == [Disjunction("weak", (2,)), Disjunction("weak", (3,))]
    assert check(EachServed()).statement == (
        "PROVED  served(c=0), served(c=1), some_are_free hold on every fair behaviour; no deadlock, no action fails in "
        "all 4 reachable states (clients=2, exhaustive, exact states)"
    )


def test_each_alone_is_of_the_instances_of_one_action() -> None:
    class Ways(Clients):
        @fair(each="c")
        @action(way=range(2), c="clients")
        def serve(self, way: int, c: int) -> None:  # type: ignore[override]  # has one more parameter on purpose
            require(self.waits[c] == 1)
            self.waits[c] = 0

        @fair(each="c")
        @action(c="clients")
        def serve_at_once(self, c: int) -> None:
            require(self.waits[c] == 1)
            self.waits[c] = 0

    assert [fair.instances for fair in Ways()._fairness()] == [(2, 4), (3, 5), (6,), (7,)]


def test_a_trace_of_one_member_survives_its_file() -> None:
    spec = Clients()
    trace = native(spec).violation("served(c=1)").trace
    assert trace is not None
    again = parse(dump(trace), "x").trace(spec)
    assert (again.shows, dump(again)) == ("served(c=1)", dump(trace))


def test_a_kept_result_knows_its_fairness() -> None:
    assert fingerprint(model.build(Clients()), True) != fingerprint(model.build(EachServed()), True)


class Ends(Spec):
    """Something that is so in the beginning, and after no step."""

    may_terminate = True

    def variables(self) -> None:
        self.n = Int(0, 3)

    @action
    def up(self) -> None:
        require(self.n < 3)
        self.n += 1

    @eventually
    def low(self) -> Any:
        return self.n == 0


class EndsInStep(Ends):
    @eventually
    def low(self, before: Self) -> Any:  # type: ignore[override]  # of a step, not of a state
        return self.n == 0


@pytest.mark.thorough
def test_a_kept_result_knows_whether_a_property_is_of_states_or_of_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """the same condition of the same name: it was told of the one what was found of the other"""
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path))
    assert everystate.check(Ends, cache=True).proved
    assert not everystate.check(EndsInStep, cache=True).proved
    assert portable(model.build(Ends())).facts != portable(model.build(EndsInStep())).facts


def test_a_property_of_nobody_says_nothing_and_a_run_tells() -> None:
    class Nobody(Clients):
        @leads_to(c=range(0))
        def served(self, c: int) -> Any:
            return True, self.waits[c] == 0

    for check in (native, python.check):
        found = check(Nobody())
        assert found.warnings == ("property served is disabled by the constants: there are no values for c",)


class Settling(Spec):
    """A lamp that goes on and off until somebody leaves."""

    def variables(self) -> None:
        self.lamp = Int(0, 1)
        self.left = Int(0, 1)

    @fair
    @action
    def switch(self) -> None:
        require(self.left == 0)
        self.lamp = 1 - self.lamp

    @action
    def leave(self) -> None:
        require(self.lamp == 0)
        self.left = 1

    @eventually_always
    def dark(self) -> Any:
        """it stays dark some time"""
        return self.lamp == 0

    @infinitely_often
    def goes_on(self, before: Self) -> Any:
        """it is switched on again and again"""
        return self.lamp > before.lamp

    @eventually_always
    def only_switches(self, before: Self) -> Any:
        """some time nothing happens any more but switching"""
        return self.left == before.left


class Leaving(Settling):
    @strongly_fair
    @action
    def leave(self) -> None:
        require(self.lamp == 0)
        self.left = 1


@pytest.mark.parametrize("check", [native, python.check])
def test_stability_and_properties_of_steps(check: Callable[[Spec], Result]) -> None:
    found = check(Settling())
    told = {v.property: (v.length, v.trace.loop, v.trace.witness) for v in found.violations if v.trace}
    assert told == {"dark": (2, 0, {"false in": "state 1"}), "goes_on": (1, 1, {"since": "state 1"})}
    assert found.held == ("only_switches",)
    found = check(Leaving())
    assert [v.property for v in found.violations] == ["goes_on"] and found.held == ("dark", "only_switches")


def test_the_text_tells_what_is_not_stable() -> None:
    trace = native(Settling()).violation("dark").trace
    assert trace is not None
    assert render(trace).endswith(
        "  1. switch()\n"
        "      lamp: 0 -> 1\n"
        "  2. switch()\n"
        "      back to state 0, and so on for ever\n"
        "\n"
        "dark becomes false again and again, and the behaviour is fair:\n"
        "  false in = state 1\n"
    )


def test_a_property_of_steps_that_fails_is_told() -> None:
    class Broken(Settling):
        @infinitely_often
        def goes_on(self, before: Self) -> Any:
            return 1 // before.lamp == 1

    for check in (native, python.check):
        found = check(Broken())
        assert ("goes_on", "error in a property") in [(v.property, v.kind.value) for v in found.violations]
        assert "goes_on" not in found.held


def test_a_fair_disjunction_that_leads_beyond_a_constraint_waits_for_nobody() -> None:
    class Edge(Clients):
        @constraint
        def one(self) -> Any:
            return self.waits[1] == 0

        @fair(together="serve")
        @action(c="clients")
        def ask(self, c: int) -> None:
            require(self.waits[c] == 0)
            self.waits[c] = 1

    # The disjunction is enabled everywhere by what leads outside; inside, waits[0] may go up and down for ever.
    for check in (native, python.check):
        assert check(Edge()).held == ("served(c=0)", "served(c=1)", "some_are_free")


def test_two_kinds_of_fairness_of_one_action() -> None:
    class Both(Clients):
        @strongly_fair(together="serve", each="c")
        @fair(together="any")
        @action(c="clients")
        def serve(self, c: int) -> None:
            self.waits[c] = 0

    assert Both()._fairness() == [
        Disjunction("weak", (2, 3)),
        Disjunction("strong", (2,)),
        Disjunction("strong", (3,)),
    ]


@pytest.mark.parametrize(
    ("mark", "said"),
    [
        (fair(each="d"), "@fair(each='d'): serve has no parameter 'd'"),
        (fair(together="x", each="d"), "@fair(together='x', each='d'): serve has no parameter 'd'"),
        (strongly_fair(together="ask"), "@strongly_fair(together='ask'): of ask it is @fair(together='ask')"),
        (fair(together=3), "@fair(together=3): `together` is a string, the name of the disjunction"),  # type: ignore[call-overload]
    ],
)
def test_fairness_that_says_nothing_clear_is_refused(mark: Callable[[Any], Any], said: str) -> None:
    class Unclear(Clients):
        @fair(together="ask")
        @action(c="clients")
        def ask(self, c: int) -> None:
            self.waits[c] = 1

        @mark
        @action(c="clients")
        def serve(self, c: int) -> None:
            self.waits[c] = 0

    with pytest.raises(EverystateError) as told:
        Unclear()
    assert (told.value.code, told.value.what) == ("E137", f"the fairness of serve is {said}")


def test_leads_to_is_not_about_steps() -> None:
    with pytest.raises(EverystateError, match="takes before after self, but a `leads to` property takes nothing"):

        class Steps(Clients):
            @leads_to
            def served(self, before: Any) -> Any:
                return True, True

        Steps()


def test_a_parameter_of_a_property_has_values() -> None:
    with pytest.raises(EverystateError) as told:

        class Missing(Clients):
            @leads_to(d=range(2))
            def served(self, c: int) -> Any:
                return True, True

        Missing()
    assert told.value.code == "E114" and "@leads_to(c=range(3))" in told.value.remedy


def test_walks_do_not_judge_and_say_so_of_each_member() -> None:
    found = walk.walk(Clients(), 5, 5, 0)
    assert [warning.partition(" is ")[0] for warning in found.warnings] == [
        "served(c=0)",
        "served(c=1)",
        "some_are_free",
    ]


def test_a_condition_that_waits_for_nothing_holds_from_the_start() -> None:
    class Trivial(Clients):
        @eventually(c="clients")
        def begins(self, c: int) -> Any:
            return self.waits[c] == 0

    assert "begins(c=1)" in exhaustive.check(model.build(Trivial())).held
