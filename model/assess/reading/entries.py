"""A value of a configuration file, with the keys that lead to it and its line."""

from __future__ import annotations

from dataclasses import dataclass


class Unreadable(Exception):
    """A file is not what it seems to be; the message says where."""


@dataclass(frozen=True)
class Entry:
    """A value as text, the keys from the root of its document to it, and its line."""

    path: tuple[str, ...]
    text: str
    line: int

    @property
    def name(self) -> str:
        """The keys with dots between them."""
        return ".".join(self.path)


@dataclass(frozen=True)
class Document:
    """A document of a file: how it is written (`properties`, `yaml`, ...), and its values."""

    syntax: str
    entries: tuple[Entry, ...]
    name: str = ""
    """The name of a file inside of the file, as in a ConfigMap, or of a topic that a tool describes."""
    library: str = ""
    """The client that a program imports."""
    release: str = ""
    """The release of the client, where a log has it."""

    def get(self, *path: str) -> str:
        """The value at a path, or nothing."""
        return next((entry.text for entry in self.entries if entry.path == path), "")

    def has(self, *names: str) -> bool:
        """Whether one of these keys is there."""
        return any(entry.name in names for entry in self.entries)
