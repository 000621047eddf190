"""Protocols for any number of elements, and protocols that are wrong from some number on, which is `wrong`."""

from __future__ import annotations

from bench.proof_specs.consensus import LeaderConsensus
from everystate.checker import (
    Array,
    Bool,
    Constant,
    Enum,
    Int,
    Interchangeable,
    Map,
    Option,
    Set,
    Spec,
    action,
    invariant,
    lemma,
    require,
)


class LockServer(Spec):
    """A server knows who holds the lock, and who waits for it."""

    clients = Constant(3)
    may_terminate = True

    def variables(self) -> None:
        client = Interchangeable(self.clients, "clients")
        self.holder = Option(client)
        self.waiting = Set(client)
        self.inside = Array(self.clients, Bool())

    @action(c="clients")
    def ask(self, c: int) -> None:
        if self.holder is None:
            self.holder = c
        elif self.holder != c:
            self.waiting.add(c)

    @action(c="clients")
    def enter(self, c: int) -> None:
        require(self.holder == c)
        self.inside[c] = True

    @action(c="clients", d="clients")
    def hand_over(self, c: int, d: int) -> None:
        require(self.holder == c and d in self.waiting)
        self.inside[c] = False
        self.waiting.remove(d)
        self.holder = d

    @invariant
    def alone(self) -> bool:
        return sum(self.inside) <= 1


class Shards(Spec):
    """Each key is owned by one node, or is on its way to one."""

    nodes = Constant(2)
    keys = Constant(2)
    may_terminate = True

    def variables(self) -> None:
        pairs = [(n, k) for n in range(self.nodes) for k in range(self.keys)]
        self.owner = Map(pairs, Bool())
        self.coming = Map(pairs, Bool())
        self.fresh = Array(self.keys, Bool(), init=[True for _ in range(self.keys)])

    @action(n="nodes", k="keys")
    def place(self, n: int, k: int) -> None:
        require(self.fresh[k])
        self.fresh[k] = False
        self.owner[n, k] = True

    @action(n="nodes", m="nodes", k="keys")
    def move(self, n: int, m: int, k: int) -> None:
        require(self.owner[n, k])
        self.owner[n, k] = False
        self.coming[m, k] = True

    @action(n="nodes", k="keys")
    def arrive(self, n: int, k: int) -> None:
        require(self.coming[n, k])
        self.coming[n, k] = False
        self.owner[n, k] = True

    @invariant
    def one_owner(self) -> bool:
        return all(sum(self.owner[n, k] for n in range(self.nodes)) <= 1 for k in range(self.keys))


class LowestFirst(Spec):
    """The lowest one that is interested enters; the order of the elements decides."""

    n = Constant(3)
    may_terminate = True

    def variables(self) -> None:
        self.phase = Array(self.n, Enum("away", "interested", "inside"))

    @action(p="n")
    def come(self, p: int) -> None:
        require(self.phase[p] == "away" and not any(self.phase[q] == "inside" for q in range(self.n)))
        self.phase[p] = "interested"

    @action(p="n")
    def enter(self, p: int) -> None:
        require(self.phase[p] == "interested")
        require(all(self.phase[q] == "away" for q in range(p)))
        for q in range(self.n):
            if self.phase[q] == "interested" and q != p:
                self.phase[q] = "away"
        self.phase[p] = "inside"

    @action(p="n")
    def leave(self, p: int) -> None:
        require(self.phase[p] == "inside")
        self.phase[p] = "away"

    @invariant
    def one_inside(self) -> bool:
        return not any(self.phase[p] == self.phase[q] == "inside" for p in range(self.n) for q in range(p))


class Election(LeaderConsensus):
    """A majority of votes makes a leader; the lemmas say why there is one."""

    @lemma
    def votes_were_given(self) -> bool:
        ns = range(self.n)
        return not any(self.votes[a, b] and not self.answer[b, a] for a in ns for b in ns)

    @lemma
    def one_answer(self) -> bool:
        ns = range(self.n)
        return not any(self.answer[b, a] and self.answer[b, c] for a in ns for b in ns for c in range(a))

    @lemma
    def who_answers_has_voted(self) -> bool:
        return not any(self.answer[b, a] and not self.voted[b] for a in range(self.n) for b in range(self.n))

    @lemma
    def leaders_have_a_majority(self) -> bool:
        ns = range(self.n)
        return all(not self.leader[a] or 2 * sum(self.votes[a, b] for b in ns) > self.n for a in ns)

    @lemma
    def leaders_decide_once(self) -> bool:
        ns, vs = range(self.n), range(self.values)
        return not any(self.decided[a, v] and self.decided[a, w] for a in ns for v in vs for w in range(v))

    @lemma
    def only_leaders_decide(self) -> bool:
        ns, vs = range(self.n), range(self.values)
        return not any(self.decided[a, v] and not self.leader[a] for a in ns for v in vs)


RIGHT: list[tuple[type[Spec], str]] = [
    (LockServer, "clients"),
    (Shards, "nodes,keys"),
    (LowestFirst, "n"),
    (Election, "n,values"),
]


# -- wrong from some number on -----------------------------------------------------------------------------------


class Crowd(Spec):
    """Two may be inside, and a third one looks before the second has entered."""

    n = Constant(2)
    wrong = 3
    may_terminate = True

    def variables(self) -> None:
        self.inside = Array(self.n, Bool())

    @action(p="n")
    def enter(self, p: int) -> None:
        require(sum(self.inside) <= 2)
        self.inside[p] = True

    @invariant
    def at_most_two(self) -> bool:
        return sum(self.inside) <= 2


class Tickets(Spec):
    """Four numbers go round; five processes get the same one twice."""

    n = Constant(2)
    wrong = 5
    may_terminate = True

    def variables(self) -> None:
        self.next = Int(0, 3)
        self.serving = Int(0, 3)
        self.ticket = Array(self.n, Int(0, 3))
        self.pc = Array(self.n, Enum("idle", "wait", "critical"))

    @action(p="n")
    def take(self, p: int) -> None:
        require(self.pc[p] == "idle")
        self.ticket[p] = self.next
        self.next = (self.next + 1) % 4
        self.pc[p] = "wait"

    @action(p="n")
    def enter(self, p: int) -> None:
        require(self.pc[p] == "wait" and self.ticket[p] == self.serving)
        self.pc[p] = "critical"

    @action(p="n")
    def leave(self, p: int) -> None:
        require(self.pc[p] == "critical")
        self.serving = (self.serving + 1) % 4
        self.pc[p] = "idle"

    @invariant
    def mutex(self) -> bool:
        return sum(pc == "critical" for pc in self.pc) <= 1


class CountsToTwo(Spec):
    """The number of readers is stored as 0, 1 or 2."""

    n = Constant(2)
    wrong = 3
    may_terminate = True

    def variables(self) -> None:
        self.readers = Int(0, 2)
        self.reading = Array(self.n, Bool())
        self.writing = Bool()

    @action(p="n")
    def read(self, p: int) -> None:
        require(not self.reading[p] and not self.writing)
        self.reading[p] = True
        if self.readers < 2:
            self.readers += 1

    @action(p="n")
    def end(self, p: int) -> None:
        require(self.reading[p] and self.readers > 0)
        self.reading[p] = False
        self.readers -= 1

    @action
    def write(self) -> None:
        require(self.readers == 0)
        self.writing = True

    @invariant
    def no_reader_while_written(self) -> bool:
        return not (self.writing and any(self.reading))


class ThreeAreEnough(Spec):
    """The coordinator commits when three are prepared."""

    n = Constant(2)
    wrong = 4
    may_terminate = True

    def variables(self) -> None:
        self.prepared = Array(self.n, Bool())
        self.refused = Array(self.n, Bool())
        self.commit = Bool()

    @action(p="n")
    def prepare(self, p: int) -> None:
        require(not self.refused[p])
        self.prepared[p] = True

    @action(p="n")
    def refuse(self, p: int) -> None:
        require(not self.prepared[p])
        self.refused[p] = True

    @action
    def decide(self) -> None:
        require(sum(self.prepared) >= 3)
        self.commit = True

    @invariant
    def agreed(self) -> bool:
        return not (self.commit and any(self.refused))


class TwoVotes(Spec):
    """Two votes make a leader, which are a majority of three."""

    n = Constant(2)
    wrong = 4
    may_terminate = True

    def variables(self) -> None:
        self.vote = Array(self.n, Option(Int(0, self.n - 1)))
        self.leader = Array(self.n, Bool())

    @action(p="n", q="n")
    def cast(self, p: int, q: int) -> None:
        require(self.vote[p] is None)
        self.vote[p] = q

    @action(p="n")
    def lead(self, p: int) -> None:
        require(sum(self.vote[q] == p for q in range(self.n)) >= 2)
        self.leader[p] = True

    @invariant
    def one_leader(self) -> bool:
        return sum(self.leader) <= 1


class OnlyTheFirst(Spec):
    """All look at the first one only, which looks at all."""

    n = Constant(2)
    wrong = 3
    may_terminate = True

    def variables(self) -> None:
        self.inside = Array(self.n, Bool())

    @action(p="n")
    def enter(self, p: int) -> None:
        if p == 0:
            require(not any(self.inside))
        else:
            require(not self.inside[0])
        self.inside[p] = True

    @invariant
    def mutex(self) -> bool:
        return sum(self.inside) <= 1


class Chain(Spec):
    """A rumour goes from one to another, three times at most."""

    n = Constant(2)
    wrong = 4
    may_terminate = True

    def variables(self) -> None:
        self.heard = Array(self.n, Option(Int(0, 3)))

    @action(p="n")
    def begin(self, p: int) -> None:
        require(all(self.heard[q] is None for q in range(self.n)))
        self.heard[p] = 0

    @action(p="n", q="n")
    def pass_on(self, p: int, q: int) -> None:
        before = self.heard[p]
        if before is not None and before < 3:
            require(self.heard[q] is None)
            self.heard[q] = before + 1

    @invariant
    def close(self) -> bool:
        return not any(self.heard[p] == 3 for p in range(self.n))


class Register(Spec):
    """A counter that is too small for four: no invariant fails, but an action does."""

    n = Constant(2)
    wrong = 4
    may_terminate = True

    def variables(self) -> None:
        self.registered = Array(self.n, Bool())
        self.count = Int(0, 3)

    @action(p="n")
    def register(self, p: int) -> None:
        require(not self.registered[p])
        self.registered[p] = True
        self.count += 1

    @invariant
    def counted(self) -> bool:
        return self.count <= 3


class Pairs(Spec):
    """Two finish together; one of three is left over, which is a deadlock."""

    n = Constant(2)
    wrong = 3

    def variables(self) -> None:
        self.done = Array(self.n, Bool())

    @action(p="n", q="n")
    def finish(self, p: int, q: int) -> None:
        require(p != q and not self.done[p] and not self.done[q])
        self.done[p] = True
        self.done[q] = True

    @action
    def rest(self) -> None:
        require(all(self.done))

    @invariant
    def something(self) -> bool:
        return not (all(self.done) and not any(self.done))


class OddOneOut(Spec):
    """A chain of links closes into a circle of three only from three nodes on."""

    n = Constant(2)
    wrong = 3
    may_terminate = True

    def variables(self) -> None:
        self.link = Map([(a, b) for a in range(self.n) for b in range(self.n)], Bool())

    @action(a="n", b="n")
    def connect(self, a: int, b: int) -> None:
        require(a != b and not self.link[b, a])
        self.link[a, b] = True

    @invariant
    def no_circle(self) -> bool:
        ns = range(self.n)
        return not any(self.link[a, b] and self.link[b, c] and self.link[c, a] for a in ns for b in ns for c in ns)


class LastTwo(Spec):
    """The order matters between neighbours only: one that is between two others lets both in."""

    n = Constant(2)
    wrong = 3
    may_terminate = True

    def variables(self) -> None:
        self.inside = Array(self.n, Bool())
        self.closed = Array(self.n, Bool())

    @action(p="n")
    def enter(self, p: int) -> None:
        ns = range(self.n)
        require(not any(self.inside[q] and not any(q < r for r in range(p)) for q in range(p)))
        require(not any(self.inside[q] for q in ns if p < q))
        self.inside[p] = True

    @invariant
    def alone(self) -> bool:
        return sum(self.inside) <= 1


WRONG: list[type[Spec]] = [
    Crowd,
    Tickets,
    CountsToTwo,
    ThreeAreEnough,
    TwoVotes,
    OnlyTheFirst,
    Chain,
    Register,
    Pairs,
    OddOneOut,
    LastTwo,
]
