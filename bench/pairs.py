"""Two failures together, for realistic configurations and all releases: which promises break that hold under each.

    python bench/pairs.py --seconds 170          makes the checks that are missing, into out/pairs.jsonl
    python bench/pairs.py --only-report          says what the results show
    python bench/pairs.py --again 20             makes 20 of the kept checks again, and says what differs
    python bench/pairs.py --keep                 writes all results into the repository (bench/pairs.jsonl.gz)

`--configurations` and `--releases` take names of the tables below. A cell is a promise under two failures. It is new
where it is broken, while the promise holds under both failures alone. `pairs.toml` has a reason for each: a finding, or
the rule that it follows from. The exit code is 1 where a new cell has none or a check differs, and 3 where checks are
missing. Everything takes hours of processor time. A check whose model another protocol version has, too, is not made
twice (`same_models.py`).
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import sys
import time
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from everystate.model.assess import Check, Files, Settings, cells, parse, plan, scope_of, settle
from everystate.model.assess.assessment import BROKEN, UNDECIDED, Cell, Result
from everystate.model.assess.pairs import BETWEEN, pairs
from everystate.model.commands.assessments import Checks
from everystate.model.fault_table import FAULTS
from everystate.model.transactions.records import FAULTS as OF_TRANSACTIONAL

sys.path.insert(0, str(Path(__file__).parent.parent))
from bench.same_models import Field, Noting, equals, noted

THREE = "replication.factor=3\nmin.insync.replicas=2\n"
ALONE = "replication.factor=1\n"
PLAIN = "enable.idempotence=false\n"
ONE = "max.in.flight.requests.per.connection=1\n"
TRANSACTIONAL = "transactional.id=orders\n"
IDEMPOTENT = "enable.idempotence=true\nacks=all\n"
CONFIGURATIONS = {
    "defaults": (IDEMPOTENT, THREE, ""),
    "one-in-flight": (IDEMPOTENT + ONE, THREE, ""),
    "min-1": (IDEMPOTENT, "replication.factor=3\nmin.insync.replicas=1\n", ""),
    "two-replicas": (IDEMPOTENT, "replication.factor=2\nmin.insync.replicas=1\n", ""),
    "one-replica": (IDEMPOTENT, ALONE, ""),
    "unclean-election": (IDEMPOTENT, THREE + "unclean.leader.election.enable=true\n", ""),
    "one-retry": (IDEMPOTENT + "retries=1\n", THREE, ""),
    "not-idempotent": (PLAIN + "acks=all\n", THREE, ""),
    "not-idempotent-one-in-flight": (PLAIN + "acks=all\n" + ONE, THREE, ""),
    "acks-1": (PLAIN + "acks=1\n", THREE, ""),
    "transactions": (TRANSACTIONAL, THREE, ""),
    "transactions-one-replica": (
        TRANSACTIONAL,
        ALONE,
        "transaction.state.log.replication.factor=1\ntransaction.state.log.min.isr=1\n",
    ),
}
"""The settings of the producer, its topic and the brokers."""


@dataclass(frozen=True)
class Release:
    """Releases of client and brokers; `early` is the protocol version before 2.5, which assess does not read."""

    client: tuple[int, int, int]
    server: tuple[int, int, int]
    broker: str = ""
    early: str = ""


def same(*version: int, broker: str = "", early: str = "") -> Release:
    """Client and brokers of one release."""
    release = (version[0], version[1], version[2] if len(version) > 2 else 9)
    return Release(release, release, broker, early)


RELEASES = {
    "4.4": same(4, 4, 0),
    "3.5": same(3, 5),
    "2.6": same(2, 6),
    "2.6-with-4.4": Release((2, 6, 0), (4, 4, 0)),
    "2.4": same(2, 5, early="2.4"),
    "2.3": same(2, 5, early="kafka-8484"),
    "2.2": same(2, 5, early="kafka-5886"),
    "2.0": same(2, 5, early="kafka-5494"),
    "1.0.0": same(2, 5, early="1.0.0"),
    "0.11": same(2, 5, early="kip-98"),
}
"""Those of producers without a transactional.id: a protocol version of the model each."""
OF_TRANSACTIONS = {
    "4.4": same(4, 4, 0),
    "4.4-without-tv2": same(4, 4, 0, broker="transaction.version=1\n"),
    "4.4-unverified": same(4, 4, 0, broker="transaction.version=1\ntransaction.partition.verification.enable=false\n"),
    "3.9-with-4.4": Release((3, 9, 1), (4, 4, 0)),
    "4.2": same(4, 2, 0),
    "4.1": same(4, 1, 0),
    "4.0.2": same(4, 0, 2),
    "4.0.1": same(4, 0, 1),
    "4.0.0": same(4, 0, 0),
    "3.9.2": same(3, 9, 2),
    "3.9.1": same(3, 9, 1),
    "3.5": same(3, 5),
    "2.6": same(2, 6),
}
UNNAMED, ALL = "fault", {*FAULTS, *OF_TRANSACTIONAL}
LEFT_OUT = "takes-writes"
"""Follows from the number of brokers that are down, which adds up."""
KEPT = Path(__file__).with_suffix(".jsonl.gz")
"""Results that are in the repository."""
BATCH = 64
"""Checks for each process, before those with the same models are looked for."""


def releases(settings: str) -> dict[str, Release]:
    """The releases of a configuration."""
    return OF_TRANSACTIONS if "transactional.id" in settings else RELEASES


def settings_of(configuration: str, release: Release) -> Settings:
    """What is assessed."""
    producer, topic, broker = (parse(text) for text in CONFIGURATIONS[configuration])
    broker |= parse(release.broker)
    return settle(Files(producer=producer, topic=topic, broker=broker, server=release.server, client=release.client))


def of_release(check: Check, release: Release) -> Check:
    """The check with client and brokers of an early release, which asks for producer ids in place of epochs."""
    if not release.early:
        return check
    if check.constants["generation"] == "non-idempotent":
        return replace(check, constants={**check.constants, "broker_generation": release.early})
    constants = {**check.constants, "generation": release.early, "pids": check.constants.get("pids", 1) + 2}
    constants.pop("broker_generation", None)
    if release.early == "kip-98":
        constants["max_in_flight"] = 1
    return replace(check, constants=constants)


@dataclass(frozen=True)
class Table:
    """The table of a configuration with a release: the failures, and the checks that decide its cells."""

    configuration: str
    release: str
    settings: Settings
    failures: list[str]
    checks: dict[str, Check]
    """By the command that assess would make."""


def tables(configurations: list[str], names: list[str]) -> Iterator[Table]:
    """The tables that were asked for; those of the newest releases first."""
    for name in dict.fromkeys((*RELEASES, *OF_TRANSACTIONS)):
        for configuration in configurations:
            release = releases(CONFIGURATIONS[configuration][0]).get(name)
            if release is None or (names and name not in names):
                continue
            settings = settings_of(configuration, release)
            alone = scope_of(settings).alone
            failures = [*alone, *pairs(alone)]
            checks = {command: of_release(check, release) for command, check in plan(settings, failures).items()}
            yield Table(configuration, name, settings, failures, checks)


# -- results that are kept ---------------------------------------------------------------------------------


def kept(path: Path) -> dict[str, Result]:
    """Results by the command of their check: those of the repository, and those of a file."""
    lines = path.read_text().splitlines() if path.exists() else []
    return {each["command"]: Result(**each["result"]) for each in (*archive(), *map(json.loads, lines))}


@cache
def archive() -> list[dict[str, Any]]:
    """Each check of the repository: its command, its result, and what it asked the protocol versions for."""
    return [json.loads(line) for line in gzip.decompress(KEPT.read_bytes()).splitlines()] if KEPT.exists() else []


def fields_asked(path: Path) -> dict[str, list[Field]]:
    """What checks asked the protocol versions for: those of the repository, and those of a file."""
    before = {each["command"]: [(side, name) for side, name in each["asked"]] for each in archive() if each["asked"]}
    return before | noted(notes_of(path))


def notes_of(path: Path) -> Path:
    """The file beside results for what their checks asked for."""
    return path.with_suffix(".asked.jsonl")


def keep_all(path: Path) -> None:
    """Write the results of all checks that a table has into the repository."""
    wanted = {check.command for table in tables(list(CONFIGURATIONS), []) for check in table.checks.values()}
    asked, lines = fields_asked(path), list[str]()
    for command, result in sorted(kept(path).items()):
        if command in wanted:
            lines.append(json.dumps({"command": command, "result": asdict(result), "asked": asked.get(command, [])}))
    KEPT.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0))
    print(f"{len(lines)} results in {KEPT}")


def again(found: list[Table], path: Path, number: int, workers: int) -> int:
    """Make some decided checks again; 1 where what is violated, or a length, is another."""
    results = kept(path)
    decided = {command for command, result in results.items() if not result.undecided}
    known = {c.command: c for table in found for c in table.checks.values() if c.command in decided}
    chosen = random.sample(sorted(known), min(number, len(known)))
    with Checks(workers, quiet=True) as make:
        made = make({command: known[command] for command in chosen})
    different = [command for command in chosen if made[command].violated != results[command].violated]
    for command in different:
        print(f"{command}\n  was {results[command].violated}\n  is {made[command].violated}")
    print(f"{len(chosen)} checks made again, {len(different)} differ")
    return 1 if different else 0


def search(found: list[Table], path: Path, seconds: float, workers: int) -> None:
    """Make the checks that are missing, until the time is over; none whose model another check has had."""
    end, results = time.monotonic() + seconds, kept(path)
    known, equal = set(results), 0
    wanted = {c.command: c for table in found for c in table.checks.values()}
    every = {c.command: c for table in tables(list(CONFIGURATIONS), []) for c in table.checks.values()}
    path.parent.mkdir(parents=True, exist_ok=True)
    with Checks(workers, quiet=True, load=Noting(notes_of(path))) as make, path.open("a") as out:

        def keep(command: str, result: Result) -> None:
            results[command] = result
            out.write(json.dumps({"command": command, "result": asdict(result)}) + "\n")
            out.flush()

        def left() -> list[Check]:
            return [check for command, check in wanted.items() if command not in results]

        while left() and time.monotonic() < end:
            made = [check for command, check in every.items() if command in results]
            for check, other in list(equals(left(), made, fields_asked(path))):
                keep(check.command, results[other.command])
                equal += 1
            batch = {check.command: check for check in left()[: BATCH * workers]}
            for command, result in make(batch).items():
                keep(command, replace(result, traces={k: "; ".join(steps(t)) for k, t in result.traces.items()}))
    print(f"{len(results) - len(known) - equal} checks made, {equal} have the model of another, {len(left())} left")


def steps(trace: str) -> Iterator[str]:
    """The steps of a counterexample; a fault with its kind behind it."""
    step, kinds, spent = "", list[str](), False
    for line in trace.splitlines():
        if found := re.match(r" *\d+\. (.*)", line):
            yield from [step + _kinds(kinds, spent)] if step and step != "initial state" else []
            step, kinds, spent = found[1], [], False
        elif found := re.match(r" *(\w+)_used: \d+ -> \d+", line):
            kinds.append(found[1])
        elif re.match(r" *faults_left: ", line):
            spent = True
        elif line and not line.startswith(" ") and step != "":
            break
    yield step + _kinds(kinds, spent)


def _kinds(kinds: list[str], spent: bool) -> str:
    return f" [{','.join(kinds) or UNNAMED}]" if spent else ""


# -- what they show ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class New:
    """A promise that two failures break and neither of them alone."""

    table: Table
    cell: Cell

    @property
    def broken(self) -> str:
        """The property of the model."""
        return scope_of(self.table.settings).promises[self.cell.promise].property

    @property
    def faults(self) -> tuple[str, ...]:
        """The kinds of faults in the shortest counterexample."""
        found = re.findall(r"\[([\w,]+)\]", self.cell.trace)
        kinds = {kind for each in found for kind in each.split(",")} - {"pids"}
        constants = self.cell.check.constants if self.cell.check else {}
        alone = {name for name, number in constants.items() if name in ALL and number}
        return tuple(sorted(alone if kinds == {UNNAMED} else kinds))

    @property
    def key(self) -> tuple[str, str, tuple[str, ...]]:
        """What one reason explains: model, property, and kinds of faults."""
        model = "transactions" if self.table.settings.transactional else "producer"
        return model, self.broken, self.faults


def judged(table: Table, results: dict[str, Result]) -> tuple[Cell, ...] | None:
    """The cells of a table; None where a check is missing."""
    if any(check.command not in results for check in table.checks.values()):
        return None
    named = {command: results[check.command] for command, check in table.checks.items()}
    promises = [name for name in scope_of(table.settings).promises if name != LEFT_OUT]
    return cells(table.settings, table.failures, promises, named)


def new_cells(table: Table, found: tuple[Cell, ...]) -> Iterator[New]:
    """The cells that are broken by two failures together, and by neither alone."""
    broken = {(cell.promise, cell.failure) for cell in found if cell.status == BROKEN}
    for cell in found:
        parts = cell.failure.split(BETWEEN)
        if len(parts) == 2 and cell.status == BROKEN and not any((cell.promise, part) in broken for part in parts):
            yield New(table, cell)


def reasons() -> dict[tuple[str, str, tuple[str, ...]], str]:
    """What explains a new cell, by its key."""
    rows = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["reason"]
    return {
        (row["model"], broken, tuple(sorted(kinds))): row["because"]
        for row in rows
        for broken, sets in row["faults"].items()
        for kinds in sets
    }


def report(found: list[Table], results: dict[str, Result], verbose: bool) -> int:
    """Print what was searched and what is new; 1 where something is not explained, 3 where checks are missing."""
    known, groups, complete = reasons(), defaultdict[tuple[str, str, tuple[str, ...]], list[New]](list), True
    for table in found:
        all_cells = judged(table, results)
        if all_cells is None:
            left = sum(check.command not in results for check in table.checks.values())
            print(f"{table.configuration:30}{table.release:18}{left} of {len(table.checks)} checks are missing")
            complete = False
            continue
        two = [cell for cell in all_cells if BETWEEN in cell.failure]
        broken, open_ = ([c for c in two if c.status == status] for status in (BROKEN, UNDECIDED))
        new = list(new_cells(table, all_cells))
        counts = f"{len(table.checks)} checks, {len(two)} cells, {len(broken)} broken, {len(new)} new"
        print(f"{table.configuration:30}{table.release:18}{counts}, {len(open_)} undecided")
        for each in new:
            groups[each.key].append(each)
    print()
    for key, group in sorted(groups.items()):
        _tell(key, group, known.get(key, ""), verbose)
    if any(key not in known for key in groups):
        return 1
    return 0 if complete else 3


def _tell(key: tuple[str, str, tuple[str, ...]], group: list[New], because: str, verbose: bool) -> None:
    model, name, faults = key
    shortest = min(group, key=lambda new: new.cell.steps or 0)
    print(f"{model}: {name} by {', '.join(faults) or 'the rules of replication'}: {len(group)} cells")
    print(f"  {because or 'NOT EXPLAINED'}")
    where = sorted({(new.table.configuration, new.table.release) for new in group})
    print(f"  in {', '.join(' '.join(each) for each in where[:6])}{', ...' if len(where) > 6 else ''}")
    if (verbose or not because) and shortest.cell.check is not None:
        release = releases(CONFIGURATIONS[shortest.table.configuration][0])[shortest.table.release]
        made = of_release(shortest.cell.check, release).command
        print(f"  {shortest.cell.failure}, {shortest.cell.steps} steps: {made}")
        print(f"  {shortest.cell.trace}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--configurations", default=",".join(CONFIGURATIONS))
    parser.add_argument("--releases", default="")
    parser.add_argument("--seconds", type=float, default=170)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--only-report", action="store_true")
    parser.add_argument("--again", type=int, default=0, metavar="N")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--verbose", action="store_true", help="print every counterexample")
    parser.add_argument("--results", type=Path, default=Path("out/pairs.jsonl"))
    given = parser.parse_args()
    found = list(tables(given.configurations.split(","), [name for name in given.releases.split(",") if name]))
    if given.keep:
        keep_all(given.results)
        return 0
    if given.again:
        return again(found, given.results, given.again, given.workers)
    if not given.only_report:
        search(found, given.results, given.seconds, given.workers)
    return report(found, kept(given.results), given.verbose)


if __name__ == "__main__":
    raise SystemExit(main())
