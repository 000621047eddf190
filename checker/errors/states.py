"""Errors of a spec in a reachable state (E3). The checker reports each with a trace that leads there."""

from __future__ import annotations

from .entry import Entry

_BEFORE = "check before, with `if` or require(...)"

ENTRIES: dict[str, Entry] = {
    "E301": Entry(
        "{value} is outside {domain}",
        "every value that is assigned must lie in the domain of its variable",
        "{remedy}",
        14,
    ),
    "E302": Entry(
        "a sequence, set or bag grew past its capacity of {capacity}",
        "each is bounded, and nothing is ever dropped silently",
        "raise the capacity, or guard with require(len(...) < {capacity})",
        14,
    ),
    "E303": Entry(
        "{problem}",
        "an index must point at an element that exists",
        _BEFORE,
        14,
    ),
    "E304": Entry(
        "an element was taken from an empty sequence",
        "popleft(), pop() and first/last need at least one element",
        _BEFORE,
        14,
    ),
    "E305": Entry(
        "{key} is not a key",
        "a Map has exactly the keys that it was declared with",
        f"declare the key, or {_BEFORE}",
        14,
    ),
    "E309": Entry(
        "{key} is not a member",
        "remove() needs an existing member",
        "use discard(), or check before, with `if` or require(...)",
        14,
    ),
    "E306": Entry("division by zero", "the divisor can be 0 in a reachable state", _BEFORE, 14),
    "E307": Entry(
        "an assert failed{detail}",
        "the spec asserts that this never happens",
        "follow the trace to the failed assert",
        14,
    ),
    "E308": Entry("{error}", "the spec raised an exception in a reachable state", "follow the trace", 14),
}
