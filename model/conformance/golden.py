"""Golden transcripts: recordings of Kafka's own classes, step by step, to compare the model with anywhere.

A file has a trace on each line, as JSON, compressed: its subject, its initial observables, and for every step the
action, what the model decided for it, and the observables that changed.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from ...checker.language.spec import Spec
from .behaviour import NamedStep
from .bridges import bridge_of
from .compare import SideBySide, differences
from .driver import FOLLOWS, Observation
from .jobs import Plan, drives
from .process import Line
from .walks import Walker, WalkShape

SETTLED = "what the model settles"
ENABLED = "whether it is enabled"
GONE = "not there any more"
"""The value of an observable, such as an answer, that has vanished since the step before."""
UNIX = b"\x03"
"""The system in the head of a gzip file: "unknown", as in Python 3.13."""


class RecordedStep(NamedTuple):
    """A step as it was driven: the action, the other parts of its move, and the changed observables of Kafka."""

    turn: NamedStep
    settled: dict[str, Any]
    changed: Observation


@dataclass(frozen=True)
class Transcript:
    """A trace as it was driven on a release, beside a part of Kafka; `place` and `constants` find its spec."""

    kafka: str
    beside: str
    target: str
    name: str
    place: str
    constants: dict[str, Any]
    beginning: Observation
    steps: tuple[RecordedStep, ...]

    def __str__(self) -> str:
        return f"{self.target}, {self.name} ({self.beside})"


@dataclass(frozen=True)
class FirstDifference:
    """The first step at which the model differs from Kafka, with each observable that differs: model, Kafka."""

    transcript: Transcript
    step: int
    move: str
    values: dict[str, tuple[Any, Any]]

    def __str__(self) -> str:
        lines = [f"{self.transcript}, step {self.step}, {self.move}:"]
        for name, (model, kafka) in self.values.items():
            lines += [f"  {name}", f"    model        {model}", f"    Kafka {self.transcript.kafka}  {kafka}"]
        return "\n".join(lines)


def parting(spec: Spec, transcript: Transcript) -> FirstDifference | None:
    """Where a model deviates from a transcript; None where it does all that Kafka did."""
    bridge = bridge_of(spec, transcript.beside)
    side, kafka = bridge.model(bridge.walked(spec)), dict(transcript.beginning)
    found = differences(side.observe(), kafka)
    if found:
        return FirstDifference(transcript, 0, "the beginning", found)
    for number, (turn, settled, changed) in enumerate(transcript.steps, 1):
        step = side.step_of(turn)
        if step is None or step.choices != turn.choices:
            return FirstDifference(transcript, number, str(turn), {ENABLED: (False, True)})
        move = side.take(step)
        kafka = {name: value for name, value in {**kafka, **changed}.items() if value != GONE}
        found = differences(side.observe(), kafka)
        if settled_by(move) != settled:
            found[SETTLED] = settled_by(move), settled
        if found:
            return FirstDifference(transcript, number, str(turn), found)
    return None


def record(
    line: Line, version: str, plans: Sequence[Plan], load: Callable[[str, dict[str, Any]], Spec], course: WalkShape
) -> tuple[list[Transcript], list[str]]:
    """Drive the traces of plans in the process of a release: the transcripts, and which of them differ."""
    found, differing = [], []
    for plan in plans:
        spec = load(plan.place, plan.constants)
        bridge = bridge_of(spec, plan.beside)
        spec = bridge.walked(spec)
        for name, drive in drives(plan, Walker(spec, course)):
            sides = bridge.sides(spec)
            try:
                drive(sides)
                sides.probe()
            finally:
                sides.close()
            found.append(transcript_of(version, plan, name, sides))
            if sides.difference is not None:
                differing.append(str(found[-1]))
    return found, differing


def transcript_of(version: str, plan: Plan, name: str, sides: SideBySide) -> Transcript:
    """The observables of Kafka along a trace that was driven."""
    shown = [seen.kafka for seen in sides.seen]
    steps = (
        RecordedStep(turn, settled_by(move), changes(before, after))
        for turn, move, (before, after) in zip(sides.turns, sides.moves, pairwise(shown), strict=True)
    )
    return Transcript(version, plan.beside, plan.target, name, plan.place, plan.constants, shown[0], tuple(steps))


def changes(before: Observation, after: Observation) -> Observation:
    """The observables that have changed or vanished."""
    gone = {name: GONE for name in before if name not in after}
    return gone | {name: value for name, value in after.items() if name not in before or value != before[name]}


def settled_by(move: Any) -> dict[str, Any]:
    """What the model decided in a move besides its action, if anything."""
    usual = {each.name: each.default for each in fields(move) if each.default is not MISSING}
    known = {"action", "arguments", *(each.name for each in fields(move) if each.metadata == FOLLOWS)}
    told = {name: value for name, value in asdict(move).items() if name not in known}
    return {name: value for name, value in told.items() if name not in usual or value != usual[name]}


# -- files ---------------------------------------------------------------------------------------------------


def write(path: Path, transcripts: Iterable[Transcript]) -> None:
    """Write transcripts; the same ones give the same bytes."""
    lines = (json.dumps(vars(each), separators=(",", ":")) for each in transcripts)
    packed = gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0)
    path.write_bytes(packed[:9] + UNIX + packed[10:])


def read(path: Path) -> Iterator[Transcript]:
    """The transcripts of a file."""
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        found = _tuples(json.loads(line))
        found["steps"] = tuple(RecordedStep(NamedStep(*turn), *rest) for turn, *rest in found["steps"])
        yield Transcript(**found)


def _tuples(value: Any) -> Any:
    """Plain data as the observables have it: JSON knows lists only."""
    if isinstance(value, Mapping):
        return {name: _tuples(each) for name, each in value.items()}
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
