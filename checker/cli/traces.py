"""Trace files: read, with the spec that they are of where that is at hand."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from typing import Any

from ..errors import EverystateError
from ..language.spec import Spec
from ..results.itf import Document
from ..results.story import Story, story_of
from ..results.trace import Trace
from .output import note
from .targets import Target, known


@dataclass(frozen=True)
class Loaded:
    """A trace file that was read; without its spec where that is not at hand."""

    told: Trace | Story
    spec: Spec | None = None

    @property
    def story(self) -> Story:
        """The trace as a story."""
        return self.told if isinstance(self.told, Story) else story_of(self.told)


def load(document: Document, given: Target | None = None, needed: bool = False) -> Loaded:
    """The trace with its spec; where that is not at hand, the story that the file tells by itself.

    What a trace names is loaded only if it is in the registry: it may come from somebody else, and loading a file or
    a module runs it. `given` is a spec that the user named. Where the spec is `needed`, that it cannot be loaded is an
    error. What a file says that its behaviour shows is left out where that is none of the spec, or does not show it.
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
    from everystate.counterexamples import flaw

    try:
        trace = document.trace(spec)
        reason = flaw(spec, trace)
    except EverystateError as error:
        reason = str(error.facts.get("reason"))
    if not reason:
        return Loaded(trace, spec)
    story = document.story()
    note(f"note: shown without its spec, of which it is no trace: {reason}")
    return Loaded(replace(story, shows="", kind="", explanation="", witness={}, failing=""))  # so it shows nothing


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
