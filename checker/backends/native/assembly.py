"""The LLVM assembly of a program: its functions, and the store and search loop around them, or the loop of walks.

The functions are by far the larger half, and do not depend on how states are stored. So those of a large program are
modules of their own, compiled once, even when its store changes during a search. Those of a small program share one
module with the store where they are optimised, so that LLVM can inline.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property

import llvmlite.binding as llvm

from .calls import Calls
from .functions import Functions
from .instructions import Module, joined
from .interface import Around, WalkLoop, batch_size, large
from .program import Program
from .store import Store
from .walking import Walking


class Assembly:
    """Writes the assembly of a program.

    `on_progress` gets the number of action instances written, and of all; `ready` gets each module of functions that is
    complete while others are not.
    """

    def __init__(
        self,
        program: Program,
        on_progress: Callable[[int, int], None] = lambda done, total: None,
        ready: Callable[[str], object] = lambda text: None,
    ) -> None:
        self.program, self._on_progress, self._ready = program, on_progress, ready
        self._shown: dict[Module, str] = {}
        self._stores: dict[Around, Module] = {}

    @cached_property
    def _functions(self) -> list[Module]:
        with _writing():
            return Functions(self.program, llvm.get_process_triple(), self._on_progress, self._finished).modules

    def _finished(self, module: Module) -> None:
        self._shown[module] = str(module)
        self._ready(self._shown[module])

    @cached_property
    def functions(self) -> list[str]:
        """The functions, to be linked with a store."""
        return [self._shown.get(module) or str(module) for module in self._functions]

    def store(self, around: Around = None) -> str:
        """What stands around the functions, to be linked with them."""
        return str(self._around(around))

    def apart(self, around: Around = None) -> list[str]:
        """All in several texts, to be linked."""
        return [*self.functions, self.store(around)]

    def text(self, around: Around = None) -> str:
        """All in one module; the functions of a large program stay apart, as they are long."""
        return str(joined([*self._functions, self._around(around)], whole=not large(self.program)))

    def _around(self, around: Around) -> Module:
        if around not in self._stores:
            module = self._stores[around] = Module(llvm.get_process_triple())
            with _writing():
                calls = Calls(self.program, module)
                if isinstance(around, WalkLoop):
                    Walking(calls, module)
                else:
                    Store(calls, module, batch_size(self.program), around)
        return self._stores[around]


def emit(program: Program) -> str:
    """The assembly of a program whose states are kept as they are."""
    return Assembly(program).text()


@contextmanager
def _writing() -> Iterator[None]:
    """Prepares Python for writing: deep recursion, and no garbage collection, which took a quarter of the time."""
    limit, collecting = sys.getrecursionlimit(), gc.isenabled()
    sys.setrecursionlimit(max(limit, 20_000))
    gc.disable()
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
        if collecting:
            gc.enable()
