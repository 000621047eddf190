"""Tracing a spec: every action instance and property, executed on symbols."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any

from ..border import Outside, examine
from ..errors import EverystateError
from ..frontend.unguarded import LIFTING, Unguarded
from ..language import marks
from ..language.concrete import begins_soon
from ..language.declarations import ActionInstance, Property, method_place
from ..language.spec import Spec
from . import layout
from .bounded_steps import Bound, bounded
from .expr import Expr, cells_of
from .initial_states import narrowed
from .portable import portable
from .private_attributes import guarded
from .refinement import refines
from .reproducibility import Others
from .traced import Antecedent, Model, TracedAction, TracedProperty
from .tracer import Tracer
from .tree import Tree, Update, nodes, terms

__all__ = ["Antecedent", "Model", "TracedAction", "TracedProperty", "build", "check_limits", "traced", "with_goal"]

TERMS = (marks.INVARIANT, marks.STEP_INVARIANT, marks.REACHABLE, marks.CONSTRAINT, marks.ACTION_CONSTRAINT)


def build(spec: Spec, told: Callable[[int, int], None] = lambda done, total: None) -> Model:
    """Trace every action instance and property of a spec; E230 and E232 for what cannot be traced soundly, E144 where
    the order of plain sets, which differs from one start of Python to the next, makes another spec of it.

    `told` hears how many instances are traced, and of how many.
    """
    if LIFTING:
        return lifted(spec, told)
    with closing(Others(spec)) as others:
        model = traced(spec, told, others.begin)
        others.compare(lambda: portable(model))
    return model


def lifted(spec: Spec, told: Callable[[int, int], None] = lambda done, total: None) -> Model:
    """The traced spec, by lifted functions."""
    abstract = {name: lifted(refined.abstract) for name, refined in spec.refinements.items()}
    outside: Any = Unguarded()
    model = _trace(spec, outside, abstract, told)
    if spec.named(marks.INITIAL) and not begins_soon(spec, FEW):
        model = replace(model, beginning=_beginning(Tracer(spec, outside, model.pool), outside))
    return model


def traced(
    spec: Spec,
    told: Callable[[int, int], None] = lambda done, total: None,
    begun: Callable[[Outside], None] = lambda outside: None,
) -> Model:
    """The same, as it is in this process; `begun` hears what lies around the spec before it is traced."""
    abstract = {name: traced(refined.abstract) for name, refined in spec.refinements.items()}
    outside = examine(spec, symbols=True)
    begun(outside)
    try:
        with guarded(outside), outside.watch:
            model = _trace(spec, outside, abstract, told)
            outside.forget()  # plain Python is asked next
            if spec.named(marks.INITIAL) and not _begins_soon(spec, outside):
                model = replace(model, beginning=_beginning(Tracer(spec, outside, model.pool), outside))
    except EverystateError as error:
        if error.code == "E207":
            outside.check()
        raise
    finally:
        outside.forget()
    return model


def with_goal(model: Model, spec: Spec, name: str) -> Model:
    """The model of a spec that differs in a goal only, with this goal as its property: nothing else is traced again.

    Constraints stay, and no view merges states: the goal may tell them apart.
    """
    if LIFTING:
        term, errors = Tracer(spec, None, model.pool).condition(name)
        return _with_goal(model, spec, name, term, errors)
    outside = examine(spec, symbols=True)
    try:
        with guarded(outside), outside.watch:
            term, errors = Tracer(spec, outside, model.pool).condition(name)
            outside.check()
    finally:
        outside.forget()
    return _with_goal(model, spec, name, term, errors)


def _with_goal(model: Model, spec: Spec, name: str, term: Expr, errors: list[tuple[Expr, Any]]) -> Model:
    reads = cells_of([term, *(e for e, _ in errors)])
    goal = TracedProperty(marks.REACHABLE, name, "", term, tuple(errors), reads)
    return replace(
        model, spec=spec, properties=(*model.of_kind(marks.CONSTRAINT), goal), antecedents=(), view=(), beginning=()
    )


FEW = 1000
"""Combinations of initial values, and states that come of them, for which plain Python is asked."""
TOO_MUCH = ("E204", "E205", "E206", "E211", "E215")
"""What symbols cannot do and plain Python can."""


def _begins_soon(spec: Spec, outside: Outside) -> bool:
    """Whether plain Python finds the initial states quickly; it must leave everything around the spec alone."""
    soon = begins_soon(spec, FEW)
    outside.check()
    return soon


def _beginning(tracer: Tracer, outside: Outside) -> tuple[TracedAction, ...]:
    """The @initial methods, traced; none where one of them can only be executed."""
    found, within = list[TracedAction](), narrowed(tracer.spec)
    for name in tracer.spec.named(marks.INITIAL):
        try:
            tree = tracer.action(name, tracer.beginning(name), within)
        except EverystateError as error:
            if error.code in TOO_MUCH:
                return ()
            raise
        outside.check()
        found.append(TracedAction(ActionInstance(name, ()), tree, cells_of(terms(tree)), _written(tree)))
        within = [(cell.lo, cell.hi) for cell in tracer.cells]
    return tuple(found)


def _trace(spec: Spec, outside: Outside, abstract: Mapping[str, Model], told: Callable[[int, int], None]) -> Model:
    tracer = Tracer(spec, outside)
    with tracer.watchdog.awake():
        return _traced(tracer, abstract, told)


def _traced(tracer: Tracer, abstract: Mapping[str, Model], told: Callable[[int, int], None]) -> Model:
    """What lies outside is looked at after every method, before another one can put back what it found."""
    spec, outside = tracer.spec, tracer.outside
    actions, bounds = list[TracedAction](), list[Bound]()
    for name in spec.step_bounds:
        term, errors = tracer.condition(name, step=True)
        outside.check()
        kept = tracer.pool.or_([term, *(broken for broken, _ in errors)])
        bounds.append((kept, method_place(spec.declaration(name).method)))
    for done, instance in enumerate(spec.instances):
        told(done, len(spec.instances))
        tree = tracer.action(str(instance), tracer.step(instance))
        tree = bounded(tracer.pool, tracer.state(), tree, bounds) if bounds else tree
        outside.check()
        actions.append(TracedAction(instance, tree, cells_of(terms(tree)), _written(tree)))
    properties, antecedents, view = [], [], list[Expr]()
    for declared in spec.properties:
        if declared.kind in marks.TEMPORAL:
            properties.append(_temporal(tracer, declared))
            outside.check()
        if declared.kind == marks.VIEW:
            terms_of_view, errors = tracer.view(declared.name)
            view += terms_of_view
            reads = cells_of(e for e, _ in errors)
            outside.check()
            properties.append(
                TracedProperty(marks.VIEW, declared.name, declared.text, tracer.pool.true, tuple(errors), reads)
            )
        if declared.kind not in TERMS:
            continue
        tracer.antecedents.clear()
        if declared.name in spec.refinements:
            refined = spec.refinements[declared.name]
            term, errors = refines(tracer, refined, (action.tree for action in abstract[declared.name].actions))
        else:
            term, errors = tracer.condition(declared.name, step=declared.steps)
        reads = cells_of([term, *(e for e, _ in errors)])
        outside.check()
        traced = TracedProperty(declared.kind, declared.name, declared.text, term, tuple(errors), reads)
        properties.append(replace(traced, steps=declared.steps))
        if declared.kind == marks.INVARIANT:
            for where, held in tracer.antecedents.items():
                antecedents.append(Antecedent(where, declared.name, tracer.pool.or_(held)))
    return Model(
        spec,
        tracer.pool,
        tuple(tracer.cells),
        layout.plan(spec.domains),
        tuple(actions),
        tuple(properties),
        tuple(a for a in antecedents if a.term is not tracer.pool.true),
        tuple(view),
    )


def _temporal(tracer: Tracer, declared: Property) -> TracedProperty:
    name, trigger = declared.name, None
    leads = declared.kind == marks.LEADS_TO
    term, errors = tracer.condition(name, step=declared.steps, place=1 if leads else None)
    if leads:
        trigger, more = tracer.condition(name, place=0)
        errors += more
    reads = cells_of([term, *([trigger] if trigger else []), *(e for e, _ in errors)])
    return TracedProperty(declared.kind, name, declared.text, term, tuple(errors), reads, trigger, declared.steps)


def _written(tree: Tree) -> frozenset[int]:
    return frozenset(cell for node in nodes(tree) if isinstance(node, Update) for cell, _ in node.writes)


def check_limits(model: Model, kind: str, number: int, limit: int, reason: str) -> None:
    """E115 when a model has more of something than an engine can hold."""
    if number > limit:
        name = type(model.spec).__name__
        raise EverystateError("E115", None, spec=name, count=number, kind=kind, limit=limit, reason=reason)
