"""The concrete containers against plain list, set and dict: same results, and checked errors at the bounds."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everystate.checker.errors import CheckedError
from everystate.checker.language import Domain, Record
from everystate.checker.language.composite_domains import Array, Map, Option, Seq, Set
from everystate.checker.language.domains import Enum, Int

NUMBER = st.integers(0, 5)
"""Members of Int(0, 4), and 5, which lies outside."""
INDEX = st.integers(-4, 4)
CAPACITY = 3


def outcome(run: Callable[[], Any]) -> Any:
    """What a call returns, or the code of its checked error."""
    try:
        return run()
    except CheckedError as error:
        return error.code


def fits(*values: int) -> bool:
    """Whether all values are members of Int(0, 4)."""
    return all(v <= 4 for v in values)


class ListModel:
    """What a Seq(Int(0, 4), 3) should do, on a plain list."""

    def __init__(self, items: list[int]) -> None:
        self.items = items

    def append(self, value: int) -> Any:
        return self.insert(len(self.items), value)

    def insert(self, index: int, value: int) -> Any:
        if len(self.items) == CAPACITY:
            return "E302"
        if not 0 <= index <= len(self.items):
            return "E303"
        return self.items.insert(index, value) if fits(value) else "E301"

    def pop(self, index: int) -> Any:
        if not self.items:
            return "E304"
        return self.items.pop(index) if self._exists(index) else "E303"

    def popleft(self) -> Any:
        return self.pop(0) if self.items else "E304"

    def set(self, index: int, value: int) -> Any:
        if not self._exists(index):
            return "E303"
        if not fits(value):
            return "E301"
        self.items[index] = value
        return None

    def get(self, index: int) -> Any:
        return self.items[index] if self._exists(index) else "E303"

    def index(self, value: int) -> Any:
        return self.items.index(value) if value in self.items else "E303"

    def clear(self) -> None:
        self.items.clear()

    def _exists(self, index: int) -> bool:
        return -len(self.items) <= index < len(self.items)


SEQ_CALLS = st.one_of(
    st.tuples(st.just("append"), NUMBER),
    st.tuples(st.just("insert"), INDEX, NUMBER),
    st.tuples(st.just("pop"), INDEX),
    st.tuples(st.just("popleft")),
    st.tuples(st.just("set"), INDEX, NUMBER),
    st.tuples(st.just("get"), INDEX),
    st.tuples(st.just("index"), NUMBER),
    st.tuples(st.just("clear")),
)
SPECIAL = {"set": "__setitem__", "get": "__getitem__"}


def call(target: Any, name: str, *arguments: int) -> Any:
    """A call of a container or of its model."""
    method = name if isinstance(target, ListModel) else SPECIAL.get(name, name)
    return outcome(lambda: getattr(target, method)(*arguments))


@given(st.lists(st.integers(0, 4), max_size=CAPACITY), st.lists(SEQ_CALLS, max_size=12))
def test_seq_is_a_bounded_list(start: list[int], calls: list[tuple[Any, ...]]) -> None:
    seq, model = Seq(Int(0, 4), CAPACITY).make(start), ListModel(list(start))
    for name, *arguments in calls:
        assert call(seq, name, *arguments) == call(model, name, *arguments), (name, arguments)
        assert list(seq) == model.items and len(seq) == len(model.items)
        assert bool(seq) == bool(model.items) and seq == model.items
        assert outcome(lambda: seq.first) == (model.items[0] if model.items else "E304")
        assert outcome(lambda: seq.last) == (model.items[-1] if model.items else "E304")
        assert [v in seq for v in range(6)] == [v in model.items for v in range(6)]


@given(st.lists(st.integers(0, 4), max_size=CAPACITY), *[st.none() | INDEX] * 2, st.sampled_from((None, 1, 2, -1)))
def test_slices_are_those_of_lists(items: list[int], start: Any, stop: Any, step: Any) -> None:
    assert Seq(Int(0, 4), CAPACITY).make(items)[start:stop:step] == items[start:stop:step]


@given(st.lists(NUMBER, max_size=5))
def test_extend_stops_where_the_sequence_is_full(items: list[int]) -> None:
    seq, model = Seq(Int(0, 4), CAPACITY).make([]), ListModel([])
    expected = next((e for e in map(model.append, items) if e), None)
    assert outcome(lambda: seq.extend(items)) == expected and list(seq) == model.items


@given(st.lists(st.tuples(INDEX, NUMBER), max_size=8))
def test_array_is_a_list_of_fixed_length(assignments: list[tuple[int, int]]) -> None:
    array, model = Array(3, Int(0, 4)).make([0, 0, 0]), ListModel([0, 0, 0])
    for index, value in assignments:
        assert call(array, "set", index, value) == model.set(index, value)
        assert call(array, "get", index) == model.get(index)
        assert list(array) == model.items and len(array) == 3
    for name in ("append", "pop", "insert", "extend", "clear"):
        with pytest.raises(AttributeError):
            getattr(array, name)(1)


SET_CALLS = st.tuples(st.sampled_from(("add", "discard", "remove")), NUMBER)


@given(st.sets(st.integers(0, 4)), st.lists(SET_CALLS, max_size=8), st.sets(NUMBER), st.sampled_from("|&-"))
def test_set_is_a_set_within_its_domain(
    start: set[int], calls: list[tuple[str, int]], other: set[int], sign: str
) -> None:
    mine, model = Set(Int(0, 4)).make(start), set(start)
    for name, value in calls:
        expected = "E301" if not fits(value) else "E309" if name == "remove" and value not in model else None
        assert outcome(lambda: getattr(mine, name)(value)) == expected  # noqa: B023
        if expected is None:
            getattr(model, name)(value)
        assert mine == model and list(mine) == sorted(model) and len(mine) == len(model)
        assert [v in mine for v in range(6)] == [v in model for v in range(6)]
    joined = {"|": model | other, "&": model & other, "-": model - other}[sign]
    found = outcome(lambda: {"|": mine.__or__, "&": mine.__and__, "-": mine.__sub__}[sign](other))
    assert found == joined  # what is not stored has no domain
    assert (mine <= other, mine >= other, mine == other) == (model <= other, model >= other, model == other)
    in_place = {"|": "__ior__", "&": "__iand__", "-": "__isub__"}[sign]
    changed = outcome(lambda: getattr(mine, in_place)(other))
    assert changed is mine if fits(*joined) else changed == "E301"
    assert mine == (joined if fits(*joined) else model)


@given(st.sets(st.integers(0, 4)), st.lists(st.sets(st.integers(0, 4)), max_size=3), st.sets(st.integers(0, 9)))
def test_a_set_meets_plain_sets_on_either_side(start: set[int], others: list[set[int]], left: set[int]) -> None:
    mine, model = Set(Int(0, 4)).make(start), set(start)
    assert isinstance(mine, set) and mine == model == mine and mine in [model] and (mine != model) is False
    assert mine.union(*others) == model.union(*others) and mine.intersection(*others) == model.intersection(*others)
    assert mine.difference(*others) == model.difference(*others) and mine == model
    assert (left | mine, left & mine, left - mine) == (left | model, left & model, left - model)
    assert (left < mine, left <= mine, left > mine, left >= mine) == (
        left < model,
        left <= model,
        left > model,
        left >= model,
    )
    assert (mine.isdisjoint(left), mine.issubset(left), mine.issuperset(left)) == (
        model.isdisjoint(left),
        model.issubset(left),
        model.issuperset(left),
    )
    mine.update(*others)
    model.update(*others)
    assert mine == model and copy.deepcopy(mine) == model and pickle.loads(pickle.dumps(mine)) == model


@given(st.permutations(range(5)))
def test_a_set_iterates_in_the_order_of_its_domain(order: list[int]) -> None:
    names = Enum("idle", "busy", "done", "lost", "gone")
    assert list(Set(names).make([names.members[i] for i in order])) == list(names.members)


@given(st.lists(st.tuples(st.sampled_from(("a", "b", "c")), NUMBER), max_size=8))
def test_map_is_a_dict_of_fixed_keys(assignments: list[tuple[str, int]]) -> None:
    mine, model = Map(["a", "b"], Int(0, 4)).make({"b": 0, "a": 1}), {"a": 1, "b": 0}
    for key, value in assignments:
        expected = "E305" if key not in model else None if fits(value) else "E301"
        assert outcome(lambda: mine.__setitem__(key, value)) == expected  # noqa: B023
        if expected is None:
            model[key] = value
        assert outcome(lambda: mine[key]) == model.get(key, "E305")  # noqa: B023
        assert mine == model and list(mine.items()) == list(model.items()) and mine.get("c", 7) == 7
        assert len(mine) == 2 and "a" in mine and "c" not in mine
    mine |= {"a": 3}
    mine.update(b=4)
    assert mine == {"a": 3, "b": 4} and outcome(lambda: mine.update(c=1)) == "E305"
    for name, *arguments in (("pop", "a"), ("popitem",), ("clear",), ("setdefault", "a", 1)):
        with pytest.raises(AttributeError):
            getattr(mine, name)(*arguments)


class Pair(Record):
    """A record for the tests of copying."""

    one = Int(0, 4)
    two = Option(Int(0, 4))


DOMAINS: list[Domain] = [Array(2, Pair), Seq(Pair, 2), Map(["k"], Pair), Option(Pair)]


@pytest.mark.parametrize("domain", DOMAINS, ids=str)
def test_storing_copies(domain: Any) -> None:
    pair: Any = Pair(one=1, two=None)
    holders = {"Array": [pair] * 2, "Seq": [pair], "Map": {"k": pair}}
    stored = domain.make(holders.get(type(domain).__name__, pair))
    pair.one = 4
    cells: list[int] = []
    domain.encode(stored, cells)
    assert 4 not in cells and domain.decode(cells, 0) == stored


@given(NUMBER, st.none() | NUMBER)
def test_records_compare_by_value_and_check_their_fields(one: int, two: int | None) -> None:
    made = outcome(lambda: Pair.of().make(Pair(one=one, two=two)))
    if not fits(one, two or 0):
        assert made == "E301"
        return
    assert made == Pair(one=one, two=two) and (made != Pair(one=one, two=two)) is False
    assert outcome(lambda: setattr(made, "one", 5)) == "E301" and made.one == one


def test_a_slice_shares_what_it_holds_as_that_of_a_list_does() -> None:
    nested = Seq(Seq(Int(0, 4), 2), 3).make([[1], [2], [3]])
    nested[1:][0].append(4)
    nested[::-2][1].clear()
    assert nested == [[], [2, 4], [3]]


def test_a_record_of_a_derived_class_is_none_of_its_base() -> None:
    class Job(Record):
        size = Int(0, 3)

    class Free(Job):
        pass

    with pytest.raises(CheckedError) as found:
        Job.of().make(Free(size=1))
    assert str(found.value).startswith("E301 Free(size=1) is outside Job(size=Int(0, 3))")


def test_a_set_that_changes_its_size_ends_the_loop_over_it() -> None:
    some = Set(range(4)).make({0, 2, 3})
    for member in some:  # another one in its place goes unnoticed, as in Python
        if member == 0:
            some.remove(0)
            some.add(1)
    with pytest.raises(RuntimeError, match="Set changed size during iteration"):
        for member in some:
            some.discard(member)
    assert some == {2, 3}
    for made in (some, {2, 3}):  # the same as in a set of Python
        later = iter(made)
        made.clear()
        with pytest.raises(RuntimeError, match="Set changed size during iteration"):
            next(later)
