"""Two tiers of machine code: quick code at once, and optimised code during a long search.

Optimising a model of Kafka takes many CPU seconds, in which quick code visits some millions of states. So a search
begins with quick code, unless optimised code is cached. In a long search a separate process optimises (LLVM cannot be
interrupted, a process can), and the workers use the result from their next chunk of states on: both codes work on the
same store in the same way.

The code of a large program has two halves with tiers of their own: its functions, in several modules, and its store. A
search that starts to compress its states keeps its functions. Modules are optimised one after the other; each is used
and cached when ready.

The optimised code of a small program is one module. Its quick code has two halves as well: LLVM inlines nothing there,
the store takes five times as long as the functions, and many programs share it.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING

from ...cache import digest
from .compile import Compiled, keep, keep_texts, linked, made, named, written
from .interface import Around, CompressedLayout, large
from .known import APART, FUNCTIONS, STORE, WHOLE, Known
from .program import Program

if TYPE_CHECKING:
    import subprocess

    from .assembly import Assembly

LONG = 1 << 19
"""States from which on optimised code is worth its compilation."""

PATIENCE = 0.5
"""Seconds that the end of a search waits for optimised code, for the next search of the same spec. Without the wait,
short searches would start the optimisation each time and never finish it."""


class TieredModule:
    """The machine code of some modules, with optimised code as soon as it is ready; `close` gives up the rest.

    Equivalent quick code in other modules is used if given; then this is one module.
    """

    def __init__(self, known: Known, write: Callable[[], list[str]], apart: TieredModule | None = None) -> None:
        self.known, self._write, self._apart = known, write, apart
        self.process: subprocess.Popen[bytes] | None = None
        self._waiting: list[int] | None = None

    @cached_property
    def texts(self) -> list[str]:
        """The assembly, written on first use."""
        found = [written(name) for name in self.known.names]
        return [text for text in found if text] if found and all(found) else self._write()

    @cached_property
    def codes(self) -> list[bytes]:
        """The best code available at once, and then the results of `improve`."""
        found = self._stored(self.known.names)
        if not found or not (all(found) or self._apart):
            self.known.learn(self.texts)
            keep_texts(self.texts)
            found = self._stored(self.known.names)
        if self._apart and self._quick:
            return self._apart.codes
        return [made(self.texts[k], quick=True) if code is None else code for k, code in enumerate(found)]

    def _stored(self, names: Sequence[str]) -> list[bytes | None]:
        """Cached code for assembly with some names: optimised code, else quick code."""
        best = [named(name) for name in names]
        self._quick = [k for k, code in enumerate(best) if code is None]
        if self._apart:
            return best
        return [named(name, quick=True) if code is None else code for name, code in zip(names, best, strict=True)]

    @property
    def best(self) -> bool:
        """Whether no better code is available."""
        return not self._quick and self.process is None

    def optimise(self) -> None:
        """Start to optimise, unless that is done or started, or the new assembly is divided into other modules than the
        present code."""
        if self._waiting is None:
            self._waiting = self._quick if self._quick and [*map(digest, self.texts)] == self.known.names else []
            self._next()

    def _next(self) -> None:
        """Optimise the next text."""
        if not self._waiting:
            return
        import subprocess  # most searches end before

        self._output = tempfile.TemporaryFile()  # noqa: SIM115, it lives as long as the process
        with tempfile.TemporaryFile() as given:
            given.write(self.texts[self._waiting[0]].encode())
            given.seek(0)
            command = [sys.executable, "-P", "-m", f"{__package__}.optimise"]
            self.process = subprocess.Popen(
                command, stdin=given, stdout=self._output, stderr=subprocess.DEVNULL, start_new_session=True
            )

    def improve(self) -> bool:
        """Take the result of the process, and start the next module; does nothing before."""
        taken = self._take()
        if taken:
            self._next()
        return taken

    def _take(self) -> bool:
        """Take the result of the process, and cache it for other searches; after a failure the rest stays
        unoptimised."""
        if self.process is None or self.process.poll() is None or not self._waiting:
            return False
        failed, self.process = self.process.returncode != 0, None
        with self._output:
            self._output.seek(0)
            code = self._output.read()
        if failed:
            self._waiting = []
            return False
        number = self._waiting.pop(0)
        if self._apart:
            self.codes = [code]
        else:
            self.codes[number] = code
        keep(self.texts[number], code)
        return True

    def wait(self) -> None:
        """Wait for code that is nearly ready, and cache it."""
        if self.process is not None:
            import subprocess

            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(PATIENCE)
        self._take()

    def close(self) -> None:
        """Give up unfinished code."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self._output.close()
            self.process, self._waiting = None, []


class UnloadedAssembly:
    """The assembly of a program, loaded on first use."""

    def __init__(self, program: Program, on_progress: Callable[[int, int], None]) -> None:
        self._given = program, on_progress
        self._beside: list[ThreadPoolExecutor] = []

    @cached_property
    def assembly(self) -> Assembly:
        from .assembly import Assembly

        beside = self._beside  # not `self`: what holds itself waits for the garbage collector

        def ready(text: str) -> None:
            for executor in beside:
                executor.submit(made, text, quick=True)

        return Assembly(*self._given, ready)

    def functions(self) -> list[str]:
        """The modules of the functions; quick code of them is compiled and cached while others are written."""
        with ThreadPoolExecutor(1) as executor:
            self._beside.append(executor)
            return self.assembly.functions


class TieredCode:
    """The machine code of a program; `close` when the search is over."""

    def __init__(
        self,
        program: Program,
        on_progress: Callable[[int, int], None] = lambda done, total: None,
        around: Around = None,
    ) -> None:
        self._written = UnloadedAssembly(program, on_progress)
        functions = [TieredModule(Known(program, FUNCTIONS), self._written.functions)] if large(program) else []
        self._begin(program, around, functions)

    def compressed(self, compression: CompressedLayout) -> TieredCode:
        """The same for states that are compressed; the functions are shared."""
        tiers = TieredCode.__new__(TieredCode)
        tiers._written = self._written
        tiers._begin(self.program, compression, self.halves[:-1])
        return tiers

    def _begin(self, program: Program, around: Around, functions: list[TieredModule]) -> None:
        self.program, self.around, written = program, around, self._written
        if functions:
            store = TieredModule(
                Known(program, STORE, around, functions[0].known),
                lambda: [written.assembly.store(around)],
            )
            self.halves = [*functions, store]
        else:
            known = Known(program, WHOLE, around)
            apart = TieredModule(Known(program, APART, around, known), lambda: written.assembly.apart(around))
            self.halves = [TieredModule(known, lambda: [written.assembly.text(around)], apart)]

    @cached_property
    def text(self) -> str:
        """The assembly in one."""
        return self._written.assembly.text(self.around)

    def first(self) -> Compiled:
        """The best code available at once."""
        return Compiled(self.program, linked([code for half in self.halves for code in half.codes]), self.around)

    def optimise(self) -> None:
        """Start to optimise, unless that is done or started."""
        for half in self.halves:
            half.optimise()

    def better(self) -> Compiled | None:
        """Better code, once, as soon as there is some."""
        improved = [half.improve() for half in self.halves]
        return self.first() if any(improved) else None

    def wait(self) -> None:
        """Wait for code that is nearly ready, and cache it."""
        for half in self.halves:
            half.wait()

    def close(self, other: TieredCode | None = None) -> None:
        """Give up unfinished code, except for what others use."""
        for half in self.halves:
            if other is None or half not in other.halves:
                half.close()
