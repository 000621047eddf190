"""Matrix files, judgement, baselines and reports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from everystate.checker import require
from everystate.checker.cli.main import main
from everystate.checker.cli.targets import resolve
from everystate.checker.regression.matrix import baseline
from everystate.checker.regression.matrix.judge import Row, judge
from everystate.checker.regression.matrix.variants import Variant, read
from everystate.checker.regression.runners.outcome import undecided
from everystate.model import KafkaProducer
from everystate.specs import registry

from .rows import lost, row

FILE = """
[defaults]
time = 60

[[variant]]
name = "jugs"
target = "die-hard"
expect = { goal_not_reached = %s }

[[scenarios]]
match = ["hour-*", "idem-producer/unsafe"]
tags = ["fast"]
"""


@pytest.fixture
def matrix(tmp_path: Path) -> Any:
    def run(steps: object, *arguments: str) -> int:
        path = tmp_path / "m.toml"
        path.write_text(FILE % steps)
        return main(["matrix", str(path), "--workers", "1", *arguments])

    return run


def test_everything_as_expected(matrix: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert matrix(6) == 0
    assert "AS EXPECTED  all 3 variants" in capsys.readouterr().out


def test_another_length_is_not_as_expected(matrix: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert matrix(5) == 12
    said = capsys.readouterr().out
    assert "goal_not_reached violated after 6 steps, it should be violated after 5 steps" in said
    assert "6!" in said


def test_parallel_processes_find_the_same(matrix: Any, capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for workers in ("1", "2"):
        matrix(6, "--json", "-", "--no-cache", "--workers", workers)
        results = json.loads(capsys.readouterr().out)["results"]
        found.append([(r["variant"], r["verdict"], r["distinct"], r["generated"], r["expected"]) for r in results])
    assert found[0] == found[1]
    assert [name for name, *_ in found[0]] == ["jugs", "idem-producer/unsafe", "hour-clock"]


def test_a_known_result_is_recalled_and_a_damaged_one_dropped(
    matrix: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path / "cache"))
    runs = []
    for _ in range(2):
        assert matrix(6, "--json", "-") == 0
        runs.append(json.loads(capsys.readouterr().out)["results"])
    assert [r["cached"] for r in runs[0]] == [False] * 3
    assert [r["cached"] for r in runs[1]] == [True] * 3
    for first, second in zip(*runs, strict=True):
        assert first.pop("times").keys() >= {"command", "compiling", "search", "cross-check"}
        assert first["paths"]["executed"] == first.pop("paths")["taken"] > 0
        assert 0 < second["cross_checked"] <= 32
        assert {**first, "cached": True, "cross_checked": second["cross_checked"]} == second
    entries = [path for path in (tmp_path / "cache" / "results").rglob("*") if path.is_file()]
    assert len(entries) == 3
    for path in entries:
        path.write_bytes(path.read_bytes()[:-9] + b"damaged!}")
    assert matrix(6) == 0
    assert capsys.readouterr().err.count("a damaged entry of the result cache was dropped") == 3
    whole = [path.read_bytes() for path in entries]
    for path, other in zip(entries, whole[1:] + whole[:1], strict=True):
        path.write_bytes(other)  # each is that of another check
    assert matrix(6) == 0
    assert capsys.readouterr().err.count("a damaged entry of the result cache was dropped") == 3
    assert matrix(6, "--no-cache", "-q") == 0
    assert "known from before" not in capsys.readouterr().out


def test_a_result_that_nobody_may_read_is_made_again(
    matrix: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is not damaged, and a folder into which nobody may look ended with E503."""
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path / "cache"))
    stat = Path.stat

    def refused(path: Path, **given: Any) -> Any:
        if "results" in path.parts:
            raise PermissionError(13, "Permission denied")
        return stat(path, **given)

    monkeypatch.setattr(Path, "stat", refused)
    assert matrix(6, "-q") == 0
    assert "damaged" not in capsys.readouterr().err


def test_a_limit_leaves_a_variant_open(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.toml"
    path.write_text('[[variant]]\nname = "n"\ntarget = "idem-producer"\nstates = 40\n')
    assert main(["matrix", str(path), "--no-cache"]) == 3
    assert "NoDup is undecided: the limit of 40 states is reached" in capsys.readouterr().out


def test_a_spec_that_cannot_be_made_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.toml"
    path.write_text('[[variant]]\nname = "n"\ntarget = "idem-producer"\nconstants = { windows = 4 }\n')
    assert main(["matrix", str(path)]) == 12
    assert "error E107" in capsys.readouterr().out


def test_the_own_matrix_has_every_scenario() -> None:
    path = Path(registry.__file__).with_name("matrix.toml")
    variants = {v.name: v for v in read(str(path), path.read_text(), registry.scenarios())}
    for scenario in registry.scenarios():
        assert variants[scenario.name].expected == scenario.expected
        assert ("fast" in variants[scenario.name].tags) == (not scenario.slow)


def test_the_own_baseline_says_of_every_scenario_what_is_expected() -> None:
    path = Path(registry.__file__).with_name("baseline.json")
    known = baseline.parse(str(path), path.read_text("utf-8"))["variants"]
    assert sorted(known) == sorted(scenario.name for scenario in registry.scenarios())
    for scenario in registry.scenarios():
        found = known[scenario.name]["properties"]
        assert {name: steps for name, steps in found.items() if steps != "proved"} == scenario.expected
        defaults = resolve(scenario.name).cls._declared_constants()
        chosen = {name: value for name, value in scenario.constants.items() if value != defaults[name].default}
        assert known[scenario.name]["constants"] == json.loads(json.dumps(chosen)), scenario.name


def test_a_changed_state_count_of_the_own_matrix_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "window/2-in-flight-2-remembered"
    tables = f'[[scenarios]]\nmatch = "{name}"\ntags = ["one"]\n[[scenarios]]\nmatch = "*"\nexcept = "{name}"\n'
    (tmp_path / "m.toml").write_text(tables)
    path = Path(registry.__file__).with_name("baseline.json")
    line = ["matrix", str(tmp_path / "m.toml"), "--tag", "one", "--baseline", str(path)]
    assert main(line) == 0
    assert "warning" not in capsys.readouterr().out
    monkeypatch.setattr(KafkaProducer, "not_muted", lambda self, partition: require(self.faults_left > 0))
    assert main(line) == 0
    assert "warning: window/2-in-flight-2-remembered: distinct 166 -> " in capsys.readouterr().out


# -- judgement ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "found", "wrong"),
    [
        ({}, {}, []),
        ({"P": 4}, {"P": 4}, []),
        ({"P": -1}, {"P": 9}, []),
        ({}, {"P": 4}, ["P violated after 4 steps, it should hold"]),
        ({"P": 4}, {}, ["P holds, it should be violated after 4 steps"]),
        ({"P": 4}, {"P": 5}, ["P violated after 5 steps, it should be violated after 4 steps"]),
        ({"R": 4}, {}, ["R is not among the properties of t (P, Q)"]),
        ({}, {"error": 3}, ["error fails after 3 steps, it should hold"]),
    ],
)
def test_judgement(expected: dict[str, int], found: dict[str, int], wrong: list[str]) -> None:
    assert list(row(expected, found).wrong) == wrong


def test_an_undecided_variant_is_open_and_not_wrong() -> None:
    found = judge(Variant("n", "t", mentioned=("P",)), undecided("no time", "t", {}))
    assert found.open and not found.good


# -- baseline ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "sort", "what"),
    [
        (row({}, {}), row({}, {"P": 4}), "broken", "P: proved -> violated after 4"),
        (row({}, {"P": 4}), row({}, {}), "mended", "P: violated after 4 -> proved"),
        (row({}, {"P": 4}), row({}, {"P": 6}), "longer", "P: violated after 4 -> violated after 6"),
        (row({}, {"P": 6}), row({}, {"P": 4}), "shorter", "P: violated after 6 -> violated after 4"),
        (row({}, {}), row({}, {}, distinct=11), "count", "distinct 10 -> 11"),
        (row({}, {}), row({}, {}, name="c"), "new", "it is new"),
        (row({}, {}), lost("a/b"), "open", "undecided: the time limit of 1 s is reached"),
        (row({}, {"error": 3}), row({}, {}), "mended", "error: violated after 3 -> proved"),
        (row({}, {}), row({}, {}, constants={"n": (1, 3)}), "constants", "other constants: n [1, 2] -> [1, 3]"),
    ],
)
def test_differences(before: Row, after: Row, sort: str, what: str) -> None:
    old = baseline.parse("b", baseline.written(baseline.snapshot([before])))
    changes = baseline.compare(old, [after], ["a/b", "c"])
    assert [(c.sort, c.what) for c in changes] == [(sort, what)]
    assert changes[0].serious == (sort not in ("count", "new", "constants"))
    assert baseline.MEANINGS[sort] in baseline.changes_text(changes)


def test_a_property_that_is_gone_is_told() -> None:
    old = baseline.snapshot([row({}, {})])
    old["variants"]["a/b"]["properties"]["R"] = "proved"
    assert [str(c) for c in baseline.compare(old, [row({}, {})], ["a/b"])] == ["a/b: R: proved -> absent"]


def test_what_could_not_be_checked_does_not_enter_a_baseline() -> None:
    old = baseline.snapshot([row({}, {})])
    assert baseline.merged(old, [lost("a/b"), lost("new")]) == old


def test_a_variant_that_is_gone_is_told() -> None:
    old = baseline.snapshot([row({}, {})])
    assert [c.sort for c in baseline.compare(old, [], [])] == ["gone"]
    assert baseline.compare(old, [], ["a/b"]) == []
    assert baseline.merged(old, [])["variants"] == old["variants"]


def test_an_update_keeps_what_another_matrix_has_found(
    matrix: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "base.json"
    others = [row({}, {}, name=f"other/{n}") for n in range(5)]
    path.write_text(baseline.written(baseline.snapshot(others)))
    assert matrix(6, "--baseline", str(path), "--update-baseline") == 0
    assert (
        "note: the baseline keeps what this matrix has not: other/0, other/1, other/2 and 2 more; --prune takes it out"
        in capsys.readouterr().err
    )
    kept = baseline.parse("b", path.read_text())["variants"]
    assert len(kept) > 5 and all(f"other/{n}" in kept for n in range(5))
    assert matrix(6, "--baseline", str(path), "--update-baseline", "--prune") == 0
    assert "keeps" not in capsys.readouterr().err
    assert baseline.parse("b", path.read_text())["variants"].keys() == {n for n in kept if not n.startswith("other/")}
    assert matrix(6, "--baseline", str(path), "--prune") == 2


def test_the_baseline_decides_the_exit_code(matrix: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "base.json"
    assert matrix(6, "--baseline", str(path), "--update-baseline") == 0
    assert matrix(6, "--baseline", str(path)) == 0
    path.write_text(path.read_text().replace('"distinct": 12', '"distinct": 13'))
    assert matrix(6, "--baseline", str(path)) == 0
    assert "warning: hour-clock: distinct 13 -> 12" in capsys.readouterr().out
    path.write_text(path.read_text().replace('"NoDup": 18', '"NoDup": 20'))
    assert matrix(6, "--baseline", str(path)) == 12
    assert "changed: idem-producer/unsafe: NoDup: violated after 20 -> violated after 18" in capsys.readouterr().out
