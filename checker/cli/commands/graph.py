"""everystate graph: the state graph of a small space, or around a trace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from everystate import counterexamples
from everystate.counterexamples.graph import GraphLimits, as_dot, as_graphml, as_json, state_graph, summary_lines

from ...language.spec import Spec
from ...results.itf import parse
from ...results.trace import Trace
from ..options import constant_option, constants, target_argument
from ..output import note, read_text, say, unwritable, write_text
from ..targets import Target, resolve
from ..traces import behaviour, load

FORMS = ("dot", "gv", "graphml", "json", "svg", "png", "pdf")


@click.command(
    epilog="""\b
Examples:
  everystate graph die-hard
  everystate graph die-hard -o die-hard.svg
  everystate graph idem-producer --around trace.itf.json --steps 1 -o around.dot

Without -o it prints strongly connected components, dead ends and bottlenecks. The suffix of FILE selects the format:
.dot, .graphml, .json, or a picture drawn by Graphviz: .svg, .png, .pdf."""
)
@target_argument
@constant_option
@click.option("--around", metavar="TRACE", help="Only states around this trace, with its constants.")
@click.option(
    "--steps",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="Distance from the trace.",
)
@click.option("--max-states", type=click.IntRange(min=1), default=10_000, show_default=True, help="Limit of states.")
@click.option("-o", "--output", metavar="FILE", help="Write the graph to a file.")
def command(target: str, constant: tuple[str, ...], around: str | None, output: str | None, **given: Any) -> None:
    """Build the state graph of TARGET."""
    found = resolve(target)
    if output is not None and Path(output).suffix[1:].lower() not in FORMS:
        raise click.BadParameter("the file ends in .dot, .graphml, .json, .svg, .png or .pdf", param_hint="-o")
    spec, trace = _around(around, found) if around else (found.spec(constants(found, constant)), None)
    graph = state_graph(spec, GraphLimits(given["max_states"], trace, given["steps"]))
    if output is None:
        say("\n".join(summary_lines(graph)))
        return
    _write(graph, Path(output))
    if not graph.graph["complete"]:
        note(f"note: a part of the space, {graph.number_of_nodes():,} states")
    if graph.graph["cut"]:
        note(f"note: no step is taken from outside the constraint {graph.graph['cut']}")


def _around(path: str, found: Target) -> tuple[Spec, Trace]:
    """The spec with the constants of a trace, and the trace; of what the trace names nothing is loaded."""
    loaded = load(parse(read_text(path), path), found)
    trace, spec = behaviour(loaded, path, f"trace of {found.name}")
    return spec, trace


def _write(graph: Any, path: Path) -> None:
    form = path.suffix[1:].lower()
    texts: dict[str, Callable[[Any], str]] = {"dot": as_dot, "gv": as_dot, "graphml": as_graphml, "json": as_json}
    if form in texts:
        write_text(path, texts[form](graph))
        return
    drawn = counterexamples.picture(as_dot(graph), form)
    try:
        path.write_bytes(drawn)
    except OSError as error:
        raise unwritable(str(path), error) from None
