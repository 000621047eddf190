"""Temporal properties: what holds on every fair behaviour, and the lasso where it does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everystate.checker import (
    Array,
    Bool,
    Int,
    Spec,
    action,
    constraint,
    eventually,
    fair,
    leads_to,
    require,
    strongly_fair,
    view,
)
from everystate.checker.api import cache
from everystate.checker.api.fingerprint import fingerprint
from everystate.checker.backends.native import graph_code
from everystate.checker.engines.explicit import exhaustive, python
from everystate.checker.engines.limits import Limits
from everystate.checker.engines.sampling import walk
from everystate.checker.engines.temporal.assumptions import assumed
from everystate.checker.engines.temporal.fairness import Search, Sought, fair_components
from everystate.checker.engines.temporal.graph import Graph, of_edges
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.checker.language.fairness import Disjunction
from everystate.checker.results.itf import dump, parse
from everystate.checker.results.result import Result
from everystate.checker.results.text import render
from everystate.checker.results.verdict import ExitCode, Kind, Verdict
from everystate.specs.classics.alternating_bit import AlternatingBit
from everystate.specs.classics.token_ring import TokenRing

Engine = Callable[[Spec], Result]


def native(spec: Spec) -> Result:
    return exhaustive.check(model.build(spec))


def two_workers(spec: Spec) -> Result:
    return exhaustive.check(model.build(spec), Limits(workers=2))


@pytest.fixture(params=[native, two_workers, python.check], ids=["native", "two workers", "python"])
def check(request: pytest.FixtureRequest) -> Engine:
    engine: Engine = request.param
    return engine


def shape(result: Result) -> list[tuple[str, int | None, int | None, str]]:
    """Of each violation: its name, steps, the state to which it comes back, by which step."""
    return [(v.property, v.length, v.trace.loop, v.trace.closing) for v in result.violations if v.trace]


class Counter(Spec):
    """Counts up to 3, if it is not forgotten."""

    may_terminate = True

    def variables(self) -> None:
        self.n = Int(0, 3)

    @action
    def step(self) -> None:
        require(self.n < 3)
        self.n += 1

    @eventually
    def done(self) -> bool:
        """n is 3 in the end"""
        return self.n == 3


class FairCounter(Counter):
    @fair
    @action
    def step(self) -> None:
        require(self.n < 3)
        self.n += 1


def test_without_fairness_nothing_needs_to_happen(check: Engine) -> None:
    found = check(Counter())
    assert (found.verdict, found.exit_code) == (Verdict.VIOLATED, ExitCode.LIVENESS)
    assert shape(found) == [("done", 0, 0, "")]
    assert found.violations[0].kind is Kind.TEMPORAL and found.violations[0].states == 3


def test_a_fair_action_is_taken_some_time(check: Engine) -> None:
    found = check(FairCounter())
    assert found.verdict is Verdict.PROVED and found.held == ("done",)
    assert found.statement == (
        "PROVED  done holds on every fair behaviour; no action fails in all 4 reachable states "
        "(exhaustive, exact states)"
    )


class Toggle(Spec):
    """A lamp that goes on and off, and a door that opens only while it is on."""

    def variables(self) -> None:
        self.on = Bool()
        self.open = Bool()

    @fair
    @action
    def switch(self) -> None:
        self.on = not self.on

    @fair
    @action
    def enter(self) -> None:
        require(self.on)
        require(not self.open)
        self.open = True

    @leads_to
    def light_lets_in(self) -> tuple[bool, bool]:
        """when the lamp is on, the door opens some time"""
        return self.on, self.open


class Lucky(Toggle):
    @strongly_fair
    @action
    def enter(self) -> None:
        require(self.on)
        require(not self.open)
        self.open = True


def test_weak_fairness_is_not_enough_for_what_is_enabled_now_and_then(check: Engine) -> None:
    found = check(Toggle())
    assert shape(found) == [("light_lets_in", 3, 1, "switch()")]
    assert check(Lucky()).verdict is Verdict.PROVED


def test_the_text_says_where_it_waits_and_how_it_goes_on() -> None:
    trace = native(Toggle()).violations[0].trace
    assert trace is not None
    assert render(trace) == (
        "Temporal property light_lets_in violated by a trace of 3 steps. Expected: when the lamp is on, the\n"
        "door opens some time\n"
        "Toggle\n"
        "\n"
        "  0. initial state\n"
        "      on   = False\n"
        "      open = False\n"
        "  1. switch()\n"
        "      on: False -> True\n"
        "  2. switch()\n"
        "      on: True -> False\n"
        "  3. switch()\n"
        "      back to state 1, and so on for ever\n"
        "\n"
        "light_lets_in stays false, and the behaviour is fair:\n"
        "  since = state 1\n"
    )
    quiet = native(Counter()).violations[0].trace
    assert quiet is not None and "and from here on nothing happens any more" in render(quiet)


def test_a_lasso_survives_its_file() -> None:
    spec = Toggle()
    trace = native(spec).violations[0].trace
    assert trace is not None
    again = parse(dump(trace), "x").trace(spec)
    assert (again.loop, again.closing, dump(again)) == (1, "switch()", dump(trace))


class Philosophers(Spec):
    """Each takes one fork, then the other, eats, and lays both down; the first begins on the other side."""

    def variables(self) -> None:
        self.phase = Array(3, Int(0, 2))
        self.taken = Array(3, Bool())

    def forks(self, i: int) -> tuple[int, int]:
        return (1, 0) if i == 0 else (i, (i + 1) % 3)

    def takes(self, i: int) -> None:
        require(self.phase[i] < 2)
        fork = self.forks(i)[0] if self.phase[i] == 0 else self.forks(i)[1]
        require(not self.taken[fork])
        self.taken[fork] = True
        self.phase[i] += 1

    @strongly_fair
    @action(i=range(3))
    def take(self, i: int) -> None:
        self.takes(i)

    @fair
    @action(i=range(3))
    def leave(self, i: int) -> None:
        require(self.phase[i] == 2)
        self.phase[i] = 0
        for fork in self.forks(i):
            self.taken[fork] = False

    @leads_to
    def nobody_starves(self) -> tuple[bool, bool]:
        return True, self.phase[1] == 2


class Hungry(Philosophers):
    @fair
    @action(i=range(3))
    def take(self, i: int) -> None:
        self.takes(i)


def test_fairness_is_for_each_instance(check: Engine) -> None:
    assert check(Philosophers()).verdict is Verdict.PROVED
    found = check(Hungry())
    assert [v.property for v in found.violations] == ["nobody_starves"]
    trace = found.violations[0].trace
    assert trace is not None and trace.loop is not None
    cycle = [*(step.label for step in trace.steps[trace.loop :]), trace.closing]
    assert all(state["phase"][1] != 2 for state in (s.values() for s in trace.states))
    assert {"leave(i=0)", "leave(i=2)"} & set(cycle)


def test_engines_find_the_same_lasso() -> None:
    results = [engine(Hungry()) for engine in (native, two_workers, python.check)]
    one, two, three = ([dump(v.trace) for v in found.violations if v.trace] for found in results)
    assert one == two == three != []


def test_dijkstras_ring_stabilises() -> None:
    found = native(TokenRing(nodes=4, values=3))
    assert found.verdict is Verdict.PROVED and "one_token_in_the_end" in found.held


def test_alternating_bits_get_across_fair_lines() -> None:
    found = native(AlternatingBit(data=1))
    assert found.verdict is Verdict.PROVED and "data_get_across" in found.held


class Edge(FairCounter):
    """A fair action that only leads beyond the edge of a constraint."""

    @constraint
    def below(self) -> bool:
        return self.n < 2

    @eventually
    def two(self) -> bool:
        return self.n == 2


def test_beyond_a_constraint_nothing_is_said_but_nobody_waits_at_its_edge(check: Engine) -> None:
    found = check(Edge())
    assert not found.violations and found.verdict is Verdict.UNDECIDED
    assert found.warnings[0] == "State constraint below pruned 1 successor; states beyond it were not explored"


def test_other_engines_say_that_they_do_not_judge() -> None:
    found = walk.walk(Counter(), 5, 5, 0)
    assert found.verdict is Verdict.SAMPLED and "done" not in found.checked
    assert found.warnings[-1] == "done is a temporal property: only `check` in one process judges it"
    assert found.statement.endswith("nothing is proved; done is not judged")
    stopped = exhaustive.check(model.build(Counter()), Limits(max_states=1))
    assert stopped.verdict is Verdict.UNDECIDED and not stopped.violations


class Viewed(Counter):
    @view
    def parity(self) -> int:
        return self.n % 2


def test_a_view_and_a_temporal_property_exclude_each_other() -> None:
    with pytest.raises(EverystateError, match="Viewed has the temporal property done and a view"):
        Viewed()


# -- against other algorithms ----------------------------------------------------------------------------------

EDGES = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(0, 2)), max_size=24)


def graph_of(edges: Any, size: int, fair: list[Disjunction]) -> Graph:
    edges = np.array(sorted(edges), np.int64).reshape(-1, 3)
    enabled = np.zeros((len(fair) // 64 + 1, size), np.uint64)
    for number, one in enumerate(fair):
        able = edges[np.isin(edges[:, 2], one.instances), 0]
        enabled[number // 64, able] |= np.uint64(1 << number % 64)
    states, level = np.arange(size, dtype=np.uint64).reshape(-1, 1), np.ones(size, np.int32)
    return of_edges(states, level, (edges[:, 0], edges[:, 1], edges[:, 2]), enabled, (len(edges), 0))


def anywhere(graph: Graph) -> Sought:
    everything = np.ones(graph.size, bool)
    return Sought(everything, everything)


@settings(max_examples=300)
@given(EDGES, st.sampled_from([1, 3, 1 << 20]))
def test_components_are_those_of_networkx(edges: list[tuple[int, int, int]], moves: int) -> None:
    """Also where the search is interrupted after each move to report how far it is."""
    graph = graph_of(set(edges), 8, [])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graph_code, "MOVES", moves)
        search = Search(graph, assumed([], 3))
        search.begin(anywhere(graph))
        found = search.components(lambda *_: None)
    real = nx.DiGraph([edge[:2] for edge in edges])
    real.add_nodes_from(range(8))
    parts = {frozenset(np.flatnonzero(found.here == label).tolist()) for label in set(found.here.tolist())}
    assert parts == {frozenset(part) for part in nx.strongly_connected_components(real)}
    assert all(found.here[target] <= found.here[source] for source, target, _ in edges)


def stays(edges: set[tuple[int, int, int]], kinds: dict[int, str]) -> set[int]:
    """The nodes of all sets on which a fair behaviour may stay, one set after the other."""
    found: set[int] = set()
    able = {a: {s for s, _, b in edges if b == a} for a in kinds}
    for bits in range(1, 1 << 6):
        chosen = {n for n in range(6) if bits >> n & 1}
        inner = {e for e in edges if {e[0], e[1]} <= chosen}
        graph = nx.DiGraph([e[:2] for e in inner])
        graph.add_nodes_from(chosen)
        if not nx.is_strongly_connected(graph):
            continue
        taken = {a for _, _, a in inner}
        weak = all(a in taken or chosen - able[a] for a, kind in kinds.items() if kind == "weak")
        strong = all(a in taken or not chosen & able[a] for a, kind in kinds.items() if kind == "strong")
        found |= chosen if weak and strong else set()
    return found


SMALL = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 2)), max_size=14)
KINDS = st.dictionaries(st.integers(0, 2), st.sampled_from(["weak", "strong"]), max_size=3)


@settings(max_examples=300)
@given(SMALL, KINDS, st.sampled_from([0, 62, 63, 64, 130]))
def test_fair_components_are_those_of_a_search_through_all_sets(
    edges: list[tuple[int, int, int]], kinds: dict[int, str], others: int
) -> None:
    """Also where there are many assumptions, of actions that are never enabled: masks have several words then."""
    whole = set(edges)
    fair = [Disjunction("weak", (3,))] * others + [Disjunction(kind, (a,)) for a, kind in kinds.items()]
    graph = graph_of(whole, 6, fair)
    _, labels = fair_components(Search(graph, assumed(fair, 4)), anywhere(graph))
    assert set([] if labels is None else np.flatnonzero(labels >= 0).tolist()) == stays(whole, kinds)


def test_a_kept_result_has_the_same_lasso(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path))
    traced = model.build(Toggle())
    key, found = fingerprint(traced, True), exhaustive.check(traced)
    cache.keep(key, found)
    again, remark = cache.recall(key, traced, found.target)
    assert again is not None and not remark
    assert again.violations == found.violations and again.statement == found.statement
    assert fingerprint(model.build(Lucky()), True) != key
