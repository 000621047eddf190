"""An example of each error, as `everystate errors E204` prints it.

examples.txt has one section for each code: the files that a command needs, the command, and its output. The tests
write it from transcripts that they execute (tests/docs/error_page.py).
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

PATH = Path(__file__).with_name("examples.txt")


@cache
def examples() -> dict[str, str]:
    """The text of each example by code."""
    parts = re.split(r"^(E\d+)\n", PATH.read_text("utf-8"), flags=re.MULTILINE)
    return {code: text.strip("\n") for code, text in zip(parts[1::2], parts[2::2], strict=True)}


def as_sentence(template: str) -> str:
    """A template of the catalogue as a sentence: the names of its facts in italics, optional facts left out."""
    text = re.sub(r"\{(suggestion|hint|detail|before|now|needs)\}", "", template)
    text = re.sub(r":?\n\s*\{\w+\}", "", text)
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(re.sub(r"\{(\w+)(?:!r)?\}", _in_code if part[:1] == "`" else r"*\1*", part) for part in parts)


def _in_code(fact: re.Match[str]) -> str:
    return fact.group(1).upper()
