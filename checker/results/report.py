"""The report of a run: one object for machines, a few lines for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from .plain import scalar
from .result import Result, Violation, fails
from .text import Paint, count, plain
from .verdict import Kind

MEASURABLE = 10_000
"""States from which on speed and size for each state say something."""


def report(result: Result, traces: Sequence[str | None] = ()) -> dict[str, Any]:
    """The JSON report; `traces` holds the path of the ITF file of each violation."""
    paths = [*traces, *[None] * len(result.violations)]
    return {
        "target": result.target,
        "constants": {name: scalar(value) for name, value in result.constants.items()},
        "engine": result.engine,
        "verdict": str(result.verdict),
        "exit_code": int(result.exit_code),
        "distinct": result.distinct,
        "generated": result.generated,
        "depth": result.depth,
        "cross_checked": result.cross_checked,
        "seconds": round(result.seconds, 6),
        "states_per_second": round(result.states_per_second),
        "bytes_per_state": round(result.bytes_per_state, 1),
        "violations": [_violation(v, path) for v, path in zip(result.violations, paths, strict=False)],
        "conditions": result.conditions.phrases(),
        "warnings": list(result.warnings),
        "coverage": {
            name: {what: number for what, number in asdict(seen).items() if number is not None}
            for name, seen in result.coverage.items()
        },
        **({"times": {name: round(seconds, 6) for name, seconds in result.times.items()}} if result.times else {}),
        **result.details,
    }


def _violation(violation: Violation, path: str | None) -> dict[str, Any]:
    return {
        "property": violation.property,
        "kind": violation.kind.value,
        "length": violation.length,
        "trace": path,
    }


# -- for people --------------------------------------------------------------------------------------------


def summary(result: Result, paint: Paint = plain) -> str:
    """What is printed after the traces: warnings, counts, and last the verdict."""
    lines = [paint("warning", f"warning: {warning}") for warning in result.warnings]
    if result.warnings:
        lines.append("")
    lines.append(paint("faint", counts(result)))
    lines.append(verdict_line(result, paint))
    return "\n".join(lines) + "\n"


def verdict_line(result: Result, paint: Paint = plain) -> str:
    """The verdict sentence, its first word coloured, and how many states were cross-checked."""
    word, rest = result.statement.split(" ", 1)
    return f"{paint(word, word)} {rest}; {cross_checked(result)}"


def cross_checked(result: Result) -> str:
    """How many states were cross-checked, or why none was."""
    if result.engine in ("python", "replay"):
        return "executed as plain Python"
    return f"{count(result.cross_checked, 'state') if result.cross_checked else 'no state'} cross-checked"


def counts(result: Result) -> str:
    """The numbers of a run in one line."""
    if result.engine == "walk":
        return f"{count(result.generated, 'state')} visited, {result.distinct:,} distinct, {result.seconds:.2f} s"
    if result.effort:
        return f"{result.effort}, {_time(result)}"
    parts = [
        f"{result.distinct:,} distinct",
        f"{result.generated:,} generated",
        f"depth {result.depth}",
        _time(result),
    ]
    if result.distinct >= MEASURABLE:
        parts.append(f"{rate(result.states_per_second)} states/s")
        parts += [f"{result.bytes_per_state:.0f} bytes/state"] if result.bytes_per_state else []
    return ", ".join(parts)


def _time(result: Result) -> str:
    """How long a command has taken, and its parts; else its search."""
    if not result.times:
        return f"{result.seconds:.2f} s"
    whole, *parts = [f"{name} {seconds:.2f} s" for name, seconds in result.times.items()]
    return f"{whole.partition(' ')[2]} ({', '.join(parts)})"


def rate(number: float) -> str:
    """A speed for people: 950, 12.3k, 4.6M."""
    if number >= 1e6:
        return f"{number / 1e6:.1f}M"
    return f"{number / 1e3:.1f}k" if number >= 1e3 else f"{number:.0f}"


def violation_lines(result: Result) -> list[str]:
    """One line for each violated property: how it fails, how often, and the author's sentence."""
    lines = []
    for violation in result.violations:
        often = _often(violation)
        said = "" if violation.text in fails(violation) else f": {violation.text}"
        lines.append(fails(violation) + often + said)
    return lines


def _often(violation: Violation) -> str:
    steps = violation.kind in (Kind.STEP_INVARIANT, Kind.REFINEMENT) and violation.length
    places = [f"in {count(violation.states, 'step' if steps else 'state')}"] if violation.states else []
    places += ["beyond a constraint"] if violation.beyond else []
    return f" ({' and '.join(places)})" if places else ""


def coverage_table(result: Result) -> list[str]:
    """How each action took part."""
    rows = [["action", "enabled in", "steps", "new states"]]
    rows += [[name, *(f"{n:,}" for n in asdict(c).values() if n is not None)] for name, c in result.coverage.items()]
    widths = [max(map(len, column)) for column in zip(*rows, strict=False)]
    return [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=False))
        ).rstrip()
        for row in rows
    ]
