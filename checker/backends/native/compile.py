"""From a program to machine code: LLVM at -O2 for this CPU, with a cache on disk.

Quick code is LLVM's output without optimisation passes: for a model of Kafka it takes a tenth of a second instead of
several seconds, and searches at about two thirds of the speed. `tiers` uses both.

The cache is keyed by the LLVM text, the CPU and the LLVM version. A damaged entry is detected by its seal and made
again, as is one of another user. `known` finds an entry without the text.
"""

from __future__ import annotations

import ctypes
import functools
import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from ...cache import digest, entry, store, stored
from .interface import Around, CompressedLayout, WalkLoop, batch_size
from .program import Program, Shape

QUICK, BEST, TEXT = "-O0", "-O2", "text"
"""What the cache has of some assembly."""
LONG = 1 << 18
"""The number of characters from which on assembly is cached: it is needed again to optimise it."""


class Compiled:
    """The machine code of a program, as ctypes functions (they release Python's global lock)."""

    def __init__(self, program: Shape, engine: Any, around: Around = None) -> None:
        self.program, self._engine = program, engine
        self.compression = around if isinstance(around, CompressedLayout) else None
        self._known: dict[str, Any] = {}
        pointer, number = ctypes.c_void_p, ctypes.c_uint64
        self.batch = batch_size(program)
        self.expand = self._function("expand", number, pointer, number, pointer, pointer, pointer, pointer)
        if program.viewed:
            self.keys = self._function("keys", None, pointer, number, pointer)
        self.inside_states = self._function("inside_states", None, pointer, number, pointer)
        if isinstance(around, WalkLoop):
            self.walk = self._function("walk", None, pointer)
        else:
            self._find_store()

    def _find_store(self) -> None:
        pointer, number = ctypes.c_void_p, ctypes.c_uint64
        self.explore = self._function("explore", number, pointer)
        self.explore_levels = self._function("explore_levels", number, pointer, pointer, number, pointer, number)
        self.receive = self._function("receive", number, pointer, pointer, pointer, number)
        if self.compression is not None:
            self.parted = self._function("parted", None, pointer, pointer, number, number, pointer)
            self.decompress = self._function("decompress", None, pointer, pointer, number, number, number, pointer)
            self.refill = self._function("refill", None, number, pointer, pointer, number)
        self.divide = self._function("divide", number, pointer, pointer, number, number)
        self.reinsert = self._function("reinsert", None, pointer, pointer, number)
        self.owners_of = self._function("owners_of", None, pointer, number, number, pointer)

    def flags(self, watch: int) -> tuple[Any, int]:
        """The function that writes the flags of a watch's group, and the watch's bit in them."""
        kinds = (("flag_states", self.program.state_groups), ("flag_steps", self.program.step_groups))
        for name, groups in kinds:
            for g, group in enumerate(groups):
                if watch in group.watches:
                    pointer, number = ctypes.c_void_p, ctypes.c_uint64
                    function = self._function(f"{name}_{g}", None, pointer, pointer, pointer, number, pointer)
                    return function, group.watches.index(watch)
        raise LookupError(watch)

    def conditions(self, kind: str, group: int) -> Any:
        """The function that writes which conditions of temporal properties hold, of "states" or of "steps"."""
        pointer, number = ctypes.c_void_p, ctypes.c_uint64
        return self._function(f"judge_{kind}_{group}", None, pointer, pointer, pointer, number, pointer)

    @property
    def expand_instances(self) -> Any:
        """Expands states, with the numbers of action instances; there is one where there are temporal properties."""
        pointer, number = ctypes.c_void_p, ctypes.c_uint64
        return self._function("expand_instances", number, pointer, number, pointer, pointer, pointer, pointer)

    def _function(self, name: str, result: Any, *arguments: Any) -> Any:
        if name not in self._known:
            self._known[name] = ctypes.CFUNCTYPE(result, *arguments)(self._engine.get_function_address(name))
        return self._known[name]


def compile_program(program: Program) -> Compiled:
    """Optimised machine code for a program, from the cache when it was compiled before."""
    from .assembly import emit

    return Compiled(program, load(emit(program)))


def load(text: str, quick: bool = False) -> Any:
    """An execution engine with the machine code of some LLVM assembly, from the cache or made now."""
    code = cached(text, quick)
    return linked([made(text, quick) if code is None else code])


def made(text: str, quick: bool = False) -> bytes:
    """Compile some LLVM assembly and cache the machine code."""
    code = optimised(text, quick)
    keep(text, code, quick)
    return code


def keep_texts(texts: Sequence[str]) -> None:
    """Cache the assembly of a part of a program where it took long to write."""
    if sum(map(len, texts)) > LONG:
        for text in texts:
            store(_place(digest(text), TEXT), zlib.compress(text.encode(), 1))


def written(name: str) -> str | None:
    """The LLVM assembly with a digest, if it is cached."""
    found = stored(_place(name, TEXT))
    return None if found is None else zlib.decompress(found).decode()


def linked(codes: Sequence[bytes]) -> Any:
    """An execution engine with some machine code; its parts may call each other."""
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine(2))
    for code in codes:
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def optimised(text: str, quick: bool = False) -> bytes:
    """The machine code of some LLVM assembly."""
    level = 0 if quick else 2
    target, module = target_machine(level), llvm.parse_assembly(text)
    module.verify()
    if level:
        passes = llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options(speed_level=level))
        passes.getModulePassManager().run(module, passes)
    code: bytes = target.emit_object(module)
    return code


AVX_512 = re.compile(r"\+(?=avx512|avx10)")
"""Not in optimised code: there LLVM 22.1 lets a masked vpternlog load an operand, and exchanges two operands for that
without a change of the truth table, so that the result is wrong."""


@functools.cache
def identity() -> tuple[str, ...]:
    """What machine code depends on besides the assembly: LLVM, the CPU, its features in quick and in optimised code."""
    version, features = ".".join(map(str, llvm.llvm_version_info)), llvm.get_host_cpu_features().flatten()
    return llvmlite.__version__, version, llvm.get_host_cpu_name(), features, AVX_512.sub("-", features)


def target_machine(level: int) -> Any:
    """What compiles for this machine, at an LLVM speed level."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    *_, cpu, quick, optimised = identity()
    features = optimised if level else quick
    return target.create_target_machine(cpu=cpu, features=features, opt=level, jit=True)


def _place(name: str, kind: str) -> Path:
    return entry("native", name, kind, *identity())


def cached(text: str, quick: bool = False) -> bytes | None:
    """The machine code of some LLVM assembly, if it is cached."""
    return named(digest(text), quick)


def named(name: str, quick: bool = False) -> bytes | None:
    """The same for the assembly with a digest."""
    return stored(_place(name, QUICK if quick else BEST))


def keep(text: str, code: bytes, quick: bool = False) -> None:
    """Store machine code; a cache that cannot be written only costs time."""
    store(_place(digest(text), QUICK if quick else BEST), code)
