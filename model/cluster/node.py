"""One server of Kafka: a process of its own with a folder, ports, a log and a configuration of its own."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ...checker.errors import EverystateError
from .waiting import wait

STARTED = "Kafka Server started"
"""The log line of a server that is ready: a broker is registered and not fenced then."""
MARK = ".kafka_cleanshutdown"
FULL, ROOM = 4 << 20, 200 << 20
"""Bytes of free space below which a disk counts as full, required where the folders of servers are."""
LAST_WORDS = 12
"""Lines that are quoted of a server that died."""
TELLING = ("ERROR", "Exception", "error:", "Caused by", "FATAL")


@dataclass(frozen=True)
class Ports:
    """Where a server listens: for clients, for other brokers, and for all where it is a controller."""

    client: int
    broker: int
    controller: int


class Node:
    """A server; `number` is its node id. `command` starts it, as soon as it is formatted."""

    def __init__(self, number: int, folder: Path, ports: Ports, command: Sequence[str], group: int) -> None:
        self.number, self.folder, self.ports = number, folder, ports
        self.command, self.group = list(command), group
        self.process: subprocess.Popen[bytes] | None = None
        self.seen = 0
        self.paused = False

    @property
    def log(self) -> Path:
        """The file with its output, of all its runs."""
        return self.folder / "server.log"

    @property
    def data(self) -> Path:
        """Its log.dirs."""
        return self.folder / "data"

    @property
    def properties(self) -> Path:
        """Its configuration."""
        return self.folder / "server.properties"

    # -- actions -------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start it; `ready` waits for it."""
        with self.log.open("ab") as log, _not_ignored(signal.SIGTERM):
            self.seen = log.tell()
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, process_group=self.group
            )

    def ready(self) -> None:
        """Wait until it serves; E731 when it dies before."""
        wait(f"node {self.number} starts", lambda: STARTED in self.words(), self._require_start)

    def stop(self) -> None:
        """SIGTERM: a normal shutdown; E732 when another signal ended it meanwhile."""
        self._signal(signal.SIGTERM)
        process = self.process
        wait(f"node {self.number} stops after SIGTERM", lambda: process is None or process.poll() is not None)
        if process is not None and process.returncode < 0 and process.returncode != -signal.SIGTERM:
            raise self._died("E732")
        self.process = None

    def kill(self) -> None:
        """SIGKILL: it ends in the middle of its work."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
        self.paused = False

    def pause(self) -> None:
        """SIGSTOP: it exists and does nothing."""
        self._signal(signal.SIGSTOP)
        self.paused = True

    def resume(self) -> None:
        """SIGCONT."""
        self._signal(signal.SIGCONT)
        self.paused = False

    def _signal(self, number: signal.Signals) -> None:
        self.require_alive()
        if self.process is not None:
            os.kill(self.process.pid, number)

    # -- observations --------------------------------------------------------------------------------------

    def histogram(self) -> dict[str, tuple[int, int]]:
        """Its objects that are alive, after a collection of garbage: by class how many, and their bytes."""
        before = self.log.stat().st_size
        self._signal(signal.SIGQUIT)

        def printed() -> dict[str, tuple[int, int]]:
            with self.log.open("rb") as log:
                log.seek(before)
                return histogram(log.read().decode("utf-8", "replace"))

        return wait(f"node {self.number} prints what is alive", printed, self.require_alive)

    @property
    def running(self) -> bool:
        """Whether its process is there."""
        return self.process is not None and self.process.poll() is None

    @property
    def stopped_in_order(self) -> bool:
        """Whether its last shutdown was normal: it marks its folder then, and removes the mark when it starts."""
        return (self.data / MARK).exists()

    def require_alive(self) -> None:
        """E732 when it ended by itself."""
        if self.process is not None and self.process.poll() is not None:
            raise self._died("E732")

    def _require_start(self) -> None:
        if self.process is not None and self.process.poll() is not None:
            raise self._died("E731")

    def _died(self, code: str) -> EverystateError:
        """Why it ended; on a full disk it cannot even write that down."""
        assert self.process is not None
        free = shutil.disk_usage(self.folder).free
        if free < FULL:
            return EverystateError("E734", None, folder=self.folder.parent.parent, free=free >> 20, room=ROOM >> 20)
        returned = self.process.returncode
        how = f"by {signal.Signals(-returned).name}" if returned < 0 else f"with exit code {returned}"
        lines = "\n".join(f"      {line}" for line in last_words(self.words()))
        return EverystateError(code, None, node=self.number, how=how, log=lines)

    def words(self) -> str:
        """Its output since its last start."""
        if not self.log.exists():
            return ""
        with self.log.open("rb") as log:
            log.seek(self.seen)
            return log.read().decode("utf-8", "replace")


def histogram(text: str) -> dict[str, tuple[int, int]]:
    """The JVM's list of its live objects; empty until it is complete."""
    if not re.search(r"^Total +\d+ +\d+ *$", text, re.MULTILINE):
        return {}
    rows = re.findall(r"^ *\d+: +(\d+) +(\d+)  (\S+)", text, re.MULTILINE)
    return {name: (int(count), int(size)) for count, size, name in rows}


@contextmanager
def _not_ignored(number: signal.Signals) -> Iterator[None]:
    """A process that ignores a signal passes that on, and a Java that is started so does not receive it."""
    before = signal.getsignal(number)
    if before is signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        if before is signal.SIG_IGN:
            signal.signal(number, before)


def last_words(text: str) -> list[str]:
    """The error that a server logged, or its last lines."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("at ")]
    complaints = list(dict.fromkeys(line for line in lines if any(word in line for word in TELLING)))
    return complaints[:LAST_WORDS] or lines[-LAST_WORDS:] or ["(none)"]
