"""How fast logs are followed: events a second by the number of candidates, and many runs here and on Spark.

python bench/follow.py [--runs N] [--no-spark]

Candidates: a spec of n switches of which the log tells only that one was turned, not which; 2^n states fit then. Runs:
random behaviours of idem-producer, of which 20 were changed in their last event. All answers are counted, and the
program ends with an error where they are not what they must be.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from everystate.checker import Array, Bool, Spec, action
from everystate.checker.cli.commands.follow import vocabulary
from everystate.checker.cli.spark import opened
from everystate.checker.cli.sweeps import load
from everystate.checker.follow.answer import DEVIATES, FOLLOWS, Follower, one_of_many
from everystate.checker.follow.candidates import Stepper, UnseenActions
from everystate.checker.follow.events import Event, Place
from everystate.checker.follow.logs import events_of
from everystate.checker.follow.run import MOST
from everystate.checker.follow.sources import Order
from everystate.checker.follow.spark import FollowSettings, follow
from everystate.checker.follow.vocabulary import Vocabulary
from everystate.checker.frontend.model import build

BAD = 20


class Switches(Spec):
    """Some switches; which one is turned cannot be seen."""

    def variables(self) -> None:
        self.on = Array(16, Bool())

    @action(i=range(16))
    def turn(self, i: int) -> None:
        self.on[i] = not self.on[i]


def seconds() -> float:
    """CPU seconds of this process and of those that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def candidates() -> None:
    """Events a second as the candidates grow: after a few turns half of all states fit."""
    model = build(Switches())
    breadth, depth = (Follower(model, "switches", UnseenActions(), Order(), first=first) for first in (False, True))
    print("\nswitches  candidates  events/s (CPU)  candidates/s  events/s depth first")
    for width in (0, 2, 4, 8, 12, 16):
        turned = [Event(Place("log", n + 1), ("turn",)) for n in range(40)]
        fixed = {f"on[{i}]": False for i in range(width, 16)}
        events = [Event(e.place, e.actions, {}, {}, fixed) for e in turned] if width < 16 else turned
        if width == 0:
            events = [Event(e.place, e.actions, {"i": 0}) for e in turned]
        most, rate = followed(breadth, events)
        _, deep = followed(depth, events)
        print(f"{width:8}  {most:10,}  {rate:14,.0f}  {rate * most:12,.0f}  {deep:20,.0f}")


def followed(follower: Follower, events: list[Event]) -> tuple[int, float]:
    """The candidates, and events a second."""
    before = seconds()
    answer = follower.follow("log", [events])
    assert answer.verdict == FOLLOWS and answer.events == 40, answer
    return answer.followed.most, len(events) / (seconds() - before)


def written(folder: Path, runs: int) -> int:
    """Random behaviours of the peer model as logs; the number of events."""
    stepper, dice, events = Stepper(build(load("idem-producer", {})), UnseenActions()), random.Random(1), 0
    bad = set(dice.sample(range(runs), BAD))
    for run in range(runs):
        state, lines = stepper.initial()[0], []
        while True:
            found, _ = stepper.expansion.expand(np.ascontiguousarray(state.reshape(1, -1)))
            if not len(found):
                break
            chosen = dice.randrange(len(found))
            taken = stepper.spec.instances[int(stepper.expansion.actions(chosen))]
            state = found[chosen].copy()
            told: dict[str, Any] = {
                "action": taken.name,
                "after": {"losses": int(stepper.reader.value("losses", state))},
            }
            lines.append(told)
        if run in bad:
            lines[-1]["after"]["losses"] = 1 - lines[-1]["after"]["losses"]
        events += len(lines)
        (folder / f"{run:06}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return events


def many(runs: int, spark: bool) -> None:
    """The same runs on one machine and on Spark."""
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        events = written(Path(place), runs)
        paths = sorted(os.listdir(place))
        print(f"\n{runs:,} runs of idem-producer, {events:,} events, {BAD} changed: wall s, CPU s, answers")
        before, started = seconds(), time.perf_counter()
        follower = Follower(build(load("idem-producer", {})), "idem-producer", UnseenActions(), Order())
        told = [one_of_many(follower, path, [events_of(path, Vocabulary())]) for path in paths]
        report("one process", told, time.perf_counter() - started, seconds() - before)
        if spark:
            wanted = FollowSettings("idem-producer", {}, UnseenActions(), Order(), MOST, None)
            started = time.perf_counter()
            with opened({"master": None, "quiet": True}, "bench") as session:
                told = list(follow(session, wanted, load, vocabulary, [(path, [path]) for path in paths]))
            report("Spark, with its start", told, time.perf_counter() - started, None)
        os.chdir("/")


def report(name: str, told: list[Any], wall: float, cpu: float | None) -> None:
    """One line; an error where the answers are not the expected ones."""
    found = Counter(each.verdict for each in told)
    assert found == Counter({FOLLOWS: len(told) - BAD, DEVIATES: BAD}), found
    shown = f"{cpu:7.1f}" if cpu is not None else "      -"
    print(f"{name:22} {wall:7.1f} {shown}  {dict(found)}")


def main() -> None:
    """Measure, and print tables."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=10_000)
    options.add_argument("--no-spark", action="store_true")
    given = options.parse_args()
    candidates()
    many(given.runs, not given.no_spark)


if __name__ == "__main__":
    main()
