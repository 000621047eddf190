"""Everyday idioms of TLA+, as somebody who knows TLA+ first writes them in Python: none is refused, none explodes."""

from __future__ import annotations

import enum
from typing import NamedTuple

import pytest

from everystate.checker import (
    AnyOf,
    Array,
    Bool,
    Constant,
    Enum,
    Int,
    Map,
    Option,
    Record,
    Seq,
    Set,
    Spec,
    action,
    all_of,
    choose,
    fair,
    invariant,
    leads_to,
    require,
    step_invariant,
    subsets,
)
from everystate.checker.engines.explicit import exhaustive, python
from everystate.checker.ir import model
from everystate.checker.ir.tree import Fault, Update, nodes
from everystate.checker.results.verdict import Verdict


class Clock(Spec):
    """hr' = IF hr # 12 THEN hr + 1 ELSE 1."""

    def variables(self):
        self.hr = Int(1, 12, init=AnyOf())

    @action
    def tick(self):
        self.hr = self.hr + 1 if self.hr != 12 else 1

    @invariant
    def ok(self):
        return self.hr in range(1, 13)


class Except(Spec):
    """[f EXCEPT ![i].x = @ + 1]."""

    class _P(Record):
        x = Int(0, 3)
        y = Option(Int(0, 2))

    def variables(self):
        self.f = Map(["a", "b"], Except._P)

    @action(k=["a", "b"])
    def up(self, k):
        require(self.f[k].x < 3)
        self.f[k].x += 1
        self.f[k].y = self.f[k].x % 3

    @invariant
    def ok(self):
        return all(self.f[k].y is None or self.f[k].y == self.f[k].x % 3 for k in ("a", "b"))


class Msg(NamedTuple):
    kind: str
    to: int


class MsgSet(Spec):
    r"""msgs \cup {m}; \E m \in msgs : ...."""

    n = Constant(3)

    def variables(self):
        self.msgs = Set([Msg(k, t) for k in ("req", "ack") for t in range(self.n)])
        self.got = Set(range(self.n))

    @action(t="n")
    def send(self, t):
        self.msgs |= {Msg("req", t)}

    @action
    def recv(self):
        m = choose(self.msgs)
        require(m.kind == "req")
        self.msgs = self.msgs - {m} | {Msg("ack", m.to)}
        self.got.add(m.to)

    @invariant
    def ok(self):
        return all_of(m.kind != "ack" or m.to in self.got for m in self.msgs)

    @invariant
    def card(self):
        return len({m for m in self.msgs if m.kind == "ack"}) <= self.n


class Choose(Spec):
    """CHOOSE x : P ; sets built by comprehension."""

    def variables(self):
        self.s = Set(range(4), init={0})
        self.m = Int(0, 4)

    @action
    def grow(self):
        x = choose([i for i in range(4) if i not in self.s])
        self.s.add(x)

    @action
    def big(self):
        self.m = max(self.s)

    @invariant
    def ok(self):
        return self.m == 0 or self.m in self.s


class Domain(Spec):
    """DOMAIN f, partial function = Option values; f @@ (k :> v)."""

    def variables(self):
        self.f = Map(range(3), Option(Int(0, 2)))

    def dom(self):
        return {k for k in range(3) if self.f[k] is not None}

    @action(k=range(3), v=range(3))
    def put(self, k, v):
        self.f[k] = v

    @action(k=range(3))
    def drop(self, k):
        require(k in self.dom())
        self.f[k] = None

    @invariant
    def ok(self):
        return all(self.f[k] is not None for k in self.dom())


class SeqOps(Spec):
    r"""Append, Head, Tail, SubSeq, Len, \o, SelectSeq."""

    def variables(self):
        self.q = Seq(Int(0, 2), 4)
        self.r = Seq(Int(0, 2), 4)

    @action(v=range(3))
    def app(self, v):
        require(len(self.q) < 4)
        self.q = self.q + [v]  # noqa: RUF005

    @action
    def tail(self):
        require(self.q)
        _, *rest = self.q
        self.q = rest

    @action
    def sel(self):
        self.r = [x for x in self.q if x != 0]

    @action
    def rev(self):
        self.q = list(reversed(self.q))

    @invariant
    def ok(self):
        return all(x != 0 for x in self.r)


class PC(enum.Enum):
    IDLE = 1
    WAIT = 2
    CS = 3


class Mutex(Spec):
    """pc[p] = ..., in the style of PlusCal."""

    def variables(self):
        self.pc = Array(2, PC)
        self.flag = Array(2, Bool())
        self.turn = Int(0, 1)

    @action(p=range(2))
    def step(self, p):
        match self.pc[p]:
            case PC.IDLE:
                self.flag[p] = True
                self.turn = 1 - p
                self.pc[p] = PC.WAIT
            case PC.WAIT:
                require(not self.flag[1 - p] or self.turn == p)
                self.pc[p] = PC.CS
            case PC.CS:
                self.flag[p] = False
                self.pc[p] = PC.IDLE

    @invariant
    def mutex(self):
        return not (self.pc[0] == PC.CS and self.pc[1] == PC.CS)


class Quorum(Spec):
    r"""\E Q \in Quorums : \A a \in Q."""

    n = Constant(4)

    def variables(self):
        self.votes = Array(self.n, Option(Int(0, 1)))
        self.quorums = tuple(tuple(q) for q in subsets(range(self.n)) if 2 * len(q) > self.n)

    @action(a="n", v=range(2))
    def vote(self, a, v):
        require(self.votes[a] is None)
        self.votes[a] = v

    def chosen(self, v):
        return any(all(self.votes[a] == v for a in q) for q in self.quorums)

    @invariant
    def one(self):
        return not (self.chosen(0) and self.chosen(1))


class Bag(Spec):
    """Bag as map to counts, sum over a function."""

    def variables(self):
        self.bag = Map(["x", "y"], Int(0, 3))

    @action(e=["x", "y"])
    def add(self, e):
        require(sum(self.bag.values()) < 4 and self.bag[e] < 3)
        self.bag[e] += 1

    @invariant
    def ok(self):
        return sum(self.bag[e] for e in ("x", "y")) <= 4


class Let(Spec):
    """LET .. IN with local functions."""

    def variables(self):
        self.a = Array(3, Int(0, 3), init=[3, 1, 2])

    @action(i=range(2))
    def swap(self, i):
        def greater(x, y):
            return x > y

        require(greater(self.a[i], self.a[i + 1]))
        self.a[i], self.a[i + 1] = self.a[i + 1], self.a[i]

    @invariant
    def perm(self):
        return sorted(self.a) == [1, 2, 3]

    may_terminate = True


class Graph(Spec):
    """Reachability over set of pairs."""

    def variables(self):
        self.e = Set([(i, j) for i in range(3) for j in range(3) if i != j])
        self.seen = Set(range(3), init={0})

    @action(i=range(3), j=range(3))
    def link(self, i, j):
        require(i != j)
        self.e.add((i, j))

    @action
    def visit(self):
        i, j = choose(self.e)
        require(i in self.seen)
        self.seen.add(j)

    @invariant
    def ok(self):
        return 0 in self.seen


class Lock(Spec):
    """owner = NULL."""

    n = Constant(3)

    def variables(self):
        self.owner = Option(Int(0, self.n - 1))
        self.waiting = Seq(Int(0, self.n - 1), self.n)

    @action(p="n")
    def ask(self, p):
        require(self.owner != p and p not in self.waiting)
        if self.owner is None:
            self.owner = p
        else:
            self.waiting.append(p)

    @action(p="n")
    def free(self, p):
        require(self.owner == p)
        self.owner = self.waiting.popleft() if self.waiting else None

    @invariant
    def ok(self):
        return self.owner is not None or not self.waiting


class Stutter(Spec):
    """UNCHANGED, ENABLED."""

    def variables(self):
        self.x = Int(0, 3)
        self.y = Int(0, 3)

    @action
    def a(self):
        require(self.x < 3)
        self.x += 1

    @action
    def done(self):
        require(self.x == 3)

    @step_invariant
    def keeps(self, before):
        return self.y == before.y and self.x >= before.x


class Matrix(Spec):
    r"""f[x][y]; [x \in S |-> [y \in T |-> ..]]."""

    def variables(self):
        self.m = Array(2, Array(2, Int(0, 2)))

    @action
    def transpose(self):
        self.m = [[self.m[j][i] for j in range(2)] for i in range(2)]

    @action(i=range(2), j=range(2))
    def up(self, i, j):
        require(self.m[i][j] < 2)
        self.m[i][j] += 1

    @invariant
    def ok(self):
        return max(max(r) for r in self.m) <= 2


class Records(Spec):
    """Network of records in a sequence, record update by replacement."""

    class _M(Record):
        kind = Enum("a", "b")
        val = Option(Int(0, 1))

    def variables(self):
        self.net = Seq(Records._M, 2)
        self.last = Records._M

    @action(v=[None, 0, 1])
    def send(self, v):
        require(len(self.net) < 2)
        self.net.append(Records._M(kind="b", val=v))

    @action
    def recv(self):
        require(self.net)
        m = self.net.popleft()
        if m.kind == "b" and m.val is not None:
            self.last = m

    @invariant
    def ok(self):
        return self.last.kind == "a" or self.last.val is not None


class Nested(Spec):
    """Nested quantifiers, implication, equivalence."""

    def variables(self):
        self.r = Set([(i, j) for i in range(3) for j in range(3)], init={(0, 0), (1, 1), (2, 2)})

    @action(i=range(3), j=range(3))
    def both(self, i, j):
        self.r |= {(i, j), (j, i)}

    @invariant
    def symmetric(self):
        return all(((i, j) in self.r) == ((j, i) in self.r) for i in range(3) for j in range(3))


class Cardinality(Spec):
    """Cardinality, symmetric difference."""

    def variables(self):
        self.s = Set(range(5))

    @action
    def flip(self):
        x = choose(range(5))
        self.s ^= {x}

    @invariant
    def ok(self):
        return len(self.s) <= 5 and 2 * len(self.s & {0, 1}) <= 4


class Alive(Spec):
    """WF and ~> with an option."""

    def variables(self):
        self.job = Option(Enum("x", "y"))
        self.done = Bool()

    @action(j=["x", "y"])
    def give(self, j):
        require(self.job is None)
        self.job = j
        self.done = False

    @fair
    @action
    def work(self):
        require(self.job is not None)
        self.job = None
        self.done = True

    @leads_to
    def works(self):
        return self.job is not None, self.done


class MinSet(Spec):
    """CHOOSE minimum, Max(S)."""

    def variables(self):
        self.t = Array(3, Option(Int(0, 3)))

    @action(i=range(3))
    def take(self, i):
        used = [x for x in self.t if x is not None]
        self.t[i] = max(used, default=-1) + 1 if max(used, default=-1) < 3 else None

    @invariant
    def ok(self):
        return len(set(self.t)) >= 1


class Fold(Spec):
    """FoldSeq, recursion."""

    def variables(self):
        self.q = Seq(Int(0, 2), 3)

    def total(self, q):
        return 0 if not q else q[0] + self.total(q[1:])

    @action(v=range(3))
    def app(self, v):
        require(self.total(self.q) + v <= 4 and len(self.q) < 3)
        self.q.append(v)

    may_terminate = True

    @invariant
    def ok(self):
        return self.total(self.q) == sum(self.q)


FOUND = [
    (Clock, Verdict.PROVED, 12),
    (Except, Verdict.VIOLATED, 16),
    (MsgSet, Verdict.PROVED, 64),
    (Choose, Verdict.PROVED, 20),
    (Domain, Verdict.PROVED, 64),
    (SeqOps, Verdict.PROVED, 3751),
    (Mutex, Verdict.PROVED, 10),
    (Quorum, Verdict.VIOLATED, 81),
    (Bag, Verdict.VIOLATED, 13),
    (Let, Verdict.PROVED, 3),
    (Graph, Verdict.PROVED, 160),
    (Lock, Verdict.PROVED, 16),
    (Stutter, Verdict.PROVED, 4),
    (Matrix, Verdict.PROVED, 81),
    (Records, Verdict.PROVED, 39),
    (Nested, Verdict.PROVED, 8),
    (Cardinality, Verdict.PROVED, 32),
    (Alive, Verdict.PROVED, 4),
    (MinSet, Verdict.PROVED, 73),
    (Fold, Verdict.PROVED, 36),
]
"""Each with its verdict (three end in a deadlock) and its states."""


@pytest.mark.parametrize(("cls", "verdict", "states"), FOUND)
def test_an_idiom_means_what_it_means_in_python(cls: type[Spec], verdict: Verdict, states: int) -> None:
    traced = model.build(cls())
    found, plain = exhaustive.check(traced), python.check(cls())
    assert (found.verdict, found.distinct) == (verdict, states)
    assert (plain.verdict, plain.distinct, plain.generated) == (verdict, states, found.generated)
    assert max(sum(isinstance(node, (Update, Fault)) for node in nodes(a.tree)) for a in traced.actions) <= 33


class Queued:
    """A class with nothing but `__getitem__`, which Python iterates over until an IndexError."""

    def __init__(self, held):
        self.held = held

    def __getitem__(self, i):
        return self.held[i]


class Iterated(Spec):
    may_terminate = True

    def variables(self):
        self.queue = Seq(Int(0, 1), 2)
        self.row = Array(2, Bool())

    @action
    def push(self):
        require(self.queue.length < 2)
        self.queue.append(1)
        self.row[0] = 1 in Queued(self.queue)

    @invariant
    def ends_as_a_list_does(self):
        return [*Queued(self.queue)] == self.queue and len([*Queued(self.row)]) == 2


@pytest.mark.parametrize("check", [lambda spec: exhaustive.check(model.build(spec)), python.check])
def test_iteration_by_index_ends_behind_the_last_element(check):
    """It failed with E303"""
    result = check(Iterated())
    assert (result.verdict, result.distinct, result.generated) == (Verdict.PROVED, 3, 3)
