"""What a spec prints while an engine works: a line of a step's narration in a trace, and nothing elsewhere.

A search and its cross-check execute actions many times and in no order that a reader can follow. So `print` is shown
where narration is, and never mixes with a report on standard output.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator

from ..language.concrete_machine import machine

SOURCE = "print"
"""Where a printed line is said to come from."""


class Printed(io.TextIOBase):
    """A standard output whose lines go to the run that is under way."""

    def __init__(self) -> None:
        self._begun = ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        *lines, self._begun = (self._begun + text).split("\n")
        for line in filter(None, lines):
            machine().narrate({"text": line, "at": SOURCE})
        return len(text)


@contextlib.contextmanager
def as_narration() -> Iterator[None]:
    """While this is open, what is printed is narrated."""
    with contextlib.redirect_stdout(Printed()):
        yield
