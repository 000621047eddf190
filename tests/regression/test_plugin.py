"""The pytest plugin, run in an inner pytest."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from everystate.checker import Constant, Int, Spec, action, invariant, require
from everystate.checker.pytest_plugin import PLACE, check
from everystate.specs.classics.die_hard import DieHard
from everystate.specs.classics.hour_clock import HourClock
from everystate.specs.idem_producer import IdempotentProducer


def test_assertions_that_hold() -> None:
    check(IdempotentProducer).assert_proved().assert_proved("NoDup", distinct=1_813)
    check(IdempotentProducer(max_in_flight=6)).assert_violates("NoDup", steps=18, distinct=3_031)
    check(HourClock).assert_proved(distinct=12, generated=24)


def test_it_takes_what_check_takes_and_has_its_result() -> None:
    found = check(IdempotentProducer(max_in_flight=2, window=2), stop_early=True)
    assert found.checked.proved and len(found.checked.states()) == 329
    bounded = check(IdempotentProducer, engine="z3", depth=3)
    assert ": not proved\nBOUNDED  NoDup, InOrder, AckedInLog hold, " in failure(bounded.assert_proved)
    assert "NoDup is not decided\nBOUNDED  " in failure(lambda: bounded.assert_proved("NoDup"))
    check(HasDepth(depth=2)).assert_proved(distinct=3)


class HasDepth(Spec):
    depth = Constant(1, "how far it goes")
    may_terminate = True

    def variables(self) -> None:
        self.n = Int(0, self.depth)

    @action
    def down(self) -> None:
        require(self.n < self.depth)
        self.n += 1


def test_a_result_is_kept_and_told_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path))
    first = check(DieHard)
    (entry,) = (tmp_path / "results").glob("*/*")
    again = check(DieHard)
    assert (first.result.cross_checked, again.result.cross_checked) == (16, 16)
    assert first.checked.violations[0].trace == again.checked.violations[0].trace
    assert len(again.checked.states()) == 16
    check(DieHard, cache=False, seconds=60).assert_violates("goal_not_reached", steps=6, distinct=16)
    entry.write_bytes(b"damaged")
    with pytest.warns(RuntimeWarning, match="a damaged entry of the result cache was dropped"):
        check(DieHard).assert_violates("goal_not_reached", steps=6)


def test_no_page_is_written_where_no_test_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    token = PLACE.set(None)
    assert "page" not in check(DieHard).trace()
    PLACE.reset(token)


def failure(assertion: object) -> str:
    with pytest.raises(pytest.fail.Exception) as found:
        assertion()  # type: ignore[operator]
    return str(found.value)


def test_a_failing_check_prints_the_narrated_trace() -> None:
    told = failure(check(DieHard).assert_proved)
    line = failure.__code__.co_firstlineno + 2
    assert told.startswith(f"tests/regression/test_plugin.py:{line}: not proved\nVIOLATED  goal_not_reached violated")
    assert "\n  goal_not_reached: specs/classics/die_hard.py:" in told
    assert "\n  6. " in told and "goal_not_reached is false in the last state" in told
    place = Path(told.splitlines()[-1].removeprefix("the counterexample as a page: "))
    assert place.name.endswith("test_a_failing_check_prints_the_narrated_trace-goal_not_reached.html")
    assert "<script" in place.read_text("utf-8")


def test_a_page_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    token = PLACE.set(tmp_path / "file" / "page")
    told = failure(check(DieHard).assert_proved)
    PLACE.reset(token)
    assert told.endswith("page-goal_not_reached.html cannot be written: File exists")


def test_what_else_can_be_wrong() -> None:
    assert "violated after 6 steps, not 5" in failure(
        lambda: check(DieHard).assert_violates("goal_not_reached", steps=5)
    )
    assert "12 distinct states, not 13" in failure(lambda: check(HourClock).assert_proved(distinct=13))
    assert "has no property 'nothing'" in failure(lambda: check(DieHard).assert_violates("nothing"))
    assert "NoDup is not violated" in failure(lambda: check(IdempotentProducer).assert_violates("NoDup"))


def test_a_matrix_file_is_collected_as_tests(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\neverystate_reports = pages\n")
    (tmp_path / "matrix.toml").write_text(
        '[[scenarios]]\nmatch = "hour-clock"\n\n'
        '[[variant]]\nname = "jugs"\ntarget = "die-hard"\nexpect = { goal_not_reached = 5 }\ntags = ["odd"]\n'
    )
    line = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "matrix.toml"]
    found = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "1 failed, 1 passed" in found.stdout
    assert "goal_not_reached violated after 6 steps, it should be violated after 5 steps" in found.stdout
    assert "initial state" in found.stdout
    [page] = (tmp_path / "pages").iterdir()
    assert page.name == "matrix.toml-jugs-goal_not_reached.html"
    assert f"the counterexample as a page: {page}" in found.stdout
    found = subprocess.run(
        [*line, "--everystate-tag", "fast"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "1 passed" in found.stdout and "failed" not in found.stdout


def test_a_matrix_file_in_another_folder_names_the_spec_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "protocol"
    folder.mkdir()
    (folder / "jugs.py").write_text(
        "from everystate.specs.classics.die_hard import DieHard\n\n\nclass Jugs(DieHard): ...\n"
    )
    (folder / "matrix.toml").write_text(
        '[[variant]]\nname = "jugs"\ntarget = "jugs.py"\nexpect = { goal_not_reached = 6 }\n'
    )
    line = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "protocol/matrix.toml"]
    found = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "1 passed" in found.stdout, found.stdout


def test_a_broken_matrix_file_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "my-matrix.toml").write_text('[[variant]]\nname = "jugs"\nspec = "die-hard"\n')
    line = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "my-matrix.toml"]
    found = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "error E421: my-matrix.toml:3: [[variant]] has no key 'spec'" in found.stdout


FOREIGN = {
    "other tables": '[compat]\nversions = ["1", "2"]\n\n[[variant]]\nname = "a"\npython = "3.12"\n',
    "no TOML": "matrix: [1, 2]\n",
}


@pytest.mark.parametrize("text", FOREIGN.values(), ids=FOREIGN)
def test_a_matrix_of_another_tool_does_not_stop_a_run(text: str, tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "compat-matrix.toml").write_text(text)
    (tmp_path / "tests" / "test_own.py").write_text("def test_own():\n    pass\n")
    line = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    found = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "1 passed, 1 warning" in found.stdout
    assert "compat-matrix.toml is not a matrix of Everystate" in found.stdout


WATCHED = """
import os

from everystate.checker import *
from everystate.checker.pytest_plugin import check


def hidden():
    return type(os) is None


class Counter(Spec):
    may_terminate = True

    def variables(self):
        self.n = Int(0, 3)

    @action
    def up(self):
        require(self.n < 3)
        self.n += 1

    @invariant
    def grows(self):
        return self.n <= 2 or self.n > 1


def test_counter():
    check(Counter, cache=False).assert_proved(distinct=4)
"""


def test_an_installed_package_is_not_written_anew_by_pytest(tmp_path: Path) -> None:
    """as it is from a wheel, whose files pytest knows; the functions of Everystate would be taken for somebody's own"""
    (tmp_path / "early.py").write_text("import pytest\n\npytest.register_assert_rewrite('everystate')\n")
    (tmp_path / "test_watched.py").write_text(WATCHED)
    plugins = ("-p", "no:everystate", "-p", "early", "-p", "everystate.plugin")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *plugins, "-q", "test_watched.py"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout
    assert 'everystate = "everystate.plugin"' in (Path(__file__).parents[2] / "pyproject.toml").read_text()


class NeverBusy(HasDepth):
    """A property that compares with a name that there is not."""

    @invariant
    def never(self) -> bool:
        return self.n != "1"  # type: ignore[comparison-overlap]


def test_a_check_warns_of_likely_mistakes() -> None:
    with pytest.warns(pytest.PytestWarning, match="NeverBusy: never, line .*: '1' can never be equal to a number"):
        check(NeverBusy).assert_proved(distinct=2)
