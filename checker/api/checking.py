"""Check a spec: what Python programs may ask for, and what they see of it."""

from __future__ import annotations

import contextlib
import os
import threading
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from ..engines.limits import Deadline, Limits, cross_check_number
from ..engines.observer import Silent
from ..errors import EverystateError
from ..frontend.kept import traced
from ..language.spec import Spec
from ..results.result import Result
from . import on_spark
from .cache import kept
from .checked import Checked
from .engines import DEPTH, search

ENGINES = ("native", "python", "z3", "spark")
LEAST = {"depth": 0, "cross_check": 0}
"""The least value of a setting that is a number, if that is not 1."""
ALONE = threading.RLock()
"""Specs are traced and run one at a time: a check in another thread waits."""


def check(
    spec: type[Spec] | Spec,
    *,
    engine: str = "native",
    depth: int = DEPTH,
    workers: int | None = None,
    max_states: int | None = None,
    max_memory: int | None = None,
    seconds: float | None = None,
    deadlock: bool = True,
    stop_early: bool = False,
    reduce: bool = False,
    cross_check: int | str | None = None,
    compress: bool = False,
    cache: bool = False,
    master: str | None = None,
    given: Mapping[str, Any] | None = None,
    **constants: Any,
) -> Checked:
    """Visit every reachable state of a spec with some constants: prove its properties, or find how each fails.

    `engine` is native (machine code), python (the spec as it is, slow), z3 (behaviours of at most `depth` steps) or
    spark (machine code on a cluster: that of `master`, or one in this process; temporal properties are not judged).
    `max_states`, `max_memory` (bytes of the state store) and `seconds` (not with spark) end a search early; then, and
    after Ctrl-C, the verdict is UNDECIDED unless a violation was found. `deadlock=False`: a state without successors is
    an end, not an error.
    `stop_early` stops at the level of the first violation, `reduce` leaves out steps whose order does not matter
    (native only: the same verdict from fewer states). `cross_check` says how many states are compared with plain
    Python, a number, "all" or "off"; by default as many as take a tenth of the time.
    `compress` keeps large state spaces in a third of the memory or less, with the native engine. `cache` takes the
    result of an equal check that was made before, on this machine, and keeps this one; a full search with native only.
    `given` holds constants, and must do so where the spec has one that is called like one of these.

    What keeps a spec from being checked is an EverystateError, with code and place.
    """
    _fits(engine, native={"reduce": reduce, "compress": compress, "cache": cache}, spark={"master": master})
    if seconds is not None and engine == "spark":
        raise ValueError("engine is 'spark'; seconds is for the others")
    if cache and reduce:
        raise ValueError("cache is for full searches; reduce leaves states out")
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
        if given is None:
            _no_doubt(spec)
        made = _made(spec, {**constants, **(given or {})})
        with limits.stopwatch.measuring("tracing"):
            model, name = traced(made), type(made).__name__

        def make() -> Result:
            if engine == "spark":
                return on_spark.search(model, limits, Silent(), name, on_spark.Cluster(master, workers))[0]
            return search(made, engine, limits, name=name, depth=depth, model=model, reduce=reduce)

        found, _, remark = kept(model, deadlock, name, make) if cache else (make(), False, "")
        if remark:
            warnings.warn(remark, RuntimeWarning, stacklevel=2)
        return Checked(found, model, limits, reduce)


@contextlib.contextmanager
def _to_its_end() -> Iterator[None]:
    """E506 where a spec ends the program as if all were well: the text of a value may call `exit()`."""
    try:
        yield
    except SystemExit as error:
        if type(error.code) is int and error.code & 0xFF:
            raise
        raise EverystateError("E506", None, name="SystemExit") from None


def _class_of(spec: type[Spec] | Spec) -> type[Spec]:
    if isinstance(spec, Spec):
        return type(spec)
    if not (isinstance(spec, type) and issubclass(spec, Spec)):
        raise TypeError(f"check takes a class of a spec, not {spec!r}")
    return spec


def _made(spec: type[Spec] | Spec, constants: dict[str, Any]) -> Spec:
    """A spec, always made anew: what was done to an instance meanwhile is no part of it."""
    fixed = spec.constants if isinstance(spec, Spec) else {}
    return _class_of(spec)(**{**fixed, **constants})


def _no_doubt(spec: type[Spec] | Spec) -> None:
    """TypeError where an argument could be meant for a constant or for the check."""
    cls = type(spec) if isinstance(spec, Spec) else spec
    settings = check.__kwdefaults__ or {}
    for name in sorted(settings.keys() & getattr(cls, "declared_constants", dict)()):
        raise TypeError(f"{cls.__name__} has a constant {name}, as check has a setting: say given={{{name!r}: ...}}")


def _fits(engine: str, **only: dict[str, Any]) -> None:
    """ValueError for an engine that there is not, and for what `only` another one does."""
    if engine not in ENGINES:
        raise ValueError(f"engine is {engine!r}; it is one of {', '.join(ENGINES)}")
    for other, settings in only.items():
        for name, value in settings.items():
            if value and engine != other:
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
