"""What three witnesses tell: where they contradict each other, and what is left of a promise where they agree."""

from __future__ import annotations

import pytest

from everystate.checker.cli.sweeps import load
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.frontend import model
from everystate.model.cluster.evidence import Places, conclusions, contradictions, predicted, shows
from everystate.model.conformance.behaviour import of_trace
from everystate.model.conformance.model_side import ModelSide

TWICE: Places = [[(0, -1), (1, 0), (2, 1), (3, 0)]]


@pytest.mark.parametrize(
    ("model", "written", "read", "starts", "said"),
    [
        (TWICE, TWICE, TWICE, [0], []),
        (TWICE, TWICE, [[(3, 0)]], [3], []),
        (
            [[(0, 0)]],
            [[(0, 0)]],
            [[(0, 0), (0, 0)]],
            [0],
            [
                "the consumer read partition 0 not once and in order: offsets 0:b0, 0:b0",
                "of partition 0 the consumer read 0:b0, 0:b0, and 0:b0 were seen on the disk",
            ],
        ),
        (
            [[(0, 0)]],
            [[(0, 0)]],
            [[(0, 0), (1, 0)]],
            [0],
            ["of partition 0 the consumer read 0:b0, 1:b0, and 0:b0 were seen on the disk"],
        ),
        (
            TWICE,
            TWICE,
            [[(0, -1), (2, 1), (3, 0)]],
            [0],
            [
                "of partition 0 the consumer read 0:another, 2:b1, 3:b0, "
                "and 0:another, 1:b0, 2:b1, 3:b0 were seen on the disk"
            ],
        ),
        (
            [[(1, 0)]],
            [[(0, 0)]],
            [[(0, 0)]],
            [0],
            ["in partition 0 the model has 1:b0, and 0:b0 were seen on the disk"],
        ),
        ([[]], [[]], [[]], [0], []),
    ],
    ids=["all-agree", "deleted", "read-twice-by-us", "read-more", "read-less", "elsewhere", "nothing"],
)
def test_witnesses_that_do_not_agree(
    model: Places, written: Places, read: Places, starts: list[int], said: list[str]
) -> None:
    assert list(contradictions(model, written, read, starts)) == said


OPEN, ACKED, FAILED, WRONG = "open", "acked", "failed", "acked with a wrong offset"


@pytest.mark.parametrize(
    ("promise", "places", "results", "broken"),
    [
        ("NoDuplicate", TWICE, [OPEN, OPEN], True),
        ("NoDuplicate", [[(0, 0), (1, 1)]], [ACKED, ACKED], False),
        ("NoDuplicate", [[(0, -1), (1, -1)]], [OPEN], False),
        ("NoGap", [[(0, 1)]], [OPEN, ACKED], True),
        ("NoGap", [[(0, 1)]], [OPEN, OPEN], False),
        ("NoGap", [[(0, 1)]], [FAILED, ACKED], False),
        ("NoGap", [[], [(0, 1)]], [OPEN, ACKED], False),
        ("NoGap", [[(0, 2)], []], [OPEN, OPEN, ACKED], True),
        ("InOrder", [[(0, 1), (1, 0)]], [ACKED, ACKED], True),
        ("InOrder", [[(0, 0), (1, 1), (2, 0)]], [ACKED, ACKED], False),
        ("AckedIsPersisted", [[]], [ACKED], True),
        ("AckedIsPersisted", [[(0, 0)]], [ACKED], False),
        ("TruthfulOffset", [[(0, 0)]], [WRONG], True),
        ("TruthfulOffset", [[(0, 0)]], [ACKED], False),
        ("NoFalseFailure", [[(0, 0)]], [FAILED], True),
        ("NoFalseFailure", [[(0, 0)]], ["failed, outcome unknown"], False),
        ("NoFalseFailure", [[]], [FAILED], False),
        ("SequencesContiguous", TWICE, [OPEN, OPEN], None),
        ("walk 0 of seed 0", TWICE, [OPEN, OPEN], None),
    ],
)
def test_what_is_left_breaks_a_promise_or_does_not(
    promise: str, places: Places, results: list[str], broken: bool | None
) -> None:
    assert shows(promise, places, results) is broken


def test_an_offset_of_another_record_is_a_conclusion() -> None:
    assert list(conclusions([[(0, 0)]], [WRONG])) == ["record 0 was acknowledged with the offset of another"]


def test_the_model_tells_offsets_of_deleted_and_of_split_batches() -> None:
    assert final("current/retention-and-restart", "NoDuplicate") == [[(0, -1), (1, 0), (2, 0)]]
    assert final("current/split-of-a-retry", "NoDuplicate") == [[(0, -1), (1, 0), (2, 1), (3, 0)]]
    assert final("current/clean-restart", "NoDuplicate") == TWICE


def final(target: str, promise: str) -> Places:
    """Where the model has the records at the end of a counterexample; it is one of its promise."""
    spec = load(target, {})
    found = exhaustive.check(model.build(spec), target=target).violations
    trace = next(v.trace for v in found if v.property == promise)
    side = ModelSide(spec)  # type: ignore[arg-type]
    for turn in of_trace(spec, promise, trace).turns:
        step = side.step_of(turn)
        assert step is not None
        side.take(step)
    places = predicted(side.view())
    results = [side.view().result(record) for record in range(spec.constants["batches"])]
    assert shows(promise, places, results) is True
    return places
