"""What of the model of the producer applies to librdkafka, which the model does not have."""

from __future__ import annotations

from dataclasses import replace

from .producer import SCOPE as OF_JAVA
from .settings import Settings

STATUS = "librdkafka reports such a record as possibly persisted, which is true; the model has no such report"
UNPROVED = "proved for the Java client only; {} sends again by rules of its own, which are not in the model"
FATAL = "librdkafka with idempotence is not in the model: it ends with a fatal error where Java begins a new epoch"
BROKEN_AS_IN_JAVA = "no-loss", "no-duplicate", "order", "no-gap"


def name(settings: Settings) -> str:
    """The client."""
    return settings.other or "librdkafka"


def outside(settings: Settings) -> str:
    """Why nothing is covered."""
    if settings.transactional:
        return f"transactions of {name(settings)} are not in the models, which have the Java client"
    if settings["acks"] not in ("all", "0", "1"):
        return f"brokers refuse acks={settings['acks']}, which librdkafka allows"
    return ""


def not_covered(settings: Settings, promise: str, kept: bool) -> str:
    """Why a result of the model does not hold for another client.

    Whether an acknowledged record is lost depends on acks and on the brokers. What is broken without idempotence is so
    because a request whose answer is lost, or that is refused, is sent again, while others are in flight: every client
    does that.
    """
    if promise == "no-loss":
        return ""
    if settings.idempotent:
        return FATAL if settings.librdkafka else UNPROVED.format(name(settings))
    if promise == "true-failure" and settings.librdkafka:
        return STATUS
    return "" if promise in BROKEN_AS_IN_JAVA and not kept else UNPROVED.format(name(settings))


BOUNDS = f"{OF_JAVA.bounds} The client of the model is that of Java; which cells hold for another one is said above."
SCOPE = replace(OF_JAVA, bounds=BOUNDS, outside=outside, not_covered=not_covered)
