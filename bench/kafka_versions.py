"""Which counterexamples Kafka's own classes reproduce, by release: writes docs/reference/conformance-versions.md.

    python bench/kafka_versions.py                every pinned release, some five minutes
    python bench/kafka_versions.py 4.4.0 3.9.2    these releases only, to standard output

Every scenario that is violated is searched once for each generation of clients that a release can be of, and its
shortest traces are driven on each release as `everystate conform` does. A row that changes with a release is a fix or a
regression.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from everystate.checker.cli.sweeps import load
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.frontend import model
from everystate.checker.language.scenario import Scenario
from everystate.model import KafkaProducer
from everystate.model.conformance.behaviour import of_trace
from everystate.model.conformance.drivable import generation_of, obstacles
from everystate.model.conformance.jars import provide
from everystate.model.conformance.jobs import Job, Plan, work
from everystate.model.conformance.process import run
from everystate.model.conformance.report import Report
from everystate.model.conformance.versions import PINNED, Kafka
from everystate.model.generation import GENERATIONS
from everystate.specs.kafka import SCENARIOS
from everystate.specs.kafka.common import TARGET

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "conformance-versions.md"
REPRODUCED, DIFFERS, NOT_VIOLATED, NOT_DRIVABLE = "reproduced", "different", "not violated", "not driven"
CELL = re.compile(f"({REPRODUCED}|{DIFFERS}|{NOT_VIOLATED}|{NOT_DRIVABLE}) ([^;|]+)")
HEAD = """\
# Results by release of Kafka

Written by `python bench/kafka_versions.py`. It drives the shortest counterexamples of each violated scenario on Kafka's
classes, and compares after each step. {releases}; slow scenarios are omitted.

- The producer and the broker's log are real in every release: up to 4.0 the log is in Scala, from 4.1 on in Java.
- Protocol versions: {generations}.
- From 2.5 on, a scenario of the current version is searched again with that of the release.

| result | meaning |
|---|---|
| {reproduced} | each counterexample was driven to its end, and everything compared was equal |
| {differs} | Kafka did something else |
| {holds} | the scenario is not violated with the protocol version of this release |
| {not_drivable} | the scenario is of another protocol version, or cannot be driven on this release |
"""


@dataclass(frozen=True)
class Row:
    """A scenario as a generation has it."""

    scenario: Scenario
    generation: str

    @property
    def spec(self) -> KafkaProducer:
        return KafkaProducer(**self.constants)

    @property
    def constants(self) -> dict[str, object]:
        return {**self.scenario.constants, "generation": self.generation}

    def plan(self) -> Plan:
        """The traces of its violations; none where it has none."""
        spec = self.spec
        found = exhaustive.check(model.build(spec), target=self.scenario.name).violations
        behaviours = tuple(of_trace(spec, v.property, v.trace) for v in found if v.trace is not None)
        return Plan(self.scenario.name, TARGET, dict(self.constants), behaviours)


def main(versions: list[str]) -> None:
    releases = [PINNED[version] for version in versions or PINNED]
    rows = [s for s in SCENARIOS if s.expected and not s.slow]
    plans: dict[tuple[str, str], Plan] = {}
    cells: dict[str, dict[str, str]] = {}
    notes: dict[str, list[str]] = {}
    for kafka in releases:
        cells[kafka.version] = column(kafka, rows, plans, notes)
        print(kafka.version, *cells[kafka.version].values(), file=sys.stderr, flush=True)
    text = page(releases, rows, cells, notes)
    if versions:
        print(text)
    else:
        PAGE.write_text(text, "utf-8")


def column(
    kafka: Kafka, rows: list[Scenario], plans: dict[tuple[str, str], Plan], notes: dict[str, list[str]]
) -> dict[str, str]:
    """The cells of a release by scenario."""
    found: dict[str, str] = {}
    driven: list[Plan] = []
    for scenario in rows:
        row = Row(scenario, own_generation(scenario, kafka))
        reasons = list(obstacles(row.spec, kafka))
        if reasons:
            found[scenario.name] = NOT_DRIVABLE
            if not reasons[0].startswith("its generation"):
                note(notes, f"`{scenario.name}`: {'; '.join(reasons)}", kafka)
            continue
        key = scenario.name, row.generation
        if key not in plans:
            plans[key] = row.plan()
        found[scenario.name] = REPRODUCED if plans[key].behaviours else NOT_VIOLATED
        driven.append(plans[key])
    report: Report = run(*provide(kafka.version), work, Job(kafka.version, tuple(driven), load, shrinks=False, most=99))
    expected = {f"{plan.target}: {each.name}, with {plan.part}" for plan in driven for each in plan.behaviours}
    for missing in expected - set(report.shown):
        found[missing.partition(":")[0]] = DIFFERS
    for each in report.found:
        values = [f"{name}: model {ours}, Kafka {theirs}" for name, (ours, theirs) in each.difference.values.items()]
        step = f"step {len(each.turns)}, {each.turns[-1] if each.turns else 'the beginning'}"
        note(notes, f"`{each.target}`, {each.behaviour}, {step}: {each.difference.error or '; '.join(values)}", kafka)
    return found


def own_generation(scenario: Scenario, kafka: Kafka) -> str:
    """The generation that a scenario is to have on a release: the release's own in place of the current one.

    Not that of a producer which takes a new id where a later one bumps its epoch: it has scenarios of its own.
    """
    given, own = str(scenario.constants.get("generation", "current")), generation_of(kafka)
    return own if given == "current" and GENERATIONS[own].bumps else given


def note(notes: dict[str, list[str]], text: str, kafka: Kafka) -> None:
    notes.setdefault(text, []).append(kafka.version)


def page(
    releases: list[Kafka], rows: list[Scenario], cells: dict[str, dict[str, str]], notes: dict[str, list[str]]
) -> str:
    """The page in Markdown."""
    shown = [s for s in rows if any(column[s.name] != NOT_DRIVABLE for column in cells.values())]
    listed = {s.name for s in shown}
    generations: dict[str, list[str]] = {}
    for kafka in releases:
        generations.setdefault(generation_of(kafka), []).append(kafka.version)
    told = ", ".join(f"`{name}` {spans(found)}" for name, found in generations.items())
    lines = [
        HEAD.format(
            releases=f"{len(shown)} scenarios, {len(releases)} releases",
            generations=told,
            reproduced=REPRODUCED,
            differs=DIFFERS,
            holds=NOT_VIOLATED,
            not_drivable=NOT_DRIVABLE,
        )
    ]
    lines += table(releases, shown, cells)
    reasons: dict[str, list[str]] = {}
    for text, found in sorted(notes.items()):
        name, _, reason = text.removeprefix("`").partition("`")
        if name in listed:
            reasons.setdefault(f"{reason.lstrip(':, ')} ({spans(found)})", []).append(f"`{name}`")
    lines += ["", "## Reasons", ""] if reasons else []
    lines += [f"- {', '.join(names)}: {reason}" for reason, names in reasons.items()]
    return "\n".join(lines) + "\n"


def table(releases: list[Kafka], rows: list[Scenario], cells: dict[str, dict[str, str]]) -> list[str]:
    """A row for all scenarios with the same results."""
    found: dict[str, list[str]] = {}
    for scenario in rows:
        by_result: dict[str, list[str]] = {}
        for kafka in releases:
            by_result.setdefault(cells[kafka.version][scenario.name], []).append(kafka.version)
        results = "; ".join(f"{result} {spans(versions)}" for result, versions in by_result.items())
        found.setdefault(results, []).append(f"`{scenario.name}`")
    return [
        "| releases | scenarios |",
        "|---|---|",
        *(f"| {key} | {', '.join(names)} |" for key, names in found.items()),
    ]


def results_of(text: str) -> dict[str, dict[str, str]]:
    """By scenario of a page: the result on each release."""
    known, found = list(PINNED), dict[str, dict[str, str]]()
    for results, names in re.findall(r"^\| ([^|`]+ [\d.]+[^|`]*) \| (`.+`) \|$", text, re.MULTILINE):
        row: dict[str, str] = {}
        for result, versions in CELL.findall(results):
            for span in versions.strip().split(", "):
                first, _, last = span.partition(" to ")
                row |= dict.fromkeys(known[known.index(first) : known.index(last or first) + 1], result)
        found |= dict.fromkeys(re.findall(r"`([^`]+)`", names), row)
    return found


def spans(versions: Iterable[str]) -> str:
    """Releases as first to last where they are neighbours."""
    known = list(PINNED)
    places = [known.index(version) for version in versions]
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return ", ".join(known[r[0]] if len(r) == 1 else f"{known[r[0]]} to {known[r[-1]]}" for r in runs)


if __name__ == "__main__":
    main(sys.argv[1:])
