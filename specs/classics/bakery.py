"""Lamport's bakery algorithm (CACM 1974), with registers that may hold anything while they are written.

Each process takes a number greater than all that it sees, and waits for whoever has a smaller one. Modelled after the
TLA+ specification by Lamport and Merz. `anywhere` starts it in every state of the inductive invariant, so that one step
from each shows that the invariant is inductive.
"""

from typing import Any

from everystate.checker import (
    AnyOf,
    Array,
    Bool,
    Constant,
    Enum,
    Int,
    Set,
    Spec,
    action,
    choose,
    fair,
    implies,
    initial,
    invariant,
    require,
)

STEPS = ("ncs", "e1", "e2", "e3", "e4", "w1", "w2", "cs", "exit")


class Bakery(Spec):
    """Processes take numbers as in a bakery, and enter their critical section in this order."""

    may_terminate = True  # in some states of the invariant all wait; and there is a greatest number

    processes = Constant(2, "processes")
    greatest = Constant(2, "the greatest number that a process takes; there is none in the algorithm")
    anywhere = Constant(True, "start in every state of the inductive invariant, not only in the first one")

    def variables(self) -> None:
        self.ids = range(self.processes)
        free: Any = AnyOf() if self.anywhere else 0
        self.num = Array(self.processes, Int(0, self.greatest, init=free))
        self.flag = Array(self.processes, Bool(init=AnyOf() if self.anywhere else False))
        self.unchecked = Array(
            self.processes, Set(Int(0, self.processes - 1), init=AnyOf() if self.anywhere else set())
        )
        self.max = Array(self.processes, Int(0, self.greatest, init=free))
        self.next = Array(self.processes, Int(0, self.processes - 1, init=free))
        self.pc = Array(self.processes, Enum(*STEPS, init=AnyOf() if self.anywhere else "ncs"))

    @initial
    def in_the_invariant(self) -> None:
        require(self.invariant_holds())

    # -- the algorithm -------------------------------------------------------------------------------------

    @action(p="ids")
    def leave_noncritical(self, p: int) -> None:
        require(self.pc[p] == "ncs")
        self.pc[p] = "e1"

    @fair(together="process", each="p")
    @action(p="ids")
    def flicker(self, p: int) -> None:
        """The flag may have any value while it is written."""
        require(self.pc[p] == "e1" or self.pc[p] == "e4")
        self.flag[p] = not self.flag[p]

    @fair(together="process", each="p")
    @action(p="ids")
    def begin_choosing(self, p: int) -> None:
        require(self.pc[p] == "e1")
        self.flag[p] = True
        self.unchecked[p] = {q for q in self.ids if q != p}
        self.max[p] = 0
        self.pc[p] = "e2"

    @fair(together="process", each="p")
    @action(p="ids")
    def look(self, p: int) -> None:
        require(self.pc[p] == "e2")
        if len(self.unchecked[p]) == 0:
            self.pc[p] = "e3"
            return
        q = choose(self.unchecked[p])
        self.unchecked[p].remove(q)
        if self.num[q] > self.max[p]:
            self.max[p] = self.num[q]

    @fair(together="process", each="p")
    @action(p="ids", number=lambda self: range(self.greatest + 1))
    def write_anything(self, p: int, number: int) -> None:
        """The number may have any value while it is written."""
        require(self.pc[p] == "e3" or self.pc[p] == "exit")
        self.num[p] = number

    @fair(together="process", each="p")
    @action(p="ids", number=lambda self: range(self.greatest + 1))
    def take_number(self, p: int, number: int) -> None:
        require(self.pc[p] == "e3")
        require(number > self.max[p])
        self.num[p] = number
        self.pc[p] = "e4"

    @fair(together="process", each="p")
    @action(p="ids")
    def end_choosing(self, p: int) -> None:
        require(self.pc[p] == "e4")
        self.flag[p] = False
        self.unchecked[p] = {q for q in self.ids if q != p}
        self.pc[p] = "w1"

    @fair(together="process", each="p")
    @action(p="ids")
    def wait_for_choice(self, p: int) -> None:
        require(self.pc[p] == "w1")
        if len(self.unchecked[p]) == 0:
            self.pc[p] = "cs"
            return
        q = choose(self.unchecked[p])
        require(not self.flag[q])
        self.next[p] = q
        self.pc[p] = "w2"

    @fair(together="process", each="p")
    @action(p="ids")
    def wait_for_turn(self, p: int) -> None:
        require(self.pc[p] == "w2")
        q = self.next[p]
        require(self.num[q] == 0 or self.before(self.num[p], p, self.num[q], q))
        self.unchecked[p].discard(q)
        self.pc[p] = "w1"

    @fair(together="process", each="p")
    @action(p="ids")
    def leave_critical(self, p: int) -> None:
        require(self.pc[p] == "cs")
        self.pc[p] = "exit"

    @fair(together="process", each="p")
    @action(p="ids")
    def give_back(self, p: int) -> None:
        require(self.pc[p] == "exit")
        self.num[p] = 0
        self.pc[p] = "ncs"

    # -- what holds ----------------------------------------------------------------------------------------

    @invariant
    def mutual_exclusion(self) -> Any:
        """no two processes are in their critical sections"""
        return all(not (self.pc[p] == "cs" and self.pc[q] == "cs") for p in self.ids for q in self.ids if p != q)

    @invariant
    def inductive(self) -> Any:
        """what the proof of mutual exclusion rests on"""
        return self.invariant_holds()

    def before(self, number: Any, p: Any, other: Any, q: Any) -> Any:
        """Whether a process with a number comes before another with another."""
        return number < other or (number == other and p < q)

    def at(self, p: Any, *steps: str) -> Any:
        return self.pc[p] in steps

    def invariant_holds(self) -> Any:
        return all(self.holds_of(p) for p in self.ids)

    def holds_of(self, p: int) -> Any:
        others, q = [other for other in self.ids if other != p], self.next[p]
        return (
            implies(self.at(p, "e4", "w1", "w2", "cs"), self.num[p] != 0)
            and implies(self.at(p, "e2", "e3"), self.flag[p])
            and implies(self.at(p, "w2"), q != p)
            and implies(self.at(p, "w1", "w2"), p not in self.unchecked[p])
            and implies(self.at(p, "w1", "w2"), all(j in self.unchecked[p] or self.is_before(p, j) for j in others))
            and implies(
                self.at(p, "w2") and ((self.pc[q] == "e2" and p not in self.unchecked[q]) or self.pc[q] == "e3"),
                self.max[q] >= self.num[p],
            )
            and implies(self.at(p, "cs"), all(self.is_before(p, j) for j in others))
        )

    def is_before(self, p: int, j: int) -> Any:
        """Whether p has a number, and j has or will take one that comes after it unless p changes its own."""
        return self.num[p] > 0 and (
            self.at(j, "ncs", "e1", "exit")
            or (self.pc[j] == "e2" and (p in self.unchecked[j] or self.max[j] >= self.num[p]))
            or (self.pc[j] == "e3" and self.max[j] >= self.num[p])
            or (
                self.at(j, "e4", "w1", "w2")
                and self.before(self.num[p], p, self.num[j], j)
                and implies(self.at(j, "w1", "w2"), p in self.unchecked[j])
            )
        )
