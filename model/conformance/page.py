"""A report as one page of HTML: the account of each release, and every difference as a story with two columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...checker.pages import page as written
from .report import Report
from .story import SAME, chapters, summary, title


def page(reports: Sequence[Report]) -> str:
    """The page."""
    return written(
        f"{__package__}/differences.html",
        title="The model against Kafka " + ", ".join(report.version for report in reports),
        reports=[_report(report) for report in reports],
        same=SAME,
    )


def _report(report: Report) -> dict[str, Any]:
    *account, said = summary(report)
    found = [{"title": title(each), "known": each.known, "chapters": list(chapters(each))} for each in report.found]
    return {"verdict": report.verdict, "said": said, "account": account, "found": found, "version": report.version}
