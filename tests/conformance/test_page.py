"""docs/reference/conformance-versions.md has a row for every scenario that can be driven."""

from __future__ import annotations

from bench.kafka_versions import DIFFERS, NOT_DRIVABLE, NOT_VIOLATED, PAGE, REPRODUCED, own_generation, results_of
from everystate.checker.language.scenario import Scenario
from everystate.model import KafkaProducer
from everystate.model.conformance.drivable import obstacles
from everystate.model.conformance.versions import PINNED
from everystate.specs.kafka import SCENARIOS


def drivable(scenario: Scenario) -> list[bool]:
    """Whether it can be driven on each release; releases of one generation have one spec."""
    generations = [own_generation(scenario, kafka) for kafka in PINNED.values()]
    specs = {name: KafkaProducer(**{**scenario.constants, "generation": name}) for name in set(generations)}
    found = zip(generations, PINNED.values(), strict=True)
    return [not list(obstacles(specs[name], kafka)) for name, kafka in found]


def test_the_page_has_every_violated_scenario_and_every_release() -> None:
    results = results_of(PAGE.read_text("utf-8"))
    assert {frozenset(found) for found in results.values()} == {frozenset(PINNED)}
    rows = {name: [found[version] for version in PINNED] for name, found in results.items()}
    violated = [scenario for scenario in SCENARIOS if scenario.expected and not scenario.slow]
    can = {scenario.name: drivable(scenario) for scenario in violated}
    assert rows.keys() == {name for name, found in can.items() if any(found)}
    assert {name: [cell != NOT_DRIVABLE for cell in cells] for name, cells in rows.items()} == {n: can[n] for n in rows}
    assert {cell for cells in rows.values() for cell in cells} <= {REPRODUCED, DIFFERS, NOT_VIOLATED, NOT_DRIVABLE}
