"""The language once more, as a library of plain Python over lists, sets, dicts and numbers: a third judge.

A generated spec is executed a second time with this module in the place of `everystate.checker`. Nothing is shared
with it: a value of the state is a list, a set or a dict that refuses what its domain does not hold, and copies what is
stored in it. Errors are those of CPython.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .plain_values import Array, Bag, Bool, Enum, Int, Map, Option, Product, Record, Seq, Set, domain

__all__ = [
    "Array",
    "Bag",
    "Bool",
    "Enum",
    "Int",
    "Map",
    "Option",
    "Product",
    "Record",
    "Seq",
    "Set",
    "Spec",
    "action",
    "choose",
    "implies",
    "invariant",
    "narrate",
    "require",
]


class Stop(BaseException):
    """A guard is false."""


class Spec:
    """A spec whose state is plain data."""

    def __init__(self) -> None:
        object.__setattr__(self, "domains", {})
        object.__setattr__(self, "values", None)
        self.variables()
        object.__setattr__(self, "places", {name: place for place, name in enumerate(self.__dict__["domains"])})

    def variables(self) -> None:
        raise NotImplementedError

    def __setattr__(self, name: str, value: Any) -> None:
        if self.__dict__["values"] is None:
            self.__dict__["domains"][name] = domain(value)
        else:
            self.__dict__["values"][name] = self.__dict__["domains"][name].make(value)

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        if own["values"] is None or name not in own["places"]:
            raise AttributeError(name)
        if name not in own["values"]:  # most bodies read few variables
            own["values"][name] = own["domains"][name].load(own["state"][own["places"][name]])
        return own["values"][name]

    def load(self, state: tuple[Any, ...]) -> None:
        """Take the values of a state."""
        own = self.__dict__
        own["state"], own["values"] = state, {}

    def dump(self) -> tuple[Any, ...]:
        """The state as plain data."""
        own, found = self.__dict__, list(self.__dict__["state"])
        for name, value in own["values"].items():
            found[own["places"][name]] = own["domains"][name].dump(value)
        return tuple(found)


@dataclass
class Choices:
    """The alternatives that a run takes, and how many there were."""

    script: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)


CHOICES = Choices()


def outcomes(spec: Any, body: Callable[[], Any], state: tuple[Any, ...]) -> list[Any]:
    """What a body does in a state for every way to choose: the value that it returns and the state after, or the
    exception that it raises; nothing where a guard stops it."""
    found, script = list[Any](), list[int]()
    while True:
        spec.load(state)
        CHOICES.script, CHOICES.counts = script, []
        try:
            value = body()
            found.append((value, spec.dump()))
        except Stop:
            pass
        except Exception as error:
            found.append(error)
        script = [*script, *[0] * (len(CHOICES.counts) - len(script))]
        while script and script[-1] + 1 == CHOICES.counts[len(script) - 1]:
            script.pop()
        if not script:
            return found
        script[-1] += 1


def choose(options: Any) -> Any:
    """One of some values."""
    items = list(options)
    if not items:
        raise Stop
    at = len(CHOICES.counts)
    CHOICES.counts.append(len(items))
    return items[CHOICES.script[at] if at < len(CHOICES.script) else 0]


def require(condition: Any) -> None:
    """A guard."""
    if not condition:
        raise Stop


def implies(left: Any, right: Any) -> bool:
    """Whether the right side holds, or the left one does not."""
    return not left or bool(right() if callable(right) else right)


def narrate(*_: Any, **__: Any) -> None:
    """Says nothing."""


def action(*given: Any, **_: Any) -> Any:
    """A mark."""
    return given[0] if given else lambda method: method


invariant = action
