"""The queries of IC3 about one step, for SAT solvers.

One solver has the steps from all frames: a variable for each frame switches its clauses on. The other one lifts: it
finds the part of a state that suffices for its step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...backends.smt.cnf import Cnf
from ...backends.smt.sat import Sat
from .predicates import Clause

Cube = tuple[int, ...]
"""Literals over the predicates that all hold; its negation is a clause."""

OLD = 3000
"""Queries after which a solver is replaced: each leaves a clause behind."""


class Steps:
    """Solvers for steps from the states of a frame, and for lifting a state to all that take the same step."""

    def __init__(
        self, cnf: Cnf, known: Sequence[Clause], asked: Callable[[], None], look: Callable[[], object] = lambda: None
    ) -> None:
        self.cnf, self.known, self.asked, self.look = cnf, [list(clause) for clause in known], asked, look

    def make(self, frames: Sequence[Sequence[Cube] | set[Cube]]) -> None:
        """Replace the solvers by new ones with the cubes that are excluded from each frame."""
        cnf = self.cnf
        self.age, self.top, self.lifts = 0, cnf.top, cnf.top
        self.lifter = Sat([*cnf.clauses, *self.known], self.look)
        self.solver = Sat([*cnf.clauses, *self.known, *cnf.guarded], self.look)
        self.solver.add_all([list(map(cnf.after, clause)) for clause in self.known])
        self.moving = self._new()
        self.solver.add([-self.moving, *cnf.selectors])
        self.bad = [(self._new(), goals, step) for goals, step in cnf.goals if goals]
        for bad, goals, _ in self.bad:
            self.solver.add([-bad, *goals])
        self.active = [self._new()]
        self._begin()
        for level, frame in enumerate(frames[1:], 1):
            self.frame()
            for cube in frame:
                self.exclude(cube, level)

    def _begin(self) -> None:
        """The clauses of frame 0: the initial states, with other variables for all but the predicates."""
        count, top = self.cnf.count, self.top

        def moved(literal: int) -> int:
            size = abs(literal)
            return literal if size <= count else (size - count + top) * (1 if literal > 0 else -1)

        for clause in self.cnf.initial.clauses:
            self.solver.add([-self.active[0], *map(moved, clause)])
        self.top += self.cnf.initial.top - count

    def _new(self) -> int:
        self.top += 1
        return self.top

    @property
    def old(self) -> bool:
        """Whether the solvers hold so many clauses that they should be replaced."""
        return self.age > OLD

    # -- clauses -------------------------------------------------------------------------------------------

    def frame(self) -> None:
        """One more frame: what is excluded from it is excluded from those before it."""
        self.active.append(self._new())
        self.solver.add([-self.active[-2], self.active[-1]])

    def exclude(self, cube: Cube, level: int) -> None:
        """Exclude a cube from a frame."""
        self.solver.add([-self.active[level], *(-literal for literal in cube)])

    # -- questions -----------------------------------------------------------------------------------------

    def _ask(self, *assumed: int) -> bool:
        self.asked()
        if not self.solver.solve(assumed):
            return False
        self.model = self.solver.model
        return True

    @property
    def state(self) -> list[int]:
        """The state before the step that the last question found."""
        return self.model[: self.cnf.count]

    def excluded(self, cube: Sequence[int], level: int) -> list[int] | None:
        """The literals of a cube that suffice to exclude it after a step from the frame before a level, outside of it.

        None where such a step exists; `state` is then the one before it.
        """
        self.age += 1
        here, after = self._new(), list(map(self.cnf.after, cube))
        self.solver.add([-here, *(-literal for literal in cube)])
        found = None
        if not self._ask(self.active[level - 1], self.moving, here, *after):
            core = set(self.solver.core)
            found = [literal for literal, then in zip(cube, after, strict=True) if then in core]
        self.solver.add([-here])
        return found

    def successor(self, state: Sequence[int], cube: Sequence[int]) -> list[int]:
        """The state in a cube into which a state leads."""
        leads = self._ask(self.moving, *state, *map(self.cnf.after, cube))
        assert leads, "the state is one of those that lead there"
        count = self.cnf.count
        after = self.model[count : 2 * count]
        return [literal - count if literal > 0 else literal + count for literal in after]

    def predecessor(self, cube: Sequence[int]) -> Cube:
        """The cube of states that lead into a cube as the last one found does."""
        return self._lifted(self._selected(), [-self.cnf.after(literal) for literal in cube])

    def violating(self, level: int) -> Cube | None:
        """A cube of states of a frame in which something is violated, or from which a step violates something."""
        for bad, goals, step in self.bad:
            if self._ask(self.active[level], bad, *([self.moving] if step else [])):
                goal = next(goal for goal in goals if self.model[goal - 1] > 0)
                return self._lifted(self._selected() if step else None, [-goal])
        return None

    def _selected(self) -> int:
        return next(k for k, selector in enumerate(self.cnf.selectors) if self.model[selector - 1] > 0)

    def _lifted(self, leaf: int | None, unless: list[int]) -> Cube:
        """The literals of the last state that suffice for its step, and for none of some literals to hold then."""
        cnf = self.cnf
        self.lifts += 1
        if leaf is None:
            taken = [self.lifts]
            self.lifter.add([-self.lifts, *unless])
        else:
            taken = [self.lifts, cnf.selectors[leaf]]
            self.lifter.add([-self.lifts, -cnf.guards[leaf], -cnf.inside, *unless])
        left = self.state
        for _ in range(2):
            self.asked()
            fits = self.lifter.solve([*taken, *left])
            assert not fits, "a state and a leaf determine the step"
            core = set(self.lifter.core)
            left = [literal for literal in reversed(left) if literal in core]
        self.lifter.add([-self.lifts])
        return tuple(left)
