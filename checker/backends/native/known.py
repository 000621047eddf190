"""Finds the machine code of a program in the cache without writing its assembly, which takes ten times as long.

A file of the cache maps a key to the name of the code. The key covers everything that determines the assembly: the
program, as rows of its terms and trees in order; what is around its functions; the sources of the modules that write
assembly; Python, LLVM and the CPU. It is valid only for code loaded from these unmodified sources. They are read before
a module that writes assembly is loaded, and a new entry is stored only if they are still the same.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from ...cache import digest, entry, store, stored
from ...ir.portable import Row, Writer
from ...ir.tree import Branch, Choice, Tree, Update
from .compile import identity
from .interface import Around
from .program import Program

NAMES = re.compile(rb"[0-9a-f]{64}(\n[0-9a-f]{64})*")
HERE = Path(__file__).parent
CALLED = ("expr", "facts", "layout", "substitution", "tree", "fact_substitution", "paths")
SOURCES = (*sorted(HERE.glob("*.py")), *(HERE.parents[1] / "ir" / f"{name}.py" for name in CALLED))
"""What the assembly depends on besides the program: the modules that write it, and those they call in other
packages."""


def sources() -> str:
    """A digest of the sources; empty where they are not available."""
    found = hashlib.sha256()
    try:
        for path in SOURCES:
            found.update(hashlib.sha256(path.read_bytes()).digest())
    except OSError:
        return ""
    return found.hexdigest()


LOADED = sources()
"""The sources of what this process loads: the package imports this module before any that writes assembly."""

WHOLE, FUNCTIONS, STORE, APART = "whole", "functions", "store", "apart"
"""Parts of the assembly of a program, each of one or more texts; `apart` is the whole, its functions and its store."""
GRAPHS = "graphs"
"""The passes over graphs, which are part of no program."""


class Known:
    """The cache entry for a part of the assembly of a program, with what is around its functions. `names` are the
    digests of its texts, if they were written before. `rows` are those of another part of the program, if given."""

    def __init__(
        self,
        program: Program | None,
        part: str = WHOLE,
        around: Around = None,
        other: Known | None = None,
    ) -> None:
        self._place: Path | None = None
        self.names: list[str] = []
        self._rows = ""
        if LOADED:
            self._rows = (other and other._rows) or digest(repr(program and rows(program)))
            self._place = _place(self._rows, part, around)
            found = stored(self._place) or b""
            self.names = found.decode().split("\n") if NAMES.fullmatch(found) else []

    def learn(self, texts: Sequence[str]) -> None:
        """Store an entry for the assembly that was written for the program."""
        self.names = list(map(digest, texts))
        if self._place is not None and sources() == LOADED:
            store(self._place, "\n".join(self.names).encode())


def _place(of_program: str, part: str, around: Around) -> Path:
    return entry("native/known", repr((of_program, part, around, LOADED, sys.version, *identity())))


def rows(program: Program) -> Row:
    """Everything of a program that may be in its assembly."""
    writer, model, both = _Ordered(), program.model, (program.state_groups, program.step_groups)
    trees = [writer.tree(action.tree) for action in model.actions]
    watches = [writer.term(watch.term) for watch in program.watches()]
    groups = [[(group.watches, sorted(group.needs)) for group in some] for some in both]
    others = [[writer.term(term) for term in terms] for terms in (program.constraints, model.view)]
    numbers = (program.words, program.key_words, program.most_successors, program.counters, len(program.action_names))
    temporal = (program.state_conditions, program.step_conditions)
    conditions = [[[writer.term(one.term) for one in group] for group in groups] for groups in temporal]
    cells = [(cell.lo, cell.hi, cell.boolean) for cell in model.cells]
    fields = [(field.word, field.shift, field.width, field.lo) for field in model.layout.fields]
    written = (writer.made.terms, writer.made.nodes)
    return numbers, program.action_of, cells, fields, trees, watches, groups, conditions, others, written


class _Ordered(Writer):
    """Rows that include the order of a node's parts, without anything that is only reported."""

    def row(self, node: Tree) -> Row:
        match node:
            case Branch():
                return "if", self.term(node.condition), self.number(node.then), self.number(node.otherwise)
            case Choice():
                return "choose", *map(self.number, node.options)
            case Update():
                return "set", *((cell, self.term(term)) for cell, term in node.writes)
        return (type(node).__name__,)
