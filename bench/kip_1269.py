"""The space of choices that KIP-1269 leaves open, and changes of it, held against situations: safety and delivery.

    python bench/kip_1269.py alone                      every choice by itself, in every situation
    python bench/kip_1269.py smallest [--most N]        the smallest sets that are safe and live in every situation
    python bench/kip_1269.py snapshot+older [NAME ...]  one set of choices, in these situations (default: in all)

A check is a complete search with its liveness (everystate.model.liveness). What was checked is kept in a file and not
checked again; `--results FILE` names it. Sets that trace to the same model share a check: nothing else is inferred from
one set for another, so no choice is taken to be harmless because it was so elsewhere.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import resource
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from everystate.checker.api.fingerprint import dump
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.engines.limits import Limits
from everystate.checker.frontend import model
from everystate.model import generation as of
from everystate.model.generation import GENERATIONS, KIP_1269
from everystate.model.liveness import Delivering

READINGS: dict[str, dict[str, str]] = {
    "wire": {"limit_counts": of.ON_THE_WIRE},
    "sent": {"limit_counts": of.SENT_ANYWHERE},
    "retries-held": {"limit_holds": of.RETRIES_TOO},
    "kept-on-reconnect": {"limit_restarts": of.ANOTHER_LEADER},
    "leader-epoch": {"limit_restarts": of.ANOTHER_EPOCH},
    "never-restarts": {"limit_restarts": of.NEVER},
    "known-leader": {"limit_believes": of.KNOWN_LEADER},
    "by-connection": {"limit_is_of": of.A_CONNECTION},
    "absent-keeps": {"absent_field": of.NO_NEWS},
    "errors-reset": {"errors_say": of.THE_DEFAULT},
    "errors-tell": {"errors_say": of.THE_VALUE},
}
"""Other readings of the text than the one that the generation kip-1269 takes."""

OF_CLIENT: dict[str, dict[str, str]] = {
    "distance": {"limit_counts": of.DISTANCE},
    "first": {"next_in_line": of.FIRST_IN_FLIGHT},
}
OF_BROKER: dict[str, dict[str, str]] = {
    "keep": {"shrunk_window": of.KEEP_WIDEST},
    "smallest": {"advertised_window": of.SMALLEST_IN_SYNC},
    "snapshot": {"snapshot_holds": of.WHOLE_CACHE},
    "older": {"older_batch": of.ACKNOWLEDGED},
}
CHANGES = {**OF_CLIENT, **OF_BROKER}
"""Changes of what client and broker do today, or of what the text says."""
CHOICES = {**READINGS, **CHANGES}

WIDE: dict[str, Any] = {"window": 2, "wide_window": 3, "max_in_flight": 3, "batches": 4}
SITUATIONS: dict[str, dict[str, Any]] = {
    "restart": {**WIDE, "replicas": 1, "wide_replicas": "0", "clean_restarts": 1},
    "old-and-new-leader": {"window": 2, "batches": 3, "leader_changes": 1, "disconnects": 1, "faults": 2},
    "lowered": {**WIDE, "wide_replicas": "01", "window_changes": 1, "disconnects": 1, "faults": 2},
    "narrower-leader": {**WIDE, "wide_replicas": "0", "leader_crashes": 1, "disconnects": 1, "faults": 2},
    "narrower-cleanly": {**WIDE, "wide_replicas": "0", "leader_changes": 1, "disconnects": 1, "faults": 2},
    "raised-on-one": {**WIDE, "window_changes": 1, "leader_crashes": 1, "faults": 2},
    "within-the-default": {"batches": 3, "max_in_flight": 3, "leader_changes": 2, "faults": 2},
    "leader-moves": {**WIDE, "wide_replicas": "01", "leader_changes": 1},
    "leader-crashes": {**WIDE, "wide_replicas": "01", "leader_crashes": 1},
    "wider-leader": {**WIDE, "wide_replicas": "1", "leader_crashes": 1, "disconnects": 1, "faults": 2},
    "lowered-on-one": {**WIDE, "wide_replicas": "01", "window_changes": 1, "leader_changes": 1, "faults": 2},
    "moves-and-back": {**WIDE, "wide_replicas": "0", "leader_changes": 2, "faults": 2},
    "lowered-and-back": {
        **WIDE,
        "wide_replicas": "01",
        "leader_changes": 2,
        "window_changes": 1,
        "faults": 3,
        "epochs": 4,
    },
    "lost-connections": {**WIDE, "wide_replicas": "01", "disconnects": 2, "faults": 2},
    "refused": {**WIDE, "replicas": 1, "wide_replicas": "0", "refusals": 1, "disconnects": 1, "faults": 2},
    "raised": {**WIDE, "replicas": 1, "window_changes": 1, "disconnects": 1, "faults": 2},
    "old-brokers": {**WIDE, "disconnects": 2, "faults": 2},
    "two-topics": {
        **WIDE,
        "batches": 6,
        "partitions": 2,
        "replicas": 1,
        "wide_replicas": "0:0",
        "disconnects": 1,
    },
}
"""Scaled: 2 for the default of 5, 3 for the raised value. Those that end most sets stand first."""

UNKNOWN: dict[str, dict[str, Any]] = {
    "cold-start-refused": {"warm": 0, "refusals": 1, "batches": 2},
    "expiry-and-refusal": {"warm": 1, "expiries": 1, "refusals": 1, "faults": 2, "batches": 2, "replicas": 1},
}
"""A producer that the broker does not know (B4.1): today unsafe whatever the window is, so not among those above."""


@dataclass(frozen=True)
class Answer:
    """What one check found: shortest lengths of what fails, states, and seconds of a processor."""

    fails: dict[str, int | None]
    states: int
    cpu: float
    never: list[str]


class Checked:
    """What was checked, by traced model; kept in a file, a line each."""

    def __init__(self, file: Path) -> None:
        self.file, self.known, self.spent = file, dict[str, Answer](), 0.0
        for line in file.read_text("utf-8").splitlines() if file.exists() else ():
            key, fields = json.loads(line)
            self.known[key] = Answer(**fields)

    def check(self, names: tuple[str, ...], situation: str) -> Answer:
        """One set of choices in one situation."""
        start = cpu()
        traced = model.build(Delivering(generation=generation(names), **{**SITUATIONS, **UNKNOWN}[situation]))
        key = hashlib.sha256("\n".join(dump(traced)).encode()).hexdigest()
        if key not in self.known:
            result = exhaustive.check(traced, Limits(cross_check=0, workers=1))
            if result.stopped:
                raise SystemExit(f"{'+'.join(names)}, {situation}: not decided, {result.stopped}")
            never = sorted(name for name, seen in result.coverage.items() if not seen.taken)
            fails = {found.property: found.length for found in result.violations}
            self.known[key] = Answer(fails, result.distinct, round(cpu() - start, 2), never)
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with self.file.open("a", encoding="utf-8") as out:
                out.write(json.dumps([key, vars(self.known[key])]) + "\n")
        self.spent += cpu() - start
        return self.known[key]


def cpu() -> float:
    """Seconds of a processor that this process has used."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def generation(names: tuple[str, ...]) -> str:
    """The name of KIP-1269 as proposed with some choices made otherwise."""
    fields: dict[str, Any] = {field: value for name in names for field, value in CHOICES[name].items()}
    name = "+".join(("kip-1269", *names))
    GENERATIONS[name] = replace(KIP_1269, name=name, **fields)
    return name


def sets(names: list[str], most: int) -> Iterator[tuple[str, ...]]:
    """Sets of choices, smaller ones first; none makes a choice in two ways."""
    for size in range(most + 1):
        for chosen in itertools.combinations(names, size):
            fields = [field for name in chosen for field in CHOICES[name]]
            if len(set(fields)) == len(fields):
                yield chosen


def told(answer: Answer) -> str:
    """What fails, with steps; else proved."""
    return ", ".join(f"{name} {steps}" for name, steps in answer.fails.items()) or "proved"


def show(checked: Checked, names: tuple[str, ...], situations: list[str]) -> bool:
    """A line for each situation; whether nothing fails."""
    fine = True
    for situation in situations:
        answer = checked.check(names, situation)
        fine &= not answer.fails
        print(f"{'+'.join(names) or 'as proposed':<24} {situation:<20} {told(answer):<64} {answer.states:>7,} states")
    return fine


def smallest(checked: Checked, names: list[str], most: int) -> list[tuple[str, ...]]:
    """The sets that are safe and live everywhere and contain no smaller one that is; a set that fails stops there."""
    found: list[tuple[str, ...]] = []
    for chosen in sets(names, most):
        if any(set(less) <= set(chosen) for less in found):
            continue
        ended = next((s for s in SITUATIONS if checked.check(chosen, s).fails), None)
        words = told(checked.check(chosen, ended)) if ended else "SAFE AND LIVE"
        print(f"{'+'.join(chosen) or 'as proposed':<44} {ended or '':<20} {words}", flush=True)
        found += [] if ended else [chosen]
    return found


def main() -> int:
    """One of the three commands."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", help="alone, smallest, or a set of choices, joined by +; 'proposed' for none")
    parser.add_argument("situations", nargs="*", help="situations, default all")
    parser.add_argument("--of", choices=("changes", "broker", "all"), default="changes", help="what sets are made of")
    parser.add_argument("--most", type=int, default=len(CHANGES), help="choices in a set, at most")
    parser.add_argument("--results", type=Path, default=Path("out/kip-1269.jsonl"))
    given = parser.parse_args()
    checked, situations = Checked(given.results), given.situations or list(SITUATIONS)
    if given.what == "smallest":
        names = list({"changes": CHANGES, "broker": OF_BROKER, "all": CHOICES}[given.of])
        found = smallest(checked, names, given.most)
        print(f"smallest: {', '.join('+'.join(chosen) for chosen in found) or 'none'}")
    elif given.what == "alone":
        for chosen in sets(list(CHOICES), 1):
            show(checked, chosen, situations)
    else:
        show(checked, () if given.what == "proposed" else tuple(given.what.split("+")), situations)
    print(f"{len(checked.known):,} searches known; {checked.spent:.0f} s CPU now")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
