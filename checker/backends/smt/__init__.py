"""The SMT backend: terms, decision trees and behaviours as formulas for z3."""

from ...errors import EverystateError

try:
    import z3
except ImportError as error:
    raise EverystateError("E510") from error

from .arithmetic import BITS, INTEGERS, Arithmetic
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
    "z3",
]
