"""What a proof takes from traced models."""

from __future__ import annotations

from dataclasses import replace

from ...frontend.tracer import Tracer
from ...ir.expr import Expr
from ...ir.traced import Model
from ...language import marks


def without_temporal(model: Model) -> Model:
    """The model without temporal properties. Their number depends on parameter values, and only where all choices of
    constants have the same properties in the same places does one of them represent all."""
    return replace(model, properties=tuple(p for p in model.properties if p.kind not in marks.TEMPORAL))


def lemma_terms(model: Model) -> list[Expr]:
    """The @lemma methods of a spec as terms; each holds only where it can be evaluated."""
    lemmas = [prop for prop in model.spec.properties if prop.kind == marks.LEMMA]
    if not lemmas:
        return []
    tracer, found = Tracer(model.spec), []
    for prop in lemmas:
        term, errors = tracer.condition(prop.name)
        found.append(tracer.pool.and_([term, *(tracer.pool.not_(error) for error, _ in errors)]))
    return found
