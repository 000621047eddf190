"""A spec that hangs on the order of a plain set is refused (E144), and no other one that has sets."""

from __future__ import annotations

import os
import pickle
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from everystate import check
from everystate.checker import Enum, Int, Spec, action, invariant
from everystate.checker.border import Reach, examine, set_order
from everystate.checker.cli.targets import resolve
from everystate.checker.ir import reproducibility
from everystate.checker.ir.model import build
from everystate.checker.ir.portable import Portable, portable
from everystate.checker.ir.sameness import differing
from tests.agreement.readers import load

from .orders import ASTRAY, BY_ADDRESS, FINE, source

pytestmark = pytest.mark.usefixtures("other_orders")

ROOT = Path(__file__).parents[2]
SEEDS = ("1", "2", "3")
"""They put every pair of `ann`, `bob` and `cid` in both orders."""
CALLED = {"reachable loop", "of a function that stands there"}
"""Forms in which a module calls what fills a list, or makes a text: found where all of the module is read, as it is
where a spec can be made in another process."""


@pytest.fixture(scope="module")
def starts(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What each start of Python made of all forms."""
    running = []
    for seed in SEEDS:
        command = [sys.executable, "-m", "tests.border.orders", str(tmp_path_factory.mktemp("forms"))]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        running.append(subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE))
    return [pickle.loads(process.communicate()[0]) for process in running]


def test_a_large_spec_that_was_traced_twice_is_one_spec() -> None:
    """Its trees were walked pair by pair, and given up: a spec derived from the model of Kafka was refused."""
    made = portable(build(resolve("current/definite-error").spec()))
    again: Portable = pickle.loads(pickle.dumps(made))
    assert differing([made, again]) == []
    conditions = [(at, row) for at, row in enumerate(again.nodes) if row[0] == "if"]
    at, (_, term, then, otherwise) = conditions[len(conditions) // 2]
    again.nodes[at] = ("if", term, otherwise, then)
    assert differing([made, again]) != []


@pytest.mark.parametrize("name", ASTRAY)
def test_what_hangs_on_an_order_is_another_spec_in_another_process(name: str, starts: list[dict[str, Any]]) -> None:
    assert differing([start[name] for start in starts])


@pytest.mark.parametrize("name", FINE)
def test_what_does_not_is_the_same_spec_everywhere(name: str, starts: list[dict[str, Any]]) -> None:
    assert differing([start[name] for start in starts]) == []
    assert differing([start[f"{name}, turned"] for start in starts]) == []


@pytest.mark.parametrize("name", [*ASTRAY, *BY_ADDRESS])
def test_every_such_form_is_looked_at(name: str, tmp_path: Path) -> None:
    spec = load(source({**ASTRAY, **BY_ADDRESS}[name]), tmp_path)
    reach = examine(spec, symbols=True).reach
    assert set_order.first(spec, reach, again=True) is not None
    assert (set_order.first(spec, reach, again=False) is None) is (name in CALLED)


QUIET = {
    "numbers": {"action": "for i in {1, 2, 3}: self.n = 0 * i + self.n"},
    "numbers of a module": {"module": "S = {1, 2, 3}", "action": "for i in S: self.n = 0 * i + self.n"},
    "asked for a constant": {"prop": 'self.who in {"ann", "bob"}'},
    "asked for what is made": {"prop": 'self.who in {"ann", self.who}'},
    "a function that nobody calls": {"module": 'def other(): return next(iter({"ann", "bob"}))'},
    "a library that nobody asks": {"module": "import networkx as nx\nfrom numpy import array as given"},
    "libraries without sets": {
        "module": "import argparse, logging, shutil, signal, subprocess, tempfile, traceback, warnings\n"
        "GIVEN = argparse, logging, shutil, signal, subprocess, tempfile, traceback, warnings"
    },
    "a dictionary": {"module": 'T = {"ann": 1}', "prop": "all(self.n - 1 < v + 3 for v in T.values())"},
    "no set": {},
    "annotations": {"module": "TOP: int = 3\nclass Box:\n    x: int = 1\n    if x:\n        y: int = 2"},
    "an empty state": {"action": "self.some = set()", "prop": "self.some != set()"},
    "the state": {"action": 'self.some = {"ann", self.who, "bob"}', "prop": 'self.some <= {"ann", "bob"}'},
    "texts of objects that say who they are": {
        "module": "class A:\n    n = 1\n    def __repr__(self): return f'A {self.n}'\nONE = A()",
        "prop": "str(ONE) == f'{ONE}'",
    },
    "texts, and a class that nobody asks": {"module": "class A: pass", "action": "narrate(f'{self.n}')"},
    "texts, and functions that are called": {
        "module": "def told(n): return f'{n}'\nclass A:\n    one = 1\n    def told(self): return told(self.one)\n"
        "    def __repr__(self): return self.told()\nONE = A()",
        "action": "narrate(told(self.n))",
        "prop": "str(ONE) == ONE.told() or all_of([self.n], lambda n: n == 1)",
    },
    "small numbers": {"action": "require(len({1, 2}) == 2)"},
    "sets of the state": {
        "variables": 'some = Set(["ann","bob"]); self.two = Array(2, some); self.all = Map(range(2), Array(2, some))',
        "action": 'i = 0; self.two[i] = {"ann", "bob"}; self.two[1] |= {self.who}; self.all[1][i] = {"ann"}',
        "prop": 'self.two[0] | {"ann"} == self.two[1] and self.all[1][0] == {"ann"}',
    },
    "more of the state": {"action": 'self.some |= {"ann"}\n        self.some = self.some - {"ann", "bob", "cid"}'},
}


@pytest.mark.parametrize("again", [True, False], ids=["made again", "here alone"])
@pytest.mark.parametrize("name", QUIET)
def test_specs_without_an_order_start_no_process(name: str, again: bool, tmp_path: Path) -> None:
    spec = load(source(QUIET[name]), tmp_path)
    assert set_order.first(spec, examine(spec, symbols=True).reach, again) is None


CALLED_SOMEWHERE = {
    "by the spec": {"module": "def other(): return {'ann', 'bob'}", "prop": "len(other()) == 2"},
    "under another name": {"module": "other = lambda: {'ann', 'bob'}\ngiven = other", "prop": "len(given()) == 2"},
    "by the module": {"module": "NAMES = []\ndef other(): NAMES.extend({'ann', 'bob'})\nother()"},
    "by a decorator": {"module": "def now(f): return f()\n@now\ndef other(): return list({'ann', 'bob'})"},
    "by another one": {"module": "def other(): return {'ann'}\ndef called(): return other()\nNAMES = [*called()]"},
    "by text": {
        "module": "def other(): return {'ann'}\nNAMES = [f() for n, f in list(globals().items()) if n == 'other']"
    },
    "a library": {"module": "import networkx as nx\nNODES = list(nx.Graph([('ann', 'bob')]).nodes)"},
    "out of a library": {"module": "from networkx import Graph as Given\nNODES = list(Given([('ann', 'bob')]).nodes)"},
    "within a function": {"helper": "def other(self):\n        import networkx\n        return 1"},
}


@pytest.mark.parametrize("name", CALLED_SOMEWHERE)
def test_what_is_called_is_looked_at(name: str, tmp_path: Path) -> None:
    spec = load(source(CALLED_SOMEWHERE[name]), tmp_path)
    assert set_order.first(spec, examine(spec, symbols=True).reach, again=True) is not None


OTHER = 'def other(self):\n        self.some = {"ann", "bob"}\n'
HANDED = {
    "to nobody": ("", OTHER, ""),
    "to a mark": ("", f"@action\n    {OTHER}", ""),
    "to a decorator": ("KEPT = []\ndef keep(f):\n    KEPT.append(f)\n    return f", f"@keep\n    {OTHER}", ""),
    "to a list of the class": ("", f"{OTHER}\n    ways = [other]", ""),
    "to a list of the module": ("", OTHER, "KEPT = [Generated.other]"),
    "by a text": ("", OTHER, "KEPT = vars(Generated)['other']"),
    "to a function": ("", OTHER, "def called(o):\n    Generated.other(o)"),
    "to another method": ("", f"{OTHER}\n    def called(self, o):\n        Generated.other(o)", ""),
    "to another self": ("", f"{OTHER}\n    def called(self, o):\n        self = o\n        self.other()", ""),
    "to who decorates the class": ("", OTHER, "def keep(cls):\n    return getattr(cls, 'other')\nkeep(Generated)"),
    "to who lists the class": ("", OTHER, "def keep(cls):\n    return [*vars(cls).values()]\nkeep(Generated)"),
    "as another variable": ("def called(o):\n    return o.others", OTHER, ""),
}


@pytest.mark.parametrize("name", HANDED)
def test_a_method_that_somebody_may_keep_is_looked_at(name: str, tmp_path: Path) -> None:
    """He may call it with another `self`, which takes a plain set in its order: PROVED, or VIOLATED by another seed."""
    module, helper, after = HANDED[name]
    given = {"module": module, "helper": helper, "action": "pass" if name == "to a mark" else "self.other()"}
    spec = load(f"{source(given)}\n{after}\n", tmp_path)
    found = set_order.first(spec, Reach(spec), again=True)
    assert (found is None) is (name in ("to nobody", "to a mark", "as another variable"))


# -- through the doors -----------------------------------------------------------------------------------------

ORDER = """
from everystate.checker import *

NAMES = {"ann", "bob", "cid"}


class Order(Spec):
    names = Constant(frozenset({"ann"}))

    def variables(self):
        self.first = Enum("ann", "bob", "cid")
        self.n = Int(0, 3)

    @action
    def go(self):
        require(self.first in NAMES)
        self.first = GIVEN

    @action
    def again(self):
        for name in NAMES:
            if self.first == name:
                self.n = 0

    @invariant
    def fine(self):
        return all(self.first != name or self.n == 0 for name in NAMES)
"""
REFUSED = """error E144: Order is another spec with the next start of Python: the action go()
  where: order.py:14, in go
      @action
"""


def everystate(folder: Path, *arguments: str, given: str = "next(iter(NAMES))") -> tuple[int, str]:
    """(exit code, output) of a command on a spec with an order."""
    (folder / "order.py").write_text(ORDER.replace("GIVEN", given))
    command = [sys.executable, "-m", "everystate", *arguments]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


@pytest.mark.parametrize("arguments", [("check", "order.py"), ("check", "order.py", "--engine", "python")])
def test_the_action_is_named(arguments: tuple[str, ...], tmp_path: Path) -> None:
    code, text = everystate(tmp_path, *arguments)
    assert (code, REFUSED in text) == (150, True), text


def test_sorted_is_checked_without_a_remark(tmp_path: Path) -> None:
    code, text = everystate(tmp_path, "check", "order.py", given="sorted(NAMES)[0]")
    assert (code, "PROVED" in text, "assumes" in text) == (0, True, False), text


LEAST = 0


class Local(Spec):
    """Of a module that can be imported; its twin is made in a function."""

    def variables(self) -> None:
        self.who = Enum("ann", "bob")
        self.n = Int(0, 1)

    @action
    def go(self) -> None:
        for name in {"ann", "bob"}:
            if self.who == name:
                self.n = 1 - LEAST

    @invariant
    def fine(self) -> bool:
        return self.n < 2 + LEAST


def test_a_spec_of_a_function_says_what_is_assumed(ours_now: Callable[[], None]) -> None:
    ours_now()

    class Inner(Local):
        @action
        def other(self) -> None:
            for name in {"ann", "bob"}:
                if self.who == name:
                    self.n = 0

    for engine in ("native", "python"):
        said = [w for w in check(Inner, engine=engine, deadlock=False).warnings if "order" in w]
        assert len(said) == 1, said
        assert said[0].startswith("assumes that the order of plain sets does not matter (")
        assert said[0].endswith(", in go): Inner is defined in a function")


def test_nobody_is_left_when_the_comparison_is_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def popen(*given: Any, **more: Any) -> subprocess.Popen[bytes]:
        started.append(real(*given, **more))
        return started[-1]

    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(reproducibility.subprocess, "Popen", popen)
    monkeypatch.setattr(reproducibility, "_heard", interrupted)
    with pytest.raises(KeyboardInterrupt):
        build(Local())
    assert [process.returncode for process in started] == [-signal.SIGKILL] * len(reproducibility.SEEDS)


def slow(marker: Path, turns: range) -> subprocess.Popen[bytes]:
    """A process that makes a spec, which takes for ever; it is at it when there is a file."""
    given = {"path": list(sys.path), "module": "os", "file": os.path.abspath(os.__file__), "class": "path"}
    given |= {"seed": 1, "outer": [], "package": False, "written": [], "turns": turns, "told": None}
    code = f"import pathlib, time; pathlib.Path({str(marker)!r}).touch(); time.sleep(3600)"
    command, pipe = [sys.executable, "-c", reproducibility._CODE], subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
    assert process.stdin is not None
    process.stdin.write(pickle.dumps({**given, "constants": pickle.dumps(_Slow(code))}))
    process.stdin.flush()
    while not marker.exists():
        assert process.poll() is None, process.communicate()
    return process


def test_a_process_ends_with_the_one_that_asked(tmp_path: Path) -> None:
    process = slow(tmp_path / "at-it", range(0))
    assert process.communicate(timeout=300) == (b"", b"")
    assert process.returncode == 1


def test_one_that_is_killed_while_it_tries_an_order_is_waited_for_no_longer(tmp_path: Path) -> None:
    """Its child had its output, too, so who had lost patience waited for that one."""
    process = slow(tmp_path / "at-it", range(2))
    process.kill()
    assert process.stdout is not None and process.stdin is not None and process.stderr is not None
    assert select.select([process.stdout], [], [], 300)[0]
    assert process.stdout.read() == b""
    process.stdin.close()  # so the child ends
    assert process.stderr.read() == b""
    assert process.wait() == -signal.SIGKILL
    process.stdout.close()
    process.stderr.close()


class _Slow:
    def __init__(self, code: str) -> None:
        self.code = code

    def __reduce__(self) -> Any:
        return exec, (self.code,)


def test_where_no_process_can_be_started_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    found = build(Local()).spec._assumed
    assert len(found) == 1
    assert "no other process could be started" in found[0]


def test_a_spec_that_was_changed_here_is_not_taken_for_another_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reproducibility, "SEEDS", (1, 2))
    monkeypatch.setattr(reproducibility, "MORE", (3, 4))
    monkeypatch.setitem(globals(), "LEAST", 1)
    found = build(Local()).spec._assumed
    assert len(found) == 1
    assert found[0].endswith("another process makes another Local, in every order that was tried")
