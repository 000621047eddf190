"""How often a replay is judged, and what it takes: python bench/replays.py [--times N] [--out FILE] [SCENARIO ...].

A scenario with several counterexamples is named with the one that is meant: SCENARIO:PROPERTY.

Every run is the command as a user types it, one after the other, in rounds, so that a busy hour does not fall on one
scenario. With --out each run is appended to a file of JSON lines; runs that stand there already count, so an
interrupted series goes on where it ended.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SCENARIOS = (
    "current/clean-restart",
    "current/crash-restart",
    "current/definite-error-of-a-retry:NoDuplicate",
    "current/delivery-timeout-unresolved:NoDuplicate",
    "current/cold-start-refused",
    "current/expiry-and-lost-response",
    "current/retention-and-restart",
    "current/expiry-and-refusal",
    "current/split-of-a-retry",
    "current/epoch-exhausted-and-lost-response:NoDuplicate",
    "current/producer-restart",
    "window/6-in-flight-5-remembered",
    "current/two-leader-crashes",
    "current/clean-restart-of-the-follower",
    "current/old-and-new-leader",
    "current/two-clean-leader-changes",
    "current/unclean-election",
)
Run = dict[str, Any]


def run(subject: str) -> Run:
    """One replay: how it ended, and the seconds of each part."""
    target, _, property = subject.partition(":")
    everystate = str(Path(sys.executable).with_name("everystate"))
    command = [everystate, "replay", target, "--cluster", "--json", "-", "--no-audit"]
    began = time.monotonic()
    ended = subprocess.run([*command, *(["--property", property] if property else [])], capture_output=True, text=True)
    try:
        found = json.loads(ended.stdout)
    except ValueError:
        found = []
    return {
        "subject": subject,
        "code": ended.returncode,
        "whole": round(time.monotonic() - began, 1),
        "load": round(os.getloadavg()[0], 1),
        "seconds": {part: round(s, 2) for part, s in found[0]["seconds"].items()} if found else {},
        "memory": found[0]["memory"] if found else [],
        "why": found[0]["not_judged"] if found else ended.stderr[-2000:],
    }


def table(runs: list[Run]) -> Iterator[str]:
    """A row for each scenario, and the whole."""
    yield "| scenario | runs | judged | not judged | median s | slowest s | servers MB | load |"
    yield "|---|---|---|---|---|---|---|---|"
    for subject in dict.fromkeys(each["subject"] for each in runs):
        mine = [each for each in runs if each["subject"] == subject]
        judged = [each for each in mine if each["code"] in (0, 12)]
        whole = [each["whole"] for each in mine]
        memory = max((sum(each["memory"]) for each in mine), default=0) / 1e6
        loads = [each["load"] for each in mine]
        yield (
            f"| `{subject}` | {len(mine)} | {_verdicts(judged)} | {len(mine) - len(judged)} | "
            f"{statistics.median(whole):.0f} | {max(whole):.0f} | {memory:.0f} | {min(loads):.0f} to {max(loads):.0f} |"
        )
    missed = [each for each in runs if each["code"] not in (0, 12)]
    yield f"\n{len(missed)} of {len(runs)} runs were not judged: {len(missed) / max(1, len(runs)):.1%}"
    yield from (f"- {each['subject']}: exit code {each['code']}: {each['why']}" for each in missed)


def _verdicts(judged: list[Run]) -> str:
    codes = [each["code"] for each in judged]
    return ", ".join(
        f"{codes.count(code)} {word}" for code, word in ((0, "reproduced"), (12, "different")) if code in codes
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("subjects", nargs="*", default=SCENARIOS, metavar="SCENARIO[:PROPERTY]")
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    runs: list[Run] = []
    if given.out and given.out.exists():
        runs = [json.loads(line) for line in given.out.read_text().splitlines()]
    for number in range(given.times):
        for subject in given.subjects:
            if sum(each["subject"] == subject for each in runs) > number:
                continue
            runs.append(run(subject))
            print(
                f"{number + 1} of {given.times}: {subject}: {runs[-1]['code']} after {runs[-1]['whole']} s", flush=True
            )
            if given.out:
                with given.out.open("a") as file:
                    file.write(json.dumps(runs[-1]) + "\n")
    print("\n".join(table(runs)))


if __name__ == "__main__":
    main()
