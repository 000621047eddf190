"""Matrix files, judgement, baselines and reports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.main import main
from everystate.checker.regression import baseline, github, junit
from everystate.checker.regression.judge import Row, judge
from everystate.checker.regression.matrix import Variant, read
from everystate.checker.regression.outcome import Outcome, Told, undecided
from everystate.specs import registry

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


def row(expected: dict[str, int], found: dict[str, int], distinct: int = 10, name: str = "a/b") -> Row:
    violations = [{"property": n, "kind": "invariant", "length": steps, "trace": None} for n, steps in found.items()]
    report: dict[str, Any] = {"target": "t", "constants": {"n": 1}, "exit_code": 12 if found else 0}
    report |= {"distinct": distinct, "generated": 20, "depth": 3, "seconds": 0.5, "violations": violations}
    stories = {n: Told(f"story of {n}\x00", "sequenceDiagram\n", "{}") for n in found}
    outcome = Outcome(report, "the verdict", ("P", "Q", "error"), stories=stories)
    return judge(Variant(name, "t", "title", expected=expected, mentioned=tuple(expected), line=7), outcome)


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
    assert "goal_not_reached fails after 6 steps, it should fail after 5 steps" in said
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
        assert {**first, "cached": True} == second
    entries = [path for path in (tmp_path / "cache" / "results").rglob("*") if path.is_file()]
    assert len(entries) == 3
    for path in entries:
        path.write_bytes(path.read_bytes()[:-9] + b"damaged!}")
    assert matrix(6) == 0
    assert capsys.readouterr().err.count("a damaged entry of the result cache was dropped") == 3
    assert matrix(6, "--no-cache", "-q") == 0
    assert "known from before" not in capsys.readouterr().out


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


# -- judgement ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "found", "wrong"),
    [
        ({}, {}, []),
        ({"P": 4}, {"P": 4}, []),
        ({"P": -1}, {"P": 9}, []),
        ({}, {"P": 4}, ["P fails after 4 steps, it should hold"]),
        ({"P": 4}, {}, ["P holds, it should fail after 4 steps"]),
        ({"P": 4}, {"P": 5}, ["P fails after 5 steps, it should fail after 4 steps"]),
        ({"R": 4}, {}, ["R is not among the properties of t"]),
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
        (row({}, {}), row({}, {"P": 4}), "broken", "P: proved -> fails after 4"),
        (row({}, {"P": 4}), row({}, {}), "mended", "P: fails after 4 -> proved"),
        (row({}, {"P": 4}), row({}, {"P": 6}), "longer", "P: fails after 4 -> fails after 6"),
        (row({}, {"P": 6}), row({}, {"P": 4}), "shorter", "P: fails after 6 -> fails after 4"),
        (row({}, {}), row({}, {}, distinct=11), "count", "distinct 10 -> 11"),
        (row({}, {}), row({}, {}, name="c"), "new", "it is new"),
    ],
)
def test_differences(before: Row, after: Row, sort: str, what: str) -> None:
    old = baseline.parse("b", baseline.written(baseline.snapshot([before])))
    changes = baseline.compare(old, [after], ["a/b", "c"])
    assert [(c.sort, c.what) for c in changes] == [(sort, what)]
    assert changes[0].serious == (sort not in ("count", "new"))
    assert baseline.MEANINGS[sort] in baseline.told(changes)


def test_a_variant_that_is_gone_is_told() -> None:
    old = baseline.snapshot([row({}, {})])
    assert [c.sort for c in baseline.compare(old, [], [])] == ["gone"]
    assert baseline.compare(old, [], ["a/b"]) == []
    assert baseline.merged(old, [], ["a/b"])["variants"] == old["variants"]


def test_the_baseline_decides_the_exit_code(matrix: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "base.json"
    assert matrix(6, "--baseline", str(path), "--update-baseline") == 0
    assert matrix(6, "--baseline", str(path)) == 0
    path.write_text(path.read_text().replace('"distinct": 12', '"distinct": 13'))
    assert matrix(6, "--baseline", str(path)) == 0
    assert "warning: hour-clock: distinct 13 -> 12" in capsys.readouterr().out
    path.write_text(path.read_text().replace('"NoDup": 18', '"NoDup": 20'))
    assert matrix(6, "--baseline", str(path)) == 12
    assert "changed: idem-producer/unsafe: NoDup: fails after 20 -> fails after 18" in capsys.readouterr().out


# -- the languages of CI -----------------------------------------------------------------------------------


def test_junit() -> None:
    root = ElementTree.fromstring(junit.document([row({}, {"P": 4}), row({}, {}, name="c")]))
    assert root.attrib == {"name": "everystate", "tests": "2", "failures": "1", "errors": "0", "time": "1.000"}
    failure = root.find("testsuite/testcase/failure")
    assert failure is not None and failure.text is not None
    assert failure.get("message") == "P fails after 4 steps, it should hold"
    assert "story of P?" in failure.text


def test_annotations_follow_the_grammar_of_workflow_commands() -> None:
    assert github.command("error", "50 %\nmore", file="a,b:c", line=3, title="") == (
        "::error file=a%2Cb%3Ac,line=3::50 %25%0Amore"
    )
    changes = [baseline.Change("a/b", "count", "distinct 1 -> 2")]
    lines = github.commands([row({}, {"P": 4})], changes, "m.toml")
    assert lines[0] == "::error file=m.toml,line=7,title=a/b::P fails after 4 steps, it should hold"
    assert lines[1].startswith("::warning file=m.toml,line=7,title=a/b::distinct 1 -> 2. same verdicts")


def test_the_step_summary_folds_the_counterexample() -> None:
    text = github.summary([row({}, {"P": 4})], [])
    assert "## ❌ Everystate: 1 of 1 variants are not as expected" in text
    assert "<details><summary>a/b: P fails after 4</summary>\n\n```mermaid\nsequenceDiagram\n```" in text
    assert text.count("<details>") == text.count("</details>") == 2


def test_the_steps_of_the_action_run_as_a_script(tmp_path: Path) -> None:
    script = Path(__file__).parents[2] / ".github" / "actions" / "matrix.sh"
    path = tmp_path / "m.toml"
    path.write_text(FILE % 5)
    places = {name: str(tmp_path / name.lower()) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    given = {"EVERYSTATE_MATRIX": str(path), "EVERYSTATE_JUNIT": str(tmp_path / "j.xml"), "EVERYSTATE_INSTALL": ""}
    folders = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    found = subprocess.run(
        [script], env={**os.environ, **places, **given, "PATH": folders}, capture_output=True, text=True, check=False
    )
    assert found.returncode == 12
    assert f"::error file={path},line=5,title=jugs::goal_not_reached fails after 6 steps" in found.stdout
    assert Path(places["GITHUB_OUTPUT"]).read_text() == "exit-code=12\n"
    assert "```mermaid" in Path(places["GITHUB_STEP_SUMMARY"]).read_text()
    assert ElementTree.parse(tmp_path / "j.xml").getroot().get("failures") == "1"
