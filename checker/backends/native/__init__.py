"""The native backend: machine code for a traced model, through LLVM."""

from . import known as known  # before any module that writes assembly
from .compile import Compiled, compile_program
from .program import Counters, Program, Watch

__all__ = ["Compiled", "Counters", "Program", "Watch", "compile_program"]
