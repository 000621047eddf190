"""The functions of a class body, without their decorators."""

from __future__ import annotations

import functools
from types import FunctionType, MethodType
from typing import Any

HOLDERS = (
    *((kind, "__func__") for kind in (staticmethod, classmethod, MethodType)),
    (property, "fget"),
    *((kind, "func") for kind in (functools.cached_property, functools.partial, functools.partialmethod)),
    (functools.singledispatchmethod, "func"),
)
"""What holds a function, and under which name."""


def function_of(value: Any) -> Any:
    """The function in a value of a class: below static and class methods, partial methods, and properties of Python."""
    if type(value) is FunctionType:
        return value
    for kind, name in HOLDERS:
        if isinstance(value, kind):
            return function_of(getattr(value, name))
    return value
