"""Records of a state, and records that are one of two."""

from __future__ import annotations

from typing import Any

from ..errors import EverystateError, user_place
from ..language.domains import Domain
from ..language.record import Record, RecordDomain, unknown_field
from .expr import Expr
from .machine import SymbolicMachine
from .optional import OptionalValue
from .places import Place
from .symbols import only_told


class RecordView:
    """A record of the state: reads and assigns its fields in place."""

    def __init__(self, tracer: SymbolicMachine, domain: RecordDomain, place: Place) -> None:
        self._tracer, self._domain, self._place = tracer, domain, place
        self.is_fixed = False
        tracer.references.add(self)

    @property
    def names(self) -> list[str]:
        return list(self._domain.fields)

    def read(self, name: str) -> Any:
        return self._fixed_too(self._tracer.handed(*self._part(name)))

    def asked(self, name: str) -> Any:
        return self._tracer.compared(*self._part(name))

    def _fixed_too(self, value: Any) -> Any:
        """A part of a record, which does not change where the record does not."""
        return fixed(value) if self.is_fixed else value

    def _part(self, name: str) -> tuple[Domain, Place]:
        return self._domain.field(name), self._place.sub(self._domain.offsets[name])

    def write(self, name: str, value: Any) -> None:
        domain = self._domain.field(name)
        part = self._place.sub(self._domain.offsets[name])
        self._tracer.replace(part, domain, self._tracer.encode(domain, value))

    def text(self, name: str) -> str:
        return _record_text(name)


def _record_text(name: str) -> str:
    """The text of a record of the state, which only a reader may see."""
    if only_told(4):
        return f"<{name}>"
    reason, remedy = "it represents a record of every state", "use its fields"
    raise EverystateError("E215", user_place(), expression="the text of a record", reason=reason, remedy=remedy)


class JoinedRecord:
    """One of two records, of which not both are part of the state."""

    def __init__(self, tracer: SymbolicMachine, condition: Expr, one: Record, other: Record) -> None:
        self.tracer, self.condition, self.one, self.other = tracer, condition, one, other
        self.names = field_names(one)

    def read(self, name: str) -> Any:
        return self.asked(name)

    def asked(self, name: str) -> Any:
        return self.tracer.join(self.condition, asked(self.one, name), asked(self.other, name))

    def write(self, name: str, value: Any) -> None:
        for record, here in ((self.one, True), (self.other, False)):
            old = asked(record, name)
            pair = (value, old) if here else (old, value)
            new = self.tracer.join(self.condition, *pair)
            self.tracer.note(record.__dict__, name)
            setattr(record, name, new)

    def text(self, name: str) -> str:
        return _record_text(name)


class NewRecord:
    """A record that is no part of a state, of whose fields some may be None."""

    def __init__(self, tracer: SymbolicMachine, cls: str, fields: dict[str, Any]) -> None:
        self.tracer, self.cls, self.fields = tracer, cls, fields

    @property
    def names(self) -> list[str]:
        return list(self.fields)

    def read(self, name: str) -> Any:
        return self.asked(name)

    def asked(self, name: str) -> Any:
        if name not in self.fields:
            raise unknown_field(self.cls, name, self.names)
        return self.fields[name]

    def write(self, name: str, value: Any) -> None:
        self.tracer.note(self.fields, name)
        self.fields[name] = value

    def text(self, name: str) -> str:
        return _record_text(name)


def fixed(value: Any) -> Any:
    """A record as a member of a set, which never changes; any other value as it is."""
    if type(value) is OptionalValue:
        fixed(value.value)
    elif isinstance(value, Record):
        value.__dict__["_fixed"] = True
        value.__dict__["_binding"].is_fixed = True
    return value


def asked(record: Record, name: str) -> Any:
    """A field of a record, for callers that need only the value itself."""
    binding = record.__dict__.get("_binding")
    return getattr(record, name) if binding is None else binding.asked(name)


def field_names(record: Record) -> list[str]:
    """The names of a record's fields, bound to a state or not."""
    binding = record.__dict__.get("_binding")
    names = binding.names if binding is not None else record.__dict__
    return [n for n in names if not n.startswith("_")]
