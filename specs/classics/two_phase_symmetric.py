"""Two-phase commit whose resource managers are interchangeable: of states that differ by who is who, one is explored.

The same protocol as in `two_phase.py`; what has been sent is kept for each manager, so that it moves with them.
"""

from everystate.checker import (
    Constant,
    Enum,
    Int,
    Interchangeable,
    Map,
    Option,
    Set,
    Spec,
    action,
    implies,
    invariant,
    reachable,
    require,
)


class SymmetricTwoPhase(Spec):
    """A transaction manager makes resource managers, which are all alike, commit or abort together."""

    managers = Constant(3, "resource managers")
    symmetric = Constant(True, "explore one state of those that differ by who is who")

    def variables(self) -> None:
        managers = Int(0, self.managers - 1)
        if self.symmetric:
            managers = Interchangeable(self.managers, "managers")
        self.state = Map(managers, Enum("working", "prepared", "committed", "aborted"))
        self.decision = Option(Enum("commit", "abort"))  # sent to everybody as soon as it is taken
        self.prepared = Set(managers)  # who has sent that it is prepared
        self.votes = Set(managers)  # from whom the transaction manager has received that

    # -- the resource managers

    @action(rm="managers")
    def prepare(self, rm: int) -> None:
        require(self.state[rm] == "working")
        self.state[rm] = "prepared"
        self.prepared.add(rm)

    @action(rm="managers")
    def abort_alone(self, rm: int) -> None:
        require(self.state[rm] == "working")
        self.state[rm] = "aborted"

    @action(rm="managers")
    def learn_commit(self, rm: int) -> None:
        require(self.decision == "commit")
        self.state[rm] = "committed"

    @action(rm="managers")
    def learn_abort(self, rm: int) -> None:
        require(self.decision == "abort")
        self.state[rm] = "aborted"

    # -- the transaction manager

    @action(rm="managers")
    def receive_vote(self, rm: int) -> None:
        require(self.decision is None)
        require(rm in self.prepared)
        self.votes.add(rm)

    @action
    def decide_commit(self) -> None:
        require(self.decision is None)
        require(len(self.votes) == self.managers)
        self.decision = "commit"

    @action
    def decide_abort(self) -> None:
        require(self.decision is None)
        self.decision = "abort"

    # -- what must hold

    @invariant
    def consistent(self) -> bool:
        """no resource manager has committed while another one has aborted"""
        some_committed = any(state == "committed" for state in self.state.values())
        some_aborted = any(state == "aborted" for state in self.state.values())
        return not (some_committed and some_aborted)

    @invariant
    def commit_is_unanimous(self) -> bool:
        """once the decision is to commit, every resource manager is prepared or has committed"""
        ready = all(state in ("prepared", "committed") for state in self.state.values())
        return implies(self.decision == "commit", ready)

    @reachable
    def all_commit(self) -> bool:
        """a transaction can succeed"""
        return all(state == "committed" for state in self.state.values())
