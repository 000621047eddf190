"""Paxos: acceptors choose one value by messages alone (Lamport's Paxos; its ballots are numbers from 0).

What has been sent is a set of records, and stays in it: a message that is read twice changes nothing, and one that is
never read is lost. As nobody can change a message, it is a NamedTuple.
"""

from typing import NamedTuple

from everystate.checker import (
    Array,
    Constant,
    Int,
    Option,
    Product,
    Set,
    Spec,
    action,
    invariant,
    reachable,
    require,
    subsets,
)


class Vote(NamedTuple):
    """What an acceptor has voted for."""

    ballot: int
    value: int


class Prepare(NamedTuple):
    """A leader asks all acceptors to join a ballot (1a)."""

    ballot: int


class Promise(NamedTuple):
    """An acceptor has joined a ballot, and tells its last vote before it (1b)."""

    acceptor: int
    ballot: int
    voted: Vote | None


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
        vote = Product(Vote, ballot=ballots, value=values)
        self.joined = Array(self.acceptors, Int(-1, self.ballots - 1))  # the newest ballot that an acceptor knows
        self.voted = Array(self.acceptors, Option(vote))
        self.sent = Set(
            [
                Product(Prepare, ballot=ballots),
                Product(Promise, acceptor=everybody, ballot=ballots, voted=Option(vote)),
                Product(Accept, ballot=ballots, value=values),
                Product(Accepted, acceptor=everybody, ballot=ballots, value=values),
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
        promises = [m for m in self.sent if isinstance(m, Promise) and m.ballot == ballot and m.acceptor in quorum]

        def promised(newest: int) -> bool:
            told = [m for m in promises if m.voted is None or m.voted.ballot <= newest]
            return all(any(m.acceptor == a for m in told) for a in quorum)

        def last_vote(earlier: int) -> bool:
            return promised(earlier) and any(m.voted == Vote(earlier, value) for m in promises)

        return promised(-1) or any(last_vote(earlier) for earlier in range(ballot))

    # -- the acceptors

    @action(a="acceptors", ballot="ballots")
    def promise(self, a: int, ballot: int) -> None:
        require(Prepare(ballot) in self.sent)
        require(ballot > self.joined[a])
        self.joined[a] = ballot
        self.sent.add(Promise(a, ballot, self.voted[a]))

    @action(a="acceptors", ballot="ballots", value="values")
    def accept(self, a: int, ballot: int, value: int) -> None:
        require(Accept(ballot, value) in self.sent)
        require(ballot >= self.joined[a])
        self.joined[a] = ballot
        self.voted[a] = Vote(ballot, value)
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
