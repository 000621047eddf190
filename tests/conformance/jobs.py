"""What the tests let a process with a JVM do; spawned processes can import it by name."""

from __future__ import annotations

import os
from pathlib import Path

from everystate.checker.errors import EverystateError
from everystate.model.conformance.process import Line


def answer(line: Line, number: int) -> int:
    from jpype.types import JInt

    line.tell({"half": number})
    return int(JInt(number)) + 1


def own_error(line: Line) -> None:
    raise EverystateError("E701", None, version="1.0", suggestion="", known="none")


def mistake(line: Line) -> None:
    raise ValueError("a mistake")


def chatter(line: Line) -> str:
    import jpype

    print("from Python", flush=True)
    jpype.java.lang.System.err.println("from Java")
    return os.environ["HOME"]


def until_stopped(line: Line) -> str:
    line.tell(os.getpid())
    while not line.stopped:
        pass
    return "as far as it came"


def crash(line: Line) -> None:
    import ctypes

    ctypes.string_at(0)


def exhaust(line: Line) -> None:
    import jpype

    jpype.JArray(jpype.JLong)(1 << 30)


def leave(line: Line) -> None:
    import jpype

    jpype.java.lang.Runtime.getRuntime().halt(7)


def abort(line: Line) -> None:
    print("on a last", "\n\nword", flush=True)
    os.abort()


def place(line: Line) -> str:
    import tempfile

    import jpype

    folder = tempfile.mkdtemp()
    assert str(jpype.java.lang.System.getProperty("java.io.tmpdir")) == str(Path(folder).parent)
    line.tell(folder)
    os.abort()


def started(line: Line) -> str:
    return "it runs"
