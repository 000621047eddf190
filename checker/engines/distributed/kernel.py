"""The kernel of a program as it is shipped to executors, and the machine code that they make of it.

The LLVM assembly is shipped: executors need neither the spec nor the tracer, and may have another CPU. A Python worker
compiles it once, or finds the object code of another worker in the cache on disk.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import tempfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from ...backends.native import Compiled, Counters, Program
from ...backends.native.assembly import emit
from ...backends.native.compile import load
from ...backends.native.program import Group


@dataclass(frozen=True)
class PlainShape:
    """The shape of a program, without its spec and its terms."""

    words: int
    key_words: int
    viewed: bool
    instances: int
    most_successors: int
    constrained: bool
    action_names: tuple[str, ...]
    counters: Counters
    state_groups: tuple[Group, ...]
    step_groups: tuple[Group, ...]


@dataclass(frozen=True)
class Kernel:
    """A program for shipping: its shape, and its LLVM assembly compressed. `digest` identifies both."""

    shape: PlainShape
    assembly: bytes
    digest: str

    def compiled(self) -> Compiled:
        """The machine code, compiled once in each process."""
        return _compiled(self)

    def __hash__(self) -> int:
        return hash(self.digest)


def kernel_of(program: Program) -> Kernel:
    """The kernel of a program."""
    shape = PlainShape(
        words=program.words,
        key_words=program.key_words,
        viewed=program.viewed,
        instances=program.instances,
        most_successors=program.most_successors,
        constrained=bool(program.constraints),
        action_names=tuple(program.action_names),
        counters=program.counters,
        state_groups=tuple(program.state_groups),
        step_groups=tuple(program.step_groups),
    )
    text = emit(program)
    digest = hashlib.sha256(f"{shape.words} {text}".encode()).hexdigest()
    return Kernel(shape, zlib.compress(text.encode(), 6), digest)


@functools.lru_cache(maxsize=2)
def _compiled(kernel: Kernel) -> Compiled:
    _give_cache_a_home()
    text = zlib.decompress(kernel.assembly).decode()
    triple: Any = llvm.get_process_triple()
    here = re.sub(r"^target triple = .*$", f'target triple = "{triple}"', text, count=1, flags=re.MULTILINE)
    return Compiled(kernel.shape, load(here))


def _give_cache_a_home() -> None:
    """Set the home directory where a container runs as a user without one."""
    try:
        Path.home()
    except RuntimeError:
        os.environ.setdefault("EVERYSTATE_CACHE", os.path.join(tempfile.gettempdir(), f"everystate-{os.getuid()}"))
