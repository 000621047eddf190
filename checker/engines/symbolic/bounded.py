"""Bounded checks with z3: the first violation at the least depth, or none within a number of steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...backends.smt import FAULT, STUCK, own_context
from ...errors import EverystateError, suggestion
from ...ir.traced import Model
from ...language import marks
from ...results.result import Result
from ...results.text import count
from ...results.trace import Trace
from ...results.verdict import Verdict
from ..observer import Observer, Silent
from ..refined_initial_states import with_beginnings
from ..replay import make_trace
from ..violations import once_each
from . import report
from .search import Question, Search


def check_names(model: Model, names: Sequence[str], engine: str = "z3", goals: bool = True) -> None:
    """E511 for a name that is no property, E136 for one that an engine does not check, without `goals` also for
    goals."""
    bounds = (marks.CONSTRAINT, marks.ACTION_CONSTRAINT, marks.VIEW)
    kinds = {p.name: p.kind for p in model.properties if p.kind not in bounds} | {FAULT: FAULT, STUCK: STUCK}
    for name in names:
        if name not in kinds:
            facts = {"suggestion": suggestion(name, list(kinds)), "names": ", ".join(kinds)}
            raise EverystateError("E511", None, spec=type(model.spec).__name__, name=name, **facts)
        if kinds[name] in marks.TEMPORAL:
            raise EverystateError("E136", None, what=f"{name} is a temporal property", engine=engine)
        if kinds[name] == marks.REACHABLE and not goals:
            raise EverystateError("E136", None, what=f"{name} is a goal", engine=engine)


@own_context()
def check(model: Model, question: Question, observer: Observer | None = None, target: str = "") -> Result:
    """Look for violations in traces of at most so many steps; see Result for what the verdict proves."""
    check_names(model, question.properties)
    name = target or type(model.spec).__name__
    search = Search([model], question, observer or Silent())
    hits = search.first()
    violations = once_each([((hit.length, hit.cells), report.violation_of(model, name, hit)) for hit in hits])
    violations = with_beginnings(model.spec, name, violations, question.properties)
    violations = [v for v in violations if v.length == min(found.length or 0 for found in violations)]
    if search.complete and not violations:
        violations += report.unreached(model, search)
    return report.conclude(model, name, search, violations)


@own_context()
def reach(
    model: Model, name: str, question: Question, observer: Observer | None = None, target: str = ""
) -> tuple[Result, Trace | None]:
    """The shortest path to a state in which a property (@reachable or @invariant) holds."""
    check_names(model, [name])
    search = Search([model], replace(question, properties=(name,)), observer or Silent())
    search.goals, search.targets = [search.system.wanted(name)], []
    hits, called = search.first(), target or type(model.spec).__name__
    result = report.conclude(model, called, search, [])
    if not hits:
        where = "in any reachable state" if search.complete else f"within {count(search.excluded, 'step')}"
        said = f"{name} never holds {where}" if search.depths else "nothing is known"
        stopped = f"{search.stopped}: " if search.stopped else ""
        return replace(result, held=(), said=f"{stopped}{said}", beyond=""), None
    said = f"{name} in {count(hits[0].length, 'step')} (shortest)"
    trace = make_trace(model.spec, called, hits[0].cells)
    details = {**result.details, "reached": {"what": name, "length": hits[0].length}}
    return replace(result, verdict=Verdict.REACHED, held=(), said=said, beyond="", details=details), trace
