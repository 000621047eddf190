"""A spec that is another one each time it is made gives no verdict (E138), however it comes to that."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from everystate.checker.cli.main import main

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
KEPT = """
import functools

class Kept:
    throw = random.random
    tick = time.monotonic
    day = date.today
    told = os.environ
    system = random.SystemRandom()
    seeded = random.Random(7)

TABLE = {"throw": random.random}
LOT = functools.partial(random.random)

"""
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
    # under other names
    "dice kept by a class": (E138, {"module": KEPT, "variables": "self.top = int(Kept.throw() < 2)"}),
    "dice kept by a dictionary": (E138, {"module": KEPT, "variables": "self.top = int(TABLE['throw']() < 2)"}),
    "dice given to a helper": (
        E138,
        {"module": KEPT, "variables": "self.top = (lambda f: int(f() < 2))(getattr(random, 'ran' + 'dom'))"},
    ),
    "dice that C throws": (E138, {"module": KEPT, "variables": "self.top = sum(map(TABLE['throw'], ())) + LOT() * 0"}),
    "a clock kept by a class": (E138, {"module": KEPT, "variables": "self.top = int(Kept.tick() > 0)"}),
    "a day kept by a class": (E138, {"module": KEPT, "variables": "self.top = int(Kept.day().year > 0)"}),
    "an environment kept by a class": (E138, {"module": KEPT, "variables": "self.top = len(Kept.told.get('NO', ''))"}),
    "an environment looked into": (E138, {"module": KEPT, "variables": "self.top = int('NO' in Kept.told)"}),
    "what the system makes of dice": (E138, {"module": KEPT, "variables": "self.top = int(Kept.system.random() < 2)"}),
    "an error swallowed": (
        E138,
        {
            "module": KEPT,
            "variables": "try: self.top = int(Kept.throw() < 2)\n        except BaseException: self.top = 1",
        },
    ),
    "dice kept by a class, in the module": (E138, {"module": f"{KEPT}SEVEN = 7 + int(Kept.throw())", "seven": "SEVEN"}),
    "a seeded dice kept by a class": (
        SAME,
        {"module": KEPT, "variables": "Kept.seeded.seed(7); self.top = Kept.seeded.randint(0, 9)"},
    ),
    # parameters
    "dice in a parameter": (E138, {"parameter": "(by=lambda self: [random.randint(1, 2)])"}),
    "dice in the values of a parameter": (E138, {"parameter": "(by=[random.randint(1, 2)])"}),
    "a parameter that counts": (E138, {"module": "C = iter(range(1, 9))", "parameter": "(by=lambda self: [next(C)])"}),
    "a parameter of a property that grows": (
        E138,
        {
            "module": "GROWS = []",
            "members": "@eventually(i=lambda self: GROWS.append(1) or range(3, 2 + len(GROWS)))\n"
            "    def gets(self, i):\n        return self.n == i",
        },
    ),
    "dice in a parameter of a property": (
        E138,
        {
            "members": "@eventually(i=lambda self: [0 * random.randint(1, 2)])\n"
            "    def gets(self, i):\n        return self.n == i",
        },
    ),
    # where it is made
    "the machine": (E138, {"module": "import socket", "variables": "self.top = len(socket.gethostname())"}),
    "the machine by name": (E138, {"module": "from platform import node", "variables": "self.top = len(node())"}),
    "its processors": (E138, {"variables": "self.top = os.cpu_count()"}),
    "the process": (
        E138,
        {
            "module": "from multiprocessing import current_process",
            "variables": "self.top = len(current_process().name)",
        },
    ),
    "the process in the module": (
        E138,
        {
            "module": "import multiprocessing\nSEVEN = 7 + (multiprocessing.current_process().name == 'MainProcess')",
            "seven": "SEVEN",
        },
    ),
    "processors that nobody reads": (SAME, {"module": "import multiprocessing\nMOST = multiprocessing.cpu_count()"}),
    # bodies
    "dice in the class": (E138, {"members": "size = random.randint(1, 2)", "variables": "self.m = Int(0, self.size)"}),
    "dice in a constant": (E138, {"members": "size = Constant(random.randint(1, 2))"}),
    "dice in the module": (E138, {"module": "SEVEN = random.randint(7, 8)", "seven": "SEVEN"}),
    "dice through two names": (E138, {"module": "ROLLED = random.random()\nSEVEN = 7 + int(ROLLED)", "seven": "SEVEN"}),
    "dice in a list of the module": (
        E138,
        {"module": "SEVEN = [y for y in [random.randint(7, 8)]][0]", "seven": "SEVEN"},
    ),
    "the clock in the module": (E138, {"module": "SEVEN = 7 if time.time() > 0 else 8", "seven": "SEVEN"}),
    "the environment in the module": (E138, {"module": "SEVEN = int(os.environ.get('SEVEN', '7'))", "seven": "SEVEN"}),
    "the clock that nobody reads": (SAME, {"module": "STARTED = time.time()"}),
    "dice that nobody reads": (SAME, {"module": "if __name__ == '__main__':\n    print(random.random())"}),
}
if sys.version_info >= (3, 14):
    CASES["a new identity with a time"] = (E138, {"variables": "self.top = uuid.uuid7().int"})
    CASES["a new identity in the module"] = (E138, {"module": "SEVEN = 7 + uuid.uuid6().int % 2", "seven": "SEVEN"})


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


PACKAGE = """
import functools, random, time

lot = functools.partial(random.random)
roll = random.randint
seeded = random.Random(7)
SEEDED = seeded.random()

class Clocks:
    tick = time.time
"""


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("pkg.sub.roll(1, 1)", "roll throws dice"),
        ("1 + 0 * int(pkg.sub.lot())", "random throws dice"),
        ("1 if pkg.sub.Clocks.tick() > 0 else 2", "tick asks what time it is"),
        ("1 if pkg.sub.SEEDED < 1 else 2", ""),
    ],
)
def test_what_a_package_keeps_is_asked(
    asked: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """in variables() and in the body of the spec's module, both by the names of the package"""
    monkeypatch.chdir(tmp_path)
    Path("pkg").mkdir()
    Path("pkg/__init__.py").touch()
    Path("pkg/sub.py").write_text(PACKAGE)
    parts = {"members": "", "parameter": "(by=[1])", "seven": "SEVEN"}
    for name in ("pkg", "pkg.sub"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    Path("inside.py").write_text(
        SPEC.format(**parts, module="import pkg.sub\nSEVEN = 7", variables=f"self.m = Int(0, 9, init={asked})")
    )
    assert main(["check", "inside.py"]) == (150 if said else 12)
    assert (f"made: {said}" if said else "") in capsys.readouterr().err
    Path("outside.py").write_text(SPEC.format(**parts, module=f"import pkg.sub\nSEVEN = 6 + {asked}", variables=""))
    assert main(["check", "outside.py"]) == (150 if said else 12)


SIZES = """
import os, random
from further import FAR

MOST = 7 + len(os.environ.get("NOTHING", ""))
SEVEN = MOST + 0
STILL = 7
"""
TAKEN = {
    "by its name": (True, "from asking import SEVEN", "SEVEN"),
    "under another name": (True, "from asking import MOST as SEVEN", "SEVEN"),
    "as an attribute": (True, "import asking", "asking.SEVEN"),
    "as an attribute under another name": (True, "import asking as s", "s.SEVEN"),
    "kept under another name": (True, "import asking\nSEVEN = max(asking.MOST, 7)", "SEVEN"),
    "from a module further on": (True, "from asking import FAR", "FAR"),
    "in a method": (True, "def seven():\n    from asking import SEVEN\n    return SEVEN", "seven()"),
    "in a method, as an attribute": (True, "def seven():\n    import asking as s\n    return s.SEVEN", "seven()"),
    "in a method, of a package": (
        True,
        "def seven():\n    import around.asked\n    return around.asked.SEVEN",
        "seven()",
    ),
    "in a method, as a module of a package": (
        True,
        "def seven():\n    from around import asked\n    return asked.SEVEN",
        "seven()",
    ),
    "in a method, of a package under another name": (
        True,
        "def seven():\n    import around.asked as s\n    return s.SEVEN",
        "seven()",
    ),
    "of a package": (True, "import around.asked", "around.asked.SEVEN"),
    "of a package, kept": (True, "import around.asked\nSEVEN = around.asked.SEVEN", "SEVEN"),
    "with all that it has": (True, "from asking import *", "SEVEN"),
    "with all that another one has of it": (True, "from around.all import *", "SEVEN"),
    "in a class": (True, "import asking\nclass Asking:\n    seven = asking.SEVEN", "Asking.seven"),
    "of the package itself": (False, "from around import MOST", "MOST"),
    "by who asks nobody": (False, "from asking import STILL, MOST", "STILL"),
    "by nobody": (False, "import asking\nFAR = 7", "FAR"),
}


@pytest.mark.parametrize("name", TAKEN)
def test_what_a_module_has_asked_is_asked_by_who_takes_it_from_there(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Sizes that a neighbour had from the environment: PROVED, or VIOLATED where a variable was set."""
    refused, module, seven = TAKEN[name]
    monkeypatch.chdir(tmp_path)
    for other in ("asking", "further", "around", "around.asked", "around.all"):
        monkeypatch.setitem(sys.modules, other, ModuleType(other))  # so that it is gone afterwards
        monkeypatch.delitem(sys.modules, other)
    Path("asking.py").write_text(SIZES)
    Path("around").mkdir()
    Path("around/__init__.py").write_text("MOST = 7\n")
    Path("around/asked.py").write_text("from asking import MOST, SEVEN\n")
    Path("around/all.py").write_text("from .asked import *\n")
    Path("further.py").write_text("import time\nFAR = 7 + 0 * int(time.time())\n")
    parts = {"members": "", "parameter": "(by=[1])", "variables": ""}
    Path("taken.py").write_text(SPEC.format(**parts, module=module, seven=seven))
    assert main(["check", "taken.py"]) == (150 if refused else 12)
    told = capsys.readouterr().err
    assert ("further.py:2" if "FAR" in seven else "asking.py:5") in told if refused else "E138" not in told
