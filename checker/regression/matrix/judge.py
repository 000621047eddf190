"""Compares outcomes with expectations: one cell for each property of a variant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import suggestion
from ...language.conformance import INTERRUPTED, NOT_JUDGED, Answer
from ...results.verdict import ExitCode
from ..runners.outcome import PROVED, REFUSED, UNDECIDED, VIOLATED, Finding, Outcome
from . import conformance
from .variants import ANY, Variant

OPEN = (UNDECIDED, NOT_JUDGED, INTERRUPTED)
"""Verdicts that neither contradict an expectation nor meet it."""


@dataclass(frozen=True)
class Cell:
    """One property of one variant: its outcome, and what is wrong with it ("" if it is as expected).

    `real`: the cell is a comparison with a real system, not a property; `trace` shows a difference.
    """

    property: str
    finding: Finding
    wrong: str = ""
    trace: str = ""
    real: bool = False


@dataclass(frozen=True)
class Row:
    """One variant with its cells; `wrong` lists everything that is not as expected.

    `open`: nothing contradicts the expectation, but something is not decided.
    """

    variant: Variant
    outcome: Outcome
    cells: tuple[Cell, ...]
    wrong: tuple[str, ...]
    open: bool = False

    @property
    def good(self) -> bool:
        """Whether all is as expected."""
        return not self.wrong

    @property
    def interrupted(self) -> bool:
        """Whether an interrupt came before the variant was checked."""
        stopped = any(cell.finding.status == INTERRUPTED for cell in self.cells)
        return stopped or self.outcome.report["exit_code"] == ExitCode.INTERRUPTED

    def trace(self, cell: Cell) -> str:
        """The trace in a cell that is not as expected, as text."""
        rendered = self.outcome.traces.get(cell.property)
        return rendered.text if rendered else cell.trace


def judge(variant: Variant, outcome: Outcome, answers: Sequence[Answer] = ()) -> Row:
    """Compare a variant with its outcome, and with its comparison with the real system."""
    violated = [v["property"] for v in outcome.report["violations"]]
    names = dict.fromkeys((*outcome.checked, *violated, *variant.mentioned))
    if outcome.checked and "error" not in (*violated, *variant.mentioned):
        names.pop("error", None)
    cells = (*(_cell(name, variant, outcome) for name in names), *(_real(answer, variant) for answer in answers))
    wrong = [cell.wrong for cell in cells if cell.wrong]
    open_ = all(cell.finding.status in OPEN for cell in cells if cell.wrong)
    if outcome.error:
        wrong, open_ = [outcome.error.splitlines()[0]], False
    elif outcome.stopped and not wrong:
        wrong = [f"undecided: {outcome.stopped}"]
    found = outcome.distinct
    if variant.distinct is not None and not wrong and found != variant.distinct:
        wrong, open_ = [f"{found:,} states instead of {variant.distinct:,}"], False
    return Row(variant, outcome, cells, tuple(wrong), open=bool(wrong) and open_)


def _real(answer: Answer, variant: Variant) -> Cell:
    """The cell of a release of the real system."""
    expected = variant.conform.expect if variant.conform else ""
    finding = Finding(answer.verdict, answer.steps, answer.statement)
    return Cell(answer.against, finding, conformance.wrong(answer, expected), answer.trace, real=True)


def _cell(name: str, variant: Variant, outcome: Outcome) -> Cell:
    finding, steps = outcome.of(name), variant.expected.get(name)
    if outcome.checked and name not in outcome.checked and finding.status != VIOLATED:
        known = [known for known in outcome.checked if known != "error"]
        rendered = (
            f"{name} is not among the properties of {variant.target} ({', '.join(known)}){suggestion(name, known)}"
        )
        return Cell(name, Finding(REFUSED, reason="there is no such property"), rendered)
    fails, fail = ("fails", "fail") if name == "error" else ("violated", "be violated")
    if finding.status == VIOLATED:
        said = f"{name} is never reached" if finding.length is None else f"{name} {fails}{_after(finding.length)}"
        if steps is None:
            return Cell(name, finding, f"{said}, it should hold")
        same = steps in (ANY, finding.length)
        return Cell(name, finding, "" if same else f"{said}, it should {fail}{_after(steps)}")
    if finding.status == PROVED:
        return Cell(name, finding, "" if steps is None else f"{name} holds, it should {fail}{_after(steps)}")
    return Cell(name, finding, f"{name} is {finding.status}: {finding.reason}")


def _after(steps: int | None) -> str:
    return "" if steps is None or steps == ANY else f" after {steps} step{'' if steps == 1 else 's'}"


def exit_code(rows: list[Row]) -> int:
    """0 when every cell is as expected; 12 when one differs, 3 when the worst is an open one, 130 interrupted."""
    if any(row.interrupted for row in rows):
        return ExitCode.INTERRUPTED
    if all(row.good for row in rows):
        return 0
    return 3 if all(row.good or row.open for row in rows) else 12


def as_json(row: Row, paths: dict[str, str]) -> dict[str, Any]:
    """The report of a row: that of its check, with `variant`, `expected`, and whether it is as expected."""
    report = row.outcome.report
    violations = [{**v, "trace": paths.get(v["property"])} for v in report["violations"]]
    expected = {name: "violated" if steps == ANY else steps for name, steps in row.variant.expected.items()}
    verdicts = {cell.property: cell.finding.status for cell in row.cells if not cell.real}
    real = {c.property: {"verdict": c.finding.status, "told": c.finding.reason} for c in row.cells if c.real}
    return {
        **report,
        "violations": violations,
        "variant": row.variant.name,
        "expected": expected,
        "properties": verdicts,
        "conformance": real,
        "as_expected": row.good,
        "wrong": list(row.wrong),
        "reason": row.outcome.error or row.outcome.stopped,
        "cached": row.outcome.cached,
    }
