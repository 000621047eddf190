"""Resumes a search from a work folder: fills its store again, and restores its counters."""

from __future__ import annotations

from typing import Any, Protocol

from ...errors import EverystateError
from ..memory import shown
from ..observer import Silent
from ..saved_run import damaged
from .checkpoint import Work
from .findings import Findings
from .part_tables import OutOfRoom
from .store import Ranges, Store, size
from .worker import Worker


class Search(Protocol):
    """A search before its start."""

    store: Store
    workers: list[Worker]
    levels: list[Ranges]

    def open_level(self, crowd: int) -> None: ...
    def close_level(self) -> Ranges: ...
    def receive(self, states: Any) -> None: ...
    def grow(self) -> None: ...


def put_back(search: Search, work: Work, findings: Findings) -> None:
    """Store the levels of a work folder, and restore the counters. E627 where the files were changed."""
    first = search.workers[0]
    first.set("never", (1 << 64) - 1)
    for kept in work.levels:
        search.open_level(1)
        try:
            for states in work.states(kept, search.store.room):
                if not search.store.roomy(search.store.room):
                    search.grow()
                search.receive(states)
        except OutOfRoom:
            raise EverystateError("E504", None, size=shown(search.store.budget), need="more than that") from None
        search.levels.append(search.close_level())
        if size(search.levels[-1]) != kept.states:
            raise damaged(kept.number, "a state is there twice")
    last = work.levels[-1]
    first.counters[:] = last.counters
    findings.first_seen.update(last.first_seen)
    findings.paths.update(pair for kept in work.levels for pair in kept.taken.items())
    findings.level_done(search.workers, last.number, Silent())
