"""The search for counterexamples that are to be driven: its bound on memory, and its end by Ctrl-C."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from everystate.checker import Int, Spec, action, invariant
from everystate.checker.cli import searching
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.engines.limits import Limits
from everystate.checker.frontend import model


class Plane(Spec):
    """Two counters: level n has n states, and there are more levels than fit."""

    def variables(self) -> None:
        self.x = Int(0, 100_000, init=0)
        self.y = Int(0, 100_000, init=0)

    @action
    def right(self) -> None:
        self.x += 1

    @action
    def up(self) -> None:
        self.y += 1

    @invariant
    def Near(self) -> bool:
        return self.x + self.y < 7

    @invariant
    def Far(self) -> bool:
        return self.x < 90_000


class Fails(Plane):
    """An action that is not defined at its fifth step."""

    @action
    def jump(self) -> None:
        self.x = 100_001 if self.y == 4 else self.x + 1


def test_a_search_ends_at_its_limit_and_says_what_it_has_not_seen(capsys: pytest.CaptureFixture[str]) -> None:
    given: dict[str, Any] = {"max_memory": "20M", "quiet": False}
    result = searching.search(Plane(), "plane", given)
    assert [(v.property, len(v.trace.steps)) for v in result.violations if v.trace] == [("Near", 7)]
    assert result.bytes_per_state * result.distinct <= 20 << 20
    told = (
        "the memory limit of 20.0 MiB is reached (17.6 MiB are used, twice as many states need about 40.0 MiB); "
        f"all behaviours of up to {result.depth - 1} steps were searched, and "
        f"{result.distinct:,} states in all; --max-memory allows more"
    )
    assert searching.cut(result) == told
    assert capsys.readouterr().err.splitlines()[-1] == f"plane: {told}"
    searching.search(Plane(), "plane", {**given, "quiet": True})
    assert capsys.readouterr().err == ""


def test_where_an_action_fails_more_memory_is_no_advice() -> None:
    result = searching.search(Fails(), "fails", {"max_memory": "20M", "quiet": True})
    assert searching.cut(result) == (
        "an action failed; states beyond it are not defined; all behaviours of up to 5 steps were searched, and "
        f"{result.distinct:,} states in all"
    )


def test_a_search_that_has_seen_everything_has_nothing_cut() -> None:
    assert searching.cut(exhaustive.check(model.build(Small()), Limits())) == ""


class Small(Plane):
    """It ends."""

    @action
    def up(self) -> None:
        self.y = 0

    @action
    def right(self) -> None:
        self.x = min(self.x + 1, 3)


def test_an_interrupt_of_the_search_ends_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it has found until then is not driven, as if it were everything."""
    found = exhaustive.check(model.build(Small()), Limits())
    monkeypatch.setattr(exhaustive, "check", lambda *_: replace(found, interrupted=True))
    with pytest.raises(KeyboardInterrupt):
        searching.search(Small(), "small", {"max_memory": "1G", "quiet": True})
