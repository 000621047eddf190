"""A merged choice is what the same choice is that was traced once for each of its values."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from everystate.checker import AnyOf, Array, Bool, Constant, Int, Spec, action, choose, initial, invariant, require
from everystate.checker.cli.targets import resolve
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.errors import EverystateError
from everystate.checker.ir.expr import Pool
from everystate.checker.ir.facts import Facts
from everystate.checker.ir.merged_choice import MergedChoice
from everystate.checker.ir.model import build
from everystate.checker.ir.portable import portable
from everystate.checker.ir.sameness import differing
from everystate.checker.ir.tracer import Tracer
from everystate.checker.ir.tree import Branch, Disabled, Tree, Update, most_successors, nodes
from everystate.checker.language import concrete
from tests.border.verdicts import meaning, outcome

CHOOSE = Tracer.choose


@contextmanager
def apart() -> Iterator[None]:
    """Traces as if no choice were merged."""
    with patch.object(Tracer, "choose", lambda self, given, merged=False: CHOOSE(self, given)):
        yield


SPEC = """
import operator
from everystate.checker import *

LISTED = [3, 1, 2]
NAMED = {{0: 3, 1: 1, 2: 2}}


class Generated(Spec):
    def variables(self):
        self.n = Int(0, 9)
        self.on = Bool()
        self.queue = Seq(Int(0, 9), 3)
        self.cells = Array(3, Int(0, 9))
        self.members = Set(range(4))

    @action
    def go(self):
        require(self.n < 5)
        c = choose(range(3), merged=True)
        t = choose([True, False], merged=True)
{body}

    @invariant
    def Seven(self):
        return none_of(self.n == 7)
"""

USES = (
    "self.n = c + If(t, 5, self.n)",
    "self.n = LISTED[c] + 4",
    "self.n = 7 if NAMED.get(c + 1) == 2 else c",
    "self.n = 7 if f'{c}' == '1' else len(str(t))",
    "self.n = 14 // c if t else 9 % c",
    "self.n = c + 6",
    "self.cells[c] = 7\nself.cells[2 - c] = 3\nself.n = self.cells[1]",
    "self.queue.append(c)\nself.n = self.queue[0] + 5",
    "self.queue = [1, 2, 7][c:]\nself.n = self.queue.length + 5",
    "self.queue = [1, 2, 7]\nself.n = self.queue.pop(c)",
    "self.members = {c, 3}\nself.n = 7 if self.members == {2, 3} else 1",
    "self.n = len({c, 1}) + 5",
    "for i in range(c):\n    self.n += 3",
    "while c > 0:\n    c -= 1\n    self.n += 3",
    "require(c == 1 and t)\nself.n = c + 6",
    "if t:\n    self.n = 7\nelse:\n    self.n = c",
    "if c == 1:\n    self.n = choose(range(2), merged=True) + 6\nelse:\n    self.n = c",
    "self.n = c + choose(range(2), merged=True) + choose(range(3)) + 3",
    "self.n = choose(range(c + 1)) + 5",
    "self.n = choose([9, 1, 7, 7], merged=True)",
    "self.n = choose(Int(5, 7), merged=True) - choose(Bool(), merged=True)",
    "self.n = choose([7], merged=True)",
    "self.n = choose([], merged=True)",
    "self.n = count(range(3), lambda i: i < c) + 5",
    "self.n = 7 if any(i == c for i in (1, 5)) else 3",
    "self.on = t\nassert c != 1",
)
"""Python with a number `c` and a truth `t` that were chosen."""


def source(use: str) -> str:
    return SPEC.format(body=textwrap.indent(use, "        "))


@pytest.mark.parametrize("use", USES)
def test_it_is_what_it_is_apart(use: str, tmp_path: Path) -> None:
    found = outcome(source(use), "native", tmp_path)
    assert found[0] != "refused"
    assert found == meaning(source(use), tmp_path)
    assert found == outcome(source(use).replace(", merged=True", ""), "native", tmp_path)


def test_the_follower_s_end_is_what_it_is_apart() -> None:
    spec = resolve("current/clean-restart-of-the-follower").spec({})
    merged = build(spec)
    with apart():
        assert differing([portable(merged), portable(build(spec))]) == []


def test_conditions_may_be_many_behind_a_choice() -> None:
    pool = Pool()
    chosen = pool.var(5_000, 1, 3, False)
    behind: Tree = Update(((0, chosen),))
    for cell in range(1, 5_000):
        behind = Branch(pool.var(cell, 0, 1, True), behind, Disabled(None))
    choice = MergedChoice(pool, chosen, (1, 3), Facts()).apart(behind)
    leaves = [leaf.writes for leaf in nodes(choice) if isinstance(leaf, Update)]
    assert leaves == [((0, pool.const(value)),) for value in (1, 3)]
    assert most_successors(choice) == 2


class Begun(Spec):
    """Merged choices of other numbers in an @initial method, which is traced behind the actions."""

    may_terminate = True

    def variables(self) -> None:
        self.cells = Array(11, Bool(), init=AnyOf(Array(11, Bool())))
        self.n = Int(0, 9)

    @initial
    def begin(self) -> None:
        n = choose(range(10), merged=True)
        if n > 5:
            self.n = n

    @action
    def go(self) -> None:
        require(self.n == 0)
        self.n = choose(range(3), merged=True)

    @invariant
    def small(self) -> Any:
        return self.n < 9


def test_numbers_of_an_initial_method_are_not_those_of_an_action() -> None:
    """PROVED: the same symbol stood for both, with the bounds of the first"""
    model = build(Begun())
    assert model.beginning
    result = exhaustive.check(model)
    assert result.distinct == 2**11 * 7
    assert [(v.property, v.length) for v in result.violations] == [("small", 0)]


class Many(Spec):
    """Goes to any of n places."""

    n = Constant(10)

    def variables(self) -> None:
        self.at = Int(0, self.n)

    @action
    def go(self) -> None:
        self.at = choose(range(self.n), merged=True)


def test_it_has_each_value_once_and_is_executed_as_often_for_many_as_for_few() -> None:
    for n in (2, 300):
        run, runs = Tracer._begin, list[int]()
        with patch.object(Tracer, "_begin", lambda self, facts, run=run, runs=runs: (runs.append(1), run(self, facts))):
            [traced] = build(Many(n=n)).actions
        assert len(runs) == 2  # the first way is taken twice, to see that it is the same
        assert traced.tree.labels == tuple(range(n))  # type: ignore[union-attr]


@pytest.mark.parametrize("given", ["[1, 'x']", "[0, True]", "Enum('a', 'b')", "[None]", "[self.n]"])
def test_what_is_no_number_is_refused(given: str, tmp_path: Path) -> None:
    assert outcome(source(f"self.n = choose({given}, merged=True)"), "native", tmp_path) == ("refused", "E234")


def test_it_is_refused_on_plain_values_too() -> None:
    class Texts(Spec):
        def variables(self) -> None:
            self.n = Int(0, 3)

        @action
        def go(self) -> None:
            self.n = choose(["a", "b"], merged=True)

    spec = Texts()
    with pytest.raises(EverystateError, match="E234"):
        list(concrete.successors(spec, spec.initial_states()[0]))
