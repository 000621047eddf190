"""Tracing a spec: every action instance and property, executed on symbols."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from ..errors import CheckedError, EverystateError
from ..ir import layout
from ..ir.bounded_steps import Bound, bounded
from ..ir.columns import only_value
from ..ir.expr import Expr, cells_of
from ..ir.initial_states import combinations, narrowed
from ..ir.traced import Antecedent, Model, TracedAction, TracedProperty
from ..ir.tree import Tree, Update, nodes, terms
from ..language import marks
from ..language.concrete import begins_soon
from ..language.declarations import ActionInstance, Property, method_place
from ..language.effects import sentences
from ..language.formulas import count_conditions
from ..language.methods import function_of
from ..language.oversights import is_idle, no_effect, oversights
from ..language.spec import Spec
from .refinement import refines
from .tracer import Tracer

TERMS = (marks.INVARIANT, marks.STEP_INVARIANT, marks.REACHABLE, marks.CONSTRAINT, marks.ACTION_CONSTRAINT)


def build(spec: Spec, on_progress: Callable[[int, int], None] = lambda done, total: None) -> Model:
    """Trace every action instance and property of a spec; E230 for what the front end does not understand.

    `on_progress` gets how many instances are traced, and of how many.
    """
    abstract = {name: build(refined.abstract) for name, refined in spec._refinements.items()}
    tracer = Tracer(spec)
    with tracer.watchdog.awake(), _deep():
        certain = dict[str, str]()
        model = _traced(tracer, abstract, certain, on_progress)
        if spec._named(marks.INITIAL) and not (combinations(spec) <= FEW and begins_soon(spec, FEW)):
            model = replace(model, beginning=_beginning(Tracer(spec, model.pool)))
        notes = [
            *oversights(spec),
            *tracer.comparisons.sentences(),
            *sentences(tracer.ignored),
            *_without_effect(model),
        ]
        notes += [note for name, note in certain.items() if not any(n.startswith(f"{name}, line") for n in notes)]
        model = replace(model, notes=tuple(notes))
    for part in (tracer.operations, tracer):  # its parts hold each other: all would wait for the garbage collector
        vars(part).clear()
    return model


def _without_effect(model: Model) -> list[str]:
    """A sentence for each action that assigns to no variable."""
    updating = {a.instance.name for a in model.actions if any(isinstance(node, Update) for node in nodes(a.tree))}
    writing = {a.instance.name for a in model.actions if a.writes}
    found = [model.spec._declaration(name) for name in sorted(updating - writing)]
    return [no_effect(action.name) for action in found if not is_idle(function_of(action.method))]


def with_goal(model: Model, spec: Spec, name: str) -> Model:
    """The model of a spec that differs in a goal only, with this goal as its property: nothing else is traced again.

    Constraints stay, and no view merges states, because the goal may distinguish them.
    """
    term, errors = Tracer(spec, model.pool).condition(name)
    reads = cells_of([term, *(e for e, _ in errors)])
    goal = TracedProperty(marks.REACHABLE, name, "", term, tuple(errors), reads)
    return replace(
        model, spec=spec, properties=(*model.of_kind(marks.CONSTRAINT), goal), antecedents=(), view=(), beginning=()
    )


@contextlib.contextmanager
def _deep() -> Iterator[None]:
    """Raises the recursion limit: lifted code nests some ten frames for each frame of the author's code."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, DEEP))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


DEEP = 12_000
FEW = 1000
"""Limits up to which plain Python is used: combinations of initial values, and states that result from them."""
AROUND = 2
"""How far beyond the bounds of numbers a property must hold, if it is not to hold by these bounds alone."""
TOO_MUCH = ("E204", "E205", "E206", "E211", "E215", "E239")
"""What symbols cannot do and plain Python can."""


def _beginning(tracer: Tracer) -> tuple[TracedAction, ...]:
    """The @initial methods, traced; none where one of them can only be executed."""
    found, within = list[TracedAction](), narrowed(tracer.spec)
    for name in tracer.spec._named(marks.INITIAL):
        try:
            tree = tracer.action(name, tracer.beginning(name), within)
        except EverystateError as error:
            if error.code in TOO_MUCH:
                return ()
            raise
        found.append(TracedAction(ActionInstance(name, ()), tree, cells_of(terms(tree)), _written(tree)))
        within = [(cell.lo, cell.hi) for cell in tracer.cells]
    return tuple(found)


def _traced(
    tracer: Tracer, abstract: Mapping[str, Model], certain: dict[str, str], on_progress: Callable[[int, int], None]
) -> Model:
    """The model; `certain` gets a sentence for each property that compares nothing which could make it false."""
    spec = tracer.spec
    actions, bounds = list[TracedAction](), list[Bound]()
    for name in spec._step_bounds:
        term, errors = tracer.condition(name, step=True)
        kept = tracer.pool.or_([term, *(broken for broken, _ in errors)])
        bounds.append((kept, method_place(spec._declaration(name).method)))
    for done, instance in enumerate(spec.instances):
        on_progress(done, len(spec.instances))
        tree = tracer.action(str(instance), tracer.step(instance))
        tree = bounded(tracer.pool, tracer.state(), tree, bounds) if bounds else tree
        actions.append(TracedAction(instance, tree, cells_of(terms(tree)), _written(tree)))
    properties, view = [], list[Expr]()
    antecedents: dict[str, list[Antecedent]] = {marks.INVARIANT: [], marks.STEP_INVARIANT: []}
    for declared in spec.properties:
        tracer.pool.bounds_decided = False
        if declared.kind in marks.ON_GRAPHS:
            properties.append(_temporal(tracer, declared))
            _note_certain(tracer, declared, properties[-1], certain)
        if declared.kind == marks.VIEW:
            terms_of_view, errors = tracer.view(declared.name)
            view += terms_of_view
            reads = cells_of(e for e, _ in errors)
            properties.append(
                TracedProperty(marks.VIEW, declared.name, declared.text, tracer.pool.true, tuple(errors), reads)
            )
        if declared.kind not in TERMS:
            continue
        tracer.antecedents.clear()
        if declared.name in spec._refinements:
            refined = spec._refinements[declared.name]
            term, errors = refines(tracer, refined, (action.tree for action in abstract[declared.name].actions))
        else:
            term, errors = tracer.condition(declared.name, step=declared.steps)
        reads = cells_of([term, *(e for e, _ in errors)])
        traced = TracedProperty(declared.kind, declared.name, declared.text, term, tuple(errors), reads)
        properties.append(replace(traced, steps=declared.steps))
        _note_certain(tracer, declared, traced, certain)
        fine = [tracer.pool.not_(fails) for fails, _ in errors]  # where a term has a value
        for where, held in tracer.antecedents.items() if declared.kind in antecedents else ():
            left = tracer.pool.and_([tracer.pool.or_(held), *fine])
            antecedents[declared.kind].append(Antecedent(where, declared.name, left))
    return Model(
        spec,
        tracer.pool,
        tuple(tracer.cells),
        layout.plan(spec.domains),
        tuple(actions),
        tuple(properties),
        tuple(a for a in antecedents[marks.INVARIANT] if a.term is not tracer.pool.true),
        tuple(view),
        step_antecedents=tuple(antecedents[marks.STEP_INVARIANT]),
    )


def _note_certain(tracer: Tracer, declared: Property, traced: TracedProperty, certain: dict[str, str]) -> None:
    """Note a property that is true whatever the state is, unless the bounds of numbers make it so, as in `n >= 0`."""
    if declared.kind == marks.REACHABLE or traced.errors or traced.parts or declared.name in tracer.spec._refinements:
        return
    term, true = traced.term, tracer.pool.true
    if not tracer.pool.bounds_decided if term is true else only_value(term, AROUND):
        line = method_place(tracer.spec._declaration(declared.name).method).line
        certain[declared.name] = f"{declared.name}, line {line}: no values of the variables make it false"


def _temporal(tracer: Tracer, declared: Property) -> TracedProperty:
    name, trigger = declared.name, None
    if declared.kind in marks.OF_FORMULAS:
        return _formula(tracer, declared)
    leads = declared.kind == marks.LEADS_TO
    term, errors = tracer.condition(name, step=declared.steps, place=1 if leads else None)
    if leads:
        trigger, more = tracer.condition(name, place=0)
        errors += more
    reads = cells_of([term, *([trigger] if trigger else []), *(e for e, _ in errors)])
    return TracedProperty(declared.kind, name, declared.text, term, tuple(errors), reads, trigger, declared.steps)


def _formula(tracer: Tracer, declared: Property) -> TracedProperty:
    """A @temporal formula: it is traced once for each of its conditions."""
    form, parts, errors = tracer.form(declared.name, declared.steps), list[Expr](), list[tuple[Expr, CheckedError]]()
    for place in range(count_conditions(form)):
        term, more = tracer.condition(declared.name, declared.steps, place)
        parts.append(term)
        errors = more
    reads = cells_of([*parts, *(e for e, _ in errors)])
    facts = (declared.kind, declared.name, declared.text, tracer.pool.true, tuple(errors), reads)
    return TracedProperty(*facts, parts=tuple(parts), form=form, steps=declared.steps)


def _written(tree: Tree) -> frozenset[int]:
    return frozenset(cell for node in nodes(tree) if isinstance(node, Update) for cell, _ in node.writes)
