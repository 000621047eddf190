"""What is true in a state: every property with its value there, and what decided it."""

from __future__ import annotations

from dataclasses import dataclass

from ..engines.refined_initial_states import judged
from ..engines.replay import broken, why_false
from ..errors import CheckedError
from ..language import marks
from ..language.concrete import IN_WORDS
from ..language.spec import Spec
from ..language.state import State
from ..results.plain import scalar, show

JUDGED = (*marks.SAFETY, marks.REACHABLE, marks.CONSTRAINT)
"""Kinds that are true or false in a state."""
TOLD = (*JUDGED, *marks.TEMPORAL)
WIDTH = 200


@dataclass(frozen=True)
class PropertyTruth:
    """A property in a state: `value` is None where one state or step cannot tell; `broken` says that it must not be so.

    `because` holds the values that decided it, or the error with which it ended: that is a violation of any kind.
    """

    name: str
    kind: str
    text: str
    value: bool | None
    because: str = ""
    broken: bool = False


def truths(spec: Spec, state: State, before: State | None) -> list[PropertyTruth]:
    """Every property of a spec in a state that was reached from another one, or is where a walk began."""
    found = []
    for prop in spec.properties:
        value: bool | None = None
        wrong, because = False, ""
        if not prop.steps or before is not None or prop.name in spec._refinements:
            wrong = broken(spec, prop, state, before if prop.steps else None)
            if wrong or prop.kind in JUDGED:
                value, because = _value(spec, prop.name, state, before if prop.steps else None)
        if wrong or prop.kind in TOLD:
            found.append(PropertyTruth(prop.name, prop.kind, prop.text, value, because, wrong))
    return found


def breaks(spec: Spec, state: State, before: State) -> list[str]:
    """The names of what a step to a state violates, the state or the step."""
    return [*breaks_alone(spec, state), *breaks_step(spec, state, before)]


def breaks_alone(spec: Spec, state: State) -> list[str]:
    """The names of what a state violates."""
    return [prop.name for prop in spec.properties if not prop.steps and broken(spec, prop, state, None)]


def breaks_step(spec: Spec, state: State, before: State) -> list[str]:
    """The names of what a step violates."""
    return [prop.name for prop in spec.properties if prop.steps and broken(spec, prop, state, before)]


def begins_wrong(spec: Spec, state: State) -> list[str]:
    """The names of what is refined and does not begin as an initial state does."""
    return [name for name in spec._refinements if judged(spec, name, state) is not None]


def _value(spec: Spec, name: str, state: State, before: State | None) -> tuple[bool, str]:
    try:
        if spec.property_holds(name, state, before):
            return True, ""
    except CheckedError as error:
        return False, f"it cannot be evaluated: {error.what}"
    witness, _ = why_false(spec, name, state, before)
    if IN_WORDS in witness:
        return False, str(witness[IN_WORDS])
    text = ", ".join(f"{n} = {show(scalar(value))}" for n, value in witness.items())
    return False, text if len(text) <= WIDTH else f"{text[: WIDTH - 3]}..."
