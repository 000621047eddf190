"""Bags: states are counted as somebody else counts them, and every reader of domains takes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from everystate.checker import (
    Array,
    Bag,
    Bool,
    Constant,
    Enum,
    Int,
    Interchangeable,
    Option,
    Record,
    Seq,
    Spec,
    action,
    choose,
    invariant,
    reachable,
    require,
)
from everystate.checker.engines.symbolic import inductive
from everystate.checker.engines.symbolic.search import Question
from everystate.checker.errors import EverystateError
from everystate.checker.follow.values import read as read_log
from everystate.checker.frontend import model
from everystate.checker.language import bag
from everystate.checker.language.forms import Mismatch
from everystate.checker.results.itf_values import decode, encode, type_of
from everystate.checker.results.plain import show, tree_of
from everystate.checker.results.verdict import Verdict

from .conftest import Engine, native

SIZE, ROOM = 3, 3


class Network(Spec):
    """Packets are duplicated, lost, and delivered in any order."""

    may_terminate = True

    def variables(self) -> None:
        self.sent = Int(0, SIZE)
        self.network = Bag(range(SIZE), ROOM)
        self.got = Bag(range(SIZE), 2 * ROOM)

    @action
    def send(self) -> None:
        require(self.sent < SIZE and self.network.total() < ROOM)
        self.network.add(self.sent)
        self.sent += 1

    @action(packet=range(SIZE))
    def duplicate(self, packet: int) -> None:
        require(packet in self.network and self.network.total() < ROOM)
        self.network[packet] += 1

    @action
    def lose(self) -> None:
        self.network.remove(choose(self.network))

    @action
    def deliver(self) -> None:
        packet = choose(self.network)
        require(self.got.total() < 2 * ROOM)
        self.network.discard(packet)
        self.got.add(packet)

    @action
    def deliver_all(self) -> None:
        require(self.network and self.got.total() + self.network.total() <= 2 * ROOM)
        for packet, count in self.network.items():
            self.got[packet] += count
        self.network.clear()

    @invariant
    def totals(self) -> bool:
        return self.got.total() == sum(self.got[packet] for packet in self.got) == len(self.got.elements())

    @reachable
    def one_of_each(self) -> bool:
        return self.got == {0: 1, 1: 1, 2: 1} and not self.network


Packets = tuple[tuple[int, int], ...]
Plain = tuple[int, Packets, Packets]


def test_states_and_steps_are_those_of_counters(check: Engine) -> None:
    found = _visited()
    result = check(Network())
    assert result.verdict is Verdict.PROVED and not result.vacuous
    assert (result.distinct, result.generated) == (len(found), sum(map(len, found.values())) + 1) == (1_828, 6_227)


def _visited() -> dict[Plain, list[Plain]]:
    """Every state with its steps, computed with Python's Counter alone."""
    found, todo = dict[Plain, list[Plain]](), list[Plain]([(0, (), ())])
    while todo:
        state = todo.pop()
        if state not in found:
            found[state] = list(_steps(state))
            todo += found[state]
    return found


def _steps(state: Plain) -> Iterator[Plain]:
    sent, network, got = state[0], Counter(dict(state[1])), Counter(dict(state[2]))
    if sent < SIZE and network.total() < ROOM:
        yield _plain(sent + 1, network + Counter([sent]), got)
    for packet in network:
        if network.total() < ROOM:
            yield _plain(sent, network + Counter([packet]), got)
        yield _plain(sent, network - Counter([packet]), got)
        if got.total() < 2 * ROOM:
            yield _plain(sent, network - Counter([packet]), got + Counter([packet]))
    if network and got.total() + network.total() <= 2 * ROOM:
        yield _plain(sent, Counter(), got + network)


def _plain(sent: int, network: Counter[int], got: Counter[int]) -> Plain:
    return sent, tuple(sorted(network.items())), tuple(sorted(got.items()))


class Box(Record):
    open: bool
    votes: Any


class Votes(Spec):
    """Nodes send votes, and one counts each."""

    symmetric = Constant(True)
    may_terminate = True

    def variables(self) -> None:
        node = Interchangeable(3, "nodes") if self.symmetric else Int(0, 2)
        self.box = Box.of(open=Bool(), votes=Bag(node, 3))
        self.last = Option(node)

    @action
    def vote(self) -> None:
        require(self.box.votes.total() < 3)
        self.box.votes.add(choose(range(3)))

    @action
    def count(self) -> None:
        self.last = choose(self.box.votes)
        self.box.votes.remove(self.last)

    @invariant
    def few(self) -> bool:
        return len(self.box.votes) <= self.box.votes.total() <= 3


def test_a_permutation_moves_what_is_counted() -> None:
    """Burnside: of 20 bags and 4 values the identity fixes all, 3 swaps 6 and 2, 2 rotations 2 and 1."""
    every, orbits = (native(Votes(symmetric=symmetric)) for symmetric in (False, True))
    assert (every.distinct, orbits.distinct) == (20 * 4, (20 * 4 + 3 * 6 * 2 + 2 * 2) // 6)
    assert every.verdict is orbits.verdict is Verdict.PROVED


def test_z3_knows_how_many_elements_a_bag_holds() -> None:
    """`few` is no consequence of the intervals of the cells."""
    found = inductive.prove(model.build(Votes()), Question(0, cross_check=200))
    assert found.result.verdict is Verdict.PROVED and found.result.cross_checked == 30


class Node(Record):
    inbox = Bag(range(2), 2)
    up = Bool()

    def take(self, packet: int) -> None:
        self.inbox.remove(packet)
        self.up = not self.inbox


class Nested(Spec):
    """Bags in a record, an array, an option and a sequence; they are read by reference, and stored as copies."""

    may_terminate = True

    def variables(self) -> None:
        self.nodes = Array(1, Node)
        self.held = Option(Bag(range(2), 2))
        self.queue = Seq(Bag(range(2), 2), 1)

    @action(packet=range(2))
    def put(self, packet: int) -> None:
        require(self.nodes[0].inbox.total() < 2)
        self.nodes[0].inbox.add(packet)

    @action
    def take(self) -> None:
        packet = choose(self.nodes[0].inbox)
        self.nodes[0].take(packet)
        if self.held is not None and packet in self.held:
            self.held.discard(packet)

    @action
    def hold(self) -> None:
        box = self.nodes[0].inbox
        require(box and self.held is None)
        self.held = box
        box.clear()

    @action
    def queue_up(self) -> None:
        require(self.held is not None and not self.queue)
        self.queue.append(self.held)
        self.held = None

    @action
    def drain(self) -> None:
        require(self.queue)
        first = self.queue.popleft()
        require(first != self.nodes[0].inbox)
        kept = first.elements()
        self.nodes[0] = Node(inbox={kept[0]: 1} if kept else {}, up=True)

    @invariant
    def a_count_of_0_is_none(self) -> bool:
        """A dictionary that counts 0 equals no bag, as it equals no Counter."""
        return self.nodes[0].inbox != {0: 0, 1: 0} and self.nodes[0].inbox.total() <= 2


def test_bags_are_parts_of_other_values(check: Engine) -> None:
    result = check(Nested())
    assert result.verdict is Verdict.PROVED and not result.vacuous
    assert (result.distinct, result.generated) == (580, 1_717)


class Message(Record):
    kind = Enum("ask", "ack")
    to = Int(0, 1)


MESSAGES = bag.Bag(Message, 3, init=[Message("ack", 1), Message("ask", 0), Message("ack", 1)])


def test_every_form_writes_and_reads_what_is_counted() -> None:
    [value] = MESSAGES.initials()
    text = "{Message(kind=ask, to=0): 1, Message(kind=ack, to=1): 2}"
    assert MESSAGES.show(value) == show(tree_of(MESSAGES, value)) == text
    assert type_of(MESSAGES) == "{ kind: Str, to: Int } -> Int"
    assert decode(MESSAGES, encode(MESSAGES, value), "m") == value
    assert read_log(MESSAGES, {"Message(kind=ack, to=1)": 2, "Message(kind=ask, to=0)": 1}) == value
    with pytest.raises(Mismatch, match="is no value of Bag"):
        read_log(MESSAGES, {"Message(kind=ack, to=1)": 3, "Message(kind=ask, to=0)": 1})


def test_a_value_in_plain_python_is_like_a_counter() -> None:
    value, counter = bag.Bag(range(3), 4).make([2, 0, 2]), Counter([2, 0, 2])
    assert value == counter == value and value == {0: 1, 2: 2} and value != {0: 1}
    assert value == Counter({0: 1, 2: 2, 1: 0}) and value != {0: 1, 2: 2, 1: 0} and Counter(value.elements()) == value
    assert list(value) == [0, 2] and value.elements() == [0, 2, 2] and (len(value), value.total()) == (2, 3)
    assert value[1] == value["tea"] == 0 and 1 not in value and value.copy() == value and repr(value) == "{0: 1, 2: 2}"
    value.update({1: 1})
    with pytest.raises(EverystateError, match="E302"):
        value.add(0)
    with pytest.raises(EverystateError, match="E301"):
        value[3] = 0
    with pytest.raises(EverystateError, match="E302"):
        bag.Bag(range(2), 2).make([1, 1]).add(1)
    with pytest.raises(RuntimeError, match="changed size"):
        for element in value:
            value.remove(element)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ((range(3),), "it lacks its capacity"),
        ((range(3), "4"), "'4' is not a natural number"),
        ((Seq(range(2), 2), 2), "can change"),
        (([Message, "stop"], 2), "several domains"),
        ((Int(0, 99_999), 2), "100,000 possible elements"),
    ],
)
def test_what_is_no_bag_is_refused(given: tuple[Any, ...], reason: str) -> None:
    with pytest.raises(EverystateError, match=reason):
        Bag(*given)
