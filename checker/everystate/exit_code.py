"""The exit code of a process is that of its command, whoever ends it.

What a spec executes for readers only nobody has examined, and nobody what it leaves to the end of the process. If that
calls `os._exit(0)`, the shell would take it for a verdict.
"""

import operator
import os
import sys
from collections.abc import Callable
from typing import Any

ENDINGS = ("_exit", "execv", "execve")
"""What ends a process at once; whatever else Python has calls one of these, or ends with another code than 0."""
UNKNOWN = 255


class Ending:
    """Stands in the place of what ends this process at once; `code` is that of its command, once that is done."""

    def __init__(self) -> None:
        self.code: int | None = None
        self.process, self._exit = os.getpid(), os._exit
        for name in ENDINGS:
            guarded = self._guarded(name, getattr(os, name))
            for module in (os, sys.modules[os.name]):
                setattr(module, name, guarded)

    def _guarded(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def ended(*given: Any, **named: Any) -> Any:
            return real(*given, **named) if os.getpid() != self.process else self._end(name)

        def exited(status: int) -> Any:
            code = int.__and__(operator.index(status), 0xFF)
            return real(code) if code or os.getpid() != self.process else self._end(name)

        return exited if name == "_exit" else ended

    def _end(self, name: str) -> None:
        if self.code is None:
            from everystate.checker.errors import EverystateError

            print(EverystateError("E506", None, name=f"os.{name}").explain(), file=sys.stderr, flush=True)
        self._exit(UNKNOWN if self.code is None else self.code)
