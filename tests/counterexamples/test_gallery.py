"""The gallery that is checked in is what its command writes, byte for byte."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from everystate.checker.language import Spec
from everystate.checker.language.concrete import successors
from everystate.checker.results.itf import dump, parse
from everystate.checker.results.trace import Trace
from everystate.counterexamples import follow, gallery, path_of
from everystate.counterexamples.gallery.pages import exhibit, failing, files, folder_of, index, stored
from tests.selection import quick

FOLDER = Path(gallery.__file__ or "").parent
SAMPLE = ("idem-producer/unsafe", "die-hard", "tcommit", "window/3-in-flight-2-remembered")
ALL = {scenario.name: scenario for scenario in failing()}


def texts(name: str) -> list[str]:
    return [path.read_text("utf-8") for path in sorted((FOLDER / folder_of(ALL[name])).glob("*.itf.json"))]


@pytest.mark.parametrize("name", SAMPLE)
def test_a_sample_is_reproduced_byte_for_byte(name: str) -> None:
    shown = exhibit(ALL[name])
    place = FOLDER / shown.folder
    written = dict(files(shown))
    assert set(written) == {path.name for path in place.iterdir()}
    for file, text in written.items():
        assert (place / file).read_text("utf-8") == text, f"{file}: run python -m everystate.counterexamples.gallery"


def test_above_the_window_comes_first() -> None:
    assert next(iter(ALL)) == "idem-producer/unsafe"
    first = re.search(r"href=\"(\S+)/README\.md\"", (FOLDER / "README.md").read_text("utf-8"))
    assert first and first[1] == "idem-producer-unsafe"


@pytest.mark.thorough
def test_the_index_is_what_the_stored_traces_give() -> None:
    shown = [stored(scenario, texts(name)) for name, scenario in ALL.items()]
    assert index([one for one in shown if one.traces]) == (FOLDER / "README.md").read_text("utf-8")


def round_again(spec: Spec, trace: Trace) -> bool:
    """Whether the end of a behaviour leads back to where its cycle begins, or nowhere at all."""
    steps = successors(spec, trace.states[-1])
    if not trace.closing:
        return trace.loop == len(trace.states) - 1
    return any((step.label, step.state) == (trace.closing, trace.states[trace.loop or 0]) for step in steps)


@pytest.mark.parametrize("name", quick(list(ALL)[::10], ALL))
def test_every_scenario_that_must_fail_is_shown_and_replays_to_its_violation(name: str) -> None:
    shown = stored(ALL[name], texts(name))
    assert shown.traces, "run python -m everystate.counterexamples.gallery"
    for trace, text in zip(shown.traces, [dump(t) for t in shown.traces], strict=True):
        result = follow(shown.spec, path_of(shown.spec, trace), name)
        if trace.loop is None:
            assert trace.shows in {violation.property for violation in result.violations}
        else:
            assert round_again(shown.spec, trace)
        assert dump(parse(text, name).trace(shown.spec)) == text


def test_the_index_names_every_group_and_every_exhibit_once() -> None:
    text = (FOLDER / "README.md").read_text("utf-8")
    listed = re.findall(r"^- \[(.+)\]\(#(.+)\): (\d+) scenarios?$", text, re.MULTILINE)
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert [title for title, *_ in listed] == headings
    assert [anchor for _, anchor, _ in listed] == [title.lower().replace(" ", "-") for title in headings]
    sections = text.split("\n## ")[1:]
    assert [int(number) for *_, number in listed] == [section.count("<td ") for section in sections]
    assert re.findall(r"<td [^>]+><a href=\"(.+)/README.md", text) == sorted(
        (folder_of(scenario) for scenario in ALL.values()), key=text.index
    )
    assert sum(section.count("<td ") for section in sections) == len(ALL)
    assert re.search(r"<code>.*/.*</code>", sections[-1]) is None  # only what has no family is a classic


def test_every_picture_and_link_of_the_pages_exists() -> None:
    for page in FOLDER.rglob("README.md"):
        for link in re.findall(r"(?:\]\(|src=\"|href=\")([^)\"#]+)", page.read_text("utf-8")):
            assert (page.parent / link).exists(), f"{page}: {link}"
