"""The fingerprint of a check: equal fingerprints mean equal results.

It covers the traced model (cells, layout, trees, terms, guards with their lines, initial states), the
constants and the code of the checker. What is only told, not checked (narration, the sentences of
properties), is not part of it: a stored result is told anew.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..backends.native.initial_states import InitialStates
from ..engines.refined_initial_states import judged
from ..errors import Where
from ..ir.expr import Expr
from ..ir.traced import Model
from ..ir.tree import Branch, Choice, Disabled, Fault, Tree, Update, nodes
from ..language.concrete import initial_states
from ..results.plain import show_constants

CHECKER = Path(__file__).resolve().parents[1]


class Terms:
    """Numbers terms in the order in which they are met, and keeps one line for each."""

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}
        self.lines: list[str] = []

    def number(self, root: Expr) -> int:
        """The number of a term; its parts have smaller ones."""
        todo = [root]
        while todo:
            term = todo[-1]
            missing = [a for a in term.args if a.id not in self.numbers]
            if term.id not in self.numbers and not missing:
                parts = " ".join(str(self.numbers[a.id]) for a in term.args)
                self.lines.append(f"{term.op} {term.value} {term.lo} {term.hi} {term.boolean:d} {parts}")
                self.numbers[term.id] = len(self.numbers)
            if missing:
                todo += missing
            else:
                todo.pop()
        return self.numbers[root.id]


def dump(model: Model) -> Iterator[str]:
    """The model as lines of text that do not depend on how it was built."""
    terms, spec = Terms(), model.spec
    yield from (f"cell {cell}" for cell in model.cells)
    yield f"layout {model.layout.words} {model.layout.fields}"
    yield f"domains {list(spec.domains.values())}"
    yield f"terminate {spec._ends}"
    yield f"fair {spec._fairness()}"
    yield f"remarks {model.remarks}"
    for action in model.actions:
        yield f"action {action.instance}"
        yield from (_node(node, terms) for node in nodes(action.tree))
    for prop in model.properties:
        errors = [(terms.number(condition), error.code, _place(error.where)) for condition, error in prop.errors]
        conditions = [terms.number(condition) for condition in prop.conditions]
        yield f"{prop.kind} {prop.name} {prop.steps:d} {conditions} {prop.form} {errors}"
    for held in (*model.antecedents, *model.step_antecedents):
        yield f"antecedent {held.property} {_place(held.where)} {terms.number(held.term)}"
    yield f"view {[terms.number(term) for term in model.view]}"
    yield from terms.lines
    yield f"initial {hashlib.sha256(InitialStates(model).rows().tobytes()).hexdigest()}"
    for name, refined in spec._refinements.items():
        yield f"begins {name} {refined.of} {[judged(spec, name, state) for state in initial_states(spec)]}"


def _node(node: Tree, terms: Terms) -> str:
    match node:
        case Branch():
            return f"if {terms.number(node.condition)}"
        case Choice():
            return f"choose {len(node.options)} {[str(label) for label in node.labels]}"
        case Update():
            return "set " + " ".join(f"{cell}={terms.number(term)}" for cell, term in node.writes)
        case Fault():
            return f"fault {node.error.code} {node.error.what!r} {_place(node.error.where)}"
        case Disabled():
            return f"stop {_place(node.where)}"
    return "value"


def _place(where: Where | None) -> str:
    return repr((where.line, where.function, where.source)) if where else "-"


def fingerprint(model: Model, deadlock: bool) -> str:
    """The key of a check in the cache."""
    facts = [engine(), f"deadlock {deadlock}", f"constants {show_constants(model.spec.constants)}"]
    return _digest([*facts, *dump(model)])


@functools.cache
def engine(folder: Path = CHECKER) -> str:
    """The version of the checker: the number of the release and a digest of its code.

    All of it, since nobody can say of a file, or of one that is added tomorrow, that it changes no verdict.
    """
    files = sorted(folder.rglob("*.py"))
    parts = (part for path in files for part in (str(path.relative_to(folder)), path.read_text("utf-8")))
    return f"{_release()} {_digest(parts)}"


def _release() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"{version('everystate')} llvmlite {version('llvmlite')}"
    except PackageNotFoundError:
        return "0"


def _digest(lines: Iterable[str]) -> str:
    found = hashlib.sha256()
    for line in lines:
        found.update(line.encode())
        found.update(b"\n")
    return found.hexdigest()
