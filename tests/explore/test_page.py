"""The page in a real browser: each of its features once, by the mouse or by the keyboard."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.targets import reloaded, resolve
from everystate.checker.explore.file_changes import files_of
from everystate.checker.explore.server import Served
from everystate.specs.classics.die_hard import DieHard
from everystate.specs.idem_producer import IdempotentProducer
from tests.counterexamples.browser import chromium, complaints, requests

from .serving import serving

pytestmark = pytest.mark.xdist_group("explore")
"""One browser for all of them."""
WAY = "0,0,0,0,0,0,0,2,2,2,2,2,2,3,0,2,1,0,2"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serving(IdempotentProducer(max_in_flight=6), "idem-producer") as found:
        yield found


def value(browser: Any, script: str) -> Any:
    return browser.execute_script(f"return {script}")


def until(browser: Any, script: str) -> None:
    """Wait until something is true on the page."""
    end = time.monotonic() + 60
    while not value(browser, script):
        assert time.monotonic() < end, f"{script} never came true: {complaints(browser)}"
        time.sleep(0.02)


def opened(browser: Any, served: Served, fragment: str = "") -> Any:
    browser.get("about:blank")
    complaints(browser)  # of the page before, whose server has perhaps ended
    browser.get(served.address + fragment)
    until(browser, "document.body.dataset.ready === 'yes'")
    return browser


def click(browser: Any, selector: str) -> None:
    browser.find_element("css selector", selector).click()


def press(browser: Any, keys: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(browser).send_keys(keys).perform()


def where(browser: Any, text: str) -> None:
    """Wait until one is at a place."""
    until(browser, f"document.getElementById('where').textContent === {text!r}")


def walk(browser: Any) -> str:
    """The walk in the address of the page."""
    return str(browser.current_url).partition("#")[2].partition("~")[0]


def texts(browser: Any, selector: str) -> list[str]:
    return [
        str(text) for text in value(browser, f"[...document.querySelectorAll({selector!r})].map(e => e.textContent)")
    ]


def test_from_the_first_look_to_the_violation(browser: Any, served: Served) -> None:
    """What somebody does who asks why the sixth batch in flight breaks idempotence."""
    opened(browser, served)
    assert texts(browser, "#enabled b") == ["send()"]
    assert texts(browser, "#enabled .said-line") == ["producer -> broker: append b0 (epoch 0, seq 0)"]
    press(browser, "1")
    where(browser, "step 1 of 1")
    assert texts(browser, "#story li") == ["producer -> broker: append b0 (epoch 0, seq 0)"]
    said = "1. send(). producer -> broker: append b0 (epoch 0, seq 0)"
    until(browser, f"document.getElementById('announced').textContent === {said!r}")
    click(browser, "#undo")
    where(browser, "step 0 of 0")
    press(browser, "v")
    until(browser, "document.getElementById('answer').className === 'found'")
    assert texts(browser, "#answer")[0].startswith(
        "The nearest violation is 18 steps away: NoDup (no batch is in the log"
    )
    where(browser, "step 0 of 18")
    click(browser, "#answer button")
    where(browser, "step 1 of 18")
    from selenium.webdriver.common.keys import Keys

    assert value(browser, "document.activeElement.id") == "next"
    press(browser, Keys.END)
    where(browser, "step 18 of 18")
    assert value(browser, "document.activeElement.id") == "slider", "the button that is disabled now lets the focus go"
    violated = "\u2717 NoDup is violated here: record b0 is in the log at offsets 0 and 6."
    assert f"{violated} Expected: no batch is in the log twice." in texts(browser, "#verdict")[0]
    assert texts(browser, "tr.failed th") == ["NoDup", "InOrder"]
    until(browser, "document.querySelector('#diagram .step.now .number')?.textContent === '18'")
    assert "record b0 is in the log at offsets 0 and 6" in texts(browser, "#diagram svg")[0]
    press(browser, Keys.ARROW_LEFT * 3)
    where(browser, "step 15 of 18")
    browser.execute_script("document.activeElement.blur()")
    assert texts(browser, "#story li")[0] == "broker: b0 has sequence 0, the broker knows 1 to 5: out of order"
    assert texts(browser, "#enabled .tag") == ["next in trace"]
    assert walk(browser) == "0,0,0,0,0,0,0,2,2,2,2,2,2,3,0,2/1,0,2"
    press(browser, Keys.ARROW_RIGHT)
    where(browser, "step 16 of 18")
    browser.back()
    where(browser, "step 15 of 18")
    assert complaints(browser) == []
    assert {re.match(r"http://127\.0\.0\.1:\d+/", url) is not None for url in requests(browser)} == {True}


def test_all_violated_properties_are_linked_at_the_top(browser: Any, served: Served) -> None:
    opened(browser, served)
    until(browser, "document.getElementById('checked').className === 'VIOLATED'")
    assert texts(browser, "#checked")[0].startswith("VIOLATED in 3,031 states")
    assert texts(browser, "#violated button") == ["NoDup", "InOrder"]
    assert texts(browser, "#violated .faint") == ["18 steps", "18 steps"]
    click(browser, "#violated li:nth-child(2) button")
    where(browser, "step 1 of 18")
    assert complaints(browser) == []


def test_an_address_that_was_kept_opens_the_walk_again(browser: Any, served: Served) -> None:
    opened(browser, served, "#0,0,0/2,3")
    assert texts(browser, "#where") == ["step 2 of 4"]
    press(browser, "2")
    where(browser, "step 3 of 4")
    assert texts(browser, "#again")[0].endswith("--path 0,0,0,2")
    opened(browser, served, "#0,0,4,0")
    assert texts(browser, "#problem") == ["The trace cannot be followed to its end: step 2 of 3 cannot be taken there."]
    opened(browser, served, "#%E0%A4")
    assert texts(browser, "#problem") == [
        "The trace cannot be followed to its end: this is not the address of a trace."
    ]
    opened(browser, served, "#0,0,0")
    where(browser, "step 2 of 2")
    kept = browser.current_url.partition("#")[2]
    opened(browser, served, f"#{kept}")
    assert value(browser, "document.getElementById('problem').hidden")
    opened(browser, served, f"#{kept[:-1]}")
    assert texts(browser, "#problem")[0].startswith("This address is of another version of the spec")


def test_what_cannot_happen_and_what_would_break(browser: Any, served: Served) -> None:
    opened(browser, served, "#" + WAY.rpartition(",")[0])
    until(browser, "document.querySelector('#enabled .breaks') !== null")
    assert texts(browser, "#enabled .breaks b + .tag") == ["\u2717 violates NoDup, InOrder"]
    click(browser, "#stopped summary")
    found = texts(browser, "#blocked li")
    assert any("require(self.losses < self.resets)" in text and "here: 1 < 1" in text for text in found)
    assert re.search(r"idem_producer\.py:\d+", found[0])


def test_the_keyboard_stays_where_the_steps_are(browser: Any, served: Served) -> None:
    """A list that is drawn anew keeps the focus: on the same action, else on the first."""
    from selenium.webdriver.common.keys import Keys

    here = "document.activeElement.querySelector('b')?.textContent"
    opened(browser, served, "#0,0,0,0,0")
    browser.execute_script("document.querySelector('#enabled button').focus()")
    press(browser, Keys.ENTER)
    where(browser, "step 5 of 5")
    assert value(browser, here) == "send()"
    press(browser, Keys.ENTER)
    where(browser, "step 6 of 6")
    assert value(browser, here) == "broker()", "send() cannot happen any more, so the first one it is"
    described = "document.getElementById(document.activeElement.getAttribute('aria-describedby')).innerText"
    assert value(browser, described).splitlines()[0] == "broker: b0 goes into the log at offset 0"
    browser.execute_script("document.querySelector('#told').open = true")
    until(browser, "document.getElementById('text').textContent.includes('6. send()')")


def test_the_keys_are_those_of_the_page_again_after_a_condition(browser: Any, served: Served) -> None:
    from selenium.webdriver.common.keys import Keys

    opened(browser, served)
    field = "document.activeElement.id === 'condition'"
    press(browser, "/")
    until(browser, field)
    press(browser, f"self.losses == 1{Keys.ESCAPE}1")
    where(browser, "step 1 of 1")
    assert value(browser, "document.getElementById('condition').value") == "self.losses == 1"
    press(browser, "/")
    until(browser, field)
    press(browser, Keys.ENTER)
    until(browser, "document.getElementById('answer').className === 'found'")
    assert not value(browser, field)


def test_branches_lie_in_one_another(browser: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    with serving(DieHard(), "die-hard") as served:
        for way in ("#0,0,2", "#0,0,1,0", "#0,1"):
            opened(browser, served, way)
            until(browser, f"document.querySelector('#branches button[data-key=\"{way[1:]}\"].here') !== null")
        levels = "[...document.querySelectorAll('#branches li')].map(e => e.querySelectorAll('li').length)"
        assert value(browser, levels) == [4, 2, 0, 0, 0]
        names = "[...document.querySelectorAll('#branches button:not(.quiet)')].map(e => e.firstChild.textContent)"
        assert value(browser, names) == [
            "initial state 0",
            "fill_small() \u2026 1 step, to step 1",
            "empty_small() \u2026 1 step, to step 2",
            "fill_big() \u2026 2 steps, to step 3",
            "fill_big() \u2026 1 step, to step 1",
        ]
        assert texts(browser, "#branches .here .tag") == ["current"] * 2
        browser.execute_script("document.querySelector('#branches [data-key=\"0,0,2\"]').focus()")
        press(browser, Keys.ENTER)
        where(browser, "step 2 of 2")
        until(browser, "document.activeElement.classList.contains('here')")
        assert value(browser, "document.activeElement.dataset.key") == "0,0,2"


def test_conditions_and_their_mistakes(browser: Any, served: Served) -> None:
    from selenium.webdriver.common.keys import Keys

    opened(browser, served)
    click(browser, "#until")
    until(browser, "!document.getElementById('problem').hidden")
    assert texts(browser, "#problem") == ["Write a condition first: random steps are taken until it holds."]
    press(browser, "len(log) == 2 and losses == 1" + Keys.ENTER)
    until(browser, "document.getElementById('answer').className === 'found'")
    assert texts(browser, "#answer")[0].startswith("Reached after 5 steps, by a shortest trace from here.")
    assert value(browser, "document.getElementById('problem').hidden"), "another question was asked"
    field = browser.find_element("id", "condition")
    field.clear()
    field.send_keys("epoch == 1 and len(log) == 0")
    click(browser, "#find")
    until(browser, "document.getElementById('answer').className === 'settled'")
    assert texts(browser, "#answer")[0].startswith("Not reachable from here: it holds in none of the 3,031 states")
    field.clear()
    field.send_keys("losses == 1")
    click(browser, "#until")
    until(browser, "document.getElementById('answer').textContent.includes('the condition holds')")
    field.clear()
    field.send_keys("epochs == 1")
    click(browser, "#find")
    until(browser, "document.getElementById('answer').className === 'wrong'")
    assert "there is no 'epochs'; did you mean 'epoch'?" in texts(browser, "#answer")[0]


def test_random_steps_branches_and_files(browser: Any, served: Served) -> None:
    opened(browser, served)
    press(browser, "r")
    until(browser, "document.getElementById('answer').textContent.includes('with seed 0')")
    assert value(browser, "document.getElementById('seed').value") == "1"
    until(browser, "document.querySelectorAll('#branches button.here').length > 0")
    walked = walk(browser)
    press(browser, "u")
    where(browser, "step 19 of 19")
    assert walk(browser) == walked.rpartition(",")[0]
    value(browser, "document.querySelector('#branches li:last-child .quiet').click()")
    until(browser, "['found', 'settled'].includes(document.getElementById('answer').className)")
    names = value(
        browser, "(window.saved = [], HTMLAnchorElement.prototype.click = function () { saved.push(this.download) })"
    )
    assert names is not None
    for form in ("itf", "svg", "html", "pytest", "text"):
        click(browser, f"[data-form={form}]")
        until(browser, f"saved.length === {1 + ('itf', 'svg', 'html', 'pytest', 'text').index(form)}")
    assert [name[name.index(".") :] for name in value(browser, "saved")] == [
        ".itf.json",
        ".svg",
        ".html",
        ".py",
        ".txt",
    ]


def test_a_small_graph_is_drawn_and_leads_to_its_states(browser: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    with serving(DieHard(), "die-hard") as served:
        opened(browser, served)
        click(browser, "#picture summary")
        until(browser, "document.querySelectorAll('#graph .spot').length === 16")
        bad = "#graph .spot.bad"
        assert texts(browser, f"{bad} text") == ["\u2717", "\u2717"]
        assert texts(browser, "#graph .label.bad text") == ["small = 3", "big = 4", "small = 0", "big = 4"]
        assert "violates goal_not_reached" in value(
            browser, f"document.querySelector('{bad}').getAttribute('aria-label')"
        )
        before = value(browser, "document.querySelector('#graph svg').getAttribute('viewBox')")
        click(browser, "#closer")
        assert value(browser, "document.querySelector('#graph svg').getAttribute('viewBox')") != before
        value(browser, f"document.querySelector('{bad}').dispatchEvent(new KeyboardEvent('keydown', {{key: 'Enter'}}))")
        where(browser, "step 6 of 6")
        assert "goal_not_reached is violated here" in texts(browser, "#verdict")[0]
        assert value(browser, "document.querySelector('#graph .here text')?.textContent") == "\u2717"
        stops = "[...document.querySelectorAll('#graph [tabindex=\"0\"]')].map(e => e.getAttribute('aria-current'))"
        assert value(browser, stops) == ["true"], "one stop of the keyboard for all states"
        browser.execute_script("document.querySelector('#graph .here').focus()")
        press(browser, Keys.ARROW_UP + Keys.ENTER)
        where(browser, "step 5 of 6")
        assert complaints(browser) == []


SPEC = """
from everystate.checker import Int, Spec, action, require

class Counter(Spec):
    may_terminate = True
    def variables(self) -> None:
        self.n = Int(0, 9)
    @action
    def up(self) -> None:
        require(self.n < 9)
        self.n += 1
"""


def test_a_saved_file_is_loaded_again(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "counter_of_page.py"
    path.write_text(SPEC)
    spec = resolve(str(path)).spec()
    files = files_of(spec)
    with serving(spec, "counter", lambda: reloaded(str(path), files).spec()) as served:
        opened(browser, served, "#0,0,0,0")
        assert texts(browser, "#subtitle") == [""], "the spec says nothing of itself"
        assert texts(browser, "#about-conditions") == ["A condition is a Python expression over n."]
        path.write_text(SPEC.replace("self.n < 9", "self.n < "))
        until(browser, "document.getElementById('problem').textContent.startsWith('error E103')")
        path.write_text(SPEC.replace("self.n < 9", "self.n < 2"))
        where(browser, "step 2 of 2")
        until(browser, "document.getElementById('problem').textContent.includes('up(), cannot be taken any more')")
        assert texts(browser, "#blocked code") == ["require(self.n < 2)"]
    until(browser, "document.getElementById('problem').textContent.startsWith('The server does not answer')")
    with serving(DieHard(), "other", port=served.port):
        until(browser, "document.getElementById('problem').textContent.startsWith('Another `everystate explore`')")


def test_a_phone_keeps_the_story_where_it_is(browser: Any, served: Served) -> None:
    """It comes into sight when one begins to step through it, and stays though what is above it changes its height."""
    screen = {"width": 420, "height": 900, "deviceScaleFactor": 1, "mobile": True}
    top = "Math.round(document.getElementById('diagram-around').getBoundingClientRect().top)"
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    try:
        opened(browser, served)
        press(browser, "v")
        until(browser, "document.querySelector('#answer button') !== null")
        click(browser, "#answer button")
        for step in range(1, 16):
            until(browser, f"document.querySelector('#diagram .now')?.dataset.step === '{step}'")
            assert 80 <= value(browser, top) <= 100, step
            click(browser, "#next")
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("width", [420, pytest.param(1400, marks=pytest.mark.thorough)])
def test_nothing_is_wider_than_the_window_and_all_has_a_name(browser: Any, served: Served, width: int) -> None:
    screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    try:
        opened(browser, served, f"#{WAY}")
        assert value(browser, "document.documentElement.scrollWidth") <= width
        until(browser, "!document.getElementById('verdict').hidden")
        assert texts(browser, "#wrong-here") == ["\u2717 violates NoDup, InOrder"]
        assert value(browser, "document.getElementById('wrong-here').getBoundingClientRect().bottom") < 900
        until(browser, "document.querySelector('#diagram .step.now') !== null")
        sides = "[document.querySelector('#diagram .culprit'), document.getElementById('diagram')]"
        culprit, place = value(browser, f"{sides}.map(e => (r => [r.left, r.right])(e.getBoundingClientRect()))")
        assert place[0] <= culprit[0] and culprit[1] <= place[1], "the culprit is in sight"
        nameless = "[...document.querySelectorAll('button, input, svg')].filter(e => !e.textContent.trim() && " + (
            "!e.getAttribute('aria-label') && !(e.labels && e.labels.length)).map(e => e.outerHTML)"
        )
        assert value(browser, nameless) == []
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
