"""An assessment as text and as JSON."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from . import librdkafka
from .assessment import BROKEN, IMPOSSIBLE, KEPT, UNCOVERED, UNDECIDED, Assessment, Cell, codes, scope_of
from .settings import Settings
from .values import DEFAULT, KAFKA, NEWEST_PATCH, Version

WIDTH = 100
SIGNS = {KEPT: "kept", IMPOSSIBLE: "-", UNCOVERED: "?", UNDECIDED: "??"}
COLOURS = {KEPT: "good", BROKEN: "bad"}
Paint = Callable[[str, str], str]


def text(found: Assessment, paint: Paint) -> str:
    """The whole answer."""
    return "\n".join(
        [
            *sentences(found),
            "",
            *_settings(found.settings),
            "",
            *_table(found, paint),
            "",
            *_evidence(found),
            *_reasons(found),
            *_repairs(found),
            *_wrapped("bounds", scope_of(found.settings).bounds),
        ]
    )


def sentences(found: Assessment) -> list[str]:
    """Three sentences: what is lost, what is written twice or in another order, and what to do."""
    if reason := found.outside:
        return textwrap.wrap(f"Nothing was checked: {reason}.", WIDTH, break_on_hyphens=False)
    scope, told = scope_of(found.settings), list[str]()
    asked = dict.fromkeys(cell.promise for cell in found.cells if cell.promise in scope.promises)
    if "no-loss" in asked:
        told.append(_on_loss(found))
    failing = {n: sum(cell.promise == n for cell in found.broken) for n in asked if n != "no-loss"}
    parts = [f"{scope.promises[name].broken} ({_failures(number)})" for name, number in failing.items() if number]
    if parts:
        told.append(f"Possible: {'; '.join(parts)}.")
    elif failing:
        told.append(f"{', '.join(failing)}: kept wherever they were checked.")
    if found.repairs:
        best = found.repairs[0]
        worse = f", and breaks {best.broken}" if best.broken else ""
        told.append(f"Use {best.change}: that repairs {best.repaired} of {len(found.broken)} broken cells{worse}.")
    elif found.broken and found.repairs is not None:
        told.append("No change of settings that was tried repairs a broken cell.")
    return [line for sentence in told for line in textwrap.wrap(sentence, WIDTH, break_on_hyphens=False)]


def _on_loss(found: Assessment) -> str:
    scope = scope_of(found.settings)
    broken = [cell.failure for cell in found.broken if cell.promise == "no-loss"]
    checked = sum(cell.promise == "no-loss" and cell.status == KEPT for cell in found.cells)
    told = f"{scope.kept} in the {_failures(checked)} checked." if checked else "Lost records: nothing was checked."
    if broken:
        what = scope.promises["no-loss"].broken
        told = f"{what[0].upper()}{what[1:]} in {_failures(len(broken))}: {', '.join(broken)}."
    if found.settings["acks"] == "0":
        told += " With acks=0 the producer reports success before a broker has the record."
    return told


def _failures(number: int) -> str:
    return f"{number} failure" + "s" * (number != 1)


def release(version: Version) -> str:
    """A release, as the user writes it."""
    return ".".join(map(str, version[: 2 if version[2] == NEWEST_PATCH else 3]))


def client(settings: Settings) -> str:
    """The client and its release; of librdkafka the one whose defaults are known."""
    return f"librdkafka {librdkafka.RELEASE}" if settings.librdkafka else release(settings.client)


def shown(value: Any) -> str:
    """A value as in a properties file."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _settings(settings: Settings) -> Iterator[str]:
    def of(*sources: str) -> str:
        names = [n for n, v in settings.values.items() if settings.sources[n] in sources and v is not None]
        return ", ".join(f"{n}={shown(settings[n])}" for n in names)

    given = {*settings.sources.values()} - {DEFAULT, KAFKA}
    yield from _wrapped("versions", f"client {client(settings)}, brokers {release(settings.server)}")
    yield from _wrapped("given", of(*given) or "nothing")
    yield from _wrapped("defaults", of(DEFAULT))
    if KAFKA in settings.sources.values():
        yield from _wrapped("set by client", of(KAFKA))
    for note in settings.notes:
        yield from _wrapped("note", note)
    if settings.unread:
        yield from _wrapped("not used", ", ".join(settings.unread))


def _table(found: Assessment, paint: Paint) -> Iterator[str]:
    promises = list(dict.fromkeys(cell.promise for cell in found.cells))
    by_failure: dict[str, list[Cell]] = {}
    for cell in found.cells:
        by_failure.setdefault(cell.failure, []).append(cell)
    widths = [max(len(promise), 10) for promise in promises]
    head = max(map(len, by_failure))
    yield " " * head + "".join(f"  {p:<{w}}" for p, w in zip(promises, widths, strict=True)).rstrip()
    for failure, row in by_failure.items():
        signs = [(_sign(cell), cell, width) for cell, width in zip(row, widths, strict=True)]
        told = "".join("  " + paint(COLOURS.get(c.status, ""), f"{sign:<{w}}") for sign, c, w in signs)
        yield f"{failure:<{head}}{told}".rstrip()
    yield "kept: proved within the bounds; kept*: but the log of the model was full in some behaviours;"
    yield "broken N: the shortest counterexample has N steps; -: cannot happen; ?: not covered; ??: undecided"


def _sign(cell: Cell) -> str:
    if cell.status == BROKEN:
        return f"broken {cell.steps}"
    return SIGNS[cell.status] + ("*" if cell.status == KEPT and cell.reason else "")


def _evidence(found: Assessment) -> Iterator[str]:
    commands: dict[str, list[Cell]] = {}
    for cell in found.broken:
        assert cell.check is not None
        commands.setdefault(cell.check.command, []).append(cell)
    if commands:
        yield "To see a counterexample (--show FAILURE prints it here):"
    for command, cells in commands.items():
        told = ", ".join(f"{cell.failure} {cell.promise} {cell.steps}" for cell in cells)
        pages = dict.fromkeys(f"docs/explanation/findings/{cell.finding}.md" for cell in cells if cell.finding)
        yield f"  {told}" + (f" ({', '.join(pages)})" if pages else "")
        yield f"    {command}"
    if commands:
        yield ""


def _reasons(found: Assessment) -> Iterator[str]:
    """Why cells have no result; a reason that is one of all promises names the failures, another one the promises."""
    reasons: dict[tuple[str, str], list[Cell]] = {}
    for cell in found.cells:
        if cell.status in (IMPOSSIBLE, UNCOVERED, UNDECIDED):
            reasons.setdefault((cell.status, cell.reason), []).append(cell)
    asked = {cell.promise for cell in found.cells}
    for (status, reason), cells in reasons.items():
        promises, failures = (
            dict.fromkeys(names) for names in zip(*((c.promise, c.failure) for c in cells), strict=True)
        )
        which = failures if promises.keys() == asked else promises
        yield from _wrapped(status, f"{', '.join(which)}: {reason}")


def _repairs(found: Assessment) -> Iterator[str]:
    for repair in (found.repairs or ())[:3]:
        worse = f", breaks {repair.broken}" if repair.broken else ""
        told = f"{repair.change}: repairs {repair.repaired} of {len(found.broken)} broken cells{worse}"
        yield from _wrapped("repair", told)
    counted = Counter(cell.promise for cell in found.unrepaired)
    if counted:
        told = ", ".join(f"{promise} in {_failures(number)}" for promise, number in counted.items())
        yield from _wrapped("no repair", f"{told}: no change of settings that was tried")


def _wrapped(label: str, told: str) -> list[str]:
    return textwrap.wrap(told, WIDTH, initial_indent=f"{label:<14}", subsequent_indent=" " * 14, break_on_hyphens=False)


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
        "bounds": scope.bounds,
        "exit_code": codes(found.cells),
    }


def _plain(cell: Cell) -> dict[str, Any]:
    told: dict[str, Any] = {"promise": cell.promise, "failure": cell.failure, "status": cell.status}
    if cell.check is not None:
        told |= {"steps": cell.steps, "command": cell.check.command}
    if cell.finding:
        told["finding"] = f"docs/explanation/findings/{cell.finding}.md"
    if cell.reason:
        told["reason"] = cell.reason
    return told
