"""An assessment as text and as JSON."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from . import librdkafka
from .assessment import BROKEN, IMPOSSIBLE, KEPT, UNCOVERED, UNDECIDED, Assessment, Cell, Repair, codes, scope_of
from .evidence import findings
from .pairs import BETWEEN
from .settings import Settings
from .values import DEFAULT, KAFKA, NEWEST_PATCH, Version

WIDTH = 100
SIGNS = {KEPT: "kept", IMPOSSIBLE: "-", UNCOVERED: "?", UNDECIDED: "??"}
COLOURS = {KEPT: "good", BROKEN: "bad"}
LEGEND = (
    "kept: proved within the bounds; kept*: but the log of the model was full in some behaviours;",
    "broken N: the shortest counterexample has N steps; -: cannot happen; ?: not covered; ??: undecided",
)
Paint = Callable[[str, str], str]


def text(found: Assessment, paint: Paint) -> str:
    """The whole answer."""
    return "\n".join(
        [
            *(line for said in sentences(found) for line in textwrap.wrap(said, WIDTH, break_on_hyphens=False)),
            "",
            *_settings(found.settings),
            "",
            *_table(found, paint),
            "",
            *_evidence(found),
            *_reasons(found),
            *_repairs(found),
            *_wrapped("bounds", bounds(found)),
        ]
    )


def sentences(found: Assessment) -> list[str]:
    """Three sentences: what is lost, what is written twice or in another order, and what to do."""
    if doubts := found.settings.doubts:
        return ["UNDECIDED: not all that was given could be read.", *map(str, doubts)]
    if reason := found.outside:
        return [f"Nothing was checked: {reason}."]
    scope, sentences = scope_of(found.settings), list[str]()
    asked = dict.fromkeys(cell.promise for cell in found.cells if cell.promise in scope.promises)
    if "no-loss" in asked:
        sentences.append(_on_loss(found))
    failing = {n: sum(cell.promise == n for cell in found.broken) for n in asked if n != "no-loss"}
    parts = [f"{scope.promises[name].broken} ({_failures(number)})" for name, number in failing.items() if number]
    if parts:
        sentences.append(f"Possible: {'; '.join(parts)}.")
    elif failing:
        sentences.append(f"{', '.join(failing)}: kept wherever they were checked.")
    if found.repairs:
        best = found.repairs[0]
        worse = f", and breaks {best.broken}" if best.broken else ""
        sentences.append(f"Use {best.change}: that repairs {best.repaired} of {len(found.broken)} broken cells{worse}.")
    elif found.broken and found.repairs is not None:
        sentences.append("No change of settings that was tried repairs a broken cell.")
    return sentences


def _on_loss(found: Assessment) -> str:
    scope = scope_of(found.settings)
    broken = [cell.failure for cell in found.broken if cell.promise == "no-loss"]
    checked = sum(cell.promise == "no-loss" and cell.status == KEPT for cell in found.cells)
    sentence = f"{scope.kept} in the {_failures(checked)} checked." if checked else "Lost records: nothing was checked."
    if broken:
        what = scope.promises["no-loss"].broken
        sentence = f"{what[0].upper()}{what[1:]} in {_failures(len(broken))}: {', '.join(broken)}."
    if found.settings["acks"] == "0":
        sentence += " With acks=0 the producer reports success before a broker has the record."
    return sentence


def _failures(number: int) -> str:
    return f"{number} failure" + "s" * (number != 1)


def release(version: Version) -> str:
    """A release, as the user writes it."""
    return ".".join(map(str, version[: 2 if version[2] == NEWEST_PATCH else 3]))


def client(settings: Settings) -> str:
    """The client and its release; of librdkafka the one whose defaults are known."""
    return settings.other or (f"librdkafka {librdkafka.RELEASE}" if settings.librdkafka else release(settings.client))


def versions(settings: Settings) -> str:
    """The releases."""
    return f"client {client(settings)}, brokers {release(settings.server)}"


def shown(value: Any) -> str:
    """A value as in a properties file."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def settings_by_source(settings: Settings) -> dict[str, list[str]]:
    """The settings in force, as in a properties file, by where they come from."""

    def of(*sources: str) -> list[str]:
        names = [n for n, v in settings.values.items() if settings.sources[n] in sources and v is not None]
        return [f"{name}={shown(settings[name])}" for name in names]

    given = {*settings.sources.values()} - {DEFAULT, KAFKA}
    return {"given": of(*given), "defaults": of(DEFAULT), "set by client": of(KAFKA), "not used": [*settings.unread]}


def _settings(settings: Settings) -> Iterator[str]:
    yield from _wrapped("versions", versions(settings))
    for title, lines in settings_by_source(settings).items():
        if lines or title == "given":
            yield from _wrapped(title, ", ".join(lines) or "nothing")
    for note in settings.notes:
        yield from _wrapped("note", note)


def rows(found: Assessment) -> dict[str, list[Cell]]:
    """The cells of each failure."""
    by_failure: dict[str, list[Cell]] = {}
    for cell in found.cells:
        by_failure.setdefault(cell.failure, []).append(cell)
    return by_failure


def _table(found: Assessment, paint: Paint) -> Iterator[str]:
    promises = list(dict.fromkeys(cell.promise for cell in found.cells))
    widths = [max(len(promise), 10) for promise in promises]
    head = max(map(len, rows(found)))
    yield " " * head + "".join(f"  {p:<{w}}" for p, w in zip(promises, widths, strict=True)).rstrip()
    for failure, row in rows(found).items():
        signs = [(sign(cell), cell, width) for cell, width in zip(row, widths, strict=True)]
        line = "".join("  " + paint(COLOURS.get(c.status, ""), f"{word:<{w}}") for word, c, w in signs)
        yield f"{failure:<{head}}{line}".rstrip()
    yield from LEGEND


def sign(cell: Cell) -> str:
    """A cell of the table."""
    if cell.status == BROKEN:
        return f"broken {cell.steps}"
    return SIGNS[cell.status] + ("*" if cell.status == KEPT and cell.reason else "")


def broken_by_check(found: Assessment) -> list[list[Cell]]:
    """The broken cells, those of one check together."""
    checks: dict[str, list[Cell]] = {}
    for cell in found.broken:
        assert cell.check is not None
        checks.setdefault(cell.check.command, []).append(cell)
    return list(checks.values())


def _evidence(found: Assessment) -> Iterator[str]:
    if found.broken:
        yield "To see a counterexample (--show FAILURE prints it here):"
    for cells in broken_by_check(found):
        assert cells[0].check is not None
        yield "  " + ", ".join(f"{cell.failure} {cell.promise} {cell.steps}" for cell in cells)
        for name in dict.fromkeys(cell.finding for cell in cells if cell.finding):
            yield f"    {findings()[name].page}, seen in {findings()[name].seen}"
        yield f"    {cells[0].check.command}"
    if found.broken:
        yield ""


def _reasons(found: Assessment) -> Iterator[str]:
    for status, reason in reasons(found):
        yield from _wrapped(status, reason)


def reasons(found: Assessment) -> Iterator[tuple[str, str]]:
    """Why cells have no result; a reason that is one of all promises names the failures, another one the promises."""
    cells_of: dict[tuple[str, str], list[Cell]] = {}
    for cell in found.cells:
        if cell.status in (IMPOSSIBLE, UNCOVERED, UNDECIDED):
            cells_of.setdefault((cell.status, cell.reason), []).append(cell)
    asked = {cell.promise for cell in found.cells}
    for (status, reason), cells in cells_of.items():
        promises, failures = (
            dict.fromkeys(names) for names in zip(*((c.promise, c.failure) for c in cells), strict=True)
        )
        which = failures if promises.keys() == asked else promises
        yield status, f"{', '.join(which)}: {reason}"


def _repairs(found: Assessment) -> Iterator[str]:
    for repair in (found.repairs or ())[:3]:
        yield from _wrapped("repair", f"{repair.change}: {effect(found, repair)}")
    if left := unrepaired(found):
        yield from _wrapped("no repair", f"{', '.join(left)}: no change of settings that was tried")


def bounds(found: Assessment) -> str:
    """What a proof covers."""
    together = " A+B: both failures in one behaviour, each as often as alone."
    return scope_of(found.settings).bounds + (together if any(BETWEEN in cell.failure for cell in found.cells) else "")


def effect(found: Assessment, repair: Repair) -> str:
    """What a change does."""
    worse = f", breaks {repair.broken}" if repair.broken else ""
    return f"repairs {repair.repaired} of {len(found.broken)} broken cells{worse}"


def unrepaired(found: Assessment) -> list[str]:
    """How many broken cells of each promise no change repairs."""
    counted = Counter(cell.promise for cell in found.unrepaired)
    return [f"{promise} in {_failures(number)}" for promise, number in counted.items()]


def _wrapped(label: str, text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=f"{label:<14}", subsequent_indent=" " * 14, break_on_hyphens=False)


def traces(found: Assessment, failure: str) -> str:
    """The counterexamples of a failure."""
    cells = [cell for cell in found.broken if cell.failure == failure]
    if not cells:
        return f"{failure}: no promise is broken\n"
    promises = scope_of(found.settings).promises
    return "\n".join(f"{failure}, {cell.promise}: {promises[cell.promise].text}\n\n{cell.trace}" for cell in cells)


def plain(found: Assessment) -> dict[str, Any]:
    """The same for JSON."""
    settings, scope = found.settings, scope_of(found.settings)
    return {
        "client": client(settings),
        **({"of": settings.label} if settings.label else {}),
        "unread": [{"file": d.path, "line": d.line, "text": d.text} for d in settings.doubts],
        "brokers": release(settings.server),
        "summary": " ".join(sentences(found)),
        "settings": {n: {"value": v, "source": settings.sources[n]} for n, v in settings.values.items()},
        "idempotent": settings.idempotent,
        "notes": list(settings.notes),
        "not_used": list(settings.unread),
        "promises": {name: promise.text for name, promise in scope.promises.items()},
        "failures": {name: failure.text for name, failure in scope.failures.items()},
        "cells": [_plain(cell) for cell in found.cells],
        "repairs": [{"change": r.change, "repaired": r.repaired, "broken": r.broken} for r in found.repairs or ()],
        "unrepaired": [{"promise": c.promise, "failure": c.failure} for c in found.unrepaired],
        "bounds": bounds(found),
        "exit_code": codes(found.cells),
    }


def plain_of(found: list[Assessment]) -> dict[str, Any]:
    """One assessment, or several with their exit code."""
    each = [plain(assessment) for assessment in found]
    return each[0] if len(each) == 1 else {"assessments": each, "exit_code": exit_code(found)}


def exit_code(found: list[Assessment]) -> int:
    """12 if a promise is broken, 3 if one is open, else 0."""
    every = {codes(assessment.cells) for assessment in found}
    return next((code for code in (12, 3) if code in every), 0)


def _plain(cell: Cell) -> dict[str, Any]:
    fields: dict[str, Any] = {"promise": cell.promise, "failure": cell.failure, "status": cell.status}
    if cell.check is not None:
        fields |= {"steps": cell.steps, "command": cell.check.command}
    if cell.finding:
        finding = findings()[cell.finding]
        fields |= {"finding": finding.page, "seen_in": finding.seen.split(", ")}
    if cell.reason:
        fields["reason"] = cell.reason
    return fields
