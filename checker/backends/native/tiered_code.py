"""Two tiers of machine code: quick code at once, and optimised code in the middle of a search that is long.

Optimising a model of Kafka takes many seconds of a processor, in which quick code visits some millions of states.
So a search begins with quick code, unless the optimised one is in the cache. When it has turned out to be long, a
process of its own optimises (LLVM cannot be stopped in the middle of it, a process can), and the workers go on with
the result from their next chunk of states: both codes work on the same store in the same way.

The code of a large program is in two halves, each of which has its tiers: its functions, in several texts, and its
store. A search that compresses its states in the middle keeps the functions that it has. Texts are optimised one
after the other, and what is ready is taken and kept.

Of a small program only what is optimised is one text. Its quick code is in two halves as well: LLVM puts nothing into
anything there, the store takes five times as long as the functions, and many programs have the same one.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING

from .compile import Compiled, digest, keep, linked, made, named, written
from .interface import CompressedLayout, large
from .known import APART, FUNCTIONS, STORE, WHOLE, Known
from .program import Program

if TYPE_CHECKING:
    from .assembly import Assembly

LONG = 1 << 19
"""States from which on optimised code is worth its compilation."""

PATIENCE = 0.5
"""Seconds that the end of a search waits for optimised code: the next search of the same spec begins with it. Without,
one that is over before the code is ready would begin to make it each time, and never have it."""


class TieredModule:
    """The machine code of some texts, with better code as soon as that is there; `close` gives up what is not ready.

    What does the same in other texts is what has quick code, if it is given: then there is one text here.
    """

    def __init__(self, known: Known, write: Callable[[], list[str]], apart: TieredModule | None = None) -> None:
        self.known, self._write, self._apart = known, write, apart
        self.process: subprocess.Popen[bytes] | None = None
        self._waiting: list[int] | None = None

    @cached_property
    def texts(self) -> list[str]:
        """The assembly, which is not written before somebody asks for it."""
        found = [written(name) for name in self.known.names]
        return [text for text in found if text] if found and all(found) else self._write()

    @cached_property
    def codes(self) -> list[bytes]:
        """The best code that is to be had at once, and then what `improve` has found."""
        found = self._stored(self.known.names)
        if not found or not (all(found) or self._apart):
            self.known.learn(self.texts)
            found = self._stored(self.known.names)
        if self._apart and self._quick:
            return self._apart.codes
        return [made(self.texts[k], quick=True) if code is None else code for k, code in enumerate(found)]

    def _stored(self, names: Sequence[str]) -> list[bytes | None]:
        """What the cache has of the assembly with some names: optimised code, else quick code."""
        best = [named(name) for name in names]
        self._quick = [k for k, code in enumerate(best) if code is None]
        if self._apart:
            return best
        return [named(name, quick=True) if code is None else code for name, code in zip(names, best, strict=True)]

    @property
    def best(self) -> bool:
        """Whether there is no better code to be had."""
        return not self._quick and self.process is None

    def optimise(self) -> None:
        """Begin to make better code, unless there is none or that was begun before, or what was written now is cut into
        other texts than the code at hand was."""
        if self._waiting is None:
            self._waiting = self._quick if self._quick and [*map(digest, self.texts)] == self.known.names else []
            self._next()

    def _next(self) -> None:
        """Optimise the next text."""
        if not self._waiting:
            return
        self._output = tempfile.TemporaryFile()  # noqa: SIM115, it lives as long as the process
        with tempfile.TemporaryFile() as given:
            given.write(self.texts[self._waiting[0]].encode())
            given.seek(0)
            command = [sys.executable, "-P", "-m", f"{__package__}.optimise"]
            self.process = subprocess.Popen(
                command, stdin=given, stdout=self._output, stderr=subprocess.DEVNULL, start_new_session=True
            )

    def improve(self) -> bool:
        """Take what the process has made, and go on with the next text; nothing before."""
        taken = self._take()
        if taken:
            self._next()
        return taken

    def _take(self) -> bool:
        """Take what the process has made, and keep it for other searches; where it failed all that is left stays as it
        is."""
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
        """Let code that is nearly ready become ready, and keep it."""
        if self.process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(PATIENCE)
        self._take()

    def close(self) -> None:
        """Give up what is not ready."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self._output.close()
            self.process, self._waiting = None, []


class UnloadedAssembly:
    """The assembly of a program, which is not loaded before somebody asks for it."""

    def __init__(self, program: Program, on_progress: Callable[[int, int], None]) -> None:
        self._given = program, on_progress
        self._beside: ThreadPoolExecutor | None = None

    @cached_property
    def assembly(self) -> Assembly:
        from .assembly import Assembly

        return Assembly(*self._given, self._ready)

    def _ready(self, text: str) -> None:
        if self._beside is not None:
            self._beside.submit(made, text, quick=True)

    def functions(self) -> list[str]:
        """The texts of the functions; quick code of them is made, and kept, while others are written."""
        with ThreadPoolExecutor(1) as self._beside:
            return self.assembly.functions


class TieredCode:
    """The machine code of a program; `close` when the search is over."""

    def __init__(self, program: Program, on_progress: Callable[[int, int], None] = lambda done, total: None) -> None:
        self._written = UnloadedAssembly(program, on_progress)
        functions = [TieredModule(Known(program, FUNCTIONS), self._written.functions)]
        self._begin(program, None, functions if large(program) else [])

    def compressed(self, compression: CompressedLayout) -> TieredCode:
        """The same for states that are compressed; the functions are shared."""
        tiers = TieredCode.__new__(TieredCode)
        tiers._written = self._written
        tiers._begin(self.program, compression, self.halves[:-1])
        return tiers

    def _begin(self, program: Program, compression: CompressedLayout | None, functions: list[TieredModule]) -> None:
        self.program, self.compression = program, compression
        if functions:
            store = TieredModule(
                Known(program, STORE, compression, functions[0].known),
                lambda: [self._written.assembly.store(compression)],
            )
            self.halves = [*functions, store]
        else:
            known = Known(program, WHOLE, compression)
            apart = TieredModule(
                Known(program, APART, compression, known), lambda: self._written.assembly.apart(compression)
            )
            self.halves = [TieredModule(known, lambda: [self.text], apart)]

    @cached_property
    def text(self) -> str:
        """The assembly in one."""
        return self._written.assembly.text(self.compression)

    def first(self) -> Compiled:
        """The best code that is to be had at once."""
        return Compiled(self.program, linked([code for half in self.halves for code in half.codes]), self.compression)

    def optimise(self) -> None:
        """Begin to make better code, unless there is none or that was begun before."""
        for half in self.halves:
            half.optimise()

    def better(self) -> Compiled | None:
        """Better code, once, as soon as there is some."""
        improved = [half.improve() for half in self.halves]
        return self.first() if any(improved) else None

    def wait(self) -> None:
        """Let code that is nearly ready become ready, and keep it."""
        for half in self.halves:
            half.wait()

    def close(self, other: TieredCode | None = None) -> None:
        """Give up what is not ready, but for what others use, too."""
        for half in self.halves:
            if other is None or half not in other.halves:
                half.close()
