"""Values in a log: plain JSON, read with the domain that they belong to.

Numbers, truths and texts are what they are; a member of an enum is its name; an absent option is null; sets are lists
in any order; maps are objects by key, or lists of pairs; records are objects with all their fields.
"""

from __future__ import annotations

import contextlib
import enum
import json
from collections.abc import Mapping
from typing import Any

from ..errors import CheckedError
from ..language.domains import Domain, named_parts, shown
from ..language.forms import Form, Mismatch, brief
from .events import Json


class _FromLog(Form):
    def number(self, domain: Any, data: Json) -> Any:
        _need(isinstance(data, int) and not isinstance(data, bool) and domain.code(data) is not None, data, domain)
        return data

    def boolean(self, domain: Domain, data: Json) -> Any:
        _need(isinstance(data, bool), data, domain)
        return data

    def name(self, domain: Any, data: Json) -> Any:
        for one in getattr(domain, "domains", ()):  # of several domains, the first that has it
            with contextlib.suppress(Mismatch):
                return self(one, data)
        members = getattr(domain, "members", ())
        found = [member for member in members if isinstance(data, str) and domain.show(member) == data]
        if not found:
            raise Mismatch(f"{brief(data)} is no member of {domain}")
        return found[0]

    def option(self, domain: Any, data: Json) -> Any:
        return None if data is None else self(domain.element, data)

    def sequence(self, domain: Any, data: Json) -> Any:
        _need(isinstance(data, list), data, domain)
        try:
            return domain.make([self(domain.element, item) for item in data])
        except CheckedError:
            raise _no_value(data, domain) from None

    array = members = sequence

    def pairs(self, domain: Any, data: Json) -> Any:
        if isinstance(data, list):
            _need(all(isinstance(pair, list) and len(pair) == 2 for pair in data), data, domain)
            pairs = {key_text(key): value for key, value in data}
            if len(pairs) < len(data):
                raise Mismatch(f"{brief(data)} has a key twice")
            data = pairs
        keys = {shown(key): key for key in domain.keys}
        _need(isinstance(data, dict) and data.keys() <= keys.keys(), data, domain)
        try:
            return domain.make({keys[name]: self(domain.element, value) for name, value in data.items()})
        except CheckedError:
            raise _no_value(data, domain) from None

    def parts(self, domain: Any, data: Json) -> Any:
        _need(isinstance(data, list) and len(data) == len(domain.fields), data, domain)
        return tuple(map(self, domain.fields.values(), data))

    def fields(self, domain: Any, data: Json) -> Any:
        _need(isinstance(data, dict) and data.keys() == domain.fields.keys(), data, domain)
        return domain.make(domain.join([self(part, data[name]) for name, part in domain.fields.items()]))


read = _FromLog()
"""`read(domain, data)` reads a value of a domain from JSON; Mismatch when it is none."""


def _need(truth: bool, data: Json, domain: Domain) -> None:
    if not truth:
        raise _no_value(data, domain)


def _no_value(data: Json, domain: Domain) -> Mismatch:
    return Mismatch(f"{brief(data)} is no value of {domain}")


def key_text(key: Json) -> str:
    """A key of a map as its path names it."""
    return f"({', '.join(map(key_text, key))})" if isinstance(key, list) else str(key)


class Unordered(list[Json]):
    """The members of a set, as a list in JSON; or pairs of a dictionary with keys that are written alike."""


class NamedParts(dict[str, Json]):
    """A NamedTuple: an object in JSON, or a list of its parts."""


def as_plain(value: Any) -> Json:
    """A value of Python as a log would tell it."""
    if isinstance(value, enum.Enum):
        return value.name
    named = named_parts(value)
    if named is not None:
        found = {name: as_plain(part) for name, part in named.items()}
        return NamedParts(found) if isinstance(value, tuple) else found
    if isinstance(value, Unordered):
        return value
    if isinstance(value, (set, frozenset)):
        return _sorted([as_plain(part) for part in value])
    if isinstance(value, Mapping):
        found = {shown(key): as_plain(part) for key, part in value.items()}
        return (
            found
            if len(found) == len(value)
            else Unordered([as_plain(key), as_plain(part)] for key, part in value.items())
        )
    if isinstance(value, (list, tuple)):
        return [as_plain(part) for part in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def _sorted(members: list[Json]) -> Unordered:
    try:
        return Unordered(sorted(members))
    except TypeError:  # members of several kinds have no order of their own
        return Unordered(sorted(members, key=json.dumps))


def same(value: Any, data: Json) -> bool:
    """Whether a value of Python is what a log says; a truth is no number, and a set has no order."""
    return _same(as_plain(value), data)


def _same(found: Json, data: Json) -> bool:
    if isinstance(found, Unordered):
        if not isinstance(data, list):
            return False
        nested = any(isinstance(part, (list, dict)) for part in found)
        return {*map(_text, found)} == {*map(_text, data)} or (nested and _same_members(found, data))
    if isinstance(found, NamedParts) and isinstance(data, list):
        found = list(found.values())
    if isinstance(found, list) and isinstance(data, list):
        return len(found) == len(data) and all(map(_same, found, data))
    if isinstance(found, dict) and isinstance(data, dict):
        return found.keys() == data.keys() and all(_same(part, data[name]) for name, part in found.items())
    return _text(found) == _text(data)


def _same_members(found: Unordered, data: list[Json]) -> bool:
    """Whether two sets hold the same, where their members may hold sets of their own."""
    return all(any(_same(one, other) for other in data) for one in found) and all(
        any(_same(one, other) for one in found) for other in data
    )


def _text(data: Json) -> str:
    return json.dumps(data, sort_keys=True, default=repr)
