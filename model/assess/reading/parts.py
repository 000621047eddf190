"""What was read: producers, topics and brokers with their values, and what was not understood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


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

    @classmethod
    def of(cls, label: str, texts: dict[str, str]) -> Part:
        """A part with values that no file has given."""
        return cls(label, given={name: Given(text, name, 0) for name, text in texts.items()})

    def texts(self) -> dict[str, str]:
        """The values by name."""
        return {name: given.text for name, given in self.given.items()}

    def take(self, name: str, given: Given) -> None:
        """A value, unless one of a higher rank is there."""
        if name not in self.given or given.rank >= self.given[name].rank:
            self.given[name] = given


@dataclass(frozen=True)
class Problem:
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
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    release: str = ""
    """The release of the brokers."""
    client_release: str = ""
    keys: int = 0

    @property
    def parts(self) -> list[Part]:
        """All that has settings."""
        return [*self.producers, *self.topics, *self.brokers]


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
