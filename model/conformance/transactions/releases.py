"""The releases whose coordinator of transactions can be driven, and the generation that each one is of."""

from __future__ import annotations

from pathlib import Path

from ..versions import Kafka, order, read

FILE = Path(__file__).with_name("jars.toml")
PINNED = read(FILE)
"""By version, oldest first. `bench/kafka_jars.py --coordinators` adds one."""
FIRST = {(2, 5): "classic", (3, 6): "part-1", (4, 0, 0): "4.0.0", (4, 0, 1): "4.1", (4, 2): "4.2", (4, 3): "4.3"}
"""The first release of each generation of the model."""


def generation_of(kafka: Kafka) -> str:
    """The generation that a release is of."""
    return [name for first, name in FIRST.items() if order(kafka.version) >= first][-1]
