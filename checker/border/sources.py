"""The sources of who wrote a spec: the bodies of modules, as Python executed them."""

from __future__ import annotations

import os
from functools import lru_cache
from importlib.machinery import SourceFileLoader
from types import CodeType, ModuleType


def body_of(module: ModuleType) -> CodeType | None:
    """The body of a module; None where there is no source of it."""
    path = getattr(module, "__file__", None) or ""
    loader = getattr(module.__spec__, "loader", None)
    name = loader.name if type(loader) is SourceFileLoader else None
    try:
        return _read(path, name, os.stat(path).st_mtime_ns)
    except (OSError, ImportError, SyntaxError, ValueError):
        return None


@lru_cache(maxsize=256)
def _read(path: str, name: str | None, _: int) -> CodeType | None:
    """The same of a file of some age, with what Python has compiled and kept of it where there is a name for that."""
    if name is not None:
        return SourceFileLoader(name, path).get_code(name)
    with open(path, "rb") as source:
        return compile(source.read(), path, "exec", dont_inherit=True)
