"""Names that are only assigned to: what is a variable with other constants is none of the mistakes."""

from __future__ import annotations

import pytest

from everystate.checker import Constant, Int, Spec, action, initial
from everystate.checker.errors import EverystateError


class Base(Spec):
    timed = Constant(False, "whether there is a clock")

    def variables(self) -> None:
        self.name = Int(0, 3)
        if self.timed:
            self.clock = Int(0, 3)

    @action
    def go(self) -> None:
        if self.timed:
            self.clock = 0
        self.name = 0


class Helped(Base):
    def variables(self) -> None:
        super().variables()
        if self.timed:
            self._more()

    def _more(self) -> None:
        self.other = Int(0, 3)

    @action
    def other_goes(self) -> None:
        if self.timed:
            self.other = self.clock = 1


class Named(Base):
    def variables(self) -> None:
        super().variables()
        for kind in ("loss", "crash") if self.timed else ():
            setattr(self, f"{kind}_left", Int(0, 3))

    @action
    def lose(self) -> None:
        if self.timed:
            self.loss_left = 0


class Begun(Base):
    @initial
    def begin(self) -> None:
        if self.timed:
            keep = [lambda: self.name]
            self.clokc = len(keep)


@pytest.mark.parametrize("spec", [Base, Helped, Named])
@pytest.mark.parametrize("timed", [True, False])
def test_what_is_declared_with_other_constants_may_be_assigned(spec: type[Spec], timed: bool) -> None:
    assert len(spec(timed=timed).domains) == 1 + timed * (1 + (spec is Helped) + 2 * (spec is Named))


@pytest.mark.parametrize(("timed", "hint"), [(True, "; did you mean 'clock'?"), (False, "")])
def test_what_nothing_declares_is_an_error_before_anything_runs(timed: bool, hint: str) -> None:
    with pytest.raises(EverystateError) as caught:
        Begun(timed=timed)
    assert (caught.value.code, caught.value.what) == ("E201", f"Begun has no variable 'clokc'{hint}")
    assert caught.value.where is not None and caught.value.where.source == "self.clokc = len(keep)"
