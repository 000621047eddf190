"""Specs for walks: small ones whose every state is known, and a wide one."""

from __future__ import annotations

from typing import Any

from everystate.checker import Array, Bool, Int, Spec, action, choose, constraint, invariant, narrate, require


class Gate(Spec):
    """A gate that opens after two coins; a coin may be of one or of two."""

    def variables(self) -> None:
        self.coins = Int(0, 3)
        self.open = Bool(init=False)

    @action
    def pay(self) -> None:
        require(self.has_room())
        coin = choose([1, 2])
        self.coins += coin
        narrate(f"pays {coin}", source="visitor", target="gate")

    @action(who=("ann", "bob"))
    def enter(self, who: str) -> None:
        require(self.coins >= 2)
        require(not self.open)
        self.open = True
        self.coins -= 2
        narrate(f"{who} enters", at="gate")

    @action
    def close(self) -> None:
        require(self.open and self.coins < 3)
        self.open = False

    def has_room(self) -> bool:
        """Whether another coin of two fits."""
        return self.coins < 2

    @invariant
    def shut_or_paid(self) -> bool:
        """an open gate holds no coin"""
        return not (self.open and self.coins > 0)

    @constraint
    def not_rich(self) -> bool:
        return self.coins <= 2


class Wide(Spec):
    """Five hundred variables in one array of their own each, of which one moves."""

    may_terminate = True

    def variables(self) -> None:
        for number in range(500):
            setattr(self, f"v{number}", Int(0, 9))

    @action
    def up(self: Any) -> None:
        require(self.v7 < 9)
        self.v7 += 1


class Long(Spec):
    """A counter and its sums, to walk for very long."""

    def variables(self) -> None:
        self.n = Int(0, 4)
        self.sums = Array(3, Int(0, 9))

    @action(at=range(3))
    def up(self, at: int) -> None:
        self.n = (self.n + 1) % 5
        self.sums[at] = (self.sums[at] + self.n) % 10

    @invariant
    def small(self) -> bool:
        """no sum is ten"""
        return all(sum < 10 for sum in self.sums)
