"""In another process: a spec is made and traced once more, and what it is goes back as plain data."""

from __future__ import annotations

import importlib
import importlib.util
import os
import pickle
import runpy
import sys
import threading
from types import ModuleType
from typing import Any

from ..errors import EverystateError
from ..language.spec import Spec
from .model import traced
from .portable import portable
from .reproducibility import Answer, named


def answer(given: dict[str, Any]) -> None:
    """Trace a spec that another process has described, and tell it the result."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    threading.Thread(target=_until_alone, daemon=True).start()
    told = pickle.dumps(_traced(given))
    out.write(told)
    out.flush()
    os._exit(0)


def _until_alone() -> None:
    """End when whoever has asked is gone."""
    while sys.stdin.buffer.read(1):
        pass
    os._exit(1)


def _traced(given: dict[str, Any]) -> Answer:
    try:
        shifted = _shift(given["seed"])
        cls = named(_module(given), given["class"])
        spec: Spec = cls(**pickle.loads(given["constants"]))
        made = portable(traced(spec))
        del shifted
        return Answer(made)
    except EverystateError as error:
        return Answer(refused=f"{error.code}: {error.what}")
    except BaseException as error:
        return Answer(failed=f"another process could not make it: {type(error).__name__}: {error}")


def _shift(seed: int) -> list[Any]:
    """Objects of many sizes, so that those that follow have other addresses, on which the order of classes hangs."""
    return [bytearray(size) for size in range(16, 4096, 16) for _ in range(seed % 8)] + [bytearray(16 * seed)]


def _module(given: dict[str, Any]) -> ModuleType:
    name, path = given["module"], given["file"]
    if name == "__main__":
        module = ModuleType("__mp_main__")
        vars(module).update(runpy.run_path(path, run_name="__mp_main__"))
        sys.modules["__main__"] = sys.modules["__mp_main__"] = module
        return module
    for outer, folders in given["outer"]:
        if _found(outer) is None:  # as pytest may import it
            sys.modules[outer] = ModuleType(outer)
            sys.modules[outer].__path__ = folders
    if _found(name) == path:
        return importlib.import_module(name)
    folder = [os.path.dirname(path)] if given["package"] else None
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=folder)
    assert spec is not None and spec.loader is not None, "it is a file of Python"
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _found(name: str) -> str | None:
    """The file of a module that can be imported; "" where a package has none."""
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    if found is not None and not found.origin:
        return ""
    return os.path.abspath(found.origin) if found is not None and found.origin else None
