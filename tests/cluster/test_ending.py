"""Work on a cluster that is not done to its end: a server that has died is the reason, whatever else is said."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.sweeps import load
from everystate.checker.errors import EverystateError
from everystate.model.cluster import replay
from everystate.model.cluster.ending import Stopped
from everystate.model.conformance.behaviour import Behaviour
from everystate.model.conformance.driver import NotJudged
from everystate.model.throughput import heap, measure
from everystate.model.throughput.plan import Plan


def replayed() -> Any:
    job = replay.Job("x", "current/clean-restart", {}, Behaviour("NoDuplicate", ()), load, (), Path())
    return replay.replay(None, job)  # type: ignore[arg-type]


def measured() -> Any:
    return measure.measure(Silent(), measure.Job(Plan(), (), Path()))  # type: ignore[arg-type]


def weighed() -> Any:
    return heap.weigh(Silent(), heap.HeapJob((1,), (), Path()))  # type: ignore[arg-type]


class Silent:
    def tell(self, message: object) -> None: ...


class Played(AbstractContextManager["Played"]):
    """Servers, and what stands before them; `died` says whether one of them has."""

    shown, died = None, False

    def __init__(self, *given: Any, **named: Any) -> None: ...

    def __exit__(self, *error: object) -> None: ...

    def start(self) -> None: ...

    def require_alive(self) -> None:
        if self.died:
            raise EverystateError("E732", None, node=0, how="by SIGKILL", log="")


class Work:
    """It begins, and some call fails."""

    reason: NotJudged = NotJudged("a broker closed a connection")

    def __init__(self, *given: Any) -> None: ...

    def run(self) -> None:
        raise self.reason

    def grown(self, producers: int) -> None:
        raise self.reason


@pytest.mark.parametrize(
    ("room", "work", "begin"),
    [(replay, "_Replay", replayed), (measure, "_Measurement", measured), (heap, "HeapMeasurement", weighed)],
    ids=["replay", "throughput", "heap"],
)
def test_a_server_that_has_died_is_the_reason(
    monkeypatch: pytest.MonkeyPatch, room: Any, work: str, begin: Callable[[], Any]
) -> None:
    for name in ("Servers", "TopicGate", "Proxy"):
        if hasattr(room, name):
            monkeypatch.setattr(room, name, Played)
    monkeypatch.setattr(room, work, Work)
    assert (begin().not_judged, begin().interrupted) == ("a broker closed a connection", False)
    monkeypatch.setattr(Played, "died", True)
    with pytest.raises(EverystateError, match="node 0 of the cluster ended unexpectedly, by SIGKILL"):
        begin()
    monkeypatch.setattr(Work, "reason", Stopped())
    assert (begin().not_judged, begin().interrupted) == ("", True)
