"""The matrix against twelve deliberate mistakes in the models: each is caught, by the scenario that is about it.

A mistake is a method that is replaced, as a slip in the protocol's code would; one at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.parallel import load
from everystate.checker.regression.job import run
from everystate.checker.regression.judge import judge
from everystate.checker.regression.matrix import Variant, read
from everystate.checker.regression.table import draw
from everystate.model import KafkaProducer
from everystate.model.records import APPENDED
from everystate.specs import registry
from everystate.specs.idem_producer import IdempotentProducer


@dataclass(frozen=True)
class Mistake:
    """What is wrong, the method that is replaced and by what, the scenario that must say so, and what it says."""

    name: str
    cls: type
    method: str
    replacement: Callable[..., Any]
    caught_by: str
    saying: str


def _nothing(self: Any, *arguments: Any) -> None:
    return


def _success(self: Any, batch: int, *arguments: Any) -> None:
    self.completed(batch, -1, False)


def _one_behind(self: Any, batch: int, sequence: int) -> None:
    self.log.append(batch)
    self.next_expected = sequence


def _only_emptied(self: Any) -> None:
    self.requests.clear()
    self.answers.clear()


KAFKA, PEER = KafkaProducer, IdempotentProducer
REFUSED, FAILED = "current/error-before-append", "current/definite-error"
SAME, ABOVE = "window/2-in-flight-2-remembered", "window/2-in-flight-1-remembered"
MISTAKES = [
    Mistake(
        "the broker looks up no duplicates",
        KAFKA,
        "duplicate_of",
        lambda *_: -1,
        SAME,
        "NoDuplicate fails after 9 steps, it should hold",
    ),
    Mistake(
        "the broker remembers one batch less",
        KAFKA,
        "remembers",
        lambda self, _: self.retained - 1,
        SAME,
        "NoDuplicate fails after 11 steps, it should hold",
    ),
    Mistake(
        "the broker takes gaps",
        KAFKA,
        "out_of_order_answer",
        lambda *_: APPENDED,
        REFUSED,
        "NoGap fails after 6 steps, it should hold",
    ),
    Mistake(
        "a retriable error counts as success",
        KAFKA,
        "retriable",
        _success,
        REFUSED,
        "AckedIsPersisted fails after 3 steps, it should hold",
    ),
    Mistake(
        "a definite error counts as success",
        KAFKA,
        "definite",
        _success,
        FAILED,
        "AckedIsPersisted fails after 3 steps, it should hold",
    ),
    Mistake(
        "sequences do not advance",
        KAFKA,
        "following",
        lambda self, sequence, size: sequence,
        ABOVE,
        "AckedIsPersisted fails after 6 steps, it should hold",
    ),
    Mistake(
        "a bump renumbers nothing",
        KAFKA,
        "restamp",
        _nothing,
        FAILED,
        "goal_renumbered_on_the_wire is never reached, it should hold",
    ),
    Mistake(
        "no batch is ever next in line",
        KAFKA,
        "next_in_line",
        lambda *_: False,
        ABOVE,
        "NoDuplicate holds, it should fail after 11 steps",
    ),
    Mistake("every batch is next in line", KAFKA, "next_in_line", lambda *_: True, REFUSED, "error fails after"),
    Mistake(
        "the next expected number is one behind",
        PEER,
        "append",
        _one_behind,
        "idem-producer",
        "NoDup fails after 5 steps, it should hold",
    ),
    Mistake(
        "what was on a lost connection is not sent again",
        PEER,
        "drop_connection",
        _only_emptied,
        "idem-producer/unsafe",
        "NoDup holds, it should fail after 18 steps",
    ),
    Mistake(
        "no refused batch bumps the epoch",
        PEER,
        "all_acked_before",
        lambda *_: False,
        "idem-producer/unsafe",
        "NoDup holds, it should fail after 18 steps",
    ),
]


@pytest.fixture(scope="module")
def variants() -> dict[str, Variant]:
    path = Path(registry.__file__).with_name("matrix.toml")
    return {variant.name: variant for variant in read(str(path), path.read_text(), registry.scenarios())}


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_the_matrix_catches(mistake: Mistake, variants: dict[str, Variant], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mistake.cls, mistake.method, mistake.replacement)
    variant = variants[mistake.caught_by]
    row = judge(variant, run(variant.job(), load))
    told = draw([row])
    assert not row.good
    assert mistake.saying in told
    assert f"\n{variant.name}: {variant.title}\n" in told


def test_there_are_twelve_different_mistakes() -> None:
    assert len({mistake.name for mistake in MISTAKES}) == 12
