"""From a file to its documents: how it is written is recognised by its content, and by its ending."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from . import texts, trees
from .entries import Document, Entry, Unreadable

PROGRAMS = re.compile(r"\.(py|go|rs|cs|java|kt|kts|scala|js|ts|mjs|php|rb|c|cc|cpp|h|hpp)$")
DESCRIBED = re.compile(r"\bReplicationFactor:\s*\d|[Cc]onfigs for (the )?(topic|broker|default)")
INNER = re.compile(r"\.(properties|conf|env|ini|ya?ml|json|toml)$")
BLOCKS = ("extraconfig", "server_properties", "config", "extraconfigyaml", "extraenv")
"""Keys whose value of several lines is a file of properties."""
YAML = re.compile(r"^(---|apiVersion:|[\w.\-\"']+:(\s*$|\s*#|\s+\S))", re.MULTILINE)
TEMPLATE = re.compile(r"\{\{.*?\}\}", re.DOTALL)
LIBRARIES = (
    ("java", r"^\s*import (static )?(java|org\.apache\.kafka|org\.springframework)|\bProducerConfig\.[A-Z_]+_CONFIG"),
    ("kafka-python", r"^\s*(from kafka import|from kafka\.|import kafka\b|from aiokafka|import aiokafka)"),
    ("librdkafka", r"confluent_kafka|confluent-kafka-go|Confluent\.Kafka|rdkafka|node-rdkafka"),
    ("sarama", r"(IBM|Shopify)/sarama|\bsarama\."),
    ("franz-go", r"twmb/franz-go|\bkgo\."),
    ("kafka-go", r"segmentio/kafka-go"),
    ("KafkaJS", r"['\"]kafkajs['\"]"),
)


def documents(text: str, name: str) -> Iterator[Document]:
    """The documents of a file, those inside of it as well; Unreadable where it is broken."""
    text = text.removeprefix("\ufeff")
    for document in _written(text, name.lower()):
        yield document
        for entry in document.entries:
            yield from _inner(entry)


def _written(text: str, name: str) -> Iterator[Document]:
    if texts.LOGGED.search(text):
        yield from texts.logged_blocks(text)
    elif DESCRIBED.search(text):
        yield from texts.described_topics(text)
    elif PROGRAMS.search(name):
        library = next((each for each, found in LIBRARIES if re.search(found, text, re.MULTILINE)), "")
        library = "java" if re.search(r"\.(java|kt|kts|scala)$", name) else library
        yield replace(texts.source_document(text, name), library=library)
    elif name.endswith(".sql") or re.search(r"\bWITH\s*\(\s*'", text):
        yield replace(texts.source_document(text, name), syntax="sql")
    elif re.search(r"kafka-(topics|configs)(\.sh)?\s", text) and not YAML.match(text):
        yield from texts.commands(text)
    elif texts.VARIABLE.search(text) and not YAML.match(text) and not name.endswith((".env", ".properties")):
        yield texts.variables_document(text)
    elif name.endswith((".tf", ".hcl")) or re.search(r'^\s*resource\s+"', text, re.MULTILINE):
        yield trees.hcl_document(text, name)
    elif name.endswith(".toml"):
        yield trees.toml_document(text, name)
    elif name.endswith(".json") or text.lstrip()[:1] == "{":
        yield trees.json_document(text, name)
    elif name.endswith((".yml", ".yaml")) or (
        not name.endswith((".properties", ".conf", ".env", ".ini")) and _yaml(text)
    ):
        yield from trees.yaml_documents(TEMPLATE.sub(_quoted, text), name)
    else:
        yield from texts.properties_documents(text)


def _yaml(text: str) -> bool:
    lines = [line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")]
    return bool(lines) and YAML.match(lines[0]) is not None and "=" not in lines[0].split(":")[0]


def _quoted(template: re.Match[str]) -> str:
    """What a template of Helm becomes: a value that is not known."""
    return "<template " + re.sub(r"[^\w.]+", " ", template[0]).strip() + ">"


def _inner(entry: Entry) -> Iterator[Document]:
    """A file that is the value of a key."""
    if "\n" not in entry.text:
        return
    last = entry.path[-1] if entry.path else ""
    if INNER.search(last):
        name = last
    elif last.lower() in BLOCKS or re.match(r"\s*[\w.\-]+\s*=", entry.text):
        name = f"{last}.properties"
    else:
        return
    try:
        for document in _written(entry.text, name.lower()):
            moved = tuple(replace(each, line=each.line + entry.line - 1) for each in document.entries)
            yield replace(document, entries=moved, name=last)
    except Unreadable as error:
        raise Unreadable(f"in {last}, line {entry.line}: {error}") from None
