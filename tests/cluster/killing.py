"""A model that kills the servers of whoever replays it, in the step that restarts a broker in order."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

from everystate.model import KafkaProducer


class KillsServers(KafkaProducer):
    """KafkaProducer, until then."""

    def restart_cleanly_at(self, broker: int, partition: int, end: int) -> None:
        for process in _servers():
            os.kill(process, signal.SIGKILL)
        super().restart_cleanly_at(broker, partition, end)


def _servers() -> Iterator[int]:
    """The children of this process that are kafka.Kafka."""
    for each in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = int((each / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and b"kafka.Kafka" in (each / "cmdline").read_bytes().split(b"\0"):
                yield int(each.name)
