"""Two tiers of machine code: quick code at once, and optimised code in the middle of a search that is long.

Optimising a model of Kafka takes several seconds of a processor, in which quick code visits some millions of states.
So a search begins with quick code, unless the optimised one is in the cache. When it has turned out to be long, a
process of its own optimises (LLVM cannot be stopped in the middle of it, a process can), and the workers go on with
the result from their next chunk of states: both codes work on the same store in the same way.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from .compile import Compiled, digest, keep, linked, load, named
from .interface import Fold
from .known import Known
from .program import Program

if TYPE_CHECKING:
    from .assembly import Assembly

LONG = 1 << 19
"""States from which on optimised code is worth its compilation."""


PATIENCE = 0.5
"""Seconds that the end of a search waits for optimised code: the next search of the same spec begins with it. Without,
one that is over before the code is ready would begin to make it each time, and never have it."""


class Tiers:
    """The machine code of a program; `close` when the search is over."""

    def __init__(self, program: Program, told: Callable[[int, int], None] = lambda done, total: None) -> None:
        self._begin(program, None)
        self._told = told

    def folded(self, fold: Fold) -> Tiers:
        """The same for states that are folded."""
        tiers = Tiers.__new__(Tiers)
        tiers._begin(self.program, fold, self)
        return tiers

    def _begin(self, program: Program, fold: Fold | None, whole: Tiers | None = None) -> None:
        self.program, self.fold, self._whole = program, fold, whole
        self._process: subprocess.Popen[bytes] | None = None
        self._best = False
        self._known: Known | None = None

    @cached_property
    def _assembly(self) -> Assembly:
        if self._whole is not None:
            return self._whole._assembly

        from .assembly import Assembly

        return Assembly(self.program, self._told)

    @cached_property
    def text(self) -> str:
        """The assembly, which is not written before somebody asks for it."""
        return self._assembly.text(self.fold)

    def first(self) -> Compiled:
        """The best code that is to be had at once."""
        self._known = Known(self.program, self.fold, None if self._whole is None else self._whole._known)
        code = self._stored(self._known.name) if self._known.name else None
        if code is None:
            self._known.learn(self.text)
            code = self._stored(digest(self.text))
        engine = linked(code) if code is not None else load(self.text, quick=True)
        return Compiled(self.program, engine, self.fold)

    def _stored(self, name: str) -> bytes | None:
        """What the cache has of the assembly with a name: optimised code, else quick code."""
        code = named(name)
        self._best = code is not None
        return code if code is not None else named(name, quick=True)

    def optimise(self) -> None:
        """Begin to make better code, unless there is none or that was begun before."""
        if self._best:
            return
        self._best = True
        self._output = tempfile.TemporaryFile()  # noqa: SIM115, it lives as long as the process
        with tempfile.TemporaryFile() as given:
            given.write(self.text.encode())
            given.seek(0)
            command = [sys.executable, "-P", "-m", f"{__package__}.optimise"]
            self._process = subprocess.Popen(
                command, stdin=given, stdout=self._output, stderr=subprocess.DEVNULL, start_new_session=True
            )

    def better(self) -> Compiled | None:
        """Optimised code, once, as soon as it is there."""
        code = self._made()
        return None if code is None else Compiled(self.program, linked(code), self.fold)

    def _made(self) -> bytes | None:
        """What the process has made, once, kept for other searches; nothing before, and nothing if it failed."""
        if self._process is None or self._process.poll() is None:
            return None
        failed, self._process = self._process.returncode != 0, None
        with self._output:
            self._output.seek(0)
            code = self._output.read()
        if failed:
            return None
        keep(self.text, code)
        return code

    def wait(self) -> None:
        """Let code that is nearly ready become ready, and keep it."""
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(PATIENCE)
        self._made()

    def close(self) -> None:
        """Give up what is not ready."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._output.close()
            self._process = None
