"""Error reports for differences between compiled code and plain Python."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import EverystateError, Where
from ...language.declarations import method_name, method_place
from ...language.spec import Spec
from ...language.state import State


def difference(spec: Spec, name: str, said: str, cells: Sequence[int], where: Where | None) -> EverystateError:
    """E217: compiled code and plain Python differ on an action or a property, in some state."""
    shown = State(spec.domains, tuple(cells)).shown()
    values = ", ".join(f"{variable} = {text}" for variable, text in shown.items())
    method = getattr(type(spec), method_name(name), None)
    place = where or (method_place(method) if callable(method) and not isinstance(method, type) else None)
    return EverystateError("E217", place, action=name, reason=f"{said}, with {values}")


def both(spec: Spec, symbols: Sequence[int], values: Sequence[int]) -> str:
    """The variables in which two successors differ, with both values."""
    one, other = (State(spec.domains, tuple(cells)).shown() for cells in (symbols, values))
    differ = [name for name in one if one[name] != other[name]]
    return "; ".join(f"{name} becomes {one[name]} on symbols, {other[name]} on values" for name in differ)
