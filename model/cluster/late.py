"""Makes an answer come too late (B6.4): its request gets a timeout of a millisecond, and its follower is paused.

The request is the producer's except for that number, which is one of its configuration. The later steps determine that
the batch will be answered late; until that step, the answer is not examined.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..conformance.behaviour import NamedStep
from ..conformance.classes import kafka, taken, wrapped
from ..conformance.codec import Frame

TIMEOUT = 1


def is_answered_late(turns: Sequence[NamedStep], at: int) -> bool:
    """Whether the batch that is handled in step `at` is answered late: in the next step of that broker and batch."""
    if turns[at].action != "handle":
        return False
    mine = dict(turns[at].arguments)
    later = [turn for turn in turns[at + 1 :] if mine.items() <= dict(turn.arguments).items()]
    return bool(later) and later[0].action == "answer_late"


def impatient(frame: Frame) -> bytes:
    """A produce request that its broker answers after a millisecond in any case."""
    buffer = wrapped(frame.data)
    header = kafka("RequestHeader").parse(buffer)
    version = header.apiVersion()
    data = kafka("ProduceRequest").parse(kafka("ByteBufferAccessor")(buffer), version).data().setTimeoutMs(TIMEOUT)
    found = taken(kafka("RequestUtils").serialize(header.data(), header.headerVersion(), data, version))
    assert len(found) == len(frame.data)
    return found
