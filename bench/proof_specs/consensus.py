"""Consensus, elections and commitment."""

from __future__ import annotations

import itertools

from everystate.checker import Array, Bool, Constant, Enum, Int, Map, Option, Spec, action, invariant, require

Quorum = tuple[int, ...]


def quorums(n: int, size: int) -> tuple[Quorum, ...]:
    """All sets of so many nodes."""
    return tuple(itertools.combinations(range(n), size))


class Paxos(Spec):
    """Paxos with one decision; the values are those that were voted for in the highest ballot of a quorum."""

    acceptors = Constant(3)
    ballots = Constant(2)
    values = Constant(2)
    bug = Constant(0, "1: a proposer may take any value")
    may_terminate = True

    def variables(self) -> None:
        self.quorums = quorums(self.acceptors, self.acceptors // 2 + 1)
        each, bs = range(self.acceptors), range(self.ballots)
        self.promised = Array(self.acceptors, Int(-1, self.ballots - 1), init=[-1] * self.acceptors)
        self.joined = Map([(a, b) for a in each for b in bs], Bool())
        self.vote = Map([(a, b) for a in each for b in bs], Option(Int(0, self.values - 1)))
        self.proposed = Array(self.ballots, Option(Int(0, self.values - 1)))

    @action(a="acceptors", b="ballots")
    def join(self, a: int, b: int) -> None:
        require(self.promised[a] < b)
        self.promised[a] = b
        self.joined[a, b] = True

    @action(b="ballots", v="values", q=lambda self: self.quorums)
    def propose(self, b: int, v: int, q: Quorum) -> None:
        require(self.proposed[b] is None and all(self.joined[a, b] for a in q))
        for c in range(b):
            later = all(self.vote[a, d] is None for d in range(c + 1, b) for a in q)
            require(self.bug == 1 or not later or all(self.vote[a, c] is None or self.vote[a, c] == v for a in q))
        self.proposed[b] = v

    @action(a="acceptors", b="ballots")
    def accept(self, a: int, b: int) -> None:
        require(self.promised[a] <= b and self.proposed[b] is not None)
        self.promised[a] = b
        self.vote[a, b] = self.proposed[b]

    def chosen(self, v: int) -> bool:
        return any(all(self.vote[a, b] == v for a in q) for b in range(self.ballots) for q in self.quorums)

    @invariant
    def agreement(self) -> bool:
        return sum(self.chosen(v) for v in range(self.values)) <= 1


class FlexiblePaxos(Paxos):
    """Paxos whose quorums for joining are larger than those for voting."""

    acceptors = Constant(4)
    joining = Constant(3)
    bug = Constant(0, "1: quorums for joining need not meet those for voting")

    def variables(self) -> None:
        super().variables()
        self.quorums = quorums(self.acceptors, self.joining - self.bug)
        self.voting = quorums(self.acceptors, self.acceptors - self.joining + 1)

    @action(b="ballots", v="values", q=lambda self: self.quorums)
    def propose(self, b: int, v: int, q: Quorum) -> None:
        require(self.proposed[b] is None and all(self.joined[a, b] for a in q))
        for c in range(b):
            later = all(self.vote[a, d] is None for d in range(c + 1, b) for a in q)
            require(not later or all(self.vote[a, c] is None or self.vote[a, c] == v for a in q))
        self.proposed[b] = v

    def chosen(self, v: int) -> bool:
        return any(all(self.vote[a, b] == v for a in q) for b in range(self.ballots) for q in self.voting)


class NaiveConsensus(Spec):
    """Each node votes once; a majority decides."""

    n = Constant(3)
    values = Constant(3)
    bug = Constant(0, "1: less than half of the nodes decide")
    may_terminate = True

    def variables(self) -> None:
        self.quorums = quorums(self.n, self.n // 2 if self.bug else self.n // 2 + 1)
        self.vote = Array(self.n, Option(Int(0, self.values - 1)))
        self.decided = Array(self.values, Bool())

    @action(p="n", v="values")
    def cast(self, p: int, v: int) -> None:
        require(self.vote[p] is None)
        self.vote[p] = v

    @action(v="values", q=lambda self: self.quorums)
    def decide(self, v: int, q: Quorum) -> None:
        require(all(self.vote[p] == v for p in q))
        self.decided[v] = True

    @invariant
    def agreement(self) -> bool:
        return sum(self.decided) <= 1


class LeaderConsensus(Spec):
    """Nodes vote for one leader, which decides."""

    n = Constant(3)
    values = Constant(2)
    bug = Constant(0, "1: a node votes again")
    may_terminate = True

    def variables(self) -> None:
        pairs = [(a, b) for a in range(self.n) for b in range(self.n)]
        self.asked = Map(pairs, Bool())
        self.voted = Array(self.n, Bool())
        self.answer = Map(pairs, Bool())
        self.votes = Map(pairs, Bool())
        self.leader = Array(self.n, Bool())
        self.decided = Map([(p, v) for p in range(self.n) for v in range(self.values)], Bool())

    @action(a="n", b="n")
    def ask(self, a: int, b: int) -> None:
        self.asked[a, b] = True

    @action(a="n", b="n")
    def vote(self, a: int, b: int) -> None:
        require(self.asked[a, b] and (self.bug == 1 or not self.voted[b]))
        self.voted[b] = True
        self.answer[b, a] = True

    @action(a="n", b="n")
    def count(self, a: int, b: int) -> None:
        require(self.answer[b, a])
        self.votes[a, b] = True

    @action(a="n")
    def lead(self, a: int) -> None:
        require(2 * sum(self.votes[a, b] for b in range(self.n)) > self.n)
        self.leader[a] = True

    @action(a="n", v="values")
    def decide(self, a: int, v: int) -> None:
        require(self.leader[a] and not any(self.decided[a, w] for w in range(self.values)))
        self.decided[a, v] = True

    @invariant
    def agreement(self) -> bool:
        return sum(any(self.decided[p, v] for p in range(self.n)) for v in range(self.values)) <= 1


class RaftElection(Spec):
    """Raft's elections: at most one leader in a term."""

    n = Constant(3)
    terms = Constant(3)
    bug = Constant(0, "1: a vote is forgotten at a restart")
    may_terminate = True

    def variables(self) -> None:
        self.term = Array(self.n, Int(0, self.terms))
        self.role = Array(self.n, Enum("follower", "candidate", "leader"))
        self.voted = Array(self.n, Option(Int(0, self.n - 1)))
        self.votes = Map([(p, q) for p in range(self.n) for q in range(self.n)], Bool())

    @action(p="n")
    def time_out(self, p: int) -> None:
        require(self.role[p] != "leader" and self.term[p] < self.terms)
        self.term[p] += 1
        self.role[p] = "candidate"
        self.voted[p] = p
        for q in range(self.n):
            self.votes[p, q] = q == p

    @action(p="n", q="n")
    def vote(self, p: int, q: int) -> None:
        """q votes for p"""
        require(p != q and self.role[p] == "candidate" and self.term[p] >= self.term[q])
        require(self.term[p] > self.term[q] or self.voted[q] is None or self.voted[q] == p)
        if self.term[p] > self.term[q]:
            self.term[q] = self.term[p]
            self.role[q] = "follower"
        self.voted[q] = p
        self.votes[p, q] = True

    @action(p="n")
    def restart(self, p: int) -> None:
        require(self.role[p] != "leader")
        self.role[p] = "follower"
        if self.bug == 1:
            self.voted[p] = None

    @action(p="n")
    def lead(self, p: int) -> None:
        require(self.role[p] == "candidate" and 2 * sum(self.votes[p, q] for q in range(self.n)) > self.n)
        self.role[p] = "leader"

    @invariant
    def one_leader(self) -> bool:
        return not any(
            self.role[p] == "leader" and self.role[q] == "leader" and self.term[p] == self.term[q]
            for p in range(self.n)
            for q in range(p)
        )


class RingElection(Spec):
    """Chang and Roberts: the largest name goes round."""

    n = Constant(4)
    bug = Constant(0, "1: smaller names are passed on, too")
    may_terminate = True

    def variables(self) -> None:
        self.pending = Map([(m, p) for m in range(self.n) for p in range(self.n)], Bool())
        self.leader = Array(self.n, Bool())

    @action(p="n")
    def send(self, p: int) -> None:
        self.pending[p, (p + 1) % self.n] = True

    @action(m="n", p="n")
    def receive(self, m: int, p: int) -> None:
        require(self.pending[m, p])
        self.pending[m, p] = False
        if m == p:
            self.leader[p] = True
        elif m > p or self.bug == 1:
            self.pending[m, (p + 1) % self.n] = True

    @invariant
    def one_leader(self) -> bool:
        return sum(self.leader) <= 1


class TwoPhase(Spec):
    """Two-phase commitment with messages that stay."""

    n = Constant(4)
    bug = Constant(0, "1: the coordinator does not wait for the last one")
    may_terminate = True

    def variables(self) -> None:
        self.state = Array(self.n, Enum("working", "prepared", "committed", "aborted"))
        self.prepared = Array(self.n, Bool())
        self.commit = Bool()
        self.abort = Bool()

    @action(p="n")
    def prepare(self, p: int) -> None:
        require(self.state[p] == "working")
        self.state[p] = "prepared"
        self.prepared[p] = True

    @action(p="n")
    def give_up(self, p: int) -> None:
        require(self.state[p] == "working")
        self.state[p] = "aborted"

    @action
    def decide_commit(self) -> None:
        require(not self.abort and all(self.prepared[p] for p in range(self.n - self.bug)))
        self.commit = True

    @action
    def decide_abort(self) -> None:
        require(not self.commit)
        self.abort = True

    @action(p="n")
    def follow(self, p: int) -> None:
        require(self.commit or self.abort)
        self.state[p] = "committed" if self.commit else "aborted"

    @invariant
    def consistent(self) -> bool:
        return not any(s == "committed" for s in self.state) or not any(s == "aborted" for s in self.state)


class ReliableBroadcast(Spec):
    """Nodes relay a message before they deliver it; some crash."""

    n = Constant(3)
    crashes = Constant(2)
    bug = Constant(0, "1: who delivers need not have relayed to all")
    may_terminate = True

    def variables(self) -> None:
        self.sent = Map([(a, b) for a in range(self.n) for b in range(self.n)], Bool())
        self.has = Array(self.n, Bool(), init=[True] + [False] * (self.n - 1))
        self.delivered = Array(self.n, Bool())
        self.crashed = Array(self.n, Bool())

    @action(a="n", b="n")
    def relay(self, a: int, b: int) -> None:
        require(self.has[a] and not self.crashed[a])
        self.sent[a, b] = True

    @action(a="n", b="n")
    def receive(self, a: int, b: int) -> None:
        require(self.sent[a, b] and not self.crashed[b])
        self.has[b] = True

    @action(a="n")
    def deliver(self, a: int) -> None:
        require(self.has[a] and not self.crashed[a])
        require(self.bug == 1 or all(self.sent[a, b] for b in range(self.n)))
        self.delivered[a] = True

    @action(a="n")
    def crash(self, a: int) -> None:
        require(sum(self.crashed) < self.crashes)
        self.crashed[a] = True

    @invariant
    def somebody_can_tell(self) -> bool:
        """what was delivered is on its way to every process, also after crashes"""
        ns = range(self.n)
        return not any(self.delivered) or all(self.has[b] or any(self.sent[a, b] for a in ns) for b in ns)
