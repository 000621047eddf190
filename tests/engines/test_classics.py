"""State counts of public TLA+ models, measured with TLC, reproduced exactly."""

from __future__ import annotations

import importlib
import itertools
import tomllib
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.engines.explicit import exhaustive, python
from everystate.checker.engines.limits import Limits
from everystate.checker.frontend import model
from everystate.checker.language.state import State
from everystate.checker.results.verdict import Kind, Verdict
from everystate.specs.classics.paxos import Paxos
from tests.plain import space
from tests.selection import quick

CLASSICS = Path(__file__).parents[2] / "specs" / "classics"
ROWS: list[dict[str, Any]] = tomllib.loads((CLASSICS / "oracles.toml").read_text())["row"]
LONG = ("GameOfLife", "Allocator", "Bakery", "Grid")
"""Classics that take long to trace, compile or search."""
QUICK = [row for row in ROWS if not row["target"].endswith(LONG)]
SMALL = [row for row in QUICK if row.get("distinct", 0) <= 250]
"""Of these plain Python takes the smallest."""
KINDS = {"safety": Kind.INVARIANT, "deadlock": Kind.DEADLOCK}


def name(row: dict[str, Any]) -> str:
    constants = ",".join(f"{n}={v}" for n, v in row.get("constants", {}).items())
    deadlock = "" if not row.get("no_deadlock") else " no deadlock check"
    return f"{row['target'].split(':')[1]} {constants}{deadlock}"


def run(row: dict[str, Any], engine: str) -> Any:
    module, cls = row["target"].split(":")
    spec = getattr(importlib.import_module(module), cls)(**row.get("constants", {}))
    limits = Limits(deadlock=not row.get("no_deadlock", False))
    return python.check(spec, limits) if engine == "python" else exhaustive.check(model.build(spec), limits)


def agrees(row: dict[str, Any], result: Any) -> None:
    for figure in ("distinct", "generated", "depth", "initial"):
        if figure in row:
            assert (figure, getattr(result, figure)) == (figure, row[figure])
    if "verdict" not in row:
        assert result.verdict is Verdict.PROVED
        return
    assert result.verdict is Verdict.VIOLATED
    [violation] = result.violations
    assert violation.kind is KINDS[row["verdict"]]
    assert violation.property == row.get("property", "deadlock")
    assert violation.length == row["steps"]


@pytest.mark.parametrize("row", quick(QUICK, ROWS), ids=name)
def test_native_engine_counts_as_tlc_does(row: dict[str, Any]) -> None:
    agrees(row, run(row, "native"))


@pytest.mark.parametrize("row", quick(SMALL, [r for r in ROWS if r.get("small")]), ids=name)
def test_python_engine_counts_as_tlc_does(row: dict[str, Any]) -> None:
    agrees(row, run(row, "python"))


def test_every_classic_has_a_row() -> None:
    modules = {p.stem for p in CLASSICS.glob("*.py")} - {"__init__"}
    assert modules == {row["target"].split(":")[0].split(".")[-1] for row in ROWS}


def test_paxos_has_as_many_states_as_tlc_counts_modulo_symmetry() -> None:
    """TLC explores one of the states that differ by a permutation of the acceptors: 25."""
    seen = space(Paxos(ballots=1))

    def moved(state: State, by: tuple[int, ...]) -> tuple[Any, ...]:
        order = sorted(range(3), key=lambda a: by[a])
        kept = [tuple(getattr(state, name)[a] for a in order) for name in ("joined", "voted")]
        sent = [m._replace(acceptor=by[m.acceptor]) if hasattr(m, "acceptor") else m for m in state.sent]
        return (*kept, *sorted(sent, key=repr))

    orbits = {min((moved(state, by) for by in itertools.permutations(range(3))), key=repr) for state in seen}
    assert (len(seen), len(orbits)) == (73, 25)
