"""`make pictures`: the page of `everystate explore` where it explains the sixth batch, for docs/how-to/explore.md.

In a browser without a window, by the clicks of a person: the nearest violation, then step by step through it.
"""

from __future__ import annotations

import base64
import sys
import time
from pathlib import Path
from typing import Any

from everystate.specs.idem_producer import IdempotentProducer
from tests.counterexamples.browser import chromium
from tests.explore.serving import serving

STEP = 15
"""The broker refuses what it has written: it remembers five batches, and this is the sixth."""
PICTURES = {
    "explore.png": (1400, 900, "light"),
    "explore-dark.png": (1400, 900, "dark"),
    "explore-phone.png": (420, 900, "light"),
    "explore-phone-dark.png": (420, 900, "dark"),
}


def until(browser: Any, script: str) -> None:
    """Wait until something is true on the page."""
    end = time.monotonic() + 60
    while not browser.execute_script(f"return {script}"):
        if time.monotonic() > end:
            sys.exit(f"never came true: {script}")
        time.sleep(0.02)


def picture(browser: Any, address: str, width: int, height: int, scheme: str) -> bytes:
    """The page at the step, as PNG."""
    screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    browser.get("about:blank")
    browser.get(address)
    until(browser, "document.body.dataset.ready === 'yes'")
    browser.find_element("id", "violation").click()
    until(browser, "document.querySelector('#answer button') !== null")
    browser.find_element("css selector", "#answer button").click()
    for step in range(1, STEP + 1):
        until(browser, f"document.getElementById('where').textContent.startsWith('step {step} of')")
        until(browser, f"document.querySelector('#diagram .now')?.dataset.step === '{step}'")
        if step < STEP:
            browser.find_element("id", "next").click()
    browser.execute_script("document.activeElement.blur()")
    taken = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
    return base64.b64decode(taken["data"])


def main() -> None:
    """Take all pictures into the folder that is named."""
    folder = Path(sys.argv[1])
    with chromium() as browser, serving(IdempotentProducer(max_in_flight=6), "idem-producer") as served:
        for name, look in PICTURES.items():
            (folder / name).write_bytes(picture(browser, served.address, *look))


if __name__ == "__main__":
    main()
