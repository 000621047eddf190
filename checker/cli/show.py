"""everystate show: a trace file, as text or as ITF."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Any

import click

from ..errors import EverystateError
from ..language.spec import Spec
from ..results.itf import Document, dump, dump_story, parse
from ..results.story import Story, story_of
from ..results.text import render
from ..results.trace import Trace
from .options import colour_option
from .output import note, painter, read_text, say, write_text


@click.command(
    epilog="""\b
Examples:
  everystate show traces/idem-producer-unsafe-NoDup.itf.json
  everystate show trace.itf.json --as itf -o copy.itf.json

Reads what `everystate check --out` writes, and ITF files of other tools (Apalache, Quint)."""
)
@click.argument("trace", type=click.Path(), metavar="TRACE")
@click.option("--as", "form", type=click.Choice(["text", "itf"]), default="text", show_default=True, help="The form.")
@click.option("-o", "--output", metavar="FILE", help="Write to a file instead of standard output.")
@colour_option
def command(trace: str, form: str, output: str | None, color: bool | None) -> None:
    """Show the trace file TRACE (- for standard input)."""
    document = parse(read_text(trace), trace)
    told = _told(document)
    if form == "itf":
        text = dump(told) if isinstance(told, Trace) else dump_story(told)
    else:
        text = render(told if isinstance(told, Story) else story_of(told), painter(False if output else color))
    if output is None:
        say(text, end="")
    else:
        write_text(Path(output), text)


def _told(document: Document) -> Trace | Story:
    """The trace with its spec; where that is not at hand, the story that the file tells by itself."""
    if not document.target:
        return document.story()
    try:
        spec = _spec(document)
    except EverystateError as error:
        note(f"note: shown without its spec: {error.what}")
        return document.story()
    try:
        return document.trace(spec)
    except EverystateError as error:
        story = document.story()
        note(f"note: shown without its spec, which has changed: {error.facts.get('reason')}")
        return story


def _spec(document: Document) -> Spec:
    from .targets import resolve

    target = resolve(document.target)
    declared = target.cls.declared_constants()
    values = {n: _value(v, declared[n].default if n in declared else None) for n, v in document.constants.items()}
    return target.spec(values)


def _value(data: Any, default: Any) -> Any:
    """A constant as the spec has it: an enum member by its name, a list as the kind of sequence of the default."""
    from ..results.itf_values import read

    if isinstance(default, enum.Enum):
        return type(default)[data] if data in type(default).__members__ else data
    value = read(data, "constants")
    return type(default)(value) if isinstance(default, (tuple, list, frozenset)) else value
