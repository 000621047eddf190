"""everystate show: print a trace file in one of several formats."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import click

from everystate import counterexamples as rendered
from everystate.parts import FORMS

from ...results.itf import dump, dump_plain, parse
from ...results.text import render
from ...results.trace import Trace
from ..options import colour_option, detail_options, spec_option
from ..output import painter, read_text, say, unwritable, width, write_text
from ..reporting import detail_of
from ..targets import resolve
from ..traces import Loaded, behaviour, load, without

EVERY = ("text", "html", "svg", "mermaid", "dot", "shiviz", "itf", "path", *FORMS)


@click.command(
    epilog="""\b
Examples:
  everystate show traces/idem-producer-unsafe-NoDup.itf.json
  everystate show trace.itf.json --as html -o trace.html
  everystate show trace.itf.json --as svg -o trace.svg
  everystate show trace.itf.json --as mermaid
  everystate show trace.itf.json --as dot -o trace.png
  everystate show trace.itf.json --as dump-log --broker 1
  everystate show trace.itf.json --spec path/to/spec.py --as html -o trace.html
  everystate check idem-producer/unsafe --replay "$(everystate show trace.itf.json --as path)"

Reads files of `everystate check --out`, ITF of Apalache and Quint, and TLC's JSON. With --as dot, Graphviz draws a FILE
that ends in .svg, .png or .pdf. The spec that a trace names is loaded only if it is in `everystate list`; --spec names
another one."""
)
@click.argument("trace", type=click.Path(), metavar="TRACE")
@click.option("--as", "form", type=click.Choice(EVERY), default="text", show_default=True, help="Format of the output.")
@click.option("-o", "--output", metavar="FILE", help="Write to a file instead of standard output.")
@click.option("--broker", type=click.IntRange(min=0), help="With --as dump-log: the broker; by default the leader.")
@click.option("--partition", type=click.IntRange(min=0), help="With --as dump-log: one partition; by default all.")
@spec_option
@detail_options
@colour_option
def command(
    trace: str, form: str, output: str | None, broker: int | None, partition: int | None, spec: str | None, **given: Any
) -> None:
    """Show the trace file TRACE (- for standard input)."""
    if form not in FORMS and (broker, partition) != (None, None):
        raise click.UsageError(f"--broker and --partition need --as {' or '.join(FORMS)}")
    loaded = load(parse(read_text(trace), trace), resolve(spec) if spec else None, needed=form in ("path", *FORMS))
    if form in FORMS:
        text = import_module(FORMS[form]).shown(*behaviour(loaded, trace, form), trace, broker, partition)
    else:
        text = _text(loaded, form, trace, {**given, "color": False} if output else given)
    if output is None:
        say(text, end="", whole=form != "text")
    elif form == "dot" and Path(output).suffix[1:].lower() in ("svg", "png", "pdf"):
        _write_picture(Path(output), text)
    else:
        write_text(Path(output), text)


def _text(loaded: Loaded, form: str, path: str, given: dict[str, Any]) -> str:
    trace = loaded.trace
    match form:
        case "text":
            return render(loaded.plain, painter(given["color"]), detail_of(given), given["hide"], width())
        case "itf":
            return dump(trace) if isinstance(trace, Trace) else dump_plain(trace)
        case "html":
            return rendered.report(trace, loaded.spec)
        case "svg":
            return rendered.svg(rendered.diagram_of(trace))
        case "mermaid":
            return rendered.mermaid(rendered.diagram_of(trace))
        case "shiviz":
            return rendered.shiviz(rendered.diagram_of(trace))
        case "dot":
            return rendered.dot(trace)
    return _path(loaded, path)


def _path(loaded: Loaded, path: str) -> str:
    trace, spec = behaviour(loaded, path, "path")
    try:
        return rendered.show_path(rendered.path_of(spec, trace)) + "\n"
    except rendered.NoPath as error:
        raise without(path, "path", str(error)) from None


def _write_picture(path: Path, text: str) -> None:
    drawn = rendered.picture(text, path.suffix[1:].lower())
    try:
        path.write_bytes(drawn)
    except OSError as error:
        raise unwritable(str(path), error) from None
