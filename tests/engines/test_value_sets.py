"""Sets of records, tuples and frozen dataclasses: exact counts, by bits and by capacity, in every engine."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

import pytest

from everystate.checker import (
    Array,
    Bool,
    Constant,
    Enum,
    Int,
    Interchangeable,
    Map,
    Option,
    Product,
    Record,
    Seq,
    Set,
    Spec,
    action,
    choose,
    invariant,
    require,
    view,
)
from everystate.checker.engines.explicit import exhaustive, python
from everystate.checker.engines.symmetry import Orbits, reduced
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.checker.language.composite_domains import MOST
from everystate.checker.results.verdict import Verdict
from tests.plain import space


class Message(Record):
    kind = Enum("prepared", "commit", "abort")
    rm = Int(0, 2)


class TwoPhase(Spec):
    """The model of Gray and Lamport, with its messages as records; TLC counts 288 distinct and 1,146 generated."""

    may_terminate = False

    def variables(self) -> None:
        self.rms = range(3)
        self.state = Array(3, Enum("working", "prepared", "committed", "aborted"))
        self.decision = Option(Enum("commit", "abort"))
        self.votes = Set(self.rms)
        self.messages: Any = self.sent()

    def sent(self) -> Any:
        return Set(Message)

    @action(rm="rms")
    def prepare(self, rm: int) -> None:
        require(self.state[rm] == "working")
        self.state[rm] = "prepared"
        self.messages.add(Message("prepared", rm))

    @action(rm="rms")
    def abort_alone(self, rm: int) -> None:
        require(self.state[rm] == "working")
        self.state[rm] = "aborted"

    @action
    def receive(self) -> None:
        m = choose(m for m in self.messages if m.kind == "prepared")
        require(self.decision is None)
        self.votes.add(m.rm)

    @action(kind=("commit", "abort"))
    def decide(self, kind: str) -> None:
        require(self.decision is None and (kind == "abort" or len(self.votes) == 3))
        self.decision = kind
        self.messages |= {Message(kind, 0)}

    @action(rm="rms")
    def learn(self, rm: int) -> None:
        m = choose(m for m in self.messages if m.kind != "prepared")
        match m:
            case Message("commit", _):
                self.state[rm] = "committed"
            case Message("abort"):
                self.state[rm] = "aborted"

    @invariant
    def consistent(self) -> bool:
        return not ("committed" in self.state and "aborted" in self.state)


class Few(TwoPhase):
    """The same with at most four messages, which are never more."""

    def sent(self) -> Any:
        return Set(Message, capacity=4)


class TooFew(TwoPhase):
    def sent(self) -> Any:
        return Set(Message, capacity=3)


@pytest.mark.parametrize("spec", [TwoPhase, Few])
def test_two_phase_commit_has_as_many_states_as_tlc_counts(spec: type[Spec]) -> None:
    for found in (exhaustive.check(model.build(spec())), python.check(spec())):
        assert (found.verdict, found.distinct, found.generated, found.depth) == (Verdict.PROVED, 288, 1146, 11)


def test_a_set_past_its_capacity_is_a_violation() -> None:
    """three votes and the decision to abort are four messages"""
    found = exhaustive.check(model.build(TooFew()))
    (violation,) = found.violations
    assert violation.error is not None
    assert (violation.error.code, violation.length) == ("E302", 4)


class Wide(Record):
    kind = Enum("req", "ack", "commit", "abort")
    view = Int(0, 9)
    n = Int(0, 99)


class Universe(Spec):
    """4,000 possible messages, of which 100 are chosen from in each view."""

    may_terminate = True

    def variables(self) -> None:
        self.view = Int(0, 2)
        self.messages: Any = Set(Wide)

    @action(n=(3, 50))
    def send(self, n: int) -> None:
        self.messages.add(Wide("req", self.view, n))

    @action
    def ack(self) -> None:
        m = choose(m for m in self.messages if m.kind == "req" and m.view == self.view)
        self.messages.remove(m)
        self.messages.add(Wide("ack", m.view, m.n))
        self.view = (self.view + 1) % 3

    @invariant
    def answered_once(self) -> bool:
        return sum(m.kind == "ack" for m in self.messages) <= 6


class Pile(Universe):
    def variables(self) -> None:
        self.view = Int(0, 2)
        self.messages: Any = Set(Wide, capacity=12)


@pytest.mark.parametrize("spec", [Universe, Pile])
def test_thousands_of_possible_messages(spec: type[Spec]) -> None:
    found = exhaustive.check(model.build(spec()))
    assert (found.verdict, found.distinct, found.generated) == (Verdict.PROVED, 1848, 5545)


class Joined(NamedTuple):
    node: int
    leader: int


class Group(Spec):
    """Nodes that nothing tells apart join each other."""

    may_terminate = True

    def variables(self) -> None:
        nodes = Interchangeable(3, "nodes")
        self.nodes = range(3)
        self.joined: Any = self.pairs(Product(Joined, node=nodes, leader=nodes))
        self.leads = Map(nodes, Bool())

    def pairs(self, pair: Any) -> Any:
        return Set(pair)

    @action(a="nodes", b="nodes")
    def join(self, a: int, b: int) -> None:
        require(a != b and not any(p.node == a for p in self.joined))
        self.joined.add(Joined(a, b))
        self.leads[b] = True

    @invariant
    def leaders_lead(self) -> bool:
        return all(self.leads[p.leader] for p in self.joined)


class GroupOfFew(Group):
    def pairs(self, pair: Any) -> Any:
        return Set(pair, capacity=3)


def test_interchangeable_values_inside_of_members() -> None:
    """27 ways in which each of three nodes joins none or one of two others; a permutation of them makes 7 of it"""
    seen, orbits = space(Group()), Orbits(Group())
    assert (len(seen), len({orbits.least(state) for state in seen})) == (27, 7)
    assert exhaustive.check(model.build(Group())).distinct == 7
    with pytest.raises(EverystateError, match="what a permutation makes of joined is not known"):
        reduced(model.build(GroupOfFew()))


@dataclass(frozen=True)
class Last:
    rm: Annotated[int, range(3)]
    known: bool = False


class Watched(TwoPhase):
    """States that differ by what a clock says are explored once."""

    few = Constant(False)

    def variables(self) -> None:
        super().variables()
        self.clock = Int(0, 9)
        self.last = Last

    def sent(self) -> Any:
        return Set(Message, capacity=4) if self.few else Set(Message)

    @action
    def tick(self) -> None:
        self.clock = (self.clock + 1) % 10

    @view
    def without_clock(self) -> Any:
        return self.messages, self.last, self.state, self.votes


def test_views_of_sets_and_dataclasses() -> None:
    for few in (False, True):
        assert exhaustive.check(model.build(Watched(few=few))).distinct == 288
        assert python.check(Watched(few=few)).distinct == 288


class Log(Record):
    entries = Seq(Int(0, 1), 2)


class Open(NamedTuple):
    n: int
    kind: Literal["a", "b"]


class Closed(NamedTuple):
    n: Annotated[int, range(4)]
    kind: Literal["a", "b"]


@pytest.mark.parametrize(
    ("make", "said", "remedy"),
    [
        (lambda: Set(Wide.of(n=Int(0, 999))), "it has 40,000 possible members, and 10,000", "Set(.*, capacity=8)"),
        (lambda: Set(Log), r"a part of a member, Seq\(Int\(0, 1\), 2\), can change", "use Records, NamedTuples"),
        (lambda: Set(Seq(Bool(), 2)), "a member of it can change", "use Records"),
        (lambda: Set(Open), "Open.n does not say which values it has", r"Product\(Open, n=Int\(0, 3\)\)"),
        (lambda: Set(Closed, capacity=0), "its capacity is 0", "capacity=4"),
        (lambda: Product(Open, m=Bool()), "Open has no part m", "its parts are n, kind"),
        (lambda: Product(Message), "the part 0 is Message", "use a Record"),
        (lambda: Product(range(3), n=Bool()), "is neither a NamedTuple nor a frozen dataclass", "Product"),  # type: ignore[call-overload]
        (lambda: Set([Product(range(2)), Product(range(1, 3))]), r"\(1,\) equals \(1,\)", "tuples of two classes may"),
        (lambda: Set([Closed, Wide], capacity=2), "members of several domains are not kept by capacity", "its own"),
    ],
)
def test_what_no_set_can_hold_is_refused(make: Any, said: str, remedy: str) -> None:
    with pytest.raises(EverystateError, match=said) as raised:
        make()
    assert raised.value.code == "E202"
    assert re.search(remedy, str(raised.value.facts["remedy"]))


def test_how_many_values_a_domain_has() -> None:
    pairs: Any = Set(Closed, capacity=2)  # typed as its value is, as all domains are
    domains: list[Any] = [Message.of(), Product(Closed), Option(Product(Closed)), Product(range(3), Option(Bool()))]
    for domain in domains:
        assert domain.count() == len(list(domain.values()))
    assert Wide.of().count() == 4000 < MOST
    assert pairs.count() == len(list(pairs.values())) == 1 + 8 + 28


class Letter(Record):
    kind = Enum("ask", "answer")
    value = Option(range(3))


class Post(Spec):
    may_terminate = True

    def variables(self) -> None:
        self.sent = Set(Letter)

    @action
    def ask(self) -> None:
        require(Letter("ask") not in self.sent, "it was asked already")
        self.sent.add(Letter(kind="ask"))

    @invariant
    def none_is_left_out(self) -> bool:
        return all(letter == Letter("ask", None) and letter.value is None for letter in self.sent)


def test_an_option_that_a_record_leaves_out_is_none() -> None:
    for found in (exhaustive.check(model.build(Post())), python.check(Post())):
        assert found.verdict is Verdict.PROVED and found.distinct == 2
