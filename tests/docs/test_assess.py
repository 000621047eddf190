"""docs/reference/assess.md: its tables are those of the program."""

from __future__ import annotations

import json
import os
import re

from everystate.model.assess import FAILURES
from everystate.model.assess.assessment import SCOPES

from .page import ROOT

FINDINGS = ROOT / "model" / "assess" / "findings.toml"
REFERENCE = ROOT / "docs" / "reference" / "assess.md"


def test_the_page_names_every_promise_and_failure() -> None:
    text = REFERENCE.read_text("utf-8")
    for scope in SCOPES:
        for name, promise in scope.promises.items():
            assert f"| {name} | {promise.text} | {promise.property} |" in text
    for name in FAILURES:
        assert f"| {name} | " in text


def head(name: str, number: str) -> str:
    return f"{name.partition('-')[0].capitalize()} finding {number}: "


def effects(name: str) -> str:
    """What the page of a finding says of its effect, and of how to avoid it, without marks and links."""
    page = (ROOT / "docs" / "explanation" / "findings" / f"{name}.md").read_text("utf-8")
    found = re.findall(r"^\*\*(Effect|When|Avoid):\*\* (.+)$", page, re.MULTILINE)
    plain = {key.lower(): re.sub(r"\[([^\]]+)\]\([^)]*\)|[`*]", r"\1", text) for key, text in found}
    return "".join(f"{key} = {json.dumps(text, ensure_ascii=False)}\n" for key, text in plain.items())


def test_the_findings_are_those_of_the_documentation() -> None:
    """`UPDATE_TRANSCRIPTS=1 pytest tests/docs/test_assess.py` writes model/assess/findings.toml anew"""
    page = (ROOT / "docs" / "explanation" / "findings.md").read_text("utf-8")
    places = {"○": "model", "●": "Kafka's classes", "◆": "brokers"}
    found = re.findall(r"^- \[(\d+)\]\(findings/(\S+)\.md\)([○●◆]+) (.+)$", page, re.MULTILINE)
    written = "".join(
        f'["{name}"]\n'
        f"title = {json.dumps(head(name, number) + title, ensure_ascii=False)}\n"
        f'seen = "{", ".join(places[sign] for sign in signs)}"\n{effects(name)}\n'
        for number, name, signs, title in found
    )
    if os.environ.get("UPDATE_TRANSCRIPTS"):
        FINDINGS.write_text(written, "utf-8")
    assert len(found) > 40
    assert FINDINGS.read_text("utf-8") == written
