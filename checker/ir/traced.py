"""A traced spec: everything that an engine or a backend needs to know of it."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import CheckedError, EverystateError, Where
from ..language import marks
from ..language.declarations import ActionInstance
from ..language.domains import Cell
from ..language.formulas import Form
from ..language.spec import Spec
from . import layout
from .expr import Expr, Pool
from .tree import Tree


@dataclass(frozen=True)
class TracedAction:
    """One action instance: its tree, and the cells that it reads and writes."""

    instance: ActionInstance
    tree: Tree
    reads: frozenset[int]
    writes: frozenset[int]


@dataclass(frozen=True)
class TracedProperty:
    """One property: the term that must hold, and the conditions under which it cannot be evaluated.

    A @view has only the latter. For a @leads_to, `trigger` is the first condition and `term` the second. For a
    @temporal formula `parts` are its conditions, and `form` joins them (see language.formulas).
    """

    kind: str
    name: str
    text: str
    term: Expr
    errors: tuple[tuple[Expr, CheckedError], ...]
    reads: frozenset[int]
    trigger: Expr | None = None
    steps: bool = False
    parts: tuple[Expr, ...] = ()
    form: Form = ()

    @property
    def conditions(self) -> list[Expr]:
        """Every term of it that is a condition of a state or a step."""
        return [self.term, *([self.trigger] if self.trigger is not None else ()), *self.parts]


@dataclass(frozen=True)
class Antecedent:
    """The left side of an implies(...) in a property; a run warns when it never held."""

    where: Where
    property: str
    term: Expr


@dataclass(frozen=True)
class Model:
    """A spec as decision trees and terms over integer cells."""

    spec: Spec
    pool: Pool
    cells: tuple[Cell, ...]
    layout: layout.Layout
    actions: tuple[TracedAction, ...]
    properties: tuple[TracedProperty, ...]
    antecedents: tuple[Antecedent, ...]
    view: tuple[Expr, ...]
    beginning: tuple[TracedAction, ...] = ()
    """The @initial methods, if there are too many initial combinations for plain Python."""
    step_antecedents: tuple[Antecedent, ...] = ()
    """The left sides in action properties; their terms are about a step."""
    notes: tuple[str, ...] = ()
    """What a reader of a verdict should know of the spec: likely mistakes that make properties hold."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What every report of it says: actions that the constants disable, and likely mistakes."""
        return (*self.spec._without_instances(), *self.notes)

    def of_kind(self, *kinds: str) -> list[TracedProperty]:
        """The properties of some kinds, in the order of definition."""
        return [p for p in self.properties if p.kind in kinds]

    @property
    def inside(self) -> list[Expr]:
        """What holds in the states from which steps are taken: every constraint, and it can be evaluated."""
        found = self.of_kind(marks.CONSTRAINT)
        return [self.pool.and_([p.term, *(self.pool.not_(e) for e, _ in p.errors)]) for p in found]


def check_limits(model: Model, kind: str, number: int, limit: int, reason: str) -> None:
    """E115 when a model has more of something than an engine can hold."""
    if number > limit:
        name = type(model.spec).__name__
        raise EverystateError("E115", None, spec=name, count=number, kind=kind, limit=limit, reason=reason)
