"""Open constants: one search over all their values.

Constants may change the shape of the state and the control flow of actions, so a model is traced for each choice of
values. Their cells are united by path, and their leaves where these are the same formula; one variable selects the
model. So z3 sees one transition system with frozen constants, and learns for all choices at once. Choices that an
@assumption refuses are left out.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...backends.smt import Stopped, own_context
from ...errors import EverystateError
from ...frontend import model as ir
from ...ir.traced import Model
from ...language import marks
from ...language.spec import Spec
from ...results.conditions import goals, temporal
from ...results.plain import show_constants
from ...results.result import Result, Violation, fails
from ...results.text import count
from ...results.verdict import Verdict
from ..observer import Observer, Silent, unheard
from ..violations import once_each
from .attempt import Help
from .bounded import check_names
from .decide import Attempt
from .models import without_temporal
from .report import claims, conclude, violation_of
from .search import Hit, Question, Search

Choice = dict[str, int]
ENGINE = "a proof with open constants"


@dataclass(frozen=True)
class OpenConstantsResult:
    """The result for open constants: the violating choices (with names and length), and the rest.

    `complete` says that every violating choice is listed (up to the depth); otherwise only the first ones are.
    """

    result: Result
    violating: tuple[tuple[Choice, tuple[str, ...], int], ...]
    safe: tuple[Choice, ...]
    complete: bool

    @property
    def relation(self) -> str:
        """The safe choices as an inequality x <= y + c of two constants, where that says exactly the same."""
        if not self.complete or not self.safe or not self.violating:
            return ""
        names = list(self.safe[0])
        for x, y in itertools.permutations(names, 2):
            most = max(c[x] - c[y] for c in self.safe)
            if all(c[x] - c[y] > most for c, _, _ in self.violating):
                return f"{x} <= {y}" + (f" + {most}" if most > 0 else f" - {-most}" if most else "")
        return ""

    @property
    def boundary(self) -> dict[str, Any]:
        """The choices for the JSON report; `safe` are those without a violation as far as was searched."""
        return {
            "complete": self.complete,
            "violating": [{"constants": c, "properties": list(p), "length": n} for c, p, n in self.violating],
            "safe": list(self.safe),
            "relation": self.relation,
        }


def choices(ranges: Mapping[str, range]) -> Iterator[Choice]:
    """Every choice of values."""
    for values in itertools.product(*ranges.values()):
        yield dict(zip(ranges, values, strict=True))


def trace_all(
    make: Callable[[Choice], Spec], ranges: Mapping[str, range], on_progress: Callable[[int, int], None] = unheard
) -> list[tuple[Choice, Model]]:
    """A model for each choice that the assumptions allow in the spec from `make`; E112 when they allow none.

    `on_progress` gets how many choices are done, and of how many.
    """
    found: list[tuple[Choice, Model]] = []
    refused: EverystateError | None = None
    number = math.prod(map(len, ranges.values()))
    for done, choice in enumerate(choices(ranges)):
        on_progress(done, number)
        try:
            found.append((choice, ir.build(make(choice))))
        except EverystateError as error:
            if error.code != "E112":
                raise
            refused = error
    if not found and refused is not None:
        raise refused
    return found


@own_context()
def check(
    traced: Sequence[tuple[Choice, Model]],
    question: Question,
    boundary: bool = False,
    observer: Observer | None = None,
    target: str = "",
) -> OpenConstantsResult:
    """Look for violating choices: the first ones of least depth, or with `boundary` all of them up to the depth."""
    traced = _judged(traced, question)
    search = Search([model for _, model in traced], question, observer or Silent())
    search.targets = []
    seen = search.all() if boundary else _by_model(search.first())
    found = dict(sorted(seen.items(), key=lambda item: (item[1][0].length, item[0])))
    violating = [(traced[m][0], tuple(h.goal.name for h in hits), hits[0].length) for m, hits in found.items()]
    safe = [choice for m, (choice, _) in enumerate(traced) if m not in found]
    complete = not search.stopped and (boundary or not found)
    result = _without_goals(_result(traced, search, found, target), traced, question)
    opened = OpenConstantsResult(result, tuple(violating), tuple(safe), complete)
    return replace(opened, result=replace(result, details={**result.details, "boundary": opened.boundary}))


@own_context()
def decide(
    traced: Sequence[tuple[Choice, Model]],
    question: Question,
    observer: Observer | None = None,
    target: str = "",
    help: Help | None = None,
) -> OpenConstantsResult:
    """Prove the properties for any number of steps and all choices at once, or find violating choices."""
    judged = _judged(traced, question)
    name = target or type(traced[0][1].spec).__name__
    attempt = Attempt([model for _, model in traced], question, observer or Silent(), name, help or Help())
    attempt.reaching = False
    constants = {**traced[0][1].spec.constants, **_shown(traced)}
    known = {m: violations for m in range(len(traced)) if (violations := attempt.violations(m))}
    try:
        if known:
            return _explored(traced, attempt, known, constants, question)
        answer = attempt.invariant() if attempt.complete else attempt.run()
    except (Stopped, KeyboardInterrupt) as end:
        attempt.end()
        stop = end if isinstance(end, Stopped) else Stopped("interrupted", interrupted=True)
        result = attempt.crosschecked(replace(attempt.stopped(stop), constants=constants))
        return OpenConstantsResult(_without_goals(result, traced, question), (), (), False)
    if isinstance(answer, list):
        found = _by_model(answer)
        result = _without_goals(_result(judged, attempt.search, found, name), traced, question)
        violating = [(traced[m][0], tuple(h.goal.name for h in hits), hits[0].length) for m, hits in found.items()]
        return OpenConstantsResult(result, tuple(violating), (), not found)
    waiting = {} if question.properties else temporal(traced[0][1].spec)
    said = attempt.claimed(f" for all {count(len(traced), 'choice')} of {', '.join(_shown(traced))}")
    verdict = Verdict.UNDECIDED if waiting else Verdict.PROVED
    more = {"held": tuple(attempt.names), "vacuous": attempt.vacuous(answer)}
    result = attempt.result(verdict, said, waiting, how=attempt.how(answer), **more)
    result = _without_goals(attempt.crosschecked(replace(result, constants=constants)), traced, question)
    return OpenConstantsResult(result, (), tuple(choice for choice, _ in traced), True)


def _explored(
    traced: Sequence[tuple[Choice, Model]],
    attempt: Attempt,
    known: Mapping[int, Sequence[Violation]],
    constants: dict[str, Any],
    question: Question,
) -> OpenConstantsResult:
    """The violations in explored states; complete where these are all states of all choices."""
    order = sorted(known, key=lambda m: (known[m][0].length or 0, m))
    first = order[0]
    result = attempt.violated(known[first])
    more = f"; {len(known)} of {count(len(traced), 'choice')} of the open constants violate something"
    said = f"{', '.join(map(fails, known[first]))} for {show_constants(traced[first][0])}"
    said += more if len(known) > 1 else "; no shorter behaviour does"
    result = attempt.crosschecked(replace(result, constants=constants, said=said))
    result = _without_goals(result, traced, question)
    violating = [(traced[m][0], tuple(v.property for v in known[m]), known[m][0].length or 0) for m in order]
    safe = tuple(choice for m, (choice, _) in enumerate(traced) if m not in known)
    complete = all(m in known or explored.complete for m, explored in enumerate(attempt.explored))
    return OpenConstantsResult(result, tuple(violating), safe, complete)


def _judged(traced: Sequence[tuple[Choice, Model]], question: Question) -> list[tuple[Choice, Model]]:
    """The models with the properties to check; E511 and E136 for others."""
    check_names(traced[0][1], question.properties, ENGINE, goals=False)
    for name in traced[0][1].spec._refinements:
        raise EverystateError("E136", None, what=f"{name} is a refinement", engine=ENGINE)
    return [(choice, without_temporal(model)) for choice, model in traced]


def _without_goals(result: Result, traced: Sequence[tuple[Choice, Model]], question: Question) -> Result:
    """The result with the goals as not checked, unless properties were named."""
    if question.properties:
        return result
    names = traced[0][1].spec._named(marks.REACHABLE)
    unjudged = goals(names, f"{ENGINE} does not say whether it is reached") | dict(result.conditions.unjudged)
    return replace(result, conditions=replace(result.conditions, unjudged=unjudged))


def _by_model(hits: Sequence[Hit]) -> dict[int, list[Hit]]:
    found: dict[int, list[Hit]] = {}
    for hit in hits:
        found.setdefault(hit.model, []).append(hit)
    return found


def _result(traced: Sequence[tuple[Choice, Model]], search: Search, found: dict[int, list[Hit]], target: str) -> Result:
    """The result for all choices; the traces are those of the first violating choice."""
    model = traced[0][1]
    name = target or type(model.spec).__name__
    constants = {**model.spec.constants, **_shown(traced)}
    for m, hits in found.items():
        violations = once_each([((hit.length, hit.cells), violation_of(traced[m][1], name, hit)) for hit in hits])
        result = conclude(model, name, search, violations)
        said = f"{', '.join(map(fails, violations))} for {show_constants(traced[m][0])}"
        more = f"; {len(found)} of {count(len(traced), 'choice')} of the open constants violate something"
        more = more if len(found) > 1 else "; no shorter behaviour does"
        return replace(result, constants=constants, said=f"{said}{more}")
    result = conclude(model, name, search, [])
    steps = count(search.excluded, "step")
    choices_of = f"all {count(len(traced), 'choice')} of {', '.join(_shown(traced))}"
    said = f"{claims(search)} for {choices_of} in all behaviours of up to {steps}"
    said = said if search.depths else "nothing is proved"
    said = f"{search.stopped}: {said}" if search.stopped else said
    longer = "; no behaviour is longer" if search.complete else ""
    return replace(result, constants=constants, said=f"{said}{longer}")


def _shown(traced: Sequence[tuple[Choice, Model]]) -> dict[str, str]:
    names = list(traced[0][0])
    return {n: f"{min(c[n] for c, _ in traced)}..{max(c[n] for c, _ in traced)}" for n in names}
