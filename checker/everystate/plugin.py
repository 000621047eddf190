"""Where pytest comes in: what it finds here is `everystate.checker.pytest_plugin`.

Pytest writes the assertions of whatever is installed with a plugin anew. Functions of Everystate that are not what
their files say are taken for somebody's own by the border, and refused in whatever is traced; and nobody wants to see
the values in them. So this comes first, and lies where nothing else of Everystate is loaded before it.
"""

from __future__ import annotations

import sys
from typing import Any

import pytest

pytest_plugins = ["everystate.checker.pytest_plugin"]


def as_written(finder: Any) -> None:
    """Let what finds modules for pytest leave the package alone."""
    marked, known = (getattr(finder, name, None) for name in ("_must_rewrite", "_marked_for_rewrite_cache"))
    if isinstance(marked, set) and isinstance(known, dict):
        marked.discard(__package__)
        known.clear()


for found in sys.meta_path:
    as_written(found)


# -- the exit code ------------------------------------------------------------------------------------------

ENDING = pytest.StashKey[Any]()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Where specs are checked, whoever ends the process of pytest does not end it with 0: no test may have failed."""
    if "everystate.checker.language.spec" in sys.modules and ENDING not in item.config.stash:
        from .exit_code import Ending

        item.config.stash[ENDING] = Ending()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """The tests are done: from now on it ends with what they gave."""
    if ENDING in session.config.stash:
        session.config.stash[ENDING].code = int(exitstatus)
