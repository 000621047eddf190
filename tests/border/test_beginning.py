"""A spec that is another one each time it is made gives no verdict (E138), however it comes to that."""

from __future__ import annotations

from pathlib import Path

import pytest

from .verdicts import outcome

SPEC = """
import datetime, os, random, secrets, time, uuid
from datetime import date
from random import randint
from time import time as now

from everystate.checker import *

{module}


class Generated(Spec):
    may_terminate = True
    {members}

    def variables(self):
        {variables}
        self.n = Int(0, 9)

    @action{parameter}
    def up(self, by):
        require(self.n + by < 9)
        self.n += by

    @invariant
    def fine(self):
        return self.n != {seven}
"""
SAME, E138 = "same", "E138"
CASES = {
    # variables()
    "dice": (E138, {"variables": "self.m = Int(0, 9, init=random.randint(0, 1))"}),
    "dice by name": (E138, {"variables": "self.m = Int(0, randint(1, 9))"}),
    "secrets": (E138, {"variables": "self.top = secrets.randbelow(2)"}),
    "a new identity": (E138, {"variables": "self.top = uuid.uuid4().int"}),
    "the clock": (E138, {"variables": "self.top = int(time.time()) // 10**9"}),
    "the clock by name": (E138, {"variables": "self.top = int(now() > 0)"}),
    "the year": (E138, {"variables": "self.top = datetime.datetime.now().year"}),
    "today": (E138, {"variables": "self.top = date.today().year"}),
    "the environment": (E138, {"variables": "self.top = len(os.environ.get('NOTHING', ''))"}),
    "an import of its own": (E138, {"variables": "import random as r; self.m = Int(0, 9, init=r.choice([1, 2]))"}),
    "the second name of an import of its own": (
        E138,
        {"variables": "from random import seed, randint as r; self.m = Int(0, 9, init=r(3, 3))"},
    ),
    "a helper that asks": (
        E138,
        {
            "module": "def start():\n    return [random.random() for _ in range(1)]",
            "variables": "self.top = len(start())",
        },
    ),
    "a lambda that asks": (E138, {"variables": "self.top = (lambda: int(time.time()) * 0)()"}),
    "a list that grows": (E138, {"module": "GROWS = []", "variables": "GROWS.append(1); self.top = len(GROWS)"}),
    "a list that is the initial value": (
        E138,
        {"module": "START = [1]", "variables": "self.q = Seq(Int(0, 9), 9, init=tuple(START)); START.append(2)"},
    ),
    "a domain that grows": (E138, {"module": "NEXT = iter(range(3, 99))", "variables": "self.m = Int(0, next(NEXT))"}),
    "members that grow": (E138, {"module": "M = ['a']", "variables": "M.append(f'b{len(M)}'); self.m = Enum(*M)"}),
    "a variable less": (
        E138,
        {"module": "M = []", "variables": "M.append(1)\n        if len(M) % 2:\n            self.m = Bool()"},
    ),
    "a dice that is seeded anew": (E138, {"variables": "self.top = random.Random().random()"}),
    "a dice with a seed": (SAME, {"variables": "self.top = random.Random(7).randint(0, 9)"}),
    "a date that stands there": (SAME, {"variables": "self.top = datetime.date(2020, 1, 1).year"}),
    "what a file says": (SAME, {"variables": "self.top = len(open(__file__).read()) * 0"}),
    # parameters
    "dice in a parameter": (E138, {"parameter": "(by=lambda self: [random.randint(1, 2)])"}),
    "dice in the values of a parameter": (E138, {"parameter": "(by=[random.randint(1, 2)])"}),
    "a parameter that counts": (E138, {"module": "C = iter(range(1, 9))", "parameter": "(by=lambda self: [next(C)])"}),
    # bodies
    "dice in the class": (E138, {"members": "size = random.randint(1, 2)", "variables": "self.m = Int(0, self.size)"}),
    "dice in a constant": (E138, {"members": "size = Constant(random.randint(1, 2))"}),
    "dice in the module": (E138, {"module": "SEVEN = random.randint(7, 8)", "seven": "SEVEN"}),
    "dice through two names": (E138, {"module": "ROLLED = random.random()\nSEVEN = 7 + int(ROLLED)", "seven": "SEVEN"}),
    "the clock in the module": (E138, {"module": "SEVEN = 7 if time.time() > 0 else 8", "seven": "SEVEN"}),
    "the environment in the module": (E138, {"module": "SEVEN = int(os.environ.get('SEVEN', '7'))", "seven": "SEVEN"}),
    "the clock that nobody reads": (SAME, {"module": "STARTED = time.time()"}),
    "dice that nobody reads": (SAME, {"module": "if __name__ == '__main__':\n    print(random.random())"}),
}


@pytest.mark.parametrize("name", CASES)
def test_a_spec_is_the_same_whenever_it_is_made(name: str, tmp_path: Path) -> None:
    expected, given = CASES[name]
    parts = {"module": "", "members": "", "variables": "", "parameter": "(by=[1])", "seven": "7", **given}
    source = SPEC.format(**parts)
    found = outcome(source, "native", tmp_path)
    assert outcome(source, "python", tmp_path) == found
    if expected == SAME:
        assert found[1] == (("fine", 7),)
    else:
        assert found == ("refused", expected)
