"""The names of `everystate list`."""

from __future__ import annotations

import itertools
import tomllib
from pathlib import Path

import pytest

from everystate.checker.cli.main import main
from everystate.checker.cli.targets import resolve
from everystate.checker.language.scenario import Scenario
from everystate.specs import registry

ROOT = Path(__file__).parents[2]


def test_names_are_unique() -> None:
    names = registry.names()
    assert len(set(names)) == len(names)


def test_every_classic_has_a_name() -> None:
    files = {path.stem for path in (ROOT / "specs" / "classics").glob("*.py")} - {"__init__"}
    assert {s.target.split(".")[-1].split(":")[0] for s in registry.OWN} == files | {"idem_producer"}


@pytest.mark.parametrize("scenario", registry.OWN, ids=lambda scenario: scenario.name)
def test_a_name_leads_to_its_spec(scenario: Scenario) -> None:
    spec = resolve(scenario.name).spec()
    names = {p.name for p in spec.properties} | {"deadlock"}
    assert set(scenario.expected) <= names
    assert scenario.title and scenario.title[0] == scenario.title[0].strip()


def test_what_is_expected_agrees_with_the_oracles() -> None:
    rows = tomllib.loads((ROOT / "specs" / "classics" / "oracles.toml").read_text())["row"]
    failing = {row["target"]: {row.get("property", "deadlock"): row["steps"]} for row in rows if "verdict" in row}
    for scenario in registry.OWN:
        if scenario.target in failing:
            assert scenario.expected == failing[scenario.target], scenario.name


def test_the_preset_of_a_name_can_be_overridden() -> None:
    target = resolve("idem-producer/unsafe")
    assert target.spec().constants["max_in_flight"] == 6
    assert target.spec({"max_in_flight": 4}).constants["max_in_flight"] == 4


def test_names_are_listed_under_headings(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    headings = [line for line in lines if line and not line.startswith(" ")]
    assert headings[:3] == ["A first example", "Classics", "Kafka's idempotent producer, by protocol version"]
    assert [line.split()[0] for line in lines if line.startswith(" ")] == registry.names()


def test_the_groups_fit_one_screen(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """and each of their words lists its names"""
    monkeypatch.setenv("COLUMNS", "100")
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 40 and max(map(len, lines)) <= 100
    for group, scenarios in zip(registry.GROUPS, registry.groups().values(), strict=True):
        assert any(line.startswith(f"{group} ({len(scenarios)}): ") for line in lines)
        assert main(["list", group]) == 0
        listed = capsys.readouterr().out.splitlines()[1:]
        names = [line.split()[0] for line in listed if line[2] != " "]  # a long title continues in the next line
        assert names == [scenario.name for scenario in scenarios]


def test_the_scenarios_of_a_protocol_version_follow_each_other() -> None:
    kafka = registry.groups()[registry.PACKAGES["kafka"]]
    versions = [version for version, _ in itertools.groupby(s.name.partition("/")[0] for s in kafka)]
    assert len(set(versions)) == len(versions)


def test_an_unknown_command_suggests_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chek", "hanoi"]) == 2
    assert "No such command 'chek'; did you mean 'check'?" in capsys.readouterr().err


def test_a_scenario_is_listed_with_what_is_expected_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "current/clean-restart"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "expected: NoDuplicate fails after 11 steps" in lines and "reachability properties" in lines
    assert main(["list", "ewd840-liveness"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "expected: every property holds" in lines and "temporal properties" in lines
