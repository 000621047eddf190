"""Partial-order reduction: which specs it is for, and its tables.

`ir.stubborn` has the theorem. It covers invariants, goals, properties of steps, refinements, errors, deadlocks,
constraints and action constraints. It does not cover what is said of whole behaviours, nor states that are
identified by less than all their cells.
"""

from __future__ import annotations

from ..errors import EverystateError
from ..ir.model import Model
from ..ir.stubborn import Reduction, reduction
from ..language import marks
from ..language.declarations import method_name, method_place
from ..language.symmetry import sets_of


def planned(model: Model) -> Reduction:
    """The reduction of a model; E141 where it would not be sound."""
    spec, name = model.spec, type(model.spec).__name__
    for prop in spec.properties:
        if prop.kind in (*marks.TEMPORAL, marks.VIEW):
            view = "a view, which takes different states for one"
            reason = f"{prop.name} is {view if prop.kind == marks.VIEW else f'{_article(prop.kind)} property'}"
            place = method_place(getattr(type(spec), method_name(prop.name)))
            raise EverystateError("E141", place, spec=name, reason=reason)
    for values in sets_of(spec):
        raise EverystateError("E141", None, spec=name, reason=f"{values} are interchangeable values")
    return reduction(model)


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} `{kind}`"
