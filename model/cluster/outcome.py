"""The outcome of a replay: plain data, for words, pages and JSON."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..conformance.compare import Difference, ObservedStep
from .evidence import Places


@dataclass(frozen=True)
class Finding:
    """A finding of the audit in the log of a broker; `like` are the likely scenarios."""

    broker: int
    partition: int
    kind: str
    level: str
    offset: int
    other: int | None
    said: str
    like: tuple[str, ...]
    picture: str = field(default="", repr=False)


@dataclass
class Audited:
    """The result of the audit: `hidden` has the reasons why some errors show in no log."""

    findings: list[Finding] = field(default_factory=list)
    found: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    beyond: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)

    @property
    def disagrees(self) -> str:
        """Where its findings differ from the expected ones; empty where they agree."""
        return "; ".join(
            [
                *(f"the audit does not find the {each}" for each in self.missed),
                *(f"the audit finds a {each}, which neither model nor consumer has" for each in self.beyond),
            ]
        )


@dataclass(frozen=True)
class OnDisk:
    """A batch on a broker's disk, with the producer id that the cluster gave."""

    offset: int
    records: tuple[int, ...]
    producer: int
    epoch: int
    sequence: int


@dataclass
class Outcome:
    """The outcome of a replay.

    The positions of the records (see evidence.py) are `predicted` by the model, `written` on the leader's disk, and
    `records` of a consumer. `results` are the results of each record for the application, `batches` what is on the disk
    of the `leader` at the end. `not_audited` is why there is no audit.
    """

    target: str
    shows: str
    planned: int
    turns: list[str] = field(default_factory=list)
    seen: list[ObservedStep] = field(default_factory=list)
    difference: Difference | None = None
    not_judged: str = ""
    interrupted: bool = False
    servers: int = 0
    predicted: Places = field(default_factory=list)
    written: Places = field(default_factory=list)
    records: Places = field(default_factory=list)
    batches: list[list[OnDisk]] = field(default_factory=list)
    leader: int = 0
    results: list[str] = field(default_factory=list)
    audited: Audited | None = None
    not_audited: str = ""
    seconds: dict[str, float] = field(default_factory=dict)
    memory: list[int] = field(default_factory=list)
