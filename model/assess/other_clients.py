"""Clients that are in no model: their defaults, read from their releases. Only acks and the brokers are judged.

Where releases of a client differ, the weaker default is assessed, and a note says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import librdkafka
from .values import DEFAULT

FLIGHT = "max.in.flight.requests.per.connection"
NO_LIMIT = 2**31 - 1
DEFAULTS: dict[str, dict[str, Any]] = {
    "kafka-python": {"acks": "1", FLIGHT: 5, "enable.idempotence": False, "retries": 0},
    "sarama": {"acks": "1", FLIGHT: 5, "enable.idempotence": False, "retries": 3},
    "franz-go": {"acks": "all", "enable.idempotence": True, FLIGHT: 1, "retries": NO_LIMIT},
    "kafka-go": {"acks": "0", "enable.idempotence": False, "retries": 10},
    "KafkaJS": {"acks": "all", "enable.idempotence": False, "retries": 5, FLIGHT: NO_LIMIT},
}
RELEASES = {
    "kafka-python": "2.0.2; 2.3.0 retries without limit, and 3.0.12 has acks=all and enable.idempotence=true",
    "sarama": "1.61.1",
    "franz-go": "1.22.3",
    "kafka-go": "0.4.51 for a Writer; NewWriter has acks=all",
    "KafkaJS": "2.2.4",
}
"""The releases that the defaults were read from."""


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
    notes = [f"The client is {client}. How it sends again is in no model."]
    if client in RELEASES and any(name not in texts for name in own):
        notes.append(f"Its defaults are those of {client} {RELEASES[client]}.")
    return values, sources, notes
