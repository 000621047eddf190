"""A report as one page of HTML: the results of each release, and every difference as a trace with two columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...checker.pages import page as written
from .difference_text import REPRODUCED, RULES, SAME, compared_steps, met, summary, title
from .report import Report


def page(reports: Sequence[Report]) -> str:
    """The page."""
    return written(
        f"{__package__}/differences.html",
        title="The model against Kafka " + ", ".join(report.version for report in reports),
        reports=[_report(report) for report in reports],
        same=SAME,
        named=RULES,
    )


def _report(report: Report) -> dict[str, Any]:
    *account, said = summary(report)
    found = [
        {"title": title(each), "known": each.known, "compared_steps": list(compared_steps(each.seen, each.difference))}
        for each in report.found
    ]
    reproduced = [
        {
            "title": f"{REPRODUCED} {report.version}: {line}",
            "compared_steps": list(compared_steps(each.seen, shown=each.rules)),
        }
        for line, each in report.agreed.items()
    ]
    return {
        "verdict": report.verdict,
        "said": said,
        "account": account,
        "found": found,
        "reproduced": reproduced,
        "others": [line for line in report.shown if line not in report.agreed],
        "met": met(report),
        "version": report.version,
    }
