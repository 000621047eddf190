"""Compares translations of the models of tlaplus/Examples with the counts in their manifests.

    python bench/tla_examples.py FOLDER [--most 1000000] [--only TEXT] [--seconds 300]

FOLDER is a copy of https://github.com/tlaplus/Examples. Each model that has counts, and at most so many distinct
states, is checked by the command line. The table has the states of TLC and of Everystate, the verdicts, and seconds of
CPU; for a model that is refused, the reason. A model is equal if distinct and generated states are. Properties that
were not translated are counted in the column "left out". TLC's depth depends on its workers and is printed only.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

GREEN = {"success": "PROVED"}


@dataclass(frozen=True)
class Example:
    """A model of the collection, with what TLC found."""

    module: Path
    config: Path
    distinct: int
    generated: int
    depth: int
    result: str


def examples(folder: Path, most: int) -> list[Example]:
    """The models with counts, smallest first."""
    found = []
    for manifest in sorted(folder.rglob("manifest.json")):
        for module in json.loads(manifest.read_text())["modules"]:
            for model in module["models"]:
                if 0 < model.get("distinctStates", 0) <= most:
                    counts = (model["distinctStates"], model["totalStates"], model.get("stateDepth", 0))
                    found.append(Example(folder / module["path"], folder / model["path"], *counts, model["result"]))
    return sorted(found, key=lambda example: (example.distinct, str(example.config)))


def checked(example: Example, seconds: float) -> tuple[str, str]:
    """One of equal, wrong, refused and undecided; and the rest of the line."""
    with tempfile.TemporaryDirectory() as place:
        report = Path(place) / "report.json"
        target = f"{example.module}:{os.path.relpath(example.config, example.module.parent)}"
        command = [sys.executable, "-m", "everystate", "check", target, "--json", str(report), "--workers", "1"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            run = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            return "undecided", f"no answer within {seconds:.0f} s"
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        if not report.is_file():
            return "refused", next((line for line in run.stderr.splitlines() if line.startswith("error")), "no report")
        data = json.loads(report.read_text())
    left_out = run.stderr.count("is not checked")
    depth = f"{data['depth']} ({example.depth})"
    if data["verdict"] == "VIOLATED" and any(v.get("kind") == "error" for v in data["violations"]):
        return "refused", f"{data['violations'][0].get('text', 'an error')}; {cpu:.1f} s"
    same = (data["distinct"], data["generated"]) == (example.distinct, example.generated)
    agrees = (data["verdict"] == GREEN.get(example.result, "VIOLATED")) or left_out
    found = f"{data['distinct']:,} {data['generated']:,}  depth {depth}  {data['verdict']} ({example.result})"
    return "equal" if same and agrees else "wrong", f"{found}  left out {left_out}  {cpu:.1f} s"


def main() -> None:
    """Print the table and a summary."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--most", type=int, default=1_000_000)
    parser.add_argument("--only", action="append", default=[], help="models whose configuration has this text")
    parser.add_argument("--seconds", type=float, default=300)
    given = parser.parse_args()
    found: Counter[str] = Counter()
    for example in examples(given.folder, given.most):
        name = str(example.config.relative_to(given.folder)).removeprefix("specifications/")
        if given.only and not any(text in name for text in given.only):
            continue
        kind, line = checked(example, given.seconds)
        found[kind] += 1
        print(f"{kind:9}  {name:60}  {example.distinct:,} {example.generated:,}  {line}", flush=True)
    print(", ".join(f"{number} {kind}" for kind, number in sorted(found.items())))


if __name__ == "__main__":
    main()
