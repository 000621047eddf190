"""What bodies have asked the environment, and how a spec comes by it: it is refused (E138) by whichever way."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from everystate.checker.border.hidden_state import examine
from everystate.checker.errors import EverystateError
from tests.agreement.readers import load

SPEC = """
from everystate.checker import *
{own}


class Generated({base}):
    may_terminate = True

    def variables(self):
        self.n = Int(0, 9)
        {variables}

    @action
    def up(self):
        require(self.n < 8)
        self.n += 1

    @invariant
    def fine(self):
        return self.n != {seven}
"""
ASK = "int(os.environ.get('N', '7'))"
HELD = f"import os\nclass Held:\n    seven = {ASK}\n    six = 6"
WAYS: dict[str, tuple[bool, str, str, str]] = {
    # refused, what stands in the neighbour `sized`, in the module of the spec, and in its invariant
    "of a class": (True, HELD, "from sized import Held", "Held.seven"),
    "of a class of a module": (True, HELD, "import sized", "sized.Held.seven"),
    "beside it": (False, HELD, "from sized import Held", "Held.six"),
    "by getattr": (True, HELD, "from sized import Held", "getattr(Held, 'seven')"),
    "of an object": (True, f"{HELD}\nheld = Held()", "from sized import held", "held.seven"),
    "of a base": (True, HELD, "from sized import Held\nclass Own(Held): pass", "Own.seven"),
    "of a base that says otherwise": (False, HELD, "import sized\nclass Own(sized.Held):\n    seven = 7", "Own.seven"),
    "kept under another name": (True, HELD, "from sized import Held\nSEVEN = Held.seven", "SEVEN"),
    "a class that copies": (
        True,
        f"import os\nN = {ASK}",
        "import sized\nclass Own:\n    eight = sized.N",
        "Own.eight",
    ),
    "a class that copies there": (
        True,
        f"import os\nN = {ASK}\nclass Held:\n    seven = N",
        "from sized import Held",
        "Held.seven",
    ),
    "an inner class": (
        True,
        f"import os\nclass Out:\n    class Held:\n        seven = {ASK}",
        "from sized import Out",
        "Out.Held.seven",
    ),
    "set from outside": (True, f"{HELD}\nHeld.six = {ASK}", "from sized import Held", "Held.six"),
    "a dataclass": (
        True,
        f"import os, dataclasses\n@dataclasses.dataclass\nclass Held:\n    seven: int = {ASK}\nheld = Held()",
        "from sized import held",
        "held.seven",
    ),
    "a factory": (
        True,
        "import os\nfrom dataclasses import dataclass, field\n@dataclass\nclass Held:\n"
        f"    seven: int = field(default_factory=lambda: {ASK})",
        "from sized import Held\nheld = Held()",
        "held.seven",
    ),
    "a named tuple": (
        True,
        f"import os, typing\nclass Held(typing.NamedTuple):\n    seven: int = {ASK}",
        "from sized import Held\nSEVEN, = Held()",
        "SEVEN",
    ),
    "an enum": (True, f"import os, enum\nclass E(enum.IntEnum):\n    N = {ASK}", "from sized import E", "E.N"),
    "a module's __getattr__": (True, f"import os\ndef __getattr__(name): return {ASK}", "import sized", "sized.SEVEN"),
    "a function": (True, f"import os\ndef ask(): return {ASK}\nSEVEN = ask()", "from sized import SEVEN", "SEVEN"),
    "a function further on": (
        True,
        f"import os\ndef inner(): return {ASK}\ndef ask(): return inner()",
        "from sized import ask\nSEVEN = ask()",
        "SEVEN",
    ),
    "a function with a cache": (
        True,
        f"import os, functools\n@functools.cache\ndef ask(): return {ASK}",
        "from sized import ask\nSEVEN = ask()",
        "SEVEN",
    ),
    "a function that sets it": (
        True,
        f"import os\nQ = 7\ndef ask():\n    global Q\n    Q = {ASK}\nask()",
        "from sized import Q\nSEVEN = Q",
        "SEVEN",
    ),
    "a method": (
        True,
        f"import os\nclass Ask:\n    def __init__(self): self.n = {ASK}",
        "from sized import Ask\nSEVEN = Ask().n",
        "SEVEN",
    ),
    "a closure": (
        True,
        f"import os\ndef make():\n    n = {ASK}\n    return lambda: n\nseven = make()",
        "from sized import seven",
        "seven()",
    ),
    "a default": (True, f"import os\ndef seven(*, n={ASK}): return n", "from sized import seven", "seven()"),
    "a list that is filled": (True, f"import os\nL = []\nL.append({ASK})", "from sized import L", "L[0]"),
    "a dictionary": (True, f"import os\nD = {{}}\nD['n'] = {ASK}", "import sized\nSEVEN = sized.D['n']", "SEVEN"),
    "what is decided": (
        True,
        "import os\nQ = 7\nif 'N' in os.environ:\n    R = 1\n    Q = 3",
        "from sized import Q",
        "Q",
    ),
    "what is decided otherwise": (
        True,
        "import os\nif 'N' in os.environ:\n    R, Q = 1, 3\nelse:\n    R = 2\n    Q = 7",
        "from sized import Q",
        "Q",
    ),
    "what stands after it": (
        False,
        "import os\nif 'N' in os.environ:\n    R = 1\nQ = 7",
        "from sized import Q",
        "Q",
    ),
    "an error": (
        True,
        "import os\ntry:\n    os.environ['N']\nexcept KeyError:\n    R = 1\n    Q = 7\nelse:\n    Q = 3",
        "from sized import Q",
        "Q",
    ),
    "this or that": (True, "import os\nQ = int(os.environ.get('N') or 7)", "from sized import Q", "Q"),
    "two names at once": (True, f"import os\nP = Q = {ASK}", "from sized import Q", "Q"),
    "the second of two": (True, f"import os\n(P, *Q), R = (1, {ASK}), 2", "from sized import Q", "Q[0]"),
    "by a name as a text": (True, f"import os\nglobals()['Q'] = {ASK}", "from sized import Q", "Q"),
    "a class that a function makes": (
        True,
        f"import os\nfrom everystate.checker import *\ndef make():\n    n = {ASK}\n    class Made(Spec):\n"
        "        @invariant\n        def less(self): return self.n < n\n    return Made",
        "from sized import *\nMade = make()",
        "7",
    ),
    "something told": (False, "import os\nQ = [7]\nprint(os.environ.get('N'), Q)", "from sized import Q", "Q[0]"),
    "the command": (True, "import sys\nQ = 6 + bool(sys.argv)", "from sized import Q", "Q"),
    "the machine": (True, "from sys import platform\nQ = 6 + bool(platform)", "from sized import Q", "Q"),
    "dice without a seed": (True, "import random\nD = random.Random()\nQ = D.random()", "from sized import Q", "Q"),
    "dice with one": (False, "import random\nD = random.Random(7)\nQ = D.random()", "from sized import Q", "Q"),
}


@pytest.mark.parametrize("name", WAYS)
def test_an_answer_is_found_by_whichever_way_it_comes(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Classes, functions, branches and lists of a neighbour: PROVED, or VIOLATED where a variable was set."""
    refused, there, own, seven = WAYS[name]
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "sized", ModuleType("sized"))  # so that it is gone afterwards
    monkeypatch.delitem(sys.modules, "sized")
    (tmp_path / "sized.py").write_text(there)
    base = "Made" if "Made" in own else "Spec"
    spec = load(SPEC.format(own=own, base=base, variables="", seven=seven), tmp_path)
    if not refused:
        examine(spec, symbols=True)
        return
    with pytest.raises(EverystateError, match="E138"):
        examine(spec, symbols=True)


def test_an_object_that_asks_while_the_spec_is_made(tmp_path: Path) -> None:
    """os.environ.get is a function of a module that Python has frozen: nobody heard it."""
    asking = f"import os\nclass Ask:\n    def __init__(self): self.n = {ASK}"
    spec = load(SPEC.format(own=asking, base="Spec", variables="self.top = Ask().n", seven="self.top"), tmp_path)
    with pytest.raises(EverystateError, match=r"E138 .* environ is what no report tells"):
        examine(spec, symbols=True)


def test_a_text_that_is_executed_is_told_by_its_word(tmp_path: Path) -> None:
    """The text of a whole module stood in the message."""
    spec = load(SPEC.format(own='exec("""\nimport time\nM = 3\n""")', base="Spec", variables="", seven="M"), tmp_path)
    with pytest.raises(EverystateError, match=r"made: time asks what time it is$"):
        examine(spec, symbols=True)


class Callable:
    """Stands for a module, as libraries put such objects there."""

    def __call__(self) -> Any:
        return os.environ.get("N")


def test_who_stands_among_the_modules_is_not_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """a body that named sys.modules was refused for whatever stood there (E138)"""
    monkeypatch.setitem(sys.modules, "callable_module", Callable())  # type: ignore[arg-type]
    own = "import os, sys\nM = sys.modules[__name__]\nOTHER = os.environ.get('N')"
    spec = load(SPEC.format(own=own, base="Spec", variables="", seven="7 + 0 * len(M.__name__)"), tmp_path)
    examine(spec, symbols=True)


def test_a_spec_that_derives_from_another_one_is_examined_where_nobody_asks(tmp_path: Path) -> None:
    """It ended with E503: what nobody asks was looked up in a dictionary that was not made."""
    text = 'from everystate.model import KafkaProducer\n\nclass Generated(KafkaProducer):\n    """Mine."""\n'
    examine(load(text, tmp_path), symbols=True)
