"""The HTML report: one self-contained file that opens from disk and steps through a trace.

The page holds the diagram, the text, and the data of all steps as JSON; a step is drawn when it is shown, so 500 steps
open as quickly as 5. A variable is stored once for each step that changes it. With the spec available the report also
has the tables of a state, the source of each action, and the value of each property in each state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..checker.errors import CheckedError
from ..checker.language import marks
from ..checker.language.declarations import Property
from ..checker.language.spec import Spec
from ..checker.pages import drawing, drawn, page, text
from ..checker.results.changes import changes
from ..checker.results.plain import Fields, Members, Pairs, Tree, Variant, scalar, show
from ..checker.results.plain_trace import PlainStep, PlainTrace, Values, plain_trace_of
from ..checker.results.text import count, narrated, render
from ..checker.results.trace import Trace
from .diagram import diagram_of
from .evidence import Evidence, as_data, section
from .sections import Section
from .source import source
from .svg import STYLE, svg
from .tables import abstract_table, tables

Json = Any
PAGE = "everystate.counterexamples.page"
TOLD = (marks.INVARIANT, marks.STEP_INVARIANT)


def report(
    given: Trace | PlainTrace, spec: Spec | None = None, why: Sequence[Section] = (), evidence: Evidence | None = None
) -> str:
    """The report of a trace as HTML; `why` explains it (see explain), `evidence` comes from other sources."""
    return page(f"{PAGE}/report.html", styles=STYLE, script=script(), **facts(given, spec, why, evidence))


def script() -> str:
    """What steps through a trace on a page."""
    return drawing() + text(f"{PAGE}/report.js")


def facts(
    given: Trace | PlainTrace, spec: Spec | None, why: Sequence[Section] = (), evidence: Evidence | None = None
) -> Json:
    """What the template of a trace shows."""
    plain = plain_trace_of(given) if isinstance(given, Trace) else given
    diagram = diagram_of(plain)
    return {
        "title": diagram.title,
        "name": plain.target or "Trace",
        "subtitle": ", ".join(filter(None, [count(plain.length, "step"), diagram.subtitle])),
        "constants": list(_constants(plain, spec)),
        "broken": diagram.broken,
        "why": why,
        "evidence": section(evidence) if evidence else "",
        "last": plain.length,
        "diagram": drawn(svg(diagram, style=False)),
        "text": render(plain),
        "data": _data(given, plain, diagram.broken, spec) | {"sides": as_data(evidence)},
    }


def _constants(plain: PlainTrace, spec: Spec | None) -> Iterator[tuple[str, str, str]]:
    """The constants that differ from their defaults, each with its value and its sentence."""
    declared = spec._declared_constants() if spec else {}
    for name in getattr(plain.constants, "changed", ()):
        if name in declared and declared[name].text:
            yield name, str(scalar(plain.constants[name])), declared[name].text


def _data(given: Trace | PlainTrace, plain: PlainTrace, broken: tuple[str, ...], spec: Spec | None) -> Json:
    trace = given if isinstance(given, Trace) else None
    actions = [step.action for step in trace.steps] if trace else []
    return {
        "variables": [[name, list(_history(plain, name))] for name in plain.initial],
        "tables": [*(tables(trace, spec) if trace and spec else []), *abstract_table(plain)],
        "steps": list(_steps(plain, actions)),
        "broken": list(broken),
        "properties": list(_properties(trace, spec, plain)) if trace and spec else [],
        "sources": {name: source(spec, name) for name in sorted(set(actions))} if spec else {},
    }


def _history(plain: PlainTrace, name: str) -> Iterator[Json]:
    """A variable as [step, value] for each step that changes it."""
    before, states = None, plain.states
    if plain.closing and plain.loop is not None:
        states.append(states[plain.loop])
    for step, values in enumerate(states):
        if step == 0 or values[name] != before:
            yield [step, tree_json(values[name])]
        before = values[name]


def tree_json(tree: Tree) -> Json:
    """A tree as JSON: scalars as they are, everything else as an object of one kind."""
    match tree:
        case Fields(_, items):
            return {"record": [[name, tree_json(value)] for name, value in items.items()]}
        case Members(items):
            return {"set": [tree_json(item) for item in items]}
        case Pairs(items):
            return {"map": [[tree_json(key), tree_json(value)] for key, value in items]}
        case Variant(tag, value):
            return {"variant": [tag, tree_json(value)]}
        case list() | tuple():
            return {"list": [tree_json(item) for item in tree]}
        case bool() | int() | str() | None:
            return tree
    return show(tree)


def _steps(plain: PlainTrace, actions: list[str]) -> Iterator[Json]:
    yield {"label": "initial state", "action": "", "story": [], "changes": []}
    before = plain.initial
    for at, step in enumerate(plain.steps):
        yield _step(step, before, actions[at] if at < len(actions) else "")
        before = step.values
    if plain.failing:
        failing = {"label": plain.failing, "action": plain.failing.partition("(")[0], "story": [], "changes": []}
        yield failing | {"fails": True}
    if plain.closing and plain.loop is not None:
        changed = [str(change) for change in changes(before, plain.states[plain.loop])]
        said = [f"leads back to state {plain.loop}, and so on for ever"]
        yield {"label": plain.closing, "action": plain.closing.partition("(")[0], "story": said, "changes": changed}


def _step(step: PlainStep, before: Values, action: str) -> Json:
    said = [narrated(event).strip('"') for event in step.narration]
    changed = [str(change) for change in changes(before, step.values)]
    return {"label": step.label, "action": action, "story": said, "changes": changed}


# -- additions of the spec ---------------------------------------------------------------------------------


def _properties(trace: Trace, spec: Spec, plain: PlainTrace) -> Iterator[Json]:
    for found in spec.properties:
        if found.kind in TOLD:
            truth = truths(trace, spec, found)
            truth += [truth[-1]] * bool(plain.failing) + [truth[plain.loop or 0]] * bool(plain.closing)
            yield {"name": found.name, "text": found.text or found.kind, "truth": truth}


def truths(trace: Trace, spec: Spec, found: Property) -> list[bool | None]:
    """The value of a property in each state (of an action property for the step to it); None where there is none."""
    steps = found.kind == marks.STEP_INVARIANT
    states = trace.states
    truth: list[bool | None] = []
    for at, state in enumerate(states):
        try:
            before = states[at - 1] if steps and at else None
            begins = at > 0 or found.name in spec._refinements
            truth.append(None if steps and not begins else spec.property_holds(found.name, state, before))
        except CheckedError:
            truth.append(None)
    return truth
