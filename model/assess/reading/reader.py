"""What a file says: settings of producers, topics and brokers with their lines, and what was not understood.

Each key is taken by the first row of `forms.FORMS` that matches it. A key that no row takes, and that may decide on an
answer, is a problem; so is a value that is not in the file, and a file of which nothing was taken. Then the answer is
UNDECIDED.
"""

from __future__ import annotations

import re

from .entries import Document, Entry
from .forms import (
    CONNECTOR,
    FORMS,
    FRANZ,
    KAFKA_GO,
    KAFKAJS,
    MIRROR,
    SARAMA,
    STREAMS,
    WORKER,
    Form,
    variable,
)
from .frameworks import Frameworks, is_streams
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
from .parts import Given, Part, Problem, Read
from .placeholders import resolved
from .syntax import documents

CLIENTS = {LIBRDKAFKA, "kafka-python", SARAMA, FRANZ, KAFKA_GO, KAFKAJS}
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


def read(text: str, path: str, part: str = "", prefix: str = "") -> Read:
    """A file. `part` is what it must be, `prefix` is taken off the keys; Unreadable where its syntax is broken."""
    found = Read(path)
    each = list(documents(text, path))
    for document in each:
        _Document(document, found, part, prefix).read()
        found.client_release = found.client_release or document.release
    _profiles(found)
    if not found.parts and not found.problems:
        if not any(document.entries for document in each):
            found.problems.append(Problem(1, "the file has no setting"))
        else:
            first = next(entry for document in each for entry in document.entries)
            found.problems.append(
                Problem(first.line, "no key of the file is one of a producer, topic or broker that is known")
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
        misplaced = False
        for form in self.rows:
            match = form.expression.fullmatch(key)
            if match is None:
                continue
            name, part = self._named(form, match["name"])
            if not name:
                misplaced = misplaced or (form.part == PRODUCER and form.title != "properties" and form.only is None
                                          and named(match["name"], TOPIC) != "")  # fmt: skip
                continue
            if form.warning:
                self.found.warnings.append(Problem(entry.line, f"{entry.name} has no effect: {form.warning}"))
                return
            self._store(form, part, name, entry, match, group)
            return
        if misplaced:
            why = f"{entry.name} has no effect: it is a setting of topics, not of producers"
            self.found.warnings.append(Problem(entry.line, why))
        else:
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
                self.found.problems.append(Problem(entry.line, why))
            return
        label = match.groupdict().get(form.label, "") if form.label else ""
        if "profile" in match.groupdict() and match["profile"]:
            label = f"{label} %{match['profile']}"
        owner = self._part(part, self._topic(label, entry) if part == TOPIC else label, form)
        value = "false" if squashed(entry.name).endswith("disableidempotentwrite") else self._value(owner, name, text)
        owner.take(name, Given(value, entry.name, entry.line, form.rank))

    def _topic(self, label: str, entry: Entry) -> str:
        """The name of the topic that an entry is about, as far as the document has it."""
        if label.isdecimal() and label in entry.path:
            head = entry.path[: entry.path.index(label) + 1]
            names = (self.values.get(".".join((*head, key)), "") for key in ("name", "topic", "topicName"))
            return next(filter(None, names), label)
        manifest = self.document.get("metadata", "name") if self.document.get("kind") in ("KafkaTopic", "Topic") else ""
        return label or self.document.name or manifest

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
        last = entry.path[-1] if entry.path else ""
        text = entry.text
        if last == "tag" and "kafka" in self.values.get(".".join((*entry.path[:-1], "repository")), ""):
            text = f"{self.values['.'.join((*entry.path[:-1], 'repository'))]}:{text}"
        found = IMAGES.search(text) if last in ("image", "tag") else None
        if found:
            major, minor = int(found[2]), int(found[3])
            if found[1].startswith("cp-"):
                major -= 4
            self.found.release = f"{major}.{minor}" if major >= 2 else ""
        return found is not None

    def _unknown(self, entry: Entry, key: str) -> None:
        """A key that no row takes: a problem where it may decide, a warning where it is nearly a name."""
        if key.endswith(("processing.guarantee", "sink.delivery-guarantee")) and (
            is_streams(self.document, self.rows) or self.document.syntax == "sql"
        ):
            return
        if squashed(key.rpartition(".")[2]) in ("connector", "topic") or named(key, CONSUMER) or _of_consumer(key):
            return
        if decisive(key) and entry.text != "":
            self.found.problems.append(
                Problem(entry.line, f"{entry.name}={entry.text} may be a setting, but its prefix is not known")
            )
        elif re.search(r"waitforwritecompletion$", squashed(key)) and entry.text.strip().lower() == "false":
            why = "a message is acknowledged to its source before its record is written; a failure then loses it"
            self.found.warnings.append(Problem(entry.line, f"{entry.name}=false: {why}"))
        else:
            near = _near(key)
            if near:
                self.found.warnings.append(Problem(entry.line, f"{entry.name} is no setting (did you mean {near}?)"))

    # -- the end of a document -----------------------------------------------------------------------------------

    def _of_a_consumer(self) -> None:
        """A file of a consumer has no producer, though it has names that producers have as well.

        Programs around Kafka have a group and producers: their files are no files of a consumer.
        """
        if any(where(self.document) for where in (WORKER, CONNECTOR, STREAMS, MIRROR)):
            return
        foreign = [entry for entry in self.document.entries if entry.name in OF_CONSUMERS]
        for key, part in list(self.parts.items()):
            plain = part.form in ("properties", "librdkafka", "a prefix kafka")
            common = all(OF_ALL_CLIENTS.match(name) for name in part.given)
            if key[0] == PRODUCER and foreign and plain and common:
                del self.parts[key]
                why = f"{foreign[0].name} is a setting of a consumer, and no key of the file is one of a producer alone"
                self.found.problems.append(Problem(foreign[0].line, why))

    def _finish(self) -> None:
        self._of_a_consumer()
        Frameworks(self.document, self.rows, self.parts, self.found.producers, self._library()).complete()
        for (part, _), each in self.parts.items():
            {PRODUCER: self.found.producers, TOPIC: self.found.topics, BROKER: self.found.brokers}[part].append(each)
        for entry in self.document.entries:
            if entry.name in ("spring.config.activate.on-profile", "spring.profiles") and self.found.producers:
                for each in self.parts.values():
                    each.label = f"profile {entry.text}"


OF_CONSUMERS = known()[CONSUMER] - known()[PRODUCER] - known()[LIBRDKAFKA] | {"group.id", "group.instance.id"}
"""Names of consumers that no producer has."""
OF_ALL_CLIENTS = re.compile(r"(bootstrap|client|metadata|metric|metrics|reconnect|retry|request|security|sasl|ssl|send|"
                            r"receive|socket|connections|interceptor)\.")  # fmt: skip
"""Names that consumers have as well."""


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
