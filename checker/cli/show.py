"""everystate show: a trace file in one of many forms."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from ..errors import EverystateError
from ..language.spec import Spec
from ..results.itf import Document, dump, dump_story, parse
from ..results.story import Story, story_of
from ..results.text import render
from ..results.trace import Trace
from .options import colour_option, spec_option
from .output import note, painter, read_text, say, unwritable, write_text
from .targets import Target, known, resolve

FORMS = ("text", "html", "svg", "mermaid", "dot", "shiviz", "itf", "path")


@dataclass(frozen=True)
class Loaded:
    """A trace file that was read; without its spec where that is not at hand."""

    told: Trace | Story
    spec: Spec | None = None

    @property
    def story(self) -> Story:
        """The trace as a story."""
        return self.told if isinstance(self.told, Story) else story_of(self.told)


@click.command(
    epilog="""\b
Examples:
  everystate show traces/idem-producer-unsafe-NoDup.itf.json
  everystate show trace.itf.json --as html -o trace.html
  everystate show trace.itf.json --as svg -o trace.svg
  everystate show trace.itf.json --as mermaid
  everystate show trace.itf.json --as dot -o trace.png
  everystate show trace.itf.json --spec path/to/spec.py --as html -o trace.html
  everystate check idem-producer/unsafe --replay "$(everystate show trace.itf.json --as path)"

Reads what `everystate check --out` writes, and ITF files of other tools (Apalache, Quint). With --as dot, a FILE
that ends in .svg, .png or .pdf becomes a picture, drawn by Graphviz. A trace may be from somebody else: the spec that
it names is loaded only if it is one of `everystate list`; with --spec you name another one yourself."""
)
@click.argument("trace", type=click.Path(), metavar="TRACE")
@click.option("--as", "form", type=click.Choice(FORMS), default="text", show_default=True, help="The form.")
@click.option("-o", "--output", metavar="FILE", help="Write to a file instead of standard output.")
@spec_option
@colour_option
def command(trace: str, form: str, output: str | None, spec: str | None, color: bool | None) -> None:
    """Show the trace file TRACE (- for standard input)."""
    loaded = load(parse(read_text(trace), trace), resolve(spec) if spec else None, needed=form == "path")
    text = _text(loaded, form, False if output else color)
    if output is None:
        say(text, end="")
    elif form == "dot" and Path(output).suffix[1:].lower() in ("svg", "png", "pdf"):
        _write_picture(Path(output), text)
    else:
        write_text(Path(output), text)


def _text(loaded: Loaded, form: str, color: bool | None) -> str:
    from everystate import counterexamples as rendered

    told = loaded.told
    match form:
        case "text":
            return render(loaded.story, painter(color))
        case "itf":
            return dump(told) if isinstance(told, Trace) else dump_story(told)
        case "html":
            return rendered.report(told, loaded.spec)
        case "svg":
            return rendered.svg(rendered.diagram_of(told))
        case "mermaid":
            return rendered.mermaid(rendered.diagram_of(told))
        case "shiviz":
            return rendered.shiviz(rendered.diagram_of(told))
        case "dot":
            return rendered.dot(told)
    return _path(loaded)


def _path(loaded: Loaded) -> str:
    from everystate import counterexamples as rendered

    if not isinstance(loaded.told, Trace) or loaded.spec is None:
        raise click.ClickException("a path counts the steps of a spec, and the spec of this trace is not at hand")
    try:
        return rendered.show_path(rendered.path_of(loaded.spec, loaded.told)) + "\n"
    except rendered.NoPath as error:
        raise click.ClickException(f"this trace has no path: {error}") from None


def _write_picture(path: Path, text: str) -> None:
    from everystate import counterexamples as rendered

    drawn = rendered.picture(text, path.suffix[1:].lower())
    try:
        path.write_bytes(drawn)
    except OSError as error:
        raise unwritable(str(path), error) from None


def load(document: Document, given: Target | None = None, needed: bool = False) -> Loaded:
    """The trace with its spec; where that is not at hand, the story that the file tells by itself.

    What a trace names is loaded only if it is in the registry: it may come from somebody else, and loading a file or
    a module runs it. `given` is a spec that the user named. Where the spec is `needed`, that it cannot be loaded is an
    error.
    """
    if not document.target and given is None:
        return Loaded(document.story())
    try:
        target = given or known(document.target)
        spec = target.spec(constants_of(document, target))
    except EverystateError as error:
        if needed:
            raise
        note(f"note: shown without its spec: {error.what}{f'; {error.remedy}' if error.code == 'E406' else ''}")
        return Loaded(document.story())
    try:
        return Loaded(document.trace(spec), spec)
    except EverystateError as error:
        story = document.story()
        note(f"note: shown without its spec, which has changed: {error.facts.get('reason')}")
        return Loaded(story)


def constants_of(document: Document, target: Target) -> dict[str, Any]:
    """The constants of a trace file as its spec has them."""
    declared = target.cls.declared_constants()
    return {n: _value(v, declared[n].default if n in declared else None) for n, v in document.constants.items()}


def _value(data: Any, default: Any) -> Any:
    """A constant as the spec has it: an enum member by its name, a list as the kind of sequence of the default."""
    from ..results.itf_values import read

    if isinstance(default, enum.Enum):
        return type(default)[data] if data in type(default).__members__ else data
    value = read(data, "constants")
    return type(default)(value) if isinstance(default, (tuple, list, frozenset)) else value
