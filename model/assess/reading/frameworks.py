"""What a framework sets by itself, and what its other keys say of its producers."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from .entries import Document, Entry
from .forms import (
    CONNECT,
    DEFAULTS,
    EXACTLY_ONCE,
    FLINK,
    ONCE_FROM_SOURCES,
    PREFIXED,
    QUARKUS,
    STREAM,
    STRIMZI_CONNECT,
    Form,
    variable,
)
from .names import LIBRDKAFKA, PRODUCER, known
from .parts import Part


@dataclass
class Frameworks:
    """The parts of a document by kind and label, as far as its keys have them."""

    document: Document
    rows: list[Form]
    parts: dict[tuple[str, str], Part]
    others: list[Part]
    """The producers of the documents before."""
    library: str
    """A client that is not Kafka's own."""

    def complete(self) -> None:
        """Add what the frameworks add."""
        self._streams()
        self._flink()
        if self.library and not self.parts:
            self.parts[PRODUCER, ""] = Part("", self.document.library, self.library)
        self._channels()
        self._exactly_once_of_connect()
        self._foreign()

    @property
    def streams(self) -> bool:
        """Whether the document is of Kafka Streams."""
        return is_streams(self.document, self.rows)

    def _flink(self) -> None:
        """A sink that delivers exactly once has transactions, by default of an hour."""
        guarantee = [entry.text for entry in self.document.entries if entry.name == "sink.delivery-guarantee"]
        sql = self.document.syntax == "sql"
        to_kafka = any("kafka" in entry.text for entry in self.document.entries if entry.name == "connector")
        if (sql and to_kafka) or (guarantee and self.document.library == "java"):
            sink = self.parts.setdefault((PRODUCER, ""), Part("", FLINK))
            sink.form = FLINK
            if guarantee == ["exactly-once"]:
                sink.defaults = {"transactional.id": "flink", "transaction.timeout.ms": "3600000"}

    def _streams(self) -> None:
        """A program of Kafka Streams has producers also where no key is one of theirs."""
        if not self.streams:
            return
        streams = self.parts.setdefault((PRODUCER, ""), Part("", STREAM))
        streams.form, streams.defaults = STREAM, dict(DEFAULTS[STREAM])
        keys = [(spelled(entry), entry.text.strip()) for entry in self.document.entries]
        guarantee = next((text for key, text in keys if key.endswith("processing.guarantee")), "")
        if guarantee.startswith("exactly_once"):
            name = next((text for key, text in keys if key.endswith("application.id")), "streams")
            streams.defaults |= EXACTLY_ONCE | {"transactional.id": f"{name}-0"}

    def _channels(self) -> None:
        """What all channels or connectors of a document share, and what a framework sets by itself."""
        for form in self.rows:
            if form.title == CONNECT and any(_of_connect(e.name) for e in self.document.entries) and not self.others:
                self.parts.setdefault((PRODUCER, ""), Part("", CONNECT)).form = CONNECT
                break
        if any("smallrye-kafka" in e.text for e in self.document.entries):
            for entry in self.document.entries:
                match = re.fullmatch(r"(?:%[\w-]+\.)?mp\.messaging\.outgoing\.\"?([^.\"]+)\"?\.connector", entry.name)
                if match and "kafka" in entry.text:
                    self.parts.setdefault((PRODUCER, match[1]), Part(match[1], QUARKUS))
        self._profiles_of_all_channels()
        shared = self.parts.get((PRODUCER, ""))
        own = [each for (part, label), each in self.parts.items() if part == PRODUCER and label]
        if shared is not None and own:
            for each in own:
                for name, given in shared.given.items():
                    each.take(name, replace(given, rank=0)) if name not in each.given else None
            del self.parts[PRODUCER, ""]
        for (part, _), each in self.parts.items():
            if part == PRODUCER and each.form in DEFAULTS:
                each.defaults = DEFAULTS[each.form] | each.defaults

    def _profiles_of_all_channels(self) -> None:
        """A profile of what all channels share is a profile of each channel."""
        channels = [label for part, label in self.parts if part == PRODUCER and label and "%" not in label]
        for part, label in list(self.parts):
            if part == PRODUCER and label.startswith(" %") and channels:
                shared = self.parts.pop((part, label))
                for channel in channels:
                    own = self.parts.setdefault(
                        (part, channel + label), replace(shared, label=channel + label, given={})
                    )
                    own.given = shared.given | self.parts[part, channel].given | own.given

    def _exactly_once_of_connect(self) -> None:
        """A worker may give each source connector transactions; then idempotence is on."""
        for entry in self.document.entries:
            last, text = spelled(entry), entry.text.strip().lower()
            enabled = last.endswith("exactly.once.source.support") and text == "enabled"
            if enabled or (last.endswith("exactly.once.support") and text == "required"):
                for (part, _), each in self.parts.items():
                    if part == PRODUCER and each.form in (CONNECT, STRIMZI_CONNECT):
                        each.defaults = each.defaults | ONCE_FROM_SOURCES

    def _foreign(self) -> None:
        """The client of plain keys: librdkafka where only it has a name, or where keys with dots are JSON."""
        for (part, _), each in self.parts.items():
            if part == PRODUCER and not each.client and each.form not in DEFAULTS:
                own = [name for name in each.given if name in known()[LIBRDKAFKA]]
                if own and each.form in ("properties", *PREFIXED):
                    each.client = LIBRDKAFKA


def is_streams(document: Document, rows: list[Form]) -> bool:
    """Whether a document is of Kafka Streams, by the rows of its form or its guarantee."""
    of_form = any(form.title == STREAM for form in rows)
    return of_form or any(spelled(entry).endswith("processing.guarantee") for entry in document.entries)


def spelled(entry: Entry) -> str:
    """A key with dots, whether it is an environment variable or not."""
    last = entry.path[-1] if entry.path else ""
    return variable(last) if last.isupper() else entry.name


def _of_connect(name: str) -> bool:
    return name in ("offset.storage.topic", "config.storage.topic", "connector.class", "config.connector.class") or (
        name.startswith("producer.override.")
    )
