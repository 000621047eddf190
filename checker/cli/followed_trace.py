"""`follow` on the trace of another tool: each step is matched, and the invariants are evaluated in each state."""

from __future__ import annotations

import itertools
from pathlib import Path

from ..language import marks
from ..language.concrete import StepFailed, attempts, holds, initial_states
from ..language.forms import Mismatch
from ..language.spec import Spec
from ..language.state import State
from ..results.itf import Document, is_trace, parse
from ..results.itf_values import decode
from ..results.text import count
from .output import say


def trace_in(path: str) -> Document | None:
    """The trace that a file holds; None if it is a log."""
    file = Path(path)
    if not file.is_file() or file.suffix != ".json":
        return None
    text = file.read_text("utf-8", errors="replace")
    return parse(text, path) if is_trace(text) else None


def follow_trace(document: Document, spec: Spec) -> int:
    """Report whether a trace is one of the spec: 0 if it is and all invariants hold, else 12."""
    states = _states(document, spec)
    path = document.path
    if states[0] not in initial_states(spec):
        say(f"DEVIATES  {path}: state 0 is no initial state of {type(spec).__name__}")
        return 12
    for index, (before, after) in enumerate(itertools.pairwise(states), 1):
        if before != after and not _steps(spec, before, after):
            say(f"DEVIATES  {path}: no action of {type(spec).__name__} leads from state {index - 1} to state {index}")
            return 12
    names = [p.name for p in spec.properties if p.kind == marks.INVARIANT and not p.steps]
    for index, state in enumerate(states):
        for name in names:
            if not holds(spec, name, state):
                say(f"VIOLATED  {path}: invariant {name} is false in state {index}; the steps before follow the spec")
                return 12
    held = f"; {count(len(names), 'invariant')} checked in each" if names else "; the spec has no invariant"
    say(f"FOLLOWS  {path}: {count(len(states), 'state')}{held}")
    return 0


def _states(document: Document, spec: Spec) -> list[State]:
    names, given = set(spec.domains), set(document.variables)
    if names != given:
        theirs, ours = ", ".join(document.variables), ", ".join(spec.domains)
        raise document.wrong(f"its variables are {theirs}, those of the spec {ours}")
    found = []
    for index, data in enumerate(document.states):
        try:
            values = {n: decode(domain, data[n], f"state {index}, {n}") for n, domain in spec.domains.items()}
        except Mismatch as error:
            raise document.wrong(str(error)) from None
        found.append(State.of(spec, values))
    return found


def _steps(spec: Spec, before: State, after: State) -> bool:
    steps = (step for instance in spec.instances for step in attempts(spec, before, instance))
    return any(not isinstance(step, StepFailed) and step.state == after for step in steps)
