"""What every spec has is what it is: no class, mixin, metaclass or attribute of an author takes its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from .verdicts import outcome

SPEC = """
from everystate.checker import *


class Base(Spec):
    may_terminate = True
    top = Constant(9)

    def variables(self):
        self.n = Int(0, 12)

    @action
    def up(self):
        require(self.n < self.top)
        self.n += 1

    @invariant
    def fine(self):
        return self.n != 7


{rest}
"""
MIXIN = "class M:\n{0}\n\nclass Generated(M, Base):\n    pass\n"
SUBCLASS = "class Generated(Base):\n{0}\n"
VARIABLES = "class Generated(Base):\n    def variables(self):\n        super().variables()\n        {0}\n"
DOMAIN = (
    "class Big(Int):\n{0}\n\nclass Generated(Base):\n    def variables(self):\n        super().variables()\n"
    "        self.m = Big(0, 9)\n"
)
ANSWERS = "    def __getattr__(self, name):\n        return 3"

TAKEN = {
    "__getattr__": ("E116", SUBCLASS, ANSWERS),
    "__getattr__, mixed in": ("E116", MIXIN, ANSWERS),
    "__getattribute__": ("E116", SUBCLASS, ANSWERS.replace("getattr", "getattribute")),
    "__setattr__": ("E116", MIXIN, "    def __setattr__(self, name, value):\n        self.__dict__[name] = value"),
    "__init__, mixed in": (
        "E120",
        MIXIN,
        "    def __init__(self, **given):\n        super().__init__(**given)\n        self.properties = []",
    ),
    "__new__": ("E120", SUBCLASS, "    def __new__(cls, **given):\n        return Base(**given)"),
    "__init__, unseen": (
        "E120",
        "class Quiet(Base):\n    def __init_subclass__(cls):\n        pass\n\nclass Generated(Quiet):\n{0}\n",
        "    def __init__(self, **given):\n        super().__init__(**given)\n        self.properties = []",
    ),
    "a method of ours": ("E116", MIXIN, "    def _step(self, name, arguments):\n        return lambda: None"),
    "properties": (
        "E116",
        MIXIN,
        "    @property\n    def properties(self):\n        return []\n"
        "    @properties.setter\n    def properties(self, value):\n        pass",
    ),
    "a variable, by its class, later": ("E116", VARIABLES, "type(self).n = 3"),
    "a variable, by the spec, later": ("E116", VARIABLES, "vars(self)['n'] = 3"),
    "a constant": ("E116", VARIABLES, "vars(self)['top'] = 3"),
    "an action": ("E116", VARIABLES, "vars(self)['up'] = lambda: require(False)"),
    "a property": ("E116", VARIABLES, "object.__setattr__(self, 'fine', lambda: True)"),
    "how a domain reads": ("E202", DOMAIN, "    def decode(self, cells, at):\n        return 3"),
    "whether domains are equal": ("E202", DOMAIN, "    def __eq__(self, other):\n        return True"),
    "a domain with a name only": ("same", DOMAIN, '    """Zero to nine."""'),
    "a mixin with a helper": ("same", MIXIN, "    def helper(self):\n        return self.n"),
    "a mixin that comes after": ("same", "class M:\n{0}\n\nclass Generated(Base, M):\n    pass\n", ANSWERS),
}


@pytest.mark.parametrize("name", TAKEN)
def test_nothing_takes_the_place_of_what_every_spec_has(name: str, tmp_path: Path) -> None:
    expected, form, part = TAKEN[name]
    source = SPEC.format(rest=form.format(part))
    compiled = outcome(source, "native", tmp_path)
    if expected == "same":
        assert compiled == outcome(source, "python", tmp_path) and compiled[1] == (("fine", 7),)
    else:
        assert compiled == ("refused", expected)


def test_a_class_that_is_changed_after_the_spec_was_made_is_refused(tmp_path: Path) -> None:
    """the spec stands when its class gets an attribute with the name of a variable"""
    again = "class Generated(Base):\n    pass\n\nFIRST = Base()\nBase.n = 3\n"
    assert outcome(SPEC.format(rest=again), "native", tmp_path) == ("refused", "E116")
