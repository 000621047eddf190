"""The findings that counterexamples of an assessment belong to, as docs/explanation/findings.md has them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
"""In the repository and where it is installed."""
ROW = re.compile(r"^\| \[(\d+)\]\(findings/(.+?)\.md\) \| (.+?) \| (.+?) \|$", re.MULTILINE)


@dataclass(frozen=True)
class Finding:
    """What goes wrong in one sentence, and where it was seen: in the model, on Kafka's classes, on brokers."""

    title: str
    seen: str
    page: str


@cache
def findings() -> dict[str, Finding]:
    """All findings by the name of their page."""
    text = (DOCS / "explanation" / "findings.md").read_text("utf-8")
    return {
        page: Finding(f"{page.partition('-')[0].capitalize()} finding {number}: {claim}", seen, _path(page))
        for number, page, claim, seen in ROW.findall(text)
    }


def _path(page: str) -> str:
    return f"docs/explanation/findings/{page}.md"
