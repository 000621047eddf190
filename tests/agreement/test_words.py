"""Numbers at the edges of a machine word: all readers agree on them, or they are refused when the spec is loaded."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from everystate.checker.errors import EverystateError
from everystate.checker.ir.model import build

from .readers import agree, load
from .source import HEAD

STATE = """

class Slot(Record):
    on = Bool()
    level = Int(0, 3)


class Generated(Spec):
    may_terminate = True

    def variables(self):
        self.big = Int(0, 2**61)
        self.low = Int(-(2**62) + 1, 0)
        self.one = Int(-1, 1)
        self.n = Int(0, 3)
        self.falling = Int(-6, -1)
        self.slots = Array(6, Slot)
        self.levels = Array(5, Int(0, 7))
        self.steps = Array(3, Int(-6, -1))

    @action
    def go(self):
        self.n = 0
"""

AGREED = {
    "the bound of a quantifier is a large number": """
        return none_of((k < self.big) & self.slots[k].on for k in range(6))
    """,
    "the bound of a quantifier is a large number, on numbers": """
        return any_of((k < self.big) & (self.levels[k] == self.n) for k in range(5))
    """,
    "the bound of a quantifier is a negative number": """
        return count((k < self.low + 2) & (self.levels[k] == 3) for k in range(5)) < 2
    """,
    "a large number is looked for": """
        return any_of(self.levels, lambda level: level == self.big)
    """,
    "a remainder of the least number": """
        return implies(self.one != 0, lambda: (2 * self.low - 2) % self.one == 0)
    """,
    "a difference that passes the largest number on the way": """
        return self.low - 2**62 + (2**63 - 1) + 2**62 > self.big
    """,
    "a negative divisor at an index that may be out of range": """
        return If(self.n < 3, lambda: 7 // self.steps[self.n], lambda: 0) <= 0
    """,
    "a comparison with a number beyond a word": """
        return (self.big < 2**64) & (self.low != -(2**70)) & (self.big == 2**64)
    """,
    "the least number is taken from": """
        return self.low - 1 - (-(2**63)) >= self.one
    """,
}

REFUSED = {
    "a quotient by a number beyond a word": "self.big // 2**64 == 0",
    "a quotient of a number beyond a word": "2**70 // (self.big + 2**60) > 0",
    "a remainder of a number beyond a word": "2**70 % (self.n + 1) == 0",
    "the largest quotient": "(2 * self.low - 2) // self.one == 0",
    "a product": "self.big * self.big == 0",
    "a sum": "self.big + 2**63 > 0",
}


def _text(body: str) -> str:
    inside = textwrap.indent(textwrap.dedent(body).strip(), " " * 8)
    return f"{HEAD}{STATE}\n    @invariant\n    def agreed(self):\n{inside}\n"


@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("name", AGREED)
def test_readers_agree_where(name: str, level: int, tmp_path: Path) -> None:
    assert agree(load(_text(AGREED[name]), tmp_path), level, most=400).verdicts > 200


@pytest.mark.parametrize("name", REFUSED)
def test_refused_is(name: str, tmp_path: Path) -> None:
    with pytest.raises(EverystateError, match="does not fit a machine word"):
        build(load(_text(f"return {REFUSED[name]}"), tmp_path))
