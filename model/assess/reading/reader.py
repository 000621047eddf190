"""What a file says: settings of producers, topics and brokers with their lines, and what was not understood.

Each key is taken by the first row of `forms.FORMS` that matches it. A key that no row takes, and that may decide on an
answer, is a doubt; so is a value that is not in the file, and a file of which nothing was taken. Then the answer is
UNDECIDED.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from .entries import Document, Entry
from .forms import CONNECT, DEFAULTS, EXACTLY_ONCE, FLINK, FORMS, FRANZ, QUARKUS, SARAMA, STREAM, Form, variable
from .names import (
    BROKER,
    CONSUMER,
    LIBRDKAFKA,
    PRODUCER,
    TOPIC,
    decisive,
    known,
    named,
    spellings,
    squashed,
)
from .placeholders import resolved
from .syntax import documents

CLIENTS = {LIBRDKAFKA, "kafka-python", SARAMA, FRANZ, "kafka-go", "KafkaJS"}
IMAGES = re.compile(r"(?:^|/)(cp-(?:kafka|server|enterprise-kafka)|kafka):v?(\d+)\.(\d+)(?:\.(\d+))?")
OF_BROKERS = frozenset(
    (
        *("broker.id", "node.id", "process.roles", "log.dirs", "log.dir", "zookeeper.connect", "listeners"),
        *("num.partitions", "default.replication.factor", "advertised.listeners", "auto.create.topics.enable"),
        *("offsets.topic.replication.factor", "log.retention.hours", "log.retention.ms"),
    )
)
"""Names that only brokers have: plain names beside one of them are settings of brokers."""
ACKS = {
    **dict.fromkeys(("waitforall", "kgo.allisracks", "allisracks", "sarama.waitforall", "wait_for_all"), "all"),
    **dict.fromkeys(("requireall", "kafka.requireall", "acks.all"), "all"),
    **dict.fromkeys(("waitforlocal", "leader", "leaderack", "kgo.leaderack", "sarama.waitforlocal"), "1"),
    **dict.fromkeys(("wait_for_local", "requireone", "kafka.requireone", "acks.leader"), "1"),
    **dict.fromkeys(("noresponse", "none", "noack", "kgo.noack", "sarama.noresponse", "no_response"), "0"),
    **dict.fromkeys(("requirenone", "kafka.requirenone", "acks.none"), "0"),
}
"""How clients write acks, besides Kafka's own words."""


@dataclass(frozen=True)
class Given:
    """A value as it is given, with its key, its line and the rank of its form."""

    text: str
    key: str
    line: int
    rank: int = 1


@dataclass
class Part:
    """The settings of one producer, topic, or of the brokers: by Kafka's names."""

    label: str = ""
    form: str = ""
    client: str = ""
    given: dict[str, Given] = field(default_factory=dict)
    defaults: dict[str, str] = field(default_factory=dict)

    def texts(self) -> dict[str, str]:
        """The values by name."""
        return {name: given.text for name, given in self.given.items()}

    def take(self, name: str, given: Given) -> None:
        """A value, unless one of a higher rank is there."""
        if name not in self.given or given.rank >= self.given[name].rank:
            self.given[name] = given


@dataclass(frozen=True)
class Doubt:
    """Something that was not read, so that an answer may be wrong: its line, and a sentence."""

    line: int
    text: str


@dataclass
class Read:
    """What was read of a file."""

    path: str
    producers: list[Part] = field(default_factory=list)
    topics: list[Part] = field(default_factory=list)
    brokers: list[Part] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)
    warnings: list[Doubt] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    release: str = ""
    keys: int = 0

    @property
    def parts(self) -> list[Part]:
        """All that has settings."""
        return [*self.producers, *self.topics, *self.brokers]


def read(text: str, path: str, part: str = "", prefix: str = "") -> Read:
    """A file. `part` is what it must be, `prefix` is taken off the keys; Unreadable where its syntax is broken."""
    found = Read(path)
    each = list(documents(text, path))
    for document in each:
        _Document(document, found, part, prefix).read()
    _profiles(found)
    if not found.parts and not found.doubts:
        if not any(document.entries for document in each):
            found.doubts.append(Doubt(1, "the file has no setting"))
        else:
            first = next(entry for document in each for entry in document.entries)
            found.doubts.append(
                Doubt(first.line, "no key of the file is one of a producer, topic or broker that is known")
            )
    return found


class _Document:
    """One document: which row takes which key, and by which part a name is known."""

    def __init__(self, document: Document, found: Read, part: str, prefix: str) -> None:
        self.document, self.found, self.forced, self.prefix = document, found, part, prefix
        self.rows = [form for form in FORMS if form.where(document)]
        self.parts: dict[tuple[str, str], Part] = {}
        self.role = part or self._role()
        self.values = {entry.name: entry.text for entry in document.entries}
        self.role_of_streams = any(form.title == STREAM for form in self.rows) or any(
            _spelled(entry).endswith("processing.guarantee") for entry in document.entries
        )

    def read(self) -> None:
        """Take all keys."""
        for entry in self.document.entries:
            self.found.keys += 1
            self._take(entry)
        self._finish()

    def _role(self) -> str:
        """Whose settings plain names are."""
        names = {variable(e.path[-1]) if e.path[-1].isupper() else e.name for e in self.document.entries if e.path}
        if names & OF_BROKERS or self.document.name.startswith(("broker", "default", "cluster")):
            return BROKER
        if names & (known()[PRODUCER] - known()[TOPIC]) or names & known()[LIBRDKAFKA]:
            return PRODUCER
        return TOPIC if names & known()[TOPIC] else PRODUCER

    def _key(self, entry: Entry) -> tuple[str, str]:
        """The key with dots, and the group of an environment variable."""
        last = entry.path[-1] if entry.path else ""
        if re.fullmatch(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+", last):
            return variable(last), ".".join(entry.path[:-1])
        name = entry.name
        if self.prefix and name.startswith(self.prefix):
            name = name[len(self.prefix) :].lstrip(".")
        return name, ""

    def _take(self, entry: Entry) -> None:
        key, group = self._key(entry)
        if self._release(entry):
            return
        for form in self.rows:
            match = form.expression.fullmatch(key)
            if match is None:
                continue
            name, part = self._named(form, match["name"])
            if not name:
                continue
            if form.warning:
                self.found.warnings.append(Doubt(entry.line, f"{entry.name} has no effect: {form.warning}"))
                return
            self._store(form, part, name, entry, match, group)
            return
        self._unknown(entry, key)

    def _named(self, form: Form, text: str) -> tuple[str, str]:
        """The name of Kafka for a name of a form, and the part that knows it."""
        if form.only is not None:
            lower = {squashed(key): value for key, value in form.only.items()}
            return lower.get(squashed(text), ""), form.part
        if form.part == TOPIC:
            return named(text, TOPIC), TOPIC
        if form.part == BROKER:
            return named(text, BROKER, TOPIC), BROKER
        if form.title == "properties":
            return self._plain(text)
        return named(text, PRODUCER, LIBRDKAFKA), PRODUCER

    def _plain(self, text: str) -> tuple[str, str]:
        """A name without a prefix: exactly as Kafka writes it, by the role of its document."""
        order = {
            BROKER: (BROKER, TOPIC),
            TOPIC: (TOPIC, PRODUCER),
            PRODUCER: (PRODUCER, LIBRDKAFKA, TOPIC),
        }[self.role]
        for part in (*order, PRODUCER, LIBRDKAFKA, TOPIC, BROKER):
            if text in known()[part]:
                owner = {LIBRDKAFKA: PRODUCER, TOPIC: self.role if self.role == BROKER else TOPIC}.get(part, part)
                return text, owner
        return "", ""

    def _store(self, form: Form, part: str, name: str, entry: Entry, match: re.Match[str], group: str) -> None:
        if name == "replication.factor" and entry.text.strip() == "-1":
            return
        text, used = resolved(entry.text, self.values)
        if used:
            self.found.notes.append(
                f"line {entry.line}: {entry.name}={entry.text} is taken as {text or 'empty'}, its default."
            )
        if text is None:
            if decisive(name) or name in known()[TOPIC] or name == "retries":
                why = f"{entry.name}={entry.text}: the value is not in the file"
                self.found.doubts.append(Doubt(entry.line, why))
            return
        label = match.groupdict().get(form.label, "") if form.label else ""
        if "profile" in match.groupdict() and match["profile"]:
            label = f"{label} %{match['profile']}"
        owner = self._part(part, label or (self.document.name if part == TOPIC else ""), form)
        value = "false" if squashed(entry.name).endswith("disableidempotentwrite") else self._value(owner, name, text)
        owner.take(name, Given(value, entry.name, entry.line, form.rank))

    def _value(self, part: Part, name: str, text: str) -> str:
        text = text.strip()
        if name in ("acks", "request.required.acks"):
            return ACKS.get(text.lower().rstrip("()"), text.lower() if text.lower() in ("all",) else text)
        return text.lower() if text in ("True", "False") else text

    def _part(self, part: str, label: str, form: Form) -> Part:
        key = (part, label)
        if key not in self.parts:
            self.parts[key] = Part(label, form.title, form.client or self._library())
        found = self.parts[key]
        found.client = found.client or form.client
        if form.rank > 1 or found.form == "properties":
            found.form = form.title
        return found

    def _library(self) -> str:
        return self.document.library if self.document.library in CLIENTS else ""

    def _release(self, entry: Entry) -> bool:
        """The release of the brokers, from a manifest or the tag of an image."""
        if self.document.get("kind") == "Kafka" and entry.name == "spec.kafka.version":
            self.found.release = entry.text
            return True
        found = IMAGES.search(entry.text) if entry.path and entry.path[-1] == "image" else None
        if found:
            major, minor = int(found[2]), int(found[3])
            if found[1].startswith("cp-"):
                major -= 4
            self.found.release = f"{major}.{minor}" if major >= 2 else ""
        return found is not None

    def _unknown(self, entry: Entry, key: str) -> None:
        """A key that no row takes: a doubt where it may decide, a warning where it is nearly a name."""
        if key.endswith(("processing.guarantee", "sink.delivery-guarantee")) and (
            self.role_of_streams or self.document.syntax == "sql"
        ):
            return
        if squashed(key.rpartition(".")[2]) in ("connector", "topic") or named(key, CONSUMER) or _of_consumer(key):
            return
        if decisive(key) and entry.text != "":
            self.found.doubts.append(
                Doubt(entry.line, f"{entry.name}={entry.text} may be a setting, but its prefix is not known")
            )
        elif re.search(r"waitforwritecompletion$", squashed(key)) and entry.text.strip().lower() == "false":
            why = "a message is acknowledged to its source before its record is written; a failure then loses it"
            self.found.warnings.append(Doubt(entry.line, f"{entry.name}=false: {why}"))
        else:
            near = _near(key)
            if near:
                self.found.warnings.append(Doubt(entry.line, f"{entry.name} is no setting (did you mean {near}?)"))

    # -- the end of a document -----------------------------------------------------------------------------------

    def _finish(self) -> None:
        self._streams()
        self._flink()
        if self._library() and not self.parts:
            self.parts[PRODUCER, ""] = Part("", self.document.library, self._library())
        self._channels()
        self._foreign()
        for (part, _), each in self.parts.items():
            {PRODUCER: self.found.producers, TOPIC: self.found.topics, BROKER: self.found.brokers}[part].append(each)
        for entry in self.document.entries:
            if entry.name in ("spring.config.activate.on-profile", "spring.profiles") and self.found.producers:
                for each in self.parts.values():
                    each.label = f"profile {entry.text}"

    def _flink(self) -> None:
        """A sink that delivers exactly once has transactions, by default of an hour."""
        guarantee = [entry.text for entry in self.document.entries if entry.name == "sink.delivery-guarantee"]
        sql = self.document.syntax == "sql"
        if sql and any("kafka" in entry.text for entry in self.document.entries if entry.name == "connector"):
            sink = self.parts.setdefault((PRODUCER, ""), Part("", FLINK))
            if guarantee == ["exactly-once"]:
                sink.defaults = {"transactional.id": "flink", "transaction.timeout.ms": "3600000"}

    def _streams(self) -> None:
        """A program of Kafka Streams has producers also where no key is one of theirs."""
        if not self.role_of_streams:
            return
        streams = self.parts.setdefault((PRODUCER, ""), Part("", STREAM))
        streams.form, streams.defaults = STREAM, dict(DEFAULTS[STREAM])
        keys = [(_spelled(entry), entry.text.strip()) for entry in self.document.entries]
        guarantee = next((text for key, text in keys if key.endswith("processing.guarantee")), "")
        if guarantee.startswith("exactly_once"):
            name = next((text for key, text in keys if key.endswith("application.id")), "streams")
            streams.defaults |= EXACTLY_ONCE | {"transactional.id": f"{name}-0"}

    def _channels(self) -> None:
        """What all channels or connectors of a document share, and what a framework sets by itself."""
        for form in self.rows:
            if (
                form.title == CONNECT
                and any(_of_connect(e.name) for e in self.document.entries)
                and not self.found.producers
            ):
                self.parts.setdefault((PRODUCER, ""), Part("", CONNECT)).form = CONNECT
                break
        if any("smallrye-kafka" in e.text for e in self.document.entries):
            for entry in self.document.entries:
                match = re.fullmatch(r"(?:%[\w-]+\.)?mp\.messaging\.outgoing\.\"?([^.\"]+)\"?\.connector", entry.name)
                if match and "kafka" in entry.text:
                    self.parts.setdefault((PRODUCER, match[1]), Part(match[1], QUARKUS))
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

    def _foreign(self) -> None:
        """The client of plain keys: librdkafka where only it has a name, or where keys with dots are JSON."""
        for (part, _), each in self.parts.items():
            if part == PRODUCER and not each.client and each.form not in DEFAULTS:
                own = [name for name in each.given if name in known()[LIBRDKAFKA]]
                if own and each.form in ("properties", "a prefix kafka.producer", "a prefix producer", "Spark options"):
                    each.client = LIBRDKAFKA


def _spelled(entry: Entry) -> str:
    """A key with dots, whether it is an environment variable or not."""
    last = entry.path[-1] if entry.path else ""
    return variable(last) if last.isupper() else entry.name


def _of_connect(name: str) -> bool:
    return name in ("offset.storage.topic", "config.storage.topic", "connector.class", "config.connector.class") or (
        name.startswith("producer.override.")
    )


def _of_consumer(key: str) -> bool:
    words = key.lower()
    return "consumer" in words or ".listener." in words or "incoming" in words or "acknowledgment" in words


def _near(key: str) -> str:
    """The name that a key may have been meant to be: one letter is missing, too many or another one."""
    import difflib

    tails = (key.split(".", at)[-1] for at in range(key.count(".") + 1))
    if any(tail in known()[PRODUCER] for tail in tails):
        return ""
    last = key.rpartition("kafka.")[2]
    near = difflib.get_close_matches(squashed(last), list(spellings(PRODUCER)), n=1, cutoff=0.88)
    return spellings(PRODUCER)[near[0]] if near and not named(last, PRODUCER) else ""


def _profiles(found: Read) -> None:
    """A profile has the settings without a profile as well; equal producers are one."""
    for part in found.producers:
        base = "" if part.label.startswith("profile ") else part.label.partition(" %")[0]
        for other in found.producers:
            if other is not part and other.label == base and other.label != part.label:
                part.given = {**other.given, **part.given}
                part.defaults = {**other.defaults, **part.defaults}
    seen: dict[tuple[object, ...], Part] = {}
    for part in found.producers:
        key = (tuple(sorted(part.texts().items())), part.client, tuple(sorted(part.defaults.items())))
        if key in seen:
            seen[key].label = ", ".join(filter(None, [seen[key].label, part.label]))
        else:
            seen[key] = part
    found.producers = list(seen.values())


def merge(parts: Sequence[Part]) -> tuple[Part, list[str]]:
    """Parts of the brokers as one: of a name that differs the first value is taken, and this is noted."""
    whole, notes = Part(), list[str]()
    for part in parts:
        for name, given in part.given.items():
            if name in whole.given and whole.given[name].text != given.text:
                notes.append(f"Brokers differ in {name}: {whole.given[name].text}, {given.text}; the first is taken.")
            whole.given.setdefault(name, given)
        whole.form = whole.form or part.form
    return whole, notes


def doubts(found: Sequence[Read]) -> Iterator[tuple[str, Doubt]]:
    """All doubts with the path of their file."""
    for each in found:
        for doubt in each.doubts:
            yield each.path, doubt
