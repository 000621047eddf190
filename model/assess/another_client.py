"""What of the model of the producer applies to librdkafka, which the model does not have."""

from __future__ import annotations

from dataclasses import replace

from .producer import SCOPE as OF_JAVA
from .settings import Settings

STATUS = "librdkafka reports such a record as possibly persisted, which is true; the model has no such report"
UNPROVED = "proved for the Java client only; librdkafka sends again by rules of its own, which are not in the model"
BROKEN_AS_IN_JAVA = "no-loss", "no-duplicate", "order", "no-gap"


def outside(settings: Settings) -> str:
    """Why nothing is covered."""
    if settings.transactional:
        return "transactions of librdkafka are not in the models, which have the Java client"
    if settings.idempotent:
        return (
            "librdkafka with idempotence is not in the model: it ends with a fatal error where the Java client begins "
            "a new epoch"
        )
    if settings["acks"] not in ("all", "0", "1"):
        return f"brokers refuse acks={settings['acks']}, which librdkafka allows"
    return ""


def not_covered(promise: str, kept: bool) -> str:
    """Why a result of the model does not hold for librdkafka without idempotence.

    Whether an acknowledged record is lost depends on acks and on the brokers. What is broken is so because a request
    whose answer is lost, or that is refused, is sent again, while others are in flight: librdkafka does that, too.
    """
    if promise == "true-failure":
        return STATUS
    if promise == "no-loss" or (promise in BROKEN_AS_IN_JAVA and not kept):
        return ""
    return UNPROVED


BOUNDS = f"{OF_JAVA.bounds} A counterexample is one of the Java client without idempotence, which sends again as well."
SCOPE = replace(OF_JAVA, bounds=BOUNDS, outside=outside, not_covered=not_covered)
