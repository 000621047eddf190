"""Clients that are in no model: their defaults, where they are known. What depends on acks and on brokers is judged.

The defaults have not been compared with a release of these clients.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import librdkafka
from .values import DEFAULT

FLIGHT = "max.in.flight.requests.per.connection"
DEFAULTS: dict[str, dict[str, Any]] = {
    "kafka-python": {"acks": "1", FLIGHT: 5, "enable.idempotence": False},
    "sarama": {"acks": "1", FLIGHT: 5, "enable.idempotence": False, "retries": 3},
    "franz-go": {"acks": "all", "enable.idempotence": True, FLIGHT: 1},
    "kafka-go": {"acks": "0", "enable.idempotence": False},
    "KafkaJS": {"acks": "all", "enable.idempotence": False},
}


def settle(given: Mapping[str, str], client: str) -> tuple[dict[str, Any], dict[str, str], list[str]]:
    """Values, where they come from, and notes; ConfigException for a value of the wrong type."""
    texts = {librdkafka.ALIASES.get(name, name): text.strip() for name, text in given.items()}
    own = DEFAULTS.get(client, {})
    values = {
        name: read(name, texts[name]) if name in texts else own.get(name, default)
        for name, (read, default) in librdkafka.SETTINGS.items()
        if name not in ("enable.gapless.guarantee", "queuing.strategy")
    }
    sources = {name: "producer" if name in texts else DEFAULT for name in values}
    return values, sources, [f"The client is {client}. How it sends again is in no model."]
