"""docs/explanation/kip-1269.md says what scenarios, baseline and search say; some cells are searched again.

With EVERYSTATE_SLOW=1 all cells of the table of two readings are.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from bench.kip_1269 import CHANGES, CHOICES, SITUATIONS, Answer, Checked, sets
from everystate.model.generation import GENERATIONS, KIP_1269
from everystate.specs.kafka import SCENARIOS

from .test_liveness import REFUSED_FOR_EVER, STOPPED

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "explanation" / "kip-1269.md").read_text("utf-8")
OPEN = re.compile(r"^\| [^|]*\| [^|]+ \| `([^`]+)` \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
REFUTED = re.compile(r"^\| [^|]*\| ([\w-]+) \| ([\w-]+) \| (NoDuplicate|stalls), (\d+) steps \|$", re.MULTILINE)
TWO_READINGS = {
    "restart": ("NoDuplicate 11", "the same", "stalls 3"),
    "old-and-new-leader": ("stalls 14", "NoDuplicate 16, stalls 13", "stalls 3"),
    "lowered": ("NoDuplicate 17", "the same", "stalls 3"),
    "narrower-leader": ("NoDuplicate 17, stalls 15", "the same", "stalls 3"),
    "narrower-cleanly": ("NoDuplicate 18, stalls 14", "NoDuplicate 16, stalls 13", "stalls 3"),
    "raised-on-one": ("NoDuplicate 18, stalls 17", "the same", "stalls 5"),
    "within-the-default": ("NoDuplicate 16", "the same", "the same"),
    "leader-moves": ("stalls 17", "the same", "stalls 8"),
    "leader-crashes": ("stalls 19", "the same", "stalls 4"),
    "wider-leader": ("stalls 18", "the same", "stalls 3"),
    "lowered-on-one": ("stalls 15", "the same", "stalls 8"),
    "moves-and-back": ("stalls 14", "NoDuplicate 16, stalls 14", "stalls 8"),
    "lowered-and-back": ("NoDuplicate 21, stalls 15", "NoDuplicate 16, stalls 15", "stalls 8"),
    "lost-connections": ("proved", "the same", "stalls 3"),
    "refused": ("proved", "the same", "stalls 3"),
    "raised": ("proved", "the same", "stalls 3"),
    "old-brokers": ("proved", "the same", "stalls 3"),
    "two-topics": ("proved", "the same", "stalls 12"),
}
"""What fails in each situation as proposed, with `wire` and with `retries-held`; the page sums it up."""
DISTANCE = {
    "restart": "NoDuplicate 11",
    "old-and-new-leader": "proved",
    "lowered": "NoDuplicate 17",
    "narrower-leader": "NoDuplicate 17",
    "narrower-cleanly": "NoDuplicate 18, stalls 17",
    "raised-on-one": "NoDuplicate 18",
    "within-the-default": "NoDuplicate 16",
    "leader-moves": "proved",
    "leader-crashes": "proved",
    "wider-leader": "proved",
    "lowered-on-one": "stalls 15",
    "moves-and-back": "stalls 17",
    "lowered-and-back": "NoDuplicate 21, stalls 15",
    "lost-connections": "proved",
    "refused": "proved",
    "raised": "proved",
    "old-brokers": "proved",
    "two-topics": "proved",
}
"""What fails with `distance` alone."""
SMALLEST = ({"older", "first"}, {"keep", "snapshot", "distance", "first"})


def test_each_reading_has_the_verdict_of_its_scenario() -> None:
    expected, stalls = {s.name: s.expected for s in SCENARIOS}, {**REFUSED_FOR_EVER, **STOPPED}
    rows = OPEN.findall(PAGE)
    assert len(rows) == 16
    for name, safety, delivery in rows:
        told = ", ".join(f"{prop}, {steps} steps" for prop, steps in expected[name].items()) or "proved"
        assert safety == told, name
        if expected[name]:
            assert delivery == "-", name
        else:
            assert delivery == (f"stalls, {stalls[name]} steps" if name in stalls else "kept"), name


def test_every_scenario_that_is_cited_exists() -> None:
    families = {name.partition("/")[0] for name in (s.name for s in SCENARIOS)}
    cited = {name for name in re.findall(r"`([a-z0-9.-]+/[a-z0-9-]+)`", PAGE) if name.partition("/")[0] in families}
    assert len(cited) > 16
    assert cited - {s.name for s in SCENARIOS} == set()


def test_every_change_and_every_reading_of_the_search_is_told() -> None:
    assert set(re.findall(r"^\| (\w+) \| [A-Z][\d.]+\D", PAGE, re.MULTILINE)) == set(CHANGES)
    assert f"each in {len(SITUATIONS)} situations" in PAGE
    assert {name for name in CHOICES if f"`{name}`" not in PAGE and name not in CHANGES} == set()


def test_each_smallest_set_is_refuted_without_each_of_its_changes() -> None:
    rows = REFUTED.findall(PAGE)
    assert {(frozenset({name}), situation in SITUATIONS) for name, situation, _, _ in rows} == {
        (frozenset({name}), True) for chosen in SMALLEST for name in chosen
    }
    assert len(rows) == sum(map(len, SMALLEST))


def test_the_page_sums_up_two_readings() -> None:
    assert list(TWO_READINGS) == list(SITUATIONS)
    wire = [cell for _, cell, _ in TWO_READINGS.values()]
    held = [cell for _, _, cell in TWO_READINGS.values()]
    assert len([cell for cell in wire if cell != "the same"]) == 4
    assert sorted({int(cell.removeprefix("stalls ")) for cell in held if cell != "the same"}) == [3, 4, 5, 8, 12]
    assert held.count("the same") == 1


def test_the_limit_as_a_distance_is_safe_and_live_where_the_page_says() -> None:
    assert list(DISTANCE) == list(TWO_READINGS) == list(SITUATIONS)
    proposed = [situation for situation, (cell, *_) in TWO_READINGS.items() if cell == "proved"]
    assert (list(DISTANCE.values()).count("proved"), len(proposed)) == (9, 5)


@pytest.mark.skipif(os.environ.get("EVERYSTATE_SLOW") != "1", reason="slow: set EVERYSTATE_SLOW=1")
def test_every_cell_of_two_readings_is_as_it_is_told(tmp_path: Path) -> None:
    known, largest = Checked(tmp_path / "results.jsonl"), 0
    for situation in SITUATIONS:
        answers = [known.check(names, situation) for names in ((), ("wire",), ("retries-held",))]
        proposed, *others = [lengths(answer) for answer in answers]
        told = [proposed, *("the same" if other == proposed else other for other in others)]
        assert list(TWO_READINGS[situation]) == told, situation
        assert DISTANCE[situation] == lengths(known.check(("distance",), situation)), situation
        largest = max(largest, *(answer.states for answer in answers))
    assert f"The largest search has {largest:,} states" in PAGE
    for reading in ("wire", "retries-held", "distance"):
        del GENERATIONS[f"kip-1269+{reading}"]


def lengths(answer: Answer) -> str:
    """What fails, as the table tells it."""
    told = {"every_record_has_a_result": "stalls"}
    return ", ".join(f"{told.get(name, name)} {steps}" for name, steps in answer.fails.items()) or "proved"


@pytest.mark.parametrize(
    ("names", "situation", "fails"),
    [
        (("first",), "restart", {"NoDuplicate": 11}),
        (("older",), "restart", {}),
        (("distance",), "leader-moves", {}),
        (("wire",), "restart", {"NoDuplicate": 11}),
        (("retries-held",), "raised-on-one", {"every_record_has_a_result": 5}),
    ],
)
def test_a_cell_of_the_search_is_as_it_is_told(
    names: tuple[str, ...], situation: str, fails: dict[str, int], tmp_path: Path
) -> None:
    known = Checked(tmp_path / "results.jsonl")
    assert known.check(names, situation).fails == fails
    assert Checked(tmp_path / "results.jsonl").known == known.known
    del GENERATIONS["+".join(("kip-1269", *names))]


def test_sets_make_no_choice_twice() -> None:
    pairs = set(sets(list(CHOICES), 2))
    assert ("wire", "distance") not in pairs and ("wire", "first") in pairs
    assert all(hasattr(KIP_1269, field) for choice in CHOICES.values() for field in choice)
