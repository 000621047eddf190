"""The interface between the language and the two ways to run a spec.

`require`, `choose` and the other statements of the language do not know whether they run on plain Python values or on
symbols. They call the current machine: the one of plain values (`concrete_machine.py`), or the tracer (`checker.ir`).
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, Protocol


class Disabled(BaseException):
    """Raised where an action has no successor: `by` a false guard, a choice from nothing, or a named action constraint.

    It is no Exception, so that `except Exception` in a spec does not catch a guard.
    """

    GUARD, CHOICE, CONSTRAINT = "guard", "choice", "constraint"

    def __init__(self, by: str = GUARD, name: str = "") -> None:
        super().__init__()
        self.by, self.name = by, name


class Frame(Protocol):
    """Where `self.variable` reads from and writes to while an action or a property executes."""

    def read(self, name: str) -> Any: ...

    def write(self, name: str, value: Any) -> None: ...


class Machine(Protocol):
    """What a statement of the language needs from the machine that executes it."""

    def choose(self, given: Any) -> Any: ...

    def implies(self, left: Any, right: Any) -> Any: ...

    def negated(self, value: Any) -> Any: ...

    def narrate(self, event: dict[str, Any]) -> None: ...

    def equal_records(self, left: Any, right: Any) -> Any: ...

    def kept(self, cls: str, fields: dict[str, Any]) -> dict[str, Any]:
        """The value of a field for a new record of a class."""
        ...


_current: ContextVar[Machine | None] = ContextVar("everystate_machine", default=None)


def current() -> Machine | None:
    """The machine that executes an action or a property at the moment, if there is one."""
    return _current.get()


def is_executing() -> bool:
    """Whether an action or a property is being executed."""
    return current() is not None


class executing:
    """Run the body on a machine. A class: it begins and ends for every attempt of every action."""

    __slots__ = ("_on", "_token")

    def __init__(self, on: Machine) -> None:
        self._on = on

    def __enter__(self) -> None:
        self._token = _current.set(self._on)

    def __exit__(self, *raised: object) -> None:
        _current.reset(self._token)


class Reading:
    """Read and write the variables of a spec through `frame` in the body; a class for the same reason."""

    __slots__ = ("_frame", "_outer", "_spec")

    def __init__(self, spec: Any, frame: Frame) -> None:
        self._spec, self._frame = spec, frame

    def __enter__(self) -> None:
        self._outer = self._spec._frame
        object.__setattr__(self._spec, "_frame", self._frame)

    def __exit__(self, *raised: object) -> None:
        object.__setattr__(self._spec, "_frame", self._outer)
