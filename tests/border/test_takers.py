"""Who takes what a module keeps of the environment (E138): by any way of Python's, but not by a name alone.

The neighbour `sized` keeps END, which the environment may set; HELD, in the module of the spec, does the same.
"""

from __future__ import annotations

import builtins
import sys
from pathlib import Path
from types import ModuleType

import pytest

from everystate.checker.border.hidden_state import examine
from everystate.checker.errors import EverystateError
from tests.agreement.readers import load

from .test_answers import ASK
from .test_answers import SPEC as OF_ANSWERS

SPEC = OF_ANSWERS.replace("may_terminate = True", "may_terminate = True\n    {members}")
HELD = f"import os\nEND = {ASK}\n"
TIMED = "import time\nend = time.time() + 5\n"
KEEP = "def keep(function):\n    KEPT.append(function)\n    return function\nKEPT = []\n"

INNOCENT = {
    "a variable of that name": {"own": TIMED, "variables": "self.end = Int(0, 3)", "seven": "7 + self.end"},
    "a derived constant": {"own": TIMED, "variables": "self.end = 3; self.m = Int(0, self.end)"},
    "a constant": {"own": TIMED, "members": "end = Constant(3)", "variables": "self.m = Int(0, self.end)"},
    "a method": {"own": "import time\nup = time.time()"},
    "an attribute of the base": {
        "there": f"from everystate.checker import *\n{TIMED}class Base(Spec):\n    end = 3\n",
        "own": "from sized import Base",
        "base": "Base",
        "seven": "self.end + 4",
    },
    "of a program beside": {
        "own": f"{TIMED}def main():\n    while time.time() < end: pass",
        "variables": "self.end = Int(0, 3)",
    },
    "of a neighbour": {
        "there": f"{TIMED}def seven(): return 7",
        "own": "import sized",
        "variables": "self.end = 3; self.top = sized.seven()",
        "seven": "self.top + 0 * self.end",
    },
    "of a class beside": {
        "own": "import time\nclass Timer:\n    end = time.time()\n    def left(self): return self.end",
        "variables": "self.end = Int(0, 3)",
        "seven": "7 + self.end",
    },
    "a command that is read by the program": {
        "own": "import argparse\ndef main():\n    argparse.ArgumentParser().parse_args()",
    },
    "a path of modules": {"own": "import os, sys\nsys.path.insert(0, os.environ.get('LIBRARIES', '.'))"},
    "what a neighbour sets elsewhere": {
        "there": "import os\nos.environ.setdefault('THREADS', '1')\ndef seven(): return eval('7')",
        "own": "import sized",
        "variables": "self.top = sized.seven()",
        "seven": "self.top",
    },
    "what a method of no concern reads": {
        "there": f"{HELD}class H:\n    def __init__(self): self.n = END",
        "own": "import sized\nclass Own:\n    def __init__(self): self.n = 7",
        "variables": "self.top = Own().n",
        "seven": "self.top",
    },
    "what is told": {"own": HELD, "members": "@action\n    def go(self): narrate(lambda: f'{END}')"},
}
TAKEN = {
    # while the spec is made
    "a method": {"own": HELD, "members": "def size(self): return END", "variables": "self.top = self.size()"},
    "a property": {
        "own": HELD,
        "members": "@property\n    def size(self): return END",
        "variables": "self.top = self.size",
    },
    "a method of a base": {
        "there": f"{HELD}class Base:\n    def size(self): return END",
        "own": "from sized import Base",
        "base": "Base, Spec",
        "variables": "self.top = self.size()",
    },
    "an object": {
        "own": f"{HELD}class H:\n    def size(self): return END\nheld = H()",
        "variables": "self.top = held.size()",
    },
    "what makes one": {"own": f"{HELD}class H:\n    def __init__(self): self.n = END", "variables": "self.top = H().n"},
    "a list of functions": {"own": f"{HELD}def size(): return END\nL = [size]", "variables": "self.top = L[0]()"},
    "an operator": {
        "own": f"{HELD}class H:\n    def __add__(self, other): return END\nheld = H()",
        "variables": "self.top = held + 1",
    },
    "a descriptor": {
        "own": f"{HELD}class H:\n    def __get__(self, *of): return END",
        "members": "d = H()",
        "variables": "self.top = self.d",
    },
    "a class of classes": {
        "own": f"{HELD}class M(type):\n    @property\n    def n(cls): return END\nclass H(metaclass=M): pass",
        "variables": "self.top = H.n",
    },
    "a function that remembers": {
        "own": f"import functools\n{HELD}class H:\n    @functools.cache\n    def size(self): return END\nheld = H()",
        "variables": "self.top = held.size()",
    },
    "a lambda that remembers": {
        "own": f"import functools\n{HELD}L = [functools.cache(lambda: END)]",
        "variables": "self.top = L[0]()",
    },
    "globals": {"own": HELD, "variables": "self.top = globals()['E' + 'ND']"},
    "a text": {"own": HELD, "variables": "self.top = eval('END')"},
    "the modules": {"own": f"import sys\n{HELD}", "variables": "self.top = getattr(sys.modules[__name__], 'END')"},
    "a list of modules": {"there": HELD, "own": "import sized\nL = [sized]", "variables": "self.top = L[0].END"},
    "a module that is handed on": {
        "there": HELD,
        "own": "import sized\ndef of(module): return module.END",
        "variables": "self.top = of(sized)",
    },
    "an import of its own": {"there": HELD, "variables": "import sized; L = [sized]; self.top = L[0].END"},
    "a dictionary of a module": {"there": HELD, "own": "import sized", "variables": "self.top = sized.__dict__['END']"},
    "the globals of a function": {
        "there": f"{HELD}def size(): pass",
        "own": "from sized import size",
        "variables": "self.top = size.__globals__['E' + 'ND']",
    },
    "what asks for an attribute": {
        "there": HELD,
        "own": "import operator, sized\nget = operator.attrgetter('END')",
        "variables": "self.top = get(sized)",
    },
    "a method of the spec, given a module": {
        "there": HELD,
        "own": "import sized",
        "members": "END = 7\n    def more(self): return self.END",
        "variables": "self.top = Generated.more(sized)",
    },
    "a method of the spec that somebody keeps": {
        "there": HELD,
        "own": f"import sized\n{KEEP}",
        "members": "END = 7\n    @keep\n    def more(self): return self.END",
        "variables": "self.top = KEPT[0](sized)",
    },
    "a method whose self is another": {
        "there": HELD,
        "own": "import sized",
        "members": "END = 7\n    def more(self): return [self.END for self in (sized,)][0]",
        "variables": "self.top = self.more()",
    },
    # in the state
    "a field": {"own": f"{HELD}class R(Record):\n    x = Int(0, END)", "variables": "self.r = R", "seven": "7"},
    "a member": {
        "own": f"import enum\n{HELD}class E(enum.Enum):\n    A = 1\n    if END == 7: B = 2",
        "variables": "self.e = E",
        "seven": "7",
    },
    # in bodies
    "a function that reads it": {
        "there": f"{HELD}def size(): return END",
        "own": "from sized import size\nSEVEN = size()",
        "seven": "SEVEN",
    },
    "a function through another": {
        "there": f"{HELD}def inner(): return END\ndef size(): return inner()",
        "own": "import sized\nSEVEN = sized.size()",
        "seven": "SEVEN",
    },
    "a method of a base that reads it": {
        "there": f"{HELD}class B:\n    def size(self): return END\nclass H(B): pass\nheld = H()",
        "own": "from sized import held",
        "members": "seven = Constant(held.size())",
        "seven": "self.seven",
    },
    "an operator that reads it": {
        "there": f"{HELD}class H:\n    def __getitem__(self, key): return END\nheld = H()",
        "own": "from sized import held\nSEVEN = held[0]",
        "seven": "SEVEN",
    },
    "a list of functions that read it": {
        "there": f"{HELD}L = [lambda: END]",
        "own": "import sized\nSEVEN = sized.L[0]()",
        "seven": "SEVEN",
    },
    "a partial that reads it": {
        "there": f"import functools\n{HELD}def size(a): return END\nsize_of_1 = functools.partial(size, 1)",
        "own": "from sized import size_of_1\nSEVEN = size_of_1()",
        "seven": "SEVEN",
    },
    "a module in a tuple": {"there": HELD, "own": "import sized\nM = (sized,)\nSEVEN = M[0].END", "seven": "SEVEN"},
    "another module that writes what it reads": {
        "there": f"{HELD}X = 7\ndef size(): return END",
        "other": "import sized\nsized.X = sized.size()",
        "own": "import other\nfrom sized import X",
        "seven": "X",
    },
    # where it is executed
    "a list of modules, executed": {"there": HELD, "own": "import sized\nL = (sized,)", "seven": "L[0].END"},
    "a module handed on, executed": {
        "there": HELD,
        "own": "import sized\ndef of(module): return module.END",
        "seven": "of(sized)",
    },
    # what one module writes into another
    "written there": {
        "there": "X = 7",
        "other": f"import os, sized\nsized.X = {ASK}",
        "own": "import other\nfrom sized import X",
        "seven": "X",
    },
    "written by setattr": {
        "other": f"import os, sized\nsetattr(sized, 'x'.upper(), {ASK})",
        "own": "import other, sized",
        "seven": "sized.X",
    },
    "written into its dictionary": {
        "there": "",
        "other": f"import os, sized\nsized.__dict__.update(X={ASK})",
        "own": "import other, sized",
        "seven": "sized.X",
    },
    "written by a function there": {
        "there": "X = 7\ndef put(n):\n    global X\n    X = n\ndef put_it(n): put(n)",
        "other": f"import os\nfrom sized import put_it\nput_it({ASK})",
        "own": "import other, sized",
        "seven": "sized.X",
    },
    "written by a function of its own": {
        "there": "X = 7",
        "other": f"import os, sized\ndef put():\n    sized.X = {ASK}\nput()",
        "own": "import other, sized",
        "seven": "sized.X",
    },
    "written into a class": {
        "there": "class C:\n    x = 7",
        "other": f"import os\nfrom sized import C\nC.x = {ASK}",
        "own": "import other, sized",
        "seven": "sized.C.x",
    },
    "added to a list": {
        "there": "L = []",
        "other": f"import os, sized\nsized.L.append({ASK})",
        "own": "import other, sized",
        "seven": "sized.L[0]",
    },
    "written among the builtins": {
        "other": f"import builtins, os\nbuiltins.SEVEN_OF_ALL = {ASK}",
        "own": "import other",
        "seven": "SEVEN_OF_ALL",
    },
    "written and read again": {
        "there": "X = 7",
        "own": f"import os, sized\nsized.X = {ASK}\nY = sized.X",
        "seven": "Y",
    },
    # names and texts that are made up
    "a name that is made up": {"own": f"import os\nglobals()[f'N_{{1}}'] = {ASK}", "seven": "N_1"},
    "a text that is executed": {"own": f'import os\nexec("N_1 = {ASK}")', "seven": "N_1"},
    "a text that is made up": {"own": "import os\nexec('N_1 = ' + os.environ.get('N', '7'))", "seven": "N_1"},
    "a text that is evaluated": {"own": f'import os\nSEVEN = eval("{ASK}")', "seven": "SEVEN"},
    "the command": {
        "own": "import argparse\nARGS = argparse.ArgumentParser().parse_known_args()[0]",
        "seven": "getattr(ARGS, 'n', 7)",
    },
}


def _examined(parts: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(builtins, "SEVEN_OF_ALL", 7, raising=False)  # so that it is gone afterwards
    for name in ("sized", "other"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
        monkeypatch.delitem(sys.modules, name)
    given = {"there": "", "other": "", "own": "", "members": "pass", "variables": "pass", "base": "Spec"} | parts
    given.setdefault("seven", "self.top" if "top" in given["variables"] else "7")
    (tmp_path / "sized.py").write_text(given.pop("there"))
    (tmp_path / "other.py").write_text(given.pop("other"))
    examine(load(SPEC.format(**given), tmp_path), symbols=True)


@pytest.mark.parametrize("name", INNOCENT)
def test_who_has_but_the_name_takes_nothing(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`end = time.time() + 5` beside a spec with an attribute `end` was refused."""
    _examined(INNOCENT[name], tmp_path, monkeypatch)


@pytest.mark.parametrize("name", TAKEN)
def test_what_is_kept_is_found_by_whoever_takes_it(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them were PROVED, or VIOLATED where a variable was set."""
    with pytest.raises(EverystateError, match="E138"):
        _examined(TAKEN[name], tmp_path, monkeypatch)
