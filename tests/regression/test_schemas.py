"""The published JSON Schemas: reports are as they say, and a matrix file is refused by both or by neither."""

from __future__ import annotations

import ast
import inspect
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from everystate.checker.cli.commands.schema import NAMES
from everystate.checker.cli.main import main
from everystate.checker.errors import EverystateError
from everystate.checker.regression.matrix.schema import TABLES, Reader
from everystate.checker.regression.runners.outcome import PROVED, REFUSED, UNDECIDED, VIOLATED
from everystate.checker.results.report import report
from everystate.checker.results.verdict import Kind, Verdict

ROOT = Path(__file__).parents[2]
REPORT, MATRIX = (
    json.loads((ROOT / "docs" / "reference" / f"{name}.schema.json").read_text("utf-8"))
    for name in ("report", "matrix")
)
GOOD = {
    "nothing": "",
    "own": (ROOT / "specs" / "matrix.toml").read_text("utf-8"),
    "whole": """
[defaults]
time = 0.5
memory = 2
tags = []
[[variant]]
name = "a"
target = "die-hard"
title = "b"
constants = { goal = 3 }
expect = { x = 3, y = "proved", z = "violated" }
distinct = 1
states = 1
threads = 256
deadlock = false
conform = true
[[scenarios]]
match = ["die-*"]
except = "die-hard"
conform = ["newest"]
[[scenarios]]
match = "hanoi"
conform = { releases = ["1"], walks = 0, steps = 1, seed = -1, faults = 0.5, expect = "agreed" }
""",
}
BAD = {
    "no name": '[[variant]]\ntarget = "a"\n',
    "no target": '[[variant]]\nname = "a"\n',
    "no match": '[[scenarios]]\nexcept = "a"\n',
    "unknown table": '[[variants]]\nname = "a"\n',
    "unknown key": '[[variant]]\nname = "a"\ntarget = "a"\nexpects = { }\n',
    "key of another table": '[[scenarios]]\nmatch = "a"\nexpect = { }\n',
    "one variant only": '[variant]\nname = "a"\ntarget = "a"\n',
    "defaults twice": "[[defaults]]\ntime = 5\n[[defaults]]\nthreads = 2\n",
    "blank name": '[[variant]]\nname = " "\ntarget = "a"\n',
    "number for a text": '[[variant]]\nname = 1\ntarget = "a"\n',
    "no time": "[defaults]\ntime = 0\n",
    "true for a time": "[defaults]\ntime = true\n",
    "half a state": "[defaults]\nstates = 1.5\n",
    "no state": "[defaults]\nstates = 0\n",
    "too many threads": "[defaults]\nthreads = 257\n",
    "text for a boolean": '[defaults]\ndeadlock = "no"\n',
    "text for tags": '[defaults]\ntags = "fast"\n',
    "length below zero": '[[variant]]\nname = "a"\ntarget = "a"\nexpect = { x = -1 }\n',
    "no such status": '[[variant]]\nname = "a"\ntarget = "a"\nexpect = { x = "safe" }\n',
    "text for a wish": "[defaults]\nconform = 'newest'\n",
    "no such wish": "[defaults]\nconform = { walk = 3 }\n",
    "no such verdict": "[defaults]\nconform = { expect = 'proved' }\n",
    "more than always": "[defaults]\nconform = { faults = 2 }\n",
    "no step": "[defaults]\nconform = { steps = 0 }\n",
    "no table of constants": '[[variant]]\nname = "a"\ntarget = "a"\nconstants = 3\n',
}


def accepted(text: str) -> tuple[bool, bool]:
    """Whether the reader accepts a matrix file, and whether its schema does."""
    try:
        Reader("m.toml", text).tables()
        read = True
    except EverystateError as error:
        assert error.code in ("E421", "E422", "E423")
        read = False
    return read, Draft202012Validator(MATRIX).is_valid(tomllib.loads(text))


@pytest.mark.parametrize("name", GOOD)
def test_a_good_matrix_is_accepted(name: str) -> None:
    assert accepted(GOOD[name]) == (True, True)


@pytest.mark.parametrize("name", BAD)
def test_a_bad_matrix_is_refused(name: str) -> None:
    assert accepted(BAD[name]) == (False, False)


def test_the_schema_knows_the_keys_of_the_reader() -> None:
    found = {"defaults": MATRIX["properties"]["defaults"], **{n: MATRIX["$defs"][n] for n in ("variant", "scenarios")}}
    assert {name: set(table["properties"]) for name, table in found.items()} == {n: set(t) for n, t in TABLES.items()}


def test_the_schema_knows_what_a_report_can_say() -> None:
    known = REPORT["$defs"]
    assert known["run"]["properties"]["verdict"]["enum"] == [verdict.value for verdict in Verdict]
    assert known["violation"]["properties"]["kind"]["enum"] == [kind.value for kind in Kind]
    assert known["status"]["enum"] == [PROVED, VIOLATED, UNDECIDED, REFUSED]


def test_the_schema_has_each_field_of_a_report() -> None:
    """also those that only some runs have"""
    written = [node for node in ast.walk(ast.parse(inspect.getsource(report))) if isinstance(node, ast.Dict)]
    names = {key.value for node in written for key in node.keys if isinstance(key, ast.Constant)}
    assert names - set(REPORT["$defs"]["run"]["properties"]) == set()


RUNS = [
    "check die-hard",
    "check die-hard -c goal=7",
    "check idem-producer --max-states 10",
    "check die-hard --engine python",
    "walk die-hard --walks 3 --steps 5",
    "prove die-hard --depth 7",
    "prove idem-producer --depth 2",
    "prove die-hard --reach big==4",
    "prove die-hard --open goal=3..4 --boundary --depth 7",
    "prove hour-clock --inductive",
    "matrix m.toml --no-cache",
    "frontier idem-producer -x window=1..2 -y max_in_flight=1..2 -c batches=3",
]


@pytest.mark.parametrize("line", RUNS)
def test_a_report_is_as_its_schema_says(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.toml").write_text(
        '[[scenarios]]\nmatch = "die-hard"\n\n[[variant]]\nname = "no spec"\ntarget = "none.py"\n\n'
        '[[variant]]\nname = "open"\ntarget = "idem-producer"\nstates = 10\nexpect = { NoDup = "violated" }\n'
    )
    main([*line.split(), "--json", "-"])
    Draft202012Validator(REPORT).validate(json.loads(capsys.readouterr().out))


def test_a_report_with_something_else_in_it_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "die-hard", "--json", "-"])
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    validator = Draft202012Validator(REPORT)
    assert validator.is_valid(report)
    assert not validator.is_valid({**report, "verdicts": "PROVED"})
    assert not validator.is_valid({**report, "verdict": "SAFE"})
    assert not validator.is_valid({**report, "distinct": -1})
    assert not validator.is_valid({name: value for name, value in report.items() if name != "coverage"})


def test_the_prompt_prints_every_schema(capsys: pytest.CaptureFixture[str]) -> None:
    published = sorted(
        path.name.removesuffix(".schema.json") for path in (ROOT / "docs" / "reference").glob("*.schema.json")
    )
    assert sorted(NAMES) == published
    for name in published:
        assert main(["schema", name]) == 0
        schema = json.loads(capsys.readouterr().out)
        assert schema == json.loads((ROOT / "docs" / "reference" / f"{name}.schema.json").read_text("utf-8"))
        Draft202012Validator.check_schema(schema)
