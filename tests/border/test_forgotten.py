"""A method that only looks like an action is refused (E133), but for a mixin's that another spec of its file calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from everystate.checker.border import examine
from everystate.checker.errors import EverystateError
from tests.agreement.readers import load

SHARED = """
from everystate.checker import *


class Clock:
    def rewind(self):
        self.n = 0


class Generated(Spec, Clock):
    may_terminate = True

    def variables(self):
        self.n = Int(0, 3)

    @action
    def up(self):
        require(self.n < 3)
        self.n += 1
"""
OTHER = """

class Other({bases}):
    @action
    def down(self):
        self.rewind()
"""


@pytest.mark.parametrize("bases", ["Generated", "Spec, Clock"])
def test_what_another_spec_calls_was_not_forgotten(bases: str, tmp_path: Path) -> None:
    """A mixin could be shared only by specs that call all of it."""
    examine(load(SHARED + OTHER.format(bases=bases), tmp_path), symbols=True)


@pytest.mark.parametrize(
    "other", ["", OTHER.format(bases="Generated") + "\n    def rewind(self):\n        self.n = 1\n"]
)
def test_what_nobody_calls_was(other: str, tmp_path: Path) -> None:
    """Who calls a method of his own of that name does not call this one."""
    with pytest.raises(EverystateError, match=r"E133 Generated\.rewind"):
        examine(load(SHARED + other, tmp_path), symbols=True)


def test_a_method_of_a_spec_was_whoever_calls_it(tmp_path: Path) -> None:
    """A spec that is checked by itself was PROVED without its action, since one that derives from it called that."""
    own = SHARED.replace("class Clock:", "class Clock(Spec):").replace("(Spec, Clock)", "(Clock)")
    with pytest.raises(EverystateError, match=r"E133 Generated\.rewind"):
        examine(load(own + OTHER.format(bases="Generated"), tmp_path), symbols=True)
