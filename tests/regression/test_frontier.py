"""The safety frontier: what the map says, and that every cell of it was really checked."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from everystate.checker.cli.main import main
from everystate.checker.cli.sweeps import load
from everystate.checker.engines.explicit.exhaustive import check
from everystate.checker.frontend.model import build
from everystate.checker.regression.frontier import grid as grids
from everystate.checker.regression.frontier import map_html, map_svg, map_text
from everystate.checker.regression.frontier.grid import Axis, Grid, Question
from everystate.checker.regression.runners.outcome import PROVED, VIOLATED
from everystate.checker.regression.runners.pool import Pool

SIX = tuple(range(1, 7))
FIXED = {"batches": 7}
WORDS = {"window": "batches that the broker remembers", "max_in_flight": "requests outstanding on the connection"}
DOCS = Path(__file__).parents[2] / "docs"


def explore(x: Axis, y: Axis, slots: int = 1, cache: bool = True) -> Grid:
    return grids.explore(Question("idem-producer", FIXED, cache=cache), x, y, Pool(load, slots), lambda *_: None)


@pytest.fixture(scope="module")
def whole() -> Grid:
    x, y = (Axis(name, SIX, text=text) for name, text in WORDS.items())
    return explore(x, y, slots=2, cache=False)


def test_the_frontier_is_in_flight_at_most_remembered(whole: Grid) -> None:
    proved = {(c.x, c.y) for c in whole.cells if c.finding.status == PROVED}
    violated = {(c.x, c.y): c.finding.length for c in whole.cells if c.finding.status == VIOLATED}
    assert proved == {(w, f) for w in SIX for f in SIX if f <= w}
    assert violated == {(w, f): 2 * w + 8 for w in SIX for f in SIX if f > w}


def test_every_cell_was_checked(whole: Grid) -> None:
    assert not any(c.outcome.cached for c in whole.cells)
    spec = load("idem-producer", {**FIXED, "window": 3, "max_in_flight": 4})
    alone = check(build(spec))
    assert whole.at(3, 4).outcome.report["generated"] == alone.generated
    assert whole.at(3, 4).outcome.distinct == alone.distinct


def test_the_map_as_text(whole: Grid) -> None:
    lines = map_text.draw(whole).splitlines()
    assert lines[3] == "  6 |  10  12  14  16  18  ok"
    assert lines[8] == "  1 |  ok  ok  ok  ok  ok  ok"


def test_the_picture_is_well_formed_and_stands_alone(whole: Grid) -> None:
    picture = map_svg.draw(whole)
    root = ElementTree.fromstring(picture)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert sum(e.get("class") == "in" for e in root.iter()) == 36
    assert "http" not in picture.replace("http://www.w3.org/2000/svg", "")


def test_the_picture_and_the_page_of_the_docs_are_what_the_command_draws(whole: Grid) -> None:
    told = "run: everystate frontier idem-producer -x window=1..6 -y max_in_flight=1..6 -c batches=7 "
    told += "-o docs/pictures/frontier."
    assert (DOCS / "pictures" / "frontier.svg").read_text("utf-8") == map_svg.draw(whole), f"{told}svg"
    assert shown((DOCS / "pictures" / "frontier.html").read_text("utf-8")) == shown(map_html.draw(whole, load)), (
        f"{told}html"
    )


def shown(page: str) -> str:
    """A page without what all pages share: the frame, the stylesheet and the script."""
    return re.sub(r"<head>.*?</head>|<script>.*?</script>", "", page, flags=re.DOTALL)


def test_a_red_cell_has_its_counterexample(whole: Grid) -> None:
    page = map_html.draw(whole, load)
    for cell in whole.cells:
        name, red = f"cell_{cell.x}_{cell.y}", cell.finding.status == VIOLATED
        assert (f'href="#{name}"' in page) == (f'data-cell="{name}"' in page) == red
    assert "NoDup violated after 18 steps" in page


def test_the_map_as_json_has_a_report_for_each_cell(whole: Grid) -> None:
    data = json.loads(json.dumps(grids.as_json(whole)))
    assert list(data) == ["target", "property", "x", "y", "cells"]
    assert data["x"] == {"name": "window", "values": [1, 2, 3, 4, 5, 6]}
    assert [(c["x"], c["y"]) for c in data["cells"]][:3] == [(1, 1), (2, 1), (3, 1)]
    assert {c["exit_code"] for c in data["cells"]} == {0, 12}


def test_one_property_can_be_mapped(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["frontier", "idem-producer", "-x", "window=1..1", "-y", "max_in_flight=2..2", "-c", "batches=2"]
    assert main([*line, "--property", "AckedInLog"]) == 0
    assert "2 |  ok" in capsys.readouterr().out
    assert main([*line, "--property", "NoDup"]) == 0
    assert "2 |  10" in capsys.readouterr().out


def test_an_open_cell_is_told_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["frontier", "idem-producer", "-x", "window=5..5", "-y", "max_in_flight=4..5", "--max-states", "50"]
    assert main([*line, "--no-cache", "--workers", "1"]) == 3
    assert "window=5 max_in_flight=4; window=5 max_in_flight=5: the limit of 50 states" in capsys.readouterr().out


def test_a_choice_of_constants_that_the_spec_refuses_is_a_cell_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["frontier", "idem-producer", "-x", "window=0..1", "-y", "max_in_flight=1..1", "--workers", "1"]) == 3
    assert "1 |   -  ok" in capsys.readouterr().out


def test_a_map_of_nothing_but_refused_cells_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["frontier", "idem-producer", "-x", "window=0..0", "-y", "max_in_flight=1..1", "--workers", "1"]) == 10
    assert "error E112" in capsys.readouterr().err


def test_files_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["frontier", "idem-producer", "-x", "window=1..2", "-y", "max_in_flight=2..2", "-c", "batches=3"]
    files = [tmp_path / "map.svg", tmp_path / "map.html", tmp_path / "map.txt"]
    assert main([*line, "--workers", "1", "--json", "-", *(w for f in files for w in ("-o", str(f)))]) == 0
    first = json.loads(capsys.readouterr().out)["cells"][0]
    assert Path(first["violations"][0]["trace"]).is_file()
    assert all(f.stat().st_size > 100 for f in files)
