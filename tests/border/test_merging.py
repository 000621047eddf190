"""What merges means what it means in Python: each condition in five places, compared by all readers on many states."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from everystate.checker.errors import EverystateError
from everystate.checker.ir.model import Model, build
from everystate.checker.ir.tree import Branch, Fault, Tree, nodes
from tests.agreement.readers import agree, load

HEAD = '''
from everystate.checker import *


class Generated(Spec):
    """Conditions of every kind on arrays, sequences, sets and maps."""

    may_terminate = True

    def variables(self):
        self.a = Array(3, Bool(), init=[True, False, True])
        self.b = Array(3, Bool())
        self.c = Array(3, Int(0, 3))
        self.q = Seq(Int(0, 3), 3, init=[1, 3])
        self.s = Set(range(3), init={1})
        self.t = Map(["x", "y"], Int(0, 3))
        self.n = Int(0, 3)
        self.out = Bool()
        self.lists = ((1, 2), (), (3,))
'''
PLACES = """
    def helper_{i}(self):
        return {condition}

    @invariant
    def invariant_{i}(self):
        return {condition}

    @reachable
    def reachable_{i}(self):
        return not self.helper_{i}()

    @action
    def guard_{i}(self):
        require({condition})
        self.n = (self.n + 1) % 4

    @action
    def value_{i}(self):
        self.out = all_of({condition})
"""
INITIAL = """
    @initial
    def begin(self):
        self.out = any_of({conditions})
"""

GENERATORS = {
    "a disjunction": "all_of(self.a[i] or self.b[i] for i in range(3))",
    "a conjunction": "any_of(self.a[i] and self.b[i] for i in range(3))",
    "none": "none_of(self.a[i] and not self.b[i] for i in range(3))",
    "how many": "count(self.a[i] or self.c[i] > 1 for i in range(3)) == 2",
    "a filter": "all_of(self.b[i] for i in range(3) if self.a[i] or self.n > 2)",
    "how many of a filter": "count(True for i in range(3) if self.a[i] and self.c[i] < 2) == 1",
    "an inner loop": "all_of(self.a[i] or self.b[j] for i in range(3) for j in range(3) if i < j)",
    "an inner loop counts several times": "count(self.a[i] or self.b[j] for i in range(3) for j in range(2)) == 5",
    "an inner loop of any length": "any_of(self.c[i] == j or self.a[i] for i in range(2) for j in range(self.n))",
    "inside another one": "all_of(any_of(self.a[i] and self.b[j] for j in range(3)) for i in range(3))",
    "over an array": "all_of(x > 1 or x == 0 for x in self.c)",
    "over a sequence": "all_of(x > 1 or x == 0 for x in self.q)",
    "over a sequence, counted": "count(0 < x < 3 for x in self.q) == 1",
    "over a set": "any_of(self.a[x] or self.b[x] for x in self.s)",
    "over a set, none": "none_of(self.a[x] and self.b[x] for x in self.s)",
    "over the values of a map": "all_of(x > 1 or x == 0 for x in self.t.values())",
    "over two at once": "any_of(x and y == 1 for x, y in zip(self.a, self.c))",
    "backwards": "any_of(x == 3 or x == 2 for x in reversed(self.q))",
    "over what was read already": "all_of(x for x in [self.a[0] or self.b[0], self.a[1]])",
    "over constants": "any_of(len(xs) == self.n or self.a[0] for xs in self.lists)",
    "with a lambda of its own": "all_of((lambda k: self.a[k] or self.b[i])(i) for i in range(3))",
    "with names assigned": "all_of((y := self.c[i]) > 1 or y == 0 for i in range(3))",
}
FAILING = {
    "the right side fails only where it is evaluated": "all_of(self.a[i] or self.c[self.c[i]] > 0 for i in range(3))",
    "a division": "all_of(self.a[i] or 3 // self.c[i] > 1 for i in range(3))",
    "the later one fails although the first decides": "any_of(3 // x > 1 or self.b[0] for x in self.c)",
    "a filter keeps from failing": "all_of(6 // self.c[i] < 4 for i in range(3) if self.c[i] > 0)",
    "a filter fails": "all_of(self.a[i] for i in range(3) if 6 // self.c[i] < 4)",
    "the first of a sequence": "all_of(self.a[i] or self.q.first == i for i in range(3))",
}


def source(conditions: dict[str, str], head: str = HEAD, initial: bool = True) -> str:
    """A spec with every condition in every place; one that may fail is in no initial method."""
    parts = [head, *(PLACES.format(i=i, condition=c) for i, c in enumerate(conditions.values()))]
    if initial:
        parts.append(INITIAL.format(conditions=", ".join(conditions.values())))
    return "".join(parts)


def ways(tree: Tree) -> int:
    """How often a tree forks without an error on one side."""
    forks = [node for node in nodes(tree) if isinstance(node, Branch)]
    return sum(not isinstance(side, Fault) for node in forks for side in (node.then, node.otherwise)) - len(forks) + 1


def ways_of(model: Model, action: str) -> int:
    """The ways of one action."""
    [found] = [traced for traced in model.actions if str(traced.instance) == f"{action}()"]
    return ways(found.tree)


def test_generators_mean_what_they_mean_in_python(tmp_path: Path) -> None:
    tally = agree(load(source(GENERATORS), tmp_path), most=24)
    assert (tally.states, tally.untraced) == (24, {})


def test_generators_fail_where_python_fails(tmp_path: Path) -> None:
    tally = agree(load(source(FAILING, initial=False), tmp_path), most=24)
    assert (tally.states, tally.untraced) == (24, {})
    assert tally.errors > 24


FORKING = ("over the values of a map", "over what was read already", "backwards", "with names assigned")


def test_generators_do_not_fork(tmp_path: Path) -> None:
    model = build(load(source(GENERATORS), tmp_path))
    found = {name: ways_of(model, f"value_{i}") for i, name in enumerate(GENERATORS)}
    assert {name: n for name, n in found.items() if n > 1 and name not in FORKING} == {}


def test_a_property_of_fourteen_disjunctions_merges(tmp_path: Path) -> None:
    text = """
    from everystate.checker import *

    class Generated(Spec):
        may_terminate = True

        def variables(self):
            self.a = Array(14, Bool())
            self.b = Array(14, Bool())

        @action(i=14)
        def set(self, i):
            require(all_of(self.a[j] or self.b[j] for j in range(i)))
            self.a[i] = True

        @reachable
        def fine(self):
            return all_of(self.a[i] or self.b[i] for i in range(14))
    """
    tally = agree(load(textwrap.dedent(text), tmp_path), most=15)
    assert (tally.states, tally.untraced) == (15, {})


CHANGING = {
    "a list": ("all_of(seen.append(i) or self.a[i] or self.b[i] for i in range(3))", "E233"),
    "an iterator from outside": ("all_of(next(numbers) > 2 or self.a[i] for i in range(3))", "E233"),
    "a walk from outside": ("all_of(next(walk) > 2 or self.a[i] for i in range(3))", "E233"),
    "generators that are given": ("all_of(any_of(g) or self.a[0] for g in [(x for x in self.b)])", "E233"),
    "a predicate with a walk": ("all_of(range(2), lambda i: next(walk) > 2 or self.a[i])", "E233"),
    "the state": ("all_of(self.c.__setitem__(i, 1) or self.a[i] for i in range(3))", "E210"),
}


@pytest.mark.parametrize("name", CHANGING)
def test_a_generator_must_only_read(name: str, tmp_path: Path) -> None:
    """It is executed once for every path and merged, as a predicate is."""
    condition, code = CHANGING[name]
    body = f"        seen, numbers, walk = [], iter([1, 2, 3]), iter(self.c)\n        self.out = {condition}\n"
    with pytest.raises(EverystateError) as caught:
        build(load(f"{HEAD}\n    @action\n    def go(self):\n{body}", tmp_path))
    assert caught.value.code == code
    assert caught.value.where is not None
