"""everystate explain: what a violation needs, and the nearest setting that is safe."""

from __future__ import annotations

import click

from ..results.itf import parse
from ..results.trace import Trace
from .output import note, read_text, say
from .show import load


@click.command(
    epilog="""\b
Example:
  everystate explain traces/idem-producer-unsafe-NoDup.itf.json

Runs the spec of the trace again, with one constant changed at a time: at zero to learn whether the violation needs
it, and by 1 or 2 to find a setting under which the property is proved."""
)
@click.argument("trace", type=click.Path(), metavar="TRACE")
@click.option(
    "--max-states",
    type=click.IntRange(min=1),
    default=2_000_000,
    show_default=True,
    help="Stop each run after so many distinct states.",
)
@click.option("--quiet", "-q", is_flag=True, help="Do not tell of each run.")
def command(trace: str, max_states: int, quiet: bool) -> None:
    """Explain the violation that the trace file TRACE (- for standard input) shows."""
    from everystate.counterexamples.explain import explain, explanation_lines

    loaded = load(parse(read_text(trace), trace))
    if loaded.spec is None or not isinstance(loaded.told, Trace) or not loaded.told.shows:
        raise click.ClickException("an explanation needs a trace that shows a violation, with its spec at hand")
    found = explain(loaded.spec, loaded.told, max_states, (lambda _: None) if quiet else _tell)
    texts = {name: constant.text for name, constant in type(loaded.spec).declared_constants().items()}
    say("\n".join(explanation_lines(found, texts)))


def _tell(setting: str) -> None:
    note(f"checking with {setting}")
