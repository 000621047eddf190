"""An assessment as text and as JSON."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from . import durability, librdkafka
from .assessment import (
    BROKEN,
    IMPOSSIBLE,
    KEPT,
    UNCOVERED,
    UNDECIDED,
    Assessment,
    Cell,
    Repair,
    codes,
    scope_of,
    unchecked,
)
from .durability import refuses_all
from .evidence import findings
from .harm import COSTS, LEVELS, OF_PROMISE, level, likelihood, most_likely
from .pairs import BETWEEN
from .settings import Settings
from .values import DEFAULT, KAFKA, NEWEST_PATCH, Version

WIDTH, LEAST = 100, 9
DECISIVE = (
    *("acks", "enable.idempotence", "max.in.flight.requests.per.connection", "retries", "delivery.timeout.ms"),
    *("replication.factor", "min.insync.replicas", "unclean.leader.election.enable", "transaction.version"),
)
"""The defaults that are printed; JSON has all."""
SIGNS = {KEPT: "kept", IMPOSSIBLE: "-", UNCOVERED: "?", UNDECIDED: "??"}
COLOURS = {KEPT: "good", BROKEN: "bad"}
LEGEND = (
    "kept: proved within the bounds; kept*: but the log of the model was full in some behaviours;",
    "broken N: the shortest counterexample has N steps; -: cannot happen; ?: not covered; ??: undecided",
)
Paint = Callable[[str, str], str]
SHOWN = 3
"""Sets of changes that are printed."""


DETAILS = "details"
"""What --show names for all that the answer on one screen leaves out."""


def text(found: Assessment, paint: Paint) -> str:
    """The answer on one screen: the worst, what removes it, the settings, the table, and what it is about."""
    settings = [*_settings(found.settings), ""]
    if found.settings.problems:
        return "\n".join([*_paragraphs(sentences(found)), "", *settings]).rstrip()
    what, _, _ = bounds(found).partition(";")
    _, _, missing = bounds(found).partition("Not covered: ")
    more = f"--show {DETAILS}: reasons, changes, findings, bounds; --show FAILURE: counterexamples"
    why = [] if found.broken else [*_reasons(found)]  # where they decide the answer
    return "\n".join(
        [
            *_paragraphs(sentences(found)),
            "",
            *settings,
            *_table(found, paint),
            "",
            *why,
            *_wrapped("bounds", f"{what.partition('. ')[0].rstrip('.')}."),
            *(_wrapped("not covered", missing) if missing else ()),
            *_wrapped("more", more),
        ]
    )


def details(found: Assessment) -> str:
    """The reasons of cells, other sets of changes, the pages of findings, and the whole bounds."""
    lines = [*_reasons(found), *_repairs(found), *_findings(found), *_wrapped("bounds", bounds(found))]
    return "\n".join([*([_of(found)] if found.settings.label else []), *lines])


def _paragraphs(found: list[str]) -> Iterator[str]:
    for said in found:
        yield from textwrap.wrap(said, WIDTH, break_on_hyphens=False)


def sentences(found: Assessment) -> list[str]:
    """The worst and what removes it, what else is possible, and what is kept."""
    if problems := found.settings.problems:
        return ["UNDECIDED: not all that was given could be read.", *map(str, problems)]
    if reason := found.outside:
        return [f"UNDECIDED: nothing was checked: {reason}."]
    said = [_of(found), _worst(found), _change(found), _also(found), _on_loss(found), *_of_nothing(found)]
    above = found.settings["min.insync.replicas"] > found.settings["replication.factor"]
    said += [_above(found)] if above and not refuses_all(found.settings) else []
    return [sentence for sentence in said if sentence]


def _of(found: Assessment) -> str:
    return f"== {found.settings.label} ==" if found.settings.label else ""


def _worst(found: Assessment) -> str:
    """The first line: what the worst is, when, and how likely."""
    if refuses_all(found.settings):
        return f"NO WRITE SUCCEEDS: {_above(found)}"
    if not found.broken:
        return ""
    promises = scope_of(found.settings).promises
    what = " or ".join(dict.fromkeys(promises[cell.promise].broken for cell in found.worst))
    failures = list(dict.fromkeys(cell.failure for cell in found.worst))
    kind = LEVELS[level(found.worst[0].promise)].upper()
    often = most_likely(failures)
    every = found.settings["acks"] == "0" and kind == "LOSS"
    zero = (
        " With acks=0 success is reported before a broker has the record: any failure loses records." if every else ""
    )
    return f"{kind}: {what} under {', '.join(failures)} ({often}).{zero}"


def _above(found: Assessment) -> str:
    """More replicas in sync than there are: what brokers of each release do."""
    needed, factor = found.settings["min.insync.replicas"], found.settings["replication.factor"]
    guess = (
        " (which no file gives; 1 is Kafka's default)"
        if found.settings.sources["replication.factor"] == DEFAULT
        else ""
    )
    return (
        f"min.insync.replicas={needed} is above the replication factor {factor}{guess}. Brokers before 3.7 then "
        f"refuse every write with acks=all; newer ones take {factor}. "
        "Use replication.factor=3 with min.insync.replicas=2."
    )


def _change(found: Assessment) -> str:
    """The smallest set of changes that removes the worst, what it leaves, and its cost."""
    if not found.broken or found.repairs is None:
        return ""
    if not found.repairs:
        return "No change of settings that was tried removes it."
    best = found.repairs[0]
    return f"Change {best.change}: {effect(found, best)}. Cost: {costs(best)}."


def costs(repair: Repair) -> str:
    """What a set of changes costs."""
    if repair.text:
        return "an upgrade of clients and brokers"
    return "; ".join(filter(None, dict.fromkeys(COSTS.get(name, "") for name in repair.changes))) or "none measured"


def effect(found: Assessment, repair: Repair) -> str:
    """What a set of changes removes and leaves."""
    kind = level(found.worst[0].promise)
    same = [cell for cell in repair.left if level(cell.promise) == kind]
    name = LEVELS[kind]
    if same:
        failures = ", ".join(dict.fromkeys(cell.failure for cell in same))
        return f"{name} remains possible under {failures}"
    left = dict.fromkeys(LEVELS[level(cell.promise)] for cell in sorted(repair.left, key=lambda c: level(c.promise)))
    many = "1 cell that is" if repair.broken == 1 else f"{repair.broken} cells that are"
    worse = f"; but {many} kept now would be broken" if repair.broken else ""
    open_ = f"; not known: {repair.unknown} of the broken cells" if repair.unknown else ""
    all_ = "" if repair.unknown else ", and all else"
    return f"removes every {name}" + (f"; {', '.join(left)} remain" if left else all_) + open_ + worse


def _also(found: Assessment) -> str:
    """What else is possible, the worse first."""
    promises = scope_of(found.settings).promises
    worst = {cell.promise for cell in found.worst}
    other: dict[str, int] = {}
    for cell in sorted(found.broken, key=lambda cell: level(cell.promise)):
        if cell.promise not in worst:
            other[cell.promise] = other.get(cell.promise, 0) + 1
    parts = [f"{promises[name].broken} ({_failures(number)})" for name, number in other.items()]
    return f"Also possible: {'; '.join(parts)}." if parts else ""


def _on_loss(found: Assessment) -> str:
    """Whether records are kept, where none is lost; what else is kept is in the table."""
    cells = [cell for cell in found.cells if cell.promise == "no-loss"]
    kept = sum(cell.status == KEPT for cell in cells)
    if any(cell.status == BROKEN for cell in cells) or not kept:
        return ""
    copies = durability.copies(found.settings)
    replicas = f" (each is on at least {copies} replicas)" if copies > 1 else ""
    return f"{scope_of(found.settings).kept} in the {_failures(kept)} checked{replicas}."


def _of_nothing(found: Assessment) -> list[str]:
    """Promises that were checked under no failure, and results that are open."""
    said = [
        f"UNDECIDED: nothing was checked for {name}, for the failures cannot happen." for name in unchecked(found.cells)
    ]
    open_ = sum(cell.status in (UNCOVERED, UNDECIDED) for cell in found.cells)
    if open_ and not found.broken:
        said.append(f"UNDECIDED: {open_} of {len(found.cells)} cells have no result; the reasons are below the table.")
    if not found.broken and not said:
        said.append("Every promise is kept under every failure that was checked.")
    return said


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
        if title == "defaults":
            lines = [line for line in lines if line.partition("=")[0] in DECISIVE]
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
    """The cells; promises that do not fit into one table have a second one."""
    promises = list(dict.fromkeys(cell.promise for cell in found.cells))
    head = max(map(len, rows(found)))
    while promises:
        fit = 1
        while fit < len(promises) and head + sum(1 + max(len(p), LEAST) for p in promises[: fit + 1]) <= WIDTH:
            fit += 1
        yield from _columns(found, promises[:fit], head, paint)
        promises = promises[fit:]
    yield from LEGEND


def _columns(found: Assessment, promises: list[str], head: int, paint: Paint) -> Iterator[str]:
    widths = {promise: max(len(promise), LEAST) for promise in promises}
    yield " " * head + "".join(f" {promise:<{width}}" for promise, width in widths.items()).rstrip()
    happening = {name: row for name, row in rows(found).items() if any(c.status != IMPOSSIBLE for c in row)}
    for failure, row in (happening or rows(found)).items():
        cells = [cell for cell in row if cell.promise in widths]
        signs = (" " + paint(COLOURS.get(c.status, ""), f"{sign(c):<{widths[c.promise]}}") for c in cells)
        yield f"{failure:<{head}}{''.join(signs)}".rstrip()


def sign(cell: Cell) -> str:
    """A cell of the table."""
    if cell.status == BROKEN:
        return "broken" if cell.steps is None else f"broken {cell.steps}"
    full = cell.status == KEPT and cell.reason and not cell.ruled
    return SIGNS[cell.status] + ("*" if full else "")


def broken_by_check(found: Assessment) -> list[list[Cell]]:
    """The cells that the model breaks, those of one check together."""
    checks: dict[str, list[Cell]] = {}
    for cell in found.broken:
        if cell.check is not None:
            checks.setdefault(cell.check.command, []).append(cell)
    return list(checks.values())


def _findings(found: Assessment) -> Iterator[str]:
    """The pages of the findings, each once."""
    names = sorted({cell.finding for cell in found.broken if cell.finding})
    if names:
        yield from _wrapped("findings", f"in docs/explanation/findings: {', '.join(names)}")
    if broken_by_check(found):
        yield from _wrapped("evidence", "--show FAILURE prints counterexamples with their commands, --json all.")


def _reasons(found: Assessment) -> Iterator[str]:
    for status, reason in reasons(found):
        yield from _wrapped(status, reason)


def reasons(found: Assessment) -> Iterator[tuple[str, str]]:
    """Why cells have no result; a reason that is one of all promises names the failures, another one the promises."""
    cells_of: dict[tuple[str, str], list[Cell]] = {}
    for cell in found.cells:
        ruled = cell.status in (BROKEN, KEPT) and cell.ruled and cell.reason
        if cell.status in (IMPOSSIBLE, UNCOVERED, UNDECIDED) or ruled:
            cells_of.setdefault((cell.status, cell.reason), []).append(cell)
    asked = {cell.promise for cell in found.cells}
    for (status, reason), cells in cells_of.items():
        promises, failures = (
            dict.fromkeys(names) for names in zip(*((c.promise, c.failure) for c in cells), strict=True)
        )
        which = failures if promises.keys() == asked else promises
        yield "by rule" if status in (BROKEN, KEPT) else status, f"{', '.join(which)}: {reason}"


def _repairs(found: Assessment) -> Iterator[str]:
    for repair in (found.repairs or ())[1:SHOWN]:
        yield from _wrapped("or change", f"{repair.change}: {effect(found, repair)}")
    if left := unrepaired(found):
        yield from _wrapped("no change", f"that was tried repairs {', '.join(left)}")


def bounds(found: Assessment) -> str:
    """What a proof covers."""
    together = " A+B: both failures in one behaviour, each as often as alone."
    return scope_of(found.settings).bounds + (together if any(BETWEEN in cell.failure for cell in found.cells) else "")


def unrepaired(found: Assessment) -> list[str]:
    """How many broken cells of each promise no change repairs."""
    counted = Counter(cell.promise for cell in found.unrepaired)
    return [f"{promise} in {_failures(number)}" for promise, number in counted.items()]


def _wrapped(label: str, text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=f"{label:<14}", subsequent_indent=" " * 14, break_on_hyphens=False)


def traces(found: Assessment, failure: str) -> str:
    """The counterexamples of a failure, with the commands that show them."""
    cells = [cell for cell in found.broken if cell.failure == failure]
    if not cells:
        return f"{failure}: no promise is broken\n"
    promises = scope_of(found.settings).promises
    return "\n".join(f"{failure}, {cell.promise}: {promises[cell.promise].text}\n\n{_shown(cell)}" for cell in cells)


def _shown(cell: Cell) -> str:
    if cell.check is None:
        return f"By the rules of replication: {cell.reason}.\n"
    found = [f"{findings()[cell.finding].page}, seen in {findings()[cell.finding].seen}"] if cell.finding else []
    return "\n".join([cell.check.command, *found, "", cell.trace])


def plain(found: Assessment) -> dict[str, Any]:
    """The same for JSON."""
    settings, scope = found.settings, scope_of(found.settings)
    return {
        "client": client(settings),
        **({"of": settings.label} if settings.label else {}),
        "unread": [{"file": d.path, "line": d.line, "text": d.text} for d in settings.problems],
        "brokers": release(settings.server),
        "summary": " ".join(sentences(found)),
        "settings": {n: {"value": v, "source": settings.sources[n]} for n, v in settings.values.items()},
        "idempotent": settings.idempotent,
        "notes": list(settings.notes),
        "not_used": list(settings.unread),
        "promises": {name: promise.text for name, promise in scope.promises.items()},
        "failures": {name: failure.text for name, failure in scope.failures.items()},
        "cells": [_plain(cell) for cell in found.cells],
        "worst": LEVELS[level(found.worst[0].promise)] if found.broken else None,
        "repairs": [
            {
                "change": repair.change,
                "settings": repair.changes,
                "effect": effect(found, repair),
                "cost": costs(repair),
                "repaired": repair.repaired,
                "broken": repair.broken,
            }
            for repair in found.repairs or ()
        ],
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
    if cell.status == BROKEN:
        fields |= {"harm": OF_PROMISE.get(cell.promise, "delay"), "likelihood": likelihood(cell.failure)}
    if cell.ruled:
        fields["by"] = "the rules of replication"
    if cell.check is not None:
        fields |= {"steps": cell.steps, "command": cell.check.command}
    if cell.finding:
        finding = findings()[cell.finding]
        fields |= {"finding": finding.page, "seen_in": finding.seen.split(", ")}
    if cell.reason:
        fields["reason"] = cell.reason
    return fields
