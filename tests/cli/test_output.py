"""Files of runs that share a folder."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from everystate.checker.cli.output import require_folder, write_text


def test_runs_in_one_folder_do_not_disturb_each_other(tmp_path: Path) -> None:
    folder, file = tmp_path / "traces", tmp_path / "traces" / "lamp.itf.json"

    def write(number: int) -> None:
        for _ in range(100):
            require_folder(folder)
            write_text(file, f"{number}\n" * 1000)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    assert [path.name for path in folder.iterdir()] == ["lamp.itf.json"]
    assert len(set(file.read_text().splitlines())) == 1
