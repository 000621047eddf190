"""Interrupts traced code that runs for too long without a call of the front end."""

from __future__ import annotations

import contextlib
import ctypes
import threading
import time
from collections.abc import Iterator

SECONDS_PER_PATH = 10.0
"""Seconds of CPU time, so that a busy machine changes nothing."""


class NeverReturns(KeyboardInterrupt):
    """Raised into a path that runs for too long; plain Python lets it through, as it does an interrupt."""


class Watchdog:
    """Watches one thread from another one, twice a second; starting it takes longer than most actions."""

    def __init__(self) -> None:
        self._awake, self._on, self._interrupted = False, False, False
        self._begun = 0
        self._lock = threading.Lock()

    def begin(self) -> None:
        """A path begins."""
        self._begun += 1

    @contextlib.contextmanager
    def over(self) -> Iterator[None]:
        """NeverReturns in the body when one of its paths takes longer than SECONDS_PER_PATH.

        It is raised again at the end of the body: code that has caught it has made half a model.
        """
        with self.awake():
            outer, self._on = self._on, True
            try:
                yield
            finally:
                with self._lock:
                    self._on = outer
            if self._interrupted:
                raise NeverReturns

    @contextlib.contextmanager
    def awake(self) -> Iterator[None]:
        """One thread watches the whole body; it interrupts only code inside `over`."""
        if self._awake:
            yield
            return
        thread, stop = threading.get_ident(), threading.Event()
        guard = threading.Thread(target=self._watch, args=(thread, stop), daemon=True)
        self._awake = True
        guard.start()
        try:
            yield
        finally:
            self._awake = False
            stop.set()
            guard.join()

    def _watch(self, thread: int, stop: threading.Event) -> None:
        path, since = self._begun, time.process_time()
        while not stop.wait(0.5):
            with self._lock:
                if self._begun != path or not self._on:
                    path, since = self._begun, time.process_time()
                elif time.process_time() - since > SECONDS_PER_PATH:
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(NeverReturns))
                    self._on, self._interrupted = False, True
