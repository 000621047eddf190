"""An assessment as one page of HTML: no script, no outside file, light and dark, readable on a phone."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ...checker.pages import page as written
from ...checker.pages import text
from .assessment import BROKEN, KEPT, UNCOVERED, UNDECIDED, Assessment, Cell, codes, scope_of
from .checks import Scope
from .evidence import findings
from .page import (
    LEGEND,
    SHOWN,
    bounds,
    broken_by_check,
    costs,
    effect,
    reasons,
    rows,
    sentences,
    settings_by_source,
    sign,
    unrepaired,
    versions,
)
from .pairs import failure_of

LOOKS = {BROKEN: "wrong", KEPT: "kept", UNCOVERED: "open", UNDECIDED: "open"}


def html(found: Assessment, title: str) -> str:
    """The page."""
    scope, anchors = scope_of(found.settings), _anchors(found)
    return written(
        f"{__package__}/assess.html",
        styles=text(f"{__package__}/assess.css"),
        title=title,
        versions=versions(found.settings),
        verdict={12: "wrong", 3: "UNDECIDED", 0: "good"}[codes(found.cells)],
        sentences=sentences(found),
        promises=_promises(found, scope),
        rows=[_row(failure, cells, scope, anchors) for failure, cells in rows(found).items()],
        legend=" ".join(LEGEND),
        repairs=[
            {"change": repair.change, "text": f"{effect(found, repair)}. Cost: {costs(repair)}"}
            for repair in (found.repairs or ())[:SHOWN]
        ],
        unrepaired=unrepaired(found),
        broken=[_broken(cells, scope, anchors) for cells in broken_by_check(found)],
        pages=[_finding(name) for name in dict.fromkeys(c.finding for c in found.cells if c.finding)],
        reasons=[f"{status}: {reason}" for status, reason in reasons(found)],
        settings=[{"title": name.capitalize(), "lines": lines} for name, lines in _settings(found).items() if lines],
        bounds=bounds(found),
    )


def _settings(found: Assessment) -> dict[str, list[str]]:
    return settings_by_source(found.settings) | {"notes": list(found.settings.notes)}


def _promises(found: Assessment, scope: Scope) -> list[dict[str, str]]:
    names = dict.fromkeys(cell.promise for cell in found.cells)
    return [{"name": name, "text": scope.promises[name].text if name in scope.promises else ""} for name in names]


def _anchors(found: Assessment) -> dict[tuple[str, str], str]:
    """Where the counterexample of a broken cell is."""
    return {(c.failure, c.promise): f"check-{n}" for n, cells in enumerate(broken_by_check(found), 1) for c in cells}


def _row(failure: str, cells: list[Cell], scope: Scope, anchors: dict[tuple[str, str], str]) -> dict[str, Any]:
    return {
        "failure": failure,
        "text": found.text if (found := failure_of(scope, failure)) is not None else "",
        "cells": [
            {
                "promise": cell.promise,
                "sign": sign(cell),
                "look": LOOKS.get(cell.status, "none"),
                "reason": cell.reason,
                "anchor": anchors.get((failure, cell.promise), ""),
            }
            for cell in cells
        ],
    }


def _finding(name: str) -> dict[str, str]:
    return {"name": name, **asdict(findings()[name])}


def _broken(cells: list[Cell], scope: Scope, anchors: dict[tuple[str, str], str]) -> dict[str, Any]:
    """The cells that one check breaks; the same counterexample of two failures once."""
    first = {cell.promise: cell for cell in reversed(cells)}
    assert cells[0].check is not None
    return {
        "anchor": anchors[cells[0].failure, cells[0].promise],
        "title": ", ".join(dict.fromkeys(cell.failure for cell in cells)),
        "cells": [
            f"{name}: {scope.promises[name].broken}, after {first[name].steps} steps" for name in reversed(first)
        ],
        "findings": [_finding(name) for name in dict.fromkeys(cell.finding for cell in cells if cell.finding)],
        "command": cells[0].check.command,
        "traces": [
            {"promise": name, "steps": first[name].steps, "text": first[name].trace}
            for name in reversed(first)
            if first[name].trace
        ],
    }
