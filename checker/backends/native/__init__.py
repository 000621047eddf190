"""The native backend: machine code for a traced model, through LLVM."""

from .compile import Compiled, compile_program
from .program import Counters, Program, Watch

__all__ = ["Compiled", "Counters", "Program", "Watch", "compile_program"]
