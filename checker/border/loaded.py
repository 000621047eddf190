"""The modules that Python has loaded: of thousands, those of libraries are asked once what they are."""

from __future__ import annotations

import itertools
import operator
import sys
from collections.abc import Set
from types import ModuleType
from typing import Any

from ..errors import file_of, is_ours
from ..language.integrity import being_loaded
from . import bytecode
from .sources import is_module, written_in


class _Settled:
    """Modules of the checker and of libraries that are executed to their end, by identity, with the file of each."""

    def __init__(self) -> None:
        self.modules: dict[int, ModuleType] = {}
        self.files: dict[str, set[int]] = {}
        self.specs = bytecode.installed_specs()

    def add(self, module: Any) -> bool:
        """Whether something is such a module, which is kept then."""
        path = file_of(module) if type(module) is ModuleType else ""
        settled = path.endswith(_SOURCES) and (is_ours(path) or bytecode.of_library(path)) and not being_loaded(module)
        if settled:
            self.modules[id(module)] = module
            self.files.setdefault(path, set()).add(id(module))
        return settled


_SOURCES = (".py", ".so", ".pyd")
_SETTLED = _Settled()


def others() -> dict[str, Any]:
    """What stands there by its names, but for modules of the checker and of libraries that are executed to their end.

    Another thread may be loading one. What was taken for a library is asked anew where specs turn out to be installed.
    """
    if _SETTLED.specs != bytecode.installed_specs():
        vars(_SETTLED).update(vars(_Settled()))
    loaded = sys.modules.copy()
    known = map(_SETTLED.modules.__contains__, map(id, loaded.values()))
    strange = itertools.compress(loaded.items(), map(operator.not_, known))
    return {name: module for name, module in strange if not _SETTLED.add(module)}


def beginning() -> list[ModuleType]:
    """The modules that are being loaded, in whatever thread."""
    return [module for module in others().values() if type(module) is ModuleType and being_loaded(module)]


def modules_from(files: Set[str]) -> list[ModuleType]:
    """The modules that were loaded from some files."""
    strange = [module for module in others().values() if is_module(module)]
    found = {id(module) for module in strange if file_of(module) in files}
    settled = {path for path in files if path in _SETTLED.files}  # another thread may be adding to these
    found.update(*(_SETTLED.files[path] for path in settled))
    left = files - settled - {file_of(module) for module in strange}
    if left:
        found.update(id(m) for m in strange if file_of(m).endswith(".pyc") and written_in(m) in left)
    loaded = list(sys.modules.values())
    return [*itertools.compress(loaded, map(found.__contains__, map(id, loaded)))]
