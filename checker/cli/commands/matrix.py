"""everystate matrix: check many variants, and compare with expectations and a baseline."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from ...errors import EverystateError, below_here
from ...regression.matrix import baseline, table
from ...regression.matrix.baseline import Change
from ...regression.matrix.conformance import Held, hold
from ...regression.matrix.judge import Row, as_json, exit_code, judge
from ...regression.matrix.variants import Variant, read, select
from ...regression.reports import github, junit, sarif
from ...regression.runners.outcome import Outcome, remarks
from ...regression.runners.runner import INTERRUPTED, make
from ..options import colour_option
from ..output import append_step_summary, note, painter, read_text, require_file, require_folder, say, write_text
from ..registry import registry
from ..spark import engine_option
from ..sweeps import ProgressLine, load, runner, store_traces

FORMS = {
    "json": ("itf",),
    "out": ("itf",),
    "junit": ("text",),
    "sarif": ("text",),
    "github": ("text", "mermaid"),
}
"""The forms of traces that options print or write."""


@click.command(
    epilog="""\b
Examples:
  everystate matrix
  everystate matrix my-matrix.toml --tag fast --junit out/junit.xml
  everystate matrix my-matrix.toml --baseline baseline.json --github

Without FILE the matrix of everystate's own specs is checked. Exit code 0 if every cell is as expected (and as in the
baseline), 12 if one differs, 3 if nothing differs but a cell is undecided."""
)
@click.argument("file", metavar="[FILE]", required=False)
@click.option("--tag", metavar="TAG", default="", help="Only the variants with this tag, for example fast.")
@click.option("--json", metavar="FILE", help="Write all reports as JSON, - for standard output.")
@click.option("--junit", metavar="FILE", type=click.Path(path_type=Path), help="Write JUnit XML.")
@click.option("--sarif", metavar="FILE", type=click.Path(path_type=Path), help="Write SARIF 2.1.0.")
@click.option("--github", is_flag=True, help="Print annotations, and write the step summary of GitHub Actions.")
@click.option("--baseline", metavar="FILE", help="Report changes since this file was written.")
@click.option("--update-baseline", is_flag=True, help="Write the file of --baseline again.")
@click.option("--prune", is_flag=True, help="With --update-baseline: remove variants that FILE does not have.")
@click.option("--out", metavar="DIR", type=click.Path(path_type=Path), help="Write a trace file for every violation.")
@click.option("--no-cache", is_flag=True, help="Check every variant, even if its result is cached.")
@engine_option
@click.option("--workers", type=click.IntRange(1, 256), help="Processes; by default one for each processor.")
@click.option("--quiet", "-q", is_flag=True, help="Print the last line only.")
@colour_option
def command(file: str | None, tag: str, **given: Any) -> int:
    """Check every variant of a matrix FILE in parallel, and report what is not as expected."""
    if given["update_baseline"] and not given["baseline"]:
        raise click.UsageError("--update-baseline needs --baseline FILE")
    if given["prune"] and not given["update_baseline"]:
        raise click.UsageError("--prune needs --update-baseline")
    _try_places(given)
    path, variants = _variants(file)
    wanted = select(variants, tag, path)
    old = _baseline(given)
    rows = _check(wanted, given)
    names = [variant.name for variant in variants]
    changes: list[Change] = []
    if given["baseline"]:
        changes = baseline.compare(old, rows, names) if old and not given["update_baseline"] else []
        if given["update_baseline"]:
            _update(baseline.merged(old, rows), names, given)
    _write(rows, changes, path, given)
    _report(rows, changes, path, given)
    return _code(rows, changes)


def _update(entries: dict[str, Any], known: Sequence[str], given: dict[str, Any]) -> None:
    """Write the baseline; what it has of other variants stays unless --prune is given."""
    others = baseline.foreign(entries, known)
    if others and given["prune"]:
        entries["variants"] = {n: entry for n, entry in entries["variants"].items() if n not in others}
    elif others:
        named = ", ".join(others[:3]) + (f" and {len(others) - 3:,} more" if len(others) > 3 else "")
        note(f"note: the baseline keeps what this matrix has not: {named}; --prune takes it out")
    write_text(Path(given["baseline"]), baseline.written(entries))


def _variants(file: str | None) -> tuple[str, list[Variant]]:
    """The name of the file, and all its variants."""
    path = file or below_here(str(registry().MATRIX))
    return path, read(path, read_text(path), registry().scenarios())


def _baseline(given: dict[str, Any]) -> dict[str, Any] | None:
    path = given["baseline"]
    if not path or (given["update_baseline"] and not Path(path).exists()):
        return None
    if not Path(path).exists():
        raise EverystateError("E427", None, path=path, reason="there is no such file")
    return baseline.parse(path, read_text(path))


def _check(wanted: Sequence[Variant], given: dict[str, Any]) -> list[Row]:
    teller = ProgressLine(len(wanted), given["quiet"])
    try:
        forms = tuple({form for option, found in FORMS.items() if given[option] for form in found})
        outcomes = make(runner(given), [variant.job(not given["no_cache"], forms) for variant in wanted], teller)
    finally:
        teller.finish()
    held = _held(wanted, outcomes, given)
    return [judge(variant, outcome, held[variant.name]) for variant, outcome in zip(wanted, outcomes, strict=True)]


def _held(wanted: Sequence[Variant], outcomes: Sequence[Outcome], given: dict[str, Any]) -> Held:
    """The conformance results of the variants that name a driver, after their checks."""
    if any(outcome.report["exit_code"] == INTERRUPTED for outcome in outcomes):
        return {variant.name: [] for variant in wanted}
    made = [v for v, outcome in zip(wanted, outcomes, strict=True) if not outcome.error and not outcome.stopped]
    return {variant.name: [] for variant in wanted} | hold(made, load, (lambda _: None) if given["quiet"] else note)


def _try_places(given: dict[str, Any]) -> None:
    for name in ("json", "junit", "sarif", "baseline"):
        if given[name] not in (None, "-") and (name != "baseline" or given["update_baseline"]):
            require_file(Path(given[name]))
    if given["out"] is not None:
        require_folder(given["out"])


def _write(rows: list[Row], changes: list[Change], path: str, given: dict[str, Any]) -> None:
    wants = given["json"] or given["out"]
    traces = [store_traces(row.outcome, given["out"]) if wants else {} for row in rows]
    if given["json"]:
        found = {
            "matrix": path,
            "exit_code": _code(rows, changes),
            "results": [as_json(row, paths) for row, paths in zip(rows, traces, strict=True)],
            "changes": [{"variant": c.variant, "sort": c.sort, "what": c.what, "serious": c.serious} for c in changes],
        }
        text = json.dumps(found, indent=2, ensure_ascii=False)
        if given["json"] == "-":
            say(text, whole=True)
        else:
            write_text(Path(given["json"]), text + "\n")
    if given["junit"]:
        write_text(given["junit"], junit.document(rows))
    if given["sarif"]:
        write_text(given["sarif"], sarif.document(rows, changes, path))
    if given["github"]:
        _github(rows, changes, path, given)


def _github(rows: list[Row], changes: list[Change], path: str, given: dict[str, Any]) -> None:
    out = note if given["json"] == "-" else say
    for line in github.commands(rows, changes, path):
        out(line)
    append_step_summary(github.summary(rows, changes))


def _report(rows: list[Row], changes: list[Change], path: str, given: dict[str, Any]) -> None:
    for remark in remarks([row.outcome for row in rows]):
        note(f"warning: {remark}")
    if given["json"] == "-":
        return
    paint = painter(given["color"])
    if changes:
        say(baseline.changes_text(changes) + "\n")
    say(f"{table.summary(rows, paint)}\n" if given["quiet"] else table.draw(rows, paint, path), end="")


def _code(rows: list[Row], changes: list[Change]) -> int:
    code = exit_code(rows)
    return 12 if code in (0, 3) and any(change.serious for change in changes) else code
