"""The search for counterexamples that are to be driven: in bounded memory, and an interrupt ends the command."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from ..errors import EverystateError
from ..language.spec import Spec
from ..results.result import Result
from ..results.verdict import Kind
from .options import size
from .output import note
from .progress import watcher

F = TypeVar("F", bound=Callable[..., Any])
MEMORY = "1G"
"""Some twenty million states of the Kafka model. A test environment for random walks can be larger than any memory."""


def memory_option(function: F) -> F:
    """The option --max-memory."""
    words = "Stop the search for counterexamples at this size of the state store."
    return click.option("--max-memory", metavar="SIZE", default=MEMORY, show_default=True, help=words)(function)


def search(spec: Spec, target: str, given: dict[str, Any]) -> Result:
    """The check of a spec, up to the limit that the user has `given`; KeyboardInterrupt when it was interrupted.

    What a search that was cut short has found is shortest all the same.
    """
    from ..engines.explicit import exhaustive
    from ..engines.limits import Limits
    from ..frontend import model

    limits = Limits(max_memory=size(given["max_memory"]))
    observer = watcher(given["quiet"])
    try:
        observer.phase("tracing")
        result = exhaustive.check(model.build(spec), limits, observer, target)
    finally:
        observer.finish()
    if result.interrupted:
        raise KeyboardInterrupt
    if result.stopped and not given["quiet"]:
        note(f"{target}: {cut(result)}")
    return result


def cut(result: Result) -> str:
    """What a search that was cut short has not seen; empty for one that has seen everything."""
    if not result.stopped:
        return ""
    more = "" if any(found.kind is Kind.ERROR for found in result.violations) else "; --max-memory allows more"
    searched = f"all behaviours of up to {result.depth - 1} steps were searched, and {result.distinct:,} states in all"
    return f"{result.stopped}; {searched}{more}"


@contextmanager
def compiled() -> Iterator[None]:
    """The part of a command that needs compiled code: an error that plain Python can do without names the command."""
    from ..api.in_any_case import executable

    try:
        yield
    except EverystateError as error:
        if executable(error):
            error.remedy += "; `everystate check` executes the spec as plain Python instead"
        raise
