"""Logging, pauses and breakpoints in actions: a search ignores them, a step for a reader has them."""

from __future__ import annotations

import bdb
import heapq
import io
import logging
import pdb
import sys
import time
from time import sleep
from types import FrameType
from typing import Any

import pytest

from everystate import check
from everystate.checker import Int, Seq, Spec, action, invariant, require
from everystate.checker.errors import EverystateError

log = logging.getLogger(__name__)


class Lamp(Spec):
    def variables(self) -> None:
        self.level = Int(0, 3)

    @action
    def brighter(self) -> None:
        require(self.level < 3)
        log.warning("brighter than %d", self.level)
        logging.getLogger(__name__).debug(f"level {self.level}")
        time.sleep(0.001)
        sleep(0.001)
        breakpoint()
        pdb.set_trace()
        self.level += 1

    @action
    def out(self) -> None:
        self.level = 0

    @invariant
    def not_too_bright(self) -> bool:
        return self.level < 3


@pytest.mark.parametrize("engine", ["native", "python"])
def test_only_the_steps_of_the_trace_log(engine: str, caplog: pytest.LogCaptureFixture) -> None:
    found = check(Lamp, engine=engine)
    assert found.result.conditions.executed == ""
    assert (found.result.distinct, found.result.violations[0].length) == (4, 3)
    assert [r.getMessage() for r in caplog.records] == [f"brighter than {n}" for n in range(3)]
    assert [w for w in found.warnings if "ignores" in w] == [
        "the search ignores breakpoints, logging and time.sleep; they run where a trace is printed or a step is "
        "executed by hand"
    ]


def test_a_breakpoint_stops_where_a_terminal_is(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stops: list[tuple[str, int]] = []

    def stop(debugger: pdb.Pdb, frame: FrameType) -> None:
        assert debugger.stdout is terminal
        stops.append((frame.f_code.co_name, frame.f_locals["self"].level))

    terminal = Terminal()
    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr(pdb.Pdb, "set_trace", stop)
    check(Lamp)
    assert stops == [("brighter", level) for level in range(3) for _ in range(2)]


def test_quit_in_the_debugger_ends_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "breakpointhook", lambda: (_ for _ in ()).throw(bdb.BdbQuit))
    lamp = Lamp()
    with pytest.raises(KeyboardInterrupt):
        lamp.successors(next(iter(lamp.initial_states())))


class Heap(Spec):
    """The rest of a step depends on `change`, which is given."""

    change: Any = None

    def variables(self) -> None:
        self.heap: list[int] = Seq(Int(0, 3), 3, init=[3, 1])

    @action
    def step(self) -> None:
        type(self).change(self)


CHANGES: list[Any] = [
    lambda self: heapq.heappop(self.heap),
    lambda self: heapq.heappush(self.heap, 9),
    lambda self: list(map(heapq.heapify, [self.heap])),
    lambda self: list.append(self.heap, 9),
    lambda self: list.__setitem__(self.heap, 0, 9),
    lambda self: object.__setattr__(self, "heap", [9]),
]


@pytest.mark.parametrize("change", CHANGES)
def test_functions_in_c_do_not_write_to_the_state(change: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """no domain would see it, so neither side has a verdict"""
    monkeypatch.setattr(Heap, "change", change)
    with pytest.raises(EverystateError, match=r"E230.*unseen"):
        check(Heap)


def test_functions_in_c_write_to_lists_of_an_action(monkeypatch: pytest.MonkeyPatch) -> None:
    def change(self: Heap) -> None:
        heap = list(self.heap)
        heapq.heappop(heap)
        self.heap = heap

    monkeypatch.setattr(Heap, "change", change)
    found = check(Heap)
    assert (found.distinct, [v.length for v in found.violations]) == (3, [3])
