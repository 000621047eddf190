"""The report of a run: JSON for machines, a few lines for people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ..language.marks import Constants
from .plain import scalar, show_changed
from .result import Result, Violation, different, fails
from .text import VARYING, WIDTH, Detail, Paint, count, expected, plain, wrapped
from .verdict import Kind, SampleCoverage, Verdict

MEASURABLE = 10_000
"""The number of states from which on speed and size for each state are meaningful."""


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
        **({"paths": result.paths.report()} if result.paths else {}),
        **({"sampled": asdict(result.sampled)} if result.sampled else {}),
        "seconds": round(result.seconds, 6),
        "states_per_second": round(result.states_per_second),
        "bytes_per_state": round(result.bytes_per_state, 1),
        "violations": [_violation(v, path) for v, path in zip(result.violations, paths, strict=False)],
        **({"guaranteed": list(result.guaranteed)} if result.guaranteed else {}),
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


def summary(
    result: Result, paint: Paint = plain, detail: Detail = "normal", width: int = WIDTH, hidden: bool = False
) -> str:
    """What is printed after the traces: the limits of the verdict, notes, and a block that begins with the verdict.

    `hidden`: there are traces that were not printed.
    """
    limits = result.conditions.warnings()
    notes = [note for note in result.warnings if note not in limits]
    lines = [*_marked("warning: ", limits, paint, width, detail), *_marked("note: ", notes, paint, width, detail)]
    lines += [""] if lines else []
    word = str(result.verdict)
    first, *more = wrapped(result.headline, width, len(word) + 2, " " * (len(word) + 2))
    lines += [f"{paint(word, word)}  {first}", *more]
    for title, texts in _rows(result, hidden, detail):
        room = WHOLE if VARYING.search(texts[0]) else width  # broken where it is printed
        first, *more = [line for text in texts for line in wrapped(text, room, LABEL, " " * LABEL)]
        lines.append(f"  {paint('faint', f'{title:<{LABEL - 2}}')}{first}")
        lines += (f"{'' if line.startswith(' ') else ' ' * LABEL}{line}" for line in more)
    return "\n".join(lines) + "\n"


MEANT = "(where such an end is meant, write may_terminate = True in the class)"
LIST = re.compile(r"\w+(, \w+)+")
WHOLE = 1000
"""Characters of a line that is not broken: its length differs from run to run."""
LABEL = 15
"""Columns before the texts of the block."""


def _marked(mark: str, texts: Sequence[str], paint: Paint, width: int, detail: Detail) -> Iterator[str]:
    for text in texts:
        lines = wrapped(text, width, len(mark), "  ")
        said, _, names = text.rpartition(": ")
        if len(lines) > 2 and detail != "full" and LIST.fullmatch(names):
            lines = wrapped(f"{said} (-v lists them)", width, len(mark), "  ")
        yield paint("warning", mark) + lines[0]
        yield from lines[1:]


def _sentences(constants: Mapping[str, Any]) -> list[str]:
    """What the constants mean that differ from their defaults."""
    texts = constants.texts if isinstance(constants, Constants) else {}
    return [f"{name}: {texts[name]}" for name in getattr(constants, "changed", ()) if name in texts]


def _rows(result: Result, hidden: bool, detail: Detail) -> Iterator[tuple[str, list[str]]]:
    """The lines of the block under the verdict, with their titles."""
    if result.violations:
        shown = "(--trace NAME shows another trace, --out DIR writes all to files)"
        ends = [MEANT] if any(v.kind is Kind.DEADLOCK for v in result.violations) else []
        yield "violated", violation_lines(result) + ends + ([shown] if hidden else [])
    held = [f"{', '.join(names)} ({kind})" for kind, names in result.holding.items()]
    held += [f"{', '.join(result.guaranteed)} (guaranteed by the domains)"] if result.guaranteed else []
    if held:
        yield "holds", ["; ".join(held)]
    elif not result.violations and not result.said and set(result.checked) <= {"deadlock"}:
        only = "deadlock and errors" if result.checked else "errors"
        yield "properties", [f"none: only {only} were checked"]
    if result.how and result.verdict is Verdict.PROVED:
        yield "proof", [result.how]
    if result.conditions.phrases():
        yield "conditions", ["; ".join(result.conditions.phrases())]
    changed = show_changed(result.constants)
    if changed:
        yield "constants", [changed, *(_sentences(result.constants) if detail == "full" else ())]
    exact = "exhaustive, exact states: " if result.verdict is Verdict.PROVED and not result.said else ""
    yield "search", [exact + counts(result)]
    if result.sampled:
        yield "not seen", [_unseen(result, result.sampled)]
    covered = f"{_covered(result)}, no difference" if result.cross_checked else cross_checked(result)
    yield "cross-check", [covered, *(result.paths.details() if result.paths and detail == "full" else ())]
    if result.times:
        whole, *parts = (f"{name} {seconds:.2f} s" for name, seconds in result.times.items())
        yield "time", [": ".join((whole.partition(" ")[2], *filter(None, [", ".join(parts)])))]


def verdict_line(result: Result, paint: Paint = plain) -> str:
    """The verdict sentence, its first word coloured, and how many states were cross-checked."""
    word, rest = result.statement.split(" ", 1)
    return f"{paint(word, word)} {rest}; {cross_checked(result)}"


def cross_checked(result: Result) -> str:
    """How many states were cross-checked, or why none was."""
    if result.engine in ("python", "replay"):
        return "executed as plain Python"
    states = count(result.cross_checked, "state") if result.cross_checked else "no state"
    missing = result.paths is not None and not result.paths.complete
    return f"{_covered(result) if missing else states} cross-checked"


def _covered(result: Result) -> str:
    """What was cross-checked: paths, where they are known, and states."""
    states = count(result.cross_checked, "state")
    return f"{result.paths.statement}, {states}" if result.paths and result.paths.taken else states


def counts(result: Result) -> str:
    """The numbers of a run in one line."""
    seconds = [] if result.times else [f"{result.seconds:.2f} s"]
    if result.engine == "walk":
        parts = [f"{count(result.generated, 'state')} visited", different(result)]
        return ", ".join([*parts, *seconds])
    if result.effort:
        return ", ".join([result.effort, *seconds])
    parts = [f"{result.distinct:,} distinct", f"{result.generated:,} generated", f"depth {result.depth}", *seconds]
    if result.distinct >= MEASURABLE:
        parts.append(f"{rate(result.states_per_second)} states/s")
        parts += [f"{result.bytes_per_state:.0f} bytes/state"] if result.bytes_per_state else []
    return ", ".join(parts)


def _unseen(result: Result, sampled: SampleCoverage) -> str:
    """What further walks would find."""
    least = 1 / result.generated
    share = f"about {sampled.new:.1%}" if sampled.new >= least else f"less than {least:.1%}"
    return f"{share.replace('%', ' %')} of the states on a further walk would be new (Good-Turing estimate)"


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
        text, failure = violation.text, fails(violation)
        said = "" if text in failure else f": {text}" if violation.kind is Kind.DEADLOCK else expected(text)
        lines.append(failure + often + said)
    return lines


def _often(violation: Violation) -> str:
    steps = violation.kind in (Kind.STEP_INVARIANT, Kind.REFINEMENT) and violation.length
    places = [f"in {count(violation.states, 'step' if steps else 'state')}"] if violation.states else []
    places += ["beyond a constraint"] if violation.beyond else []
    places = [" and ".join(places)] if places else []
    return f" ({'; '.join([*places, *filter(None, [violation.remark])])})" if places or violation.remark else ""


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
