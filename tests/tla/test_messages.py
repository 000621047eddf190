"""What is printed and shown of a translated module has the names and the lines of TLA+."""

from __future__ import annotations

from pathlib import Path

import pytest

from everystate import check
from everystate.checker.cli.main import main
from everystate.checker.cli.targets import resolve
from everystate.checker.explore.moves import moves
from everystate.checker.tla import typing
from everystate.counterexamples.source import source

FAR = """---- MODULE Far ----
EXTENDS Naturals
VARIABLE x
Init == x = 0
Next == x < 2000 /\\ x' = x + 1
Spec == Init /\\ [][Next]_x
Inv == x < 3000
====
"""
MODEL = Path(__file__).parent / "models" / "Counter.tla"


def test_a_lost_update_has_a_shortest_trace() -> None:
    found = check(resolve(str(MODEL)).spec())
    [violation] = found.result.violations
    assert (violation.property, violation.length, found.distinct) == ("AllCounted", 4, 13)


def test_a_value_outside_a_guessed_domain_is_no_violation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """the option for a larger domain is named, and with it the model is checked"""
    monkeypatch.setattr(typing, "STATES", 50)
    monkeypatch.setattr(typing, "MORE", 50)
    module = tmp_path / "Far.tla"
    module.write_text(FAR)
    module.with_suffix(".cfg").write_text("SPECIFICATION Spec\nINVARIANT Inv\nCHECK_DEADLOCK FALSE\n")
    for command in (["check"], ["check", "--engine", "python"], ["walk", "--steps", "1200", "--walks", "2"]):
        assert main([*command[:1], str(module), "--quiet", *command[1:]]) == 3
        out, err = capsys.readouterr()
        assert "VIOLATED" not in out
        assert "error E464: x = " in err and "the domain of x is a guess" in err and "--bound x=N" in err
        assert "Far.tla:5" in err
    assert main(["check", str(module), "--quiet", "--bound", "x=3000"]) == 0
    module.write_text(FAR.replace("x < 2000", "x < 300"))
    assert main(["check", str(module), "--quiet"]) == 0
    assert "note: x = 199 is outside Int(0, 198): larger bounds are guessed for x" in capsys.readouterr().err


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
