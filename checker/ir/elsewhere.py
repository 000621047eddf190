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
    """Makes specs as `load` does, where that makes what it has made here; `made` are they with their own constants."""

    load: Load
    made: Mapping[str, Portable]

    def __call__(self, target: str, constants: dict[str, Any]) -> Spec:
        """The spec of a target with some constants; E608 where it is another one."""
        expected = self.made.get(target)
        if expected is not None and _COMPARED.get(target) != expected:
            parts = differing([expected, portable(traced(self.load(target, {})))])
            if parts:
                raise EverystateError("E608", None, spec=target, parts=", ".join(parts[:3]))
            _COMPARED[target] = expected
        return self.load(target, constants)


def as_here(load: Load, targets: Iterable[str], embedded: bool) -> Load:
    """How executors load the specs of these targets; what comes with Everystate travels whole, and embedded executors
    share the files of the driver. One that is refused with its own constants is not compared."""
    made: dict[str, Portable] = {}
    for target in () if embedded else sorted(targets):
        with contextlib.suppress(EverystateError):
            spec = load(target, {})
            if not package_module(sys.modules.get(type(spec).__module__)):
                made[target] = _COMPARED[target] = portable(traced(spec))
    return AsHere(load, made) if made else load
