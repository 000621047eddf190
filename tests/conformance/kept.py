"""A process with the classes of a release that stays, for many calls: spawned, it imports nothing of pytest."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Thread
from typing import Any

from everystate.checker.errors import EverystateError
from everystate.model.conformance.process import Line, run
from everystate.model.conformance.versions import Kafka


class Kept:
    """The process of a release, kept from call to call: to begin takes it longer than most of what it is asked for."""

    def __init__(self, kafka: Kafka, paths: Sequence[Path]) -> None:
        self.kafka = kafka
        self._ours, theirs = multiprocessing.get_context("spawn").Pipe()
        self._ended: list[EverystateError] = []
        self._thread = Thread(target=self._run, args=(paths, theirs), daemon=True)
        self._thread.start()

    def _run(self, paths: Sequence[Path], theirs: Connection) -> None:
        try:
            run(self.kafka, paths, serve, theirs)
        except EverystateError as error:
            self._ended.append(error)
        finally:
            theirs.close()

    @property
    def lives(self) -> bool:
        """Whether it answers: an error ends it."""
        return self._thread.is_alive()

    def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """What function(line, *args) returns there, or raises."""
        try:
            self._ours.send((function, args))
            return self._ours.recv()
        except (EOFError, ConnectionError):
            self._thread.join()
            raise self._ended[0] from None

    def end(self) -> None:
        self._ours.close()
        self._thread.join()


def serve(line: Line, connection: Connection) -> None:
    """In the process: call what is asked for, until nobody asks."""
    while True:
        try:
            function, args = connection.recv()
        except EOFError:
            return
        connection.send(function(line, *args))
