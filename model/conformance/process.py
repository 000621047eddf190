"""Runs a function in a process of its own for each release of Kafka, with the JVM of the release.

A class is loaded once in a JVM and a JVM is started once in a process, so releases cannot share one. When the JVM dies
its process ends too; here that is an error with its last output. Its temporary files are removed.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from ...checker.errors import EverystateError
from .disk_space import is_full, no_room
from .jvm import start
from .versions import Kafka

LAST_WORDS = 20
"""Lines that are quoted of a process that died."""
WORDS = "words"
"""The file with the output of the process, from both streams."""


MEMORY = Path("/dev/shm")
"""Where Kafka's logs are kept, if it is there: they are written at every step."""


@dataclass(frozen=True)
class Places:
    """Folders that are removed with the process: for Java and its output, and for Kafka's logs."""

    scratch: Path
    logs: str


@dataclass(frozen=True)
class Line:
    """The connection of a function in its process to the process that waits for it."""

    _connection: Connection

    def tell(self, message: object) -> None:
        """Send a message before the end, such as progress; the `hear` of `run` gets it."""
        self._connection.send(("told", message))

    @property
    def stopped(self) -> bool:
        """Whether the user has pressed Ctrl-C; then the results so far are to be returned."""
        return self._connection.poll()


def run(
    kafka: Kafka,
    paths: Sequence[Path],
    function: Callable[..., Any],
    *args: object,
    hear: Callable[[Any], None] = lambda message: None,
) -> Any:
    """The result of function(line, *args) in a fresh process whose JVM has a release; E709 when that dies.

    The function is one of a module, and its arguments and results can be pickled. An EverystateError is raised again
    here, any other error as E503, and its output goes to the standard error when it has ended. The first Ctrl-C
    requests a stop, the second one ends it.
    """
    context = multiprocessing.get_context("spawn")
    with (
        _folder("everystate-kafka-", Path(tempfile.gettempdir())) as made,
        _folder("everystate-logs-", MEMORY if MEMORY.is_dir() else Path(tempfile.gettempdir())) as logs,
    ):
        scratch = Path(made)
        ours, theirs = context.Pipe()
        process = context.Process(
            target=_work, args=(theirs, kafka.version, list(paths), Places(scratch, logs), function, args), daemon=True
        )
        process.start()
        theirs.close()
        try:
            kind, value = _result(ours, hear)
        except (EOFError, ConnectionError):
            process.join()
            words = _words(scratch)
            raise (no_room(logs) if is_full(words) else _died(kafka, process.exitcode or 0, words)) from None
        finally:
            ours.close()
            if sys.exc_info()[0] is not None:
                process.kill()
            process.join()
        sys.stderr.write(_words(scratch))
    if kind == "error":
        code, where, facts = value
        raise EverystateError(code, where, **facts)
    return value


def _folder(prefix: str, place: Path) -> tempfile.TemporaryDirectory[str]:
    """A new folder that is removed at the end; E711 where the disk is full."""
    try:
        return tempfile.TemporaryDirectory(prefix=prefix, dir=place)
    except OSError as problem:
        raise EverystateError("E711", None, folder=place, reason=problem.strerror) from None


def _result(ours: Connection, hear: Callable[[Any], None]) -> tuple[str, Any]:
    with _asked_to_stop(lambda: ours.send("stop")):
        while True:
            kind, value = ours.recv()
            if kind != "told":
                return kind, value
            hear(value)


@contextmanager
def _asked_to_stop(stop: Callable[[], None]) -> Iterator[None]:
    """The first interrupt (Ctrl-C, or SIGTERM where it interrupts) calls `stop`, so that no message is truncated.

    The next one has its usual effect.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual: dict[int, Any] = {signal.SIGINT: signal.getsignal(signal.SIGINT)}
    if callable(signal.getsignal(signal.SIGTERM)):
        usual[signal.SIGTERM] = signal.getsignal(signal.SIGTERM)

    def once(number: int, frame: Any) -> None:
        signal.signal(number, usual[number])
        try:
            if number == signal.SIGTERM:
                usual[number](number, frame)
        except KeyboardInterrupt:
            pass
        stop()

    for number in usual:
        signal.signal(number, once)
    try:
        yield
    finally:
        for number, handler in usual.items():
            if signal.getsignal(number) is once:
                signal.signal(number, handler)


def _words(scratch: Path) -> str:
    path = scratch / WORDS
    return path.read_text("utf-8", "replace") if path.exists() else ""


def _died(kafka: Kafka, code: int, words: str) -> EverystateError:
    how = f"by {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
    lines = [line for line in words.splitlines() if line.strip("# ")][-LAST_WORDS:] or ["(none)"]
    return EverystateError("E709", None, version=kafka.version, how=how, log="\n".join(f"      {x}" for x in lines))


# in the process ---------------------------------------------------------------------------------------------


def _work(
    line: Connection, version: str, paths: list[Path], places: Places, function: Callable[..., Any], args: Any
) -> None:
    _end_with_the_parent(places)
    scratch = places.scratch
    for number in (signal.SIGINT, signal.SIGTERM):  # a signal for this process
        signal.signal(number, signal.SIG_IGN)
    with (scratch / WORDS).open("w") as words:
        os.dup2(words.fileno(), 1)
        os.dup2(words.fileno(), 2)
    tempfile.tempdir = places.logs
    result: tuple[str, Any]
    try:
        start(version, paths, scratch)
        result = "value", function(Line(line), *args)
    except EverystateError as problem:
        result = "error", (problem.code, problem.where, problem.facts)
    except Exception as problem:
        result = "error", ("E503", None, _mistake(problem))
    line.send(result)
    line.close()


def _end_with_the_parent(places: Places) -> None:
    """End the process when its parent is gone, even by kill -9: there is no receiver, and no cleanup."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_watch, args=(parent, places), daemon=True).start()


def _watch(parent: Any, places: Places) -> None:
    parent.join()
    shutil.rmtree(places.logs, ignore_errors=True)
    shutil.rmtree(places.scratch, ignore_errors=True)
    os._exit(1)


def _mistake(problem: Exception) -> dict[str, str]:
    """The facts of a bug of ours."""
    if os.environ.get("EVERYSTATE_DEBUG"):
        traceback.print_exc()
    frame = traceback.extract_tb(problem.__traceback__)[-1]
    text = f"{type(problem).__name__}: {' '.join(str(problem).split())}"
    return {"error": text[:300], "place": f"{os.path.basename(frame.filename)}:{frame.lineno}"}
