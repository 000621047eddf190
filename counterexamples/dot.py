"""The path of states as DOT text for Graphviz; pictures of it need the program dot."""

from __future__ import annotations

from typing import Any

from ..checker.errors import EverystateError
from ..checker.extras import require
from ..checker.results.changes import changes
from ..checker.results.plain import show
from ..checker.results.plain_trace import PlainTrace, plain_trace_of
from ..checker.results.text import headline
from ..checker.results.trace import Trace
from .wording import broken_words

FONT = {"fontname": "Helvetica", "fontsize": "11"}
MOST = 8
"""Lines of a node."""
LONGEST = 70


def graphviz() -> Any:
    """The package graphviz; E510 where it is not installed."""
    require("a picture in DOT", "graphviz")
    import graphviz as found

    return found


def dot(source: Trace | PlainTrace) -> str:
    """The DOT text of the path: a node for each state with its changes, an edge for each step."""
    trace = plain_trace_of(source) if isinstance(source, Trace) else source
    text: str = _graph(trace).source
    return text


def picture(text: str, form: str) -> bytes:
    """DOT text as a picture of a form (svg, png, pdf); E514 where Graphviz is not installed."""
    package = graphviz()
    try:
        drawn: bytes = package.Source(text).pipe(format=form)
    except package.ExecutableNotFound:
        raise EverystateError("E514") from None
    return drawn


def _graph(trace: PlainTrace) -> Any:
    graph = graphviz().Digraph("trace", graph_attr={"label": _escape(headline(trace)), "labelloc": "t", **FONT})
    graph.attr("node", shape="box", style="rounded,filled", fillcolor="#eef2fa", color="#8fa3c7", **FONT)
    graph.attr("edge", color="#35507f", **FONT)
    values = [trace.initial, *(step.values for step in trace.steps)]
    graph.node("s0", label=_label("0", [f"{name} = {show(value)}" for name, value in trace.initial.items()]))
    for at, step in enumerate(trace.steps, start=1):
        wrong = {"fillcolor": "#fdebea", "color": "#c8372d"} if trace.shows and at == len(trace.steps) else {}
        graph.node(f"s{at}", label=_label(str(at), [str(c) for c in changes(values[at - 1], values[at])]), **wrong)
        graph.edge(f"s{at - 1}", f"s{at}", label=_escape(f" {step.label} "))
    if trace.loop is not None:
        graph.edge(f"s{len(trace.steps)}", f"s{trace.loop}", label=" for ever ", style="dashed", constraint="false")
    if trace.shows:
        wrong = {"shape": "plaintext", "style": "", "fontcolor": "#a82a21"}
        graph.node("broken", label=_escape("\n".join(broken_words(trace))).replace("\n", "\\n"), **wrong)
        graph.edge(f"s{len(trace.steps)}", "broken", style="dotted", arrowhead="none", color="#c8372d")
    return graph


def _label(number: str, lines: list[str]) -> str:
    shown = lines if len(lines) <= MOST else [*lines[: MOST - 1], f"and {len(lines) - MOST + 1} more"]
    cut = [line if len(line) <= LONGEST else line[: LONGEST - 3] + "..." for line in shown]
    return "".join(f"{_escape(line)}\\l" for line in [f"state {number}", *cut])


def _escape(text: str) -> str:
    """A text as a label: not the markup that Graphviz takes one in angle brackets for."""
    markup = " " if text.startswith("<") and text.endswith(">") else ""
    return text.replace("\\", "\\\\") + markup
