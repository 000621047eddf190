"""The baseline: earlier verdicts, lengths and state counts, and what has changed since."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import EverystateError
from ..runners.outcome import PROVED, VIOLATED
from .judge import Row

FORM = 1
ABSENT = "absent"
MEANINGS = {
    "broken": "a property that held fails now: the change broke it, or the model shows something new; read the trace",
    "mended": "a property that failed holds now: the change repaired it, or the way there is no longer explored",
    "longer": "the shortest way to the failure became longer: part of the protection works, or steps were split",
    "shorter": "the shortest way to the failure became shorter: a protection is gone, or steps were joined",
    "count": "same verdicts, other states: the behaviour, the bounds or the variables of the model changed",
    "open": "this was decided before: a limit was reached, so the space grew or the limit shrank",
    "decided": "this was open before and is decided now",
    "constants": "the variant is checked with other constants, so its figures cannot be compared",
    "new": "the baseline does not know it yet; --update-baseline adds it",
    "gone": "the baseline has it, this run has not: it was renamed, removed, or left out by a tag",
}
SERIOUS = ("broken", "mended", "longer", "shorter", "open")


@dataclass(frozen=True)
class Change:
    """One difference: the variant, the kind (see MEANINGS), and the details."""

    variant: str
    sort: str
    what: str

    @property
    def serious(self) -> bool:
        """Whether a verdict or a length changed, not only a count or the list of variants."""
        return self.sort in SERIOUS

    def __str__(self) -> str:
        return f"{self.variant}: {self.what}"


def snapshot(rows: Sequence[Row]) -> dict[str, Any]:
    """The content of a baseline file: no times, nothing that depends on the machine, only checked variants."""
    return {"everystate-baseline": FORM, "variants": {row.variant.name: _entry(row) for row in rows if _made(row)}}


def _made(row: Row) -> bool:
    """Whether the check of a variant was made, to its end or to a limit."""
    return bool(row.outcome.checked)


def _entry(row: Row) -> dict[str, Any]:
    report, numbers = row.outcome.report, ("distinct", "generated", "depth")
    verdicts: dict[str, int | str] = {}
    for cell in [cell for cell in row.cells if not cell.real]:
        violated = cell.finding.status == VIOLATED and cell.finding.length is not None
        verdicts[cell.property] = cell.finding.length or 0 if violated else cell.finding.status
    constants = json.loads(json.dumps(row.outcome.chosen))  # as in a file: no tuples
    return {"constants": constants, **{n: report[n] for n in numbers}, "properties": verdicts}


def written(entries: dict[str, Any]) -> str:
    """A baseline as text, one line for each variant, so that version control shows the changes."""
    lines = [f"    {json.dumps(name)}: {json.dumps(entry)}" for name, entry in sorted(entries["variants"].items())]
    inner = ",\n".join(lines)
    return f'{{\n  "everystate-baseline": {FORM},\n  "variants": {{\n{inner}\n  }}\n}}\n'


def parse(path: str, text: str) -> dict[str, Any]:
    """The content of a baseline file; E427 when it is none."""
    try:
        data = json.loads(text)
    except ValueError as error:
        raise EverystateError("E427", None, path=path, reason=f"it is not JSON ({error})") from None
    if not isinstance(data, dict) or data.get("everystate-baseline") != FORM:
        raise EverystateError("E427", None, path=path, reason=f'it has no "everystate-baseline": {FORM}')
    variants = data.get("variants")
    if not isinstance(variants, dict) or not all(map(_is_entry, variants.values())):
        raise EverystateError("E427", None, path=path, reason='its "variants" are not of the form that is written')
    return data


def _is_entry(entry: Any) -> bool:
    return (
        isinstance(entry, dict)
        and isinstance(entry.get("properties"), dict)
        and isinstance(entry.get("constants"), dict)
        and all(isinstance(entry.get(name), int) for name in ("distinct", "generated", "depth"))
    )


def merged(old: dict[str, Any] | None, rows: Sequence[Row]) -> dict[str, Any]:
    """A new baseline: this run, and the entries of the old one for variants that were not part of the run."""
    found = snapshot(rows)
    return {**found, "variants": {**(old or {"variants": {}})["variants"], **found["variants"]}}


def foreign(entries: dict[str, Any], known: Sequence[str]) -> list[str]:
    """The variants of a baseline that are not in a matrix: of another matrix, renamed, or removed."""
    return [name for name in entries["variants"] if name not in known]


def compare(old: dict[str, Any], rows: Sequence[Row], known: Sequence[str]) -> list[Change]:
    """The changes since the baseline was written; `known` are all variants, including those left out by a tag."""
    before = old["variants"]
    changes: list[Change] = []
    for row in rows:
        name = row.variant.name
        if name not in before:
            changes.append(Change(name, "new", "it is new"))
        elif not _made(row):
            changes.append(Change(name, "open", row.wrong[0]))
        else:
            changes += _differences(name, before[name], _entry(row))
    changes += [Change(name, "gone", "it is gone") for name in foreign(old, known)]
    return changes


def _differences(name: str, old: dict[str, Any], new: dict[str, Any]) -> list[Change]:
    if old["constants"] != new["constants"]:
        names = sorted({*old["constants"], *new["constants"]})
        pairs = [
            (n, *(scalars.get(n, "the default") for scalars in (old["constants"], new["constants"]))) for n in names
        ]
        said = [f"{n} {before} -> {now}" for n, before, now in pairs if before != now]
        return [Change(name, "constants", f"other constants: {', '.join(said)}")]
    properties = dict.fromkeys((*old["properties"], *new["properties"]))
    pairs = [(n, *(entry["properties"].get(n, _unnamed(n)) for entry in (old, new))) for n in properties]
    changes = [Change(name, _sort(a, b), f"{n}: {_said(a)} -> {_said(b)}") for n, a, b in pairs if a != b]
    if changes:
        return changes
    numbers = [n for n in ("distinct", "generated", "depth") if old[n] != new[n]]
    what = ", ".join(f"{n} {old[n]:,} -> {new[n]:,}" for n in numbers)
    return [Change(name, "count", what)] if numbers else []


def _unnamed(name: str) -> str:
    """The entry for a property that a baseline does not name: failing actions are named only where there are any."""
    return PROVED if name == "error" else ABSENT


def _sort(old: int | str, new: int | str) -> str:
    if new == ABSENT:
        return "gone"
    if isinstance(old, int) and isinstance(new, int):
        return "longer" if new > old else "shorter"
    if isinstance(new, int) or new == VIOLATED:
        return "broken"
    if isinstance(old, int) or old == VIOLATED:
        return "mended" if new == PROVED else "open"
    return "decided" if new == PROVED and old != ABSENT else "open" if new != PROVED else "new"


def _said(verdict: int | str) -> str:
    return f"violated after {verdict}" if isinstance(verdict, int) else "violated" if verdict == VIOLATED else verdict


def changes_text(changes: Sequence[Change]) -> str:
    """The changes as text, each kind once with its usual meaning."""
    lines: list[str] = []
    for sort in dict.fromkeys(change.sort for change in changes):
        mine = [change for change in changes if change.sort == sort]
        lines += [f"{'changed' if mine[0].serious else 'warning'}: {change}" for change in mine]
        lines.append(f"  ({MEANINGS[sort]})")
    return "\n".join(lines)
