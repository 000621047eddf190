"""The LLVM assembly of a program, in two halves: its functions, and the store and search loop around them.

The functions are by far the larger half, and the same however states are kept. So they are written once for a search,
also when its store changes in the middle.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import llvmlite.binding as llvm

from .functions import Functions
from .instructions import Module
from .interface import Fold, batch_size
from .program import Program
from .store import Store


class Assembly:
    """Writes the assembly of a program; `told` hears how many action instances are written, and of how many."""

    def __init__(self, program: Program, told: Callable[[int, int], None] = lambda done, total: None) -> None:
        self.program, self._told, self._module = program, told, Module(llvm.get_process_triple())
        self._functions: Functions | None = None
        self._written = ""

    def text(self, fold: Fold | None = None) -> str:
        """The whole, for states that are kept as they are or folded."""
        around = Module()
        with _writing():
            functions = self._functions = self._functions or Functions(self.program, self._module, self._told)
            Store(functions, around, batch_size(self.program), fold)
            self._written = self._written or str(self._module)
            own = [str(value) for name, value in around.globals.items() if name not in self._module.globals]
        return "\n".join([self._written, *own])


def emit(program: Program) -> str:
    """The assembly of a program whose states are kept as they are."""
    return Assembly(program).text()


@contextmanager
def _writing() -> Iterator[None]:
    """Terms may be nested deeply, and what is made of them is needed to the end: looking for garbage took a quarter."""
    limit, collecting = sys.getrecursionlimit(), gc.isenabled()
    sys.setrecursionlimit(max(limit, 20_000))
    gc.disable()
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
        if collecting:
            gc.enable()
