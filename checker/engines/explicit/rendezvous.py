"""A meeting of workers: when all that still work have arrived, one of them acts for all."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Rendezvous:
    """A barrier for `members` threads; `act` runs whenever all remaining ones wait. All of them get its exceptions."""

    def __init__(self, members: int, act: Callable[[], None]) -> None:
        self._members, self._act = members, act
        self._waiting = self._meetings = 0
        self._failure: BaseException | None = None
        self._changed = threading.Condition()

    def wait(self) -> None:
        """Rest until the next meeting is over."""
        with self._changed:
            meeting = self._meetings
            self._waiting += 1
            self._meet_if_all_are_here()
            while self._meetings == meeting:
                self._changed.wait()
            if self._failure is not None:
                raise self._failure

    def leave(self) -> None:
        """Wait no more for this thread."""
        with self._changed:
            self._members -= 1
            self._meet_if_all_are_here()

    def _meet_if_all_are_here(self) -> None:
        if not self._waiting or self._waiting < self._members:
            return
        try:
            self._act()
        except BaseException as failure:
            self._failure = failure
        self._waiting, self._meetings = 0, self._meetings + 1
        self._changed.notify_all()
