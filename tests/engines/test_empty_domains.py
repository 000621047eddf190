"""Sets, maps and arrays without a possible member: a spec with no nodes is one like any other."""

from __future__ import annotations

import enum
from typing import Any

import pytest

from everystate.checker import (
    Array,
    Bool,
    Constant,
    Enum,
    Int,
    Map,
    Option,
    Set,
    Spec,
    action,
    choose,
    implies,
    invariant,
    require,
    subsets,
)
from everystate.checker.engines.explicit import exhaustive, python
from everystate.checker.engines.sampling.walk import walk
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.checker.language.concrete import successors
from everystate.checker.results.itf import dump, parse
from everystate.checker.results.trace import Trace, TraceStep
from everystate.checker.results.verdict import Verdict


class Nodes(Spec):
    """Nodes that vote; there may be none."""

    n = Constant(0)
    alone = Constant(False, "there is no variable but those of the nodes")

    def variables(self) -> None:
        if not self.alone:
            self.done = Bool()
        self.up = Set(range(self.n))
        self.labels = Set([f"n{i}" for i in range(self.n)])
        self.votes = Map(range(self.n), Int(0, 1))
        self.peers = Map([f"n{i}" for i in range(self.n)], Set(range(self.n)))
        self.seen = Array(self.n, Int(0, 1))

    @action(i=lambda self: range(self.n))
    def vote(self, i: int) -> None:
        self.votes[i] = 1
        self.seen[i] = 1
        self.up.add(i)

    @action
    def leave(self) -> None:
        self.up.remove(choose(self.up))

    @action
    def any_of_them(self) -> None:
        self.up = choose(subsets(range(self.n)))

    @action
    def finish(self) -> None:
        require(all(self.votes[i] == 1 for i in range(self.n)))
        if not self.alone:
            self.done = True

    @invariant
    def counted(self) -> bool:
        return len(self.up) <= self.n and sum(self.seen) + sum(self.votes.values()) <= 2 * self.n

    @invariant
    def complete(self) -> bool:
        return self.alone or implies(self.done, all(seen == 1 for seen in self.seen))


@pytest.mark.parametrize(
    ("constants", "states", "generated"),
    [({}, 2, 5), ({"alone": True}, 1, 3), ({"n": 1}, 6, 26), ({"n": 2}, 20, 149)],
)
def test_every_engine_counts_the_same(constants: dict[str, Any], states: int, generated: int) -> None:
    spec = Nodes(**constants)
    for found in (exhaustive.check(model.build(spec)), python.check(spec)):
        assert (found.verdict, found.distinct, found.generated) == (Verdict.PROVED, states, generated)
    assert walk(spec, 5, 20, 0).verdict is Verdict.SAMPLED


def test_z3_proves_a_spec_without_nodes() -> None:
    pytest.importorskip("z3", reason="z3 is not installed")
    from everystate.checker.engines.symbolic import bounded, decide
    from everystate.checker.engines.symbolic.search import Question

    assert decide.decide(model.build(Nodes()), Question(4)).result.verdict is Verdict.PROVED
    assert bounded.check(model.build(Nodes()), Question(4)).verdict is Verdict.BOUNDED


def test_a_trace_of_it_is_stored_and_read_again() -> None:
    spec = Nodes()
    initial = spec.initial_states()[0]
    (step,) = [step for step in successors(spec, initial) if step.action.name == "finish"]
    trace = Trace("nodes.py", spec.constants, initial, (TraceStep("finish", {}, (), "finish()", step.state),))
    assert parse(dump(trace), "t.itf.json").trace(spec) == trace
    assert str(initial) == "done = False\nup = {}\nlabels = {}\nvotes = {}\npeers = {}\nseen = []"


class Colour(Spec):
    given: Any = None

    def variables(self) -> None:
        self.some = self.given()

    @action
    def stay(self) -> None:
        self.some = self.some


def test_members_that_cannot_be_told_apart_are_named() -> None:
    Node = enum.Enum("Node", "n1")
    for given, told in (
        (lambda: Set([Node.n1, "n1"]), "malformed domain Set: Node.n1 and 'n1' are both shown as n1"),
        (lambda: Set([1, True]), "malformed domain Set: 1 and True are equal in Python"),
        (lambda: Map(["1", 1], Bool()), "malformed domain Map: '1' and 1 are both shown as 1"),
        (lambda: Option(Enum("None", "x")), "malformed domain Option: None and 'None' are both shown as None"),
    ):
        with pytest.raises(EverystateError) as found:
            type("Bad", (Colour,), {"given": staticmethod(given)})()
        assert found.value.what == told
