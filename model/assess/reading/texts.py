"""Properties, environment files, options of programs, output of Kafka's tools, and blocks that clients log."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ..properties import numbered
from .entries import Document, Entry, Unreadable

SECTION = re.compile(r"^\s*\[[^\]]+\]\s*$")
LOGGED = re.compile(r"(?:\b|\.)(Producer|Admin|Consumer|Streams|AdminClient)Config values:")
VALUE = re.compile(r"^\s*(?:.*?\|\s*)?\t?\s*([a-z][a-z0-9.]+) = (.*?)\s*$")
RELEASE = re.compile(r"\bKafka version: (\d+\.\d+\.\d+)")
VARIABLE = re.compile(
    r"""(?:^|\s)(?:-e|--env|ENV|export)[ =]+(["']?)([A-Z][A-Z0-9_]+)=(?:(["'])(.*?)\3|([^\s"'\\]*))\1"""
)
IMAGE = re.compile(r"(?:^|\s)((?:[\w.\-]+/)*(?:cp-)?kafka:[\w.\-]+)")
LITERAL = re.compile(r"\b([A-Za-z]\w+)\s*:\s*(?:(['\"])(.*?)\2|(-?[\w.]+))\s*[,}\n]")
PAIR = re.compile(r"""(['"`])([A-Za-z_][\w.\-]*)\1\s*(?:\]\s*=|=>|->|\bto\b|[=:,])\s*(?:(['"`])(.*?)\3|(-?[\w.]+))""")
FIELD = re.compile(r"\b([A-Z][A-Za-z]+)\s*=\s*(?:([A-Z]\w+)\.(\w+)|\"(.*?)\"|(-?[\w.]+))\s*[,;}\n]")
CONSTANT = re.compile(
    r"\b(?:ProducerConfig|StreamsConfig)\.([A-Z_]+?)(?:_CONFIG)?\s*(?:,|->|\bto\b)\s*(?:\"(.*?)\"|(-?[\w.]+))"
)
SETTER = re.compile(r"\.set(DeliveryGuarantee|TransactionalIdPrefix)\(\s*(?:\"(.*?)\"|(?:\w+\.)*(\w+))")
KEYWORD = re.compile(r"\b([a-z][a-z_]+)\s*=\s*(?:(['\"])(.*?)\2|(-?\w+))\s*[,)\n]")
MEMBER = re.compile(r"\b\w+\.((?:Producer|Net)\.[\w.]+)\s*=\s*()([\w.\-]+)")
METHOD = re.compile(r"\b(?:kgo|sarama|config|cfg)\.([A-Z][\w.]*)\s*(?:\(\s*([\w.\-]*)|=\s*([\w.\-]+))")
REPLICATION = re.compile(r"--replication-factor[ =](\d+)")
OPTION = re.compile(r"--(?:config|add-config)[ =]['\"]?([a-z][\w.,=\-]+)")
COMMENT = re.compile(r"^\s*(?://|#|--\s).*$", re.MULTILINE)


def properties_documents(text: str) -> Iterator[Document]:
    """A file of properties, or several that are divided by #---, as Spring Boot reads them."""
    line = 0
    for part in re.split(r"(?m)^[#!]---[ \t]*$", text):
        document = _properties(part)
        yield replace(document, entries=tuple(replace(entry, line=entry.line + line) for entry in document.entries))
        line += part.count("\n")


def _properties(text: str) -> Document:
    """Properties, an environment file, or an ini file, whose sections are passed over."""
    text = "\n".join("" if SECTION.match(line) else line for line in text.split("\n"))
    try:
        pairs = list(numbered(text))
    except ValueError as error:
        raise Unreadable(str(error)) from None
    for key, value, line in pairs:
        if key.endswith("{") or value.endswith("{"):
            raise Unreadable(f"line {line}: a block in braces is no line of properties (HOCON is not read)")
    bare = [(key.removeprefix("export "), value) for key, value, _ in pairs]
    environment = bool(bare) and all(re.fullmatch(r"(export|[A-Z][A-Z0-9_]*)", key) for key, _ in bare)
    if environment:
        return Document("env", tuple(_variables(pairs)))
    return Document("properties", tuple(Entry((key,), value, line) for key, value, line in pairs))


def _variables(pairs: list[tuple[str, str, int]]) -> Iterator[Entry]:
    for key, value, line in pairs:
        if key == "export":
            key, _, value = value.partition("=")
        value = value.strip()
        if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
            value = value[1:-1]
        yield Entry((key,), value, line)


def described_topics(text: str) -> Iterator[Document]:
    """The output of kafka-topics.sh --describe and of kafka-configs.sh --describe: a document for each topic."""
    for number, line in enumerate(text.split("\n"), 1):
        if "ReplicationFactor:" in line and (found := re.search(r"Topic:\s*(\S+)", line)):
            factor = re.search(r"ReplicationFactor:\s*(\d+)", line)
            configs = re.search(r"Configs:\s*(\S*)", line)
            pairs = [("replication.factor", factor[1] if factor else "")]
            pairs += [_split(pair) for pair in re.split(r",(?=[a-z.]+=)", configs[1] if configs else "") if pair]
            yield Document("described", tuple(Entry((k,), v, number) for k, v in pairs), found[1])
    yield from _described_configs(text)


def _described_configs(text: str) -> Iterator[Document]:
    head, pairs = "", list[Entry]()
    for number, line in enumerate(text.split("\n"), 1):
        if found := re.search(r"[Cc]onfigs for (?:the )?(topics?|brokers?|default|cluster)\S*\s*'?([^\s':]*)'?", line):
            if pairs:
                yield Document("described", tuple(pairs), head)
            of_topic = found[1].startswith("topic")
            head, pairs = found[2] if of_topic else f"{found[1]} {found[2]}", []
            rest = re.search(r"are:?\s*(\S+=.*)", line)
            line = f"  {rest[1]}" if rest else ""
        if head:
            for pair in re.finditer(r"(?:^|[\s,])([a-z][a-z0-9.]+)=([^\s,{}]*)(?=\s+sensitive=|,|\s*$)", line):
                pairs.append(Entry((pair[1],), pair[2], number))
    if pairs:
        yield Document("described", tuple(pairs), head)


def _split(pair: str) -> tuple[str, str]:
    key, _, value = pair.partition("=")
    return key, value


def logged_blocks(text: str) -> Iterator[Document]:
    """The blocks `ProducerConfig values:` of a log, those of other clients left out, with the client's release."""
    found = RELEASE.search(text)
    for document in _blocks(text):
        yield replace(document, release=found[1] if found else "")


def _blocks(text: str) -> Iterator[Document]:
    entries, producer = list[Entry](), False
    for number, line in enumerate(text.split("\n"), 1):
        if found := LOGGED.search(line):
            if producer and entries:
                yield Document("logged", tuple(entries))
            entries, producer = [], found[1] == "Producer"
        elif producer and (value := VALUE.match(line)):
            if value[2] not in ("null", ""):
                entries.append(Entry((value[1],), value[2], number))
        elif producer and entries:
            yield Document("logged", tuple(entries))
            entries, producer = [], False
    if producer and entries:
        yield Document("logged", tuple(entries))


def commands(text: str) -> Iterator[Document]:
    """The options of kafka-topics.sh and kafka-configs.sh in a script."""
    joined = re.sub(r"\\\r?\n", lambda _: "  ", text)
    for line in re.split(r"\n|&&|;", joined):
        if not re.search(r"kafka-(topics|configs)", line) or line.lstrip().startswith("#"):
            continue
        number = text[: text.find(line.strip()[:20])].count("\n") + 1
        pairs = [("replication.factor", found) for found in REPLICATION.findall(line)]
        pairs += [_split(pair) for option in OPTION.findall(line) for pair in option.split(",") if "=" in pair]
        topic = re.search(r"--(?:topic|entity-name)[ =]['\"]?([\w.\-]+)", line)
        if pairs:
            yield Document("command", tuple(Entry((k,), v, number) for k, v in pairs), topic[1] if topic else "")


def variables_document(text: str) -> Document:
    """The environment variables of `docker run`, of a Dockerfile, or of a script, and the image."""
    found = [(match.start(2), Entry((match[2],), next(filter(None, match.group(4, 5)), ""), 0)) for match in
             VARIABLE.finditer(text)]  # fmt: skip
    found += [(match.start(1), Entry(("image",), match[1], 0)) for match in IMAGE.finditer(text)]
    entries = tuple(replace(entry, line=text.count("\n", 0, at) + 1) for at, entry in sorted(found, key=lambda e: e[0]))
    return Document("env", entries)


def source_document(text: str, name: str) -> Document:
    """Pairs of literals in a program, such as "acks": "all" or Acks = Acks.All. The program is not executed."""
    text = COMMENT.sub(lambda match: " " * len(match[0]), text)
    found: dict[int, tuple[str, str]] = {}
    for match in PAIR.finditer(text):
        found[match.start()] = match[2], match[4] if match[4] is not None else match[5]
    for match in CONSTANT.finditer(text):
        found[match.start()] = match[1].lower().replace("_", "."), match[2] if match[2] is not None else match[3]
    for match in SETTER.finditer(text):
        value = match[2] if match[2] is not None else match[3]
        if match[1] == "DeliveryGuarantee":
            found[match.start()] = "sink.delivery-guarantee", value.lower().replace("_", "-")
        else:
            found[match.start()] = "sink.transactional-id-prefix", value
    for match in LITERAL.finditer(text) if re.search(r"\.(go|js|ts|mjs)$", name) else ():
        found.setdefault(match.start(), (match[1], match[3] if match[3] is not None else match[4]))
    for match in (*MEMBER.finditer(text), *FIELD.finditer(text), *KEYWORD.finditer(text), *METHOD.finditer(text)):
        value = next((group for group in reversed(match.groups()[1:]) if group is not None), "")
        found.setdefault(match.start(), (match[1], value))
    entries = [Entry((key,), value, text.count("\n", 0, at) + 1) for at, (key, value) in sorted(found.items())]
    return Document("source", tuple(entries))
