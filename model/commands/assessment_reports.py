"""An assessment for CI: JUnit XML, SARIF, and what GitHub Actions reads."""

from __future__ import annotations

import hashlib
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator

from ...checker.regression.reports import github, sarif
from ...checker.regression.reports.junit import legal
from ..assess import Assessment, Cell, scope_of
from ..assess.assessment import BROKEN, SAFE, unchecked
from ..assess.page import rows, sentences, sign


def junit(assessments: list[Assessment], path: str) -> str:
    """A test suite for each failure, a test case for each promise; one that is broken, or open, is a failure."""
    every = [(found, cell) for found in assessments for cell in found.cells]
    root = ElementTree.Element("testsuites", {"name": "everystate", **_totals(every)})
    for found in assessments:
        for failure, cells in rows(found).items():
            totals = _totals([(found, cell) for cell in cells])
            name = " ".join(filter(None, [failure, found.settings.label]))
            suite = ElementTree.SubElement(root, "testsuite", {"name": legal(name), **totals, "skipped": "0"})
            for cell in cells:
                case = ElementTree.SubElement(
                    suite, "testcase", classname=legal(f"everystate.{path}"), name=_name(cell)
                )
                _judged(found, cell, case)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _judged(found: Assessment, cell: Cell, case: ElementTree.Element) -> None:
    if not is_open(found, cell):
        ElementTree.SubElement(case, "system-out").text = legal(_what(found, cell))
        return
    kind = "verdict" if cell.status == BROKEN else "undecided"
    element = ElementTree.SubElement(case, "failure", type=kind, message=legal(_what(found, cell)))
    element.text = legal(_whole(found, cell))


def is_open(found: Assessment, cell: Cell) -> bool:
    """Whether a cell is broken or undecided; so is one that cannot happen, if its promise was checked nowhere."""
    return cell.status not in SAFE or cell.promise in unchecked(found.cells)


def _totals(cells: list[tuple[Assessment, Cell]]) -> dict[str, str]:
    failures = sum(is_open(found, cell) for found, cell in cells)
    return {"tests": str(len(cells)), "failures": str(failures), "errors": "0", "time": "0.000"}


def _name(cell: Cell) -> str:
    return f"{cell.promise} under {cell.failure}"


def _what(found: Assessment, cell: Cell) -> str:
    if cell.status == BROKEN:
        how = f"after {cell.steps} steps" if cell.steps is not None else cell.reason
        return f"{scope_of(found.settings).promises[cell.promise].broken}, {how}"
    if found.settings.problems:
        return f"{cell.status}: {'; '.join(map(str, found.settings.problems))}"
    nothing = ", so nothing was checked" if cell.promise in unchecked(found.cells) else ""
    return f"{cell.status}{f': {cell.reason}' if cell.reason else ''}{nothing}"


def _whole(found: Assessment, cell: Cell) -> str:
    """What is wrong, the command that shows it, and the counterexample."""
    command = [cell.check.command, ""] if cell.check else []
    return "\n".join([f"{_name(cell)}: {_what(found, cell)}", *command, cell.trace]).rstrip()


def sarif_log(assessments: list[Assessment], path: str) -> str:
    """SARIF 2.1.0: a rule for each promise, a result for each cell that is not kept, located in the producer's file."""
    return sarif.log([result for found in assessments for result in _results(found, path)])


def _where(found: Assessment, path: str) -> tuple[str, int]:
    """The file and line to look at."""
    problems = found.settings.problems
    return (problems[0].path or path, problems[0].line) if problems else (path, 1)


def _results(found: Assessment, path: str) -> Iterator[tuple[str, str, sarif.Json]]:
    promises = scope_of(found.settings).promises
    for cell in found.cells:
        if not is_open(found, cell):
            continue
        mark = hashlib.sha256(f"{_name(cell)}\n{found.settings.label}{path}".encode()).hexdigest()[:32]
        result: sarif.Json = {
            "level": "error",
            "message": {"text": _whole(found, cell)},
            "locations": [sarif.location(*_where(found, path))],
            "partialFingerprints": {"everystateAssessment/v1": mark},
        }
        text = promises[cell.promise].text if cell.promise in promises else cell.promise
        yield cell.promise, text, result if cell.status == BROKEN else result | sarif.OPEN


def github_commands(found: Assessment, path: str) -> list[str]:
    """An error for each broken cell, a warning for each open one; of what was not read, one for each place."""
    if problems := found.settings.problems:
        return [
            github.command("error", problem.text, file=problem.path or path, line=problem.line, title="not read")
            for problem in problems
        ]
    open_ = [cell for cell in found.cells if is_open(found, cell)]
    return [
        github.command(
            "error" if cell.status == BROKEN else "warning", _what(found, cell), file=path, line=1, title=_name(cell)
        )
        for cell in open_
    ]


def summary(found: Assessment, path: str) -> str:
    """The step summary: the sentences and the table in Markdown."""
    promises = list(dict.fromkeys(cell.promise for cell in found.cells))
    lines = [f"## Everystate: {path}", "", *sentences(found), "", f"| | {' | '.join(promises)} |"]
    lines.append("|---" * (len(promises) + 1) + "|")
    lines += [f"| {failure} | {' | '.join(map(sign, cells))} |" for failure, cells in rows(found).items()]
    return "\n".join(lines) + "\n"
