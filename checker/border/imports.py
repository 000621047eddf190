"""Which modules of who wrote a spec an import may mean."""

from __future__ import annotations

import dis
import importlib.util
import sys
from collections.abc import Iterator, Mapping
from types import CodeType, ModuleType
from typing import TypeAlias

from ..errors import file_of, is_ours, name_of
from . import bytecode
from .loaded import others
from .ownership import package_module
from .sources import all_codes, body_or_empty, is_module


def theirs(module: ModuleType) -> bool:
    path = file_of(module)
    return bool(path) and not (is_ours(path) or package_module(module) or bytecode.of_library(path))


def bound(module: ModuleType, level: int, name: str, listed: bool) -> ModuleType | None:
    """What an import of so many dots has on the stack: the module, or its outermost package if no name is listed."""
    try:
        full = importlib.util.resolve_name("." * level + name, str(getattr(module, "__package__", None) or ""))
    except ImportError:
        return None
    found = sys.modules.get(full if listed else full.partition(".")[0])
    return found if is_module(found) else None


Own: TypeAlias = Mapping[str, ModuleType]
"""The modules of who wrote specs, by the names by which they stand among all."""


def own() -> Own:
    """Those that are loaded."""
    found = {name: module for name, module in others().items() if is_module(module) and theirs(module)}
    return {name: module for name, module in found.items() if isinstance(name, str)}  # Python takes any key


def imported(module: ModuleType, name: str, known: Own) -> list[ModuleType]:
    """What an import may mean: the module, or with a relative one those of the package that are loaded."""
    package = getattr(module, "__package__", None) or ""
    above = [".".join(package.split(".")[:n]) for n in range(len(package.split(".")), 0, -1)]
    given = [name, *(f"{outer}.{name}".rstrip(".") for outer in above if outer)]
    found = [sys.modules[n] for n in given if is_module(sys.modules.get(n))]
    below = tuple(f"{name_of(package)}." for package in found)
    inside = [module for name, module in known.items() if name.startswith(below)] if below else []
    outer = [sys.modules.get(full[:at]) for full in given for at, sign in enumerate(full) if sign == "."]
    return [*found, *inside, *(m for m in outer if m is not None and is_module(m) and theirs(m))]


def names_in(code: CodeType) -> Iterator[str]:
    """The names of the modules that a code object imports."""
    if _IMPORT in code.co_code[::2]:
        yield from (str(step.argval) for step in bytecode.steps_of(code) if step.opname == "IMPORT_NAME")


_IMPORT = dis.opmap["IMPORT_NAME"]


def below(todo: list[ModuleType]) -> list[ModuleType]:
    """Some modules of who wrote a spec, with those that they import."""
    found, known = dict[int, ModuleType](), own()
    while todo:
        module = todo.pop()
        if id(module) not in found and theirs(module):
            found[id(module)] = module
            names = dict.fromkeys(name for code in all_codes(body_or_empty(module)) for name in names_in(code))
            todo += [other for name in names for other in imported(module, name, known)]
    return list(found.values())
