"""Specs whose liveness `liveness.py` measures: a lock, and philosophers at a table."""

from typing import Any

from everystate.checker import (
    Array,
    Bool,
    Constant,
    Enum,
    Int,
    Spec,
    action,
    always_reachable,
    fair,
    invariant,
    leads_to,
    require,
    strongly_fair,
)


class FilterLock(Spec):
    """Peterson's filter lock (IPL 1981): processes pass one level after another, and at each level the last one waits.

    With two processes it is Peterson's algorithm.
    """

    processes = Constant(4, "processes")

    def variables(self) -> None:
        self.ids = range(self.processes)
        self.level = Array(self.processes, Int(0, self.processes - 1))
        self.last = Array(self.processes, Int(0, self.processes - 1))
        self.pc = Array(self.processes, Enum("idle", "climb", "announce", "wait", "critical"))

    @action(p="ids")
    def begin(self, p: int) -> None:
        require(self.pc[p] == "idle")
        self.pc[p] = "climb"

    @fair(together="process", each="p")
    @action(p="ids")
    def climb(self, p: int) -> None:
        require(self.pc[p] == "climb")
        self.level[p] += 1
        self.pc[p] = "announce"

    @fair(together="process", each="p")
    @action(p="ids")
    def announce(self, p: int) -> None:
        require(self.pc[p] == "announce")
        self.last[self.level[p]] = p
        self.pc[p] = "wait"

    @fair(together="process", each="p")
    @action(p="ids")
    def goes_on(self, p: int) -> None:
        require(self.pc[p] == "wait")
        alone = all(self.level[q] < self.level[p] for q in self.ids if q != p)
        require(alone or self.last[self.level[p]] != p)
        self.pc[p] = "critical" if self.level[p] == self.processes - 1 else "climb"

    @fair(together="process", each="p")
    @action(p="ids")
    def leave(self, p: int) -> None:
        require(self.pc[p] == "critical")
        self.level[p] = 0
        self.pc[p] = "idle"

    @invariant
    def mutual_exclusion(self) -> Any:
        """at most one process is in its critical section"""
        return sum(self.pc[p] == "critical" for p in self.ids) <= 1

    @leads_to(p="ids")
    def gets_in(self, p: int) -> tuple[Any, Any]:
        """a process that wants to enter does so some time"""
        return self.pc[p] == "climb", self.pc[p] == "critical"


class FirstInLine(FilterLock):
    """The same with one property, that of the first process."""

    @leads_to(p=lambda self: range(1))
    def gets_in(self, p: int) -> tuple[Any, Any]:
        """a process that wants to enter does so some time"""
        return self.pc[p] == "climb", self.pc[p] == "critical"


class Philosophers(Spec):
    """Philosophers take both forks at once; with strong fairness each of them eats."""

    seats = Constant(8, "philosophers, and forks")

    def variables(self) -> None:
        self.ids = range(self.seats)
        self.doing = Array(self.seats, Enum("thinks", "hungry", "eats"))
        self.fork_taken = Array(self.seats, Bool())

    @fair
    @action(p="ids")
    def get_hungry(self, p: int) -> None:
        require(self.doing[p] == "thinks")
        self.doing[p] = "hungry"

    @strongly_fair
    @action(p="ids")
    def eat(self, p: int) -> None:
        after = (p + 1) % self.seats
        require(self.doing[p] == "hungry" and not self.fork_taken[p] and not self.fork_taken[after])
        self.fork_taken[p] = True
        self.fork_taken[after] = True
        self.doing[p] = "eats"

    @fair
    @action(p="ids")
    def think(self, p: int) -> None:
        require(self.doing[p] == "eats")
        self.fork_taken[p] = False
        self.fork_taken[(p + 1) % self.seats] = False
        self.doing[p] = "thinks"

    @leads_to
    def first_eats(self) -> tuple[Any, Any]:
        """the first philosopher does not starve"""
        return self.doing[0] == "hungry", self.doing[0] == "eats"

    @always_reachable
    def everybody_thinks(self) -> Any:
        """the table can become quiet again"""
        return all(self.doing[p] == "thinks" for p in self.ids)
