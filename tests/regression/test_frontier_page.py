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
    picture = (DOCS / "pictures" / "frontier.svg").read_text("utf-8")
    page.write_text(f'<body style="margin: 0"><div style="width: {WIDTH}px">{picture}</div></body>', "utf-8")
    open_page(browser, page)
    frame, *texts = browser.execute_script(BOXES)
    assert frame[2] - frame[0] <= WIDTH
    assert len(texts) == 36 + 2 * 6 + 6
    for at, box in enumerate(texts):
        assert frame[0] <= box[0] and frame[1] <= box[1] and box[2] <= frame[2] and box[3] <= frame[3]
        assert box[3] - box[1] >= 10 or box[2] - box[0] >= 10
        assert all(apart(box, other) for other in texts[:at])


def opened(browser: Any, name: str) -> Any:
    """The report of a cell, as soon as the page has followed the address; None for the map alone."""
    from selenium.webdriver.support.ui import WebDriverWait

    place = browser.find_element("id", "opened")
    WebDriverWait(browser, 20, 0.02).until(lambda _: place.is_displayed() == bool(name) and name in place.text)
    return place


def press(browser: Any, key: str) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.switch_to.active_element.send_keys(getattr(Keys, key))


def test_a_click_on_a_red_cell_opens_its_report(browser: Any) -> None:
    complaints(browser), requests(browser)
    open_page(browser, DOCS / "pictures" / "frontier.html")
    links = browser.find_elements("css selector", "svg a")
    assert len(links) == 15
    assert not browser.find_element("id", "opened").is_displayed()
    for link in links[::4]:
        link.click()
        name = link.get_attribute("aria-label")
        steps = int(name.split()[-2])
        opened(browser, name)
        assert browser.find_element("css selector", "#opened h1").text == "idem-producer"
        assert browser.find_element("css selector", "#opened header .faint").text.startswith(f"{steps} steps, with ")
        assert browser.find_element("id", "where").text == f"step {steps} of {steps}"
        assert len(browser.find_elements("css selector", "#opened #diagram svg .culprit")) == 1
        assert len(browser.find_elements("css selector", "svg a[aria-current]")) == 1
    assert complaints(browser) == [] and requests(browser) == []


def test_a_link_names_the_cell_and_the_step(browser: Any) -> None:
    open_page(browser, DOCS / "pictures" / "frontier.html", "#cell_1_3/step-4")
    assert browser.find_element("id", "where").text == "step 4 of 10"
    press(browser, "ARROW_RIGHT")
    assert browser.current_url.endswith("#cell_1_3/step-5")
    browser.find_element("link text", "Back to the map").click()
    opened(browser, "")
    press(browser, "ARROW_RIGHT")
    assert browser.current_url.endswith("frontier.html#")


def test_the_keyboard_alone_opens_a_cell_and_screen_readers_hear_of_it(browser: Any) -> None:
    open_page(browser, DOCS / "pictures" / "frontier.html")
    browser.find_element("tag name", "body").click()
    press(browser, "TAB")
    first = browser.switch_to.active_element
    assert first.get_attribute("aria-label") == "window = 1, max_in_flight = 2: violated after 10 steps"
    press(browser, "ENTER")
    opened(browser, "window = 1, max_in_flight = 2: violated after 10 steps")
    assert browser.switch_to.active_element.get_attribute("id") == "opened"
    tree = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    names = [
        node["name"]["value"] for node in tree if node.get("role", {}).get("value") == "link" and not node["ignored"]
    ]
    assert sum("violated after" in name for name in names) == 15


@pytest.mark.parametrize("width", [420, pytest.param(1400, marks=pytest.mark.thorough)])
def test_neither_map_nor_report_scrolls_sideways(browser: Any, width: int) -> None:
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        for fragment in ("", "#cell_1_3"):
            open_page(browser, DOCS / "pictures" / "frontier.html", fragment)
            assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
