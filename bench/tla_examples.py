"""Compares translations of the models of tlaplus/Examples with the counts and results in their manifests.

    python bench/tla_examples.py FOLDER [--least 0] [--most 1000000] [--only TEXT] [--seconds 300] [--failing]

FOLDER is a copy of https://github.com/tlaplus/Examples. Each model that has counts, and at most so many distinct
states, is checked by the command line. The table has the states of TLC and of Everystate, the verdicts, and seconds of
CPU; for a model that is refused, the reason. `equal`: distinct and generated states and the verdict are TLC's.
`counts`: the states are, and the verdict is undecided, since a property is not translated. `distinct`: only the
distinct states are. `--failing` takes the models in which TLC finds a violation; their counts are not compared.
TLC's depth depends on its workers and is printed only.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path

VERDICTS = {"success": "PROVED"}
FAILURES = {"liveness failure": {"temporal property"}, "safety failure": {"invariant", "action property", "deadlock"}}
"""The kinds of violations that a result of a manifest means."""


@dataclass(frozen=True)
class Example:
    """A model of the collection, with what TLC found."""

    module: Path
    config: Path
    distinct: int
    generated: int
    depth: int
    result: str


def examples(folder: Path, most: int, failing: bool = False) -> list[Example]:
    """The models with counts, smallest first; or those in which TLC finds a violation."""
    found = []
    for manifest in sorted(folder.rglob("manifest.json")):
        for module in json.loads(manifest.read_text())["modules"]:
            for model in module["models"]:
                chosen = model["result"] in FAILURES and model["mode"] == "exhaustive search"
                if chosen if failing else 0 < model.get("distinctStates", 0) <= most:
                    counts = [model.get(name, 0) for name in ("distinctStates", "totalStates", "stateDepth")]
                    files = folder / module["path"], folder / model["path"]
                    found.append(Example(*files, counts[0], counts[1], counts[2], model["result"]))
    return sorted(found, key=lambda example: (example.distinct, str(example.config)))


def checked(example: Example, seconds: float) -> tuple[str, str]:
    """One of equal, wrong, refused and undecided; and the rest of the line."""
    with tempfile.TemporaryDirectory() as place:
        report = Path(place) / "report.json"
        target = f"{example.module}:{os.path.relpath(example.config, example.module.parent)}"
        command = [sys.executable, "-m", "everystate", "check", target, "--json", str(report), "--workers", "1"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        most = round(seconds)
        limited = partial(resource.setrlimit, resource.RLIMIT_CPU, (most, most))
        run = subprocess.run(command, capture_output=True, text=True, preexec_fn=limited)
        if run.returncode in (-signal.SIGKILL, -signal.SIGXCPU):
            return "undecided", f"no answer within {seconds:.0f} s of CPU"
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        if not report.is_file():
            return "refused", next((line for line in run.stderr.splitlines() if line.startswith("error")), "no report")
        data = json.loads(report.read_text())
    kinds = {violation.get("kind") for violation in data["violations"]}
    found = f"{data['distinct']:,} {data['generated']:,}  depth {data['depth']} ({example.depth})  {data['verdict']}"
    line = f"{found} {', '.join(map(str, kinds))} ({example.result})  {cpu:.1f} s"
    if example.result in FAILURES:
        wanted = FAILURES[example.result]
        agrees = any(str(kind).split(",")[0] in wanted for kind in kinds)
        return "equal" if agrees else "undecided" if data["verdict"] == "UNDECIDED" else "wrong", line
    if data["verdict"] not in (VERDICTS[example.result], "UNDECIDED"):
        return "wrong", line
    if (data["distinct"], data["generated"]) == (example.distinct, example.generated):
        return "equal" if data["verdict"] != "UNDECIDED" else "counts", line
    return "distinct" if data["distinct"] == example.distinct else "wrong", line


def main() -> None:
    """Print the table and a summary."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--most", type=int, default=1_000_000)
    parser.add_argument("--least", type=int, default=0)
    parser.add_argument("--only", action="append", default=[], help="models whose configuration has this text")
    parser.add_argument("--seconds", type=float, default=300, help="of CPU for each model")
    parser.add_argument("--failing", action="store_true", help="the models in which TLC finds a violation")
    given = parser.parse_args()
    found: Counter[str] = Counter()
    for example in examples(given.folder, given.most, given.failing):
        name = str(example.config.relative_to(given.folder)).removeprefix("specifications/")
        if example.distinct < given.least or (given.only and not any(text in name for text in given.only)):
            continue
        kind, line = checked(example, given.seconds)
        found[kind] += 1
        print(f"{kind:9}  {name:60}  {example.distinct:,} {example.generated:,}  {line}", flush=True)
    print(", ".join(f"{number} {kind}" for kind, number in sorted(found.items())))


if __name__ == "__main__":
    main()
