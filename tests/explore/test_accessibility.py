"""Every page held against axe-core, at two widths, light and dark: `make test-axe`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from everystate import check
from everystate.counterexamples import report
from everystate.counterexamples.evidence import Cell, Column, ComparedValue, Evidence
from everystate.counterexamples.sections import Section
from everystate.model import KafkaProducer, audit
from everystate.model.audit.finding_kinds import KINDS
from everystate.model.audit.report import Found as Audited
from everystate.model.audit.report import Report
from everystate.model.audit.table import SPECIAL
from everystate.model.conformance.compare import Difference, ObservedStep
from everystate.model.conformance.page import page as conform_page
from everystate.model.conformance.report import FoundDifference
from everystate.model.conformance.report import Report as ConformReport
from everystate.specs.classics.die_hard import DieHard
from everystate.specs.idem_producer import IdempotentProducer
from tests.audit.test_picture import wrapped
from tests.counterexamples.browser import chromium, open_page

from .serving import serving

pytestmark = pytest.mark.xdist_group("explore")
DOCS = Path(__file__).parents[2] / "docs"
LOOKS = {"model": "wrong", "cluster": "wrong", "audit": "good"}
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
    whole = Audited({**told, **found.values, "kind": "missing-start"}, found.around)
    report = Report(("logs",), 1, 1, 1, dict.fromkeys(("batches", *SPECIAL), 3), dict.fromkeys(KINDS, 1), (whole,))
    page = folder / "audit.html"
    page.write_text(audit.page(report), "utf-8")
    return page


def files(folder: Path) -> list[Path]:
    """Pages of each kind that is a file, and what a notebook shows of a verdict."""
    checked = check(IdempotentProducer(max_in_flight=6))
    trace, shown = checked.violations[0].trace, checked._repr_html_()
    assert trace is not None
    made = {
        "report": trace.html(),
        "explained": report(trace, trace.spec, why=[Section("Required", (("resets", "= 1"),), ("safe: window=6",))]),
        "replayed": report(trace, trace.spec, evidence=replayed(trace.length)),
        "conform": conform_page([differing(), ConformReport("4.2.0", targets=["environments/wrap"], steps=3)]),
        "notebook": f"<!doctype html><html lang=en><title>notebook</title><main><h1>verdict</h1>{shown}</main></html>",
    }
    for name, text in made.items():
        (folder / f"{name}.html").write_text(text, "utf-8")
    return [folder / f"{name}.html" for name in made]


def replayed(steps: int) -> Evidence:
    """What a cluster and an audit say of a trace."""
    log = (("partition 0", (Cell(0, "b0", "twice"), Cell(1, "b1"), Cell(2, "b0", "twice"), Cell(3, "b2", "other"))),)
    columns = tuple(Column(title, ("NoDup is broken",), log, look=look) for title, look in LOOKS.items())
    rows = (ComparedValue("log", "b0", "b0, b1", True), ComparedValue("epoch", "1", "1", False))
    return Evidence("Reproduced on Kafka 4.3.1", columns, ("model", "cluster"), (rows,) * (steps + 1))


def differing() -> ConformReport:
    """A difference of some steps that is known, and one in which Kafka could not do a step."""
    said = ({"text": "append b0", "at": None, "source": "producer", "target": "broker", "lost": False},)
    seen = [
        ObservedStep(f"send(batch={at})", said, {"log": at, "epoch": 0}, {"log": at, "epoch": 0}) for at in range(3)
    ]
    values = FoundDifference(
        "environments/wrap", "walk 3", ["a", "b"], seen, Difference({"log": (2, 7)}), 5, known="told in a note"
    )
    error = replace(values, difference=Difference({}, "the client is closed"), times=4, known="")
    return ConformReport("4.3.1", targets=["environments/wrap"], steps=9, found=[values, error])


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
    frontier = DOCS / "pictures" / "frontier.html"
    pages = [(path, "") for path in (*files(tmp_path), audited(tmp_path), frontier)]
    for path, fragment in (*pages, (tmp_path / "report.html", "#step-0"), (frontier, "#cell_1_3")):
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

    for spec in (IdempotentProducer(max_in_flight=6), DieHard(), KafkaProducer(batches=2, warm=0)):
        with serving(spec, type(spec).__name__) as served:
            assert looks(browser, axe, partial(ready, served)) == []
