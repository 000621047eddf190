"""Proofs end at their limits, whatever they do at that moment, and keep the verdict that they have."""

from __future__ import annotations

import signal

import pytest

pytest.importorskip("z3", reason="z3 is not installed")
pytest.importorskip("pysat", reason="python-sat is not installed")

from everystate.checker import AnyOf, Array, Bool, Map, Spec, action, initial, invariant, require
from everystate.checker.backends.native.initial_states import InitialStates
from everystate.checker.backends.smt import Clock, Memory, Stopped
from everystate.checker.backends.smt.sat import Sat
from everystate.checker.engines.symbolic.attempt import GivenUp, Proof
from everystate.checker.engines.symbolic.decide import decide
from everystate.checker.engines.symbolic.search import Question
from everystate.checker.frontend import model
from everystate.checker.ir import initial_prefixes
from everystate.checker.results.verdict import ExitCode, Verdict
from everystate.specs.classics.token_ring import TokenRing


def pigeons(holes: int) -> list[list[int]]:
    """One pigeon more than holes: no solution, and no short proof of it."""
    at = [[1 + pigeon * holes + hole for hole in range(holes)] for pigeon in range(holes + 1)]
    apart = [[-a[hole], -b[hole]] for a in at for b in at if a < b for hole in range(holes)]
    return at + apart


def test_a_long_query_of_the_sat_solver_ends_at_a_limit_and_on_an_interrupt() -> None:
    with pytest.raises(Stopped, match=r"the time limit of 0.01 s is reached"):
        Sat(pigeons(14), Clock(0.01).left).solve()
    with pytest.raises(KeyboardInterrupt):
        Sat(pigeons(14), lambda: signal.raise_signal(signal.SIGINT)).solve()


def test_the_memory_limit_is_that_of_the_process() -> None:
    with pytest.raises(Stopped, match="the memory limit of 1 MiB is reached"):
        Clock(None, Memory(1 << 20, "1 MiB")).left()


class Owners(Spec):
    """One of eight owners, or none, for each of four keys: 6,561 of 4,294,967,296 combinations."""

    free = False
    may_terminate = True

    def variables(self) -> None:
        self.owner = Map([(n, k) for n in range(8) for k in range(4)], Bool(), init=AnyOf())

    @initial
    def one_owner(self) -> None:
        require(self.free or all(sum(self.owner[n, k] for n in range(8)) <= 1 for k in range(4)))

    @action(k=range(4))
    def leave(self, k: int) -> None:
        require(any(self.owner[n, k] for n in range(8)))
        for n in range(8):
            self.owner[n, k] = False

    @invariant
    def one(self) -> bool:
        return self.free or all(sum(self.owner[n, k] for n in range(8)) <= 1 for k in range(4))


class Anything(Owners):
    """All of them: a search that begins with each would never end."""

    free = True


def test_initial_values_are_refused_before_all_of_them_are_known() -> None:
    assert len(InitialStates(model.build(Owners())).rows()) == 9**4


def test_a_part_of_the_variables_is_refused_as_all_of_them_are(monkeypatch: pytest.MonkeyPatch) -> None:
    class Mixed(Spec):
        may_terminate = True

        def variables(self) -> None:
            self.at = Array(4, Bool(), init=AnyOf())
            self.left = Bool(init=AnyOf())
            self.right = Bool(init=AnyOf())

        @initial
        def some(self) -> None:
            require(self.left or sum(self.at) * 2 > 3)
            if self.right:
                require(self.at[0] != self.at[3])
                self.at[1] = False

        @initial
        def more(self) -> None:
            require(not self.at[2])

        @action
        def nothing(self) -> None:
            require(self.left)

    traced = model.build(Mixed())
    wanted = InitialStates(traced).rows().tolist()
    monkeypatch.setattr(initial_prefixes, "MANY", 0)
    monkeypatch.setattr(initial_prefixes, "REST", 1)
    assert InitialStates(traced).rows().tolist() == wanted and len(wanted) > 10


def test_a_proof_needs_not_all_initial_values() -> None:
    found = decide(model.build(Anything()), Question(0, seconds=60, cross_check=5)).result
    assert found.verdict is Verdict.PROVED


@pytest.mark.parametrize("end", [GivenUp, Stopped, KeyboardInterrupt])
def test_all_states_explored_without_a_violation_are_a_proof(
    end: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(self: Proof) -> None:
        raise end("too late")

    monkeypatch.setattr(Proof, "run", run)
    found = decide(model.build(TokenRing()), Question(0, cross_check=5))
    assert found.invariant is None and found.result.verdict is Verdict.PROVED
    assert found.result.how == "all 46,656 reachable states explored"
    assert found.result.held == ("never_without_a_token", "tokens_never_multiply", "one_token_in_the_end")


def test_a_limit_that_was_reached_before_anything_is_known() -> None:
    found = decide(model.build(Anything()), Question(0, seconds=0.001)).result
    assert (found.verdict, found.exit_code) == (Verdict.UNDECIDED, ExitCode.UNDECIDED)
    assert str(found.statement).startswith("UNDECIDED  the time limit of 0.001 s is reached: nothing is known")
