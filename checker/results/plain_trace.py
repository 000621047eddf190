"""A trace for display, with plain values; it needs no spec, so any ITF file has one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..language.declarations import sentence
from ..language.domains import Domain, Structure
from ..language.state import State
from .plain import Tree, trees_of
from .trace import Trace

Values = Mapping[str, Tree]


@dataclass(frozen=True)
class PlainStep:
    """One step: what was done, its narration, and the values after it."""

    label: str
    values: Values
    narration: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class PlainTrace:
    """A trace with plain values: see Trace for the meaning of the fields; `loop` is the state to which the end leads
    back, `params` the constants that are values of the first state in ITF, `classes` what authors say of records."""

    target: str
    constants: dict[str, Any]
    initial: Values
    steps: tuple[PlainStep, ...]
    shows: str = ""
    kind: str = ""
    explanation: str = ""
    witness: dict[str, Any] = field(default_factory=dict)
    failing: str = ""
    loop: int | None = None
    closing: str = ""
    abstract: str = ""
    beside: tuple[Values | None, ...] = ()
    params: Values = field(default_factory=dict)
    classes: Mapping[str, str] = field(default_factory=dict)

    @property
    def length(self) -> int:
        """Steps, the one that could not be taken or that leads back included."""
        return len(self.steps) + bool(self.failing) + bool(self.closing)

    @property
    def states(self) -> list[Values]:
        """The values at each moment, the initial ones first."""
        return [self.initial, *(step.values for step in self.steps)]


def plain_trace_of(trace: Trace) -> PlainTrace:
    """The plain trace of a trace."""
    steps = tuple(PlainStep(step.label, trees_of(step.state), step.narration) for step in trace.steps)
    names = ("shows", "kind", "explanation", "witness", "failing", "loop", "closing", "abstract")
    facts = {n: getattr(trace, n) for n in names}
    facts["beside"] = tuple(None if state is None else trees_of(state) for state in trace.beside)
    facts["classes"] = record_sentences(trace.initial)
    return PlainTrace(trace.target, trace.constants, trees_of(trace.initial), steps, **facts)


def record_sentences(state: State) -> dict[str, str]:
    """The first sentence of the docstring of each record class in a state, by the name of the class."""
    found, left = dict[str, str](), [*state.domains.values()]
    while left:
        domain: Domain = left.pop()
        left += domain.inner()
        if isinstance(domain, Structure) and vars(domain.cls).get("__doc__"):
            text, name = sentence(domain.cls), domain.cls.__name__
            found |= {name: text} if text and not text.startswith(f"{name}(") else {}  # that of a dataclass is made
    return found
