"""Trace files: read, with the spec that they are of where that is at hand."""

from __future__ import annotations

import enum
import shlex
from dataclasses import dataclass, replace
from typing import Any

from ..cache import digest
from ..errors import EverystateError
from ..language.spec import Spec
from ..results.itf import Document
from ..results.plain_trace import PlainTrace, plain_trace_of
from ..results.trace import Trace
from .output import note
from .own_traces import remembered
from .targets import Target, known


@dataclass(frozen=True)
class Loaded:
    """A trace file that was read; without its spec where that is not at hand, or the trace is none of it (`reason`)."""

    trace: Trace | PlainTrace
    spec: Spec | None = None
    reason: str = ""

    @property
    def plain(self) -> PlainTrace:
        """The trace in plain values."""
        return self.trace if isinstance(self.trace, PlainTrace) else plain_trace_of(self.trace)


def load(document: Document, given: Target | None = None, needed: bool = False) -> Loaded:
    """The trace with its spec; without the spec, the trace as the file describes it.

    The spec that a trace names is loaded only if it is in the registry, or a check of this user wrote the file: loading
    executes its code, and the trace may come from somebody else. `given` is a spec that the user named. If the spec is
    `needed` and cannot be loaded, that is an error. A property that the file claims to violate is omitted if the trace
    does not violate it.
    """
    if not document.target and given is None:
        return Loaded(document.plain())
    try:
        target = given or remembered(digest(document.text)) or known(document.target)
        spec = target.spec(constants_of(document, target))
    except EverystateError as error:
        if needed:
            raise
        note(f"note: shown without its spec: {error.what}{f'; {error.remedy}' if error.code == 'E406' else ''}")
        return Loaded(document.plain())
    from everystate.counterexamples import flaw, violations_at

    several: list[str] = []
    try:
        trace = document.trace(spec, several.append)
        reason = flaw(spec, trace)
    except EverystateError as error:
        reason = str(error.facts.get("reason"))
    if not reason:
        if several:
            more = f" and {len(several) - 3} more" if len(several) > 3 else ""
            note(f"note: it names no actions, and more than one fits: {'; '.join(several[:3])}{more}")
        if not document.target:
            trace = replace(trace, target=target.name)
            wrong = violations_at(spec, trace) if trace.loop is None else []
            trace = wrong[0].trace or trace if wrong else trace
        return Loaded(trace, spec)
    plain = document.plain()
    note(f"note: shown without its spec, of which it is no trace: {reason}")
    unproved = replace(plain, shows="", kind="", explanation="", witness={}, failing="")
    return Loaded(unproved, reason=reason)


def behaviour(loaded: Loaded, path: str, wanted: str) -> tuple[Trace, Spec]:
    """The trace of a file with its spec; E407 where it has none, so that there is none of what is wanted."""
    if loaded.spec is None or not isinstance(loaded.trace, Trace):
        raise without(path, wanted, loaded.reason or "it names no spec")
    return loaded.trace, loaded.spec


def without(path: str, wanted: str, reason: str) -> EverystateError:
    """E407: that there is none of what is wanted of a trace file."""
    return EverystateError("E407", None, path=path, wanted=wanted, reason=reason, quoted=shlex.quote(path))


def constants_of(document: Document, target: Target) -> dict[str, Any]:
    """The constants of a trace file as its spec has them."""
    declared = target.declared()
    return {n: _value(v, declared[n].default if n in declared else None) for n, v in document.constants.items()}


def _value(data: Any, default: Any) -> Any:
    """A constant as the spec has it: an enum member by its name, a list as the kind of sequence of the default."""
    from ..results.itf_values import read

    if isinstance(default, enum.Enum):
        return type(default)[data] if data in type(default).__members__ else data
    value = read(data, "constants")
    return type(default)(value) if isinstance(default, (tuple, list, frozenset)) else value
