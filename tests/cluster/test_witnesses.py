"""What a broker leaves and tells is asked, too: how it ended, and where its log ends."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from everystate.model.cluster import waiting
from everystate.model.cluster.admin import Admin
from everystate.model.cluster.node import MARK, Node, Ports
from everystate.model.cluster.replicas import Replicas
from everystate.model.conformance.driver import NotJudged
from tests.cluster import planted


class Ended(Node):
    """A server that leaves its folder with the mark of a clean end, or without, whatever it is told."""

    def __init__(self, folder: Path, marks: bool) -> None:
        super().__init__(0, folder, Ports(1, 2, 3), (), 0)
        self.data.mkdir()
        self.told: list[str] = []
        if marks:
            (self.data / MARK).touch()

    def stop(self) -> None:
        self.told.append("stop")

    def kill(self) -> None:
        self.told.append("kill")


@pytest.mark.parametrize(
    ("clean", "marks", "why"),
    [
        (True, True, ""),
        (False, False, ""),
        (True, False, "broker 0 was to stop, and has left its folder without the mark of a clean end"),
        (False, True, "broker 0 was to die, and has left its folder with the mark of a clean end"),
    ],
)
def test_a_broker_that_did_not_end_as_it_was_told_is_not_judged(
    tmp_path: Path, clean: bool, marks: bool, why: str
) -> None:
    """A stop that the system turned into a kill is another scenario, though its duplicate is the same."""
    node = Ended(tmp_path, marks)
    driver = Replicas.__new__(Replicas)
    driver.servers = SimpleNamespace(brokers=[node])  # type: ignore[assignment]
    if why:
        with pytest.raises(NotJudged) as caught:
            driver._end(0, clean)
        assert str(caught.value) == why
    else:
        driver._end(0, clean)
    assert node.told == ["stop" if clean else "kill"]


@pytest.mark.parametrize(("ends", "asked"), [([4], 1), ([2, 3, 4], 3), ([3, 3, 5, 5], 4)])
def test_consumers_read_up_to_where_the_log_ends_for_its_broker(ends: list[int], asked: int) -> None:
    """A batch that is not seen on the disk, or one that is seen there alone, is not passed over."""
    admin, looks, told = Admin.__new__(Admin), list[int](), iter(ends)

    def end(partition: int) -> int:
        looks.append(partition)
        return next(told)

    def until(what: str, condition: Callable[[], Any]) -> Any:
        for _ in ends:
            if condition():
                return
        raise NotJudged(what)

    admin.end, admin.until = end, until  # type: ignore[method-assign, assignment]
    if 4 in ends:
        admin.until_readable(0, 4)
    else:
        with pytest.raises(NotJudged, match=r"^the log of partition 0 ends at 4$"):
            admin.until_readable(0, 4)
    assert looks == [0] * asked


@pytest.mark.parametrize(
    ("load", "processors", "seconds"), [(0.5, 2, 60), (2.0, 2, 60), (12.0, 2, 360), (12.0, 16, 60), (99.0, 2, 600)]
)
def test_a_deadline_is_later_where_many_want_the_processors(
    monkeypatch: pytest.MonkeyPatch, load: float, processors: int, seconds: int
) -> None:
    """A broker that starts on a machine with a load of 28 on two processors has not failed after a minute."""
    now = [0.0]

    def sleep(_: float) -> None:
        now[0] += 1

    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr(os, "cpu_count", lambda: processors)
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "sleep", sleep)
    assert waiting.wait("it comes", lambda: now[0] >= seconds) is True
    now[0] = 0.0
    with pytest.raises(NotJudged, match=f"^waited {seconds + 1} seconds in vain: the moon$"):
        waiting.wait("the moon", lambda: False)


def test_no_planted_mistake_is_reproduced() -> None:
    assert len(planted.MISTAKES) == 17
    assert all(each.noticed.startswith(("DIFFERENT, step", "NOT JUDGED")) for each in planted.MISTAKES.values())
