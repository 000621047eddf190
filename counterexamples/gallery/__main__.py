"""Write the gallery: python -m everystate.counterexamples.gallery [FOLDER]."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from .pages import exhibit, failing, files, index


def write(folder: Path) -> None:
    """Write every exhibit and the index; folders of exhibits that are gone are removed."""
    shown = []
    for scenario in failing():
        found = exhibit(scenario)
        if not found.traces:
            print(f"{scenario.name}: no trace, although it must fail", file=sys.stderr)
            continue
        shown.append(found)
        place = folder / found.folder
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        for name, text in files(found):
            (place / name).write_text(text, "utf-8")
        print(f"{scenario.name}: {', '.join(t.shows for t in found.traces)}")
    (folder / "README.md").write_text(index(shown), "utf-8")
    _tidy(folder, {one.folder for one in shown})


def _tidy(folder: Path, known: set[str]) -> None:
    for place in folder.iterdir():
        if (place / "README.md").is_file() and place.name not in known:
            shutil.rmtree(place)


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
