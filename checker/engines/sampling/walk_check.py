"""Cross-checks the counts of random walks: repeats the first walks, and cross-checks each of their states.

A walk must go from each state to a successor of it, by the counted action. The contributions of the repeated walks are
summed state by state: each count must be at least that, and equal when all walks were repeated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ...errors import EverystateError
from ..crosscheck import culprit
from ..crosscheck.allowance import Allowance
from ..crosscheck.compiled_steps import Answer, answer
from ..crosscheck.crosscheck import CrossCheck
from ..crosscheck.selection import single
from ..violations import DEADLOCK, FAULT, KINDS, called
from .sample import Sighting, WalkSummary
from .walker import WalkBatch, Walker

BEGINNING = 0.25
"""Where time decides: the part for initial states."""
TOGETHER = 16
"""The minimum number of walks to cross-check; few states may be all that there are."""


def cross_check(
    walker: Walker, check: CrossCheck, allowance: Allowance, seen: WalkSummary, distinct: int, walks: int
) -> None:
    """Compare initial states and those of the first walks, then check the counts of all walks."""
    if allowance.off:
        return
    walker.observer.phase("cross-checking")
    with allowance.running():
        check.initial(allowance.nominal, allowance, BEGINNING)
        again = WalkCheck(walker, check)
        again.take(seen.walks, allowance)
        again.judge(seen, distinct, walks)


class WalkCheck:
    """The first walks of a course, taken once more."""

    def __init__(self, walker: Walker, check: CrossCheck) -> None:
        self.walker, self.check, self.program = walker, check, walker.program
        self.again, self.taken = WalkSummary(), Counter[str]()
        self.states: set[bytes] = set()
        self._answers: dict[bytes, Answer] = {}

    def take(self, walks: int, allowance: Allowance) -> None:
        """Compare the states of the first walks of a given number of walks."""
        steps = self.walker.course.steps
        most = TOGETHER + 4 * allowance.nominal // max(1, steps)
        for first in range(0, min(walks, most), TOGETHER):
            numbers = range(first, min(first + TOGETHER, walks))
            here: dict[int, Answer] = {}
            for stage in self.walker.stages(numbers, steps, WalkSummary()):
                before, here = here, {}
                for at, said in enumerate(self._said(stage, allowance)):
                    if said is None:
                        return
                    walk = int(stage.walks[at])
                    here[walk] = said
                    self._count(stage, at, said, before.get(walk))
            self.again.walks += len(numbers)

    def _said(self, stage: WalkBatch, allowance: Allowance) -> Iterator[Answer | None]:
        """Results of machine code for each state, after a comparison; None where enough were compared."""
        for row in single(stage.states):
            if self.check.count and allowance.used(self.check.count) >= 1:
                yield None
            self.walker.observer.part("cross-checking", min(self.check.count, allowance.nominal), allowance.nominal)
            key = row.tobytes()
            if key not in self._answers:
                self._answers[key] = answer(self.walker.expansion, row)
                self.check.compare_answer(self._answers[key])
            yield self._answers[key]

    # -- contributions -------------------------------------------------------------------------------------

    def _count(self, stage: WalkBatch, at: int, said: Answer, before: Answer | None) -> None:
        walk = int(stage.walks[at])
        self.again.generated += 1
        self.again.longest = max(self.again.longest, stage.steps)
        self.states.add(said.row.tobytes())
        held = set(said.held)
        if before is not None:
            name = self.program.action_names[stage.actions[at]]
            self.taken[name] += 1
            held |= before.on_steps[self._step(before, int(stage.actions[at]), said, name)]
        for watch in held:
            kind = self.walker.watches[watch].kind
            if kind in KINDS:
                self._sight(watch, walk, stage.steps)
            elif kind in ("reachable", "antecedent"):
                self.again.reached.add(watch)
        if stage.steps < self.walker.course.steps:
            self._no_further(said, walk, stage.steps)

    def _step(self, before: Answer, action: int, said: Answer, name: str) -> int:
        """The index of a walk's next state among the successors of the state before."""
        for at, (row, by) in enumerate(zip(before.after, before.actions.tolist(), strict=True)):
            if by == action and (row == said.row[0]).all():
                return at
        cells = self.program.model.layout.unpack(before.row[0])
        message = "a walk goes to a state that is none of its successors"
        raise culprit.difference(self.check.spec, name, message, cells, None)

    def _no_further(self, said: Answer, walk: int, steps: int) -> None:
        """Check a state at which a walk fails to continue: a step of it may fail, or there is none."""
        if not said.inside[0]:
            self.again.outside += 1
            return
        counters, inside = self.program.counters, said.inside[1:]
        names = enumerate(self.program.action_names)
        self.again.enabled_in((name, int(said.counted[counters.enabled(a)])) for a, name in names)
        self.again.pruned += len(inside) - int(sum(inside))
        if said.counted[counters.faults]:
            self._sight(FAULT, walk, steps)
        elif not len(said.after):
            self.again.stuck += 1
            if self.walker.course.looks_for_deadlock(self.check.spec):
                self._sight(DEADLOCK, walk, steps)

    def _sight(self, key: int, walk: int, steps: int) -> None:
        known = self.again.found.get(key)
        new = Sighting((walk, steps), 1, (steps, walk))
        self.again.found[key] = new if known is None else known.merged(new)

    # -- checks --------------------------------------------------------------------------------------------

    def judge(self, seen: WalkSummary, distinct: int, walks: int) -> None:
        """E217 for an impossible count."""
        again, whole = self.again, self.again.walks == walks == seen.walks
        pairs = [("states", seen.generated, again.generated), ("distinct states", distinct, len(self.states))]
        pairs += [
            ("steps", seen.longest, again.longest),
            ("walks that a constraint ended", seen.outside, again.outside),
            ("walks that ended without a successor", seen.stuck, again.stuck),
            ("successors that a constraint pruned", seen.pruned, again.pruned),
        ]
        pairs += [(f"steps of {name}", seen.taken.get(name, 0), times) for name, times in self._each(seen.taken)]
        for name in self.program.action_names:
            pairs.append((f"states in which {name} is enabled", seen.enabled.get(name, 0), again.enabled.get(name, 0)))
        for key in sorted(seen.found.keys() | again.found.keys()):
            what, message, found = called(self.program, key), seen.found.get(key), again.found.get(key)
            pairs.append((f"sightings of {what}", message.times if message else 0, found.times if found else 0))
            if message and found and (message.first > found.first or message.shortest > found.shortest):
                raise self._wrong(f"{what} was seen in walk {found.first[0]}, before the first that is reported")
        for what, counted, sure in pairs:
            if counted != sure if whole else counted < sure:
                raise self._wrong(f"{what}: {counted:,} counted, {'' if whole else 'at least '}{sure:,} found again")
        if again.reached - seen.reached or (whole and again.reached != seen.reached):
            raise self._wrong("goals or left sides of implies: others were seen again than were counted")

    def _each(self, taken: dict[str, int]) -> list[tuple[str, int]]:
        return [(name, self.taken[name]) for name in dict.fromkeys([*taken, *self.taken])]

    def _wrong(self, said: str) -> EverystateError:
        return EverystateError("E217", None, action=type(self.check.spec).__name__, reason=said)
