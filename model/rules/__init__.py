"""The rules of Kafka as data: what each one says, for which releases, and where it is in Kafka and in the model.

The files beside this one have the rules, one file for each page: rules-producer.md, rules-drain.md and
rules-transactions.md of docs/reference are written from them, and `everystate rules` prints them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PAGES = ("producer", "drain", "transactions")
FIELDS = ("id", "says", "releases", "kafka", "model", "note", "driven", "brokers")
CITED = re.compile(r"\b(?:[BCDKPT]\d{1,2}\.\d{1,2}|B[1-7]|C1?\d|D1?\d|D20|K[1-7]|P[1-6]|T10|T[1-9])\b")
"""A text that may be the id of a rule: of a section that exists, or any number with a point, which must exist then."""


@dataclass(frozen=True)
class Rule:
    """One rule of Kafka.

    `releases` is empty where it holds in all that were read. `kafka` and `model` are classes and methods. `note` says
    what the model does differently, and of a rule without a method why it is not modelled. `driven` are the releases
    on whose classes the effect was compared with the model, `brokers` the findings that show it on brokers.
    """

    id: str
    says: str
    releases: str
    kafka: tuple[str, ...]
    model: tuple[str, ...]
    note: str
    driven: str
    brokers: str

    @property
    def in_short(self) -> str:
        """The first sentence."""
        return re.split(r"(?<=\.) (?=[A-Z])", self.says)[0]


@dataclass(frozen=True)
class Section:
    """Rules under one heading."""

    title: str
    text: str
    rules: tuple[Rule, ...]


@dataclass(frozen=True)
class Page:
    """The rules of one model, with what its page says before and after them."""

    name: str
    title: str
    intro: str
    outro: str
    sections: tuple[Section, ...]

    @property
    def rules(self) -> tuple[Rule, ...]:
        """All rules of the page, in order."""
        return tuple(rule for section in self.sections for rule in section.rules)


@cache
def pages() -> tuple[Page, ...]:
    """All pages."""
    return tuple(_page(name) for name in PAGES)


@cache
def rules() -> dict[str, Rule]:
    """All rules by id, in the order of the pages."""
    return {rule.id: rule for page in pages() for rule in page.rules}


def page_of(rule: Rule) -> Page:
    """The page that has a rule."""
    return next(page for page in pages() if rule in page.rules)


def find(text: str) -> list[Rule]:
    """The rule with this id and those below it; a letter finds all that begin with it."""
    name = text.upper()
    below = name if name.isalpha() else f"{name}."
    return [rule for rule in rules().values() if rule.id == name or rule.id.startswith(below)]


def evidence(rule: Rule) -> str:
    """How we know: driven on classes, seen on brokers, or read only."""
    shown = [f"driven {rule.driven}"] * bool(rule.driven) + [f"brokers ({rule.brokers})"] * bool(rule.brokers)
    return "; ".join(shown) or ("in its parts" if len(find(rule.id)) > 1 else "read")


def sentences(ids: Iterable[str]) -> list[str]:
    """Each rule with its first sentence."""
    return [f"{name}  {rules()[name].in_short}" for name in ids]


def _page(name: str) -> Page:
    data = tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text("utf-8"))
    sections = tuple(
        Section(section["title"], section.get("text", ""), tuple(_rule(**rule) for rule in section["rule"]))
        for section in data["section"]
    )
    return Page(name, data["title"], data["intro"].strip(), data.get("outro", "").strip(), sections)


def _rule(
    id: str,
    says: str,
    kafka: list[str],
    model: list[str],
    releases: str = "",
    note: str = "",
    driven: str = "",
    brokers: str = "",
) -> Rule:
    return Rule(id, says, releases, tuple(kafka), tuple(model), note, driven, brokers)
