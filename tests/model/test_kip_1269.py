"""docs/kip-1269.md says what scenarios, baseline and search say; two cells of its search are searched again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.kip_1269 import CHANGES, CHOICES, SITUATIONS, Checked, sets
from everystate.model.generation import GENERATIONS, KIP_1269
from everystate.specs.kafka import SCENARIOS

from .test_liveness import REFUSED_FOR_EVER, STOPPED

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE, SEARCH = ((DOCS / name).read_text("utf-8") for name in ("kip-1269.md", "kip-1269-search.md"))
OPEN = re.compile(r"^\| [^|]*\| [^|]+ \| `([^`]+)` \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
REFUTED = re.compile(r"^\| [^|]*\| ([\w-]+) \| ([\w-]+) \| (NoDuplicate|stalls), (\d+) steps \|$", re.MULTILINE)
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
    assert {name for name in CHOICES if f"`{name}`" not in SEARCH and name not in CHANGES} == set()


def test_each_smallest_set_is_refuted_without_each_of_its_changes() -> None:
    rows = REFUTED.findall(PAGE)
    assert {(frozenset({name}), situation in SITUATIONS) for name, situation, _, _ in rows} == {
        (frozenset({name}), True) for chosen in SMALLEST for name in chosen
    }
    assert len(rows) == sum(map(len, SMALLEST))


def test_two_readings_are_told_of_every_situation() -> None:
    rows = re.findall(r"^\| ([\w-]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", SEARCH, re.MULTILINE)
    assert [name for name, *_ in rows if name not in ("situation", "---")] == list(SITUATIONS)
    assert "| restart | NoDuplicate 11 | the same | stalls 3 |" in SEARCH


@pytest.mark.parametrize(
    ("names", "fails"),
    [
        (("first",), {"NoDuplicate": 11}),
        (("older",), {}),
        (("wire",), {"NoDuplicate": 11}),
        (("retries-held",), {"every_record_has_a_result": 3}),
    ],
)
def test_a_cell_of_the_search_is_as_it_is_told(names: tuple[str, ...], fails: dict[str, int], tmp_path: Path) -> None:
    known = Checked(tmp_path / "results.jsonl")
    assert known.check(names, "restart").fails == fails
    assert Checked(tmp_path / "results.jsonl").known == known.known
    del GENERATIONS["+".join(("kip-1269", *names))]


def test_sets_make_no_choice_twice() -> None:
    pairs = set(sets(list(CHOICES), 2))
    assert ("wire", "distance") not in pairs and ("wire", "first") in pairs
    assert all(hasattr(KIP_1269, field) for choice in CHOICES.values() for field in choice)
