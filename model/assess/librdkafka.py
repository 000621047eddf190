"""The settings of librdkafka: its names, defaults and conflicts, and what of the model applies to it.

Defaults, messages and the order of conflicts were compared with librdkafka 2.16.0 (`tests/model/test_librdkafka.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .values import DEFAULT, KAFKA, UNLIMITED, ConfigException

RELEASE = "2.16"
FLIGHT = "max.in.flight.requests.per.connection"
ALIASES = {
    "request.required.acks": "acks",
    "message.send.max.retries": "retries",
    "max.in.flight": FLIGHT,
    "message.timeout.ms": "delivery.timeout.ms",
    "queue.buffering.max.ms": "linger.ms",
    "compression.codec": "compression.type",
}
"""Names of librdkafka, and those of Kafka that it knows as well."""
OWN = (
    *ALIASES,
    "metadata.broker.list",
    "socket.timeout.ms",
    "batch.num.messages",
    "queue.buffering.max.messages",
    "queue.buffering.max.kbytes",
    "queuing.strategy",
    "enable.gapless.guarantee",
    "delivery.report.only.error",
    "statistics.interval.ms",
    "sticky.partitioning.linger.ms",
)
"""Names that the Java client does not have: who uses one has librdkafka."""


def number(least: int, most: int, kind: Callable[[str], float] = int) -> Callable[[str, str], Any]:
    """A number and its range; the name in a message is that of librdkafka."""

    def read(name: str, text: str) -> Any:
        try:
            value = kind(text)
        except ValueError:
            raise ConfigException(f'Invalid value for configuration property "{name}"') from None
        if not least <= value <= most:
            text = f"{value:g}" if kind is float else f"{value}"
            raise ConfigException(
                f'Configuration property "{name}" value {text} is outside allowed range {least}..{most}'
            )
        return value

    return read


def boolean(name: str, text: str) -> bool:
    """A bool: true, t or 1."""
    if text.lower() not in ("true", "t", "1", "false", "f", "0"):
        raise ConfigException(f'Expected bool value for "{name}": true or false')
    return text.lower() in ("true", "t", "1")


def acks(name: str, text: str) -> str:
    """all is another word for -1."""
    value = -1 if text.lower() == "all" else number(-1, 1000)(name, text)
    return "all" if value == -1 else str(value)


def codec(name: str, text: str) -> str:
    """A compression."""
    if text not in ("none", "gzip", "snappy", "lz4", "zstd"):
        raise ConfigException(f'Invalid value "{text}" for configuration property "{name}"')
    return text


def strategy(name: str, text: str) -> str:
    """fifo or lifo."""
    if text not in ("fifo", "lifo"):
        raise ConfigException(f'Invalid value "{text}" for configuration property "{name}"')
    return text


SETTINGS: dict[str, tuple[Callable[[str, str], Any], Any]] = {
    "acks": (acks, "all"),
    "enable.idempotence": (boolean, False),
    FLIGHT: (number(1, 1_000_000), 1_000_000),
    "retries": (number(0, UNLIMITED), UNLIMITED),
    "delivery.timeout.ms": (number(0, UNLIMITED), 300_000),
    "request.timeout.ms": (number(1, 900_000), 30_000),
    "linger.ms": (number(0, 900_000, float), 5),
    "compression.type": (codec, "none"),
    "transactional.id": (lambda _, text: text or None, None),
    "transaction.timeout.ms": (number(1000, UNLIMITED), 60_000),
    "enable.gapless.guarantee": (boolean, False),
    "queuing.strategy": (strategy, "fifo"),
}
"""By the names of Kafka: how a value is read, and its default."""
NAMES = (*SETTINGS, *OWN)
MESSAGES = {FLIGHT: FLIGHT, **{own: theirs for theirs, own in ALIASES.items() if theirs != "max.in.flight"}}
"""What a setting is called in the messages of librdkafka."""


def settle(given: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str], list[str]]:
    """Values, where they come from, and notes; ConfigException where librdkafka refuses a configuration."""
    texts = {ALIASES.get(name, name): text.strip() for name, text in given.items()}
    values = {
        name: read(MESSAGES.get(name, name), texts[name]) if name in texts else default
        for name, (read, default) in SETTINGS.items()
    }
    sources = {name: "producer" if name in texts else DEFAULT for name in SETTINGS}
    for name, value in _resolved(values, texts).items():
        values[name], sources[name] = value, KAFKA
    return values, sources, []


def _resolved(values: dict[str, Any], given: Mapping[str, str]) -> dict[str, Any]:
    """rd_kafka_conf_finalize: conflicts, and what it changes."""
    changed: dict[str, Any] = {}
    if values["transactional.id"] is not None:
        if "enable.idempotence" in given and not values["enable.idempotence"]:
            raise ConfigException("`transactional.id` requires `enable.idempotence=true`")
        values["enable.idempotence"] = changed["enable.idempotence"] = True
    idempotent = values["enable.idempotence"]
    if idempotent:
        if FLIGHT in given and values[FLIGHT] > 5:
            raise ConfigException("`max.in.flight` must be set <= 5 when `enable.idempotence` is true")
        if values[FLIGHT] > 5:
            changed[FLIGHT] = 5
        if values["retries"] == 0:
            raise ConfigException("`retries` must be set >= 1 when `enable.idempotence` is true")
        if values["acks"] != "all":
            raise ConfigException("`acks` must be set to `all` when `enable.idempotence` is true")
        if values["queuing.strategy"] != "fifo":
            raise ConfigException("`queuing.strategy` must be set to `fifo` when `enable.idempotence` is true")
    elif values["enable.gapless.guarantee"]:
        raise ConfigException("`enable.gapless.guarantee` requires `enable.idempotence` to be enabled")
    timeout = values["delivery.timeout.ms"]
    if "delivery.timeout.ms" in given and 0 < timeout <= values["linger.ms"]:
        raise ConfigException("`message.timeout.ms` must be greater than `linger.ms`")
    if values["transactional.id"] is not None and timeout > values["transaction.timeout.ms"]:
        if "delivery.timeout.ms" in given:
            raise ConfigException("`message.timeout.ms` must be set <= `transaction.timeout.ms`")
        changed["delivery.timeout.ms"] = values["transaction.timeout.ms"]
    return changed
