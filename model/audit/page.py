"""The report as one page of HTML: no script, no outside file, light and dark, readable on a phone."""

from __future__ import annotations

import re
from typing import Any

from ...checker.pages import drawn
from ...checker.pages import page as written
from ..rules import sentences
from .finding_kinds import KINDS, Kind, Level
from .picture import picture
from .report import Found, Report
from .table import SPECIAL, verdict
from .wording import description, place, sequences, where

CODE = re.compile(r"`([^`]+)`")


def page(report: Report) -> str:
    """The page: what was read, the verdict, the kinds, and the findings with their pictures."""
    return written(
        f"{__package__}/audit.html",
        title="Log audit: " + ", ".join(report.paths),
        read=_read(report),
        verdict=report.verdict,
        said=verdict(report),
        kinds=[_kind(report, name, count) for name, count in report.kinds.items()],
    )


def _read(report: Report) -> dict[str, int]:
    """What was read, each number with its label."""
    special = {text: report.counts[name] for name, text in SPECIAL.items() if report.counts[name]}
    read = {"files": report.files, "logs": report.logs, "segments": report.segments}
    return {**read, "batches": report.counts["batches"], **special}


def _kind(report: Report, name: str, count: int) -> dict[str, Any]:
    """A kind of finding, with those of its findings that the page shows."""
    kind: Kind = KINDS[name]
    found = [one for one in report.found if one["kind"] == name] if kind.level is not Level.LEGAL else []
    return {
        "name": name,
        "count": count,
        "level": kind.level,
        "title": kind.title,
        "why": CODE.split(kind.why),
        "rules": sentences(kind.rules),
        "found": [_finding(one) for one in found],
        "more": count - len(found),
    }


def _finding(found: Found) -> dict[str, Any]:
    return {
        "title": f"{where(found)}, {place(found)}{_writer(found)}",
        "story": description(found),
        "picture": drawn(picture(found)),
        "likely": [f"everystate check {name}" for name in found["scenarios"] or ()],
        "place": f"{found['path'] or found['file'] or ''}, byte {found['position'] or 0:,}",
    }


def _writer(found: Found) -> str:
    if found["producer_id"] is None:
        return ""
    return f": producer {found['producer_id']}, epoch {found['epoch']}, sequence {sequences(found.values)}"
