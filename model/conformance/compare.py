"""Runs model and Kafka side by side: a move on each, then all observables are compared.

The first difference ends a trace: afterwards the two sides are in different states.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ...checker.errors import EverystateError
from ...checker.language.concrete import Step
from .behaviour import NamedStep, turn_of
from .disk_space import require_room
from .driver import UNTOLD, NotJudged, Observation
from .kafka_side import KafkaSide
from .mapping import NEXT_PASS
from .model_side import ModelSide
from .watermark import BrokenRule

SWEPT = "records that a sweep expires"
NUMBERS = re.compile(r" ?\d+")
"""What the observables of one kind differ in."""

KAFKA, BRIDGE = ("org.apache.kafka.", "kafka."), "org.jpype."
"""What the names of classes begin with."""


@dataclass(frozen=True)
class ObservedStep:
    """The observables of both sides after a step; the first one is the initial state."""

    label: str
    narration: tuple[dict[str, Any], ...]
    model: Observation
    kafka: Observation


@dataclass(frozen=True)
class Difference:
    """A difference of model and Kafka: observables that differ after the last step, or why Kafka could not take it."""

    values: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    error: str = ""

    @property
    def sort(self) -> str:
        """The key of equivalent differences: the first observable that differs, or the exception of Kafka."""
        return self.error.partition(":")[0] or next(iter(self.values))


class SideBySide:
    """A trace as it is driven; `turns` are the steps that were taken, `difference` is what ended it.

    The two sides are drivers (driver.py) of the same spec: those of the idempotent producer, unless others are given.
    """

    def __init__(
        self, spec: Any, kafka: Callable[[Any], Any] = KafkaSide, model: Callable[[Any], Any] = ModelSide
    ) -> None:
        self.model = model(spec)
        self.setup = self.model.setup()
        self.kafka = _with_room(lambda: kafka(self.setup))
        self.turns: list[NamedStep] = []
        self.moves: list[Any] = []
        self.seen: list[ObservedStep] = []
        self.difference: Difference | None = None
        self.compared: Counter[str] = Counter()
        self.untold: Counter[str] = Counter()
        self._look("the beginning", ())

    def take(self, step: Step) -> bool:
        """Take a step on both sides; returns whether they still agree."""
        move = self.model.take(step)
        self.turns.append(turn_of(step))
        self.moves.append(move)
        try:
            self.kafka.step(move)
        except (EverystateError, NotJudged):
            raise
        except Exception as error:
            require_room(error)
            if not isinstance(error, BrokenRule) and not is_kafkas(error):
                raise self._mistake(error) from error
            self.difference = Difference(error=in_words(error))
            self.seen.append(ObservedStep(str(self.turns[-1]), step.narration, self.model.observe(), {}))
            return False
        return self._look(str(self.turns[-1]), step.narration) and self._sweep()

    def follow(self, turns: Iterable[NamedStep]) -> None:
        """Take steps as far as they are enabled and both sides agree; disabled ones are skipped."""
        for turn in turns:
            if self.difference is not None:
                return
            step = self.model.step_of(turn)
            if step is not None and self.model.fits(step):
                self.take(step)

    def follow_all(self, turns: Iterable[NamedStep]) -> None:
        """Take all steps, as far as both sides agree; NotJudged where one cannot be taken."""
        for number, turn in enumerate(turns, 1):
            if self.difference is not None:
                return
            step = self.model.step_of(turn)
            if step is None or step.choices != turn.choices:
                raise NotJudged(f"step {number}, {turn}, cannot be taken")
            if not self.model.fits(step):
                raise NotJudged(f"behind step {number}, {turn}, the model does not stand for Kafka any more")
            self.take(step)

    def probe(self) -> None:
        """At the end: let the real producer make its next pass, and check that it does what the model predicts."""
        if self.difference is None:
            found = self.kafka.go_on()
            if found is not None and found not in (foreseen := self.model.foreseen()):
                self.difference = Difference({f"{NEXT_PASS}, when it is let": (" or ".join(foreseen), found)})

    def _sweep(self) -> bool:
        """Where the model has nothing to expire, a sweep of Kafka's producer must find nothing either."""
        if not self.kafka.is_late() or self.model.may("expire_batches"):
            return True
        found = self.kafka.sweep()
        if found:
            self.difference = Difference({SWEPT: ((), found)})
        return not found

    def close(self) -> None:
        """Release Kafka's files."""
        self.kafka.close()

    def _look(self, label: str, narration: tuple[dict[str, Any], ...]) -> bool:
        model, kafka, look = self.model.observe(self.kafka.seen), self._observed(), 0
        while (found := differences(model, kafka)) and self.kafka.again(look):
            kafka, look = self._observed(), look + 1
        self.seen.append(ObservedStep(label, narration, model, kafka))
        self._count(model)
        if found:
            self.difference = Difference(found)
        return not found

    def _count(self, model: Observation) -> None:
        """Count by kind the values that were compared, and those of which the model says nothing."""
        for name, value in model.items():
            (self.untold if value == UNTOLD else self.compared)[NUMBERS.sub(" N", name)] += 1

    def _observed(self) -> Observation:
        """The observables of Kafka; a failure to read them is a bug of the driver."""
        try:
            return self.kafka.observe()
        except (EverystateError, NotJudged):
            raise
        except Exception as error:
            require_room(error)
            raise self._mistake(error) from error

    def _mistake(self, error: Exception) -> EverystateError:
        """E712"""
        where = f"{len(self.turns)}, {self.turns[-1]}" if self.turns else "0, the beginning"
        return EverystateError("E712", None, step=where, error=in_words(error))


def _with_room(make: Callable[[], Any]) -> Any:
    try:
        return make()
    except Exception as error:
        require_room(error)
        raise


def differences(model: Observation, kafka: Observation) -> dict[str, tuple[Any, Any]]:
    """The observables that differ, each with the model's value and Kafka's."""
    names = [name for name in dict.fromkeys((*model, *kafka)) if model.get(name) != UNTOLD]
    return {name: (model.get(name), kafka.get(name)) for name in names if model.get(name) != kafka.get(name)}


def is_kafkas(error: Exception) -> bool:
    """Whether it was thrown in Kafka's own code; anything else is a bug of the driver and says nothing about Kafka.

    Kafka may call the driver, for example its transport: an error of that comes back through Kafka's code.
    """
    cause = _cause(error)
    ours = not hasattr(cause, "getStackTrace") or str(cause.getClass().getName()).startswith(BRIDGE)
    return not ours and any(str(frame.getClassName()).startswith(KAFKA) for frame in _frames(cause))


def _cause(error: Any) -> Any:
    """The innermost exception."""
    while hasattr(error, "getCause") and error.getCause() is not None:
        error = error.getCause()
    return error


def _frames(error: Any) -> list[Any]:
    """Where a Java exception was thrown, innermost first; nothing for one of Python."""
    return list(error.getStackTrace()) if hasattr(error, "getStackTrace") else []


def in_words(error: Exception) -> str:
    """What went wrong inside Kafka: the innermost Java exception with its first frame, or ours with its place."""
    if isinstance(error, BrokenRule):
        return f"{type(error).__name__}: {error}"
    cause = _cause(error)
    if hasattr(cause, "getStackTrace"):
        frames = [str(frame) for frame in _frames(cause)][:1]
        return f"{cause.toString()} at {frames[0] if frames else 'an unknown place'}"
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    place = f"{frame.tb_frame.f_code.co_name}:{frame.tb_lineno}" if frame else ""
    return f"{type(error).__name__}: {error} in {place}"
