"""A model as rows that another process can compare: what it can do and what is checked, part by part.

Everything that is only reported (narration, sentences, lines of guards) is left out. Terms and nodes of trees are
numbered in order of first occurrence, parts before wholes, so a whole is a row of small tuples at any depth.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from ..errors import CheckedError
from ..language import marks
from ..language.concrete import initial_states
from ..language.spec import Spec
from .expr import Expr
from .initial_states import tables
from .traced import Model, TracedProperty
from .tree import Branch, Choice, Fault, Tree, Update, nodes

Row = tuple[Any, ...]


@dataclass
class Portable:
    """`terms` and `nodes` as rows; `trees`, `conditions` (numbers of terms, with what makes each an error) and `facts`
    by what they are a part of."""

    terms: list[Row] = field(default_factory=list)
    nodes: list[Row] = field(default_factory=list)
    trees: dict[str, int] = field(default_factory=dict)
    conditions: dict[str, Row] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)


def portable(model: Model) -> Portable:
    """A model as plain data."""
    writer = Writer()
    for action in model.actions:
        writer.made.trees[f"the action {_text(action.instance)}"] = writer.tree(action.tree)
    for traced in model.properties:
        writer.made.conditions[f"{traced.kind.replace('_', ' ')} {traced.name}"] = writer.condition(traced)
    view = tuple(sorted(writer.term(term) for term in model.view))
    writer.made.conditions["the view"] = (view, (), None)
    for hook in model.beginning:
        writer.made.trees[f"the initial states ({hook.instance.name})"] = writer.tree(hook.tree)
    writer.made.facts = _facts(model.spec, bool(model.beginning))
    return writer.made


def _facts(spec: Spec, traced: bool) -> dict[str, Any]:
    """The variables, the initial states and the fairness of a spec and of those that it refines."""
    found: dict[str, Any] = {
        "the variables": [
            (cell.path, cell.lo, cell.hi, cell.boolean) for name, d in spec.domains.items() for cell in d.cells(name)
        ],
        "the domains": [_text(domain).partition("init=")[0] for domain in spec.domains.values()],
        "the initial values": [list(map(_sorted, tables(domain))) for domain in spec.domains.values()],
        "fairness": repr(spec._fairness()),
        "the ends": repr(spec._ends),
        "what constants are by default": _by_default(spec),
        "the actions": [_text(instance) for instance in spec.instances],
        "the properties": [(p.kind, p.name, p.steps) for p in spec.properties],
    }
    if spec._named(marks.INITIAL) and not traced:
        found["the initial states"] = sorted(state.cells for state in initial_states(spec))
    for name, refined in spec._refinements.items():
        found |= {f"{what} of {name}": fact for what, fact in _facts(refined.abstract, traced=False).items()}
    return found


def _sorted(table: Any) -> Any:
    return table if isinstance(table, range) else sorted(table.tolist())


def _by_default(spec: Spec) -> list[tuple[str, str]]:
    """The constants with default values, where a text mentions their values."""
    declared = type(spec)._declared_constants()
    plain = ((n, value) for n, value in spec.constants.items() if type(value) in (int, bool, float, str, type(None)))
    return [(name, repr(value)) for name, value in plain if value == declared[name].default]


class Writer:
    """Numbers terms and nodes of trees, and writes a row for each; `row` selects the data of a node."""

    def __init__(self) -> None:
        self.made = Portable()
        self._terms: dict[int, int] = {}
        self._nodes: dict[int, int] = {}
        self._kept: list[Tree] = []

    def condition(self, traced: TracedProperty) -> Row:
        errors = tuple(sorted((self.term(term), _fault(error)) for term, error in traced.errors))
        return tuple(map(self.term, traced.conditions)), errors, traced.form

    def term(self, root: Expr) -> int:
        """The number of a term; its parts have smaller ones."""
        todo = [root]
        while todo:
            term = todo[-1]
            missing = [part for part in term.args if part.id not in self._terms]
            if missing:
                todo += missing
                continue
            todo.pop()
            if term.id not in self._terms:
                parts = tuple(self._terms[part.id] for part in term.args)
                self.made.terms.append((term.op, term.value, term.lo, term.hi, term.boolean, parts))
                self._terms[term.id] = len(self._terms)
        return self._terms[root.id]

    def tree(self, root: Tree) -> int:
        """The number of the root of a tree."""
        for node in reversed(list(nodes(root))):
            if id(node) not in self._nodes:
                self._kept.append(node)  # so that no other one gets its address
                self.made.nodes.append(self.row(node))
                self._nodes[id(node)] = len(self._nodes)
        return self.number(root)

    def number(self, node: Tree) -> int:
        """The number of a node that was written."""
        return self._nodes[id(node)]

    def row(self, node: Tree) -> Row:
        """A node whose children have numbers: its effect, in any order."""
        match node:
            case Branch():
                return "if", self.term(node.condition), self.number(node.then), self.number(node.otherwise)
            case Choice():
                ways = [(_text(label), self.number(kid)) for label, kid in zip(node.labels, node.options, strict=True)]
                return "choose", tuple(sorted(ways))
            case Update():
                return "set", tuple(sorted((cell, self.term(term)) for cell, term in node.writes))
            case Fault():
                return "fault", _fault(node.error)
        return ("stop",)


def _text(value: Any) -> str:
    """A value as text, without the addresses of objects."""
    return _ADDRESS.sub("", str(value))


_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def _fault(error: CheckedError) -> Row:
    return error.code, error.where.line if error.where else 0
