"""Write the gallery: python -m everystate.counterexamples.gallery [--redraw] [FOLDER].

With --redraw the stored traces are drawn again, without any search.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from ...checker.language.scenario import Scenario
from .pages import GalleryEntry, exhibit, failing, files, folder_of, index, stored


def write(folder: Path, redraw: bool = False) -> None:
    """Write every exhibit and the index; folders of exhibits that are gone are removed."""
    shown = []
    for scenario in failing():
        found = _again(scenario, folder) if redraw else exhibit(scenario)
        if not found.traces:
            print(f"{scenario.name}: no trace, although it must fail", file=sys.stderr)
            continue
        shown.append(found)
        _write_one(folder / found.folder, found)
        print(f"{scenario.name}: {', '.join(t.shows for t in found.traces)}")
    (folder / "README.md").write_text(index(shown), "utf-8")
    _tidy(folder, {one.folder for one in shown})


def _again(scenario: Scenario, folder: Path) -> GalleryEntry:
    place = folder / folder_of(scenario)
    return stored(scenario, [path.read_text("utf-8") for path in sorted(place.glob("*.itf.json"))])


def _write_one(place: Path, found: GalleryEntry) -> None:
    texts = list(files(found))
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for name, text in texts:
        (place / name).write_text(text, "utf-8")


def _tidy(folder: Path, known: set[str]) -> None:
    for place in folder.iterdir():
        if (place / "README.md").is_file() and place.name not in known:
            shutil.rmtree(place)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="python -m everystate.counterexamples.gallery", description="Write the gallery."
    )
    parser.add_argument("--redraw", action="store_true", help="draw the stored traces again, without any search")
    parser.add_argument("folder", type=Path, nargs="?", default=Path(__file__).parent)
    given = parser.parse_args()
    write(given.folder, given.redraw)
