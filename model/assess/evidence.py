"""The findings that counterexamples of an assessment belong to; `findings.toml` is written from the documentation."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True)
class Finding:
    """What goes wrong in one sentence, and where it was seen: in the model, on Kafka's classes, on brokers."""

    title: str
    seen: str
    page: str
    effect: str = ""
    when: str = ""
    avoid: str = ""


@cache
def findings() -> dict[str, Finding]:
    """All findings by the name of their page."""
    text = resources.files(__package__).joinpath("findings.toml").read_text("utf-8")
    return {
        name: Finding(page=f"docs/explanation/findings/{name}.md", **found)
        for name, found in tomllib.loads(text).items()
    }
