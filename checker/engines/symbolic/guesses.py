"""Guesses invariants from explored states, and repeats until they are inductive.

A state that satisfies all guesses and leads in one step to a violation, or out of a guess, is a counterexample to
induction. No explored state is in its cube, so some of its literals never hold together there; the next guess is that
they never do. A guess is wrong when an explored state leads out of it; the state after that step is then explored too.
Where all states were explored this is rare, and in the end every guess is inductive: the peer model takes 1,400 queries
instead of IC3's 28,000.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence

from ...backends.smt.cnf import Cnf
from ...backends.smt.sat import Sat
from .ic3 import Frames
from .predicates import Clause
from .steps import Cube


class Reached(Exception):
    """A violation can be reached."""


class Guesses(Frames):
    """Guessed cubes, all in the first frame; the frame after it stays empty."""

    wrong = 0
    images: Callable[[Cube], Sequence[Cube]] = staticmethod(lambda cube: ())
    """The images of a cube under permutations of interchangeable values."""

    @staticmethod
    def around(state: Sequence[int]) -> tuple[list[int], int]:
        """For a reachable state and others reachable from it: where each predicate holds, and their number."""
        return [int(literal > 0) for literal in state], 1

    def run(self, first: Sequence[int], most: int) -> bool:
        """Whether the guesses became inductive before the limit on wrong ones; Reached for a reachable violation.

        The first guesses are that some literals always hold.
        """
        for literal in first:
            if not self.visited([-literal]) and not self.begins([-literal]):
                self.add((-literal,), 1)
        todo, fell = deque[Cube | None]([None, *sorted(self.frames[1])]), False
        while todo or fell:
            if not todo:
                self.steps.make(self.frames)
                todo, fell = deque([None, *sorted(self.frames[1])]), False
            cube = todo.popleft()
            while (cube is None or cube in self.frames[1]) and (against := self._against(cube)) is not None:
                witness = self.witness(against)
                if witness is None:
                    for found in self._with_images(self._general(against)):
                        self.add(found, 1)
                        todo.append(found)
                    continue
                if cube is None:
                    raise Reached
                if self.wrong == most:
                    return False
                self._learn(witness, cube)
                fell = True
        return True

    def _with_images(self, cube: Cube) -> Iterator[Cube]:
        """A guess, and its images under permutations as far as no reachable state is known to be in them."""
        yield cube
        for image in self.images(cube):
            if image not in self.frames[1] and not self.visited(image) and not self.begins(image):
                yield image

    def run_on(self, first: Sequence[int], most: int) -> bool:
        """The same, with up to four times as many wrong guesses as long as half of the others are inductive.

        They become inductive after 702 wrong ones for flexible Paxos, and never for the bakery, where 13 % are.
        """
        limit, done = most, self.run(first, most)
        while not done and limit < 4 * most and self._promising:
            limit *= 2
            done = self.run((), limit)
        return done

    @property
    def _promising(self) -> bool:
        clauses = [*self.known, *self.clauses]
        return 2 * len(inductive_part(self.cnf, clauses, self.look)) >= len(clauses)

    @property
    def clauses(self) -> list[Clause]:
        """The guessed clauses."""
        return [tuple(-literal for literal in cube) for cube in sorted(self.frames[1])]

    def _against(self, cube: Cube | None) -> Cube | None:
        """Guessed states from which a step leads into a cube; for None, states with a violation."""
        if cube is None:
            return self.steps.violating(1)
        return None if self.excluded(cube, 2) is not None else self.steps.predecessor(cube)

    def _learn(self, witness: Sequence[int], cube: Cube) -> None:
        """Add the state after a reachable one, and those around it; drop guesses that they contradict."""
        self.wrong += 1
        for guess in self.see(*self.around(self.steps.successor(witness, cube))):
            self.drop(guess)

    def _general(self, cube: Cube) -> Cube:
        """A smallest part of a cube that contains no explored state."""
        before, left, behind = [self.everything], list(cube), self.everything
        for literal in cube:
            before.append(before[-1] & self.seen[literal])
        for at in reversed(range(len(cube))):
            rest = [other for other in left if other != cube[at]]
            if rest and not before[at] & behind and not self.begins(rest):
                left = rest
            else:
                behind &= self.seen[cube[at]]
        return tuple(left)


def inductive_part(cnf: Cnf, clauses: Sequence[Clause], look: Callable[[], object] = lambda: None) -> list[Clause]:
    """The clauses that hold initially and after each step from states in which all of them hold (see Houdini).

    One query for each clause: a query for all of them together took fifty times as long on 850 clauses of Raft.
    """
    alive, _ = _standing(Sat(cnf.initial.clauses, look), clauses, 0)
    while True:
        solver = Sat([*cnf.clauses, *cnf.guarded, *map(list, alive), cnf.selectors], look)
        alive, fell = _standing(solver, alive, cnf.count)
        if not fell:
            return alive


def _standing(solver: Sat, clauses: Sequence[Clause], shift: int) -> tuple[list[Clause], bool]:
    """The clauses that no solution violates, and whether some were dropped; predicates are moved by `shift`."""
    having: dict[int, int] = defaultdict(int)  # the clauses with a literal, a bit each
    for at, clause in enumerate(clauses):
        for literal in clause:
            having[literal] |= 1 << at
    alive = (1 << len(clauses)) - 1
    for at, clause in enumerate(clauses):
        if alive >> at & 1 and solver.solve(
            [-literal - shift if literal > 0 else shift - literal for literal in clause]
        ):
            state, true = solver.model[shift:], 0
            for literal, those in having.items():
                if (state[abs(literal) - 1] > 0) == (literal > 0):
                    true |= those
            alive &= true
    return [clause for at, clause in enumerate(clauses) if alive >> at & 1], alive != (1 << len(clauses)) - 1
