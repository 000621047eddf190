"""SARIF 2.1.0, which GitHub code scanning and most editors read: unexpected results, at their lines of the spec.

A rule for each property of a spec, a result for each cell that is not as expected (an undecided one is an open result,
not a failure), and one for each change since the baseline. Locations are lines of properties; results without one are
located in the matrix file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ...language.conformance import AGREED, DIFFERENT, NOTHING
from ..matrix.baseline import MEANINGS, Change
from ..matrix.conformance import ERROR
from ..matrix.judge import Cell, Row
from ..runners.outcome import PROVED, VIOLATED

Json = dict[str, Any]
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"
"""The base of relative paths: the folder of the run, which in CI is the root of the repository."""
BASELINE = "baseline"
COUNTED = "a variant has as many states as are expected"
OPEN = {"kind": "open", "level": "none"}


def document(rows: Sequence[Row], changes: Sequence[Change], path: str) -> str:
    """The whole file; `path` is the matrix file."""
    places = {row.variant.name: row.variant.line for row in rows}
    found = [entry for row in rows for entry in _results(row, path)]
    found += [_change(change, path, places.get(change.variant, 0)) for change in changes]
    return log(found)


def log(found: Sequence[tuple[str, str, Json]]) -> str:
    """A file with these results: the name of a rule, its subject, and the result."""
    texts = {rule: text for rule, text, _ in found}
    driver = {"name": "Everystate", "version": version("everystate"), "rules": [*map(_rule, texts, texts.values())]}
    numbers = {rule: number for number, rule in enumerate(texts)}
    results = [{"ruleId": rule, "ruleIndex": numbers[rule], **result} for rule, _, result in found]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _rule(name: str, text: str) -> Json:
    return {"id": name, "shortDescription": {"text": text}}


def _results(row: Row, path: str) -> Iterator[tuple[str, str, Json]]:
    """(rule, subject of the rule, result) for the unexpected cells of a variant."""
    written = location(path, row.variant.line)
    if row.outcome.error:
        yield "spec", "a variant can be checked", _result(row.variant.name, row.outcome.error, [written])
        return
    cells = [cell for cell in row.cells if cell.wrong]
    for cell in cells:
        place = row.outcome.places.get(cell.property)
        locations = [location(place.path, place.line)] if place else [written]
        result = _result(row.variant.name, _message(row, cell), locations, related=[written])
        if cell.finding.status not in (PROVED, VIOLATED, DIFFERENT, AGREED, NOTHING, ERROR):
            result |= OPEN
        text = place.text if place and place.text else cell.property.replace("_", " ")
        text = f"the spec does what {cell.property} does" if cell.real else text
        yield f"{place.spec if place else row.variant.target}.{cell.property}", text, result
    if row.wrong and not cells:
        result = _result(row.variant.name, "; ".join(row.wrong), [written])
        yield ("decided", "every variant is decided", result | OPEN) if row.open else ("states", COUNTED, result)


def _change(change: Change, path: str, line: int) -> tuple[str, str, Json]:
    text = f"{change}. {MEANINGS[change.sort]}"
    result = _result(change.variant, text, [location(path, line)], level="error" if change.serious else "warning")
    return BASELINE, "nothing has changed since the baseline was written", result


def _message(row: Row, cell: Cell) -> str:
    trace = row.trace(cell)
    return f"{row.variant.name}: {cell.wrong}" + (f"\n\n{trace}" if trace else "")


def _result(variant: str, text: str, locations: list[Json], related: Sequence[Json] = (), level: str = "error") -> Json:
    found: Json = {"level": level, "message": {"text": text}, "locations": locations}
    if related:
        found["relatedLocations"] = [{**place, "message": {"text": "the variant"}} for place in related]
    mark = hashlib.sha256(f"{variant}\n{locations[0]['physicalLocation']['artifactLocation']['uri']}".encode())
    found["partialFingerprints"] = {"everystateVariant/v1": mark.hexdigest()[:32]}
    return found


def location(path: str, line: int) -> Json:
    """A line of a file."""
    place: Json = {"artifactLocation": _artifact(Path(path))}
    if line:
        place["region"] = {"startLine": line}
    return {"physicalLocation": place}


def _artifact(path: Path) -> Json:
    """A file of the run's folder by its relative path, any other one as it is."""
    absolute = path.absolute()
    if absolute.is_relative_to(Path.cwd()):
        return {"uri": quote(absolute.relative_to(Path.cwd()).as_posix()), "uriBaseId": ROOT}
    return {"uri": absolute.as_uri()}
