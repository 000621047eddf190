"""The releases of Kafka whose own classes can be driven, and the jars that each is made of.

`jars.toml` pins them by coordinates of Maven Central and SHA-256; `bench/kafka_jars.py` adds a release.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from ...checker.errors import EverystateError, suggestion

FILE = Path(__file__).with_name("jars.toml")
JAVA_LOGS = (4, 1)
"""From this release on the log layer is Java, in a jar of its own."""
LOGS = re.compile(r"kafka-storage|kafka_2\.\d+")
"""The artifacts with the log layer."""


@dataclass(frozen=True, order=True)
class Jar:
    """The Maven coordinates of a jar."""

    group: str
    artifact: str
    version: str

    @property
    def name(self) -> str:
        """The name of its file, in every Maven repository and in the libs folder of a Kafka release."""
        return f"{self.artifact}-{self.version}.jar"

    def __str__(self) -> str:
        return f"{self.group}:{self.artifact}:{self.version}"


@dataclass(frozen=True)
class Kafka:
    """A release: its jars with their SHA-256, and whether the log layer is among them (else the client alone is)."""

    version: str
    whole: bool
    jars: dict[Jar, str] = field(repr=False)

    @property
    def clients(self) -> Jar:
        """The jar by which a release is known."""
        return Jar("org.apache.kafka", "kafka-clients", self.version)


def order(version: str) -> tuple[int, ...]:
    """What releases are sorted by."""
    return tuple(int(part) for part in version.split("-")[0].split("."))


def read(file: Path) -> dict[str, Kafka]:
    """The releases that a file pins, oldest first."""
    if not file.exists():
        return {}
    pinned = tomllib.loads(file.read_text("utf-8"))

    def jar(name: str) -> tuple[Jar, str]:
        return Jar(*name.split(":")), pinned["sha256"][name]

    return {
        version: Kafka(version, any(map(LOGS.search, entry["jars"])), dict(map(jar, entry["jars"])))
        for version, entry in pinned["kafka"].items()
    }


PINNED = read(FILE)
"""By version, oldest first."""


def release(version: str | None = None, pinned: dict[str, Kafka] | None = None) -> Kafka:
    """The pinned release of a version, the newest without one; E701 when there is none."""
    found = PINNED if pinned is None else pinned
    if version is None:
        return next(reversed(found.values()))
    if version not in found:
        known = list(found)
        raise EverystateError(
            "E701", None, version=version, suggestion=suggestion(version, known), known=", ".join(known)
        )
    return found[version]
