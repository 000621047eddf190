"""Interchangeable values: orbits are counted as somebody else counts them, and who tells values apart is refused."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, Self

import pytest
import z3

from everystate.checker import (
    AnyOf,
    Array,
    Bool,
    Constant,
    Int,
    Interchangeable,
    Map,
    Option,
    Record,
    Seq,
    Set,
    Spec,
    action,
    choose,
    constraint,
    eventually,
    implies,
    initial,
    invariant,
    reachable,
    refines,
    require,
    step_invariant,
    view,
)
from everystate.checker.api.fingerprint import fingerprint
from everystate.checker.engines import symmetry
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.engines.symmetry import reduced
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.checker.language.symmetry import generators, moved_state, permutations
from everystate.checker.results.verdict import Verdict
from everystate.specs.classics.two_phase_symmetric import SymmetricTwoPhase
from tests.agreement import legality
from tests.plain import space

from .conftest import concrete, native


class Entry(Record):
    who: int
    what: int


class Nodes(Spec):
    """Nodes take a lock, wait in a queue and leave messages; each kind of value has some of them."""

    nodes = Constant(3)
    symmetric = Constant(True)
    may_terminate = True

    def variables(self) -> None:
        node = Interchangeable(self.nodes, "nodes") if self.symmetric else Int(0, self.nodes - 1)
        self.work = Map(node, Int(0, 2))
        self.owner = Option(node)
        self.seen = Set(node)
        self.queue = Seq(node, 2)
        self.last = Array(2, Option(Entry.of(who=node, what=Int(0, 1))))
        self.some = node

    @initial
    def anybody(self) -> None:
        self.some = choose(range(self.nodes))

    @action(n="nodes")
    def take(self, n: int) -> None:
        require(self.owner is None)
        require(self.work[n] < 2)
        self.owner = n
        self.work[n] += 1
        self.last[0] = Entry(who=n, what=0)

    @action(n="nodes")
    def wait(self, n: int) -> None:
        require(len(self.queue) < 2)
        require(none_waits(self, n))
        self.queue.append(n)

    @action
    def hand_over(self) -> None:
        require(self.owner is not None)
        self.seen.add(self.owner)  # type: ignore[arg-type]  # `require` has excluded None
        self.owner = self.queue.popleft() if self.queue else None
        if self.owner is not None:
            self.some = self.owner

    @invariant
    def few(self) -> bool:
        return sum(self.work.values()) <= self.nodes

    @step_invariant
    def never_less(self, before: Self) -> bool:
        return all(self.work[n] >= before.work[n] for n in range(self.nodes))

    @reachable
    def all_seen(self) -> bool:
        return len(self.seen) == self.nodes


def none_waits(spec: Nodes, n: int) -> Any:
    return n not in spec.queue


def orbits(spec: Spec) -> int:
    """The orbits of all states that plain Python reaches."""
    return len({min(moved_state(state, by).cells for by in permutations(spec)) for state in space(spec)})


def lengths(result: Any) -> list[tuple[str, Any, int | None]]:
    return [(v.property, v.kind, v.length) for v in result.violations]


def test_orbits_of_a_spec_with_every_kind_of_value() -> None:
    spec = Nodes(nodes=2)
    found, every = native(spec), native(Nodes(nodes=2, symmetric=False))
    assert found.distinct == orbits(spec) < every.distinct
    assert lengths(found) == lengths(every) != []
    assert found.depth == every.depth
    trace = found.violation("few").trace
    assert trace.length == 5 and trace.states == [trace.initial, *(step.state for step in trace.steps)]
    for before, step in zip(trace.states, trace.steps, strict=False):
        assert step.state in [s.state for s in spec.successors(before)]


@pytest.mark.parametrize(("managers", "alike", "every"), [(3, 80, (288, 1146)), (4, 166, None)])
def test_two_phase_commit(managers: int, alike: int, every: tuple[int, int] | None) -> None:
    """TLC counts 288 states of three managers; the 80 orbits were counted here, from all states of plain Python."""
    spec = SymmetricTwoPhase(managers=managers)
    result = native(spec)
    assert (result.verdict, result.distinct) == (Verdict.PROVED, alike)
    assert orbits(spec) == alike
    if every is not None:
        unreduced = native(SymmetricTwoPhase(managers=managers, symmetric=False))
        assert (unreduced.distinct, unreduced.generated, unreduced.depth) == (*every, result.depth)


def test_the_verdict_says_what_was_left_out_and_what_the_counts_mean() -> None:
    result = native(SymmetricTwoPhase())
    assert "hold in all 80 orbits of reachable states" in result.statement
    assert "(managers=3, symmetric=True, up to permutations of managers, exhaustive, exact states)" in result.statement
    said = "states that differ only by permutations of managers were explored once: counts are of such orbits"
    assert result.warnings == (said,)


def test_an_engine_that_does_not_ask_explores_every_state() -> None:
    result = concrete(SymmetricTwoPhase())
    assert result.distinct == 288 and "orbits" not in result.statement and not result.warnings


def test_workers_change_nothing() -> None:
    one, two = (native(Nodes(nodes=2), workers=n) for n in (1, 2))
    assert (one.distinct, one.generated, one.coverage) == (two.distinct, two.generated, two.coverage)


def test_guards_of_an_action_that_is_never_enabled_are_counted() -> None:
    class Idle(Nodes):
        @action(n="nodes")
        def never(self, n: int) -> None:
            require(self.work[n] > 2)

    [said] = [w for w in native(Idle(nodes=2)).warnings if w.startswith("action never was never enabled")]
    assert "require(self.work[n] > 2)" in said


def test_two_sets_are_permuted_by_themselves() -> None:
    class Pairs(Spec):
        may_terminate = True

        def variables(self) -> None:
            nodes, keys = Interchangeable(3, "nodes"), Interchangeable(2, "keys")
            self.has = Map(nodes, Set(keys))

        @action(n=range(3), k=range(2))
        def get(self, n: int, k: int) -> None:
            self.has[n].add(k)

    result = native(Pairs())
    # Three nodes with four subsets each: multisets of three of {}, {0}, {1}, {0, 1}, where the keys may be swapped.
    assert result.distinct == orbits(Pairs()) == 13
    assert "up to permutations of keys, permutations of nodes" in result.statement


def test_members_that_are_listed_stay_what_they_are() -> None:
    """It was refused: what a permutation makes of them was not known"""

    class Marked(Spec):
        may_terminate = True

        def variables(self) -> None:
            self.has = Map(Interchangeable(2, "nodes"), Set(["p", "q"]))
            self.all = Set([(0, "p"), (1, "q")])

        @action(n=range(2), mark=["p", "q"])
        def put(self, n: int, mark: str) -> None:
            self.has[n].add(mark)
            self.all.add((0 if mark == "p" else 1, mark))

    result = native(Marked())
    assert result.distinct == orbits(Marked()) == 10, "multisets of two of four subsets"
    assert result.verdict is Verdict.PROVED


def test_a_refinement_and_a_constraint_are_kept() -> None:
    class Counter(Spec):
        def variables(self) -> None:
            self.total = Int(0, 9)

        @action
        def up(self) -> None:
            self.total += 1

    class Counts(Nodes):
        @refines(Counter)
        def total(self) -> dict[str, Any]:
            return {"total": sum(self.work.values())}

        @constraint
        def little(self) -> bool:
            return len(self.seen) < 2

    found, every = native(Counts(nodes=2)), native(Counts(nodes=2, symmetric=False))
    assert lengths(found) == lengths(every)
    assert found.distinct < every.distinct


def test_what_is_compiled_is_legal() -> None:
    legality.check_model(reduced(model.build(Nodes(nodes=2))))


def test_a_kept_result_knows_of_it() -> None:
    one, other = (fingerprint(model.build(Nodes(nodes=2, symmetric=s)), True) for s in (True, False))
    assert one != other


# -- almost symmetric -------------------------------------------------------------------------------------


class Base(Spec):
    nodes = Constant(3)
    may_terminate = True

    def variables(self) -> None:
        node = Interchangeable(self.nodes, "nodes")
        self.work = Map(node, Int(0, 2))
        self.owner = Option(node)
        self.seen = Set(node)
        self.queue = Seq(node, 2)
        self.some = node
        self.plain = Array(3, Int(0, 1))
        self.n = Int(0, 3)
        self.listed = Set([0, 1, 2])

    @initial
    def anybody(self) -> None:
        self.some = choose(range(self.nodes))

    @action(n="nodes")
    def go(self, n: int) -> None:
        require(self.work[n] < 2)
        self.work[n] += 1


def one_is_named(self: Any) -> None:
    require(self.work[0] == 0)
    self.work[0] = 1


def one_is_assigned(self: Any) -> None:
    self.some = 1


def one_is_an_owner(self: Any) -> None:
    self.owner = 0


def one_is_added(self: Any) -> None:
    self.seen.add(2)


def one_is_queued(self: Any) -> None:
    require(len(self.queue) < 2)
    self.queue.append(0)


def compared_by_order(self: Any, n: int) -> None:
    require(n > self.some)
    self.work[n] = 2


def added_to_numbers(self: Any, n: int) -> None:
    require(self.owner == n)
    self.listed.add(n)


def counted_with(self: Any, n: int) -> None:
    require(self.owner == n)
    self.n = n


def added_up(self: Any) -> None:
    self.n = sum(i for i in range(3) if self.work[i] > 0)


def the_next_one(self: Any) -> None:
    self.some = (self.some + 1) % 3


def the_neighbour(self: Any, n: int) -> None:
    self.work[n] = self.work[(n + 1) % 3]


def the_first_that_works(self: Any) -> None:
    for i in range(3):
        if self.work[i] > 0:
            self.some = i
            return


def the_greatest(self: Any) -> None:
    self.some = max(self.some, 1)


def index_of_what_does_not_move(self: Any, n: int) -> None:
    self.plain[n] = min(self.work[n], 1)


def a_member_by_its_order(self: Any) -> None:
    for i in range(3):
        if i in self.seen:
            self.some = i
            return


def only_of_two(self: Any, n: int) -> None:
    self.work[n] = 2


def a_choice_of_two(self: Any) -> None:
    self.some = choose([0, 1])


def fails_for_one(self: Any, n: int) -> None:
    self.n = 0 // (n - 1) if self.work[n] > 0 else self.n


def asserts_of_one(self: Any) -> None:
    assert self.some != 2


def overflows_for_one(self: Any, n: int) -> None:
    self.work[n] += 1 + n // 2


def two_are_swapped(self: Any) -> None:
    self.work[0], self.work[1] = self.work[1], self.work[0]


def those_before_count(self: Any) -> None:
    self.n = sum(self.work[i] > 0 for i in range(2))


def parity(self: Any, n: int) -> None:
    require(n % 2 == 0)
    self.seen.add(n)


def queue_is_sorted(self: Any) -> None:
    require(len(self.queue) == 2)
    require(self.queue[0] < self.queue[1])
    self.queue.clear()


def true_of_one(self: Any) -> bool:
    return self.work[1] < 2


def true_of_the_owner(self: Any) -> bool:
    return self.owner != 1


def weighed(self: Any) -> bool:
    return self.work[0] + 2 * self.work[1] + 3 * self.work[2] < 11


def monotone(self: Any) -> bool:
    return all(self.work[i] >= self.work[i + 1] for i in range(2))


def only_where_one_is(self: Any) -> bool:
    return implies(self.some == 0, self.n == 0)


def cannot_be_evaluated_for_one(self: Any) -> bool:
    return 6 // (self.some - 2) != 0


def reached_by_one(self: Any) -> bool:
    return self.owner == 2


def bounded_for_one(self: Any) -> bool:
    return self.work[2] < 2


def a_step_of_one(self: Any, before: Any) -> bool:
    return self.work[0] >= before.work[0]


def steps_upwards(self: Any, before: Any) -> bool:
    return self.some >= before.some


def begins_with_one(self: Any) -> None:
    require(self.some == 0)


def begins_without_one(self: Any) -> None:
    require(self.some != 2)


def begins_with_work(self: Any) -> None:
    self.work[0] = 1


def each(mark: Callable[..., Any], *functions: Any, **ranges: Any) -> dict[str, type[Spec]]:
    """Specs that are symmetric but for one method."""
    decorate = mark(**ranges) if ranges else mark

    def made(function: Any) -> type[Spec]:
        copy = types.FunctionType(function.__code__, function.__globals__, function.__name__, None, None)
        copy.__qualname__ = function.__name__
        return types.new_class(
            function.__name__, (Base,), {}, lambda body: body.update({copy.__name__: decorate(copy)})
        )

    return {function.__name__: made(function) for function in functions}


HOSTILE = {
    **each(action, one_is_named, one_is_assigned, one_is_an_owner, one_is_added, one_is_queued, added_up, the_next_one),
    **each(action, the_first_that_works, the_greatest, a_member_by_its_order, a_choice_of_two, asserts_of_one),
    **each(action, queue_is_sorted, two_are_swapped, those_before_count),
    **each(
        action,
        compared_by_order,
        counted_with,
        added_to_numbers,
        the_neighbour,
        index_of_what_does_not_move,
        n=range(3),
    ),
    **each(action, fails_for_one, overflows_for_one, parity, n=range(3)),
    **each(action, only_of_two, n=range(2)),
    **each(invariant, true_of_one, true_of_the_owner, weighed, monotone, only_where_one_is),
    **each(invariant, cannot_be_evaluated_for_one),
    **each(reachable, reached_by_one),
    **each(constraint, bounded_for_one),
    **each(step_invariant, a_step_of_one, steps_upwards),
    **each(initial, begins_with_one, begins_without_one, begins_with_work),
}


def test_there_are_many_ways_to_be_almost_symmetric() -> None:
    assert len(HOSTILE) == 37
    assert reduced(model.build(Base())).view


@pytest.mark.parametrize("name", HOSTILE)
def test_who_tells_values_apart_is_refused(name: str) -> None:
    with pytest.raises(EverystateError, match="E139") as found:
        reduced(model.build(HOSTILE[name]()))
    assert f"{name} distinguishes the values of nodes, or may do so: " in found.value.what
    if not name.startswith("begins"):
        assert name in found.value.what.partition("may do so: ")[2]


@pytest.mark.parametrize("name", ["one_is_named", "compared_by_order", "true_of_one", "fails_for_one", "only_of_two"])
def test_a_wrong_proof_is_noticed_in_plain_python(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symmetry._Proof, "run", lambda self: None)
    with pytest.raises(EverystateError, match="E217") as found:
        exhaustive.check(reduced_without_proof(HOSTILE[name]()))
    assert name in found.value.what or "go" in found.value.what


def reduced_without_proof(spec: Spec) -> Any:
    return model.build(spec)


def test_a_wrong_key_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def first(traced: Any) -> Any:
        return symmetry._packed(traced, symmetry._state(traced))[:1] and [traced.pool.const(0)]

    monkeypatch.setattr(symmetry, "_key", first)
    with pytest.raises(EverystateError, match="E217"):
        native(SymmetricTwoPhase())


# -- what cannot be together ------------------------------------------------------------------------------


def refusal(cls: type[Spec], **constants: Any) -> str:
    with pytest.raises(EverystateError, match="E139") as found:
        reduced(model.build(cls(**constants)))
    return found.value.what.partition("may do so: ")[2]


def test_liveness_and_views_are_refused() -> None:
    class Live(Base):
        @eventually
        def works(self) -> bool:
            return any(work > 0 for work in self.work.values())

    class Viewed(Base):
        @view
        def seen_only(self) -> Any:
            return self.n

    assert refusal(Live) == "works is a temporal property, which needs every state"
    assert refusal(Viewed) == "seen_only is a view, which needs every state"


def test_too_many_permutations_and_two_sizes_of_one_set_are_refused() -> None:
    class Many(Spec):
        def variables(self) -> None:
            self.a = Set(Interchangeable(20, "nodes"))

        @action
        def stay(self) -> None:
            pass

    class Sizes(Spec):
        def variables(self) -> None:
            self.a = Interchangeable(2, "nodes", init=AnyOf())
            self.b = Interchangeable(3, "nodes", init=AnyOf())

        @action
        def stay(self) -> None:
            pass

    assert (
        refusal(SymmetricTwoPhase, managers=6) == "there are 720 permutations, and 120 are the most that are explored"
    )
    assert refusal(Many).startswith("there are 2,432,902,008,176,640,000 permutations, ")
    assert refusal(Sizes) == "nodes has 2 values in one place and 3 in another"


def test_permutations_are_a_group_on_states() -> None:
    """What the generators make of a state, again and again, is what all permutations make of it."""
    spec = Base()
    state = spec.initial_states()[1]
    for _ in range(3):
        state = spec.successors(state)[-1].state
    made, todo = {state}, [state]
    while todo:
        here = todo.pop()
        fresh = {moved_state(here, by) for by in generators(spec)} - made
        made |= fresh
        todo += fresh
    assert made == {moved_state(state, by) for by in permutations(spec)}
    least = {symmetry.Orbits(spec).least(other) for other in made}
    assert least == {min(other.cells for other in made)}


class Ordered(Spec):
    """Who may start depends on the order of the nodes."""

    nodes = Constant(3)

    def variables(self) -> None:
        nodes = Interchangeable(self.nodes, "nodes")
        self.up = Map(nodes, Bool())

    @action(n="nodes")
    def start(self, n: int) -> None:
        require(n == 0 or self.up[n - 1])
        self.up[n] = True


def test_what_is_told_does_not_depend_on_what_the_process_has_asked_before() -> None:
    told = set()
    for number in range(20):
        solver = z3.Solver()
        solver.add(*(z3.Bool(f"b{number}_{i}") == (z3.BitVec("c0_0", 64) > i) for i in range(number * 7)))
        solver.check()
        told.add(refusal(Ordered))
    assert len(told) == 1
