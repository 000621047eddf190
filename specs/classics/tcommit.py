"""Transaction commit: what any commit protocol must achieve (Gray and Lamport, "Consensus on Transaction Commit").

It says nothing of messages. Its executions end, so a check reports a deadlock unless it is told --no-deadlock.
"""

from typing import Self

from everystate.checker import (
    Array,
    Constant,
    Enum,
    Spec,
    action,
    implies,
    invariant,
    reachable,
    require,
    step_invariant,
)


class TCommit(Spec):
    """Resource managers agree on the end of a transaction: all commit, or all abort."""

    managers = Constant(3, "resource managers")

    def variables(self) -> None:
        self.state = Array(self.managers, Enum("working", "prepared", "committed", "aborted"))

    @action(rm="managers")
    def prepare(self, rm: int) -> None:
        require(self.state[rm] == "working")
        self.state[rm] = "prepared"

    @action(rm="managers")
    def commit(self, rm: int) -> None:
        require(self.state[rm] == "prepared")
        require(all(state in ("prepared", "committed") for state in self.state))
        self.state[rm] = "committed"

    @action(rm="managers")
    def abort(self, rm: int) -> None:
        require(self.state[rm] in ("working", "prepared"))
        require("committed" not in self.state)
        self.state[rm] = "aborted"

    @invariant
    def consistent(self) -> bool:
        """no manager has committed while another one has aborted"""
        some_committed = "committed" in self.state
        some_aborted = "aborted" in self.state
        return not (some_committed and some_aborted)

    @step_invariant
    def decisions_are_final(self, before: Self) -> bool:
        """a manager that has committed or aborted stays so"""
        return all(
            implies(before.state[rm] in ("committed", "aborted"), self.state[rm] == before.state[rm])
            for rm in range(self.managers)
        )

    @reachable
    def all_commit(self) -> bool:
        """a transaction can succeed"""
        return all(state == "committed" for state in self.state)
