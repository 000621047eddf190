"""A result from the cache says what the check has said, for each kind of violation and in each command."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from everystate import check
from everystate.checker import Spec
from everystate.checker.api import cache
from everystate.checker.api.checked import Checked
from everystate.checker.api.fingerprint import fingerprint
from everystate.checker.cli.main import main
from everystate.checker.errors import EverystateError
from everystate.checker.frontend.model import build
from everystate.checker.pytest_plugin import check as checked_in_a_test
from everystate.checker.results.result import Violation
from everystate.checker.results.verdict import Kind, Verdict

from . import every_violation
from .every_violation import EVERY

LINE = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]


def test_there_is_a_spec_for_each_kind() -> None:
    found = {violation.kind for spec in EVERY for violation in check(spec).result.violations}
    assert found == set(Kind)


@pytest.mark.parametrize("spec", EVERY)
def test_a_cached_result_is_that_of_the_check(
    spec: type[Spec], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path))
    fresh = check(spec).result
    runs = [check(spec, cache=True), checked_in_a_test(spec).checked]
    assert len([*(tmp_path / "results").glob("*/*")]) == 1
    for run in runs:
        assert [*map(_compared, run.result.violations)] == [*map(_compared, fresh.violations)] and run.violations
        assert (run.result.statement, run.result.warnings) == (fresh.statement, fresh.warnings)
        assert [violation.length for violation in run.violations] == [found.length for found in fresh.violations]


def test_a_cached_result_that_lacks_a_violation_is_refused_and_removed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path))
    model = build(every_violation.InvariantFails())
    found = check(every_violation.InvariantFails).result
    cache.keep(fingerprint(model, True), replace(found, verdict=Verdict.PROVED, violations=(), held=("inv",)))
    with pytest.raises(EverystateError, match=r"plain Python saw a violation .invariant inv. that is not reported"):
        check(every_violation.InvariantFails, engine="native", cache=True)
    assert check(every_violation.InvariantFails, cache=True).result.verdict is Verdict.VIOLATED


def _compared(violation: Violation) -> tuple[Violation, str]:
    """A violation as a value: errors are compared by what they say."""
    return replace(violation, error=None), violation.error.explain() if violation.error else ""


def test_the_second_run_of_a_matrix_is_as_expected(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "every-matrix.toml"
    path.write_text("\n".join(_variant(spec, check(spec)) for spec in EVERY))
    runs = []
    for cached in (False, True):
        assert main(["matrix", str(path), "--json", "-"]) == 3  # an assertion that fails leaves the rest undecided
        runs.append(json.loads(capsys.readouterr().out)["results"])
        assert {result["cached"] for result in runs[-1]} == {cached} and len(runs[-1]) == len(EVERY)
        assert [r["variant"] for r in runs[-1] if not r["as_expected"]] == ["AssertFails"]
    for name in ("violations", "properties", "warnings", "coverage", "verdict", "reason"):
        assert [result[name] for result in runs[0]] == [result[name] for result in runs[1]]
    found = subprocess.run([*LINE, path.name], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert f"1 failed, {len(EVERY) - 1} passed" in found.stdout, found.stdout


def _variant(spec: type[Spec], checked: Checked) -> str:
    """A variant of a matrix that expects what a check has found."""
    lengths = {v.property: v.length for v in reversed(checked.result.violations)}
    words = {name: '"violated"' if length is None else length for name, length in lengths.items()}
    expected = ", ".join(f"{name} = {word}" for name, word in words.items())
    target = f"{every_violation.__file__}:{spec.__name__}"
    return f'[[variant]]\nname = "{spec.__name__}"\ntarget = "{target}"\nexpect = {{ {expected} }}\n'
