"""Speed and memory of the exhaustive search, beside SPIN, in one run.

    python bench/speed.py [--quick] [--rounds N]

Everything runs in a process of its own, one after the other, in rounds, so that a disturbance of the machine
hits all alike. The table shows the best of the rounds, and medians; bench/README.md says what each column is.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from statistics import median
from typing import get_args

import machine
from one_search import OurRun
from spin import run as spin

from everystate.checker.engines.explicit.store import FULL

HERE = Path(__file__).resolve().parent
SMALL, LARGE = (8, 5, 5, 4, 3, 1, 1), (9, 5, 5, 5, 3, 1, 2)
TARGETS = {"plain bfs": (5, 8), "plain dfs": (3, 5)}


@dataclass(frozen=True)
class Sample:
    """One search of one contender."""

    distinct: int
    generated: int
    cpu: float
    wall: float
    rss: int


@dataclass
class Contender:
    """Someone who searches, and what was measured so far."""

    name: str
    prepare: float
    samples: list[Sample] = field(default_factory=list)
    grown: float = 0.0
    store: float = 0.0

    def best(self, what: str) -> float:
        """The least CPU or wall time."""
        return min(getattr(sample, what) for sample in self.samples)

    def median(self, what: str) -> float:
        """The median CPU or wall time."""
        return median(getattr(sample, what) for sample in self.samples)


@dataclass
class Bench:
    """All contenders on one instance."""

    values: tuple[int, ...]
    folder: Path
    verifiers: dict[str, spin.Verifier] = field(default_factory=dict)
    contenders: dict[str, Contender] = field(default_factory=dict)
    probes: list[tuple[float, float]] = field(default_factory=list)
    words: int = 0

    def prepare(self) -> None:
        """Compile everything; SPIN also searches once, to size its hash tables."""
        params = dict(zip(spin.PARAMETERS, self.values, strict=True))
        for text, mode in product(get_args(spin.Text), get_args(spin.Mode)):
            name = f"{text} {mode}"
            self.verifiers[name] = spin.build(params, mode, self.folder, text)
            self.contenders[name] = Contender(name, self.verifiers[name].compile_seconds)
        for workers in (1, 2):
            cold = _ours(workers, self.values, {"EVERYSTATE_CACHE": str(self.folder / f"cache{workers}")})
            self.contenders[_name(workers)] = Contender(_name(workers), cold.prepare_seconds)
            self.words = cold.words

    def round(self) -> None:
        """Search once with everyone, and probe the memory."""
        for name, verifier in self.verifiers.items():
            done = verifier.search()
            sample = Sample(done.stored, done.transitions, done.cpu_seconds, done.wall_seconds, done.peak_rss_bytes)
            self.contenders[name].samples.append(sample)
        for workers in (1, 2):
            found, contender = _ours(workers, self.values), self.contenders[_name(workers)]
            contender.samples.append(
                Sample(found.distinct, found.generated, found.cpu_seconds, found.wall_seconds, found.peak_rss_bytes)
            )
            contender.grown = max(contender.grown, found.grown_bytes / found.distinct)
            contender.store = max(contender.store, found.store_bytes_per_state)
        self.probes.append(_probe(*self.sizes()))

    def counts(self) -> tuple[int, int]:
        """(distinct, generated); an error unless all agree."""
        found = {name: {(s.distinct, s.generated) for s in c.samples} for name, c in self.contenders.items()}
        if len(set.union(*found.values())) != 1:
            raise SystemExit(f"the counts (distinct, generated) do not agree: {found}")
        return next(iter(found[_name(1)]))

    def sizes(self) -> tuple[int, int]:
        """Bytes of the table and of the states when all are stored."""
        distinct, _ = self.counts()
        bits = 1
        while FULL * (1 << bits) < distinct:
            bits += 1
        return 4 << bits, 8 * self.words * distinct


def _name(workers: int) -> str:
    return f"everystate, {workers} worker{'s' * (workers > 1)}"


def _ours(workers: int, values: tuple[int, ...], environment: dict[str, str] | None = None) -> OurRun:
    return OurRun(**json.loads(_python("one_search.py", [workers, *values], environment)))


def _probe(*sizes: int) -> tuple[float, float]:
    table, states = json.loads(_python("memory_speed.py", sizes))
    return table, states


def _python(script: str, arguments: list[int] | tuple[int, ...], environment: dict[str, str] | None = None) -> str:
    """Run a script of this folder from a small process (see spin/usage.py); what it printed."""
    with tempfile.NamedTemporaryFile(suffix=".json") as usage:
        command = [sys.executable, str(HERE / script), *map(str, arguments)]
        launcher = [sys.executable, "-I", "-S", str(spin.USAGE), usage.name, *command]
        done = subprocess.run(launcher, env=os.environ | (environment or {}), stdout=subprocess.PIPE, text=True)
        if done.returncode != 0 or json.load(usage)["exit_code"] != 0:
            raise SystemExit(f"{' '.join(command)} failed")
    return done.stdout


# -- the report ----------------------------------------------------------------------------------------------


def table(bench: Bench) -> Iterator[str]:
    """One line for each contender."""
    yield (
        f"{'':22}{'distinct':>11}{'compile s':>10}{'CPU s':>8}{'median':>8}{'states/CPU-s':>14}"
        f"{'wall s':>8}{'median':>8}{'RSS B/st':>10}{'grown':>7}{'store':>7}"
    )
    for name, c in bench.contenders.items():
        distinct = c.samples[0].distinct
        rss = min(s.rss for s in c.samples) / distinct
        own = f"{c.grown:>7.1f}{c.store:>7.1f}" if c.store else f"{'':>14}"
        label = name if c.store else f"SPIN, {name}"
        yield (
            f"{label:22}{distinct:>11,}{c.prepare:>10.2f}{c.best('cpu'):>8.2f}{c.median('cpu'):>8.2f}"
            f"{distinct / c.best('cpu'):>14,.0f}{c.best('wall'):>8.2f}{c.median('wall'):>8.2f}{rss:>10.1f}{own}"
        )


def ratios(bench: Bench) -> Iterator[str]:
    """How many times as fast, and what the goal is."""
    one, two = bench.contenders[_name(1)], bench.contenders[_name(2)]
    yield f"{'':48}{'best':>8}{'median':>8}"
    for name in bench.verifiers:
        goal = "goal {}, aim {}".format(*TARGETS[name]) if name in TARGETS else "no goal: SPIN's best"
        yield _ratio(f"states per CPU-second, ours / SPIN {name}", bench.contenders[name], one, "cpu", goal)
    yield _ratio("wall time, 1 worker / 2 workers", one, two, "wall", "goal 1.7")
    halves = [2 * a.cpu / b.cpu for a, b in zip(one.samples, two.samples, strict=True)]
    yield (
        f"{'CPU time, 1 worker / half of that of 2 workers':48}{2 * one.best('cpu') / two.best('cpu'):>8.2f}"
        f"{median(halves):>8.2f}  bounds the line above"
    )
    goal = f"goal 40, aim 32 for three words; this state has {bench.words}"
    yield f"{'bytes/state that the search adds, 1 worker':48}{one.grown:>8.1f}{'':8}  {goal}"


def _ratio(label: str, slow: Contender, fast: Contender, what: str, goal: str) -> str:
    """The quotient of the best times, and the median of the quotients of the rounds."""
    rounds = [getattr(s, what) / getattr(f, what) for s, f in zip(slow.samples, fast.samples, strict=True)]
    return f"{label:48}{slow.best(what) / fast.best(what):>8.2f}{median(rounds):>8.2f}  {goal}"


def limit(bench: Bench) -> Iterator[str]:
    """How far one worker is from what the memory could serve."""
    (distinct, generated), sizes = bench.counts(), bench.sizes()
    slots, states = (max(rates) for rates in zip(*bench.probes, strict=True))
    looks, compares = generated / distinct, (generated - distinct) / distinct
    bound = 1 / (looks / slots + compares / states)
    ours = distinct / bench.contenders[_name(1)].best("cpu")
    for what, rate, size in (("table", slots, sizes[0]), ("states", states, sizes[1])):
        yield f"random 64-byte lines from the {what:6} ({size / 2**20:5.0f} MiB): {rate / 1e6:6.1f} million/s"
    yield f"probes for a distinct state: {looks:.2f} into the table, {compares:.2f} into the states"
    yield f"so memory allows {bound / 1e6:.1f} million distinct states/s; the search reaches {ours / bound:.0%} of that"


def report(values: tuple[int, ...], rounds: int) -> None:
    """Measure one instance and print everything."""
    with tempfile.TemporaryDirectory(prefix="speed-") as folder:
        bench = Bench(values, Path(folder))
        bench.prepare()
        loads = [os.getloadavg()[0]]
        for done in range(rounds):
            bench.round()
            loads.append(os.getloadavg()[0])
            print(f"round {done + 1} of {rounds}, load {loads[-1]:.2f}", file=sys.stderr, flush=True)
    distinct, generated = bench.counts()
    print(f"idem-producer, N F W R L E C = {' '.join(map(str, values))}: {rounds} rounds, load {machine.span(loads)}")
    print(f"{distinct:,} distinct, {generated:,} generated: all agree\n")
    for section in (table, ratios, limit):
        print("\n".join(section(bench)) + "\n", flush=True)


def main() -> None:
    """Measure the small and, unless --quick, the large instance."""
    parser = argparse.ArgumentParser(description="Speed and memory of the exhaustive search, beside SPIN.")
    parser.add_argument("--quick", action="store_true", help="the small instance only")
    parser.add_argument("--rounds", type=int, default=5, help="searches by each contender")
    asked = parser.parse_args()
    print(machine.described() + "\n")
    for values in (SMALL,) if asked.quick else (SMALL, LARGE):
        report(values, asked.rounds)


if __name__ == "__main__":
    main()
