"""Everystate in Python: `check` visits every reachable state of a spec; docs/api.md has it all.

What an author of a spec writes is in `everystate.checker`. Nothing is loaded before it is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .checker.api import Checked, Verdict, check

__all__ = ["Checked", "Verdict", "check"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module(f"{__name__}.checker.api"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
