"""Vector instructions: what LLVM makes of them is what they say."""

from __future__ import annotations

import ctypes

import llvmlite.binding as llvm
import numpy as np
import pytest

from everystate.checker.backends.native import compile

EIGHT = """
define void @less(ptr %states, ptr %out) nounwind {
  %state = load <8 x i64>, ptr %states, align 8
  %low = and <8 x i64> %state, splat (i64 15)
  %minus = add <8 x i64> %low, splat (i64 -1)
  %next = add <8 x i64> %state, splat (i64 15)
  %new = and <8 x i64> %next, splat (i64 15)
  %high = and <8 x i64> %state, splat (i64 -16)
  %both = or disjoint <8 x i64> %high, %new
  %some = icmp ult <8 x i64> %minus, splat (i64 11)
  %found = select <8 x i1> %some, <8 x i64> %both, <8 x i64> %state
  store <8 x i64> %found, ptr %out, align 8
  ret void
}
"""


@pytest.mark.parametrize("level", (0, 2))
def test_a_selection_between_fields_is_exact_in_vector_code(level: int) -> None:
    """LLVM 22.1 takes the wrong bits of a selection, where it optimises with AVX-512"""
    code = compile.target_machine(level).emit_object(llvm.parse_assembly(EIGHT))
    engine = compile.linked([code])
    less = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(engine.get_function_address("less"))
    states, out = np.arange(64, dtype=np.uint64), np.zeros(64, np.uint64)
    for at in range(0, 64, 8):
        less(states[at:].ctypes.data, out[at:].ctypes.data)
    assert out.tolist() == [state - 1 if 1 <= state % 16 <= 11 else state for state in range(64)]
