"""Machine code of just what the comparison calls: the expansion of states and the flags of properties."""

from __future__ import annotations

import ctypes
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from everystate.checker.backends.native import Program, interface
from everystate.checker.backends.native.compile import target_machine
from everystate.checker.backends.native.functions import Functions
from everystate.checker.backends.native.instructions import Module, joined

Cells = tuple[int, ...]
POINTER, NUMBER = ctypes.c_void_p, ctypes.c_uint64


def _load(module: Module, level: int) -> Any:
    machine = target_machine(level)
    parsed = llvm.parse_assembly(str(module))
    parsed.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(parsed, passes)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(machine.emit_object(parsed)))
    engine.finalize_object()
    return engine


class MachineCode:
    """The compiled functions of a program, optimised at an LLVM speed level."""

    def __init__(self, program: Program, level: int = 0) -> None:
        self.program, self.layout = program, program.model.layout
        modules = Functions(program, llvm.get_process_triple()).modules
        self._engine = _load(joined(modules, whole=not interface.large(program)), level)

    def _function(self, name: str, result: Any, *arguments: Any) -> Any:
        return ctypes.CFUNCTYPE(result, *arguments)(self._engine.get_function_address(name))

    def pack(self, states: list[Cells]) -> Any:
        """States as an array of words."""
        rows = [self.layout.pack(cells) for cells in states]
        return np.array(rows, np.uint64).reshape(len(rows), self.program.words)

    @property
    def expansions(self) -> tuple[str, ...]:
        """The functions that expand states."""
        return ("expand", "expand_block") if interface.large(self.program) else ("expand",)

    def expand(self, states: list[Cells], name: str) -> tuple[list[list[tuple[str, Cells]]], Any]:
        """For each state its (action, successor)s in order, by one of `expansions`; and the counters."""
        program, words = self.program, self.pack(states)
        room = len(states) * program.most_successors
        out, counters = np.zeros((room, program.words), np.uint64), np.zeros(program.counters.room, np.uint64)
        actions, sources = np.zeros(room, np.uint16), np.zeros(room, np.uint32)
        function = self._function(name, NUMBER, POINTER, NUMBER, POINTER, POINTER, POINTER, POINTER)
        buffers = (out.ctypes.data, actions.ctypes.data, sources.ctypes.data, counters.ctypes.data)
        found: list[list[tuple[str, Cells]]] = [[] for _ in states]
        for start in range(0, len(states), interface.BLOCK):
            block = words[start : start + interface.BLOCK]
            for i in range(function(block.ctypes.data, len(block), *buffers)):
                successor = self.layout.unpack(out[i].tolist())
                found[start + sources[i]].append((program.action_names[actions[i]], successor))
        return found, counters

    def flags(self, watch: int, states: list[Cells], before: list[Cells] | None = None) -> list[bool]:
        """Where a watch holds; before[i] is the state before states[i]."""
        name, bit = self._flag(watch)
        function = self._function(name, None, POINTER, POINTER, POINTER, NUMBER, POINTER)
        now, found = self.pack(states), np.zeros(len(states), np.uint64)
        then, sources = self.pack(before or states), np.arange(len(states), dtype=np.uint32)
        function(now.ctypes.data, then.ctypes.data, sources.ctypes.data, len(states), found.ctypes.data)
        return [bool(v >> bit & 1) for v in found.tolist()]

    def _flag(self, watch: int) -> tuple[str, int]:
        """The function of a watch's group, and the watch's bit in what it writes."""
        for name, groups in (("flag_states", self.program.state_groups), ("flag_steps", self.program.step_groups)):
            for g, group in enumerate(groups):
                if watch in group.watches:
                    return f"{name}_{g}", group.watches.index(watch)
        raise LookupError(watch)

    def inside(self, states: list[Cells]) -> list[bool]:
        """Where every constraint holds."""
        now, found = self.pack(states), np.zeros(len(states), np.uint64)
        self._function("inside_states", None, POINTER, NUMBER, POINTER)(now.ctypes.data, len(states), found.ctypes.data)
        return [bool(v) for v in found.tolist()]
