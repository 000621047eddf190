"""What ends a behaviour: a difference, an error of Kafka's own code, or a mistake of the driver, which is neither."""

from __future__ import annotations

from typing import Any

import pytest

from everystate.checker.errors import EverystateError
from everystate.model import KafkaProducer
from everystate.model.conformance.compare import Difference, SideBySide, is_kafkas
from everystate.model.conformance.driver import Move
from everystate.model.conformance.mapping import OBSERVABLES
from everystate.model.conformance.model_side import ModelSide


class Mirror:
    """Tells what the model tells, but for what a test makes of it."""

    seen = OBSERVABLES

    def __init__(
        self,
        model: ModelSide,
        error: Exception | None = None,
        wrong: int = 0,
        again: int = 0,
        blind: Exception | None = None,
    ) -> None:
        self.model, self.error, self.wrong, self.most, self.blind = model, error, wrong, again, blind
        self.begun = False

    def step(self, move: Move) -> None:
        self.begun = True
        if self.error is not None:
            raise self.error

    def observe(self) -> dict[str, Any]:
        found = self.model.observe()
        if self.begun and self.blind is not None:
            raise self.blind
        if self.begun and self.wrong:
            self.wrong -= 1
            return {**found, "known leader": 7}
        return found

    def again(self, look: int) -> bool:
        return look < self.most

    def is_late(self) -> bool:
        return False

    def close(self) -> None:
        """Nothing."""


def sides(**given: Any) -> SideBySide:
    """A behaviour of one step."""
    spec = KafkaProducer(batches=1, replicas=1)
    made: list[Mirror] = []
    found = SideBySide.__new__(SideBySide)

    def kafka(_: Any) -> Any:
        made.append(Mirror(found.model, **given))
        return made[0]

    found.__init__(spec, kafka)  # type: ignore[misc]
    return found


def take(found: SideBySide) -> bool:
    step = next(s for i in found.model.instances.values() for s in found.model.steps(i))
    return found.take(step)


class Java(Exception):
    """A Java exception as JPype shows it."""

    def __init__(self, name: str, *frames: str, cause: Exception | None = None) -> None:
        self.name, self.frames, self.cause = name, frames, cause

    def getCause(self) -> Exception | None:
        return self.cause

    def getClass(self) -> Any:
        return type("Class", (), {"getName": lambda _: self.name})()

    def getStackTrace(self) -> list[Any]:
        return [type("Frame", (), {"getClassName": lambda _, f=f: f})() for f in self.frames]

    def toString(self) -> str:
        return self.name


SENDER, LOGS = "org.apache.kafka.clients.producer.internals.Sender", "kafka.log.UnifiedLog"


@pytest.mark.parametrize(
    ("error", "kafkas"),
    [
        (Java("java.lang.IllegalStateException", "java.util.HashMap", SENDER), True),
        (Java("java.lang.IllegalStateException", LOGS), True),
        (Java("java.lang.reflect.InvocationTargetException", "jdk.X", cause=Java("java.lang.X", SENDER)), True),
        (Java("java.lang.ClassCastException", "jdk.internal.reflect.Method"), False),
        (Java("org.jpype.PyExceptionProxy", "org.jpype.proxy.JPypeProxy", SENDER), False),
        (IndexError("list index out of range"), False),
    ],
)
def test_whose_an_error_is(error: Exception, kafkas: bool) -> None:
    assert is_kafkas(error) is kafkas


def test_an_error_of_kafka_is_a_difference() -> None:
    found = sides(error=Java("java.lang.IllegalStateException", SENDER))
    assert take(found) is False
    assert found.difference is not None
    assert found.difference.error.startswith("java.lang.IllegalStateException at ")


def test_a_mistake_of_the_driver_is_no_difference() -> None:
    found = sides(error=IndexError("list index out of range"))
    with pytest.raises(EverystateError) as caught:
        take(found)
    assert (caught.value.code, caught.value.exit_code, found.difference) == ("E712", 255, None)
    told = caught.value.what
    assert told.startswith(
        "the driver of Kafka failed in step 1, send(batch=0): IndexError: list index out of range in "
    )


def test_a_mistake_in_what_is_looked_at_is_no_difference() -> None:
    found = sides(blind=AssertionError("the driver took the answer to another request"))
    with pytest.raises(EverystateError) as caught:
        take(found)
    assert (caught.value.code, caught.value.exit_code, found.difference) == ("E712", 255, None)
    assert caught.value.what.startswith(
        "the driver of Kafka failed in step 1, send(batch=0): "
        "AssertionError: the driver took the answer to another request in observe:"
    )


def test_a_difference_counts_when_it_stays() -> None:
    passing, staying = sides(wrong=2, again=3), sides(wrong=9, again=3)
    assert (take(passing), passing.difference) == (True, None)
    assert (take(staying), staying.difference) == (False, Difference({"known leader": (0, 7)}))
    assert staying.kafka.wrong == 5
