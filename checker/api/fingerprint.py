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
from ..ir.portable import Row, Writer
from ..ir.traced import Model
from ..ir.tree import Choice, Disabled, Fault, Tree, Update
from ..language.concrete import initial_states
from ..results.plain import show_constants

CHECKER = Path(__file__).resolve().parents[1]


def dump(model: Model) -> Iterator[str]:
    """The model as lines of text that do not depend on how it was built."""
    writer, spec = _WithLines(), model.spec
    yield from (f"cell {cell}" for cell in model.cells)
    yield f"layout {model.layout.words} {model.layout.fields}"
    yield f"domains {list(spec.domains.values())}"
    yield f"terminate {spec._ends}"
    yield f"fair {spec._fairness()}"
    yield f"remarks {model.remarks}"
    for action in model.actions:
        yield f"action {action.instance} {writer.tree(action.tree)}"
    for prop in model.properties:
        errors = [(writer.term(condition), error.code, _place(error.where)) for condition, error in prop.errors]
        conditions = [writer.term(condition) for condition in prop.conditions]
        yield f"{prop.kind} {prop.name} {prop.steps:d} {conditions} {prop.form} {errors}"
    for held in (*model.antecedents, *model.step_antecedents):
        yield f"antecedent {held.property} {_place(held.where)} {writer.term(held.term)}"
    yield f"view {[writer.term(term) for term in model.view]}"
    yield from (str(row) for rows in (writer.made.terms, writer.made.nodes) for row in rows)
    yield f"initial {hashlib.sha256(InitialStates(model).rows().tobytes()).hexdigest()}"
    for name, refined in spec._refinements.items():
        yield f"begins {name} {refined.of} {[judged(spec, name, state) for state in initial_states(spec)]}"


class _WithLines(Writer):
    """Rows that include the order of a node's parts, and the lines of errors and guards."""

    def row(self, node: Tree) -> Row:
        match node:
            case Choice():
                return "choose", *zip(map(str, node.labels), map(self.number, node.options), strict=True)
            case Update():
                return "set", *((cell, self.term(term)) for cell, term in node.writes)
            case Fault():
                return "fault", node.error.code, node.error.what, _place(node.error.where)
            case Disabled():
                return "stop", _place(node.where)
        return super().row(node)


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
