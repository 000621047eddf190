"""Specs that are made on other machines, provided that they are there what they are here.

Python files travel. What a spec finds in another file beside them, or not there, does not: with a file of settings that
may be missing, executors proved another spec.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..border.ownership import package_module
from ..errors import EverystateError
from ..language.spec import Spec
from .model import traced
from .portable import Portable, portable
from .sameness import differing

Load: TypeAlias = Callable[[str, dict[str, Any]], Spec]
"""From a target and constants to a spec; a function of a module, so that it can travel."""


class _Compared(dict[str, Portable]):
    """What the specs of targets are on the driver that were found to be the same here: it fills while we work."""


_COMPARED = _Compared()


@dataclass(frozen=True)
class AsHere:
    """Makes specs as `load` does, where that makes what it has made here; `made` has some constants of each target."""

    load: Load
    made: Mapping[str, tuple[dict[str, Any], Portable]]

    def __call__(self, target: str, constants: dict[str, Any]) -> Spec:
        """The spec of a target with some constants; E608 where it is another one."""
        if target in self.made:
            given, expected = self.made[target]
            if _COMPARED.get(target) != expected:
                parts = differing([expected, portable(traced(self.load(target, given)))])
                if parts:
                    raise EverystateError("E608", None, spec=target, parts=", ".join(parts[:3]))
                _COMPARED[target] = expected
        return self.load(target, constants)


def as_here(load: Load, wanted: Iterable[tuple[str, dict[str, Any]]], embedded: bool) -> Load:
    """How executors load the specs of these targets; what comes with Everystate travels whole, and embedded executors
    share the files of the driver."""
    made: dict[str, tuple[dict[str, Any], Portable]] = {}
    for target, constants in [] if embedded else wanted:
        with contextlib.suppress(EverystateError):
            if target not in made:
                spec = load(target, constants)
                if not package_module(sys.modules.get(type(spec).__module__)):
                    made[target] = constants, portable(traced(spec))
                    _COMPARED[target] = made[target][1]
    return AsHere(load, made) if made else load
