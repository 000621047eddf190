"""An entry of the catalogue of errors."""

from __future__ import annotations

from dataclasses import dataclass

NOT_INSTALLED = 69
"""The exit code where something is missing that comes with an extra, or from outside of Python."""


@dataclass(frozen=True)
class Entry:
    """One kind of error: templates for what, why and remedy, and the exit code of the command line."""

    what: str
    why: str
    remedy: str
    exit_code: int = 150
