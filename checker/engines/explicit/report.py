"""Makes the result from the counters: first levels, violations with traces, warnings, the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any, Protocol

from ...backends.native import Compiled, Program, Watch
from ...backends.native.probe import Probe, blocking_guards, probe_of
from ...ir.traced import Model
from ...language import marks
from ...language.spec import Spec
from ...language.symmetry import sets_of
from ...results.conditions import Conditions, conditions_of, temporal
from ...results.result import Result, Violation, checked
from ...results.verdict import Kind, Verdict
from ..crosscheck.allowance import Allowance
from ..crosscheck.crosscheck import CrossCheck
from ..crosscheck.verdict_check import confirm
from ..expansion import Words
from ..limits import Limits
from ..memory import available, shown
from ..observer import Observer
from ..refined_initial_states import with_beginnings
from ..vacuity import ends_early, never_enabled, never_true, pruned
from ..violations import DEADLOCK, FAULT, KINDS, once_each, violation
from . import balance, growth
from .count_check import after_search
from .findings import Findings, flags
from .history import History
from .never_happened import never_happened
from .store import Ranges, Store


class Search(Protocol):
    """A search that has ended, as input of its result: the levels in its store, and why it stopped early if it did."""

    model: Model
    limits: Limits
    observer: Observer
    target: str
    program: Program
    compiled: Compiled
    store: Store
    levels: list[Ranges]
    unfinished: Ranges
    stopped: str


class Tracing:
    """Builds the traces of all violations of a search in one walk through its history."""

    def __init__(self, search: Search, findings: Findings, history: History) -> None:
        self.search, self.findings, self.model = search, findings, search.model
        self.layout = search.model.layout
        self.history = history

    def violations(self) -> list[Violation]:
        """One violation for each violated property, the gravest first, then in the order of definition."""
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
                rows = outside[flags(self.search.compiled, key, outside)]
                state = min(tuple(int(v) for v in row) for row in rows)
        assert state is not None, "a violation that was counted is not in the history"
        return state, after

    def _violation(self, key: int, cells: list[tuple[int, ...]]) -> Violation:
        return violation(self.model, self.search.target, self._watch(key), key, cells, *self._count(key))

    def _watch(self, key: int) -> Watch | None:
        return self.findings.watches[key] if key >= 0 else None

    def _count(self, key: int) -> tuple[int, bool]:
        if key >= 0:
            return self.findings.hits(key), self.findings.beyond(key)
        counters = self.search.program.counters
        return int(self.findings.totals[counters.faults if key == FAULT else counters.deadlocks]), False


def conclude(
    search: Search,
    findings: Findings,
    initial: int,
    seconds: float,
    interrupted: bool,
    history: History | None = None,
) -> Result:
    """The result of a search. `history` has its levels, if they are not in its store."""
    alone, waiting, vacuously = history is None, temporal(search.model.spec), list[str]()
    unjudged = {} if alone else waiting
    history = history or History(search.compiled, search.store, search.levels, search.unfinished)
    complete = not search.stopped
    probes = _probes(search.model, findings) if complete else {}
    check = CrossCheck(search.program, history, probes)
    limits = search.limits
    allowance = Allowance(limits.cross_check, limits.stopwatch, limits.cross_check_seconds)
    searched, compared = not interrupted, None
    try:
        compared = after_search(check, history, allowance, findings, complete, search.observer)
    except KeyboardInterrupt:  # the states searched remain valid and are reported as such
        search.stopped, interrupted = "interrupted", True
    if searched:
        balance.check(findings, history, initial, complete, dropping=not (alone or complete))
    stopwatch = limits.stopwatch
    with stopwatch.measuring("traces") if findings.violated else nullcontext():
        violations = Tracing(search, findings, history).violations() if findings.violated else []
    violations = with_beginnings(search.model.spec, search.target, violations)
    with allowance.running():
        for found in violations if not allowance.off else ():
            check.compare_trace(found.trace.states if found.trace else (), allowance)
    if waiting and alone and not search.stopped:
        search.stopped = _too_large(history, findings)
    complete = not search.stopped
    if waiting and alone and complete and history.distinct:
        from ..temporal import liveness

        search.observer.phase("judging temporal properties")
        broken = [v.property for v in violations]
        try:
            with stopwatch.measuring("liveness"):
                judged = liveness.violations(
                    search.program, search.target, history, broken, allowance, findings.steps, search.observer
                )
            violations += judged.violations
            unjudged, vacuously = judged.vacuous, judged.never
        except KeyboardInterrupt:
            search.stopped, interrupted = "interrupted", True
    complete = not search.stopped
    if complete:
        violations += unreached(search.model, findings)
    program, totals = search.program, findings.totals
    failed = {v.property for v in violations}
    kinds = (marks.INVARIANT, marks.STEP_INVARIANT, marks.REACHABLE, *(marks.TEMPORAL if alone else ()))
    names = [p.name for p in search.model.of_kind(*kinds)]
    vacuous = _idle_actions(probes, history) + _vacuous_implications(search.model, findings) if complete else []
    if complete:
        vacuous += never_happened(search.model, history, findings.coverage())
        ended = int(findings.totals[search.program.counters.deadlocks])
        vacuous += [] if violations else ends_early(findings.coverage(), history.depth, ended, history.distinct)
    vacuous += vacuously
    verdict = Verdict.VIOLATED if violations else Verdict.PROVED if complete and not unjudged else Verdict.UNDECIDED
    grows = "" if violations or complete else _growing(search.model, history)
    result = Result(
        target=search.target,
        constants=search.model.spec.constants,
        engine="native",
        verdict=verdict,
        conditions=conditions(search, findings, unjudged),
        distinct=history.distinct,
        generated=int(totals[program.counters.generated]) + initial,
        initial=initial,
        depth=history.depth,
        seconds=seconds,
        bytes_per_state=history.bytes / max(1, history.distinct),
        violations=tuple(violations),
        remarks=(*search.model.spec._without_instances(), *_without_fairness(search.model.spec, alone)),
        vacuous=(*search.model.notes, *vacuous),
        coverage=findings.coverage(),
        held=tuple(n for n in names if n not in failed | unjudged.keys()) if complete else (),
        checked=checked(search.model.spec, findings.deadlock, alone),
        stopped=search.stopped,
        growing=grows,
        interrupted=interrupted,
        cross_checked=check.count,
        paths=compared.path_coverage(findings.paths) if compared is not None else None,
    )
    if compared is not None and not interrupted:
        exact = compared.whole_space and complete and not search.program.viewed
        confirm(search.model.spec, result, compared.sampled(), exact, findings.deadlock)
    return result


def _without_fairness(spec: Spec, alone: bool) -> list[str]:
    """A warning where temporal properties are checked without any fairness."""
    if not (alone and temporal(spec)):
        return []
    from ..temporal import liveness

    return liveness.without_fairness(spec)


def symmetry_of(model: Model) -> list[str]:
    """The permutations of the symmetry reduction, as text; none without it."""
    used = bool(model.view) and not model.spec._named(marks.VIEW)
    return [f"permutations of {name}" for name in sets_of(model.spec)] if used else []


def _growing(model: Model, history: History) -> str:
    """Which variables took new values to the end, as text."""
    half = range(1, max(1, history.depth // 2) + 1)
    early, late = (
        history.extremes(model.layout, levels) for levels in (half, range(max(1, history.depth), history.last + 1))
    )
    return growth.growing(model.spec.domains, early, late)


def _too_large(history: History, findings: Findings) -> str:
    """Why the graph of all steps cannot be built; empty when it can."""
    from ..temporal.graph import memory

    program = findings.program
    need = memory(history.distinct, int(findings.totals[program.counters.generated]), program.words)
    if need <= 0.85 * available():
        return ""
    return f"temporal properties need {shown(need)} for the graph of all steps"


def unreached(model: Model, findings: Findings) -> list[Violation]:
    """The goals that no reachable state satisfies."""
    found = []
    for k, watch in enumerate(findings.watches):
        if watch.kind == "reachable" and k not in findings.first_seen:
            prop = model.properties[watch.index]
            found.append(Violation(prop.name, Kind.UNREACHED, None, prop.text or "some reachable state satisfies it"))
    return found


def conditions(search: Search, findings: Findings, unjudged: Mapping[str, str]) -> Conditions:
    """What the verdict depends on."""
    counter = findings.program.counters.outside
    outside, beside = int(findings.totals[counter]), int(findings.beside[counter])
    return conditions_of(
        search.model.spec,
        merging=True,
        permutations=tuple(symmetry_of(search.model)),
        pruned=pruned(outside - beside, beside),
        unjudged=unjudged,
    )


def _probes(model: Model, findings: Findings) -> dict[str, Probe]:
    """A probe for each action that was never enabled, which counts what stopped it."""
    return {name: probe_of(model, name) for name, seen in findings.coverage().items() if not seen.enabled}


def _idle_actions(probes: Mapping[str, Probe], history: History) -> list[str]:
    """Actions that were never enabled, with the guards that stopped them."""
    found = []
    for name, probe in probes.items():
        stops = [
            f"line {where.line}: {where.source} (stopped {count:,} attempt{'' if count == 1 else 's'})"
            for where, count in blocking_guards(probe, history.guards(probe))
        ]
        found.append(never_enabled(name, stops=stops))
    return found


def _vacuous_implications(model: Model, findings: Findings) -> list[str]:
    found = []
    for k, watch in enumerate(findings.watches):
        if watch.kind == "antecedent" and k not in findings.first_seen:
            antecedent = model.antecedents[watch.index]
            found.append(never_true(antecedent.property, antecedent.where))
    return found
