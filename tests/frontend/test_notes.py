# ruff: noqa: E501
"""Notes on likely mistakes that make properties hold: what has one, and what has none."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent, indent

import pytest

from everystate.checker.cli.main import main
from everystate.checker.cli.targets import resolve
from everystate.checker.frontend.model import build
from everystate.specs import registry

HEAD = """
from everystate.checker import *

class Message(Record):
    kind = Enum("ask", "answer")
    number = Int(0, 3)

class S(Spec):
    most = Constant(9)
    may_terminate = True

    def variables(self):
        self.state = Enum("idle", "busy")
        self.n = Int(0, 3)
        self.on = Bool()
        self.seen = Set(range(3))
        self.owner = Option(range(3))
        self.queue = Seq(Message, 2)
        self.held = Map(["a", "b"], Int(0, 3))

    @action
    def go(self):
        require(self.n < 3)
        self.n += 1
"""
WITH = {
    "an enum and another text": (
        '@invariant\ndef p(self): return self.state != "Busy"',
        "'Busy' can never be equal to one of idle, busy",
    ),
    "the other way round": (
        '@invariant\ndef p(self): return "Busy" != self.state',
        "'Busy' can never be equal to one of idle, busy",
    ),
    "one of some texts": (
        '@invariant\ndef p(self): return self.state not in ("busy", "buzy")',
        "'buzy' can never be equal to one of idle, busy",
    ),
    "a number and a text": (
        '@invariant\ndef p(self): return self.n != "1"',
        "'1' can never be equal to a number from 0 to 3",
    ),
    "an enum and a number": (
        "@invariant\ndef p(self): return self.state != 1",
        "1 can never be equal to one of idle, busy",
    ),
    "a boolean and a text": (
        '@invariant\ndef p(self): return self.on != "yes"',
        "'yes' can never be equal to True or False",
    ),
    "a number outside": (
        "@invariant\ndef p(self): return self.owner != 7",
        "7 can never be equal to a number from 0 to 2 or None",
    ),
    "a member of another kind": (
        '@invariant\ndef p(self): return "1" not in self.seen',
        "'1' can never be equal to a member of Set(Int(0, 2))",
    ),
    "a field of a record": (
        '@invariant\ndef p(self): return all(m.kind != "Ask" for m in self.queue)',
        "'Ask' can never be equal to one of ask, answer",
    ),
    "a sequence and a number": (
        "@invariant\ndef p(self): return self.queue != 0",
        "0 can never be equal to a sequence",
    ),
    "in an action": (
        '@action\ndef stop(self):\n    if self.state == "Busy":\n        self.n = 0\n    self.on = True',
        "'Busy' can never be equal to one of idle, busy",
    ),
    "a key of a map": (
        '@invariant\ndef p(self): return "c" not in self.held',
        "'c' can never be equal to a key of this map",
    ),
    "a case": (
        '@action\ndef stop(self):\n    match self.state:\n        case "idle" | "Busy":\n            self.n = 0\n    self.on = True',
        'line 28: \'Busy\' can never be equal to one of idle, busy: `case "idle" | "Busy":`',
    ),
    "a condition alone": (
        "@action\ndef stop(self):\n    self.n == 3\n    self.on = True",
        "`self.n == 3` stands alone",
    ),
    "two conditions alone": (
        "@action\ndef stop(self):\n    self.n == 3 and not self.on\n    self.on = True",
        "stands alone",
    ),
    "a variable alone": ("@action\ndef stop(self):\n    self.on\n    self.n = 0", "`self.on` stands alone"),
    "any alone": ("@action\ndef stop(self):\n    any(m.number for m in self.queue)\n    self.n = 0", "stands alone"),
    "a condition alone in a helper": (
        "@action\ndef stop(self):\n    self.check()\n    self.n = 0\ndef check(self):\n    self.on is True",
        "`self.on is True` stands alone",
    ),
    "a forgotten decorator": (
        "@invariant\ndef p(self): return self.n < 9\ndef q(self): return self.n < 2",
        "q is never called and has no decorator",
    ),
    "another kind of collection": (
        "@invariant\ndef p(self): return self.queue != ()",
        "a tuple can never be equal to a sequence",
    ),
    "a text as a guard": (
        '@action\ndef stop(self):\n    require("self.n > 1")\n    self.on = True',
        "`'self.n > 1'` is used as a condition, and it is true in every state",
    ),
    "a tuple as an assertion": (
        '@action\ndef stop(self):\n    assert (self.n <= 1, "small")\n    self.on = True',
        "`(self.n <= 1, 'small')` is used as a condition, and it is true in every state",
    ),
    "a text beside a condition": (
        '@action\ndef stop(self):\n    require(self.state == "busy" or "idle")\n    self.on = True',
        "`'idle'` is used as a condition, and it is true in every state",
    ),
    "a number and None": (
        "@invariant\ndef p(self): return self.n != None",
        "p, line 25: no values of the variables make it false",
    ),
    "a chain that means something else": (
        "@invariant\ndef p(self): return not self.n > 1 > 2",
        "no values of the variables make it false",
    ),
    "a range that is empty": (
        "@invariant\ndef p(self): return all(self.n != k for k in range(3, 1))",
        "no values of the variables make it false",
    ),
    "a method that is not called": (
        '@eventually\ndef p(self): return self.state.upper != "BUSY"',
        "no values of the variables make it false",
    ),
    "or instead of and": (
        "@invariant\ndef p(self): return self.n != 1 or self.n != 2",
        "p, line 25: no values of the variables make it false",
    ),
    "sides that exclude each other": (
        "@step_invariant\ndef p(self, after): return not (after.n == self.n and after.n > self.n + self.on)",
        "no values of the variables make it false",
    ),
    "a return in the loop instead of after it": (
        "@invariant\ndef p(self):\n    for m in self.queue:\n        if m.number > 2:\n            return False\n        return True\n    return True",
        "p, line 27: this loop returns in its first round, whatever its conditions say",
    ),
    "both branches return": (
        "@invariant\ndef p(self):\n    for m in self.queue:\n        if m.number > 2:\n            return False\n        else:\n            return True\n    return True",
        "p, line 27: this loop returns in its first round",
    ),
    "a local variable": ("@action\ndef reset(self):\n    n = 0", "action reset never changes the state"),
    "the same value": ("@action\ndef reset(self):\n    self.n = self.n", "action reset never changes the state"),
}
WITHOUT = {
    "members": '@invariant\ndef p(self): return self.state != "busy" and self.n != 2 and self.owner != 2 and 1 in self.seen',
    "None": "@invariant\ndef p(self): return self.owner is None or self.owner == None or self.n > 1",
    "a parameter": "@action(i=range(9))\ndef take(self, i):\n    require(self.owner != i and i not in self.seen)\n    self.on = True",
    "a constant of the spec": "@invariant\ndef p(self): return self.n != self.most",
    "a helper with several domains": '@invariant\ndef p(self): return self.same(self.state, "idle") or self.same(self.n, "idle")\ndef same(self, a, b): return a == b',
    "a helper that is called": "@invariant\ndef p(self): return self.q()\ndef q(self): return self.n <= 3",
    "the bounds of a number": "@invariant\ndef p(self): return 0 <= self.n < 4 and self.owner != 7 - self.n",
    "bounds of several numbers": "@invariant\ndef p(self): return self.n * self.n <= 9 and self.n + self.on < 7 and self.n % 5 < 4",
    "loops that return": "@invariant\ndef p(self):\n    for m in self.queue:\n        if m.number > 2:\n            return False\n    for k in self.seen:\n        return k < 3\n    for k in self.seen:\n        if k:\n            continue\n        return self.on\n    return True",
    "a value or another": "@action\ndef stop(self):\n    word = self.owner or 1\n    self.on = word == 1",
    "an empty collection": "@invariant\ndef p(self): return self.queue != [] or self.seen != set() or self.held == {}",
    "a private helper": "def _unused(self): return self.n",
    "calls": "@action\ndef stop(self):\n    self.queue.append(Message.of())\n    self.change()\ndef change(self):\n    self.on = not self.on",
    "an idle action": '@action\ndef rest(self):\n    """nothing"""\n    require(self.n == 3)',
}


def notes(folder: Path, members: str) -> tuple[str, ...]:
    path = folder / "spec.py"
    path.write_text(dedent(HEAD) + indent(members, "    ") + "\n")
    return build(resolve(f"{path}:S").spec()).notes


@pytest.mark.parametrize("name", WITH)
def test_a_likely_mistake_has_one_note(name: str, tmp_path: Path) -> None:
    members, said = WITH[name]
    found = notes(tmp_path, members)
    assert len(found) == 1 and said in found[0]


@pytest.mark.parametrize("name", WITHOUT)
def test_what_is_meant_has_none(name: str, tmp_path: Path) -> None:
    assert notes(tmp_path, WITHOUT[name]) == ()


@pytest.mark.thorough
def test_no_registered_spec_has_a_note() -> None:
    targets = {(t := resolve(name)).cls: t for name in registry.names()}
    found = {target.name: notes for target in targets.values() if (notes := build(target.spec()).notes)}
    single = "txn-4.3/late-join"  # with a single partition
    assert found == {single: ("Atomic, line 32: no values of the variables make it false",)}


def test_every_output_has_the_notes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    notes(tmp_path, WITH["a number and a text"][0])
    said = "p, line 26: '1' can never be equal to a number from 0 to 3: `def p(self): return self.n != \"1\"`"
    assert main(["check", str(tmp_path / "spec.py:S")]) == 0
    text, told = capsys.readouterr()
    assert said in " ".join((text + told).split())
    main(["check", str(tmp_path / "spec.py:S"), "--json", "-"])
    assert said in json.loads(capsys.readouterr().out)["warnings"]
    (tmp_path / "m.toml").write_text('[[variant]]\nname = "s"\ntarget = "spec.py:S"\n')
    assert main(["matrix", str(tmp_path / "m.toml"), "--no-cache"]) == 0
    assert f"S: {said}" in " ".join(capsys.readouterr().err.split())
