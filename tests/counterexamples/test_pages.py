"""Every page of HTML: one frame, one stylesheet; what is shown is text, and nothing comes from outside."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.pages import page as written
from everystate.checker.pages import stylesheet
from everystate.checker.results.plain_trace import PlainStep, PlainTrace
from everystate.counterexamples import report
from everystate.counterexamples.evidence import Cell, Column, ComparedValue, Evidence
from everystate.counterexamples.sections import Section
from everystate.counterexamples.source import highlighted
from everystate.model.audit.page import page as audit_page
from everystate.model.audit.report import Found
from everystate.model.audit.report import Report as AuditReport
from everystate.model.conformance.compare import Difference, ObservedStep
from everystate.model.conformance.page import page as conform_page
from everystate.model.conformance.report import FoundDifference as Differing
from everystate.model.conformance.report import Report as ConformReport

from .browser import chromium, complaints, open_page, requests
from .sample_traces import message, note, traces

EVIL = (
    "</script></style></svg><script>document.title='ran'</script><img src=x onerror=document.title='ran'>'`\"&{{ 7 }}"
)
OUTSIDE = re.compile(r"https?://|@import|url\(|<link(?! rel=\"icon\" href=\"data:,\")")
TEXT_SIZE = """
const drawing = document.querySelector("#diagram svg");
const scale = drawing.getBoundingClientRect().width / drawing.viewBox.baseVal.width;
return Math.min(...[...drawing.querySelectorAll("text")].map(e => scale * parseFloat(getComputedStyle(e).fontSize)))"""
"""The least size of a text in the diagram, in pixels of the screen."""
PHONE = {"width": 420, "height": 900, "deviceScaleFactor": 1, "mobile": True}


def evil_report() -> str:
    step = PlainStep(f"send({EVIL})", {EVIL: EVIL}, (note(EVIL, EVIL), message(EVIL, EVIL, "b")))
    plain = PlainTrace(EVIL, {EVIL: EVIL}, {EVIL: 1}, (step,), shows=EVIL, explanation=EVIL)
    column = Column(EVIL, (EVIL,), ((EVIL, (Cell(0, EVIL),)),))
    sides = Evidence(EVIL, (column,), (EVIL, EVIL), ((ComparedValue(EVIL, EVIL, EVIL, True),),) * 2)
    return report(plain, why=[Section(EVIL, ((EVIL, EVIL),), (EVIL,))], evidence=sides)


def audited(topic: str) -> AuditReport:
    """A copied batch, and three kinds that are only counted."""
    names = ("base_offset", "last_offset", "first_sequence", "last_sequence", "epoch", "producer_id")
    batch = dict.fromkeys((*names, "unit", "section", "number", "flags"), 1)
    told: dict[str, Any] = {"kind": "copy", "amount": 1, "text": topic, "position": 3, "path": topic, "file": topic}
    known = {"topic": topic, "partition": 0, "scenarios": (topic,)}
    found = Found({**batch, **{f"other_{name}": 2 for name in batch}, **told, **known}, (batch,))
    kinds = {"copy": 1, "likely-copy": 2, "unproved-gap": 4, "epoch-bump": 5}
    return AuditReport(
        (topic,), 1, 1, 1, dict.fromkeys(("batches", "transactional", "control", "plain"), 1), kinds, (found,)
    )


def evil_conform() -> str:
    seen = ObservedStep(EVIL, (note(EVIL, EVIL),), {EVIL: EVIL}, {EVIL: 1})
    found = Differing(EVIL, EVIL, [EVIL], [seen, seen], Difference({EVIL: (EVIL, 1)}, EVIL), 1, known=EVIL)
    return conform_page([ConformReport(EVIL, found=[found])])


PAGES: dict[str, Callable[[], str]] = {
    "report": evil_report,
    "audit": lambda: audit_page(audited(EVIL)),
    "conform": evil_conform,
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.mark.parametrize("name", PAGES)
def test_hostile_text_stays_text(browser: Any, tmp_path: Path, name: str) -> None:
    text = PAGES[name]()
    assert text.count(stylesheet()) == 1
    assert "<img" not in text
    assert not OUTSIDE.search(text.replace("http://www.w3.org/2000/svg", ""))
    page = tmp_path / "page.html"
    page.write_text(text, "utf-8")
    complaints(browser), requests(browser)
    open_page(browser, page)
    assert browser.title != "ran"
    assert browser.execute_script("return document.querySelectorAll('img, script').length") == 2 * (name == "report")
    assert (complaints(browser), requests(browser)) == ([], [])


def test_a_script_that_got_into_a_page_would_not_run(browser: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(evil_report().replace("</body>", "<script>document.title = 'ran'</script></body>"), "utf-8")
    open_page(browser, page)
    assert browser.title != "ran"
    assert browser.execute_script("return byId('where').textContent") == "step 1 of 1"


def test_each_step_of_a_difference_heads_its_own_rows() -> None:
    text = evil_conform()
    assert [text.count("<tbody>"), text.count('scope="rowgroup"'), text.count('scope="row"')] == [2, 2, 2]


def test_a_template_that_lacks_a_fact_is_an_error() -> None:
    with pytest.raises(Exception, match="'title' is undefined"):
        written("base.html")


def test_a_phone_shows_the_culprit_of_a_trace(browser: Any, tmp_path: Path) -> None:
    spec, found = traces("idem-producer/unsafe")
    page = tmp_path / "page.html"
    page.write_text(report(found[0], spec), "utf-8")
    visible = """
const frame = byId("diagram").getBoundingClientRect();
const box = document.querySelector(".sequence .culprit").getBoundingClientRect();
return [frame.left <= box.left, box.right <= frame.right, frame.top <= box.top, box.bottom <= frame.bottom,
        frame.bottom <= innerHeight]"""
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    try:
        open_page(browser, page)
        assert browser.execute_script("return byId('diagram').scrollLeft") == 0, "it opens at the first lane"
        assert browser.execute_script(TEXT_SIZE) >= 11
        browser.execute_script("go(0); go(data.steps.length - 1)")
        assert browser.execute_script(visible) == [True] * 5
        browser.execute_script("go(0); go(1)")
        assert browser.execute_script("return byId('diagram').scrollLeft") == 0
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    open_page(browser, page)
    assert browser.execute_script(visible) == [True] * 5
    assert browser.execute_script(TEXT_SIZE) >= 11


def test_a_phone_shows_the_level_of_a_finding(browser: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(audit_page(audited("orders")), "utf-8")
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    try:
        open_page(browser, page)
        levels = browser.find_elements("css selector", ".kinds .level")
        assert [level.text for level in levels] == ["broken", "suspicious", "legal", "legal"]
        assert all(level.is_displayed() for level in levels)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= 420
        assert browser.execute_script("const t = document.querySelector('.kinds'); return t.scrollWidth") <= 420
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_source_says_of_each_piece_what_it_is() -> None:
    lines = highlighted(
        '@action\ndef go(self) -> None:\n    """a\n    b"""\n    match self.n:  # why\n        case 1: x = "é"'
    )
    assert lines[1] == [("def", "word"), (" ", ""), ("go", "defined"), ("(self) -> ", ""), ("None", "word"), (":", "")]
    assert [lines[2], lines[3]] == [[("    ", ""), ('"""a', "string")], [('    b"""', "string")]]
    assert lines[4] == [("    ", ""), ("match", "word"), (" self.n:  ", ""), ("# why", "comment")]
    assert lines[5][1:5] == [("case", "word"), (" ", ""), ("1", "number"), (": x = ", "")]
    assert lines[5][5:] == [('"é"', "string")]


@pytest.mark.parametrize("text", ["match = 1\nmatch.x(match, case)", "x = (", "'''", "\tx\n  y", "", "if x:\n\n  $"])
def test_no_source_loses_a_letter(text: str) -> None:
    assert "\n".join("".join(piece for piece, _ in line) for line in highlighted(text)) == text
    assert not {look for line in highlighted("match = 1\nmatch.x(match, case)") for _, look in line} & {"word"}


def test_the_lines_of_an_action_are_shown_with_their_numbers_and_looks(browser: Any, tmp_path: Path) -> None:
    spec, found = traces("idem-producer/unsafe")
    text = report(found[0], spec)
    page = tmp_path / "page.html"
    page.write_text(text, "utf-8")
    open_page(browser, page)
    source = json.loads(re.search(r'id="data">(.*?)</script>', text)[1])["sources"]["broker"]  # type: ignore[index]
    lines = browser.execute_script("return [...document.querySelectorAll('#source .line')].map(l => l.textContent)")
    assert lines == ["".join(piece for piece, _ in line) + "\n" for line in source["lines"]]
    words = browser.execute_script("return [...document.querySelectorAll('#source .word')].map(w => w.textContent)")
    assert words[:2] == ["def", "None"]
    first = browser.execute_script("return document.querySelector('#source .line').dataset.number")
    assert first == str(source["first"]) == source["place"].rpartition(":")[2]
