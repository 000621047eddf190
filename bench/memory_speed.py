"""How many random cache lines a second one core can read: what bounds a search in memory.

    python bench/memory_speed.py BYTES [BYTES ...]          one JSON number for each size: lines per second

The reads are independent and prefetched in batches of 64, and the memory is the same kind (huge pages where
Linux gives them): as the state store does it, with everything else left out.
"""

from __future__ import annotations

import ctypes
import json
import sys
import time
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from everystate.checker.backends.native.builder import I64, PTR, Function
from everystate.checker.backends.native.instructions import Module
from everystate.checker.engines.memory import Region

BATCH = 64
LINE = 64
REPEATS = 5
BATCHES = 1 << 16
GOLDEN, MIXER = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93


def emit() -> str:
    """LLVM assembly of read(memory, lines, first, batches): the sum of 64 * batches random lines' first words."""
    module = Module(llvm.get_process_triple())
    fn = Function(module, "read", [PTR, I64, I64, I64], I64)
    memory, lines, first, batches = fn.arguments
    b, buffer, total = fn.b, fn.buffer(I64, BATCH), fn.local(fn.const(0))
    with fn.loop(fn.const(0), batches) as batch:
        start = b.add(first, b.mul(batch, fn.const(BATCH)))
        with fn.loop(fn.const(0), fn.const(BATCH)) as i:
            word = _random_line(fn, b.add(start, i), lines)
            fn.store(buffer, i, word)
            fn.prefetch(fn.at(memory, word))
        with fn.loop(fn.const(0), fn.const(BATCH)) as i:
            fn.put(total, b.add(fn.get(total), fn.load(memory, fn.load(buffer, i))))
    fn.done(fn.get(total))
    return str(module)


def _random_line(fn: Function, number: Any, lines: Any) -> Any:
    """The first word of a line that a hash of `number` chooses."""
    b = fn.b
    value = b.mul(number, fn.const(GOLDEN))
    value = b.mul(b.xor(value, b.lshr(value, fn.const(32))), fn.const(MIXER))
    line = b.lshr(b.mul(b.lshr(value, fn.const(32)), lines), fn.const(32))
    return b.mul(line, fn.const(LINE // 8))


def compiled() -> tuple[Any, Any]:
    """(the engine that owns the code, the function)."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    features = llvm.get_host_cpu_features().flatten()
    machine = target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=features, opt=2, jit=True)
    module = llvm.parse_assembly(emit())
    passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
    passes.getModulePassManager().run(module, passes)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    number = ctypes.c_uint64
    kind = ctypes.CFUNCTYPE(number, ctypes.c_void_p, number, number, number)
    return engine, kind(engine.get_function_address("read"))


def lines_per_second(size: int) -> float:
    """Random lines read per CPU-second from `size` bytes, the best of some repeats."""
    engine, read = compiled()
    region = Region(size)
    region.array(np.uint64)[:] = 1
    rates = []
    for repeat in range(REPEATS):
        start = time.process_time()
        found = read(region.address, size // LINE, repeat * BATCHES * BATCH, BATCHES)
        rates.append(BATCHES * BATCH / (time.process_time() - start))
        assert found == BATCHES * BATCH
    del engine
    return max(rates)


if __name__ == "__main__":
    print(json.dumps([lines_per_second(int(size)) for size in sys.argv[1:]]))
