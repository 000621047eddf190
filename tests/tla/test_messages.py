"""What is printed and shown of a translated module has the names and the lines of TLA+."""

from __future__ import annotations

from pathlib import Path

from everystate import check
from everystate.checker.cli.targets import resolve
from everystate.checker.explore.moves import moves
from everystate.counterexamples.source import source

MODEL = Path(__file__).parent / "models" / "Counter.tla"


def test_a_lost_update_has_a_shortest_trace() -> None:
    found = check(resolve(str(MODEL)).spec())
    [violation] = found.result.violations
    assert (violation.property, violation.length, found.distinct) == ("AllCounted", 4, 13)


def test_the_source_of_an_action_is_its_definition() -> None:
    found = source(resolve(str(MODEL)).spec(), "Write")
    assert found is not None
    text = ["".join(piece for piece, _ in line) for line in found["lines"]]
    assert found["place"] == "Counter.tla:27"
    assert text == MODEL.read_text().splitlines()[26:31]


def test_what_cannot_happen_has_the_line_of_its_condition() -> None:
    spec = resolve(str(MODEL)).spec()
    [blocked] = moves(spec, spec.initial_states()[0]).blocked
    assert blocked.action == "Write"
    assert blocked.guard.place.endswith("Counter.tla:28")
    assert blocked.guard.text == '/\\ pc[p] = "write"'
