"""IC3: builds an inductive invariant from clauses, each of which excludes unreachable states.

Frame i holds clauses that are true in all states of up to i steps. Where a state of the last frame violates something,
its predecessors become obligations, the earliest first. An obligation that no state of the frame before it leads to is
generalised as far as possible, and its negation joins the frames. Clauses are pushed as far as they hold. When a frame
is empty, the frames behind it are inductive. Obligations are not moved to later frames, so a violation has the least
number of steps.

Bradley: SAT-based model checking without unrolling, 2011. Een, Mishchenko, Brayton: Efficient implementation of
property directed reachability, 2011 (lifting, pushing, the queue). Hassan, Bradley, Somenzi: Better generalization in
IC3, 2013 (counterexamples to generalisation). Su, Yang, Ci, Huang: The rIC3 hardware model checker, 2025, is the state
of the art. Added here: explored states show that a cube is too general before a solver is queried.
"""

from __future__ import annotations

import heapq
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...backends.smt.cnf import Cnf
from ...backends.smt.sat import Sat
from .predicates import Clause
from .steps import Cube, Steps

TRIES = 3
"""Counterexamples to a generalisation that are excluded before it is given up."""


@dataclass(frozen=True)
class Obligation:
    """A cube, each state of which leads to a violation along the obligations behind it."""

    cube: Cube
    after: Obligation | None = None

    @property
    def chain(self) -> list[Cube]:
        """The cubes up to the violation."""
        cubes, at = [self.cube], self.after
        while at is not None:
            cubes.append(at.cube)
            at = at.after
        return cubes


class Frames:
    """Frames of excluded cubes, and the explored states, of which no clause may exclude one.

    A cube is in the last frame whose clauses include its negation. `known` are clauses that hold in every reachable
    state. `look` is called now and then and may raise.
    """

    def __init__(
        self,
        cnf: Cnf,
        seen: Sequence[int],
        explored: int,
        known: Sequence[Clause] = (),
        look: Callable[[], object] = lambda: None,
    ) -> None:
        self.cnf, self.known, self.look = cnf, known, look
        self.explored = explored
        self.seen = {i + 1: bits for i, bits in enumerate(seen)}
        self.seen |= {-literal: self.everything & ~bits for literal, bits in self.seen.items()}
        self.frames: list[set[Cube]] = [set(), set()]
        self._level: dict[Cube, int] = {}
        self._with: dict[int, set[Cube]] = defaultdict(set)
        self.queries = 0
        self.initial = Sat(cnf.initial.clauses, look)
        self.steps = Steps(cnf, known, self.asked, look)
        self.steps.make(self.frames)

    def asked(self) -> None:
        """Count a query, and look at the limits."""
        self.queries += 1
        self.look()

    @property
    def size(self) -> int:
        """Clauses in all frames."""
        return sum(map(len, self.frames))

    # -- states that are reachable -------------------------------------------------------------------------

    def begins(self, cube: Iterable[int]) -> bool:
        """Whether an initial state is in a cube."""
        self.asked()
        return self.initial.solve(list(cube))

    def visited(self, cube: Iterable[int]) -> bool:
        """Whether an explored state is in a cube."""
        return bool(self._visited(cube))

    def _visited(self, cube: Iterable[int]) -> int:
        return _common(self.seen, cube, self.everything)

    @property
    def everything(self) -> int:
        """A bit for each explored state."""
        return (1 << self.explored) - 1

    def witness(self, cube: Sequence[int]) -> list[int] | None:
        """The literals of an explored or initial state that is in a cube."""
        if where := self._visited(cube):
            bit = where & -where
            return [i if self.seen[i] & bit else -i for i in range(1, self.cnf.count + 1)]
        return self.initial.model[: self.cnf.count] if self.begins(cube) else None

    def see(self, bits: Sequence[int], number: int) -> list[Cube]:
        """Note more reachable states: for each predicate in which of them it holds; the cubes that have one of them."""
        everything = (1 << number) - 1
        new = dict(enumerate(bits, 1))
        new |= {-i: everything & ~holds for i, holds in new.items()}
        for literal, holds in new.items():
            self.seen[literal] |= holds << self.explored
        self.explored += number
        return [cube for cube in self._level if _common(new, cube, everything)]

    def outside(self, part: Sequence[int], cube: Sequence[int]) -> list[int]:
        """A part of a cube with no initial state in it, like the whole: literals are added to it where needed."""
        if not self.begins(part):
            return list(part)
        taken = set(part)
        begins = self.begins([*part, *(literal for literal in cube if literal not in taken)])
        assert not begins, "no initial state is in the whole cube"
        taken.update(self.initial.core)
        return [literal for literal in cube if literal in taken]

    # -- clauses -------------------------------------------------------------------------------------------

    def add(self, cube: Cube, level: int) -> None:
        """Exclude a cube from all frames up to a level."""
        weaker = set.intersection(*(self._with[literal] for literal in cube)) if cube else set(self._level)
        for other in weaker:
            if self._level[other] <= level:
                self.drop(other)
        self.frames[level].add(cube)
        self._level[cube] = level
        for literal in cube:
            self._with[literal].add(cube)
        self.steps.exclude(cube, level)

    def drop(self, cube: Cube) -> None:
        """Forget that a cube is excluded."""
        self.frames[self._level.pop(cube)].remove(cube)
        for literal in cube:
            self._with[literal].remove(cube)

    def excluded(self, cube: Sequence[int], level: int) -> list[int] | None:
        """See Steps; now and then the solvers are made anew."""
        if self.steps.old:
            self.steps.make(self.frames)
        return self.steps.excluded(cube, level)


def _common(bits: Mapping[int, int], cube: Iterable[int], states: int) -> int:
    """Which of some states are in a cube, given in which of them each literal holds."""
    for literal in cube:
        states &= bits[literal]
        if not states:
            break
    return states


class Ic3(Frames):
    """A proof that nothing is violated, or the cubes that lead to a violation."""

    def run(self) -> list[Cube] | None:
        """None for a proof, `invariant` being it; otherwise the cubes from an initial state to a violation."""
        if (cube := self.steps.violating(0)) is not None:
            return [cube]
        while True:
            last = len(self.frames) - 1
            while (cube := self.steps.violating(last)) is not None:
                chain = self._block(cube)
                if chain is not None:
                    return chain
            if self._push():
                return None

    @property
    def invariant(self) -> list[Clause]:
        """The clauses of a proof, without those known before."""
        first = next(i for i in range(1, len(self.frames)) if not self.frames[i])
        return [tuple(-literal for literal in cube) for frame in self.frames[first:] for cube in sorted(frame)]

    def _push(self) -> bool:
        """Add a frame and move clauses on that hold there, too; True when one is left empty."""
        last = len(self.frames) - 1
        self.frames.append(set())
        self.steps.frame()
        for level in range(1, last + 1):
            for cube in sorted(self.frames[level]):
                if cube in self.frames[level] and (core := self.excluded(cube, level + 1)) is not None:
                    self.add(tuple(self.outside(core, cube)), level + 1)
            if not self.frames[level]:
                return True
        return False

    def _block(self, cube: Cube) -> list[Cube] | None:
        """Exclude a violating cube from the last frame; the chain of cubes where it is reachable."""
        number = itertools.count()
        queue = [(len(self.frames) - 1, next(number), Obligation(cube))]
        while queue:
            level, _, at = heapq.heappop(queue)
            if level == 0 or self.begins(at.cube):
                return at.chain
            if self._blocked(at.cube, level):
                continue
            core = self.excluded(at.cube, level)
            if core is None:
                before = Obligation(self.steps.predecessor(at.cube), at)
                heapq.heappush(queue, (level, next(number), at))
                heapq.heappush(queue, (level - 1, next(number), before))
            else:
                found = self._generalised(self.outside(core, at.cube), level)
                self.add(tuple(found), self._furthest(found, level))
        return None

    def _blocked(self, cube: Cube, level: int) -> bool:
        """Whether a clause of a frame excludes a cube."""
        literals = set(cube)
        return any(literals.issuperset(other) for frame in self.frames[level:] for other in frame)

    def _furthest(self, cube: Sequence[int], level: int) -> int:
        """The last frame that excludes a cube, given one that does."""
        while level < len(self.frames) - 1 and self.excluded(cube, level + 1) is not None:
            level += 1
        return level

    # -- generalisation ------------------------------------------------------------------------------------

    def _generalised(self, cube: list[int], level: int, deep: bool = False) -> list[int]:
        """A part of a cube that is excluded as well, from which no literal can be removed."""
        kept = set[int]()
        for literal in reversed(cube):
            if literal not in cube or len(cube) == 1:
                continue
            rest = [other for other in cube if other != literal]
            found = None if self.visited(rest) else self._smaller(rest, level, kept, deep)
            if found is None:
                kept.add(literal)
            else:
                cube = found
        return cube

    def _smaller(self, cube: list[int], level: int, kept: set[int], deep: bool) -> list[int] | None:
        """A part of a cube that is excluded, once its counterexamples are; None where there is none."""
        tries = 0
        while not self.begins(cube):
            core = self.excluded(cube, level)
            if core is not None:
                return self.outside(core, cube)
            if deep:
                return None
            state = set(self.steps.state)
            if tries < TRIES and level > 1 and self._exclude(self.steps.predecessor(cube), level - 1):
                tries += 1
                continue
            tries = 0
            common = [literal for literal in cube if literal in state]
            if len(common) == len(cube) or any(k in cube and k not in state for k in kept) or self.visited(common):
                return None
            cube = common
        return None

    def _exclude(self, cube: Cube, level: int) -> bool:
        """Exclude a counterexample to a generalisation from a frame, if it can be."""
        if self.visited(cube) or self.begins(cube):
            return False
        core = self.excluded(cube, level)
        if core is None:
            return False
        part = self.outside(core, cube)
        level = self._furthest(part, level)
        self.add(tuple(self._generalised(part, level, deep=True)), level)
        return True
