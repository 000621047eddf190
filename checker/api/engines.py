"""The engines by name."""

from __future__ import annotations

from dataclasses import replace

from ..engines.limits import Limits
from ..engines.observer import Observer, Silent, counted
from ..frontend.kept import traced
from ..ir.traced import Model
from ..language.effects import for_readers
from ..language.spec import Spec
from ..results.result import Result, check_guesses
from .in_any_case import AUTO, executed, in_any_case

DEPTH = 20
"""Steps of a behaviour, at most, where z3 looks for violations."""


def search(
    spec: Spec,
    engine: str = AUTO,
    limits: Limits | None = None,
    observer: Observer | None = None,
    name: str = "",
    depth: int = DEPTH,
    model: Model | None = None,
) -> Result:
    """What an engine finds out about a spec that was made, and traced, unless `model` is that. By default plain Python
    answers where the spec cannot be compiled."""
    limits, observer, name = limits or Limits(), observer or Silent(), name or type(spec).__name__

    def native(model: Model | None) -> Result:
        return _search(spec, engine, limits, observer, name, depth, model)

    with for_readers():
        if engine == AUTO and model is None:
            found = in_any_case(spec, limits, observer, native, lambda found: found, name)[0]
        else:
            found = native(model)
    check_guesses(found)
    return replace(found, times=limits.stopwatch.times)


def _search(
    spec: Spec,
    engine: str,
    limits: Limits,
    observer: Observer,
    name: str,
    depth: int,
    model: Model | None,
) -> Result:
    stopwatch = limits.stopwatch
    if engine == "python":
        return executed(spec, limits, observer, name)
    with stopwatch.measuring("tracing"):
        model = model or traced(spec, counted(observer, "tracing"))
    if engine == "z3":
        from ..engines.symbolic import bounded
        from ..engines.symbolic.search import Question

        seconds = limits.deadline.seconds if limits.deadline is not None else None
        question = Question(
            depth,
            (),
            limits.deadlock,
            seconds,
            limits.max_memory,
            cross_check=limits.cross_check,
            stopwatch=stopwatch,
        )
        with stopwatch.measuring("search"):
            return bounded.check(model, question, observer, name)
    if limits.spill is not None:
        from ..engines.explicit import spill

        return spill.check(model, limits, observer, name, limits.spill)
    from ..engines.explicit import exhaustive

    return exhaustive.check(model, limits, observer, name)
