"""Releases, and the values of settings, with the messages of Kafka where one is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable

Version = tuple[int, int, int]
NEWEST_PATCH = 99
OLDEST, NEWEST = (2, 5), (4, 4)
NEWEST_RELEASE = "4.4"
UNLIMITED = 2**31 - 1
DEFAULT, KAFKA = "default", "Kafka"
"""Where a value comes from, besides the files: the default of the release, or Kafka, which changes it."""


class ConfigException(Exception):
    """Kafka refuses a configuration; the message is Kafka's."""


def version(text: str) -> Version:
    """A release; one without a patch number is the newest patch. ValueError outside of 2.5 to 4.4."""
    found = re.fullmatch(r"(\d+)\.(\d+)(?:\.(\d+))?", text)
    if not found or not OLDEST <= (int(found[1]), int(found[2])) <= NEWEST:
        raise ValueError(f"{text} is not a release from 2.5 to 4.4, such as 3.9 or 4.1.2")
    return int(found[1]), int(found[2]), int(found[3] or NEWEST_PATCH)


# -- types, with the messages of ConfigDef -----------------------------------------------------------------


def number(least: int, most: int, kind: str) -> Callable[[str, str], int]:
    """An INT or LONG with its least value."""

    def read(name: str, text: str) -> int:
        if not re.fullmatch(r"[+-]?\d+", text) or not -most - 1 <= int(text) <= most:
            raise ConfigException(f"Invalid value {text} for configuration {name}: Not a number of type {kind}")
        if int(text) < least:
            raise ConfigException(f"Invalid value {text} for configuration {name}: Value must be at least {least}")
        return int(text)

    return read


def integer(least: int) -> Callable[[str, str], int]:
    """An INT."""
    return number(least, 2**31 - 1, "INT")


def long(least: int) -> Callable[[str, str], int]:
    """A LONG."""
    return number(least, 2**63 - 1, "LONG")


def boolean(name: str, text: str) -> bool:
    """A BOOLEAN."""
    if text.lower() not in ("true", "false"):
        raise ConfigException(
            f"Invalid value {text} for configuration {name}: Expected value to be either true or false"
        )
    return text.lower() == "true"


def string(_: str, text: str) -> str:
    """A STRING."""
    return text


def one_of(*allowed: str) -> Callable[[str, str], str]:
    """A STRING of a few."""

    def read(name: str, text: str) -> str:
        if text not in allowed:
            words = ", ".join(allowed)
            raise ConfigException(f"Invalid value {text} for configuration {name}: String must be one of: {words}")
        return text

    return read


def version_of_transactions(name: str, text: str) -> int:
    """The feature transaction.version."""
    return int(one_of("0", "1", "2")(name, text))


def policies(name: str, text: str) -> str:
    """cleanup.policy: delete, compact, or both."""
    for part in text.split(","):
        one_of("compact", "delete")(name, part.strip())
    return ",".join(sorted(part.strip() for part in text.split(",")))


def acks(name: str, text: str) -> str:
    """acks: -1 is another word for all."""
    return {"-1": "all"}.get(text, one_of("all", "-1", "0", "1")(name, text))
