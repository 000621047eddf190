"""Names that every spec has; no class, mixin or attribute of an author may redefine them."""

from __future__ import annotations

import inspect
from typing import Any

from ..errors import EverystateError
from .declarations import class_place

_FREE = {"variables", "may_terminate", "conformance", "_abc_impl", "_origin"}
"""Names that a spec may define itself, and those that Python or a translation gives a class."""
_ACCESS = {"__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__dict__", "__class__"}
"""How variables are read and written."""
_KEPT = {"_frame", "_assumed", "_declared", "_variables", "_constants", "_declaring", "_refinements", "_step_bounds"}
_KEPT |= {"_ends", "_place_in_cache", "instances", "properties"}
OURS = "something that every spec has"


def check_class(cls: type, base: type) -> None:
    """E116 and E120 where a class, or one before `base` in its order, redefines a name of `base`."""
    taken = {n for n in vars(base) if not n.startswith("__")} - _FREE | _KEPT | _ACCESS
    for owner in cls.__mro__[: cls.__mro__.index(base)]:
        for name in ("__new__", "__init__"):
            if name in vars(owner):
                raise EverystateError("E120", class_place(cls), spec=cls.__name__, name=name)
        own = {"__dict__"} if isinstance(vars(owner).get("__dict__"), _SLOT) else set[str]()
        for name in sorted((taken & vars(owner).keys()) - own):
            raise EverystateError("E116", class_place(cls), spec=cls.__name__, name=name, other=OURS)


def check_variables(spec: Any) -> None:
    """E116 where a variable, a constant or a marked method is hidden behind an attribute that came later."""
    cls, own = type(spec), vars(spec)
    for name in spec.domains:
        if name in own or inspect.getattr_static(cls, name, None) is not None:
            other = "an attribute of the spec" if name in own else "a method or attribute of the class"
            raise EverystateError("E116", class_place(cls), spec=cls.__name__, name=name, other=other)
    for name in (*spec.constants, *spec._declared):
        if name in own:
            raise EverystateError(
                "E116", class_place(cls), spec=cls.__name__, name=name, other="an attribute of the spec"
            )


_SLOT = type(vars(type("Plain", (), {}))["__dict__"])
"""The type of the attributes that Python itself puts into a class as __dict__."""
