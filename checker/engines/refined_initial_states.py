"""Checks refinements at initial states: each must correspond to an initial state of the refined spec.

Every engine checks steps as it checks action properties. Initial states are checked here for all engines, in plain
Python.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..errors import CheckedError
from ..ir.layout import plan
from ..language.concrete import evaluate, initial_states
from ..language.spec import Spec
from ..language.state import State
from ..results.result import Violation
from ..results.verdict import GRAVITY, Kind


def with_beginnings(
    spec: Spec, target: str, found: Sequence[Violation], wanted: Collection[str] = ()
) -> list[Violation]:
    """The findings, and a violation for each named refinement that an initial state breaks and no step does."""
    names = [name for name in spec._refinements if not wanted or name in wanted]
    begun = [item for name in names for item in _of(spec, target, name)]
    known = {(v.property, v.kind) for v in begun}
    rest = [v for v in found if (v.property, v.kind) not in known]
    return sorted([*begun, *rest], key=lambda v: GRAVITY.index(v.kind)) if begun else list(found)


def _of(spec: Spec, target: str, name: str) -> list[Violation]:
    """The violations of a refinement by initial states: the least state of each kind."""
    broken: dict[Kind, list[State]] = {}
    layout = plan(spec.domains)
    for state in dict.fromkeys(initial_states(spec)):
        kind = judged(spec, name, state)
        if kind is not None:
            broken.setdefault(kind, []).append(state)
    least = {kind: min(states, key=lambda state: layout.pack(state.cells)) for kind, states in broken.items()}
    return [violation(spec, target, name, kind, state, len(broken[kind])) for kind, state in least.items()]


def violation(spec: Spec, target: str, name: str, kind: Kind, state: State, states: int) -> Violation:
    """The violation of a refinement by an initial state, one of `states`."""
    from .replay import make_trace, why_false

    witness, error = why_false(spec, name, state, None)
    text = error.what if error else spec._declaration(name).text
    facts = {"shows": name, "kind": kind.value, "explanation": text, "witness": witness}
    return Violation(name, kind, make_trace(spec, target, [state.cells], **facts), text, error, states)


def broken_by(spec: Spec, target: str, state: State) -> Violation | None:
    """The violation of a refinement by one state, if that is an initial one."""
    for name in spec._refinements:
        kind = judged(spec, name, state)
        if kind is not None and any(state == other for other in initial_states(spec)):
            return violation(spec, target, name, kind, state, 1)
    return None


def judged(spec: Spec, name: str, state: State) -> Kind | None:
    """What is wrong with an initial state; None where it is valid."""
    try:
        return None if evaluate(spec, name, state).value else Kind.REFINEMENT
    except CheckedError:
        return Kind.PROPERTY_ERROR
