"""Paxos: acceptors choose one value by messages alone (Lamport's Paxos; its ballots are numbers from 0).

What has been sent is a set of records, and stays in it: a message that is read twice changes nothing, and one that is
never read is lost. As nobody can change a message, it is a NamedTuple.
"""

from collections.abc import Iterable
from typing import NamedTuple

from everystate.checker import Array, Constant, Int, Set, Spec, action, invariant, reachable, require, subsets


class Prepare(NamedTuple):
    """A leader asks all acceptors to join a ballot (1a)."""

    ballot: int


class Promise(NamedTuple):
    """An acceptor has joined a ballot, and tells its last vote before it, (-1, -1) if there is none (1b)."""

    acceptor: int
    ballot: int
    voted_in: int
    value: int


class Accept(NamedTuple):
    """A leader asks all acceptors to vote for a value in a ballot (2a)."""

    ballot: int
    value: int


class Accepted(NamedTuple):
    """An acceptor has voted (2b)."""

    acceptor: int
    ballot: int
    value: int


class Paxos(Spec):
    """Leaders of ballots and acceptors agree on one value, whichever messages are lost."""

    acceptors = Constant(3, "acceptors")
    ballots = Constant(2, "ballots, each with a leader of its own")
    values = Constant(2, "values to choose from")

    def variables(self) -> None:
        everybody, ballots, values = range(self.acceptors), range(self.ballots), range(self.values)
        self.quorums = tuple(tuple(q) for q in subsets(everybody) if 2 * len(q) > self.acceptors)
        self.votes = ((-1, -1), *((b, v) for b in ballots for v in values))
        self.joined = Array(self.acceptors, Int(-1, self.ballots - 1))  # the newest ballot that an acceptor knows
        self.voted_in = Array(self.acceptors, Int(-1, self.ballots - 1))
        self.voted_for = Array(self.acceptors, Int(-1, self.values - 1))
        self.sent = Set(
            [
                *(Prepare(b) for b in ballots),
                *(Promise(a, b, *vote) for a in everybody for b in ballots for vote in self.votes if vote[0] < b),
                *(Accept(b, v) for b in ballots for v in values),
                *(Accepted(a, b, v) for a in everybody for b in ballots for v in values),
            ]
        )

    # -- the leader of a ballot

    @action(ballot="ballots")
    def prepare(self, ballot: int) -> None:
        self.sent.add(Prepare(ballot))

    @action(ballot="ballots", value="values")
    def propose(self, ballot: int, value: int) -> None:
        require(not any(Accept(ballot, other) in self.sent for other in range(self.values)))
        require(any(self.shows_safe(quorum, ballot, value) for quorum in self.quorums))
        self.sent.add(Accept(ballot, value))

    def shows_safe(self, quorum: tuple[int, ...], ballot: int, value: int) -> bool:
        """Whether the promises of a quorum show that no other value can have been chosen before a ballot."""

        def promised(votes: Iterable[tuple[int, int]]) -> bool:
            return all(any(Promise(a, ballot, *vote) in self.sent for vote in votes) for a in quorum)

        def last_vote(earlier: int) -> bool:
            votes = [vote for vote in self.votes if vote[0] <= earlier]
            return promised(votes) and any(Promise(a, ballot, earlier, value) in self.sent for a in quorum)

        return promised([(-1, -1)]) or any(last_vote(earlier) for earlier in range(ballot))

    # -- the acceptors

    @action(a="acceptors", ballot="ballots")
    def promise(self, a: int, ballot: int) -> None:
        require(Prepare(ballot) in self.sent)
        require(ballot > self.joined[a])
        self.joined[a] = ballot
        self.sent.add(Promise(a, ballot, self.voted_in[a], self.voted_for[a]))

    @action(a="acceptors", ballot="ballots", value="values")
    def accept(self, a: int, ballot: int, value: int) -> None:
        require(Accept(ballot, value) in self.sent)
        require(ballot >= self.joined[a])
        self.joined[a] = self.voted_in[a] = ballot
        self.voted_for[a] = value
        self.sent.add(Accepted(a, ballot, value))

    # -- what must hold

    def chosen(self, value: int) -> bool:
        """Whether a quorum has voted for a value in one ballot."""
        return any(
            all(Accepted(a, ballot, value) in self.sent for a in quorum)
            for quorum in self.quorums
            for ballot in range(self.ballots)
        )

    @invariant
    def one_value(self) -> bool:
        """at most one value is chosen"""
        return sum(self.chosen(value) for value in range(self.values)) <= 1

    @invariant
    def votes_were_asked_for(self) -> bool:
        """nobody votes for what the leader of the ballot has not proposed"""
        return all(Accept(m.ballot, m.value) in self.sent for m in self.sent if isinstance(m, Accepted))

    @reachable
    def something_is_chosen(self) -> bool:
        """a value can be chosen"""
        return any(self.chosen(value) for value in range(self.values))
