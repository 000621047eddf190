"""`check`: the settings that Python programs can give, and the search that they choose."""

from __future__ import annotations

import contextlib
import os
import threading
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..engines.limits import Deadline, Limits, cross_check_number
from ..engines.observer import Silent
from ..errors import EverystateError
from ..ir.traced import Model
from ..language.spec import Spec, made_anew
from ..results.result import Result
from . import on_spark
from .cache import kept
from .checked import Checked
from .engines import DEPTH, search
from .in_any_case import AUTO, in_any_case

ENGINES = (AUTO, "native", "python", "z3", "spark")
LEAST = {"depth": 0, "cross_check": 0}
"""The least value of a setting that is a number, if that is not 1."""
ALONE = threading.RLock()
"""Specs are traced and run one at a time: a check in another thread waits."""


def check(
    spec: type[Spec] | Spec,
    *,
    engine: str = AUTO,
    depth: int = DEPTH,
    workers: int | None = None,
    max_states: int | None = None,
    max_memory: int | None = None,
    seconds: float | None = None,
    deadlock: bool = True,
    stop_early: bool = False,
    cross_check: int | str | None = None,
    compress: bool = False,
    cache: bool = False,
    master: str | None = None,
) -> Checked:
    """Visit every reachable state of a spec. The result proves its properties or has a shortest counterexample of each.

    `spec` is a class, with the default constants, or an instance with constants of its own:

        check(Lock)
        check(Lock(workers=3), max_states=1_000_000)

    engine       "native" (machine code), "python" (the spec as it is; slow), "z3" (runs of at most `depth` steps) or
                 "spark" (machine code on the cluster of `master`, by default one in this process); by default machine
                 code, and plain Python with a warning where the spec cannot be compiled
    workers      threads of the search; by default one for each processor
    max_states   end the search at this number of states
    max_memory   end the search at this size of the state store, in bytes
    seconds      end the search after this time; not with "spark"
    deadlock     whether a state without successors is an error
    stop_early   end the search at the level of the first violation
    cross_check  how many states are compared with plain Python: a number, "all" or "off"; by default as many as take
                 a tenth of the time
    compress     keep a large state space in a third of the memory or less; "native" only
    cache        reuse the result of an equal check on this machine, and store this one; full searches of "native" only

    A search that ends early, by a limit or by Ctrl-C, has the verdict UNDECIDED unless it found a violation.
    Raises EverystateError, with code and place, if the spec cannot be checked; ValueError for settings that do not fit.
    """
    _fits(engine, native={"compress": compress, "cache": cache}, spark={"master": master})
    if seconds is not None and engine == "spark":
        raise ValueError("engine is 'spark'; seconds is for the others")
    if master and workers:
        raise ValueError("workers is for this machine; with master the cluster decides")
    cross_check = cross_check_number(cross_check) if isinstance(cross_check, str) else cross_check
    _numbers(
        seconds,
        depth=depth,
        workers=workers,
        max_states=max_states,
        max_memory=max_memory,
        cross_check=cross_check,
    )
    threads, deadline = workers or _processors(), None if seconds is None else Deadline(seconds)
    limits = Limits(
        threads, max_states, max_memory, deadlock, stop_early, cross_check, compress=compress, deadline=deadline
    )
    with ALONE, _to_its_end():
        made = made_anew(spec, "check")
        name = type(made).__name__
        if engine == "python":
            return Checked(search(made, engine, limits, name=name), made, None, limits)

        def native(model: Model) -> tuple[Result, str]:
            def make() -> Result:
                if engine == "spark":
                    return on_spark.search(model, limits, Silent(), name, on_spark.Cluster(master, workers))[0]
                return search(made, engine, limits, name=name, depth=depth, model=model)

            found, _, remark = kept(model, limits, name, make) if cache else (make(), False, "")
            return found, remark

        def plain(found: Result) -> tuple[Result, str]:
            return replace(found, times=limits.stopwatch.times), ""

        (found, remark), model = in_any_case(
            made, limits, Silent(), native, plain, name, insist=engine != AUTO or compress
        )
        if remark:
            warnings.warn(remark, RuntimeWarning, stacklevel=2)
        return Checked(found, made, model, limits)


@contextlib.contextmanager
def _to_its_end() -> Iterator[None]:
    """E506 where a spec ends the program as if all were well: the text of a value may call `exit()`."""
    try:
        yield
    except SystemExit as error:
        if type(error.code) is int and error.code & 0xFF:
            raise
        raise EverystateError("E506", None, name="SystemExit") from None


def _fits(engine: str, **only: dict[str, Any]) -> None:
    """ValueError for an engine that there is not, and for what `only` another one does."""
    if engine not in ENGINES:
        raise ValueError(f"engine is {engine!r}; it is one of {', '.join(ENGINES)}")
    for other, settings in only.items():
        for name, value in settings.items():
            if value and engine not in (other, AUTO if other == "native" else other):
                raise ValueError(f"engine is {engine!r}; {name} is for {other}")


def _numbers(seconds: float | None, **given: Any) -> None:
    """ValueError for what is no number, or one that says nothing; all but the seconds are whole."""
    if seconds is not None and (not isinstance(seconds, (int, float)) or isinstance(seconds, bool) or not seconds > 0):
        raise ValueError(f"seconds is {seconds!r}; it is a number above 0")
    for name, value in given.items():
        least = LEAST.get(name, 1)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < least):
            raise ValueError(f"{name} is {value!r}; it is a whole number of at least {least}")


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
