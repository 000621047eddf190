"""A report that ignores what plain Python saw is noticed (E217): no violation is lost on its way to the verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from everystate.checker import Int, Spec, action, constraint, invariant, reachable, require, step_invariant
from everystate.checker.engines.explicit import exhaustive, report
from everystate.checker.engines.explicit.findings import Findings
from everystate.checker.engines.limits import Limits
from everystate.checker.engines.violations import DEADLOCK, FAULT, once_each
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.checker.results.result import Result
from everystate.checker.results.verdict import ExitCode, Verdict

Patch = pytest.MonkeyPatch
ALL = Limits(cross_check=1000)


class Bad(Spec):
    """Counts to 40 and stops there, which is a deadlock; each property is violated after some steps."""

    def variables(self) -> None:
        self.n = Int(0, 40)

    @action
    def up(self) -> None:
        require(self.n < 40)
        self.n += 1

    @invariant
    def low(self) -> bool:
        return self.n < 30

    @step_invariant
    def slow(self, before: Any) -> bool:
        return before.n != 20

    @invariant
    def quotient(self) -> bool:
        return 1 // (35 - self.n) < 2

    @reachable
    def far(self) -> bool:
        return self.n == 40

    @reachable
    def beyond(self) -> bool:
        return self.n == 41


class Fails(Bad):
    @action
    def divide(self) -> None:
        require(self.n == 7)
        self.n = 1 // (self.n - 7)


class Bounded(Bad):
    @constraint
    def few(self) -> bool:
        return self.n < 30


def ignoring(wanted: Callable[[Any, int], bool]) -> Callable[[Patch], None]:
    """Ignore some findings of a search."""

    def plant(patch: Patch) -> None:
        plain = Findings.level_done

        def forgetting(self: Any, *args: Any, **more: Any) -> None:
            plain(self, *args, **more)
            self.first_seen = {key: level for key, level in self.first_seen.items() if not wanted(self, key)}

        patch.setattr(Findings, "level_done", forgetting)

    return plant


def kind(name: str) -> Callable[[Patch], None]:
    return ignoring(lambda findings, key: key >= 0 and findings.watches[key].kind == name)


PLANTED: dict[str, tuple[Callable[[Patch], None], str]] = {
    "a deadlock": (ignoring(lambda _, key: key == DEADLOCK), r"violation \(deadlock\) that is not reported"),
    "an invariant": (kind("invariant"), r"violation \(invariant low\) that is not reported"),
    "a step invariant": (kind("step invariant"), r"violation \(step invariant slow\) that is not reported"),
    "an error in a property": (kind("error"), r"violation \(error in a property quotient\) that is not reported"),
    "a goal": (
        lambda patch: patch.setattr(report, "unreached", lambda *_: []),
        "beyond is not reported as never reached, and plain Python saw it in no state",
    ),
    "a reached goal": (kind("reachable"), "far is reported as never reached, and plain Python saw it"),
    "all violations": (lambda patch: patch.setattr(report, "with_beginnings", lambda *_: []), "that is not reported"),
    "an exit code": (
        lambda patch: patch.setattr(Result, "exit_code", ExitCode.SUCCESS),
        "5 violations were found, and the verdict is VIOLATED",
    ),
    "a verdict": (
        lambda patch: patch.setattr(report, "Verdict", type("V", (), {**Verdict.__members__, "VIOLATED": "PROVED"})),
        "5 violations were found, and the verdict is PROVED",
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_report_is_refused_that_ignores(name: str, monkeypatch: Patch) -> None:
    plant, said = PLANTED[name]
    found = exhaustive.check(model.build(Bad()), ALL)
    assert [(v.property, v.length) for v in found.violations] == [
        ("quotient", 35),
        ("low", 30),
        ("slow", 21),
        ("deadlock", 40),
        ("beyond", None),
    ]
    plant(monkeypatch)
    with pytest.raises(EverystateError, match=f"E217 Bad differs .*{said}"):
        exhaustive.check(model.build(Bad()), ALL)


def test_an_error_in_an_action_is_not_ignored(monkeypatch: Patch) -> None:
    assert exhaustive.check(model.build(Fails()), ALL).violations[0].length == 8
    ignoring(lambda _, key: key == FAULT)(monkeypatch)
    with pytest.raises(EverystateError, match=r"E217 .*violation \(error in an action\) that is not reported"):
        exhaustive.check(model.build(Fails()), ALL)


def test_a_violation_outside_a_constraint_is_not_ignored(monkeypatch: Patch) -> None:
    found = exhaustive.check(model.build(Bounded()), ALL)
    assert [(v.property, v.length, v.beyond) for v in found.violations[:1]] == [("low", 30, True)]
    kind("invariant")(monkeypatch)
    with pytest.raises(EverystateError, match=r"E217 .*violation \(invariant low\) that is not reported"):
        exhaustive.check(model.build(Bounded()), ALL)


def test_a_longer_trace_than_necessary_is_noticed(monkeypatch: Patch) -> None:
    plain = once_each

    def reordered(found: list[Any]) -> Any:
        """The trace of one violation is that of another."""
        traces = {item.property: item.trace for _, item in found}
        return [replace(item, trace=traces["quotient"]) if item.property == "low" else item for item in plain(found)]

    monkeypatch.setattr(report, "once_each", reordered)
    with pytest.raises(EverystateError, match=r"invariant low: reported after 35 steps, plain Python saw it after 30"):
        exhaustive.check(model.build(Bad()), ALL)


def test_a_sample_is_enough_for_a_violation_that_it_holds(monkeypatch: Patch) -> None:
    kind("invariant")(monkeypatch)
    with pytest.raises(EverystateError, match=r"violation \(invariant low\) that is not reported"):
        exhaustive.check(model.build(Bad()), Limits(cross_check=3))
