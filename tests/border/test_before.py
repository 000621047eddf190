"""The spec in the state before a step answers for that state, however a method, property or attribute came into it."""

from __future__ import annotations

from pathlib import Path

import pytest

from .verdicts import outcome

SPEC = """
import functools, operator
from everystate.checker import *


class Doubled:
    def __get__(self, spec, owner=None):
        return 2 * spec.level


class Beside:
    def mixed(self):
        return self.level

    @property
    def mixed_property(self):
        return self.level

    @classmethod
    def constant(cls):
        return 1


class Under(Spec):
    def inherited(self):
        return self.level


class Generated(Beside, Under):
    may_terminate = True
    highest = Constant(3)

    def variables(self):
        self.level = Int(0, self.highest)

    @action
    def rise(self):
        require(self.level < self.highest)
        self.level += 1

    @action
    def fall(self):
        require(self.level > 0)
        self.level -= 1

    def own(self):
        return self.level

    def above(self, least):
        return self.level - least

    def inherited(self):
        return super().inherited() * self.constant()

    def handed_on(self):
        return self.own

    above_one = functools.partialmethod(above, 1)
    doubled = Doubled()
    by_operator = property(operator.attrgetter("level"))

    @functools.singledispatchmethod
    def dispatched(self, by):
        return self.level * by

    @step_invariant
    def never_falls(self, before):
        return {now} >= {then}
"""
FORMS = {
    "a method": "{0}.own()",
    "a method of a class beside the spec": "{0}.mixed()",
    "a property of a class beside the spec": "{0}.mixed_property",
    "an overridden method that asks super()": "{0}.inherited()",
    "a method that is handed on": "{0}.handed_on()()",
    "a partial method": "{0}.above_one()",
    "a method that dispatches": "{0}.dispatched(1)",
    "a descriptor": "{0}.doubled",
    "a property made of an operator": "{0}.by_operator",
    "a method taken from the class": "Generated.own({0})",
    "a method taken from a class beside the spec": "Beside.mixed({0})",
    "getattr": "getattr({0}, 'level')",
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_before_is_the_state_before(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everystate.checker.engines.explicit.report.after_search", lambda *_, **__: None)
    text = SPEC.format(now=form.format("self"), then=form.format("before"))
    for engine in ("native", "python"):
        verdict, violations, distinct, generated = outcome(text, engine, tmp_path)
        assert (str(verdict), violations, distinct, generated) == ("VIOLATED", (("never_falls", 2),), 4, 7)


def test_before_cannot_be_changed(tmp_path: Path) -> None:
    text = SPEC.format(now="setattr(before, 'level', 0) or self.level", then="before.level")
    assert outcome(text, "native", tmp_path) == ("refused", "E210")
    assert outcome(text, "python", tmp_path) == ("refused", "E210")
