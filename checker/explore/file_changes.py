"""When the files of a spec change: which these are, and whether they are what they were."""

from __future__ import annotations

import os
import sys

from ..errors import file_of, is_ours
from ..language.spec import Spec

Stamp = tuple[tuple[str, int, int], ...]


def files_of(spec: Spec) -> list[str]:
    """The files of a spec and of its bases, and those beside them that were imported."""
    own = {file_of(sys.modules.get(base.__module__)) for base in type(spec).__mro__}
    found = {path for path in own if path and not is_ours(path) and path.endswith(".py")}
    folders = {os.path.dirname(path) for path in found}
    beside = map(file_of, list(sys.modules.values()))
    found |= {path for path in beside if path and os.path.dirname(path) in folders and path.endswith(".py")}
    return sorted(found)


def stamp(files: list[str]) -> Stamp:
    """When files were written and how large they are; one that is not there has no size."""
    return tuple((path, *_stamp(path)) for path in files)


def _stamp(path: str) -> tuple[int, int]:
    try:
        found = os.stat(path)
    except OSError:
        return 0, -1
    return found.st_mtime_ns, found.st_size
