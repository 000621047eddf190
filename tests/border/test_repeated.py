"""What does something else when it is run again on the same values is refused, whatever that hangs on."""

from __future__ import annotations

import pytest

from everystate.checker import Int, Spec, action
from everystate.checker.errors import EverystateError
from everystate.checker.ir import explorer, model


class Plain(Spec):
    def variables(self) -> None:
        self.n = Int(0, 3)

    @action
    def up(self) -> None:
        self.n = 1


class Ranging(Spec):
    def variables(self) -> None:
        self.n = Int(0, 3)

    @action(k=(1, 2))
    def up(self, k: int) -> None:
        self.n = k


@pytest.mark.parametrize("spec", [Plain, Ranging])
def test_an_action_that_does_something_else_the_second_time(spec: type[Spec], monkeypatch: pytest.MonkeyPatch) -> None:
    """its error names the line, also where the action has no parameters"""
    monkeypatch.setattr(explorer, "same", lambda *_: False)
    with pytest.raises(EverystateError) as found:
        model.build(spec())
    assert found.value.code == "E207" and found.value.where is not None and found.value.where.function.startswith("up(")
