"""Every page held against axe-core, at two widths, light and dark: `make test-axe`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from everystate.checker import api
from everystate.model import audit
from everystate.model.audit.finding_kinds import KINDS
from everystate.model.audit.report import Found, Report
from everystate.model.audit.table import SPECIAL
from everystate.specs.classics.die_hard import DieHard
from everystate.specs.idem_producer import IdempotentProducer
from tests.audit.test_picture import wrapped
from tests.counterexamples.browser import chromium, open_page

from .serving import serving

pytestmark = pytest.mark.xdist_group("explore")
DOCS = Path(__file__).parents[2] / "docs"
WAY = "0,0,0,0,0,0,0,2,2,2,2,2,2,3,0,2,1,0,2"
RUN = """
const done = arguments[0];
axe.run(document, { resultTypes: ["violations"] }).then((found) =>
  done(found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" ")}`)));
"""


@pytest.fixture(scope="module")
def axe() -> str:
    path = Path(os.environ.get("EVERYSTATE_NODE_MODULES", "")) / "axe-core" / "axe.min.js"
    if not path.is_file():
        pytest.skip("needs EVERYSTATE_NODE_MODULES set to a node_modules with axe-core: make test-axe")
    return path.read_text("utf-8")


@pytest.fixture(scope="module")
def browser(axe: str) -> Iterator[Any]:
    with chromium() as found:
        found.set_script_timeout(300)
        yield found


def audited(folder: Path) -> Path:
    """A page with every kind of finding, one of them in full."""
    found = wrapped()
    told = dict.fromkeys(("file", "scenarios", "path", "topic", "partition", "producer_id", "producer_epoch"))
    whole = Found({**told, **found.values, "kind": "missing-start"}, found.around)
    report = Report(("logs",), 1, 1, 1, dict.fromkeys(("batches", *SPECIAL), 3), dict.fromkeys(KINDS, 1), (whole,))
    page = folder / "audit.html"
    page.write_text(audit.page(report), "utf-8")
    return page


def reported(folder: Path) -> Path:
    trace = api.check(IdempotentProducer, max_in_flight=6).violations[0].trace
    assert trace is not None
    trace.save(folder / "report.html")
    return folder / "report.html"


def looks(browser: Any, axe: str, ready: Callable[[], object]) -> list[str]:
    """What axe finds on a page that `ready` opens, at two widths, light and dark."""
    found: list[str] = []
    for width, scheme in ((1400, "light"), (1400, "dark"), (420, "light"), (420, "dark")):
        screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        browser.get("about:blank")
        ready()
        browser.execute_script(axe)
        found += [f"{width} {scheme}: {one}" for one in browser.execute_async_script(RUN)]
    return found


def test_pages_that_are_files(browser: Any, axe: str, tmp_path: Path) -> None:
    report, whole, frontier = reported(tmp_path), audited(tmp_path), DOCS / "frontier.html"
    for path, fragment in ((report, ""), (report, "#step-0"), (whole, ""), (frontier, ""), (frontier, "#cell_1_3")):
        assert looks(browser, axe, partial(open_page, browser, path, fragment)) == [], f"{path.name}{fragment}"


@pytest.mark.parametrize("fragment", ["", f"#{WAY}"])
def test_explore(browser: Any, axe: str, fragment: str) -> None:
    def ready(served: Any) -> None:
        browser.get(served.address + fragment)
        end = time.monotonic() + 60
        while not browser.execute_script(
            "return document.body.dataset.ready === 'yes' && document.querySelectorAll('details:not([hidden])').length"
        ):
            assert time.monotonic() < end
        browser.execute_script("for (const each of document.querySelectorAll('details')) each.open = true")
        time.sleep(0.5)

    with serving(IdempotentProducer(max_in_flight=6), "idem-producer") as served:
        assert looks(browser, axe, partial(ready, served)) == []
    with serving(DieHard(), "die-hard") as served:
        assert looks(browser, axe, partial(ready, served)) == []
