"""Proves the lemmas that `prove --lemmas` has written for one and two more interchangeable values as well."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import EverystateError
from ..language.spec import Spec
from ..language.symmetry import sets_of
from .targets import resolve

if TYPE_CHECKING:
    from ..engines.symbolic.search import Question

SECONDS = 30.0
"""The time for each size."""


def size_of(spec: Spec) -> str:
    """The constant that says how many interchangeable values there are; empty where that is not one constant."""
    numbers = list(sets_of(spec).values())
    if len(numbers) != 1 or len(numbers[0]) != 1:
        return ""
    names = [name for name, value in spec.constants.items() if type(value) is int and value == numbers[0][0]]
    return names[0] if len(names) == 1 else ""


def inductive_sizes(file: Path, spec: Spec, question: Question) -> str:
    """A sentence: for how many values the lemmas in a file are inductive; empty where nothing can be said."""
    name = size_of(spec)
    if not name:
        return ""
    first, proved = spec.constants[name], list[str]()
    for number in range(first, first + 3):
        if not _inductive(f"{file}:{type(spec).__name__}WithLemmas", {**spec.constants, name: number}, question):
            break
        proved.append(str(number))
    return f"the lemmas alone prove it with {name} = {', '.join(proved)}" if len(proved) > 1 else ""


def _inductive(target: str, constants: dict[str, object], question: Question) -> bool:
    """Whether the lemmas of a spec are inductive and exclude every violation."""
    from ..engines.symbolic import inductive
    from ..frontend import model

    seconds = SECONDS if question.seconds is None else min(SECONDS, question.seconds)
    try:
        found = inductive.prove(model.build(resolve(target).spec(constants)), replace(question, seconds=seconds))
    except EverystateError:
        return False
    mined = any(lemma.mined for lemma in found.used)
    return not found.result.stopped and not found.obstacles and not found.dropped and not mined
