"""Atomic commitment with simple broadcast (Babaoglu and Toueg, 1993), where anybody may crash.

A coordinator asks for votes, decides and tells each participant. Where it crashes in between, some may wait for ever:
the protocol is safe, and blocks. Of the public model `faulty` is left out, which is always the opposite of `alive`.
"""

from typing import Any, Self

from everystate.checker import (
    AnyOf,
    Array,
    Bool,
    Constant,
    Enum,
    Record,
    Spec,
    action,
    eventually,
    fair,
    invariant,
    require,
    step_invariant,
)


class Participant(Record):
    """Who votes and waits for the decision."""

    vote = Enum("yes", "no", init=AnyOf())
    alive = Bool(init=True)
    decision = Enum("undecided", "commit", "abort")
    vote_sent = Bool()


class AtomicCommit(Spec):
    """Participants commit all, or abort all, whoever crashes."""

    participants = Constant(3)

    may_terminate = True  # all may crash

    def variables(self) -> None:
        self.all = range(self.participants)
        self.participant = Array(self.participants, Participant)
        self.alive = Bool(init=True)
        self.requested = Array(self.participants, Bool())
        self.votes = Array(self.participants, Enum("waiting", "yes", "no"))
        self.decision = Enum("undecided", "commit", "abort")
        self.told = Array(self.participants, Enum("not sent", "commit", "abort"))

    def collects_votes(self) -> Any:
        return self.alive and self.decision == "undecided" and all(self.requested)

    # -- the coordinator -----------------------------------------------------------------------------------

    @fair(together="coordinator")
    @action(i="participants")
    def ask(self, i: int) -> None:
        require(self.alive and not self.requested[i])
        self.requested[i] = True

    @fair(together="coordinator")
    @action(i="participants")
    def take_vote(self, i: int) -> None:
        require(self.collects_votes() and self.votes[i] == "waiting" and self.participant[i].vote_sent)
        self.votes[i] = self.participant[i].vote

    @fair(together="coordinator")
    @action(i="participants")
    def miss_vote(self, i: int) -> None:
        require(self.collects_votes() and self.votes[i] == "waiting")
        require(not self.participant[i].alive and not self.participant[i].vote_sent)
        self.decision = "abort"

    def has_all_votes(self) -> Any:
        return self.alive and self.decision == "undecided" and "waiting" not in self.votes

    @fair(together="coordinator")
    @action
    def decide_to_commit(self) -> None:
        require(self.has_all_votes() and all(vote == "yes" for vote in self.votes))
        self.decision = "commit"

    @fair(together="coordinator")
    @action(i="participants")
    def decide_to_abort(self, i: int) -> None:
        require(self.has_all_votes() and self.votes[i] == "no")
        self.decision = "abort"

    @fair(together="coordinator")
    @action(i="participants")
    def tell(self, i: int) -> None:
        require(self.alive and self.decision != "undecided" and self.told[i] == "not sent")
        self.told[i] = self.decision  # which may also be undecided, but not here

    @action
    def coordinator_crashes(self) -> None:
        require(self.alive)
        self.alive = False

    # -- a participant -------------------------------------------------------------------------------------

    def is_undecided(self, i: int) -> Any:
        return self.participant[i].alive and self.participant[i].decision == "undecided"

    @fair(together="participant", each="i")
    @action(i="participants")
    def send_vote(self, i: int) -> None:
        require(self.participant[i].alive and self.requested[i])
        self.participant[i].vote_sent = True

    @fair(together="participant", each="i")
    @action(i="participants")
    def abort_after_no(self, i: int) -> None:
        require(self.is_undecided(i) and self.participant[i].vote_sent and self.participant[i].vote == "no")
        self.participant[i].decision = "abort"

    @fair(together="participant", each="i")
    @action(i="participants")
    def abort_unasked(self, i: int) -> None:
        require(self.is_undecided(i) and not self.alive and not self.requested[i])
        self.participant[i].decision = "abort"

    @fair(together="participant", each="i")
    @action(i="participants")
    def decide(self, i: int) -> None:
        require(self.is_undecided(i) and self.told[i] != "not sent")
        self.participant[i].decision = self.told[i]

    @action(i="participants")
    def crash(self, i: int) -> None:
        require(self.participant[i].alive)
        self.participant[i].alive = False

    # -- what it is for ------------------------------------------------------------------------------------

    def some(self, decision: str) -> Any:
        """Whether some participant has come to a decision."""
        return any(p.decision == decision for p in self.participant)

    def some_crashed(self) -> Any:
        return not self.alive or any(not p.alive for p in self.participant)

    def decided(self, i: int, decision: str) -> Any:
        return self.participant[i].decision == decision

    @invariant
    def all_agree(self) -> Any:
        """no participant commits while another one aborts (AC1)"""
        return not (self.some("commit") and self.some("abort"))

    @invariant
    def commit_needs_all(self) -> Any:
        """one commits only if all vote yes (AC2)"""
        return not self.some("commit") or all(p.vote == "yes" for p in self.participant)

    @invariant
    def abort_has_a_reason(self) -> Any:
        """one aborts only if somebody votes no, or crashes (AC3)"""
        return not self.some("abort") or any(p.vote == "no" for p in self.participant) or self.some_crashed()

    @step_invariant
    def nobody_changes_its_mind(self, before: Self) -> Any:
        """a decision stays what it is (AC4)"""
        outcomes = [(i, decision) for i in self.all for decision in ("commit", "abort")]
        return all(not before.decided(i, d) or self.decided(i, d) for i, d in outcomes)

    @eventually
    def all_decide(self) -> Any:
        """all participants decide, or somebody crashes (AC3)"""
        return self.some_crashed() or not any(p.decision == "undecided" for p in self.participant)
