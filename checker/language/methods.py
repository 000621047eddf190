"""Methods that were not called: Python takes a method for true, and for equal to nothing; here that is an error.

`require(self.free)` and `not self.free` where `free` is a method mean `self.free()`, and say something else. So the
methods of specs and records are handed out as `Bound`, which can be called and passed on, and refuses the rest.
"""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any, NoReturn

from ..errors import EverystateError, user_place
from .annotations import signature_of
from .machine import is_executing


class Bound:
    """A method with its self."""

    __slots__ = ("_method",)

    def __init__(self, method: Any) -> None:
        self._method = method

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._method(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._method, name)

    def __repr__(self) -> str:
        return f"the method {self._method.__name__} (not called)"

    @property
    def __signature__(self) -> inspect.Signature:
        return signature_of(self._method)

    def _refuse(self, *_: Any) -> NoReturn:
        raise EverystateError("E219", user_place(), value=repr(self), remedy=f"call it: {self._method.__name__}(...)")

    def __eq__(self, other: object) -> bool:
        self._refuse()

    def __ne__(self, other: object) -> bool:
        self._refuse()

    def __hash__(self) -> int:
        return hash(self._method)

    __bool__ = __lt__ = __le__ = __gt__ = __ge__ = __len__ = __iter__ = __contains__ = __getitem__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = __abs__ = _refuse
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __invert__ = _refuse
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __index__ = __int__ = _refuse


class Unbound:
    """A method that is taken from its class while a spec is executed; what it is called on must be of that class."""

    __slots__ = ("_method", "_owner")

    def __init__(self, method: FunctionType, owner: type) -> None:
        object.__setattr__(self, "_method", method)
        object.__setattr__(self, "_owner", owner)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._method, name, value)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if args and not issubclass(type(args[0]), self._owner):
            name = f"{self._owner.__name__}.{self._method.__name__}(...)"
            reason = f"the `self` that it is given is no {self._owner.__name__}"
            remedy = "call it on an object of the class, or make it a @staticmethod"
            raise EverystateError("E230", user_place(), expression=name, reason=reason, remedy=remedy)
        return self._method(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._method, name)


class Method:
    """A function of a class body; through an instance it is Bound, through the class the function itself."""

    def __init__(self, wrapped: Any) -> None:
        self.wrapped = wrapped

    def __get__(self, instance: object | None, owner: type) -> Any:
        found = self.wrapped.__get__(instance, owner)
        if instance is not None:
            return Bound(found)
        return Unbound(found, owner) if is_executing() and found is self.wrapped else found


def guarded(name: str, value: Any) -> Any:
    """What a class gets for a value of its body: methods become Method, except those that Python itself calls."""
    plain = isinstance(value, (FunctionType, staticmethod, classmethod))
    return Method(value) if plain and not (name.startswith("__") and name.endswith("__")) else value


def function_of(value: Any) -> Any:
    """The function in a value of a class: below Method, static and class methods, and properties of Python."""
    for inner in ("wrapped", "__func__", "fget", "func"):
        if isinstance(value, FunctionType):
            break
        value = getattr(value, inner, value)
    return value
