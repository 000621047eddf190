"""Which modules of who wrote a spec an import may mean."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType
from typing import Any

from ..errors import is_ours
from . import bytecode
from .ownership import package_module


def name_of(module: Any) -> str:
    return getattr(module, "__name__", "")


def theirs(module: ModuleType) -> bool:
    path = getattr(module, "__file__", None) or ""
    return bool(path) and not (is_ours(path) or package_module(module) or bytecode.of_library(path))


def bound(module: ModuleType, level: int, name: str, listed: bool) -> ModuleType | None:
    """What an import of so many dots has on the stack: the module, or its outermost package if no name is listed."""
    try:
        full = importlib.util.resolve_name("." * level + name, str(getattr(module, "__package__", None) or ""))
    except ImportError:
        return None
    return sys.modules.get(full if listed else full.partition(".")[0])


def imported(module: ModuleType, name: str) -> list[ModuleType]:
    """What an import may mean: the module, or with a relative one those of the package that are loaded."""
    package = getattr(module, "__package__", None) or ""
    above = [".".join(package.split(".")[:n]) for n in range(len(package.split(".")), 0, -1)]
    given = [name, *(f"{outer}.{name}".rstrip(".") for outer in above if outer)]
    found = [sys.modules[n] for n in given if n in sys.modules]
    inner = [m for n, m in list(sys.modules.items()) if any(n.startswith(f"{f.__name__}.") for f in found)]
    return [*found, *(m for m in inner if theirs(m))]
