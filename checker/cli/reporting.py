"""What check and walk do with a result: store its traces, write the JSON report, print it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import EverystateError, suggestion
from ..language import Spec
from ..language.marks import ACTION_CONSTRAINT, CONSTRAINT, VIEW
from ..results.report import coverage_table, report, summary, verdict_line
from ..results.result import Result, Violation, check_guesses
from ..results.text import Detail, Paint, render
from ..results.verdict import Kind
from .output import note, painter, require_file, require_folder, say, trace_name, width, write_text
from .own_traces import remember
from .registry import registry


def detail_of(given: dict[str, Any]) -> Detail:
    """How much of a trace the options ask for."""
    return "full" if given["verbose"] else "brief" if given["brief"] else "normal"


@dataclass(frozen=True)
class ReportOptions:
    """What the user wants to see of a result, and where it is stored."""

    out: Path | None = None
    json: str | None = None
    trace: str = ""
    coverage: bool = False
    quiet: bool = False
    colour: bool | None = None
    detail: Detail = "normal"
    hide: tuple[str, ...] = ()

    @staticmethod
    def of(given: dict[str, Any]) -> ReportOptions:
        """The wishes of a command's options."""
        coverage = bool(given.get("coverage"))
        values = (given["out"], given["json"], given["trace"], coverage, given["quiet"], given["color"])
        return ReportOptions(*values, detail_of(given), tuple(given["hide"]))

    @property
    def one_file(self) -> bool:
        """Whether --out names a file, for one trace."""
        return self.out is not None and self.out.suffix == ".json" and not self.out.is_dir()

    def shown(self, result: Result) -> list[Violation]:
        """The violations whose traces are wanted: those of --trace, else the first one."""
        with_trace = [v for v in result.violations if v.trace is not None]
        if self.trace == "all":
            return with_trace
        return [v for v in with_trace if v.property == self.trace] if self.trace else with_trace[:1]

    def check_trace(self, spec: Spec) -> None:
        """E511 where the trace of a property is wanted that does not exist."""
        known = [
            *(p.name for p in spec.properties if p.kind not in (CONSTRAINT, ACTION_CONSTRAINT, VIEW)),
            "error",
            "deadlock",
        ]
        if self.trace and self.trace not in (*known, "all"):
            facts = {"suggestion": suggestion(self.trace, known), "names": ", ".join(known)}
            raise EverystateError("E511", None, spec=type(spec).__name__, name=self.trace, **facts)

    def check(self) -> None:
        """Try the places where results go, before the run; E405 when one does not work."""
        if self.out is not None:
            require_file(self.out) if self.one_file else require_folder(self.out)
        if self.json not in (None, "-"):
            require_file(Path(str(self.json)))


def report_result(result: Result, wishes: ReportOptions) -> int:
    """Report a result; returns the exit code, which the verdict decides unless that is 0 and a file failed."""
    check_guesses(result)
    failures: list[EverystateError] = []
    paths = _store(result, wishes, failures)
    texts = list(_for_people(result, wishes, paths)) if wishes.json != "-" else []
    written = None
    if wishes.json is not None:
        import json

        written = json.dumps(report(result, paths), indent=2, ensure_ascii=False)
    for text, end in texts:
        say(text, end=end)
    if wishes.json == "-" and not wishes.quiet:
        note(result.statement)
    if written is not None:
        _write_json(written, str(wishes.json), failures)
    for failure in failures:
        note(failure.explain())
    code = int(result.exit_code)
    return code if code or not failures else failures[0].exit_code


# -- files -------------------------------------------------------------------------------------------------


def _store(result: Result, wishes: ReportOptions, failures: list[EverystateError]) -> list[str | None]:
    """Write a file for each trace, if wanted; the path of each violation's file."""
    if wishes.out is not None and wishes.one_file:
        first = wishes.shown(result)[:1]
        return [_store_one(v, result, wishes.out, failures) if v in first else None for v in result.violations]
    folder = wishes.out or (_trace_cache(result) if wishes.json is not None else None)
    if folder is None:
        return [None] * len(result.violations)
    return [_store_one(v, result, folder / _file_name(v, result), failures) for v in result.violations]


def _file_name(violation: Violation, result: Result) -> str:
    kind = "error" if violation.kind is Kind.PROPERTY_ERROR else ""
    return trace_name(result.target, violation.property, kind)


def _store_one(violation: Violation, result: Result, path: Path, failures: list[EverystateError]) -> str | None:
    from ..results.itf import dump

    if violation.trace is None:
        return None
    folder = path.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        text = dump(violation.trace)
        write_text(path, text)
        remember(text, result.target)
    except (EverystateError, OSError) as error:
        if isinstance(error, EverystateError):
            failures.append(error)
        return None
    return str(path)


def _trace_cache(result: Result) -> Path:
    """Where the traces of a JSON report go when no folder is given: apart for each choice of constants."""
    from ..cache import cache_folder, digest

    return cache_folder() / "traces" / digest(repr(sorted(result.constants.items())))[:12]


def _write_json(text: str, where: str, failures: list[EverystateError]) -> None:
    if where == "-":
        say(text, whole=True)
        return
    try:
        write_text(Path(where), text + "\n")
    except EverystateError as error:
        failures.append(error)


# -- for people --------------------------------------------------------------------------------------------


def _for_people(result: Result, wishes: ReportOptions, paths: Sequence[str | None]) -> Iterator[tuple[str, str]]:
    """What is said, piece by piece, each with its end."""
    paint = painter(wishes.colour)
    if wishes.quiet:
        yield verdict_line(result, paint), "\n"
        return
    for text in _violations(result, wishes, paths, paint):
        yield text, "\n"
    if wishes.coverage:
        yield "\n".join(coverage_table(result)) + "\n", "\n"
    printed = _told_in_full(result, wishes)
    hidden = any(v.trace and v not in printed and not path for v, path in zip(result.violations, paths, strict=False))
    yield summary(result, paint, wishes.detail, width(), hidden), ""


def _violations(result: Result, wishes: ReportOptions, paths: Sequence[str | None], paint: Paint) -> Iterator[str]:
    """The traces that are wanted in full, and how to see those that were stored."""
    for violation in _told_in_full(result, wishes):
        yield _in_full(violation, wishes, paint)
    stored = [path for path in paths if path]
    if stored:
        yield paint("title", "traces:")
        yield from (f"  everystate show {shlex.quote(path)}{_named(result.target)}" for path in stored)
        yield ""


def _named(target: str) -> str:
    """The option that names the spec of a trace, where later commands do not find it: that of a module."""
    found = target.partition(":")[0].endswith((".py", ".tla")) or registry().find(target)
    return "" if found else f" --spec {shlex.quote(target)}"


def _told_in_full(result: Result, wishes: ReportOptions) -> list[Violation]:
    return wishes.shown(result) if wishes.trace or wishes.out is None else []


def _in_full(violation: Violation, wishes: ReportOptions, paint: Paint) -> str:
    assert violation.trace is not None
    text = render(violation.trace, paint, wishes.detail, wishes.hide, width())
    return f"{text}\n{violation.error.explain()}\n" if violation.error is not None else text
