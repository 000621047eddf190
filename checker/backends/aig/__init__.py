"""The AIGER backend: a model as a circuit, for hardware model checkers."""

from .machine import FAILS, PROPERTY, STAYS, Machine, Wanted
from .places import BIT, BOUND, FEW, TRUTH, Latch
from .words import Unsupported

__all__ = ["BIT", "BOUND", "FAILS", "FEW", "PROPERTY", "STAYS", "TRUTH", "Latch", "Machine", "Unsupported", "Wanted"]
