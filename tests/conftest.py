"""All tests: what a run doubts of itself is less than by default, where it is not what a test is about."""

from __future__ import annotations

import gc
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import pytest

from everystate.checker.cli.main import ALLOCATIONS
from everystate.checker.engines.limits import VARIABLE

os.environ.setdefault(VARIABLE, "32")
os.environ.pop("COLUMNS", None)  # a width at which printed lines are wrapped: tests set their own
os.environ.setdefault("HYPOTHESIS_NO_PLUGINS", "1")  # one that comes with trio imports all of it

# Started by `&` or nohup, Python finds SIGINT ignored, and so do all its children: then no test could press Ctrl-C.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Python looks for garbage as seldom as it does in a command: a fifth of the time to trace a spec went into that.
gc.set_threshold(ALLOCATIONS, *gc.get_threshold()[1:])


@pytest.fixture
def calls() -> Callable[[Callable[[], Any]], int]:
    """How often Python calls a function while something is done."""

    def counted(run: Callable[[], Any]) -> int:
        made = 0

        def count(_: Any, event: str, __: Any) -> None:
            nonlocal made
            made += event in ("call", "c_call")

        sys.setprofile(count)
        try:
            run()
        finally:
            sys.setprofile(None)
        return made

    return counted


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that share what a fixture makes for their module go to one worker of xdist: else each makes it anew.

    Before xdist looks for groups, and after the folders below have named theirs. The longest tests that are alone come
    before all others: at the end everybody would wait for them.
    """
    items.sort(key=lambda item: item.path.name not in ("test_types.py", "test_command.py"))
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("xdist_group") is None:
            used = (item._fixtureinfo.name2fixturedefs.get(name, ()) for name in item.fixturenames)
            if any(fixture.scope == "module" for fixtures in used for fixture in fixtures[-1:]):
                item.add_marker(pytest.mark.xdist_group(item.path.stem))


def pytest_collection_finish() -> None:
    """Modules and tests stay to the end: nobody need look through them for garbage again."""
    gc.freeze()


def pytest_configure(config: pytest.Config) -> None:
    """What Hypothesis tries is the same in every run, however long it takes.

    Where nobody may write bytecode beside the modules, the processes of a run keep it in a folder of the run. Else
    each of some hundreds of processes would compile every module that it imports.
    """
    from hypothesis import HealthCheck, settings  # once it is told to load no plugins

    settings.register_profile("same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("same")
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None) and "PYTHONPYCACHEPREFIX" not in os.environ:
        folder = tempfile.TemporaryDirectory(prefix="bytecode-")
        os.environ["PYTHONPYCACHEPREFIX"] = folder.name
        config.add_cleanup(folder.cleanup)
