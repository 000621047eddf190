"""Files of Apalache and Quint in every form: what they write differs from ours in #meta, types and actions."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.main import main
from everystate.checker.results.itf import parse
from everystate.checker.results.plain_trace import PlainTrace
from everystate.counterexamples import diagram_of, report
from everystate.counterexamples.layout import arrange

from .browser import chromium, complaints, open_page, requests

FILES = Path(__file__).parent / "files"
TOOLS = ("apalache", "quint")
LABELS = {"apalache": "step", "quint": "withdraw"}
CHANGES = {"apalache": "bank_of_boat: W -> E", "quint": "balances[alice]: 58 -> -3"}


def file(tool: str) -> str:
    return str(FILES / f"{tool}.itf.json")


def told(tool: str) -> PlainTrace:
    return parse(Path(file(tool)).read_text("utf-8"), tool).plain()


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("form", ["text", "html", "svg", "mermaid", "dot", "shiviz", "itf"])
def test_every_form(tool: str, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    if form == "dot":
        pytest.importorskip("graphviz")
    assert main(["show", file(tool), "--as", form]) == 0
    said = capsys.readouterr().out
    assert LABELS[tool] in said
    if form in ("text", "svg", "html"):
        assert CHANGES[tool] in said.replace("&gt;", ">")


@pytest.mark.parametrize("tool", TOOLS)
def test_a_path_needs_the_spec(tool: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", file(tool), "--as", "path"]) == 150
    assert "has no path: it names no spec" in capsys.readouterr().err


@pytest.mark.parametrize("tool", TOOLS)
def test_an_explanation_needs_the_spec(tool: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", file(tool)]) == 150
    assert "has no explanation: it names no spec" in capsys.readouterr().err


@pytest.mark.parametrize("tool", TOOLS)
def test_what_is_written_again_is_read_as_the_same_story(tool: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", file(tool), "--as", "itf"]) == 0
    again = parse(capsys.readouterr().out, tool).plain()
    assert [b.values for b in again.steps] == [b.values for b in told(tool).steps]
    assert [b.label for b in again.steps] == [b.label for b in told(tool).steps]


@pytest.mark.parametrize("tool", TOOLS)
def test_no_text_overlaps_another(tool: str) -> None:
    layout = arrange(diagram_of(told(tool)))
    for a, b in itertools.combinations(layout.boxes, 2):
        assert a.right <= b.x or b.right <= a.x or a.bottom <= b.y or b.bottom <= a.y, (a, b)
    assert all(box.right <= layout.width - 4 for box in layout.boxes)


@pytest.mark.parametrize("tool", TOOLS)
def test_the_picture_is_well_formed(tool: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", file(tool), "--as", "svg"]) == 0
    assert ET.fromstring(capsys.readouterr().out).tag.endswith("svg")


def test_the_page_steps_through_without_a_complaint(tmp_path: Path) -> None:
    with chromium() as browser:
        for tool in TOOLS:
            path = tmp_path / f"{tool}.html"
            path.write_text(report(told(tool)), "utf-8")
            complaints(browser), requests(browser)
            open_page(browser, path)
            assert _where(browser) == "step 2 of 2"
            browser.execute_script("go(0)")
            assert _where(browser) == "step 0 of 2"
            assert complaints(browser) == [] and requests(browser) == []


def _where(browser: Any) -> str:
    return str(browser.execute_script("return document.getElementById('where').textContent"))
