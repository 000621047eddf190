"""Specs that are made on other machines, provided that they are there what they are here.

Python files travel. What a spec finds in another file beside them, or not there, does not: with a file of settings that
may be missing, executors proved another spec.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import pickle
import sys
from collections.abc import Callable, Mapping, Sequence
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


Asked: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]]]
"""Targets, each with all constants with which its spec is made."""


@dataclass(frozen=True)
class Made:
    """What the spec of a target is on the driver with some constants, or the code of the error that refuses it; they
    are packed, since they may be of types of the target's own."""

    constants: bytes
    model: Portable | None
    refused: str = ""


class _Compared(collections.defaultdict[str, list[Made]]):
    """What the specs of targets are on the driver that were found to be the same here: it fills while we work."""


_COMPARED = _Compared(list)


Make: TypeAlias = Callable[[str, Mapping[str, Any]], Made]


@dataclass(frozen=True)
class AsHere:
    """Makes specs as `load` does, where that makes what it has made here."""

    load: Load
    made: Mapping[str, Sequence[Made]]

    def __call__(self, target: str, constants: dict[str, Any]) -> Spec:
        """The spec of a target with some constants; E608 where it is another one than it was here with these."""
        for expected in self._meant(target, constants):
            if expected not in _COMPARED[target]:
                self._compare(target, expected)
                _COMPARED[target].append(expected)
        return self.load(target, constants)

    def _meant(self, target: str, constants: dict[str, Any]) -> Sequence[Made]:
        """What was made here with some constants; all that was, where none of it can be told to be that."""
        every, packed = self.made.get(target, ()), pickle.dumps(dict(constants))
        found = [made for made in every if made.constants == packed]
        return found or (every if constants else ())

    def _compare(self, target: str, here: Made) -> None:
        with contextlib.suppress(EverystateError):
            self.load(target, {})  # what the constants are of
        there = made(self.load, target, pickle.loads(here.constants))
        if here.model is not None and there.model is not None:
            parts = differing([here.model, there.model])
        else:
            parts = [] if here.refused == there.refused else ["what refuses it"]
        if parts:
            raise EverystateError("E608", None, spec=target, parts=", ".join(parts[:3]))


def as_here(load: Load, asked: Asked, embedded: bool, make: Make | None = None) -> Load:
    """How executors load the specs of some targets; what comes with Everystate travels whole, and embedded executors
    share the files of the driver. One that is refused must be refused there, too. `make` says what a spec is here."""
    making = make or functools.partial(made, load)
    found: dict[str, list[Made]] = {}
    for target, given in () if embedded else sorted(asked.items()):
        some = [making(target, constants) for constants in given]
        some = [each for each in some if each.refused or each.model is not None]
        if some:
            found[target] = some
    return AsHere(load, found) if found else load


def made(load: Load, target: str, constants: Mapping[str, Any]) -> Made:
    """What a spec is in this process; of one that comes with Everystate nothing need be known."""
    packed = pickle.dumps(dict(constants))
    try:
        spec = load(target, dict(constants))
        ours = package_module(sys.modules.get(type(spec).__module__))
        return Made(packed, None if ours else portable(traced(spec)))
    except EverystateError as error:
        return Made(packed, None, error.code)
