"""Makes a result from a search with z3: violations with replayed traces, and the sentence of the verdict."""

from __future__ import annotations

from collections.abc import Sequence

from ...backends.native.program import Watch
from ...backends.smt import BROKEN, FAULT, STUCK
from ...ir.traced import Model
from ...results.conditions import conditions_of, goals, temporal
from ...results.result import Result, Violation, checked, claimed, fails
from ...results.text import count
from ...results.verdict import Kind, Verdict
from .. import violations
from .search import Hit, Search


def violation_of(model: Model, target: str, hit: Hit) -> Violation:
    """A hit as a violation with its trace, replayed on the concrete spec."""
    keys = {FAULT: violations.FAULT, STUCK: violations.DEADLOCK}
    prop = None if hit.goal.key in keys else model.properties[hit.goal.index]
    kind = "error" if hit.goal.key == BROKEN else hit.goal.key
    watch = None if prop is None else Watch(kind, hit.goal.index, prop.term, hit.goal.error)
    return violations.violation(model, target, watch, keys.get(hit.goal.key, 0), hit.cells, 0)


def unreached(model: Model, search: Search) -> list[Violation]:
    """The goals that no state satisfies, known when no trace can be longer."""
    missing = [t for t in search.targets if t.name not in search.reached]
    return [Violation(t.name, Kind.UNREACHED, None, model.properties[t.index].text) for t in missing]


def conclude(model: Model, target: str, search: Search, violations: list[Violation]) -> Result:
    """The result of a search over one model."""
    said = violated(violations, search.question.properties) if violations else _said(search)
    waiting = {} if search.question.properties else temporal(model.spec)
    verdict = Verdict.PROVED if search.complete and not waiting else Verdict.BOUNDED
    verdict = Verdict.VIOLATED if violations else Verdict.UNDECIDED if search.stopped else verdict
    unseen = [] if verdict is Verdict.VIOLATED else [t.name for t in search.targets if t.name not in search.reached]
    steps = count(max(0, search.excluded), "step")
    unjudged = goals(unseen, f"no behaviour of up to {steps} reaches it, longer ones may") | waiting
    names = [g.name for g in search.goals if g.key not in (FAULT, STUCK, BROKEN)]
    return Result(
        target=target,
        constants=model.spec.constants,
        engine="z3",
        verdict=verdict,
        conditions=conditions_of(model.spec, unjudged=unjudged),
        distinct=0,
        generated=0,
        initial=0,
        depth=search.length + 1,
        seconds=search.clock.elapsed,
        violations=tuple(violations),
        remarks=model.remarks,
        vacuous=() if violations or search.stopped else search.vacuous(),
        held=() if violations or search.stopped else (*names, *search.reached),
        checked=checked(model.spec, search.question.deadlock),
        stopped=search.stopped,
        interrupted=search.interrupted,
        cross_checked=search.cross_check(),
        said=said,
        beyond="nothing is said of longer ones" if verdict is Verdict.BOUNDED and not search.complete else "",
        effort=search.effort,
        details={"depths": [{"steps": k, "seconds": round(at, 3)} for k, at in enumerate(search.depths)]},
    )


def violated(violations: list[Violation], asked: Sequence[str]) -> str:
    """The sentence on violations of least length."""
    end = "the search ended there" if violations[0].trace else "no behaviour can grow any more"
    what = ", ".join(asked) or "anything"
    return f"{', '.join(map(fails, violations))}; no shorter behaviour violates {what}, {end}"


def claims(search: Search) -> str:
    """What was looked for, as names."""
    names = list(dict.fromkeys(g.name for g in search.goals if g.key not in (FAULT, STUCK, BROKEN)))
    parts = [f"{claimed(search.models[0].spec, names)} {'holds' if len(names) == 1 else 'hold'}"] if names else []
    parts += ["no deadlock"] if any(g.key == STUCK for g in search.goals) else []
    parts += ["no action fails"] if any(g.key == FAULT for g in search.goals) else []
    return ", ".join(parts) or "nothing is violated"


def _said(search: Search) -> str:
    if search.stopped:
        done = f"{claims(search)} in all behaviours of up to {count(search.excluded, 'step')}"
        return f"{search.stopped}: {done if search.depths else 'nothing is proved'}"
    if search.complete:
        return f"{claims(search)}: no behaviour has more than {count(search.length, 'step')}"
    return f"{claims(search)} in all behaviours of up to {count(search.question.depth, 'step')}"
