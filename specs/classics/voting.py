"""Voting: how acceptors choose one value, ballot by ballot (Lamport's Voting, of which Paxos is a refinement).

No message is sent: an acceptor sees all votes. A vote is a pair of a ballot and a value, a quorum a set of acceptors.
"""

import itertools

from everystate.checker import Array, Constant, Int, Set, Spec, action, invariant, reachable, require, subsets


class Voting(Spec):
    """Acceptors vote in ballots, so that no two values are ever chosen."""

    acceptors = Constant(3, "acceptors")
    ballots = Constant(2, "ballots, each of which can choose a value")
    values = Constant(2, "values to choose from")

    may_terminate = True

    def variables(self) -> None:
        self.quorums = tuple(tuple(q) for q in subsets(range(self.acceptors)) if 2 * len(q) > self.acceptors)
        votes = itertools.product(range(self.ballots), range(self.values))
        self.votes = Array(self.acceptors, Set(votes))
        self.at_least = Array(self.acceptors, Int(-1, self.ballots - 1))

    def abstained(self, acceptor: int, ballot: int) -> bool:
        """Whether an acceptor has not voted in a ballot."""
        return all((ballot, value) not in self.votes[acceptor] for value in range(self.values))

    def none_other_choosable(self, ballot: int, value: int) -> bool:
        """Whether no other value can ever be chosen in a ballot."""

        def cannot_choose_another(a: int) -> bool:
            gone = self.at_least[a] > ballot and self.abstained(a, ballot)
            return gone or (ballot, value) in self.votes[a]

        return any(all(cannot_choose_another(a) for a in quorum) for quorum in self.quorums)

    def shows_safe(self, quorum: tuple[int, ...], ballot: int, value: int) -> bool:
        """Whether the votes of a quorum show that no other value can have been chosen before a ballot."""

        def last_vote(earlier: int) -> bool:
            if earlier >= 0 and not any((earlier, value) in self.votes[a] for a in quorum):
                return False
            return all(self.abstained(a, later) for later in range(earlier + 1, ballot) for a in quorum)

        joined = all(self.at_least[a] >= ballot for a in quorum)
        return joined and any(last_vote(earlier) for earlier in range(-1, ballot))

    @action(a="acceptors", ballot="ballots")
    def join(self, a: int, ballot: int) -> None:
        require(ballot > self.at_least[a])
        self.at_least[a] = ballot

    @action(a="acceptors", ballot="ballots", value="values")
    def vote(self, a: int, ballot: int, value: int) -> None:
        others = [c for c in range(self.acceptors) if c != a]
        require(self.at_least[a] <= ballot)
        require(all(b != ballot for b, _ in self.votes[a]))
        require(all(b != ballot or v == value for c in others for b, v in self.votes[c]))
        require(any(self.shows_safe(quorum, ballot, value) for quorum in self.quorums))
        self.votes[a].add((ballot, value))
        self.at_least[a] = ballot

    def chosen(self, value: int) -> bool:
        """Whether a quorum has voted for a value in one ballot."""
        everybody = range(self.acceptors)
        return any(
            all((ballot, value) in self.votes[a] for a in quorum)
            for ballot in range(self.ballots)
            for quorum in subsets(everybody)
            if 2 * len(quorum) > self.acceptors
        )

    @invariant
    def one_value(self) -> bool:
        """at most one value is chosen"""
        return sum(self.chosen(value) for value in range(self.values)) <= 1

    @invariant
    def votes_are_safe(self) -> bool:
        """who votes for a value knows that no other one can be chosen in an earlier ballot"""
        return all(
            (ballot, value) not in self.votes[a] or self.none_other_choosable(earlier, value)
            for a in range(self.acceptors)
            for ballot in range(self.ballots)
            for value in range(self.values)
            for earlier in range(ballot)
        )

    @reachable
    def something_is_chosen(self) -> bool:
        """a value can be chosen"""
        return any(self.chosen(value) for value in range(self.values))
