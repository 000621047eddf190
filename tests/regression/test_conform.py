"""Variants that are held against the real thing, which a toy plays here: matrix, reports and pytest plugin."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from everystate.checker.cli.main import main
from everystate.checker.errors import EverystateError
from everystate.checker.language.conformance import Answer
from everystate.checker.regression.matrix import baseline
from everystate.checker.regression.matrix.variants import Conform, read
from everystate.checker.regression.reports import github, junit, sarif

from .rows import row

TOY = '''
from everystate.checker import Int, Spec, action, invariant, require


class Toy(Spec):
    """Counts to three."""

    may_terminate = True
    conformance = "toys:REAL"

    def variables(self):
        self.n = Int(0, 3)

    @action
    def up(self):
        require(self.n < 3)
        self.n += 1

    @invariant
    def small(self):
        """n stays below three"""
        return self.n < 3
'''
REAL = """
from everystate.checker.errors import EverystateError
from everystate.checker.language.conformance import AGREED, DIFFERENT, NOT_JUDGED, Answer


class Toys:
    def releases(self, wanted):
        return list(wanted) or ["newest"]

    def answers(self, release, questions, means):
        if release == "broken":
            raise EverystateError("E502", None, size="3 GiB")
        if release == "stopped":
            raise KeyboardInterrupt
        return [self.answer(release, question, means) for question in questions]

    def answer(self, release, question, means):
        toy = f"Toy {release}"
        if release == "absent":
            return Answer(toy, NOT_JUDGED, "there is no toy here", missing=True)
        if release == "other":
            return Answer(toy, NOT_JUDGED, "it cannot count")
        lengths = [v.length for v in means.violations(means.load(question.target, question.constants))]
        if lengths != [3]:
            return Answer(toy, DIFFERENT, f"it counts otherwise than {lengths}", "story of the toy")
        return Answer(toy, DIFFERENT, "they differ", "story of the toy", 2) if release == "bad" else Answer(
            toy, AGREED, f"{question.walks} walks")


REAL = Toys()
"""
MATRIX = '[[variant]]\nname = "toy"\ntarget = "toy.py"\nexpect = {{ small = 3 }}\nconform = {conform}\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "toy.py").write_text(TOY)
    (tmp_path / "toys.py").write_text(REAL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def matrix(folder: Path, conform: str, *arguments: str) -> int:
    (folder / "matrix.toml").write_text(MATRIX.format(conform=conform))
    return main(["matrix", "matrix.toml", "--workers", "1", *arguments])


@pytest.mark.parametrize(
    ("conform", "code", "told"),
    [
        ("true", 0, "AS EXPECTED"),
        ("false", 0, "AS EXPECTED"),
        ('["bad"]', 12, "Toy bad: different: they differ"),
        ('["good", "bad"]', 12, "Toy bad: different: they differ"),
        ('{ releases = ["bad"], expect = "different" }', 0, "AS EXPECTED"),
        ('{ expect = "different" }', 12, "Toy newest: agreed, it should be different (0 walks)"),
        ('["other"]', 3, "Toy other: not judged: it cannot count"),
        ('["absent"]', 3, "Toy absent: not judged: there is no toy here"),
        ('{ releases = ["other"], expect = "not judged" }', 0, "AS EXPECTED"),
        ('["broken"]', 12, "broken: error: error E502"),
        ('["good", "stopped"]', 130, "INTERRUPTED  0 of 1 variant judged"),
    ],
)
def test_a_row_is_judged_beside_the_real_thing(
    folder: Path, capsys: pytest.CaptureFixture[str], conform: str, code: int, told: str
) -> None:
    ended, said = matrix(folder, conform), capsys.readouterr().out
    assert (ended, told in said) == (code, True), said


def test_the_table_has_a_column_for_each_release(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert matrix(folder, '{ releases = ["good", "bad", "other"], walks = 7 }', "--json", "report.json") == 12
    head, toy, *_ = capsys.readouterr().out.splitlines()
    assert head.split() == ["states", "small", "Toy", "good", "Toy", "bad", "Toy", "other"]
    assert toy.split() == ["toy", "4", "3", "ok", "differs!", "?!"]
    [found] = json.loads((folder / "report.json").read_text("utf-8"))["results"]
    assert found["properties"] == {"small": "violated"}
    assert found["conformance"] == {
        "Toy good": {"verdict": "agreed", "told": "7 walks"},
        "Toy bad": {"verdict": "different", "told": "they differ"},
        "Toy other": {"verdict": "not judged", "told": "it cannot count"},
    }


def test_a_spec_that_names_nothing_is_not_judged(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "matrix.toml").write_text('[[scenarios]]\nmatch = "hour-clock"\nconform = true\n')
    assert main(["matrix", "matrix.toml", "--workers", "1"]) == 3
    assert "HourClock names nothing to compare it with" in capsys.readouterr().out


def test_a_wish_that_is_not_understood_is_told_with_its_line() -> None:
    for wish in ('"newest"', "{ walk = 3 }", '{ expect = "good" }', "[1]"):
        with pytest.raises(EverystateError, match=r"E422 m.toml:5.* walks, steps, seed, faults, expect"):
            read("m.toml", MATRIX.format(conform=wish), [])
    [found] = read("m.toml", MATRIX.format(conform='{ releases = ["4.4.0"], walks = 9, faults = 0.5 }'), [])
    assert found.conform == Conform(("4.4.0",), walks=9, faults=0.5)


# -- reports -----------------------------------------------------------------------------------------------

GOOD, BAD = Answer("Kafka 4.4.0", "agreed", "it is"), Answer("Kafka 4.3.1", "different", "they differ", "a story", 3)
OPEN = Answer("Kafka 2.8.2", "not judged", "no Java")


def test_reports_tell_a_difference_with_its_story(monkeypatch: pytest.MonkeyPatch) -> None:
    found = row({}, {}, answers=[GOOD, BAD])
    assert (found.wrong, found.open) == (("Kafka 4.3.1: different: they differ",), False)
    assert "a story" in junit.document([found]) and 'type="verdict"' in junit.document([found])
    [result] = json.loads(sarif.document([found], [], "m.toml"))["runs"][0]["results"]
    assert (result["level"], result["message"]["text"]) == (
        "error",
        "a/b: Kafka 4.3.1: different: they differ\n\na story",
    )
    assert github.commands([found], [], "m.toml") == [
        "::error file=m.toml,line=7,title=a/b::Kafka 4.3.1: different: they differ"
    ]
    assert "    a story" in github.summary([found], [])
    assert list(baseline.snapshot([found])["variants"]["a/b"]["properties"]) == ["P", "Q"]


def test_what_is_not_judged_is_open() -> None:
    found = row({}, {}, answers=[GOOD, OPEN])
    assert (found.good, found.open) == (False, True)
    assert 'type="undecided"' in junit.document([found])
    assert json.loads(sarif.document([found], [], "m.toml"))["runs"][0]["results"][0]["kind"] == "open"
    assert github.commands([found], [], "m.toml")[0].startswith("::warning")


# -- pytest ------------------------------------------------------------------------------------------------


def inner(folder: Path, conform: str, ini: str = "") -> tuple[str, list[str]]:
    """The last line of an inner pytest, and the reasons of what was skipped or failed."""
    (folder / "matrix.toml").write_text(MATRIX.format(conform=conform))
    (folder / "pytest.ini").write_text(f"[pytest]\n{ini}\n")
    line = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "matrix.toml"]
    found = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False).stdout.splitlines()
    return found[-1].partition(" in ")[0], found


@pytest.mark.parametrize(
    ("conform", "ini", "counted", "told"),
    [
        ('["good"]', "", "2 passed", ""),
        ('["good", "bad"]', "", "1 failed, 2 passed", "Toy bad: different: they differ"),
        ('["absent"]', "", "1 passed, 1 skipped", "Toy absent: there is no toy here"),
        ('["other"]', "", "1 failed, 1 passed", "Toy other: not judged: it cannot count"),
        ("false", "everystate_conform = good bad", "1 failed, 2 passed", "story of the toy"),
        ("false", "everystate_conform = other", "1 passed, 1 skipped", "Toy other: it cannot count"),
    ],
)
def test_a_variant_is_a_second_test(folder: Path, conform: str, ini: str, counted: str, told: str) -> None:
    last, lines = inner(folder, conform, ini)
    assert (last, any(told in line for line in lines)) == (counted, True)


def test_an_assertion_of_a_check(folder: Path) -> None:
    (folder / "test_toy.py").write_text(
        "from toy import Toy\nfrom everystate.checker.pytest_plugin import check\n\n\n"
        "def test_good(): check(Toy).assert_violates('small').assert_conforms('good', walks=3)\n"
        "def test_bad(): check(Toy).assert_conforms('bad')\n"
        "def test_absent(): check(Toy).assert_conforms('absent')\n"
    )
    line = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "test_toy.py"]
    found = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False).stdout
    assert "1 failed, 1 passed, 1 skipped" in found
    assert "Toy bad: different: they differ" in found and "Toy absent: there is no toy here" in found
