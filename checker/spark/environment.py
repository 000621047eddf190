"""What a session changes in its process while it lasts: a work folder, environment variables, signal handlers."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import masters


@contextlib.contextmanager
def work_folder(given: Path | None) -> Iterator[Path]:
    """The given folder, which remains, or a temporary one, which is removed."""
    if given is not None:
        given.mkdir(parents=True, exist_ok=True)
        try:
            yield given.absolute()
        finally:
            shutil.rmtree(given / "scratch", ignore_errors=True)
        return
    folder = None
    try:
        with deferred_interrupt():
            folder = Path(tempfile.mkdtemp(prefix="everystate-spark-"))
        yield folder
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def environment(home: Path, master: str) -> Iterator[None]:
    """The environment that Spark's launcher and its Python workers read, for the time of the session."""
    wanted = {"JAVA_HOME": str(home)}
    if masters.local(master):
        wanted["PYSPARK_PYTHON"] = wanted["PYSPARK_DRIVER_PYTHON"] = sys.executable
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextlib.contextmanager
def interrupts() -> Iterator[None]:
    """Restore the handler of Ctrl-C, which PySpark replaces and leaves in place, and keep Py4J from printing a
    traceback after Ctrl-C: it uses the root logger, which prints only until it is configured. On SIGTERM the process
    cleans up first, unless it has its own handler."""
    before, root, silent = _handlers(), logging.getLogger(), logging.NullHandler()
    root.addHandler(silent)
    if _main_thread() and before[signal.SIGTERM] is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        root.removeHandler(silent)
        _put_back(before)


def _terminate(number: int, frame: object) -> None:
    signal.signal(number, signal.SIG_IGN)
    raise SystemExit(128 + number)


def _handlers() -> dict[int, Any]:
    return {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}


def _put_back(handlers: dict[int, Any]) -> None:
    if _main_thread():
        for number, handler in handlers.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def deferred_interrupt() -> Iterator[None]:
    """Signals wait for the end of the block: what starts in it has no handle yet by which it could be ended."""
    struck: list[int] = []
    before = _handlers()
    _put_back({number: lambda number, frame: struck.append(number) for number in before})
    try:
        yield
    finally:
        _put_back(before)
    for number in struck[:1]:
        signal.raise_signal(number)


def _main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
