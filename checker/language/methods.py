"""The functions of a class body, without their decorators."""

from __future__ import annotations

from types import FunctionType
from typing import Any


def function_of(value: Any) -> Any:
    """The function in a value of a class: below static and class methods, partial methods, and properties of Python."""
    for inner in ("__func__", "fget", "func"):
        if isinstance(value, FunctionType):
            break
        value = getattr(value, inner, value)
    return value
