"""What a spec does beside changing its state: it prints, logs, waits, or stops at a breakpoint.

A search and its cross-check execute actions many times and in no order that a reader can follow, and machine code does
none of it. So these happen only where a step of a trace is executed for a reader: a printed line is part of its
narration, and the rest is as in any Python program.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import pdb
import sys
import time
from collections.abc import Collection, Iterator
from functools import wraps
from types import FrameType
from typing import Any, TextIO

from ..errors import is_library, is_users, modules_by_name
from .concrete_machine import ConcreteMachine, NarratedRun
from .machine import current

SOURCE = "print"
"""Where a printed line is said to come from."""
LOGGING, SLEEP, BREAKPOINT = "logging", "time.sleep", "breakpoints"
_NAMED = {
    **{("logging", name): LOGGING for name in ("debug", "info", "warning", "warn", "error", "critical", "fatal")},
    **{("logging", name): LOGGING for name in ("exception", "log")},
    ("time", "sleep"): SLEEP,
    ("builtins", "breakpoint"): BREAKPOINT,
}


def ignored(function: Any) -> str:
    """What a search ignores with a call of a function; "" if the function is another one."""
    if function == pdb.set_trace:  # a tool may have put its own there, as pytest does
        return BREAKPOINT
    return _NAMED.get((str(getattr(function, "__module__", "")), str(getattr(function, "__name__", ""))), "")


def sentences(met: Collection[str]) -> list[str]:
    """That a search ignores what it has met, if it has met anything."""
    named = " and ".join([", ".join(sorted(met)[:-1]), sorted(met)[-1]] if len(met) > 1 else met)
    where = "they run where a trace is printed or a step is executed by hand"
    return [f"the search ignores {named}; {where}"] if met else []


class Printed(io.TextIOBase):
    """A standard output: what a step prints is narrated; what is printed outside of steps passes."""

    def __init__(self, outside: TextIO) -> None:
        self._begun = ""
        self.outside = outside

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        machine = current()
        if machine is None:
            return self.outside.write(text)
        *lines, self._begun = (self._begun + text).split("\n")
        for line in filter(None, lines):
            machine.narrate({"text": line, "at": SOURCE})
        return len(text)

    def flush(self) -> None:
        self.outside.flush()

    def isatty(self) -> bool:
        return bool(self.outside.isatty())

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self.outside.encoding

    @property
    def buffer(self) -> Any:
        """Where bytes are written, which no step of a trace narrates."""
        return self.outside.buffer

    def fileno(self) -> int:
        return self.outside.fileno()


@contextlib.contextmanager
def for_readers() -> Iterator[set[str]]:
    """While this is open, a step has effects only where it is executed for a reader; yields what was ignored."""
    met: set[str] = set()
    terminal = sys.stdout.outside if isinstance(sys.stdout, Printed) else sys.stdout  # where these contexts nest

    def happens(effect: str) -> bool:
        machine = current()
        if isinstance(machine, ConcreteMachine):
            met.add(effect)
        return not isinstance(machine, ConcreteMachine) or isinstance(machine, NarratedRun)

    def handle(logger: logging.Logger, record: logging.LogRecord) -> None:
        if happens(LOGGING):
            real_handle(logger, record)

    @wraps(time.sleep)
    def sleep(seconds: float) -> None:
        if happens(SLEEP):
            real_sleep(seconds)

    def hook(*args: Any, **kwargs: Any) -> Any:
        if current() is None:
            return real_hook(*args, **kwargs)
        if happens(BREAKPOINT) and sys.stdin is not None and sys.stdin.isatty() and terminal.isatty():
            _debug(terminal)
        return None

    def set_trace(*args: Any, **kwargs: Any) -> Any:
        return hook()

    real_handle, real_sleep, real_hook = logging.Logger.handle, time.sleep, sys.breakpointhook
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.redirect_stdout(Printed(terminal)))
        _replace(stack, logging.Logger, "handle", handle)
        _replace(stack, sys, "breakpointhook", hook)
        for holder, name in [(time, "sleep"), *_holding(time.sleep)]:
            _replace(stack, holder, name, sleep)
        _replace(stack, pdb, "set_trace", set_trace)
        yield met


def _replace(stack: contextlib.ExitStack, holder: Any, name: str, value: Any) -> None:
    stack.callback(setattr, holder, name, getattr(holder, name))
    setattr(holder, name, value)


def _holding(function: Any) -> list[tuple[Any, str]]:
    """The modules of authors that imported a function by name, each with the name that it has there."""
    found = []
    for _, module in modules_by_name():
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and is_users(file) and not is_library(file):
            found += [(module, name) for name, value in list(vars(module).items()) if value is function]
    return found


def _debug(terminal: TextIO) -> None:
    """Stop where the author says, in the debugger that PYTHONBREAKPOINT names."""
    if os.environ.get("PYTHONBREAKPOINT"):
        sys.__breakpointhook__()
        return
    pdb.Pdb(stdout=terminal).set_trace(_frame_of_author())


def _frame_of_author() -> FrameType:
    """The innermost frame that is not of this file."""
    frame = sys._getframe(1)
    while frame.f_code.co_filename == __file__ and frame.f_back is not None:
        frame = frame.f_back
    return frame
