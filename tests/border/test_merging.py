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


WIDER = """
        self.m = Enum("idle", "busy", "gone", init="busy")
        self.w = Enum("busy", "idle", init="idle")
        self.e = Set([(0, "x"), (1, "x"), (1, "y"), (2, "y")], init={(1, "x")})
        self.k = Set(["red", 1, ("red", 1)], init=["red"])
        self.modes = Set(Enum("busy", "idle"), init=["idle"])
        self.g = Map([(0, 0), (0, 1), (1, 0)], Int(0, 3))
        self.o = Option(Int(0, 3))
"""
QUANTIFIED = {
    "over a domain": "all_of(Int(0, 2), lambda i: self.a[i] or self.c[i] == 0)",
    "over a domain in a generator": "any_of(self.a[i] and self.c[i] < 2 for i in Int(0, 2))",
    "over the values of a record of domains": "any_of(self.c == v for v in Array(3, Int(0, 1)))",
    "over subsets of a range": "all_of(any_of(self.a[i] or self.b[i] for i in s) for s in subsets([0, 2]) if s)",
    "over subsets of a set of the state": "all_of(subsets(self.s), lambda s: s.length < 2 or self.a[2])",
    "over subsets of a set in a generator": "count(s <= {0, 1} for s in subsets(self.s)) == 2",
    "how many subsets": "len(subsets(self.s)) == 2",
    "the subsets in order": "[x for s in subsets(self.s) for x in s] == [2, 1, 1, 2]",
    "a subset is a subset": "all_of(s <= self.s and self.s >= s for s in subsets(self.s))",
    "a method of subsets": "any_of(s == {1} for s in self.s.subsets())",
    "a tuple of numbers and texts": "self.e.contains((self.n, 'x'))",
    "in a set of tuples": "(self.n, 'y') in self.e or (1, 'x') in self.e",
    "a tuple that cannot be a member": "self.e.contains((self.n, self.n))",
    "a number is no tuple": "self.k.contains(self.n) or self.k.contains(self.m)",
    "tuples compared": "self.e == {(1, 'x'), (2, 'y')} or self.e <= {(self.n, 'x')}",
    "a set of tuples and another one": "(self.e & {(self.n, 'x')}).length == 1 or (self.e - {(1, 'x')}).length == 2",
    "all of a set of tuples": "all_of(i == self.n or t == 'x' for i, t in self.e)",
    "a member of another enum": "self.modes.contains(self.m)",
    "a tuple of symbols as a key": "self.n < 2 and (self.n == 0 or not self.b[0]) and self.g[self.n, 0] == 1",
    "whether a tuple is a key": "self.g.contains((self.n, self.c[0])) or (self.c[1], self.n) in self.g",
    "a sequence or nothing": "If(self.b[0], self.q, []) == [1, 3] or len(If(self.b[1], [], self.q)) == 2",
    "a set or nothing": "1 in If(self.b[0], self.s, set())",
    "a value or None": "If(self.b[0], None, self.n) is None",
}
WIDER_FAILING = {
    "a key that is none": "self.g[self.n, self.c[0]] == 0",
    "the first of nothing": "If(self.b[0], self.q, [7]).index(self.n) == 0",
}
STATEMENTS = {
    "a sequence or nothing": "self.q = If(self.b[0], self.q, [])",
    "what grows is the one that it is": "x = If(self.b[0], self.q, [])\n        x.append(2); self.n = len(x) - 1",
    "a set or nothing": "self.s = If(self.b[0], self.s, set())",
    "a map or another": "self.t = If(self.b[0], self.t, {'x': 1, 'y': self.n})",
    "a value or nothing": "self.o = If(self.b[0], self.n, None)",
    "an enum from a wider one": "self.w = self.m",
    "an enum that is legal here": "require(self.m != 'gone')\n        self.w = self.m",
    "a wider enum in a set": "self.modes.add(self.m)",
    "an enum in an enum in a merge": "self.w = If(self.b[0], self.m, 'idle')",
    "any tuple": "self.e.add((self.n, choose(['x', 'y'])))",
    "a tuple less": "self.e.discard((self.n, 'x'))",
    "a tuple that is there": "self.e.remove((self.n, 'x'))",
    "any of a set of tuples": "i, t = choose(self.e)\n        self.n = i",
    "any subset": "self.s = choose(subsets(self.s))",
    "any subset of a domain": "self.s = choose(subsets(range(3)))",
    "any value of a domain": "self.e = choose(Set([(0, 'x'), (1, 'x'), (1, 'y'), (2, 'y')]))",
    "a loop over tuples": "for i, t in self.e:\n            self.c[i] = 3 if t == 'x' else 1",
    "a set of tuples from a set of tuples": "self.e = {(i, 'y') for i, t in self.e if i > 0}",
    "a tuple of symbols as a key": "self.g[self.n, self.c[0]] = 2",
}
STATEMENT = """
    @action
    def statement_{i}(self):
        {text}
"""


def test_quantifiers_domains_and_sets_mean_what_they_mean_in_python(tmp_path: Path) -> None:
    tally = agree(load(source(QUANTIFIED, HEAD + WIDER), tmp_path), most=24)
    assert (tally.states, tally.untraced) == (24, {})


def test_statements_do_what_they_do_in_python(tmp_path: Path) -> None:
    failing = source(WIDER_FAILING, HEAD + WIDER, initial=False)
    text = failing + "".join(STATEMENT.format(i=i, text=t) for i, t in enumerate(STATEMENTS.values()))
    tally = agree(load(text, tmp_path), most=40)
    assert (tally.states, tally.untraced) == (40, {})
    assert tally.errors > 100


@pytest.mark.parametrize(
    "name", ["over a domain", "over subsets of a set in a generator", "a tuple of numbers and texts"]
)
def test_quantifiers_over_domains_do_not_fork(name: str, tmp_path: Path) -> None:
    text = f"{HEAD}{WIDER}\n    @action\n    def value_0(self):\n        self.out = all_of({QUANTIFIED[name]})\n"
    assert ways_of(build(load(text, tmp_path)), "value_0") == 1


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("self.light = 'gren'", "E212"),
        ("self.light = self.size", "E212"),
        ("self.lights.add('gren')", "E212"),
        ("self.light = If(self.on, 1, 'red')", "E211"),
    ],
)
def test_what_is_wrong_wherever_it_is_reached_is_refused(text: str, code: str, tmp_path: Path) -> None:
    head = """
from everystate.checker import *

class Generated(Spec):
    def variables(self):
        self.on = Bool()
        self.light = Enum("red", "green")
        self.lights = Set(Enum("red", "green"))
        self.size = Enum("small", "large")
"""
    with pytest.raises(EverystateError) as caught:
        build(load(f"{head}\n    @action\n    def go(self):\n        {text}\n", tmp_path))
    assert caught.value.code == code


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


READ_TWICE = {
    "a generator over a sequence": "any_of(twice) and not any_of(twice)",
    "a generator over an array": "not all_of(over) and all_of(over)",
    "a generator over a set, counted": "count(members) == 1 and count(members) == 0",
    "a generator of Python's own": "any_of(twice) and list(twice) == []",
    "a walk": "any_of(x == 3 for x in walk) and none_of(x == 3 for x in walk)",
    "a walk to the end": "any_of(x == 3 for x in walk) and list(walk) == []",
    "a walk with a predicate": "any_of(walk, lambda x: x == 3) and not any_of(walk, lambda x: x == 3)",
    "a walk over a set": "any_of(x == 1 for x in some) and not any_of(x == 1 for x in some)",
}
MADE = """
    def read(self):
        twice, over, members = (x == 3 for x in self.q), (x for x in self.a), (x for x in self.s if x == 1)
        walk, some = iter(self.q), iter(self.s)
        return {condition}

    @reachable
    def read_twice(self):
        return self.read()

    @action
    def value(self):
        self.out = self.read()
        self.n = (self.n + 1) % 4
"""


@pytest.mark.parametrize("name", READ_TWICE)
def test_what_was_read_is_read_once(name: str, tmp_path: Path) -> None:
    """in Python a generator and an iterator have nothing more to say; the first state has 3 in q, 1 in s"""
    spec = load(HEAD + MADE.format(condition=READ_TWICE[name]), tmp_path)
    [start] = spec.initial_states()
    assert spec.holds("read_twice", start)
    tally = agree(spec, most=24)
    assert tally.states > 1 and tally.untraced == {}
