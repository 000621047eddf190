"""What a session changes around it for its time: a work folder, environment variables, handlers of signals."""

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
    """The given folder, which stays, or a temporary one, which goes."""
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
    """Keep the handler of Ctrl-C, for which PySpark puts its own and leaves it there, and keep Py4J from printing a
    traceback when it strikes: it uses the root logger, which prints only as long as nobody has set it up. A process
    that is told to terminate cleans up first, unless it has plans of its own."""
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
    """Signals wait for the end of the block: nobody has a handle yet on what is just begun there, to end it."""
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
