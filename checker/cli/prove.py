"""everystate prove: bounded checks and inductive proofs with z3."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..extras import require
from .options import colour_option, constant_option, constants, doublecheck_option, size, target_argument
from .output import painter, say
from .progress import watcher
from .proofs import attempt
from .ranges import ranges, told
from .targets import Target, resolve
from .telling import Wishes, tell
from .wanted import wanted

if TYPE_CHECKING:
    from ..engines.observer import Observer
    from ..engines.symbolic_search import Question
    from ..results.result import Result
    from ..results.trace import Trace


@click.command(
    epilog="""\b
Examples:
  everystate prove idem-producer -c max_in_flight=3 -c window=2 --depth 12
  everystate prove idem-producer -c batches=2 --open window=1..2,max_in_flight=1..2 --depth 10 --boundary
  everystate prove idem-producer --inductive
  everystate prove die-hard --reach "self.big == 4 and self.small == 0"

Needs the extra z3. docs/engines.md says when this is faster than `everystate check`."""
)
@target_argument
@constant_option
@click.option(
    "--depth",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    metavar="K",
    help="Check all behaviours of up to K steps.",
)
@click.option(
    "--property",
    "properties",
    multiple=True,
    metavar="NAME",
    help="Check this property only; repeat it for several. `error` and `deadlock` are names too.",
)
@click.option(
    "--reach", metavar="WHAT", help="Show the shortest way to a state where a property or an expression holds."
)
@click.option(
    "--inductive", is_flag=True, help="Prove the properties for any number of steps, with the lemmas of the spec."
)
@click.option(
    "--k", type=click.IntRange(min=1), default=1, show_default=True, help="With --inductive: assume up to K steps."
)
@click.option("--open", "opened", metavar="RANGES", help="Leave constants open: window=1..4,max_in_flight=1..4.")
@click.option("--boundary", is_flag=True, help="With --open: find every violating choice, not only the first.")
@click.option("--time-limit", type=click.FloatRange(min=0, min_open=True), metavar="S", help="Stop after S seconds.")
@click.option("--max-memory", metavar="SIZE", help="Stop when z3 takes more memory than this, for example 4G.")
@click.option("--no-deadlock", is_flag=True, help="A state without successors is an end, not an error.")
@doublecheck_option
@click.option("--json", metavar="FILE", help="Write the report as JSON, - for standard output.")
@click.option("--out", metavar="DIR", type=click.Path(path_type=Path), help="Write a trace file for every violation.")
@click.option("--trace", metavar="NAME", default="", help="Print the trace of this property; `all` prints every one.")
@click.option("--quiet", "-q", is_flag=True, help="Print the last line only.")
@colour_option
def command(target: str, constant: tuple[str, ...], **given: Any) -> int:
    """Ask z3 for the first violation of TARGET within a number of steps, or for a proof for any number of them."""
    wishes = Wishes(given["out"], given["json"], given["trace"], False, given["quiet"], given["color"])
    require("everystate prove", "z3")
    wishes.check()
    found, observer = resolve(target), watcher(wishes.quiet)
    try:
        observer.phase("tracing")
        text, result = _run(found, constants(found.cls, constant), given, observer)
    finally:
        observer.finish()
    if text and wishes.json != "-" and not wishes.quiet:
        say(text)
    return tell(result, wishes)


def _run(found: Target, fixed: dict[str, Any], given: dict[str, Any], observer: Observer) -> tuple[str, Result]:
    """What is told before the result, and the result."""
    from ..engines import bounded
    from ..ir import model

    if sum(given[name] not in (None, False) for name in ("opened", "inductive", "reach")) > 1:
        raise click.UsageError("--open, --inductive and --reach ask different questions; give one of them")
    if given["opened"] is not None:
        return _opened(found, fixed, given, observer)
    spec, question = found.spec(fixed), _question(given)
    if given["reach"] is not None:
        spec, name = wanted(spec, given["reach"])
        result, witness = bounded.reach(model.build(spec), name, question, observer, found.name)
        return _text(witness, given), result
    traced = model.build(spec)
    if not given["inductive"]:
        return "", bounded.check(traced, question, observer, found.name)
    from ..engines import inductive

    found_out = inductive.prove(traced, question, given["k"], observer, found.name)
    return attempt(found_out, painter(given["color"])), found_out.result


def _opened(found: Target, fixed: dict[str, Any], given: dict[str, Any], observer: Observer) -> tuple[str, Result]:
    from ..engines import opened

    values = ranges(found.cls, given["opened"])
    traced = opened.trace_all(found.cls, {**found.preset, **fixed}, values)
    seen = opened.check(traced, _question(given), given["boundary"], observer, found.name)
    return told(seen), seen.result


def _text(trace: Trace | None, given: dict[str, Any]) -> str:
    from ..results.text import render

    return render(trace, painter(given["color"])) if trace is not None else ""


def _question(given: dict[str, Any]) -> Question:
    from ..engines.symbolic_search import Question

    memory = size(given["max_memory"]) if given["max_memory"] else None
    limits = {"seconds": given["time_limit"], "memory": memory, "doublecheck": given["doublecheck"]}
    return Question(given["depth"], given["properties"], not given["no_deadlock"], **limits)
