"""The SMT backend: terms, decision trees and traces as formulas for z3."""

from ...extras import require

try:
    import z3
except ImportError:
    require("a proof by z3, also that values are interchangeable,", "z3")
    raise

from .arithmetic import BITS, INTEGERS, Arithmetic
from .context import own_context
from .limits import Clock, Memory, Stopped
from .states import Slot, States
from .system import BROKEN, FAULT, STUCK, Goal, Leaf, System
from .unroll import Unrolling

VERSION: str = z3.get_version_string()

__all__ = [
    "BITS",
    "BROKEN",
    "FAULT",
    "INTEGERS",
    "STUCK",
    "VERSION",
    "Arithmetic",
    "Clock",
    "Goal",
    "Leaf",
    "Memory",
    "Slot",
    "States",
    "Stopped",
    "System",
    "Unrolling",
    "own_context",
    "z3",
]
