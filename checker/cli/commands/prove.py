"""everystate prove: bounded checks and inductive proofs with z3."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...engines.stopwatch import Stopwatch
from ...errors import EverystateError, suggestion
from ...extras import require
from ...language.goals import wanted
from ...results.plain import show_constants
from ...results.text import Paint, render
from ..larger_sizes import inductive_sizes
from ..options import BoundedNumber, colour_option, constant_option, constants, report_options, size, target_argument
from ..output import note, painter, require_file, say, width, write_text
from ..progress import watcher
from ..reporting import ReportOptions, detail_of, report_result
from ..searching import compiled
from ..targets import Target, resolve

if TYPE_CHECKING:
    from ...engines.observer import Observer
    from ...engines.symbolic.inductive import Induction
    from ...engines.symbolic.lemmas import Candidate
    from ...engines.symbolic.parametric import OpenConstantsResult
    from ...engines.symbolic.search import Question
    from ...ir.traced import Model
    from ...results.result import Result
    from ...results.trace import Trace

DEPTH = 20
"""Steps of a bounded search, where it is not the whole question."""
PATIENCE = 60.0
"""Seconds for the invariant of a proof that needs none, if it is to be written."""
SHOWN = 40
"""Clauses of an invariant that are printed."""


@click.command(
    epilog="""\b
Examples:
  everystate prove two-phase
  everystate prove idem-producer -c max_in_flight=3 -c window=2 --depth 12
  everystate prove idem-producer -c batches=2 --open window=1..2,max_in_flight=1..2 --depth 10 --boundary
  everystate prove idem-producer --inductive
  everystate prove die-hard --reach "self.big == 4 and self.small == 0"

Needs the extra z3. docs/how-to/proofs.md explains when this is faster than `everystate check`."""
)
@target_argument
@constant_option
@click.option(
    "--depth",
    type=click.IntRange(min=0),
    metavar="K",
    help="Check all behaviours of up to K steps only.",
)
@click.option(
    "--property",
    "properties",
    multiple=True,
    metavar="NAME",
    help="Check this property only, or `error` or `deadlock`; repeatable.",
)
@click.option(
    "--reach", metavar="WHAT", help="Print a shortest trace to a state where a property or an expression holds."
)
@click.option(
    "--inductive", is_flag=True, help="Prove the properties for any number of steps, with the lemmas of the spec."
)
@click.option(
    "--k", type=click.IntRange(min=1), default=1, show_default=True, help="With --inductive: assume up to K steps."
)
@click.option("--lemmas", metavar="FILE", help="Write the invariant of a proof as @lemma methods, for --inductive.")
@click.option("--open", "opened", metavar="RANGES", help="All values of constants: window=1..4,max_in_flight=1..4.")
@click.option("--any-size", "any_size", metavar="NAMES", help="Every value of constants from 1 on: clients,keys.")
@click.option("--boundary", is_flag=True, help="With --open: find every violating choice, not only the first.")
@click.option("--time-limit", type=BoundedNumber(min=0, min_open=True), metavar="S", help="Stop after S seconds.")
@click.option("--max-memory", metavar="SIZE", help="Stop when the process takes more memory than this, for example 4G.")
@click.option("--no-deadlock", is_flag=True, help="Accept states without successors.")
@report_options
@click.option("--quiet", "-q", is_flag=True, help="Print the last line only.")
@colour_option
def command(target: str, constant: tuple[str, ...], **given: Any) -> int:
    """Prove the properties of TARGET for any number of steps, or find a shortest violation.

    Without options a bounded search and IC3 run in parallel, and the first answer counts. No lemmas are needed.
    """
    stopwatch = Stopwatch(click.get_current_context().obj)
    wishes = ReportOptions.of(given)
    require("everystate prove", "z3", "pysat")
    wishes.check()
    if given["lemmas"]:
        require_file(Path(given["lemmas"]))
    found, observer = resolve(target), watcher(wishes.quiet)
    try:
        text, result = _run(found, constants(found, constant), {**given, "stopwatch": stopwatch}, observer, wishes)
    finally:
        observer.finish()
    if text and wishes.json != "-" and not wishes.quiet:
        say(text)
    return report_result(replace(result, times=stopwatch.times), wishes)


def _run(
    found: Target, fixed: dict[str, Any], given: dict[str, Any], observer: Observer, wishes: ReportOptions
) -> tuple[str, Result]:
    """What is printed before the result, and the result."""
    from ...engines.observer import counted
    from ...engines.symbolic import bounded
    from ...frontend.kept import traced

    if sum(given[name] not in (None, False) for name in ("opened", "any_size", "inductive", "reach")) > 1:
        raise click.UsageError("--open, --any-size, --inductive and --reach ask different questions; give one of them")
    if given["any_size"] is not None:
        return _any_size(found, fixed, given, observer)
    if given["opened"] is not None:
        return _opened(found, fixed, given, observer, wishes)
    spec, question, name = found.spec(fixed), _question(given), ""
    wishes.check_trace(spec)
    if given["reach"] is not None:
        spec, name = wanted(spec, given["reach"])
    with question.stopwatch.measuring("tracing"), compiled():
        model = traced(spec, counted(observer, "tracing"))
    with question.stopwatch.measuring("search"):
        if name:
            result, witness = bounded.reach(model, name, question, observer, found.name)
            return _text(witness, given), result
        if given["depth"] is not None and not given["inductive"]:
            return "", bounded.check(model, question, observer, found.name)
        if not given["inductive"]:
            return _decided(model, question, observer, found, given)
        from ...engines.symbolic import inductive

        found_out = inductive.prove(model, question, given["k"], observer, found.name)
    return _attempt(found_out, painter(given["color"])), found_out.result


def _decided(
    traced: Model, question: Question, observer: Observer, found: Target, given: dict[str, Any]
) -> tuple[str, Result]:
    """The invariant of a proof, and the result."""
    from ...engines.symbolic import decide
    from ...engines.symbolic.attempt import Help
    from ...engines.symbolic.clauses import ClauseWriter

    help = Help(patience=PATIENCE) if given["lemmas"] else Help()
    decision = decide.decide(traced, question, observer, found.name, help)
    if decision.invariant is None:
        if given["lemmas"]:
            note(f"no invariant was found, so {given['lemmas']} was not written")
        return "", decision.result
    teller, clauses = ClauseWriter(decision.invariant.predicates), decision.invariant.clauses
    if given["lemmas"]:
        file = Path(given["lemmas"])
        write_text(file, teller.lemmas(clauses, file))
        if said := inductive_sizes(file, traced.spec, question):
            note(said)
    texts, paint = teller.lines(clauses), painter(given["color"])
    lines = [f"  {text}" for text in texts[:SHOWN]]
    lines += [f"  ... and {len(texts) - SHOWN} more (--lemmas FILE writes them all)"] if len(texts) > SHOWN else []
    return "\n".join([paint("title", "the invariant:"), *lines, ""]) if lines else "", decision.result


def _opened(
    found: Target, fixed: dict[str, Any], given: dict[str, Any], observer: Observer, wishes: ReportOptions
) -> tuple[str, Result]:
    from ...engines.observer import counted
    from ...engines.symbolic import parametric

    values = _ranges(found, given["opened"])
    question = _question(given)
    with question.stopwatch.measuring("tracing"):
        traced = parametric.trace_all(
            lambda choice: found.spec({**fixed, **choice}), values, counted(observer, "tracing all")
        )
    wishes.check_trace(traced[0][1].spec)
    with question.stopwatch.measuring("search"):
        if given["depth"] is None and not given["boundary"]:
            seen = parametric.decide(traced, question, observer, found.name)
        else:
            seen = parametric.check(traced, question, given["boundary"], observer, found.name)
    return _violating(seen), seen.result


def _any_size(found: Target, fixed: dict[str, Any], given: dict[str, Any], observer: Observer) -> tuple[str, Result]:
    """The conditions of a proof for any size, and the result."""
    from ...engines import unbounded

    for name in ("depth", "lemmas", "boundary"):
        if given[name] not in (None, False):
            raise click.UsageError(f"--any-size has no --{name}")
    names, question = [name.strip() for name in given["any_size"].split(",")], _question(given)
    with question.stopwatch.measuring("search"):
        seen = unbounded.decide(lambda sizes: found.spec({**fixed, **sizes}), names, question, observer, found.name)
    lines = [painter(given["color"])("title", "the invariant, for all elements:"), *(f"  {t}" for t in seen.invariant)]
    return "\n".join([*lines, ""]) if seen.invariant else "", seen.result


def _text(trace: Trace | None, given: dict[str, Any]) -> str:
    shown = detail_of(given), given["hide"], width()
    return render(trace, painter(given["color"]), *shown) if trace is not None else ""


def _question(given: dict[str, Any]) -> Question:
    from ...engines.symbolic.search import Question

    memory = size(given["max_memory"]) if given["max_memory"] else None
    depth = DEPTH if given["depth"] is None else given["depth"]
    return Question(
        depth,
        given["properties"],
        not given["no_deadlock"],
        seconds=given["time_limit"],
        memory=memory,
        cross_check=given["cross_check"],
        stopwatch=given["stopwatch"],
    )


def _attempt(found: Induction, paint: Paint) -> str:
    """The lemmas of a proof, or the counterexamples to induction."""
    return "\n".join(_lines(found, paint))


def _lines(found: Induction, paint: Paint) -> Iterator[str]:
    for obstacle in found.obstacles:
        yield paint("title", f"{obstacle.property} is not inductive: from a state that satisfies everything assumed,")
        yield render(obstacle.trace, paint)
        yield f"the first of these states is {obstacle.first}\n"
    yield from _listed("proved with the lemmas", found.used, paint)
    yield from _listed("lemmas that are not inductive", found.dropped, paint)


def _listed(title: str, lemmas: Sequence[Candidate], paint: Paint) -> Iterator[str]:
    if lemmas:
        yield paint("title", f"{title}:")
        yield from (f"  {lemma.name}" + (f": {lemma.text}" if lemma.text else "") for lemma in lemmas)
        yield ""


def _ranges(target: Target, text: str) -> dict[str, range]:
    """The ranges of --open; E512 when malformed, E107 for an unknown constant."""
    declared = target.declared()
    whole = {n: c.default for n, c in declared.items() if type(c.default) is int}
    found: dict[str, range] = {}
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\w+)\s*=\s*(-?\d+)\s*\.\.\s*(-?\d+)\s*", part)
        if match is None or int(match[2]) > int(match[3]):
            example = next((f"{n}={v}..{v + 2}" for n, v in whole.items()), "n=1..3")
            raise EverystateError("E512", None, text=text, example=example)
        if match[1] not in whole:
            facts = {"suggestion": suggestion(match[1], list(whole)), "names": ", ".join(whole)}
            raise EverystateError("E107", None, spec=target.cls.__name__, name=match[1], **facts)
        found[match[1]] = range(int(match[2]), int(match[3]) + 1)
    return found


def _violating(opened: OpenConstantsResult) -> str:
    """Which choices of the open constants violate something."""
    lines = [
        f"  {show_constants(choice)}: {', '.join(names)} after {length} steps"
        for choice, names, length in opened.violating
    ]
    if not lines:
        return ""
    title = "every violating choice:" if opened.complete else "violating choices of least length:"
    end = [f"safe exactly where {opened.relation}"] if opened.relation else []
    return "\n".join([title, *lines, *end]) + "\n"
