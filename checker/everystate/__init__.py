"""Everystate in Python: `check` visits every reachable state of a spec, `explore` walks through them by hand.

docs/reference/api.md and docs/how-to/explore.md have it all.

What an author of a spec writes is in `everystate.checker`. Nothing is loaded before it is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from everystate.checker.api.checked import Checked
    from everystate.checker.api.checking import check
    from everystate.checker.cli.targets import load
    from everystate.checker.explore.session import Session, explore
    from everystate.checker.results.verdict import Verdict

PLACES = {
    "Checked": "checker.api.checked",
    "Session": "checker.explore.session",
    "Verdict": "checker.results.verdict",
    "check": "checker.api.checking",
    "explore": "checker.explore.session",
    "load": "checker.cli.targets",
}
__all__ = ["Checked", "Session", "Verdict", "check", "explore", "load"]


def __getattr__(name: str) -> Any:
    if name in PLACES:
        return getattr(import_module(f"{__name__}.{PLACES[name]}"), name)
    if not name.startswith("_") and name in import_module(f"{__name__}.checker").__all__:
        raise ImportError(f"{name} is in everystate.checker: from everystate.checker import {name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
