"""Machine words: numbers at their edges, on which all readers agree or which are refused when the spec is loaded, and
fields that are found and changed in them many at once.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from everystate.checker.backends.native import guarded_updates
from everystate.checker.errors import EverystateError
from everystate.checker.frontend.model import build
from everystate.checker.ir.tree import Update, nodes
from tests.selection import quick

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
        return not any(k < self.big and self.slots[k].on for k in range(6))
    """,
    "the bound of a quantifier is a large number, on numbers": """
        return any(k < self.big and self.levels[k] == self.n for k in range(5))
    """,
    "the bound of a quantifier is a negative number": """
        return sum(k < self.low + 2 and self.levels[k] == 3 for k in range(5)) < 2
    """,
    "a large number is looked for": """
        return self.big in self.levels
    """,
    "a remainder of the least number": """
        return implies(self.one != 0, lambda: (2 * self.low - 2) % self.one == 0)
    """,
    "a difference that passes the largest number on the way": """
        return self.low - 2**62 + (2**63 - 1) + 2**62 > self.big
    """,
    "a negative divisor at an index that may be out of range": """
        return (7 // self.steps[self.n] if self.n < 3 else 0) <= 0
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


@pytest.mark.parametrize("level", quick([2], [0, 2]))
@pytest.mark.parametrize("name", AGREED)
def test_readers_agree_where(name: str, level: int, tmp_path: Path) -> None:
    assert agree(load(_text(AGREED[name]), tmp_path), level, most=400).verdicts > 200


@pytest.mark.parametrize("name", REFUSED)
def test_refused_is(name: str, tmp_path: Path) -> None:
    with pytest.raises(EverystateError, match="does not fit a machine word"):
        build(load(_text(f"return {REFUSED[name]}"), tmp_path))


PACKED = """

class Generated(Spec):
    may_terminate = True

    def variables(self):
        self.before, self.x, self.after = Int(0, 3), Int(0, 3), Int(0, 3)
        self.low, self.on, self.other = Int(-2, 5), Bool(), Bool()
        self.levels = Array(5, Int(0, 6))
        self.queue, self.length = Array(5, Int(1, 5)), Int(0, 5)
        self.marks = Array(4, Bool())
        self.found = Int(-8, 31)
"""

POSITIONS = {
    "the last element that fits": """
        found = 0
        for i in range(5):
            if self.levels[i] == self.x:
                found = i + 1
        self.found = found
    """,
    "the first element that fits": """
        found = -1
        for i in reversed(range(5)):
            if self.levels[i] == self.x:
                found = i
        self.found = found
    """,
    "the last element that fits and exists, by threes from above": """
        found = self.low
        for i in range(5):
            if i < self.length and self.queue[i] == 2:
                found = 20 - 3 * i
        self.found = found
    """,
    "the first element that fits and exists, by threes": """
        found = 9
        for i in reversed(range(5)):
            if i < self.length and self.queue[i] == 5:
                found = 3 * i - 6
        self.found = found
    """,
    "the last element that differs": """
        found = 0
        for i in range(5):
            if self.levels[i] != 6:
                found = i + 1
        self.found = found
    """,
    "the first mark": """
        found = 4
        for i in reversed(range(4)):
            if self.marks[i]:
                found = i
        self.found = found
    """,
    "numbers at uneven distances": """
        found = 0
        for i in range(5):
            if self.levels[i] == self.x:
                found = i * i
        self.found = found
    """,
    "elements in no order": """
        found = 0
        for i in (1, 0, 2):
            if self.levels[i] == self.x:
                found = i + 1
        self.found = found
    """,
}

LAYERS = {
    "a value that is for no such state is too large for its field": """
        self.x = 0 if self.before == 3 else self.before + 1 if self.on else self.x
    """,
    "a value that is for no such state is too small for its field": """
        self.low = 0 if self.x == 0 else self.x - 3 if self.on else self.low
    """,
    "a constant that is for no such state does not fit its field": """
        self.x = 1 if self.before > 1 else 7 if self.before > 2 else self.x
    """,
    "fields stay unless a condition holds": """
        if self.on:
            self.x, self.low = 2, -1
            self.before = self.after
        self.other = self.on & self.other
        for i in range(4):
            self.marks[i] = self.marks[i] or self.on == self.other
    """,
    "fields stay where a condition holds": """
        self.x, self.low = self.x if self.on else 2, self.low if self.on else 5
        if not self.on:
            self.levels[0] = self.levels[1]
    """,
    "two conditions, one of which prevails here and the other there": """
        first, second = self.before == 1, self.after > self.before
        self.x = 1 if first else 2 if second else self.x
        self.low = 5 if second else -2 if first else self.low
        if not first:
            self.found = self.x - 4 if second else self.found
    """,
}


RARELY = {
    "a mark that nothing long has to be asked for": """
        self.other = self.other and any(self.levels[i] * self.x > self.low + self.queue[i] for i in range(5))
    """,
    "a mark that is set already": """
        self.other = self.other or not any(self.levels[i] * self.x > self.low + self.queue[i] for i in range(5))
    """,
    "several marks, and each has its own condition": """
        for i in range(4):
            long = [self.levels[k] * self.x > self.low + self.queue[k] * i for k in range(5)]
            self.marks[i] = self.marks[i] and not any(self.length > k and long[k] for k in range(5))
    """,
    "a number behind conditions, one of them long": """
        sums = sum(self.levels[k] * self.queue[k] for k in range(5))
        free = self.x == 0 and any(self.length == k and not (sums == k or sums > 3 * k) for k in range(5))
        self.found = 3 if free else self.found
    """,
    "a long number under a short condition": """
        sums = sum(self.levels[k] * self.queue[k] for k in range(5))
        self.found = (31 if sums > 31 else sums) if self.x == self.before else self.length
    """,
    "a long condition that both sides hang on": """
        long = any(self.levels[k] * self.queue[k] == self.low + 3 for k in range(5))
        self.x = (1 if self.other and long else 2) if self.on and long else self.before
    """,
    "what is long always matters": """
        long = any(self.levels[k] * self.queue[k] == self.low + 3 for k in range(5))
        self.on, self.other = long, self.other and not long
    """,
}


@pytest.mark.parametrize("level", quick([2], [0, 2]))
@pytest.mark.parametrize("name", RARELY)
def test_a_step_that_is_computed_in_two_ways_is_the_same(
    name: str, level: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """also: all but the last one are"""
    monkeypatch.setattr(guarded_updates, "DEAR", 5)
    monkeypatch.setattr(guarded_updates, "CHEAP", 2)
    inside = textwrap.indent(textwrap.dedent(RARELY[name]).strip(), " " * 8)
    spec = load(f"{HEAD}{PACKED}\n    @action\n    def go(self):\n{inside}\n", tmp_path)
    traced = build(spec)
    updates = [node for node in nodes(traced.actions[0].tree) if isinstance(node, Update)]
    two = [guarded_updates.UpdateSplitter(traced.pool)(update.writes) is not None for update in updates]
    assert two == [name != "what is long always matters"]
    assert agree(spec, level, most=2000).successors > 800


@pytest.mark.parametrize("level", quick([2], [0, 2]))
@pytest.mark.parametrize("name", [*POSITIONS, *LAYERS])
def test_a_step_is_the_same_for_all_readers(name: str, level: int, tmp_path: Path) -> None:
    inside = textwrap.indent(textwrap.dedent((POSITIONS | LAYERS)[name]).strip(), " " * 8)
    spec = load(f"{HEAD}{PACKED}\n    @action\n    def go(self):\n{inside}\n", tmp_path)
    assert agree(spec, level, most=2000).successors > 800
