"""An object that is a key says hash() of what it holds: where it says no more, that is what dataclasses write."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from everystate.checker.border import examine
from everystate.checker.engines.explicit import python
from everystate.checker.errors import EverystateError
from everystate.checker.ir.model import traced
from tests.agreement.readers import load

KEYS = """
from everystate.checker import *


class Key:
    def __init__(self, name, number):
        self.name, self.number = name, number

    def __eq__(self, other):
        return (self.name, self.number) == (other.name, other.number)

    def __hash__(self):
        return hash((self.name, self.number))

    @property
    def place(self):
        return id(self)


COST = {Key("a", 0): 1, Key("a", 1): 2}


class Generated(Spec):
    may_terminate = True

    def variables(self):
        self.n = Int(0, 5)

    @action
    def up(self):
        require(self.n < 4)
        self.n += COST[Key("a", self.n % 2)]
"""


def test_a_hash_of_fields_is_of_no_harm(tmp_path: Path) -> None:
    """It was refused (E232), and the same of a dataclass was not."""
    spec = load(KEYS, tmp_path)
    examine(spec, symbols=True)
    assert len(traced(spec).actions) == 1
    assert python.check(spec).distinct == 4


LEAKS = {
    "asked for": ('COST[Key("a", self.n % 2)]', 'Key("a", 0).__hash__() % 2', "E230 .__hash__"),
    "by another name": ("\n\nCOST", "    same = __hash__\n\n\nCOST", "E232 hash"),
    "with more than that": ("self.number))", "self.number)) % 2", "E232 hash"),
    "of a global": ("hash((self.name, self.number))", "hash((self.name, int))", "E232 hash"),
    "by another hash": ("\n\nCOST", "\n\nhash = id\nCOST", "E230 hash"),
    "of a property": ("hash((self.name", "hash((self.place", "E230 id"),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_what_a_hash_is_nobody_else_learns(leak: str, tmp_path: Path) -> None:
    before, after, refused = LEAKS[leak]
    text = KEYS.replace(before, after, 1)
    text = text.replace("COST[", "Key('a', 0).same() + COST[") if "same" in after else text
    with pytest.raises(EverystateError, match=re.escape(refused)):
        examine(load(text, tmp_path), symbols=True)
