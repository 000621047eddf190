"""What a class or a file says of itself, whose it is and what it is called, makes nobody look away."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from fractions import Fraction
from functools import cmp_to_key, partial
from pathlib import Path

import pytest

from everystate.checker import Spec
from everystate.checker.border import ownership
from everystate.checker.cli.targets import resolve
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.errors import EverystateError
from everystate.checker.ir.model import build
from everystate.checker.language import marks

from .verdicts import outcome

BOX = """
import {module}

from everystate.checker import *


class Box:
    __module__ = "{module}"
    seen = []


class Generated(Spec):
    may_terminate = True

    def variables(self):
        self.n = Int(0, 9)

    @action
    def up(self):
        require(self.n < 9)
        Box.seen.append(1)
        self.n += 1

    @invariant
    def fine(self):
        return len(Box.seen) < 5 or self.n < 3
"""
MODULES = ["builtins", "fractions", "collections", "enum", "typing", "dataclasses", "json", "_io", "itertools"]
MODULES += ["everystate.checker.language.values", "everystate.model.broker", "pytest", "nowhere.at.all"]


@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize("module", MODULES)
def test_state_in_a_class_that_gives_itself_to_another_module(module: str, engine: str, tmp_path: Path) -> None:
    text = BOX.format(module=module).replace("import nowhere.at.all\n", "")
    assert outcome(text, engine, tmp_path) == ("refused", "E232")


@pytest.mark.parametrize("cls", [*map(type, (cmp_to_key(max), partial(int), iter({}), re.compile(""))), Fraction, Spec])
def test_classes_that_are_of_python_or_ours_are_known_as_such(cls: type) -> None:
    assert ownership.module_of(cls) == cls.__module__


ORDER = """
from everystate.checker import *
{top}

NAMES = {{"ann", "bob", "cid"}}


class Order(Spec):
    {body}

    def variables(self):
        self.who = Enum("ann", "bob", "cid", "dan", init="dan")

    @action
    def take(self):
        require(self.who == "dan")
        self.who = next(iter(NAMES))

    may_terminate = True


{end}
"""
ASSUMES = "assumes that the order of plain sets does not matter"
TARGET, NAMED = "everystate_target_forged", '__name__ = "everystate.mine"'
FORGED = {
    "the class": ({"body": '__module__ = "everystate.mine"'}, ASSUMES),
    "the class, of a module that there is": ({"body": '__module__ = "everystate.model.broker"'}, ASSUMES),
    "the class, and its name": ({"body": '__module__ = "everystate.model.broker"; __qualname__ = "Broker"'}, ASSUMES),
    "the module": ({"top": NAMED}, "E232"),
    "the module for a while": ({"top": NAMED, "end": f"__name__ = {TARGET!r}"}, ASSUMES),
    "the module among the others": ({"top": f"{NAMED}\nimport sys\nsys.modules[__name__] = sys"}, "E232"),
    "its file": ({"top": "from everystate.checker import language\n__file__ = language.__file__"}, "E232"),
}


@pytest.fixture(autouse=True)
def no_module_stays() -> Iterator[None]:
    """One of the files makes `sys` a module of ours, by that name; what others do to it later would be a patch."""
    yield
    sys.modules.pop("everystate.mine", None)


@pytest.mark.usefixtures("other_orders")
@pytest.mark.parametrize("form", FORGED)
def test_the_order_of_a_set_in_a_spec_that_says_it_is_ours(form: str, tmp_path: Path) -> None:
    path, (parts, expected) = tmp_path / "forged.py", FORGED[form]
    path.write_text(ORDER.format(**{"top": "", "body": "", "end": "", **parts}))
    try:
        spec = resolve(f"{path}:Order").spec()
        build(spec)
        found = " ".join(spec._assumed)
    except EverystateError as error:
        found = error.code
    assert found.startswith(expected)


def test_the_line_that_gives_a_module_another_name_is_told(tmp_path: Path) -> None:
    path = tmp_path / "named.py"
    path.write_text(ORDER.format(top=NAMED, body="", end=""))
    with pytest.raises(EverystateError) as found:
        resolve(f"{path}:Order")
    assert found.value.where is not None and found.value.where.source == NAMED
    assert found.value.what == (
        "__name__ lies outside of the state: by it Python and Everystate know which module this is"
    )


PATCHING = """
{top}
from everystate.checker import *
from everystate.checker.language import marks


class Patching(Spec):
    {body}

    def variables(self):
        marks.INVARIANT = "action"
        self.n = Int(0, 1)

    @action
    def up(self):
        self.n = 1


{end}
"""


@pytest.mark.parametrize("form", FORGED)
def test_what_is_ours_stays_as_it_is_for_a_spec_that_says_it_is_ours(form: str, tmp_path: Path) -> None:
    path, before = tmp_path / "forged.py", marks.INVARIANT
    path.write_text(PATCHING.format(**{"top": "", "body": "", "end": "", **FORGED[form][0]}))
    with pytest.raises(EverystateError) as found:
        resolve(f"{path}:Patching").spec()
    assert found.value.code == "E232" and before == marks.INVARIANT


def test_a_domain_that_says_it_is_ours_has_no_values_of_its_own(tmp_path: Path) -> None:
    path, claim = tmp_path / "domains.py", '__module__ = "everystate.checker.language.domains"'
    method = "def encode(self, value, out):\n        pass"
    path.write_text(f"from everystate.checker import *\n\n\nclass Mine(Int):\n    {claim}\n\n    {method}\n")
    with pytest.raises(EverystateError) as found:
        resolve(f"{path}:Mine")
    assert found.value.code == "E202"


NEIGHBOUR = """
seen = []


def tell(n):
    seen.append(n)
    return len(seen) < 5 or n < 3


tell.{claim}
"""
CLAIMS = ['__module__ = "builtins"', '__module__ = "everystate.checker.language.values"', '__qualname__ = "len"']
TELLING = """
from everystate.checker import *
from .helper import tell


class Telling(Spec):
    may_terminate = True

    def variables(self):
        self.n = Int(0, 9)

    @action
    def up(self):
        require(self.n < 9)
        self.n += 1

    @invariant
    def fine(self):
        return tell(self.n)
"""


@pytest.mark.parametrize("claim", CLAIMS)
def test_state_beside_a_function_that_says_it_is_of_another_module(claim: str, tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text(NEIGHBOUR.format(claim=claim))
    (tmp_path / "telling.py").write_text(TELLING)
    with pytest.raises(EverystateError) as found:
        exhaustive.check(build(resolve(f"{tmp_path}/telling.py").spec()))
    assert found.value.code in ("E231", "E232")
