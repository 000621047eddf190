"""A method that only looks like an action is refused (E133), but for a mixin's that another spec of its file calls."""

from __future__ import annotations

import textwrap
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


FORGOTTEN = {
    "in place": "def crash(self):\n    self.q.append(1)",
    "an item": "def crash(self):\n    self.cells[0] += 1",
    "under a local name": "def crash(self):\n    cells = self.cells\n    cells[0] = 2",
    "by another method": "def crash(self):\n    self._crash()\ndef _crash(self):\n    self.n = 0",
    "by one that others call": "def crash(self):\n    self.bump()\ndef bump(self):\n    self.n = 0\n"
    "@action\ndef again(self):\n    self.bump()",
    "by an action": "def crash(self):\n    self.up()",
    "by a function": "def crash(self):\n    reset(self)",
    "below a decorator": "@decorated\ndef crash(self):\n    self.n = 0",
    "told of in a docstring": 'def crash(self):\n    self.n = 0\n@invariant\ndef safe(self):\n    """after a crash"""\n'
    "    return True",
    "by a name that Python calls": "def flush(self):\n    self.n = 0",
}
PLAIN = """
from everystate.checker import *


def reset(spec):
    spec.n = 0


def decorated(function):
    def called(self):
        function(self)

    return called


class Above(Spec):
    may_terminate = True

    def variables(self):
        self.n = Int(0, 3)
        self.q = Seq(Int(0, 3), 3)
        self.cells = Array(2, Int(0, 3))

    @action
    def up(self):
        require(self.n < 3)
        self.n += 1
"""


@pytest.mark.parametrize("body", [pytest.param(body, id=name) for name, body in FORGOTTEN.items()])
def test_whatever_a_method_changes_state_by_it_was_forgotten(body: str, tmp_path: Path) -> None:
    """Each was PROVED without what the author took for an action."""
    name = "flush" if "flush" in body else "crash"
    own = PLAIN.replace("Above", "Generated") + "\n" + textwrap.indent(body, "    ")
    with pytest.raises(EverystateError, match=rf"E133 Generated\.{name} "):
        examine(load(own, tmp_path), symbols=True)


@pytest.mark.parametrize(
    "classes",
    [
        "class Generated(Above):\n    def crash(self):\n        self.n = 0",
        "class Left(Above):\n    def crash(self):\n        self.n = 0\nclass Right(Above):\n    pass\n"
        "class Generated(Left, Right):\n    pass",
    ],
)
def test_an_override_of_a_method_that_does_nothing_was(classes: str, tmp_path: Path) -> None:
    """The base-most of its name alone was looked at."""
    with pytest.raises(EverystateError, match=r"E133 Generated\.crash "):
        examine(load(PLAIN + "    def crash(self):\n        pass\n\n" + classes, tmp_path), symbols=True)


def test_what_only_reads_the_state_was_not(tmp_path: Path) -> None:
    """A method for who looks at states, which collects in a list of its own."""
    body = "def told(self):\n    out = []\n    out.append(self.n)\n    out[0] = self.cells[0]\n    return out"
    own = PLAIN.replace("Above", "Generated") + "\n" + textwrap.indent(body, "    ")
    examine(load(own, tmp_path), symbols=True)
