"""The domains as a type checker sees them in a spec: `self.count = Int(0, 3)` declares a variable, and reading
`self.count` gives a number, so the constructors are typed as returning anything. Never imported at run time."""

from __future__ import annotations

from typing import Any


def Int(lo: int, hi: int, init: Any = ...) -> Any:
    """The integers lo..hi, both included."""


def Bool(init: Any = ...) -> Any:
    """False and True."""


def Enum(*members: Any, init: Any = ...) -> Any:
    """Named values."""


def Array(n: int, element: Any, init: Any = ...) -> Any:
    """Exactly n values of one domain."""


def Seq(element: Any, capacity: int, init: Any = ...) -> Any:
    """A sequence of at most `capacity` values."""


def Set(element: Any, init: Any = ...) -> Any:
    """Any subset of a small scalar domain."""


def Map(keys: Any, element: Any, init: Any = ...) -> Any:
    """A value for every key."""


def Interchangeable(n: int, name: str, init: Any = ...) -> Any:
    """The values 0 to n - 1, none of which differs from the others."""


def Option(element: Any, init: Any = ...) -> Any:
    """None, or a value of another domain."""
