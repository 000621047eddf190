"""Values in the Informal Trace Format: how each domain is written in JSON, read back, and typed.

Integers are {"#bigint": "5"}, the form that Apalache and Quint write themselves; sets {"#set": [...]}, maps
{"#map": [[key, value], ...]}, records objects, arrays and sequences lists, enum members strings. An Option
is a list of at most one element: Apalache's reader knows no tagged unions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import EverystateError
from ..language.domains import Domain
from ..language.forms import Form, Mismatch, brief
from .plain import Fields, ForeignText, Members, Pairs, Tree, Variant, scalar, show

Json = Any


# -- writing -----------------------------------------------------------------------------------------------


class _InItf(Form):
    def number(self, domain: Domain, value: Any) -> Json:
        return {"#bigint": str(value)}

    def boolean(self, domain: Domain, value: Any) -> Json:
        return value

    def name(self, domain: Domain, value: Any) -> Json:
        return domain.show(value)

    def option(self, domain: Any, value: Any) -> Json:
        return [] if value is None else [self(domain.element, value)]

    def array(self, domain: Any, value: Any) -> Json:
        return [self(domain.element, item) for item in value]

    sequence = array

    def members(self, domain: Any, value: Any) -> Json:
        return {"#set": self.array(domain, value)}

    def pairs(self, domain: Any, value: Any) -> Json:
        return {"#map": [[write(scalar(key)), self(domain.element, item)] for key, item in domain.pairs(value)]}

    def parts(self, domain: Any, value: Any) -> Json:
        return {"#tup": list(map(self, domain.fields.values(), value))}

    def fields(self, domain: Any, value: Any) -> Json:
        return dict(zip(domain.fields, map(self, domain.fields.values(), domain.parts_of(value)), strict=True))


encode = _InItf()
"""`encode(domain, value)` is a value of a domain in ITF."""


def write(tree: Tree) -> Json:
    """A tree in ITF."""
    match tree:
        case bool() | str() | None:
            return tree
        case int():
            return {"#bigint": str(tree)}
        case list():
            return [write(item) for item in tree]
        case tuple():
            return {"#tup": [write(item) for item in tree]}
        case Members(items):
            return {"#set": [write(item) for item in items]}
        case Pairs(items):
            return {"#map": [[write(key), write(value)] for key, value in items]}
        case Fields(_, items):
            return {name: write(value) for name, value in items.items()}
        case Variant(tag, value):
            return {"tag": tag, "value": "U_OF_UNIT" if value is None else write(value)}
        case ForeignText(text):
            return {"#unserializable": text}
    return {"#unserializable": str(tree)}


class _Type(Form):
    def number(self, domain: Domain) -> str:
        return "Int"

    def boolean(self, domain: Domain) -> str:
        return "Bool"

    def name(self, domain: Domain) -> str:
        return "Str"

    def sequence(self, domain: Any) -> str:
        return f"Seq({self(domain.element)})"

    array = option = sequence

    def members(self, domain: Any) -> str:
        return f"Set({self(domain.element)})"

    def pairs(self, domain: Any) -> str:
        keys = _key_type(scalar(domain.keys[0])) if domain.keys else "Int"
        return f"{keys} -> {self(domain.element)}"

    def parts(self, domain: Any) -> str:
        return f"<<{', '.join(map(self, domain.fields.values()))}>>"

    def fields(self, domain: Any) -> str:
        return "{ " + ", ".join(f"{name}: {self(part)}" for name, part in domain.fields.items()) + " }"


type_of = _Type()
"""`type_of(domain)` is the type of a domain in Apalache's notation, which its reader asks for."""


def _key_type(key: Tree) -> str:
    if isinstance(key, Fields):
        return "{ " + ", ".join(f"{name}: {_key_type(part)}" for name, part in key.items.items()) + " }"
    if isinstance(key, tuple):
        return f"<<{', '.join(map(_key_type, key))}>>"
    return "Bool" if isinstance(key, bool) else "Int" if isinstance(key, int) else "Str"


# -- reading with a domain ---------------------------------------------------------------------------------


def decode(domain: Domain, data: Json, path: str) -> Any:
    """The value of a domain that was written as `data`; Mismatch when it is none."""
    value = _read(domain, data, path)
    try:
        return domain.make(value)
    except EverystateError as error:
        raise Mismatch(f"{path}: {error.what}") from None


class _FromItf(Form):
    """Values that `domain.make` takes, each method given the data and where it is."""

    def number(self, domain: Domain, data: Json, path: str) -> Any:
        return _expect(_integer(data), int, path, "an integer", data)

    def boolean(self, domain: Domain, data: Json, path: str) -> Any:
        return _expect(data, bool, path, "a boolean", data)

    def name(self, domain: Domain, data: Json, path: str) -> Any:
        name = data["tag"] if isinstance(data, dict) and data.keys() == {"tag", "value"} else data
        number = _integer(data)
        for member in domain.values():
            if domain.show(member) == name or (type(member) is int and member == number):
                return member
        raise Mismatch(f"{path}: {brief(data)} is not a member of {domain}")

    def option(self, domain: Any, data: Json, path: str) -> Any:
        """A list of at most one element, as Quint's sum type, or as TLC has it, without a frame."""
        if data is None or data in ("None", "none", "NULL", "Nil"):
            return None
        if isinstance(data, dict) and data.keys() == {"tag", "value"} and data["tag"] in ("None", "Some"):
            return None if data["tag"] == "None" else decode(domain.element, data["value"], path)
        if isinstance(data, list) and not data:
            return None
        if isinstance(data, list) and len(data) == 1:
            try:
                return decode(domain.element, data[0], path)
            except Mismatch:
                pass  # an element that is a list itself
        return decode(domain.element, data, path)

    def sequence(self, domain: Any, data: Json, path: str) -> Any:
        items = _expect(_listed(data), list, path, "a list", data)
        return [decode(domain.element, item, f"{path}[{i}]") for i, item in enumerate(items)]

    array = sequence

    def members(self, domain: Any, data: Json, path: str) -> Any:
        given = data if isinstance(data, list) else _inside(data, "#set")  # TLC's JSON has no sets
        items = _expect(given, list, path, "a set", data)
        return [decode(domain.element, item, path) for item in items]

    def pairs(self, domain: Any, data: Json, path: str) -> Any:
        pairs = _expect(_pairs(data), list, path, "a map", data)
        known = {show(_unnamed(scalar(key))): key for key in domain.keys}
        found = {}
        for pair in pairs:
            if not isinstance(pair, list) or len(pair) != 2:
                raise Mismatch(f"{path}: {brief(pair)} is not a pair of key and value")
            name = show(_unnamed(_key(pair[0], path)))
            name = name if name in known else name.strip('"')
            if name not in known:
                raise Mismatch(f"{path}: {name} is not a key")
            found[known[name]] = decode(domain.element, pair[1], f"{path}[{name}]")
        return found

    def parts(self, domain: Any, data: Json, path: str) -> Any:
        given = data if isinstance(data, list) else _inside(data, "#tup")
        items = _expect(given, list, path, "a tuple", data)
        if len(items) != len(domain.fields):
            raise Mismatch(f"{path}: {brief(data)} does not have {len(domain.fields)} parts")
        return tuple(decode(d, v, path) for d, v in zip(domain.fields.values(), items, strict=True))

    def fields(self, domain: Any, data: Json, path: str) -> Any:
        given = _expect(data, dict, path, "a record", data)
        if given.keys() != domain.fields.keys():
            raise Mismatch(f"{path}: {brief(data)} does not have the fields {', '.join(domain.fields)}")
        return domain.join([decode(part, given[n], f"{path}.{n}") for n, part in domain.fields.items()])


_read = _FromItf()


def _expect(value: Any, kind: type, path: str, what: str, data: Json) -> Any:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise Mismatch(f"{path}: {brief(data)} is not {what}")
    return value


def _listed(data: Json) -> Any:
    """A list; a map or an object with the keys 0, 1, ... or 1, 2, ... is one."""
    pairs = _inside(data, "#map") if isinstance(data, dict) else None
    pairs = list(data.items()) if pairs is None and isinstance(data, dict) else pairs
    if not isinstance(pairs, list) or not all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in pairs):
        return data
    try:
        found = {int(_integer(key)): value for key, value in pairs}
    except (TypeError, ValueError):
        return data
    first = min(found, default=0)
    within = first in (0, 1) and sorted(found) == list(range(first, first + len(found)))
    return [found[key] for key in sorted(found)] if within else data


def _inside(data: Json, key: str) -> Any:
    return data[key] if isinstance(data, dict) and data.keys() == {key} else None


def _integer(data: Json) -> Any:
    text = _inside(data, "#bigint")
    if text is None:
        return data
    try:
        return _big(text)
    except (TypeError, ValueError):
        return None


def _big(text: Json) -> int:
    """A number as a text has it; of 1.5 and Infinity int() makes something else, or nothing."""
    if not isinstance(text, str):
        raise TypeError
    return int(text)


def _key(data: Json, path: str) -> Tree:
    """A key; TLC writes a tuple as the text <<1, 2>>."""
    if isinstance(data, str) and data.startswith("<<") and data.endswith(">>"):
        parts = [part.strip().strip('"') for part in data[2:-2].split(",")]
        return tuple(int(part) if part.lstrip("-").isdigit() else part for part in parts)
    return read(data, path)


def _pairs(data: Json) -> Any:
    """The pairs of a map; TLC writes an object, or a list where the keys are 1, 2, ..."""
    if isinstance(data, list):
        return [[key, value] for key, value in enumerate(data, start=1)]
    pairs = _inside(data, "#map")
    return [list(pair) for pair in data.items()] if pairs is None and isinstance(data, dict) else pairs


def _unnamed(tree: Tree) -> Tree:
    """A key without the names of classes, which ITF does not have."""
    if isinstance(tree, Fields):
        return Fields("", {name: _unnamed(part) for name, part in tree.items.items()})
    return tuple(map(_unnamed, tree)) if isinstance(tree, tuple) else tree


# -- reading without a domain ------------------------------------------------------------------------------


def read(data: Json, path: str) -> Tree:
    """Any ITF expression as a tree; Mismatch when it is none."""
    match data:
        case bool() | int() | str() | None:
            return data
        case list():
            return [read(item, path) for item in data]
        case dict():
            return _read_object(data, path)
    raise Mismatch(f"{path}: {brief(data)} is not an expression of ITF")


def _read_object(data: dict[str, Json], path: str) -> Tree:
    marked = [key for key in data if key.startswith("#")]
    if not marked:
        if data.keys() == {"tag", "value"} and isinstance(data["tag"], str):
            return _read_variant(data["tag"], data["value"], path)
        return Fields("", {name: read(value, f"{path}.{name}") for name, value in data.items()})
    form = FORMS.get(marked[0])
    if form is None or len(data) != 1:
        raise Mismatch(f"{path}: {brief(data)} is not an expression of ITF")
    try:
        return form(data[marked[0]], path)
    except (TypeError, ValueError):
        raise Mismatch(f"{path}: {brief(data)} is malformed") from None


def _read_variant(tag: str, value: Json, path: str) -> Tree:
    unit = value in ("U_OF_UNIT", {}, {"#tup": []}, None)
    return Variant(tag, None if unit else read(value, path))


def _read_list(items: Json, path: str) -> list[Tree]:
    if not isinstance(items, list):
        raise TypeError
    return [read(item, path) for item in items]


def _read_pairs(items: Json, path: str) -> Pairs:
    pairs = [(read(key, path), read(value, path)) for key, value in items]
    return Pairs(sorted(pairs, key=lambda pair: _order(pair[0])))


def _order(tree: Tree) -> tuple[int, int, str]:
    number = isinstance(tree, int)
    return (0, tree, "") if number else (1, 0, show(tree))


FORMS: dict[str, Callable[[Json, str], Tree]] = {
    "#bigint": lambda text, path: _big(text),
    "#tup": lambda items, path: tuple(_read_list(items, path)),
    "#set": lambda items, path: Members(sorted(_read_list(items, path), key=_order)),
    "#map": _read_pairs,
    "#unserializable": lambda text, path: ForeignText(str(text)),
}
