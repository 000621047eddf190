"""Runs the conformance checks of a matrix: compares variants with the real system.

The checker does not know the driver of the real system: a spec names it (language/conformance.py). All variants of one
release are submitted together, since a release needs a process of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...errors import EverystateError
from ...language.conformance import (
    DIFFERENT,
    INTERRUPTED,
    NOT_JUDGED,
    Answer,
    Conformance,
    ConformanceTools,
    Question,
    conformance_of,
)
from ...language.spec import Spec
from ...results.result import Violation
from ..runners.job import Job, Load, result_of
from .variants import Variant

ERROR = "error"
"""The verdict where the driver of the real system failed."""
Held = dict[str, list[Answer]]
"""The answers of each variant by its name, one for each release."""


@dataclass(frozen=True)
class ConformanceQuestion:
    """A question of a variant for one release."""

    variant: str
    conformance: Conformance
    release: str
    question: Question


def hold(variants: Sequence[Variant], load: Load, notify: Callable[[str], None] = lambda line: None) -> Held:
    """The outcomes of all variants that are to be compared with the real system, by release in the order of the matrix.

    After Ctrl-C the open ones are `interrupted`.
    """
    held: Held = {variant.name: [] for variant in variants}
    asked = [each for variant in variants for each in _asked(variant, load, held)]
    open_: dict[tuple[Conformance, str], list[ConformanceQuestion]] = {}
    for each in asked:
        open_.setdefault((each.conformance, each.release), []).append(each)
    stopped = False
    for (_, release), group in open_.items():
        answers = [Answer(release, INTERRUPTED, "Ctrl-C") for _ in group]
        if not stopped:
            notify(f"driving {len(group)} variant{'s' * (len(group) != 1)} on {release} ...")
            try:
                answers = _answers(group, load, notify)
            except KeyboardInterrupt:
                stopped = True
        for each, answer in zip(group, answers, strict=True):
            held[each.variant].append(answer)
    return held


def _asked(variant: Variant, load: Load, held: Held) -> list[ConformanceQuestion]:
    """The questions of a variant; those that cannot be asked are answered here."""
    wish = variant.conform
    if wish is None:
        return []
    try:
        spec = load(variant.target, variant.constants)
        conformance = conformance_of(type(spec))
        if conformance is None:
            statement = f"{type(spec).__name__} names nothing to compare it with"
            held[variant.name].append(Answer("the real thing", NOT_JUDGED, statement))
            return []
        releases = conformance.releases(wish.releases)
    except EverystateError as error:
        held[variant.name].append(Answer("the real thing", ERROR, error.what))
        return []
    given = wish.walks, wish.steps, wish.seed, wish.faults
    question = Question(variant.name, variant.target, variant.constants, *given)
    return [ConformanceQuestion(variant.name, conformance, release, question) for release in releases]


def _answers(group: Sequence[ConformanceQuestion], load: Load, notify: Callable[[str], None]) -> list[Answer]:
    first = group[0]
    try:
        means = ConformanceTools(load, violations, notify)
        return first.conformance.answers(first.release, [each.question for each in group], means)
    except EverystateError as error:
        return [Answer(first.release, ERROR, error.explain()) for _ in group]


def violations(spec: Spec) -> tuple[Violation, ...]:
    """The violations of a spec; the earlier check of the variant is reused."""
    return result_of(spec, Job(type(spec).__name__, type(spec).__name__, spec.constants))[0].violations


def wrong(answer: Answer, expected: str) -> str:
    """What differs from the expectation in an answer; "" where nothing does."""
    if expected:
        same = answer.verdict == expected
        return "" if same else f"{answer.against}: {answer.verdict}, it should be {expected} ({answer.statement})"
    if answer.verdict in (NOT_JUDGED, DIFFERENT, INTERRUPTED, ERROR):
        return f"{answer.against}: {answer.verdict}: {answer.statement}"
    return ""
