"""What an action prints is part of the narration of its step, and of nothing else."""

from __future__ import annotations

import pytest

from everystate import check
from everystate.checker import Int, Spec, action, invariant, require


class Talking(Spec):
    def variables(self) -> None:
        self.n = Int(0, 3)

    @action
    def go(self) -> None:
        require(self.n < 3)
        print("from", self.n)
        print("and", "up", sep=" ... ", end="\n\n")
        self.n += 1

    @invariant
    def low(self) -> bool:
        return self.n < 2


@pytest.mark.parametrize("engine", ["native", "python"])
def test_what_an_action_prints_is_narrated(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    trace = check(Talking(), engine=engine, cross_check="all").trace("low")
    assert [[event["text"] for event in step.narration] for step in trace.steps] == [
        ["from 0", "and ... up"],
        ["from 1", "and ... up"],
    ]
    assert capsys.readouterr().out == ""
