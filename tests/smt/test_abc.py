"""ABC beside IC3: circuits have the steps of the interpreter, and no answer of ABC is trusted."""

from __future__ import annotations

import importlib
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

pytest.importorskip("z3", reason="z3 is not installed")

from everystate.checker import Array, Bool, Constant, Int, Map, Spec, action, initial, invariant, require
from everystate.checker.backends.aig import Unsupported
from everystate.checker.backends.smt import Stopped, limits
from everystate.checker.engines.symbolic import abc, attempt
from everystate.checker.engines.symbolic.attempt import Help
from everystate.checker.engines.symbolic.decide import decide
from everystate.checker.engines.symbolic.guesses import Guesses
from everystate.checker.engines.symbolic.ic3 import Ic3
from everystate.checker.engines.symbolic.search import Question
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import explorer, model
from everystate.checker.language.domains import AnyOf
from everystate.checker.results.result import Result
from everystate.checker.results.verdict import Verdict
from everystate.specs.classics.two_phase import TwoPhase
from everystate.specs.idem_producer import IdempotentProducer
from tests.agreement.readers import MAX_PATHS, load
from tests.agreement.test_random_specs import sources

from . import circuits
from .test_agreement import ROWS
from .test_decide import compared

FEW = Help(states=1, wrong=0, lemmas=False)
needs_abc = pytest.mark.skipif(not any(map(shutil.which, abc.PROGRAMS)), reason="ABC is not installed")


# -- circuits ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ROWS)
def test_the_circuits_of_the_classics_have_every_successor(target: str) -> None:
    module, cls = target.split(":")
    spec = getattr(importlib.import_module(module), cls)(**ROWS[target].get("constants", {}))
    assert circuits.compare(model.build(spec), 6) > 0


@pytest.mark.parametrize("wide", [False, True], ids=["small", "wide"])
def test_the_circuits_of_random_specs_have_every_successor(
    wide: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explorer, "MAX_PATHS", MAX_PATHS)
    counted = {"specs": 0, "successors": 0}

    @settings(max_examples=20, database=None, suppress_health_check=list(HealthCheck), phases=(Phase.generate,))
    @given(sources(wide))
    def check(source: str) -> None:
        try:
            counted["successors"] += circuits.compare(model.build(load(source, tmp_path)), 4)
            counted["specs"] += 1
        except (EverystateError, Unsupported):
            return

    check()
    assert counted["specs"] > 8 and counted["successors"] > 20


class Begins(Spec):
    """Several initial states; a method excludes some."""

    may_terminate = True

    def variables(self) -> None:
        self.at = Int(0, 5, init=AnyOf())
        self.who = Map(["a", "b"], Bool(), init=AnyOf())

    @initial
    def somebody(self) -> None:
        require(any(self.who[name] for name in ("a", "b")))

    @action
    def up(self) -> None:
        require(self.at < 5)
        self.at += 1


def test_a_circuit_begins_in_the_initial_states() -> None:
    assert circuits.beginnings(model.build(Begins())) == circuits.initials(model.build(Begins()))
    assert len(circuits.initials(model.build(Begins()))) == 18
    peer = model.build(IdempotentProducer(batches=3, max_in_flight=3, window=2))
    assert circuits.beginnings(peer) == circuits.initials(peer)


# -- answers -----------------------------------------------------------------------------------------------


class Locks(Spec):
    """Tokens that travel; at most one is there, or with `bug` as many as wanted."""

    bug = Constant(0)
    may_terminate = True

    def variables(self) -> None:
        self.has = Array(6, Bool(), init=[True, *[False] * 5])
        self.rounds = Int(0, 3)

    @action(a=range(6), b=range(6))
    def send(self, a: int, b: int) -> None:
        require(self.has[a])
        self.has[b] = True
        self.has[a] = self.bug == 1 and self.rounds == 3
        self.rounds = (self.rounds + 1) % 4

    @invariant
    def one(self) -> bool:
        return sum(self.has) <= 1


LATCHES = [f"lo{i}" for i in range(9)]
"""Six places of the token, the first of them inverted, and three bounds of the number of rounds."""
PAIRS = ["".join("1" if i in (a, b) else "-" for i in range(6)) + "--- 1" for a in range(1, 6) for b in range(1, a)]
PAIRS += ["".join("0" if i == 0 else "1" if i == a else "-" for i in range(6)) + "--- 1" for a in range(1, 6)]


def pla(rows: list[str], names: list[str] = LATCHES) -> str:
    return "\n".join([f".i {len(names)}", ".o 1", f".ilb {' '.join(names)}", ".ob inv", *rows, ".e", ""])


LIES = {
    "nothing": "",
    "an empty file": "printf '' > invariant.pla",
    "bytes": "head -c 500 /dev/urandom > invariant.pla; head -c 500 /dev/urandom > trace.cex",
    "everything is safe": f"cat > invariant.pla <<'END'\n{pla([])}END",
    "nothing is reachable": f"cat > invariant.pla <<'END'\n{pla(['--------- 1'])}END",
    "the initial state is not reachable": f"cat > invariant.pla <<'END'\n{pla(['000000000 1'])}END",
    "a part of an invariant": f"cat > invariant.pla <<'END'\n{pla(PAIRS[1:])}END",
    "latches that there are not": f"cat > invariant.pla <<'END'\n{pla(['-1 1'], ['lo3', 'lo77'])}END",
    "short rows": f"cat > invariant.pla <<'END'\n{pla(['-1 1'])}END",
    "other letters": f"cat > invariant.pla <<'END'\n{pla(['abcdefghi 1'])}END",
    "a violation at once": "printf '000000000\n000000\n# DONE' > trace.cex",
    "a violation after pauses": "printf '000000000\n111111\n111111\n111111\n# DONE' > trace.cex",
    "a trace with too few inputs": "printf '000000000\n0\n# DONE' > trace.cex",
    "another initial state": "printf '111111111\n000000\n# DONE' > trace.cex",
    "a signal": "kill -9 $$",
}


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Answers are awaited where ABC begins; the names of what was confirmed."""
    confirmed: list[str] = []
    begin = attempt.Proof._call

    def call(proof: attempt.Proof) -> None:
        begin(proof)
        while proof.abc.working:
            time.sleep(0.01)
        try:
            proof._hear()
        except attempt._Found:
            confirmed.append("an invariant")
            raise
        if proof.chain:
            confirmed.append("a trace")

    monkeypatch.setattr(attempt.Proof, "_call", call)
    monkeypatch.setattr(Guesses, "run", lambda *given: False)
    return confirmed


def say(script: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a script in the place of ABC."""
    file = folder / abc.PROGRAMS[0]
    file.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    file.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def decided(bug: int) -> Result:
    return decide(model.build(Locks(bug=bug)), Question(0, cross_check=0), help=FEW).result


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("bug", [0, 1], ids=["safe", "violated"])
def test_no_answer_of_abc_changes_a_verdict(
    lie: str, bug: int, heard: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(LIES[lie], tmp_path, monkeypatch)
    found = decided(bug)
    assert (found.verdict, [v.length for v in found.violations]) == [(Verdict.PROVED, []), (Verdict.VIOLATED, [4])][bug]
    assert not heard and "ABC" not in found.how


def test_an_invariant_by_somebody_else_is_confirmed_and_said_to_be_theirs(
    heard: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """one cube too many, of a reachable state, is left out"""
    say(f"cat > invariant.pla <<'END'\n{pla([*PAIRS, '110000--- 1'])}END", tmp_path, monkeypatch)
    found = decided(0)
    assert heard == ["an invariant"] and found.verdict is Verdict.PROVED
    assert found.how == "an invariant of 15 clauses, found by ABC, confirmed by z3"
    assert found.details["proof"]["found_by"] == "ABC"


def test_a_program_that_never_ends_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[abc.Process] = []
    begin = abc.Process.__init__

    def noted(process: abc.Process, *given: Any) -> None:
        begin(process, *given)
        begun.append(process)

    monkeypatch.setattr(abc.Process, "__init__", noted)
    monkeypatch.setattr(Guesses, "run", lambda *given: False)
    say("exec sleep 1000", tmp_path, monkeypatch)
    assert decided(0).verdict is Verdict.PROVED
    [process] = begun
    assert not process.running and not Path(process.folder.name).exists()


@needs_abc
def test_abc_proves(heard: list[str]) -> None:
    found = decide(model.build(TwoPhase()), Question(0, cross_check=0), help=FEW).result
    assert heard == ["an invariant"] and found.verdict is Verdict.PROVED and "found by ABC" in found.how


@needs_abc
def test_abc_finds_a_violation_but_the_shortest_one_is_reported(heard: list[str]) -> None:
    found = decided(1)
    assert heard == ["a trace"] and [v.length for v in found.violations] == [4] and not found.violations[0].remark


@needs_abc
def test_at_a_limit_the_violation_by_abc_is_reported(heard: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def limited(proof: object) -> None:
        raise Stopped("the time limit is reached")

    monkeypatch.setattr(Ic3, "run", limited)
    found = decided(1)
    assert heard == ["a trace"] and found.verdict is Verdict.VIOLATED
    assert "found by ABC; a shorter one of more than " in found.statement


def test_a_bounded_search_that_ends_with_the_proof_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    """it had ended by itself while the clauses were shortened, and its answer was not read any more"""
    end = attempt.Proof.end

    def ended(proof: attempt.Proof) -> None:
        end(proof)
        proof.search.complete = True

    monkeypatch.setattr(attempt.Proof, "end", ended)
    monkeypatch.setattr(limits, "LOOK", 0.0)
    assert decided(0).verdict is Verdict.PROVED


@needs_abc
@pytest.mark.thorough
def test_random_specs_have_the_verdict_of_the_exhaustive_search(
    heard: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """errors, deadlocks and properties without a value among them"""
    monkeypatch.setattr(explorer, "MAX_PATHS", MAX_PATHS)
    assert compared(5, 60, FEW, tmp_path) > 10
    assert "an invariant" in heard and "a trace" in heard
