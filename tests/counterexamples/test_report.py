"""The HTML report, as text and in a real browser."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.engines.replay import make_trace
from everystate.checker.results.itf import dump_plain, parse
from everystate.checker.results.plain import trees_of
from everystate.counterexamples import report
from everystate.counterexamples.source import highlighted
from everystate.specs.classics.token_ring import TokenRing

from .browser import chromium, complaints, open_page, requests
from .sample_traces import three_brokers, trace, traces

NAME = "idem-producer/unsafe"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture
def page(browser: Any, tmp_path: Path) -> Path:
    spec, found = traces(NAME)
    path = tmp_path / "report.html"
    path.write_text(report(found[0], spec), "utf-8")
    return path


def value(browser: Any, script: str) -> Any:
    return browser.execute_script(f"return {script}")


def press(browser: Any, key: str) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    browser.find_element(By.TAG_NAME, "body").send_keys(getattr(Keys, key))


def where(browser: Any) -> str:
    return str(value(browser, "document.getElementById('where').textContent"))


def test_the_page_refers_to_nothing_outside() -> None:
    spec, found = traces(NAME)
    text = report(found[0], spec).replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?://|@import|url\(|<link(?! rel=\"icon\" href=\"data:,\")", text)


def test_the_page_is_the_same_each_time_and_names_no_folder() -> None:
    spec, found = traces(NAME)
    assert report(found[0], spec) == report(found[0], spec)
    assert "specs/idem_producer.py:" in report(found[0], spec)
    assert str(Path(__file__).parents[2]) not in report(found[0], spec)


def test_a_lasso_ends_with_the_step_that_leads_back() -> None:
    spec = TokenRing(nodes=3, values=2)
    cells = [spec.initial_states()[0].cells, (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1), (0, 0, 1)]
    lasso = {"shows": "one", "kind": "temporal property", "loop": 0, "closing": "other_moves(i=2)"}
    text = report(make_trace(spec, "ring", cells, **lasso), spec)
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])  # type: ignore[index]
    last = data["steps"][-1]
    assert (len(data["steps"]), last["label"], last["action"]) == (7, "other_moves(i=2)", "other_moves")
    assert last["story"] == ["leads back to state 0, and so on for ever"]
    assert last["changes"] == ["counter[2]: 1 -> 0"]
    assert "other_moves(i=2), back to state 0" in text


def test_text_cannot_leave_its_element() -> None:
    found = three_brokers(2)
    evil = "</script><script>alert(1)</script>"
    plain = type(found)(evil, {"x": evil}, {"n": evil}, found.steps, shows="p", explanation=evil)
    assert evil not in report(plain)


def test_it_opens_without_a_complaint_or_a_request(browser: Any, page: Path) -> None:
    complaints(browser), requests(browser)
    open_page(browser, page)
    press(browser, "ARROW_LEFT")
    assert (complaints(browser), requests(browser)) == ([], [])


def test_keys_move_through_the_steps(browser: Any, page: Path) -> None:
    open_page(browser, page)
    assert where(browser) == "step 18 of 18"
    for key, expected in [("HOME", 0), ("ARROW_RIGHT", 1), ("ARROW_RIGHT", 2), ("ARROW_LEFT", 1), ("END", 18)]:
        press(browser, key)
        assert where(browser) == f"step {expected} of 18"
        assert value(browser, "location.hash") == f"#step-{expected}"


def test_the_slider_and_the_buttons_move(browser: Any, page: Path) -> None:
    open_page(browser, page)
    slider = "const s = document.getElementById('slider'); s.value = 7; s.dispatchEvent(new Event('input'))"
    browser.execute_script(slider)
    assert where(browser) == "step 7 of 18"
    for button, expected in [("next", 8), ("previous", 7), ("first", 0), ("last", 18)]:
        browser.execute_script(f"document.getElementById('{button}').click()")
        assert where(browser) == f"step {expected} of 18"


def test_the_slider_moves_once_for_a_key_while_it_has_the_focus(browser: Any, page: Path) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    open_page(browser, page, "#step-5")
    browser.find_element(By.ID, "slider").send_keys(Keys.ARROW_RIGHT)
    assert where(browser) == "step 6 of 18"


def test_a_link_opens_its_step(browser: Any, page: Path) -> None:
    open_page(browser, page, "#step-13")
    assert where(browser) == "step 13 of 18"
    assert value(browser, "document.querySelector('.step.now').dataset.step") == "13"
    browser.execute_script("location.hash = '#step-3'")
    until = time.monotonic() + 60
    while where(browser) != "step 3 of 18":
        assert time.monotonic() < until, where(browser)
        time.sleep(0.02)


def test_the_tables_match_the_trace_at_each_step(browser: Any, page: Path) -> None:
    open_page(browser, page)
    log = "[...document.querySelectorAll('[data-variable=log] li span')].map(c => c.textContent)"
    status = "[...document.querySelectorAll('[data-variable=status] li span')].map(c => c.textContent)"
    epoch = "document.querySelector('[data-variable=epoch] td').textContent"
    requests_ = "[...document.querySelectorAll('[data-variable=requests] th + td, [data-variable=requests] td + td')]"
    requests_ += ".map(c => c.textContent)"
    for step, state in enumerate(trace(NAME).states):
        browser.execute_script(f"go({step})")
        tree = trees_of(state)
        assert value(browser, log) == [str(item) for item in tree["log"]]
        assert value(browser, status) == tree["status"]
        assert value(browser, epoch) == str(tree["epoch"])
        cells = [str(part) for request in tree["requests"] for part in request.items.values()]
        assert value(browser, requests_) == cells


KAFKA = "current/clean-restart"


@pytest.fixture
def kafka(browser: Any, tmp_path: Path) -> Path:
    spec, found = traces(KAFKA)
    path = tmp_path / "kafka.html"
    path.write_text(report(found[0], spec), "utf-8")
    return path


def cells(table: str) -> str:
    """The script for the rows of a table of the spec, as lists of texts."""
    rows = f"[...document.querySelectorAll('[data-table=\"{table}\"] tr')].slice(1)"
    return f"{rows}.map(r => [...r.cells].map(c => c.textContent))"


def test_kafka_draws_what_a_broker_remembers_after_a_clean_restart() -> None:
    spec, found = traces(KAFKA)
    before, after = (spec._shown(found[0].states[step])["broker 0"] for step in (4, 5))
    assert before["log"] == after["log"]
    assert [row["record"] for row in after["log"]] == ["before", "b0", "b1"]
    assert [(row["offset"], row["seq"]) for row in before["remembers"]] == [(0, 0), (1, 1), (2, 2)]
    assert after["remembers"] == [{"offset": 2, "pid": 0, "epoch": 0, "seq": 2}]


def test_the_tables_of_the_spec_match_the_trace_at_each_step(browser: Any, kafka: Path) -> None:
    spec, found = traces(KAFKA)
    complaints(browser)
    open_page(browser, kafka)
    for step, state in enumerate(found[0].states):
        browser.execute_script(f"go({step})")
        for group, tables in spec._shown(state).items():
            for title, rows in tables.items():
                expected = [[str(value) for value in row.values()] for row in rows]
                assert value(browser, cells(f"{group}/{title}")) == expected, (step, group, title)
    assert complaints(browser) == []


def test_the_broker_forgets_and_the_page_shows_it(browser: Any, kafka: Path) -> None:
    open_page(browser, kafka, "#step-4")
    assert value(browser, cells("broker 0/log")) == [
        ["0", "before", "0", "0", "0"],
        ["1", "b0", "0", "0", "1"],
        ["2", "b1", "0", "0", "2"],
    ]
    assert [row[0] for row in value(browser, cells("broker 0/remembers"))] == ["0", "1", "2"]
    press(browser, "ARROW_RIGHT")
    assert value(browser, cells("broker 0/remembers")) == [["2", "0", "0", "2"]]
    gone = "document.querySelector('[data-table=\"broker 0/remembers\"] .gone').textContent"
    assert value(browser, gone).strip() == "2 gone"


def test_a_spec_without_tables_shows_its_variables(browser: Any, page: Path, kafka: Path) -> None:
    opened = "[document.getElementById('raw').open, document.querySelectorAll('[data-table]').length > 0]"
    open_page(browser, page)
    assert value(browser, opened) == [True, False]
    open_page(browser, kafka)
    assert value(browser, opened) == [False, True]


def test_what_changed_is_highlighted(browser: Any, page: Path) -> None:
    open_page(browser, page, "#step-18")
    fresh = "[...document.querySelectorAll('[data-variable=log] li span')].map(c => c.classList.contains('new'))"
    assert value(browser, fresh) == [False] * 6 + [True]


def test_the_step_that_breaks_the_property_is_marked(browser: Any, page: Path) -> None:
    open_page(browser, page, "#step-17")
    truth = "[...document.querySelectorAll('#properties tr')].map(r => r.className)"
    assert value(browser, truth) == ["", "", ""]
    press(browser, "ARROW_RIGHT")
    assert value(browser, truth) == ["failed", "failed", ""]
    assert value(browser, "document.querySelector('h1').textContent") == "idem-producer/unsafe"
    words = value(browser, "[...document.querySelectorAll('.broken p')].map(p => p.textContent)")
    assert words == [
        "Invariant NoDup violated: record b0 is in the log at offsets 0 and 6",
        "expected: no batch is in the log twice",
    ]


def test_the_source_of_the_action_is_shown(browser: Any, page: Path) -> None:
    open_page(browser, page, "#step-18")
    text = value(browser, "document.getElementById('source').textContent")
    assert "def broker(self)" in text and "self.append(batch, sequence)" in text


def test_every_control_has_a_name_and_a_place_in_the_order_of_focus(browser: Any, page: Path) -> None:
    open_page(browser, page, "#step-5")
    names = value(browser, "[...document.querySelectorAll('button, input')].map(e => e.getAttribute('aria-label'))")
    assert all(names) and len(set(names)) == len(names)
    assert value(browser, "document.documentElement.lang") == "en"


@pytest.mark.parametrize("name", ["window/3-in-flight-2-remembered", "hanoi"])
def test_other_specs_step_through_without_a_complaint(browser: Any, tmp_path: Path, name: str) -> None:
    spec, found = traces(name)
    path = tmp_path / "report.html"
    path.write_text(report(found[0], spec), "utf-8")
    complaints(browser)
    open_page(browser, path)
    for step in range(found[0].length + 1):
        browser.execute_script(f"go({step})")
    assert complaints(browser) == []


def test_a_story_without_its_spec_opens_too(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(report(parse(dump_plain(three_brokers(9)), "x").plain()), "utf-8")
    complaints(browser)
    open_page(browser, path)
    assert where(browser) == "step 9 of 9" and complaints(browser) == []


def test_five_hundred_steps_open_with_one_step_drawn(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(report(three_brokers(500)), "utf-8")
    open_page(browser, path, "#step-250")
    assert where(browser) == "step 250 of 500"
    assert value(browser, "document.querySelectorAll('#state td').length") == 1


def test_a_phone_does_not_scroll_sideways(browser: Any, page: Path) -> None:
    metrics = {"width": 390, "height": 800, "deviceScaleFactor": 2, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        open_page(browser, page)
        assert value(browser, "document.documentElement.scrollWidth") <= 390
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_string_with_fields_is_one_piece_on_every_python() -> None:
    """newer ones read its fields as tokens of their own"""
    inner = 'f"b{x + (1 if x else 2)} {y}"'
    assert highlighted(f"say({inner}, 3)\nf'''{{x}}\n{{y}}'''") == [
        [("say(", ""), (inner, "string"), (", ", ""), ("3", "number"), (")", "")],
        [("f'''{x}", "string")],
        [("{y}'''", "string")],
    ]
