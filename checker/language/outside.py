"""The error of a value that a domain does not have, with what to do about values of other kinds."""

from __future__ import annotations

from typing import Any

from ..errors import CheckedError, suggestion, user_place


def outside(value: Any, text: str, domain: Any) -> CheckedError:
    """E301 for a value, written as `text`, that is none of a domain."""
    return CheckedError("E301", user_place(), value=text, domain=domain, remedy=_remedy(value, domain))


def _remedy(value: Any, domain: Any) -> str:
    if value is None:
        return f"if it may have no value, declare Option({domain})"
    if type(value) is float:
        return "write // for whole numbers: a variable holds no float"
    if differing := _fields(value, domain):
        return differing
    members = [str(getattr(member, "name", member)) for member in getattr(domain, "members", ())]
    close = suggestion(value, members) if isinstance(value, str) else ""
    return close.removeprefix("; ") if close else "widen the domain, or guard the action with require(...)"


def _fields(value: Any, domain: Any) -> str:
    """Which fields a record has that its class has not, and which it lacks; empty for any other value."""
    if type(value) is not getattr(domain, "cls", None):
        return ""  # also for a symbol: no attribute of it may be read
    fields, given = domain.fields, [name for name in getattr(value, "__dict__", ()) if name[0] != "_"]
    if not given:
        return ""
    wrong = [f"{domain.cls.__name__} has no field {name!r}" for name in given if name not in fields]
    return "; ".join([*wrong, *(f"give {name!r} a value" for name in fields if name not in given)])
