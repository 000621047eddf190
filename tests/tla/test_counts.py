"""The counts of TLC: translations of small modules have as many distinct and generated states as direct evaluation."""

from __future__ import annotations

from pathlib import Path

import pytest

from everystate import check
from everystate.checker.cli.targets import resolve
from everystate.checker.results.verdict import Verdict
from everystate.checker.tla import evaluator, values
from everystate.checker.tla.evaluator import Evaluator
from everystate.checker.tla.parts import init_and_next
from everystate.checker.tla.scopes import Model
from everystate.checker.tla.states import explored

MODELS = Path(__file__).parent / "models"
COUNTS = {
    "Turns": (8, 31, 4),
    "Order": (49, 326, 7),
    "Ferry": (16, 35, 5),
    "Post": (1120, 2641, 21),
    "Boxes": (9, 26, 3),
    "Codes": (13, 16, 4),
    "Cans": (6, 8, 2),
    "Runs": (24, 45, 1),
    "Calls": (21, 51, 4),
    "Queue": (1610, 1610, 1610),
    "Mail": (172, 492, 12),
    "idem_producer": (1813, 3529, 28),
    "Forms": (13, 41, 8),
    "Votes": (150, 427, 6),
}
"""Distinct states, generated states, and the depth: TLC 2.15 prints these."""


@pytest.mark.parametrize("name", COUNTS)
def test_equal_counts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (evaluator, values):
        monkeypatch.setattr(module, "LARGE", 2_000)  # what is a large set
    target = resolve(str(MODELS / f"{name}.tla"))
    found = check(target.spec())
    model = Model(MODELS / f"{name}.tla", MODELS / f"{name}.cfg")
    states, generated, depth = explored(Evaluator(model), *init_and_next(model), model.root, 100_000)
    assert (found.distinct, found.generated) == (len(states), generated)
    assert (found.distinct, found.generated, found.depth) == COUNTS[name]
    assert depth <= found.depth


def test_a_false_refinement_is_violated() -> None:
    """Lower steps by one and Upper by two."""
    found = check(resolve(str(MODELS / "Lower.tla")).spec())
    assert (found.verdict, found.distinct) == (Verdict.VIOLATED, 4)
    assert [(v.property, v.length) for v in found.result.violations] == [("Refines", 1)]


@pytest.mark.parametrize(
    ("init", "step", "verdict"),
    [("m = 0", "m' = m + 1", Verdict.PROVED), ("m = 1", "m' = m + 1", Verdict.VIOLATED)],
)
def test_a_refinement_is_about_the_initial_states_too(tmp_path: Path, init: str, step: str, verdict: Verdict) -> None:
    for name in ("Lower.tla", "Lower.cfg"):
        (tmp_path / name).write_text((MODELS / name).read_text())
    text = (MODELS / "Upper.tla").read_text()
    (tmp_path / "Upper.tla").write_text(text.replace("m = 0", init).replace("m' = m + 2", step))
    assert check(resolve(str(tmp_path / "Lower.tla")).spec()).verdict is verdict


@pytest.mark.parametrize(("fair", "broken"), [("", {"Refines_2"}), (" /\\ WF_n(Next)", set())])
def test_the_fairness_of_a_refined_module_is_a_property(tmp_path: Path, fair: str, broken: set[str]) -> None:
    for name in ("Lower.tla", "Lower.cfg"):
        (tmp_path / name).write_text((MODELS / name).read_text())
    text = (MODELS / "Upper.tla").read_text().replace("m + 2", "m + 1").replace("_m\n", "_m /\\ WF_m(Next)\n")
    (tmp_path / "Upper.tla").write_text(text)
    lower = (tmp_path / "Lower.tla").read_text().replace("m + 2", "m + 1").replace("[Next]_n", f"[Next]_n{fair}")
    (tmp_path / "Lower.tla").write_text(lower)
    (tmp_path / "Upper.tla").write_text(text.replace("m' = m + 1", "m < 3 /\\ m' = m + 1"))
    found = check(resolve(str(tmp_path / "Lower.tla")).spec())
    assert {v.property for v in found.result.violations} == broken
    assert found.result.conditions.unjudged == {}


def test_a_property_that_is_not_translated_is_not_proved(tmp_path: Path) -> None:
    for name in ("Counter.tla", "Counter.cfg"):
        (tmp_path / name).write_text((MODELS / name).read_text())
    text = (
        (MODELS / "Counter.tla")
        .read_text()
        .replace("Ends == <>(", "Ends == TRUE -+-> <>(")
        .replace("seen[p] + 1", "count + 1")
    )
    (tmp_path / "Counter.tla").write_text(text)
    found = check(resolve(str(tmp_path / "Counter.tla")).spec())
    assert (found.verdict, set(found.result.conditions.unjudged)) == (Verdict.UNDECIDED, {"Ends"})


def test_fairness_of_what_is_no_action_and_conditions_of_steps() -> None:
    """Restart happens again and again, so the counter rises again and again, by steps of one or of two."""
    found = check(resolve(str(MODELS / "Turns.tla")).spec())
    assert (found.distinct, found.generated) == (8, 31)
    assert [(v.property, v.length) for v in found.result.violations] == [("NeverFair", 7), ("Quiet", 5)]


def test_an_action_constraint_leaves_out_steps(tmp_path: Path) -> None:
    for name in ("Turns.tla", "Turns.cfg"):
        (tmp_path / name).write_text((MODELS / name).read_text())
    text = (MODELS / "Turns.tla").read_text().replace("Quiet ==", "ByOne == n' - n <= 1\nQuiet ==")
    (tmp_path / "Turns.tla").write_text(text)
    config = "INIT Init\nNEXT Next\nINVARIANT TypeOK\nACTION_CONSTRAINT ByOne\nCHECK_DEADLOCK FALSE\n"
    (tmp_path / "Turns.cfg").write_text(config)
    found = check(resolve(str(tmp_path / "Turns.tla")).spec())
    assert (found.verdict, found.distinct, found.depth) == (Verdict.PROVED, 8, 5)
    (tmp_path / "Turns.cfg").write_text(config.replace("CHECK_DEADLOCK FALSE\n", ""))
    found = check(resolve(str(tmp_path / "Turns.tla")).spec())
    assert (found.verdict, set(found.result.conditions.unjudged)) == (Verdict.UNDECIDED, {"deadlock"})


def test_brackets_of_arithmetic_are_kept() -> None:
    """The values of a translated expression are those of direct evaluation: a value that is off is another state."""
    path = MODELS / "Arith.tla"
    model = Model(path, path.with_suffix(".cfg"))
    states, generated, _ = explored(Evaluator(model), *init_and_next(model), model.root, 100_000)
    found = check(resolve(str(path)).spec())
    assert (found.verdict, found.distinct, found.generated) == (Verdict.PROVED, len(states), generated)


@pytest.mark.parametrize(("bound", "verdict"), [(7, Verdict.PROVED), (3, Verdict.VIOLATED)])
def test_an_invariant_that_exports_traces_is_its_other_part(tmp_path: Path, bound: int, verdict: Verdict) -> None:
    for name in ("Turns.tla", "Turns.cfg"):
        (tmp_path / name).write_text((MODELS / name).read_text())
    export = (
        f'Small == \\/ n < {bound}\n         \\/ JsonSerialize("trace.json", Trace) /\\ TLCSet("exit", TRUE)\nQuiet =='
    )
    text = (
        (MODELS / "Turns.tla").read_text().replace("Quiet ==", export).replace("EXTENDS", "EXTENDS Json, TLCExt, TLC,")
    )
    (tmp_path / "Turns.tla").write_text(text)
    (tmp_path / "Turns.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Small\nCHECK_DEADLOCK FALSE\n")
    assert check(resolve(str(tmp_path / "Turns.tla")).spec()).verdict is verdict


def test_a_type_is_checked_where_its_domain_has_more_values() -> None:
    found = check(resolve(str(MODELS / "Late.tla")).spec())
    assert [(v.property, v.length) for v in found.result.violations] == [("TypeOK", 901)]


@pytest.mark.parametrize(
    ("value", "known", "violations"),
    [
        ("CASE x < 2 -> 1 [] x = 3 -> 2 [] x > 1 -> 3", "x < 6", []),
        ("CASE x < 2 -> 1 [] x = 3 -> 2 [] x > 3 -> 3", "x < 6", [("error", 3)]),
        ("1", "CASE x < 4 -> TRUE [] x = 5 -> TRUE", [("Known", 4)]),
    ],
)
def test_a_case_without_a_true_arm_is_an_error(
    tmp_path: Path, value: str, known: str, violations: list[tuple[str, int]]
) -> None:
    """In TLC, too. It finds 7 distinct and 8 generated states without one."""
    module = tmp_path / "Arms.tla"
    module.write_text(
        "---- MODULE Arms ----\nEXTENDS Naturals\nVARIABLES x, y\nTypeOK == x \\in 0 .. 5 /\\ y \\in 0 .. 3\n"
        f"Init == x = 0 /\\ y = 0\nNext == x' = (x + 1) % 6 /\\ y' = {value}\nKnown == {known}\n====\n"
    )
    module.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANTS TypeOK Known\n")
    found = check(resolve(str(module)).spec())
    assert [(v.property, v.length) for v in found.result.violations] == violations
    assert found.result.guaranteed == (() if ("error", 3) in violations else ("TypeOK",))
    if not violations:
        assert (found.distinct, found.generated) == (7, 8)
        assert found.statement.startswith("PROVED  Known, TypeOK hold")


@pytest.mark.parametrize(("read", "found"), [("q[n]", [("Known", 2)]), ("q[n + 1]", []), ("q[Len(q) - n]", [])])
def test_an_index_below_one_is_an_error(tmp_path: Path, read: str, found: list[tuple[str, int]]) -> None:
    """In TLC, too: the state of n = 0 is the third. In Python -1 would be the last element."""
    module = tmp_path / "Read.tla"
    module.write_text(
        "---- MODULE Read ----\nEXTENDS Naturals, Sequences\nVARIABLES n, q\n"
        "TypeOK == n \\in 0 .. 2 /\\ q \\in Seq(1 .. 3)\n"
        "Init == n = 2 /\\ q = <<1, 2, 3>>\nNext == n > 0 /\\ n' = n - 1 /\\ UNCHANGED q\n"
        f"Known == {read} > 0\n====\n"
    )
    module.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANTS TypeOK Known\n")
    violations = check(resolve(str(module)).spec(), deadlock=False).result.violations
    assert [(v.property, v.length) for v in violations] == found


@pytest.mark.parametrize(
    ("init", "counts"),
    [
        ("a \\in 0 .. 1 /\\ b \\in 0 .. 1 /\\ (a > 0 \\/ b > 0)", (3, 6)),
        ("b = 0 /\\ (a = 1 \\/ a \\in 0 .. 1)", (2, 5)),
        ("a \\in 0 .. 1 /\\ (a > 0 \\/ a < 2) /\\ b = 0", (2, 5)),
    ],
)
def test_ways_to_make_init_true_count_until_all_variables_have_values(
    tmp_path: Path, init: str, counts: tuple[int, int]
) -> None:
    """As in TLC: then it asks whether the rest is true."""
    module = tmp_path / "Ways.tla"
    head = "---- MODULE Ways ----\nEXTENDS Naturals\nVARIABLES a, b\n"
    module.write_text(f"{head}Init == {init}\nNext == UNCHANGED <<a, b>>\n====\n")
    module.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\n")
    found = check(resolve(str(module)).spec())
    assert (found.distinct, found.generated) == counts


def test_a_sequence_behind_one_of_two_others(tmp_path: Path) -> None:
    """TLC finds 6 distinct states. Where a is 0, nothing was appended here."""
    module = tmp_path / "Joined.tla"
    module.write_text(
        "---- MODULE Joined ----\nEXTENDS Naturals, Sequences\nVARIABLES a, b, q\n"
        "Init == a \\in 0 .. 2 /\\ b = 1 /\\ q = <<>>\n"
        "Next == q' = (IF a = 0 THEN <<>> ELSE <<a>>) \\o <<b>> /\\ UNCHANGED <<a, b>>\n"
        "Last == q = <<>> \\/ q[Len(q)] = 1\n====\n"
    )
    module.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Last\n")
    found = check(resolve(str(module)).spec())
    assert (found.verdict, found.distinct, found.generated) == (Verdict.PROVED, 6, 9)
