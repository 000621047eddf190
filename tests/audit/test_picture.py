"""The picture of a finding: what is written in a box fits into it, however large the numbers are."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

from everystate.checker.pages import stylesheet
from everystate.model.audit.picture import picture
from everystate.model.audit.report import Found
from tests.counterexamples.browser import chromium, open_page

OUT = """
return [...document.querySelectorAll("svg g")].flatMap(group => {
  const box = group.querySelector("rect").getBBox();
  return [...group.querySelectorAll("text")].filter(text => {
    const words = text.getBBox();
    return words.x < box.x || words.x + words.width > box.x + box.width;
  }).map(text => text.textContent);
});
"""


def batch(number: int, first: int, last: int, producer: int) -> dict[str, Any]:
    return {
        "unit": 0,
        "section": 0,
        "number": number,
        "base_offset": 10 * number,
        "last_offset": 10 * number + 9,
        "first_sequence": first,
        "last_sequence": last,
        "producer_id": producer,
        "epoch": 32767,
        "flags": 1,
    }


def wrapped() -> Found:
    """The first batch of a producer shortly before the wrap, of which a whole lap is missing."""
    around = (
        batch(0, 0, 1, 3),
        batch(1, 2147483645, 2147483646, 9_000_000_000_123),
        batch(2, 2147483647, 0, 9_000_000_000_123),
    )
    others = {f"other_{name}": None for name in around[0]}
    facts = {"kind": "missing-start", "amount": 2147483645, "text": "", "position": 0}
    return Found({**facts, **around[1], **others}, around)


def test_boxes_are_as_wide_as_what_is_written_in_them_and_stand_apart() -> None:
    boxes = [
        tuple(map(int, found)) for found in re.findall(r'<rect x="(\d+)" y="\d+" width="(\d+)"', picture(wrapped()))
    ]
    assert len(boxes) == 4 and boxes[0] == (10, 102)
    assert [width for _, width in boxes[1:]] == [171, 267, 179]
    assert all(x + width + 8 == after for (x, width), (after, _) in itertools.pairwise(boxes))


def test_a_browser_draws_every_line_inside_of_its_box(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        f"<!doctype html><style>{stylesheet()}</style><figure class=picture>{picture(wrapped())}</figure>", "utf-8"
    )
    with chromium() as browser:
        open_page(browser, page)
        assert browser.execute_script(OUT) == []
