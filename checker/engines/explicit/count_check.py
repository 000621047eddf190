"""Cross-checks the counts of a report: no successor was lost, and the counts agree with the sampled states.

Plain Python gives the contribution of each sampled state to the counts. So each count must be at least that of the
sample, and each successor must be stored, on the next level or before. When the sample is the whole space, counts must
be equal, and so must be the levels and the new states of each action.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise, takewhile
from typing import Any

import numpy as np

from ...errors import EverystateError
from ...ir.traced import Model
from ...results.conditions import temporal
from ...results.coverage import PathCoverage
from ..crosscheck import culprit
from ..crosscheck.allowance import Allowance
from ..crosscheck.compiled_steps import Answer, answer
from ..crosscheck.crosscheck import CrossCheck
from ..crosscheck.merged_conditions import SECONDS, MergedConditions
from ..crosscheck.selection import single
from ..crosscheck.verdict_check import Observed, SampledViolations
from ..execution_cache import Cells
from ..observer import Observer
from ..path_notes import TakenPath
from .findings import Findings
from .history import History

SOME, SCANNED = 0.4, 1024
"""The part of the cross-check for merged conditions; where a number is given, states to look through for each."""
BEGINNING, LEFT = 0.25, 0.5
"""With a time limit: the part for initial states, and the part after which the rest is left to traces and liveness."""
Target = tuple[int, bytes]
"""An action, and the key of the state that it leads to."""


@dataclass(frozen=True)
class SampledState:
    """A sampled state: its level, its key, and its successors inside the constraints."""

    level: int
    key: bytes
    row: Any
    after: tuple[Target, ...]


class CountCheck:
    """Compares states of a search with plain Python, and their contributions with the counts of the search.

    Steps were taken from all states of the first `expanded` levels.
    """

    def __init__(self, check: CrossCheck, history: History, expanded: int, observer: Observer) -> None:
        self.check, self.history, self.expanded, self.observer = check, history, expanded, observer
        self.program, self.model = check.program, check.model
        self.totals = np.zeros(self.program.counters.size, np.uint64)
        self.seen: list[SampledState] = []
        self.conditions: MergedConditions | None = None
        self._rows: set[bytes] = set()
        self.initial: list[Cells] = []
        self.wanted = 0

    def begin(self, allowance: Allowance) -> None:
        """Compare initial states; those outside a constraint are on no level."""
        self.initial = self.check.initial(allowance.nominal // 10, allowance, BEGINNING)

    def take_paths(self, taken: Mapping[int, TakenPath], over: Callable[[int], bool]) -> None:
        """Compare states that take each path of which the search has noted one, until it is `over`: the paths that it
        took last come first, since their states often take others, too."""
        levels = self.history.levels_between({path.row: (path.first, path.last) for path in taken.values()})
        for number, path in sorted(taken.items(), key=lambda item: (-levels[item[1].row], item[0])):
            if over(self.some):
                return
            if number not in self.check.paths:
                row = np.frombuffer(path.row, np.uint64).reshape(1, -1)
                self.take([(levels[path.row], answer(self.history, row, self.check.idle))])

    def take_conditions(self, allowance: Allowance, over: Callable[[int], bool]) -> None:
        """Compare states in which merged conditions have values that they have not had in those before, of a large
        search; with as many as may be compared, or as much time as there is, half is for other states."""
        conditions, scanned = MergedConditions(self.model), 0
        if conditions.size * SECONDS > allowance.left(SOME):
            return
        self.conditions = conditions
        conditions.done(np.frombuffer(b"".join(self.check.observed), np.uint64).reshape(-1, self.program.words))

        def enough() -> bool:
            return over(self.some) or allowance.used(self.some) >= SOME or not conditions.open

        for level, block in self.history.spread():
            if enough() or (allowance.number is not None and scanned > SCANNED * allowance.number):
                return
            scanned += len(block)
            rows = block[sorted(conditions.wanted(block, enough))]
            before = len(self.seen)
            found = ((level, answer(self.history, row, self.check.idle)) for row in single(rows))
            self.take(takewhile(lambda _: not enough(), found))
            if len(self.seen) > before:
                conditions.done(np.concatenate([state.row for state in self.seen[before:]]))

    def take(self, found: Iterable[tuple[int, Answer]]) -> None:
        """Compare states, each with its level, and count their contributions."""
        for level, said in found:
            if said.row.tobytes() in self._rows:
                continue
            self._rows.add(said.row.tobytes())
            self.observer.part("cross-checking", self.some, self.wanted)
            self.check.compare_answer(said)
            self._count(level, said)

    def _count(self, level: int, said: Answer) -> None:
        """Count the contribution of a state, and note the targets of its steps."""
        hits, beyond, one = self.program.counters.hits, self.program.counters.beyond, np.uint64(1)
        pairs = []
        for watch in said.held:
            self.totals[hits(watch)] += one
        if level <= self.expanded:
            self.totals += said.counted
            for at, action in enumerate(said.actions.tolist()):
                outside = not said.inside[at + 1]
                self.totals[self.program.counters.outside] += np.uint64(outside)
                for watch in said.on_steps[at]:
                    self.totals[hits(watch)] += one
                for watch in said.held_after[at] if outside else ():
                    self.totals[beyond(watch)] += one
                if not outside:
                    pairs.append((action, said.keys[at + 1].tobytes()))
        self.seen.append(SampledState(level, said.keys[0].tobytes(), said.row, tuple(pairs)))

    @property
    def some(self) -> int:
        """States that were compared so far."""
        return len(self.seen)

    def path_coverage(self, taken: Mapping[int, TakenPath]) -> PathCoverage:
        """How many of the paths that states take plain Python has executed."""
        unexecuted = len(taken.keys() - self.check.paths)
        untaken: dict[str, tuple[int, int]] = {}
        ends = pairwise(self.program.first_paths)
        for (first, last), action in zip(ends, self.program.action_of, strict=True):
            name, some = self.program.action_names[action], range(first, last)
            left = sum(1 for number in some if number not in taken and number not in self.check.paths)
            before, whole = untaken.get(name, (0, 0))
            untaken[name] = before + left, whole + len(some)
        merged = (self.conditions.executed, self.conditions.all) if self.conditions is not None else None
        return PathCoverage(len(self.check.paths), len(self.check.paths) + unexecuted, untaken, merged)

    # -- checks --------------------------------------------------------------------------------------------

    @property
    def whole_space(self) -> bool:
        """Whether the sample is the whole space, and all steps were taken from each state."""
        return len(self.seen) == self.history.distinct and self.expanded == self.history.depth

    def sampled(self) -> SampledViolations:
        """What plain Python saw in the states of the sample and in initial states."""
        observed = self.check.observed
        rows = [np.array([self.model.layout.pack(cells)], np.uint64).tobytes() for cells in self.initial]
        levels: dict[bytes, int] = self._levels_of_plain_python() if self.whole_space else {}
        found = [(1, observed.get(row, Observed()), False) for row in rows]
        for state in self.seen:
            level, seen = levels.get(state.key, state.level), observed[state.row.tobytes()]
            found.append((level, seen, state.level <= self.expanded))
        return SampledViolations.of(found)

    def _levels_of_plain_python(self) -> dict[bytes, int]:
        """The level of each state of the whole space, from the initial states and the compared steps alone."""
        after = {state.key: [key for _, key in state.after] for state in self.seen}
        levels = dict.fromkeys((state.key for state in self.seen if state.level == 1), 1)
        front, level = [*levels], 1
        while front:
            level += 1
            front = [key for key in dict.fromkeys(k for state in front for k in after[state]) if key not in levels]
            levels.update(dict.fromkeys(front, level))
        return levels

    def judge(self, findings: Findings) -> None:
        """E217 for a successor that is not on an allowed level, and for an impossible count."""
        whole = self.whole_space
        self._nothing_lost(whole)
        totals = self.totals + findings.beside
        for what, at, exact in self._counts(findings):
            counted, found = int(findings.totals[at]), int(totals[at])
            if (counted != found) if whole and exact else (counted < found if exact else bool(found) > bool(counted)):
                least = "" if whole else "at least "
                raise self._wrong(f"{what}: {counted:,} counted, {least}{found:,} found again")
        if whole and not self.program.viewed:
            self._levels_again(findings)

    def _counts(self, findings: Findings) -> Iterator[tuple[str, int, bool]]:
        """What is counted, where, and whether a report shows the number or only whether it is zero."""
        counters = self.program.counters
        yield "successors", counters.generated, True
        yield "deadlocks", counters.deadlocks, True
        yield "failing steps", counters.faults, True
        yield "successors outside the constraints", counters.outside, True
        for number, name in enumerate(self.program.action_names):
            yield f"steps of {name}", counters.taken(number), True
            yield f"states in which {name} is enabled", counters.enabled(number), True
        for k, watch in enumerate(self.program.watches()):
            exact = watch.kind not in ("reachable", "antecedent")
            yield _named(self.model, watch), counters.hits(k), exact
            yield f"{_named(self.model, watch)} outside the constraints", counters.beyond(k), exact

    def _nothing_lost(self, whole: bool) -> None:
        targets = {key for state in self.seen for _, key in state.after} | self._beginning().keys()
        levels = {state.key: state.level for state in self.seen} if whole else self.history.levels_of(targets)
        for key, cells in self._beginning().items():
            if levels.get(key) != 1:
                said = "an initial state is not among the states"
                raise culprit.difference(self.model.spec, type(self.model.spec).__name__, said, cells, None)
        for state in self.seen:
            for action, key in state.after:
                level = levels.get(key)
                if level is None or level > state.level + 1:
                    found = (
                        "is not among the states" if level is None else f"is on level {level}, not {state.level + 1}"
                    )
                    name = self.program.action_names[action]
                    cells = self.model.layout.unpack(state.row[0])
                    raise culprit.difference(self.model.spec, name, f"its successor {found}", cells, None)

    def _beginning(self) -> dict[bytes, Cells]:
        """The initial states inside the constraints, by key."""
        rows = np.array([self.model.layout.pack(cells) for cells in self.initial], np.uint64)
        rows = rows.reshape(-1, self.program.words)
        inside = self.history.inside(rows) if self.program.constrained else np.ones(len(rows), bool)
        keys = self.history.keys(rows) if self.program.viewed else rows
        found = zip(keys, self.initial, inside, strict=True)
        return {key.tobytes(): cells for key, cells, within in found if within}

    def _levels_again(self, findings: Findings) -> None:
        """The levels and the new states of each action, computed again from the results of plain Python."""
        names = [*self.program.action_names, "no action"]
        new = dict.fromkeys(names, 0)
        levels: dict[int, list[SampledState]] = {}
        for state in self.seen:
            levels.setdefault(state.level, []).append(state)
        known = {state.key for state in levels.get(1, ())}
        new["no action"] = len(known)
        for level in range(1, len(levels) + 1):
            first: dict[bytes, int] = {}
            for state in levels[level]:
                for action, key in state.after:
                    if key not in known:
                        first[key] = min(action, first.get(key, action))
            known.update(first)
            for action in first.values():
                new[names[action]] += 1
            counted = len(levels.get(level + 1, ()))
            if counted != len(first):
                raise self._wrong(f"states of level {level + 1}: {counted:,} counted, {len(first):,} found again")
        for number, name in enumerate(names):
            counted = int(findings.totals[self.program.counters.first(number)])
            if counted != new[name]:
                raise self._wrong(f"new states by {name}: {counted:,} counted, {new[name]:,} found again")

    def _wrong(self, said: str) -> EverystateError:
        return EverystateError("E217", None, action=type(self.model.spec).__name__, reason=said)


def _named(model: Model, watch: Any) -> str:
    if watch.kind == "antecedent":
        left = model.antecedents[watch.index]
        return f"left side true in {left.property}, line {left.where.line}"
    return f"{watch.kind} {model.properties[watch.index].name}"


def after_search(
    check: CrossCheck,
    history: History,
    allowance: Allowance,
    findings: Findings,
    complete: bool,
    observer: Observer,
) -> CountCheck | None:
    """Compare initial states, states of each path and states of all levels, then the counts; what was compared, if
    anything.

    A sample of a level does not depend on time or on the number of workers. Which state is compared for a path or for a
    condition does, where several workers build a level.
    """
    if allowance.off:
        return None
    part = LEFT if findings.violated or temporal(check.spec) else 1.0
    again = CountCheck(check, history, history.depth - (not complete), observer)
    with allowance.running():

        def over(compared: int) -> bool:
            return compared > 0 and (allowance.over(part) or allowance.enough(compared))

        again.begin(allowance)
        again.wanted = min(allowance.nominal, history.distinct)
        again.take_paths(findings.paths, over)
        if allowance.nominal < history.distinct:
            again.take_conditions(allowance, over)
        for first, last in allowance.samples(history.distinct, again.some):
            again.wanted = min(allowance.number or last, history.distinct)
            if again.some and (over(again.some) or again.some == history.distinct):
                break
            answers = history.answers(first, last, check.idle)
            again.take(takewhile(lambda _: not over(again.some), answers))
        again.judge(findings)
    return again
