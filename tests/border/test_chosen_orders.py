"""Specs that hang on the order of a plain set in one of many orders: each element stands once at each place of it."""

from __future__ import annotations

import builtins
import importlib
import os
import py_compile
import subprocess
import sys
import zipfile
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any
from zipimport import zipimporter

import pytest

from everystate.checker.ir.chosen_orders import Orders, compiled
from everystate.checker.ir.reproducibility import without_text

BY_EACH = {0: ["ann", "bob", "cid"], 1: ["bob", "cid", "ann"], 2: ["cid", "ann", "bob"]}
NAMES = '{"ann", "bob", "cid"}'
FORMS = {
    "list": "list(NAMES)",
    "tuple": "tuple(NAMES)",
    "iter": "it = iter(NAMES); [next(it), next(it), next(it)]",
    "star": "[*NAMES]",
    "star of a call": "(lambda *given: given)(*NAMES)",
    "unpacked": "a, b, c = NAMES; a, b, c",
    "rest": "a, *rest = NAMES; [a, *rest]",
    "made in place": f"list({NAMES})",
    "comprehension": "[name for name in NAMES]",
    "set comprehension": "list({name for name in NAMES})",
    "dictionary": "{name: 1 for name in NAMES}",
    "keys": "dict.fromkeys(NAMES)",
    "views": "list({name: 1 for name in sorted(NAMES)}.keys() | set())",
    "loop": "found = []\nfor name in NAMES: found.append(name)\nfound",
    "enumerated": "[name for at, name in enumerate(NAMES)]",
    "zipped": "[name for name, at in zip(NAMES, range(3))]",
    "mapped": "list(map(str.lower, NAMES))",
    "sorted by what is equal": "sorted(NAMES, key=len)",
    "joined": '" ".join(NAMES).split(" ")',
    "extended": "found = []; found.extend(NAMES); found",
    "added": "found = []; found += NAMES; found",
    "into a slice": "found = [0]; found[:] = NAMES; found",
    "counted": "import collections; found = collections.Counter(); found.update(NAMES); found",
    "updated": "found = {}; found.update({(name, 1) for name in NAMES}); found",
    "the smallest": "import heapq; heapq.nsmallest(3, NAMES, key=len)",
    "flags": "import enum\nF = enum.Flag('F', 'ann bob cid')\n[each.name for each in {*F, F(3)} - {F(3)}]",
    "reduced": "from functools import reduce; reduce(lambda found, name: found + [name], NAMES, [])",
    "chained": "import itertools; list(itertools.chain(NAMES))",
    "yielded": "def all_of():\n    yield from NAMES\nlist(all_of())",
    "popped": "left = set(NAMES); [left.pop(), left.pop(), left.pop()]",
    "frozen": "list(frozenset(NAMES))",
    "operators": 'list((NAMES | {"dan"}) - {"dan"})',
    "members": "import enum\nN = enum.Enum('N', 'ann bob cid')\n[each.name for each in {N.ann, N.bob, N.cid}]",
    "tuples": "[name for name, _ in {(name, 1) for name in NAMES}]",
    "classes": "[cls.__name__ for cls in {type(name, (), {}) for name in NAMES}]",
}


def values(text: str, by: int, folder: Path) -> Any:
    """What the last line of a text gives where plain sets are turned."""
    *lines, last = f"NAMES = {NAMES}\n{text}".replace("; ", "\n").split("\n")
    path = folder / "form.py"
    path.write_text("\n".join([*lines, f"FOUND = {last}"]))
    names = {"__name__": "form", **Orders(by).functions()}
    exec(compiled(str(path), path.read_bytes()), names)
    return names["FOUND"]


@pytest.mark.parametrize("form", FORMS)
def test_each_element_stands_once_at_each_place(form: str, tmp_path: Path) -> None:
    assert {by: [*values(FORMS[form], by, tmp_path)] for by in BY_EACH} == BY_EACH


QUIET = {
    "numbers": ("list({3, 1, 2})", [*{3, 1, 2}]),
    "one": ('list({"ann"})', ["ann"]),
    "what a set is": ("[type(NAMES) is set, len(NAMES), 'ann' in NAMES, NAMES == {*NAMES}]", [True, 3, True, True]),
    "a list": ('list(["cid", "ann"])', ["cid", "ann"]),
    "sets of sets": ("found = {1}; found |= NAMES; found.update(NAMES); [len(found), type(found) is set]", [4, True]),
    "a number more": ("found = 1; found += 1; [found]", [2]),
    "another pop": ('[{"ann": 1}.pop("ann"), ["bob", "cid"].pop(), {7}.pop()]', [1, "cid", 7]),
}


@pytest.mark.parametrize("form", QUIET)
def test_all_else_is_as_it_was(form: str, tmp_path: Path) -> None:
    text, given = QUIET[form]
    assert [values(text, by, tmp_path) for by in BY_EACH] == [given] * 3


def test_addresses_grow_in_one_order_and_fall_in_the_next(tmp_path: Path) -> None:
    text = "objects = [[1], [2], [3]]\nsorted(objects, key=id), [id(objects[0]) == id(objects[0])]"
    assert [values(text, by, tmp_path) for by in (0, 1)] == [([[1], [2], [3]], [True]), ([[3], [2], [1]], [True])]
    assert values("id = len\n[id([7])]", 1, tmp_path) == [1]


def test_the_largest_set_that_was_gone_through_is_told(tmp_path: Path) -> None:
    orders = Orders(0)
    path = tmp_path / "form.py"
    path.write_text('A = {str(n) for n in range(9)}\nB = "1" in A\nC = [*{"ann", "bob"}]\nD = {*range(20)}\nE = [*D]\n')
    exec(compiled(str(path), path.read_bytes()), orders.functions())
    assert orders.largest == 2


@pytest.fixture
def loaders(monkeypatch: pytest.MonkeyPatch) -> None:
    """What orders put in the place of Python's loaders, and among the builtins, is gone behind a test."""
    monkeypatch.setattr(SourceFileLoader, "get_code", SourceFileLoader.get_code)
    monkeypatch.setattr(zipimporter, "get_code", zipimporter.get_code)
    for name in Orders(0).functions():
        monkeypatch.setattr(builtins, name, None, raising=False)


@pytest.mark.usefixtures("loaders")
def test_a_module_in_an_archive_goes_through_sets_in_the_order_that_is_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`next(iter(NAMES)) == "x7"` with forty names was PROVED there, and refused in a file (E144)."""
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("in_archive.py", f"FOUND = list({NAMES})\n")
    monkeypatch.syspath_prepend(str(tmp_path / "all.zip"))
    for by, listed in BY_EACH.items():
        monkeypatch.setitem(sys.modules, "in_archive", None)
        monkeypatch.delitem(sys.modules, "in_archive")
        Orders(by).install()
        assert [*importlib.import_module("in_archive").FOUND] == listed


def test_of_bytecode_alone_it_is_said_that_no_order_is_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A spec of that kind was PROVED without a word, and VIOLATED with another seed."""
    (tmp_path / "alone.py").write_text(f"FOUND = list({NAMES})\n")
    py_compile.compile(str(tmp_path / "alone.py"), str(tmp_path / "alone.pyc"))
    (tmp_path / "alone.py").unlink()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "alone", None)
    monkeypatch.delitem(sys.modules, "alone")
    assert without_text() == ""
    importlib.import_module("alone")
    assert without_text() == "alone is there as bytecode only, in which no order can be chosen"


# -- through the doors -----------------------------------------------------------------------------------------

RARE = """
from everystate.checker import *

NAMES = {f"name{n}" for n in range(16)}


class Rare(Spec):
    def variables(self):
        self.n = Int(0, 3)

    @action
    def go(self):
        self.n = min(self.n + 1, 3)

    @invariant
    def fine(self):
        return self.n < 3 or GIVEN != "name7"
"""
LOOP = "max((name for name in NAMES), key=lambda name: 0)"
SCRIPT = '\n\nif __name__ == "__main__":\n    from everystate import check\n    print(check(Rare).verdict)\n'


def ran(folder: Path, *arguments: str) -> str:
    """What a program says, with a seed with which neither this start nor any of the eight shows the place."""
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    run = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    return run.stdout.decode()


DOORS = {"command": (("-m", "everystate", "check", "rare.py"), "list(NAMES)[1]"), "script": (("rare.py",), LOOP)}


@pytest.mark.parametrize("door", DOORS)
def test_what_shows_in_one_order_of_sixteen_is_refused(door: str, tmp_path: Path) -> None:
    arguments, given = DOORS[door]
    (tmp_path / "rare.py").write_text(RARE.replace("GIVEN", given) + SCRIPT)
    said = ran(tmp_path, *arguments)
    assert "Rare is another spec with the next start of Python: invariant fine" in said, said


def test_objects_stand_once_at_each_place_of_the_order_of_one_process(tmp_path: Path) -> None:
    """Two processes shared the places, and had an order each: PROVED in most starts, and VIOLATED in the others."""
    names = """from dataclasses import dataclass
@dataclass(frozen=True)
class P:
    name: str
"""
    text = RARE.replace('{f"name{n}" for n in range(16)}', '{P(f"name{n}") for n in range(6)}')
    text = text.replace('"name7"', 'P("name5")')
    (tmp_path / "rare.py").write_text(names + text.replace("GIVEN", "next(iter(NAMES))"))
    said = ran(tmp_path, "-m", "everystate", "check", "rare.py")
    assert "Rare is another spec with the next start of Python: invariant fine" in said, said


def test_who_cannot_make_it_in_an_order_that_is_chosen_is_no_witness(tmp_path: Path) -> None:
    """it was PROVED without a word: what failed there was left out where answers are compared"""
    fails = "import builtins\nif hasattr(builtins, 'turned_by_everystate'):\n    raise RuntimeError('not like this')\n"
    (tmp_path / "rare.py").write_text(fails + RARE.replace("GIVEN", "max(NAMES)"))
    said = ran(tmp_path, "-m", "everystate", "check", "rare.py")
    place = "assumes that the order of plain sets does not matter (rare.py:"
    assert place in said and "another process could not make it: RuntimeError: not like this" in said, said
