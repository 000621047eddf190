"""Two-phase commit: a transaction manager collects votes and decides (Gray 1978; the model of Gray and Lamport 2006).

Sent messages are never removed: one that is read twice changes nothing, and one that is never read is a lost one.
"""

from typing import NamedTuple

from everystate.checker import (
    Array,
    Constant,
    Enum,
    Option,
    Product,
    Set,
    Spec,
    action,
    implies,
    invariant,
    narrate,
    reachable,
    require,
)


class Prepared(NamedTuple):
    """A resource manager says that it is prepared to commit."""

    rm: int


class TwoPhase(Spec):
    """A transaction manager makes resource managers commit together, or abort together."""

    managers = Constant(3, "resource managers")

    def variables(self) -> None:
        self.state = Array(self.managers, Enum("working", "prepared", "committed", "aborted"))
        self.decision = Option(Enum("commit", "abort"))
        self.votes = Set(range(self.managers))  # whose votes the transaction manager has received
        self.sent = Set(["commit", "abort", Product(Prepared, rm=range(self.managers))])

    # -- the resource managers

    @action(rm="managers")
    def prepare(self, rm: int) -> None:
        require(self.state[rm] == "working")
        self.state[rm] = "prepared"
        self.sent.add(Prepared(rm))

    @action(rm="managers")
    def abort_alone(self, rm: int) -> None:
        require(self.state[rm] == "working")
        self.state[rm] = "aborted"

    @action(rm="managers")
    def learn_commit(self, rm: int) -> None:
        require("commit" in self.sent)
        self.state[rm] = "committed"
        narrate("commit", source="transaction manager", target=f"resource manager {rm}")

    @action(rm="managers")
    def learn_abort(self, rm: int) -> None:
        require("abort" in self.sent)
        self.state[rm] = "aborted"
        narrate("abort", source="transaction manager", target=f"resource manager {rm}")

    # -- the transaction manager

    @action(rm="managers")
    def receive_vote(self, rm: int) -> None:
        require(self.decision is None)
        require(Prepared(rm) in self.sent)
        self.votes.add(rm)
        narrate("prepared", source=f"resource manager {rm}", target="transaction manager")

    @action
    def decide_commit(self) -> None:
        require(self.decision is None)
        require(len(self.votes) == self.managers)
        self.decision = "commit"
        self.sent.add("commit")

    @action
    def decide_abort(self) -> None:
        require(self.decision is None)
        self.decision = "abort"
        self.sent.add("abort")

    # -- what must hold

    @invariant
    def consistent(self) -> bool:
        """no resource manager has committed while another one has aborted"""
        some_committed = "committed" in self.state
        some_aborted = "aborted" in self.state
        return not (some_committed and some_aborted)

    @invariant
    def commit_is_unanimous(self) -> bool:
        """once the decision is to commit, every resource manager is prepared or has committed"""
        ready = all(state in ("prepared", "committed") for state in self.state)
        return implies(self.decision == "commit", ready)

    @reachable
    def all_commit(self) -> bool:
        """a transaction can succeed"""
        return all(state == "committed" for state in self.state)
