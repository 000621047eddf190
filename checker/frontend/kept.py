"""Caches traced specs on disk: an unchanged spec is not traced again.

A cache entry is found by the content of the spec. Only large specs have one: others are traced in a tenth of a second,
and a model that was made now is that of the spec. An entry holds the terms as rows, parts before wholes, and the rest
of the model with references to them, so that nothing in it is deeply nested.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..cache import ours, store, stored
from ..ir.expr import Expr, Pool, subterms
from ..ir.traced import Model
from ..ir.tree import nodes, terms
from ..language.content import place_of
from ..language.spec import Spec

LEAST = 1000
"""Terms of a model from which on it is stored: tracing takes 0.1 s or more."""


def traced(spec: Spec, on_progress: Callable[[int, int], None] = lambda done, total: None) -> Model:
    """The model of a spec, traced now or read from the cache.

    It is stored where the spec has the same content as when it was made.
    """
    place: Path | None = vars(spec).get("_place_in_cache")
    if place is not None and ours(place):
        place = place_of(spec)  # its content may have changed since it was made
        content = None if place is None else stored(place)
        model = None if content is None else _read(content, spec)
        if model is not None:
            return model
    from .model import build

    model = build(spec, on_progress)
    if place is not None and len(model.pool.terms) >= LEAST and place_of(spec) == place:
        written = _written(model)
        if written is not None:
            store(place, written)
    return model


class _Pickler(pickle.Pickler):
    """Writes terms as their numbers, and omits the spec."""

    def __init__(self, file: io.BytesIO, spec: Spec, numbers: dict[Expr, int]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.spec, self.numbers = spec, numbers

    def persistent_id(self, value: Any) -> Any:
        if type(value) is Expr:
            return self.numbers[value]
        return "spec" if value is self.spec else None


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, spec: Spec) -> None:
        super().__init__(file)
        self.spec, self.terms = spec, list[Expr]()

    def persistent_load(self, number: Any) -> Any:
        return self.spec if number == "spec" else self.terms[number]


def _shape(spec: Spec) -> str:
    """The properties of a spec that its methods determine when it is made, for comparison with a cached model."""
    return repr((spec._state_cells(), spec.instances, spec.properties, spec._fairness(), spec._ends))


def _written(model: Model) -> bytes | None:
    """A model as bytes; None where something in it cannot be written."""
    pool = model.pool
    live = sorted({*subterms(_roots(model)), pool.true, pool.false}, key=lambda term: term.id)
    numbers = {term: number for number, term in enumerate(live)}
    rows = [(t.op, tuple([numbers[a] for a in t.args]), t.value, t.lo, t.hi, t.boolean) for t in live]
    trees = [node for action in (*model.actions, *model.beginning) for node in reversed(list(nodes(action.tree)))]
    file = io.BytesIO()
    try:
        pickle.dump((_shape(model.spec), rows, pool.choices), file, pickle.HIGHEST_PROTOCOL)
        _Pickler(file, model.spec, numbers).dump((trees, replace(model, pool=None)))  # type: ignore[arg-type]
    except (pickle.PicklingError, TypeError, AttributeError):
        return None
    return file.getvalue()


def _roots(model: Model) -> Iterator[Expr]:
    for action in (*model.actions, *model.beginning):
        yield from terms(action.tree)
    for prop in model.properties:
        yield from prop.conditions
        yield from (condition for condition, _ in prop.errors)
    yield from (held.term for held in (*model.antecedents, *model.step_antecedents))
    yield from model.view


def _read(content: bytes, spec: Spec) -> Model | None:
    """The model that was written; None where the spec has another shape now."""
    file = io.BytesIO(content)
    shape, rows, choices = pickle.load(file)
    if shape != _shape(spec):
        return None
    reader = _Unpickler(file, spec)
    pool = Pool.of(rows, choices)
    reader.terms = pool.terms
    model: Model = reader.load()[1]
    return replace(model, pool=pool)
