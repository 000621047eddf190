"""What an assignment in variables() declares: a variable, or a constant that is derived and cannot change."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from types import FunctionType, MethodType
from typing import Any

from ..errors import EverystateError, user_place
from .domains import AnyOf, Domain
from .domains import is_domain as is_domain_or_range
from .marks import Constant


def is_domain(value: Any) -> bool:
    """Whether a value declares a variable: a domain, or a class that is used as one."""
    return is_domain_or_range(value) and not isinstance(value, range)


def check(spec: Any, name: str, value: Any) -> None:
    """E116 and E131 when an assignment in variables() declares something else than it seems to."""
    known = inspect.getattr_static(type(spec), name, None)
    method = isinstance(known, (FunctionType, staticmethod, classmethod, property))
    taken = method or isinstance(known, Constant) or (is_domain(value) and hasattr(type(spec), name))
    if taken or name in ("instances", "properties"):
        other = "a constant" if isinstance(known, Constant) else "a method or attribute of the class"
        raise EverystateError("E116", user_place(), spec=type(spec).__name__, name=name, other=other)
    found = _problem(name, value, name in spec.domains, name in vars(spec))
    if found is not None:
        problem, remedy = found
        shown = f"{value.__name__}" if isinstance(value, (type, MethodType)) else repr(value)
        raise EverystateError("E131", user_place(), name=name, value=shown, problem=problem, remedy=remedy)


def _problem(name: str, value: Any, variable: bool, constant: bool) -> tuple[str, str] | None:
    """(what is wrong, what to do)."""
    if is_domain(value):
        if constant:
            return "it is a derived constant already", "rename one of them"
        wrong = "a variable cannot begin with an underscore", f"write self.{name.lstrip('_')}"
        return wrong if name.startswith("_") else None
    if variable:
        return "it is a variable already, which this would hide", "give the value to begin with as init= of its domain"
    if isinstance(value, AnyOf):
        return "this is not a domain", f"write it as init= of one: self.{name} = Int(0, 9, init=AnyOf(...))"
    if isinstance(value, type) and issubclass(value, Domain):
        return "this is a class, not a domain", f"write {value.__name__}(...)"
    if isinstance(value, Constant):
        return "a Constant is set from outside", f"move it into the body of the class: {name} = Constant(...)"
    if isinstance(value, MethodType):
        return "this method was not called", f"write {value.__name__}()"
    if _holds_domain(value):
        return "it contains domains, but is not a domain", "write Array(n, domain), Map(keys, domain) or Record.of(...)"
    if isinstance(value, Iterator):
        return "it can be read once only", "for a constant write tuple(...)"
    return None


def _holds_domain(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_holds_domain, value.values()))
    if isinstance(value, (list, tuple, set, frozenset)):
        return any(map(_holds_domain, value))
    return is_domain(value)
