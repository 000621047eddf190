"""everystate explain: what a violation needs, and the nearest setting that is safe."""

from __future__ import annotations

from pathlib import Path

import click

from everystate.counterexamples import report
from everystate.counterexamples.explain import explain, explanation_lines, sections

from ...results.itf import parse
from ..options import spec_option
from ..output import note, read_text, say, write_text
from ..targets import resolve
from ..traces import behaviour, load, without


@click.command(
    epilog="""\b
Examples:
  everystate explain traces/idem-producer-unsafe-NoDup.itf.json
  everystate explain traces/idem-producer-unsafe-NoDup.itf.json -o why.html
  everystate explain trace.itf.json --spec path/to/spec.py

Checks the spec of the trace again, with one constant changed at a time: 0 shows whether the violation requires it, a
change by 1 or 2 finds a setting for which the property is proved. -o FILE writes the page of `everystate show TRACE
--as html` with the explanation. A spec that is not in `everystate list` is loaded only if --spec names it."""
)
@click.argument("trace", type=click.Path(), metavar="TRACE")
@click.option(
    "--max-states",
    type=click.IntRange(min=1),
    default=2_000_000,
    show_default=True,
    help="Stop each check after this number of distinct states.",
)
@click.option("-o", "--output", metavar="FILE", help="Write the page of the trace with the explanation.")
@spec_option
@click.option("--quiet", "-q", is_flag=True, help="Print no progress.")
def command(trace: str, max_states: int, output: str | None, spec: str | None, quiet: bool) -> None:
    """Explain the violation of the trace file TRACE (- for standard input)."""
    loaded = load(parse(read_text(trace), trace), resolve(spec) if spec else None, needed=True)
    shown, of = behaviour(loaded, trace, "explanation")
    if not shown.shows:
        raise without(trace, "explanation", "nothing is violated at its end")
    found = explain(of, shown, max_states, (lambda _: None) if quiet else _report)
    texts = {name: constant.text for name, constant in type(of)._declared_constants().items()}
    say("\n".join(explanation_lines(found, texts)))
    if output is not None:
        write_text(Path(output), report(shown, of, sections(found, texts)))


def _report(setting: str) -> None:
    note(f"checking with {setting}")
