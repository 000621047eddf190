"""Traces and stories that the tests of renderings share."""

from __future__ import annotations

from functools import cache
from typing import Any

from everystate.checker.cli.targets import resolve
from everystate.checker.engines.explicit.exhaustive import check
from everystate.checker.engines.limits import Limits
from everystate.checker.frontend.model import build
from everystate.checker.language.spec import Spec
from everystate.checker.results.plain_trace import PlainStep, PlainTrace
from everystate.checker.results.trace import Trace


@cache
def traces(name: str) -> tuple[Spec, tuple[Trace, ...]]:
    """The spec of a scenario and the traces of its violations."""
    spec = resolve(name).spec()
    found = check(build(spec), Limits(), target=name)
    return spec, tuple(v.trace for v in found.violations if v.trace is not None)


def trace(name: str) -> Trace:
    """The first trace of a scenario."""
    return traces(name)[1][0]


def note(text: str, at: str) -> dict[str, Any]:
    """A note of a narration."""
    return {"text": text, "at": at, "source": None, "target": None, "lost": False}


def message(text: str, source: str, target: str, lost: bool = False) -> dict[str, Any]:
    """A message of a narration."""
    return {"text": text, "at": None, "source": source, "target": target, "lost": lost}


def plain(*events: dict[str, Any], **facts: Any) -> PlainTrace:
    """A story with one event for each step."""
    steps = tuple(PlainStep("step()", {"n": at}, (event,)) for at, event in enumerate(events, start=1))
    return PlainTrace("told", {"n": 3}, {"n": 0}, steps, **facts)


def three_brokers(steps: int) -> PlainTrace:
    """A long story between a producer and three brokers with a controller, its texts as long as Kafka's."""
    events = []
    for at in range(steps):
        turn = at // 7
        broker, other, batch = f"broker {turn % 3}", f"broker {(turn + 1) % 3}", f"b{turn % 4}"
        events.append(
            (
                message(f"produce {batch} (epoch {turn // 3}, seq {turn})", "producer", broker),
                note(f"{batch}: OUT_OF_ORDER_SEQUENCE_NUMBER after a while", broker),
                message(f"answer to {batch}: NOT_ENOUGH_REPLICAS_AFTER_APPEND", broker, "producer"),
                note(f"{batch} was refused: will be sent again", "producer"),
                message(f"connection to {other} lost", "producer", other, lost=True),
                note("crashes and restarts", other),
                message(f"{broker} leads", "controller", broker),
            )[at % 7]
        )
    return plain(*events, shows="NoDuplicate", kind="invariant", explanation="no record is in the log twice")
