"""The map in a browser: what the README shows is readable, and a click on a red cell opens its counterexample."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.counterexamples.browser import chromium, complaints, open_page, requests

DOCS = Path(__file__).parents[2] / "docs"
WIDTH = 850
"""Pixels that a README has on a wide screen."""
BOXES = """
const frame = document.querySelector("svg").getBoundingClientRect();
return [[frame.left, frame.top, frame.right, frame.bottom],
        ...[...document.querySelectorAll("svg text")].map(text => {
            const box = text.getBoundingClientRect();
            return [box.left, box.top, box.right, box.bottom];
        })];
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


def apart(one: list[float], other: list[float]) -> bool:
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def test_the_picture_is_readable_in_a_readme(browser: Any, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    picture = (DOCS / "frontier.svg").read_text("utf-8")
    page.write_text(f'<body style="margin: 0"><div style="width: {WIDTH}px">{picture}</div></body>', "utf-8")
    open_page(browser, page)
    frame, *texts = browser.execute_script(BOXES)
    assert frame[2] - frame[0] <= WIDTH
    assert len(texts) == 36 + 2 * 6 + 6
    for at, box in enumerate(texts):
        assert frame[0] <= box[0] and frame[1] <= box[1] and box[2] <= frame[2] and box[3] <= frame[3]
        assert box[3] - box[1] >= 10 or box[2] - box[0] >= 10
        assert all(apart(box, other) for other in texts[:at])


def test_a_click_on_a_red_cell_opens_its_counterexample(browser: Any) -> None:
    open_page(browser, DOCS / "frontier.html")
    links = browser.find_elements("css selector", "svg a")
    assert len(links) == 15
    for link in links:
        link.click()
        shown = [story for story in browser.find_elements("css selector", ".story") if story.is_displayed()]
        assert [story.get_attribute("id") for story in shown] == [browser.current_url.partition("#")[2]]
        title, first = shown[0].text.splitlines()[1:3]
        steps = title.split()[-2]
        assert first.startswith(f"NoDup fails after {steps} steps")
    assert complaints(browser) == [] and requests(browser) == []
