"""JUnit XML, in the form that GitLab, Jenkins and most other readers accept.

A test suite for each group of variants (the part of a name before the slash), a test case for each variant.
A verdict that is not as expected is a failure; a variant that cannot be checked is an error.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence

from ..matrix.judge import Row

ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def document(rows: Sequence[Row]) -> str:
    """The whole file."""
    root = ElementTree.Element("testsuites", {"name": "everystate", **_totals(rows)})
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.variant.name.split("/")[0], []).append(row)
    for name, members in groups.items():
        suite = ElementTree.SubElement(root, "testsuite", {"name": legal(name), **_totals(members), "skipped": "0"})
        for row in members:
            _case(suite, name, row)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _totals(rows: Sequence[Row]) -> dict[str, str]:
    errors = sum(bool(row.outcome.error) for row in rows)
    failures = sum(not row.good and not row.outcome.error for row in rows)
    seconds = sum(float(row.outcome.report["seconds"]) for row in rows)
    return {"tests": str(len(rows)), "failures": str(failures), "errors": str(errors), "time": f"{seconds:.3f}"}


def _case(suite: ElementTree.Element, group: str, row: Row) -> None:
    seconds = f"{float(row.outcome.report['seconds']):.3f}"
    case = ElementTree.SubElement(
        suite, "testcase", classname=legal(f"everystate.{group}"), name=legal(row.variant.name), time=seconds
    )
    if row.outcome.error:
        error = ElementTree.SubElement(case, "error", type="spec", message=legal(row.wrong[0]))
        error.text = legal(row.outcome.error)
    elif not row.good:
        kind = "undecided" if row.open else "verdict"
        failure = ElementTree.SubElement(case, "failure", type=kind, message=legal("; ".join(row.wrong)))
        failure.text = legal(_failure(row))
    else:
        out = ElementTree.SubElement(case, "system-out")
        out.text = legal("\n".join([row.outcome.statement, *_notes(row)]))


def _failure(row: Row) -> str:
    traces = [row.trace(cell) for cell in row.cells if cell.wrong and row.trace(cell)]
    return "\n".join([row.variant.title, *row.wrong, row.outcome.statement, *_notes(row), "", *traces])


def _notes(row: Row) -> list[str]:
    """What makes properties hold, and may be a mistake."""
    return [f"note: {sentence}" for sentence in row.outcome.vacuous]


def legal(text: str) -> str:
    """A text without the characters that XML cannot hold."""
    return ILLEGAL.sub("?", text)
