"""A walk in the forms in which it leaves: a trace file, a diagram, a report, a test."""

from __future__ import annotations

import re
from typing import Any

from everystate import counterexamples as rendered

from ..language.spec import Spec
from ..results.files import file_stem
from ..results.itf import SUFFIX, dump
from ..results.text import render
from ..results.trace import Trace

FORMS = {"itf": SUFFIX, "svg": ".svg", "html": ".html", "pytest": ".py", "text": ".txt"}
"""By the name of a form how its files end."""


def export(spec: Spec, trace: Trace, form: str) -> str:
    """A trace in one of FORMS."""
    match form:
        case "itf":
            return dump(trace)
        case "svg":
            return rendered.svg(rendered.diagram_of(trace))
        case "html":
            return rendered.report(trace, spec)
        case "pytest":
            return case(spec, trace)
    return render(trace)


def file_name(trace: Trace, form: str) -> str:
    """The name of the file for a trace in some form."""
    name = file_stem(trace.target, trace.shows or str(trace.length))
    return (f"test_{name.replace('-', '_').lower()}" if form == "pytest" else name) + FORMS[form]


CASE = '''\
"""{title}"""

from everystate.checker.cli.targets import resolve

STEPS = [
{steps}]


def test_{name}() -> None:
    spec = resolve({target!r}).spec({constants})
    state = spec.initial_states()[{first}]
    for label in STEPS:
        before, offered = state, {{step.label: step.state for step in spec.successors(state)}}
        assert label in offered
        state = offered[label]
    assert str(state) == """\\
{state}"""
{end}'''


def case(spec: Spec, trace: Trace) -> str:
    """A test for pytest that takes the steps of a trace and looks at its end."""
    first = spec.initial_states().index(trace.initial)
    changed = {n: v for n, v in trace.constants.items() if v != type(spec)._declared_constants()[n].default}
    steps = "".join(f"    {step.label!r},\n" for step in trace.steps)
    words = f"{trace.shows}: {trace.explanation}" if trace.shows else "it was walked by hand"
    return CASE.format(
        title=f"A trace of {trace.target} with {len(trace.steps)} steps; {words}".replace('"""', "'''"),
        name=re.sub(r"\W+", "_", file_name(trace, "text").removesuffix(".txt")).lower(),
        steps=steps,
        target=trace.target,
        constants={name: _plain(value) for name, value in changed.items()},
        first=first,
        state=str(trace.states[-1]).replace("\\", "\\\\").replace('"""', '\\"\\"\\"'),
        end=_end(spec, trace),
    )


def _plain(value: Any) -> Any:
    return value if isinstance(value, (bool, int, str, tuple, list)) else str(value)


def _end(spec: Spec, trace: Trace) -> str:
    """What the test says of the property that the end violates."""
    found = next((prop for prop in spec.properties if prop.name == trace.shows), None)
    if found is None or not trace.steps:
        return ""
    before = ", before" if found.steps else ""
    return f"    assert not spec.property_holds({trace.shows!r}, state{before})\n"
