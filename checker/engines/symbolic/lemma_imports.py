"""The import lines of a file with lemmas: where its spec, and the classes of its values, come from.

A class of a package is imported by its name. One from a spec file is imported relative to the file with the lemmas, so
that no other module of the same name is taken; where they are in different folders, that of the spec joins the path.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

TARGET = "everystate_target_"
"""How the names of modules begin that were loaded from a file."""
LEMMA = "from everystate.checker import lemma"


def imports(classes: Iterable[type], file: Path) -> list[str]:
    """The lines for some classes, and for @lemma, in a file with lemmas."""
    found, folders = list[str](), set[str]()
    for cls in sorted(set(classes), key=lambda cls: (cls.__module__, cls.__qualname__)):
        name, module = cls.__qualname__.split(".")[0], cls.__module__
        origin = os.path.abspath(getattr(sys.modules.get(module), "__file__", None) or "")
        if module.startswith(TARGET):
            root, _, inner = module.partition(".")
            folders.add(os.path.dirname(os.path.abspath(sys.modules[root].__file__ or "")))
            module = inner or root.removeprefix(TARGET)
            found.append(_relative(module, name))
        else:
            found.append(f"from {module} import {name}")
            if "." not in module and os.path.dirname(origin) in folders:
                found[-1] = _relative(module, name)
    standard = ["import importlib"] if any("importlib" in line for line in found) else []
    elsewhere = sorted(folders - {os.path.dirname(os.path.abspath(file))})
    standard += ["import sys", "from pathlib import Path"] if elsewhere else []
    lines = [*standard, "", LEMMA] if standard else [LEMMA]
    for folder in elsewhere:
        there = os.path.relpath(folder, os.path.dirname(os.path.abspath(file)))
        lines += ["", f"folder = str(Path(__file__).resolve().parent / {there!r})"]
        lines += ["sys.path.append(folder)", "__path__.append(folder)"]
    return [*lines, *([""] if elsewhere else []), *dict.fromkeys(found)]


def _relative(module: str, name: str) -> str:
    if all(part.isidentifier() for part in module.split(".")):
        return f"from .{module} import {name}"
    return f'{name} = importlib.import_module(".{module}", __name__).{name}'
