"""A verdict in any case: a spec that cannot be compiled is executed as plain Python, with a warning.

The front end refuses some Python that plain Python can execute, and the cross-check may find a mistake of compiled code
(E217). Then the same search is made in plain Python. It visits some thousand states a second instead of millions, so it
may meet a limit first: then the verdict is UNDECIDED. What is a mistake of the author in any engine stays an error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from ..cache import unused
from ..engines.limits import Limits
from ..engines.observer import Observer, counted
from ..errors import EverystateError
from ..frontend.kept import traced
from ..ir.traced import Model
from ..language.effects import for_readers, sentences
from ..language.spec import Spec
from ..results.result import Result

T = TypeVar("T")
AUTO = "auto"
"""The engine: machine code, or plain Python where the spec cannot be compiled."""
DIFFERENT, ENDLESS, VARYING = "E217", "E206", "E207"
LIMITS = ("E204", "E205", ENDLESS, VARYING, "E211", "E215", DIFFERENT, "E223", "E239")
"""What compiled code cannot do, or does wrongly, and plain Python can do; E230 is among them where it says so."""


def executable(error: EverystateError) -> bool:
    """Whether plain Python may answer where compiled code ends in an error."""
    return error.code in LIMITS or (error.code == "E230" and bool(error.facts.get("limit")))


def in_any_case(
    spec: Spec,
    limits: Limits,
    observer: Observer,
    native: Callable[[Model], T],
    plain: Callable[[Result], T],
    name: str,
    insist: bool = False,
) -> tuple[T, Model | None]:
    """What `native` makes of the traced spec, with its model; else what `plain` makes of the result of plain Python,
    unless the caller does `insist` on compiled code.

    After E217 the spec is traced and compiled once more without the cache, which may hold what is wrong.
    """
    try:
        return _compiled(spec, limits, observer, native)
    except EverystateError as error:
        if insist or not executable(error):
            raise
        reason = error
    if reason.code == DIFFERENT:
        observer.phase("compiling again without the cache")
        try:
            with unused():
                return _compiled(spec, limits, observer, native)
        except EverystateError as error:
            if error.code != DIFFERENT:
                raise
            reason = error
    observer.phase("executing the spec as plain Python")
    return plain(executed(spec, limits, observer, name, reason)), None


def _compiled(spec: Spec, limits: Limits, observer: Observer, native: Callable[[Model], T]) -> tuple[T, Model]:
    with limits.stopwatch.measuring("tracing"):
        model = traced(spec, counted(observer, "tracing"))
    return native(model), model


def executed(
    spec: Spec, limits: Limits, observer: Observer, name: str, reason: EverystateError | None = None
) -> Result:
    """The search in plain Python, by itself or because of an error of compiled code.

    What the front end has not read, or has read wrongly, may never return, or may depend on more than the state. That
    ends in the error of compiled code.
    """
    from ..engines.explicit import python

    try:
        with limits.stopwatch.measuring("search"), for_readers() as met:
            found = python.check(spec, limits, observer, name, careful=reason is not None)
    except EverystateError as error:
        if reason is not None and error.code in (ENDLESS, VARYING):
            raise reason from None
        raise
    found = replace(found, remarks=(*found.remarks, *sentences(met)))
    return found if reason is None else _warned(found, reason)


def _warned(found: Result, reason: EverystateError) -> Result:
    """A result with the reason why plain Python answers."""
    place = "" if reason.where is None else str(reason.where).partition("\n")[0]
    at = f" ({place})" if place else ""
    said = f"{reason.what}{at}: so the spec was executed as plain Python"
    said += f". Please {reason.remedy}" if reason.code == DIFFERENT else ", which is some hundred times slower"
    conditions = replace(found.conditions, executed=f"{said} (--engine native shows {reason.code})")
    fallback = {"code": reason.code, "what": reason.what, "where": place}
    return replace(found, conditions=conditions, details={**found.details, "fallback": fallback})
