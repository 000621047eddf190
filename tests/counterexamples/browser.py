"""A headless Chromium that records its console and its network, for the tests of the report."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--window-size=1400,1000",
)


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser; the test is skipped where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="the package selenium is not installed")
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not program or not driver:
        pytest.skip("chromium and chromedriver are not installed (apt install chromium chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for argument in ARGUMENTS:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        yield browser
    finally:
        browser.quit()


def complaints(browser: Any) -> list[str]:
    """What the console holds."""
    return [entry["message"] for entry in browser.get_log("browser")]


def requests(browser: Any) -> list[str]:
    """The addresses that were asked for, other than the page itself and data in it."""
    events = (json.loads(entry["message"])["message"] for entry in browser.get_log("performance"))
    sent = (e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent")
    return [url for url in sent if not url.startswith(("file:", "data:"))]


def open_page(browser: Any, path: Path, fragment: str = "") -> None:
    """Open a file of the disk."""
    browser.get("about:blank")
    browser.get(path.as_uri() + fragment)
