"""Whether Kafka's own classes show what two failures break together, kind by kind.

    python bench/pairs_on_classes.py (--configurations, --releases, --seconds)

Reads the results of `bench/pairs.py`. For each kind (property and faults) of the producer the check with the shortest
counterexample is given to `everystate conform`, which searches it again and drives its counterexamples with the classes
of that release. What they show is kept beside those results. The exit code is 1 where one differs, and 3 where one is
not driven or left.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))
from bench.pairs import CONFIGURATIONS, New, judged, kept, new_cells, of_release, releases, tables

CLASSES = {
    "4.4": "4.4.0",
    "3.5": "3.5.2",
    "2.6": "2.6.3",
    "2.4": "2.4.1",
    "2.3": "2.3.1",
    "2.2": "2.2.2",
    "2.0": "2.0.1",
    "1.0.0": "1.0.1",
    "0.11": "0.11.0.3",
}
"""The release of Kafka for each of `bench/pairs.py` whose client and brokers are of one."""
REPRODUCED, DIFFERENT, NOT_DRIVEN = "reproduced", "different", "not driven"


def command_of(new: New) -> str:
    """The check that found it."""
    assert new.cell.check is not None
    release = releases(CONFIGURATIONS[new.table.configuration][0])[new.table.release]
    return of_release(new.cell.check, release).command


def kinds(results: Path, configurations: list[str], names: list[str]) -> Iterator[tuple[str, New]]:
    """Each kind of each client's protocol version, with its shortest counterexample."""
    found, known = defaultdict[tuple[Any, ...], list[New]](list), kept(results)
    for table in tables(configurations, names):
        if table.release in CLASSES and not table.settings.transactional:
            for new in new_cells(table, judged(table, known) or ()):
                if new.cell.check is not None:  # else it follows from the rules of replication alone
                    found[table.release, *new.key].append(new)
    for (_, _, broken, faults), group in sorted(found.items()):
        yield f"{broken} by {', '.join(faults)}", min(group, key=lambda new: (new.cell.steps or 0, command_of(new)))


def driven(command: str, version: str) -> dict[str, Any]:
    """What conform reports of the counterexamples of a check, with each fetch as a step where that is needed."""
    found = _driven(command, version)
    if "explicit_replication" in str(found.get("obstacles", "")):
        return _driven(f"{command} -c explicit_replication=True", version)
    return found


def _driven(command: str, version: str) -> dict[str, Any]:
    words = [sys.executable, "-m", "everystate", "conform", *command.split()[2:], "--kafka", version]
    made = subprocess.run([*words, "--json", "-", "-q"], capture_output=True, text=True, check=False)
    try:
        return dict(json.loads(made.stdout)[0])
    except (ValueError, IndexError):
        return {"verdict": NOT_DRIVEN, "reproduced": [], "error": (made.stderr or made.stdout)[-600:]}


def judge(report: dict[str, Any], broken: str) -> str:
    """What the classes show of a property; any difference counts, also of another property of the check."""
    if report.get("found"):
        return DIFFERENT
    return REPRODUCED if any(f": {broken}," in each for each in report["reproduced"]) else NOT_DRIVEN


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--configurations", default=",".join(CONFIGURATIONS))
    parser.add_argument("--releases", default="")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--results", type=Path, default=Path("out/pairs.jsonl"))
    given = parser.parse_args()
    file, end = given.results.with_suffix(".classes.jsonl"), time.monotonic() + given.seconds
    known = dict(map(json.loads, file.read_text().splitlines() if file.exists() else []))
    counts, left = defaultdict[str, int](int), 0
    names = [name for name in given.releases.split(",") if name]
    for kind, new in kinds(given.results, given.configurations.split(","), names):
        command, version = command_of(new), CLASSES[new.table.release]
        if command not in known and time.monotonic() > end:
            left += 1
            continue
        if command not in known:
            known[command] = driven(command, version)
            with file.open("a") as out:
                out.write(json.dumps([command, known[command]]) + "\n")
        verdict = judge(known[command], new.broken)
        counts[verdict] += 1
        if verdict != REPRODUCED:
            print(f"{verdict} on {version}: {kind}\n  {new.cell.failure}: {command}\n  {new.cell.trace}")
            differences = [each["difference"] for each in known[command].get("found", ())]
            print(f"  {known[command].get('error') or known[command].get('obstacles') or differences}")
    print(", ".join(f"{number} {verdict}" for verdict, number in sorted(counts.items())), f"{left} left", sep="; ")
    if counts[DIFFERENT]:
        return 1
    return 0 if counts[REPRODUCED] and not counts[NOT_DRIVEN] and not left else 3


if __name__ == "__main__":
    raise SystemExit(main())
