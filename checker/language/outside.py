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
    members = [str(getattr(member, "name", member)) for member in getattr(domain, "members", ())]
    close = suggestion(value, members) if isinstance(value, str) else ""
    return close.removeprefix("; ") if close else "widen the domain, or guard the action with require(...)"
