"""From counters to a result: what was seen at which level, violations with traces, warnings, the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..backends.native import Compiled, Program, Watch
from ..backends.native.probe import Probe, blocking_guards, probe_of
from ..errors import Where
from ..ir.model import Model
from ..ir.tree import Fault, nodes
from ..language import marks
from ..language.state import State
from ..results.result import Result, Violation, checked, unjudged
from ..results.verdict import GRAVITY, ActionCoverage, Kind, Verdict
from . import growth, temporal
from .doublecheck import Allowance, Doublecheck
from .expansion import Words
from .history import History
from .memory import available, shown
from .observer import Observer
from .recount import after_search
from .replay import failing_step, make_trace, why_false
from .wording import plural

if TYPE_CHECKING:
    from .exhaustive import Exhaustive

FAULT, DEADLOCK = -1, -2
KINDS = {"invariant": Kind.INVARIANT, "step invariant": Kind.STEP_INVARIANT, "error": Kind.PROPERTY_ERROR}


def called(program: Program, key: int) -> str:
    """What a violation is called: a property, or what is wrong without any."""
    if key < 0:
        return "error" if key == FAULT else "deadlock"
    return program.model.properties[program.watches()[key].index].name


class Counted(Protocol):
    """A part of a search that counts: the counters of all its work so far."""

    @property
    def counters(self) -> Any: ...


class Findings:
    """What has been counted so far, and at which level each thing was first seen."""

    def __init__(self, program: Program, deadlock: bool) -> None:
        self.program, self.watches = program, program.watches()
        self.deadlock = deadlock and not program.model.spec.may_terminate
        self.totals = np.zeros(program.counters.size, np.uint64)
        self.first_seen: dict[int, int] = {}
        self.outside_states: Any = None
        self.beside = np.zeros(program.counters.size, np.uint64)

    @property
    def must_stop(self) -> bool:
        """Whether an action failed: there is no meaning in going on beyond that."""
        return FAULT in self.first_seen

    @property
    def violated(self) -> bool:
        """Whether anything is wrong so far."""
        return any(k < 0 or self.watches[k].kind in KINDS for k in self.first_seen)

    def ending(self, stop_early: bool) -> str:
        """Why a search ends before it has seen everything; empty when it goes on."""
        if self.must_stop:
            return "an action failed; what lies beyond it is not defined"
        return "stopped at the first violation" if stop_early and self.violated else ""

    def hits(self, watch: int) -> int:
        """How often a watch held."""
        return int(self.totals[self.program.counters.hits(watch)])

    def outside_initial(self, compiled: Compiled, states: Any) -> None:
        """Initial states outside a constraint are checked, though not explored."""
        self.outside_states = np.ascontiguousarray(states)
        self.beside[self.program.counters.outside] += np.uint64(len(states))
        if not len(states):
            return
        for k in range(len(self.program.state_watches)):
            hits = _flags(compiled, k, self.outside_states)
            self.beside[self.program.counters.hits(k)] += np.uint64(np.count_nonzero(hits))

    def level_done(self, parts: Sequence[Counted], level: int, observer: Observer, expanding: bool = False) -> None:
        """Take stock after the initial states (level 1) or after expanding a level."""
        self.totals = np.sum([part.counters for part in parts], axis=0, dtype=np.uint64) + self.beside
        counters, states = self.program.counters, len(self.program.state_watches)
        for k in range(len(self.watches)):
            if k not in self.first_seen and self.totals[counters.hits(k)]:
                self.first_seen[k] = level + 1 if expanding and k < states else level
                if self.watches[k].kind in KINDS:
                    observer.violation(called(self.program, k), self.first_seen[k])
        for key, counter, on in ((FAULT, counters.faults, True), (DEADLOCK, counters.deadlocks, self.deadlock)):
            if on and key not in self.first_seen and self.totals[counter]:
                self.first_seen[key] = level
                observer.violation(called(self.program, key), level)

    def masks(self) -> tuple[int, int]:
        """(groups of watches to evaluate on every new state, groups that have told all that they can).

        While a watch has never held, it did not hold in the predecessor either, so an action that writes
        nothing it reads cannot make it hold. Once a violation was seen, its states are counted one by one.
        """
        always = never = 0
        for g, group in enumerate(self.program.state_groups):
            kinds = [(self.watches[k].kind in KINDS, k in self.first_seen) for k in group.watches]
            always |= int(any(violates and seen for violates, seen in kinds)) << g
            never |= int(all(seen and not violates for violates, seen in kinds)) << g
        return always, never

    def coverage(self) -> dict[str, ActionCoverage]:
        """What each action did."""
        counters = self.program.counters
        return {
            name: ActionCoverage(
                *(int(self.totals[of(a)]) for of in (counters.enabled, counters.taken, counters.first))
            )
            for a, name in enumerate(self.program.action_names)
        }


def _flags(compiled: Compiled, watch: int, states: Any) -> Any:
    function, bit = compiled.flags(watch)
    found = np.zeros(len(states), np.uint64)
    function(states.ctypes.data, 0, 0, len(states), found.ctypes.data)
    return (found >> np.uint64(bit)) & np.uint64(1) == 1


class Tracing:
    """Builds the traces of all violations of a search in one walk through its history."""

    def __init__(self, search: Exhaustive, findings: Findings, history: History) -> None:
        self.search, self.findings, self.model = search, findings, search.model
        self.layout = search.model.layout
        self.history = history

    def violations(self) -> list[Violation]:
        """Every violated property once, the gravest first, then in the order of definition."""
        ends: list[tuple[int, int, Words, Words | None]] = []
        for key, level in sorted(self.findings.first_seen.items()):
            if key < 0 or self.findings.watches[key].kind in KINDS:
                ends.append((key, level, *self._end(key, level)))
        chains = self.history.behaviours([(level, state) for _, level, state, _ in ends])
        found: list[tuple[Any, Violation]] = []
        for (key, level, _, after), chain in zip(ends, chains, strict=True):
            words = [*chain, after] if after is not None else chain
            shown = self._violation(key, [self.layout.unpack(w) for w in words])
            found.append(((level, words[-1] if after is None else tuple(words[-2:])), shown))
        return once_each(found)

    def _end(self, key: int, level: int) -> tuple[Words, Words | None]:
        after: Words | None = None
        if key == FAULT:
            state = self.history.least_faulty(level)
        elif key == DEADLOCK:
            state = self.history.least_stuck(level)
        elif key >= len(self.search.program.state_watches):
            step = self.history.least_step(level, key)
            state, after = step if step is not None else (None, None)
        else:
            state = self.history.least_state(level, key)
            if state is None and level == 1:
                outside = self.findings.outside_states
                rows = outside[_flags(self.search.compiled, key, outside)]
                state = min(tuple(int(v) for v in row) for row in rows)
        assert state is not None, "a violation that was counted is not in the history"
        return state, after

    def _violation(self, key: int, cells: list[tuple[int, ...]]) -> Violation:
        return violation(self.model, self.search.target, self._watch(key), key, cells, self._count(key))

    def _watch(self, key: int) -> Watch | None:
        return self.findings.watches[key] if key >= 0 else None

    def _count(self, key: int) -> int:
        if key >= 0:
            return self.findings.hits(key)
        counters = self.search.program.counters
        return int(self.findings.totals[counters.faults if key == FAULT else counters.deadlocks])


def violation(
    model: Model, target: str, watch: Watch | None, key: int, cells: list[tuple[int, ...]], count: int
) -> Violation:
    """A violation with its trace, replayed on the concrete spec."""
    spec, last = model.spec, State(model.spec.domains, cells[-1])
    if watch is None and key == DEADLOCK:
        text = "no action is enabled"
        trace = make_trace(spec, target, cells, shows="deadlock", kind=Kind.DEADLOCK.value, explanation=text)
        return Violation("deadlock", Kind.DEADLOCK, trace, text, None, count)
    if watch is None:
        failed = failing_step(spec, last, *_suspect(model))
        from ..language.concrete import label

        name, text = label(failed.action, failed.choices), failed.error.what
        trace = make_trace(spec, target, cells, shows="error", kind=Kind.ERROR.value, explanation=text, failing=name)
        return Violation("error", Kind.ERROR, trace, text, failed.error, count)
    prop, kind = model.properties[watch.index], KINDS[watch.kind]
    before = State(spec.domains, cells[-2]) if prop.kind == marks.STEP_INVARIANT else None
    witness, error = why_false(spec, prop.name, last, before)
    text = error.what if error else prop.text or "it is false"
    trace = make_trace(
        spec,
        target,
        cells,
        shows=prop.name,
        kind=kind.value,
        explanation=text,
        witness=witness,
    )
    return Violation(prop.name, kind, trace, text, error, count)


def _suspect(model: Model) -> tuple[str, Where | None]:
    """The error that tracing is most likely to have seen wrongly: an exception of Python, else the first."""
    found = [n.error for a in model.actions for n in nodes(a.tree) if isinstance(n, Fault)]
    error = min(found, key=lambda e: e.code != "E308")
    return error.what, error.where


def once_each(found: list[tuple[Any, Violation]]) -> list[Violation]:
    """Of each property and kind the violation of least rank, the gravest kind first.

    A property that can fail to evaluate in several places has a violation for each; together they are one, and no
    state is counted twice, since evaluating ends at the first failure.
    """
    best: dict[tuple[str, Kind], tuple[Any, Violation]] = {}
    counts: dict[tuple[str, Kind], int] = {}
    for rank, item in found:
        name = (item.property, item.kind)
        counts[name] = counts.get(name, 0) + item.states
        if name not in best or rank < best[name][0]:
            best[name] = (rank, item)
    told = [replace(item, states=counts[name]) for name, (_, item) in best.items()]
    return sorted(told, key=lambda v: GRAVITY.index(v.kind))


def conclude(
    search: Exhaustive,
    findings: Findings,
    initial: int,
    seconds: float,
    interrupted: bool,
    history: History | None = None,
) -> Result:
    """The result of a search; `history` says where its levels are, if not in its store."""
    alone, properties = history is None, temporal.of_spec(search.model.spec)
    history = history or History(search.compiled, search.store, search.levels, search.unfinished)
    complete = not search.stopped
    probes = _probes(search.model, findings) if complete else {}
    check = Doublecheck(search.program, history, probes)
    after_search(check, history, Allowance(search.limits.doublecheck, seconds, search.limits.twice), findings, complete)
    violations = Tracing(search, findings, history).violations() if findings.violated else []
    check.compare_cells(state.cells for v in violations if v.trace for state in v.trace.states)
    if properties and alone and not search.stopped:
        search.stopped = _too_large(history, findings)
    complete = not search.stopped
    if properties and alone and complete and history.distinct:
        search.observer.phase("judging temporal properties")
        broken = [v.property for v in violations]
        violations += temporal.violations(search.model, search.target, history, broken, search.limits)
    if complete:
        violations += unreached(search.model, findings)
    program, totals = search.program, findings.totals
    failed = {v.property for v in violations}
    kinds = (marks.INVARIANT, marks.STEP_INVARIANT, marks.REACHABLE, *(marks.TEMPORAL if alone else ()))
    names = [p.name for p in search.model.of_kind(*kinds)]
    warned = warnings(search, findings, history, probes if complete else None)
    verdict = Verdict.VIOLATED if violations else Verdict.PROVED if complete else Verdict.UNDECIDED
    grows = _growing(search.model, history) if verdict is Verdict.UNDECIDED else ""
    return Result(
        target=search.target,
        constants=search.model.spec.constants,
        engine="native",
        verdict=verdict,
        distinct=history.distinct,
        generated=int(totals[program.counters.generated]) + initial,
        initial=initial,
        depth=history.depth,
        seconds=seconds,
        bytes_per_state=history.bytes / max(1, history.distinct),
        violations=tuple(violations),
        warnings=(*warned, *(() if alone else unjudged(search.model.spec))),
        coverage=findings.coverage(),
        held=tuple(n for n in names if n not in failed) if complete else (),
        checked=checked(search.model.spec, findings.deadlock, temporal=alone),
        stopped=search.stopped,
        growing=grows,
        interrupted=interrupted,
        doublechecked=check.count,
    )


def _growing(model: Model, history: History) -> str:
    """Which variables took new values to the end, as text."""
    half = range(1, max(1, history.depth // 2) + 1)
    early, late = (
        history.extremes(model.layout, levels) for levels in (half, range(max(1, history.depth), history.last + 1))
    )
    return growth.growing(model.spec.domains, early, late)


def _too_large(history: History, findings: Findings) -> str:
    """Why the graph of all steps cannot be built; nothing when it can."""
    need = temporal.memory(history.distinct, int(findings.totals[findings.program.counters.generated]))
    if need <= 0.85 * available():
        return ""
    return f"temporal properties need {shown(need)} for the graph of all steps"


def unreached(model: Model, findings: Findings) -> list[Violation]:
    """The goals that no reachable state satisfies."""
    found = []
    for k, watch in enumerate(findings.watches):
        if watch.kind == "reachable" and k not in findings.first_seen:
            prop = model.properties[watch.index]
            found.append(Violation(prop.name, Kind.UNREACHED, None, prop.text or "no reachable state satisfies it"))
    return found


def warnings(search: Exhaustive, findings: Findings, history: History, probes: Mapping[str, Probe] | None) -> list[str]:
    """What a green verdict might hide; only a complete search has probes."""
    model, found = search.model, list[str]()
    if probes is not None:
        found += _idle_actions(probes, history) + _vacuous_implications(model, findings)
    outside = int(findings.totals[findings.program.counters.outside])
    if outside:
        names = ", ".join(p.name for p in model.of_kind(marks.CONSTRAINT))
        found.append(
            f"the constraint {names} cut off {plural(outside, 'successor')}: nothing is proved of what lies beyond them"
        )
    if model.view:
        found.append("states with equal views were explored once: the verdict holds if the view keeps all that matters")
    return found


def _probes(model: Model, findings: Findings) -> dict[str, Probe]:
    """What counts why each action was never enabled that was not."""
    return {name: probe_of(model, name) for name, seen in findings.coverage().items() if not seen.enabled}


def _idle_actions(probes: Mapping[str, Probe], history: History) -> list[str]:
    """Actions that were never enabled, with the guards that stopped them."""
    found = []
    for name, probe in probes.items():
        stops = [
            f"line {where.line}: {where.source} (stopped {count:,} attempts)"
            for where, count in blocking_guards(probe, history.guards(probe))
        ]
        found.append("; ".join([f"action {name} was never enabled", *stops]))
    return found


def _vacuous_implications(model: Model, findings: Findings) -> list[str]:
    found = []
    for k, watch in enumerate(findings.watches):
        if watch.kind == "antecedent" and k not in findings.first_seen:
            antecedent = model.antecedents[watch.index]
            found.append(
                f"{antecedent.property} holds vacuously at line {antecedent.where.line}: the left side of "
                f"`{antecedent.where.source}` was never true"
            )
    return found
