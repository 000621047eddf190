"""Records: classes of one's own as parts of a state, with fields and ordinary methods.

    class Request(Record):
        epoch: int
        batch: int

    Request.of(epoch=Int(0, 3), batch=Int(0, 5))   # the domain
    Request(epoch=0, batch=2)                      # a value

Fields whose domain is always the same may be given in the class: `level = Int(0, 5)`. A record read from
the state is a reference: changing its field changes the state. Storing one copies it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self

from ..errors import CheckedError, EverystateError, suggestion, user_place
from .annotations import annotated
from .concrete_machine import machine
from .declarations import Declaring, check_no_marks
from .domains import UNSET, Cell, Domain, as_domain, compares
from .values import EDITS, RecordValue, called


class Record(RecordValue, metaclass=Declaring):
    """Base class of records; see the module text."""

    _fields: ClassVar[dict[str, Domain]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        check_no_marks(cls, "in a record")
        own = {name: as_domain(value) for name, value in vars(cls).items() if cls._is_domain(name, value)}
        for name in own:
            delattr(cls, name)
        cls._fields = {**cls._fields, **own}

    @classmethod
    def _is_domain(cls, name: str, value: Any) -> bool:
        """Whether a class attribute declares a field; a record class that is defined inside this one does not."""
        nested = f"{cls.__qualname__}.{name}" == getattr(value, "__qualname__", None)
        return isinstance(value, Domain) or (isinstance(value, type) and issubclass(value, Record) and not nested)

    def __init__(self, *values: Any, **fields: Any) -> None:
        if values:
            name = type(self).__name__
            raise TypeError(f"{name}(...) takes fields by their names: {name}(field=...)")
        self.__dict__.update(machine().kept(type(self).__name__, fields))

    @classmethod
    def of(cls, *, init: Any = UNSET, **fields: Any) -> Self:
        """The domain of these records: one domain for each field that the class does not give itself."""
        made: Any = RecordDomain(cls, {**cls._fields, **{n: as_domain(d) for n, d in fields.items()}}, init)
        return made  # type: ignore[no-any-return]  # a field of a record, to whoever declares it

    def __getattr__(self, name: str) -> Any:
        binding = self.__dict__.get("_binding")
        if binding is not None and not name.startswith("__"):
            return binding.read(name)
        known = [n for n in self.__dict__ if not n.startswith("_")]
        if name.startswith("__") or not known:
            raise AttributeError(name)
        raise unknown_field(type(self).__name__, name, known)

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(getattr(type(self), name, None), property):
            object.__setattr__(self, name, value)
            return
        binding = self.__dict__.get("_binding")
        if binding is not None:
            binding.write(name, value)
            return
        EDITS.count += 1
        domain: RecordDomain | None = self.__dict__.get("_domain")
        self.__dict__[name] = value if domain is None else domain.field(name).make(value)

    def __eq__(self, other: object) -> Any:
        return machine().equal_records(self, other) if isinstance(other, Record) else NotImplemented

    def __ne__(self, other: object) -> Any:
        same = self.__eq__(other)
        return same if same is NotImplemented else machine().negated(same)

    __hash__ = None  # type: ignore[assignment]

    def __reduce_ex__(self, protocol: Any) -> Any:
        if "_binding" in self.__dict__:
            facts = {"reason": "a record of the state is a reference", "remedy": "make a new one with its fields"}
            raise EverystateError("E215", user_place(), expression="copying or pickling", **facts)
        return super().__reduce_ex__(protocol)

    def __repr__(self) -> str:
        if "_binding" in self.__dict__:
            return str(self.__dict__["_binding"].text(type(self).__name__))
        items = ", ".join(f"{n}={v!r}" for n, v in self.__dict__.items() if not n.startswith("_"))
        return f"{type(self).__name__}({items})"


@called("Record")
class RecordDomain(Domain):
    """The records of one class over given field domains."""

    def __init__(self, cls: type[Record], fields: dict[str, Domain], init: Any = UNSET) -> None:
        super().__init__(init)
        if not fields:
            raise self._malformed(f"{cls.__name__} has no fields", "give it at least one, for example x = Int(0, 3)")
        missing = [n for n in annotated(cls) if n not in fields and not n.startswith("_")]
        if missing:
            reason = f"{cls.__name__}.of(...) lacks the domain of {', '.join(missing)}"
            raise self._malformed(reason, f"write {missing[0]}=... there, or in the class")
        self._check_class(cls, fields)
        self.cls, self.fields = cls, fields
        self.offsets: dict[str, int] = {}
        at = 0
        for name, domain in fields.items():
            self.offsets[name] = at
            at += domain.size
        self.size = at

    def _check_class(self, cls: type[Record], fields: dict[str, Domain]) -> None:
        """E202 for a class in which a field could mean something else, or records are not compared by their fields."""
        for name in fields:
            if hasattr(cls, name):
                remedy = f"rename one of them; an initial value is given with init=, as in {name} = Int(0, 9, init=3)"
                raise self._malformed(f"{cls.__name__}.{name} is a field, and something else in its class", remedy)
        for name in ("__getattr__", "__getattribute__", "__setattr__"):
            if getattr(cls, name) is not getattr(Record, name):
                raise self._malformed(f"{cls.__name__} has a {name} of its own", "write methods of other names")
        if compares(cls):
            reason = f"{cls.__name__} has an __eq__ of its own, and records are compared by their fields"
            raise self._malformed(reason, "write a method of another name")

    def __repr__(self) -> str:
        return f"{self.cls.__name__}({', '.join(f'{n}={d}' for n, d in self.fields.items())})"

    def field(self, name: str) -> Domain:
        """The domain of a field; E216 when there is none of that name."""
        found = self.fields.get(name)
        if found is None:
            raise unknown_field(self.cls.__name__, name, list(self.fields))
        return found

    def cells(self, path: str) -> Iterator[Cell]:
        for name, domain in self.fields.items():
            yield from domain.cells(f"{path}.{name}")

    def _build(self, values: dict[str, Any]) -> Any:
        record = object.__new__(self.cls)
        record.__dict__.update(values)
        record.__dict__["_domain"] = self
        return record

    def make(self, value: Any) -> Any:
        if type(value) is not self.cls:  # one of a class derived from it has other methods
            raise self._reject(value)
        given = {n: v for n, v in value.__dict__.items() if not n.startswith("_")}
        if given.keys() != self.fields.keys():
            raise self._reject(value)
        try:
            return self._build({name: domain.make(given[name]) for name, domain in self.fields.items()})
        except CheckedError as error:
            if error.code == "E301" and error.where is None:
                error.where = user_place()
            raise

    def lowest(self) -> Any:
        return self._build({name: domain.lowest() for name, domain in self.fields.items()})

    def parts(self) -> list[tuple[str, Domain]]:
        return list(self.fields.items())

    def join(self, values: Sequence[Any]) -> Any:
        return self._build(dict(zip(self.fields, values, strict=True)))

    def encode(self, value: Any, out: list[int]) -> None:
        for name, domain in self.fields.items():
            domain.encode(value.__dict__[name], out)

    def decode(self, cells: Sequence[int], at: int) -> Any:
        record, offsets = object.__new__(self.cls), self.offsets
        held = record.__dict__
        for name, domain in self.fields.items():
            held[name] = domain.decode(cells, at + offsets[name])
        held["_domain"] = self
        return record

    def show(self, value: Any) -> str:
        items = ", ".join(f"{n}={d.show(value.__dict__[n])}" for n, d in self.fields.items())
        return f"{self.cls.__name__}({items})"


def unknown_field(record: str, name: str, fields: list[str]) -> EverystateError:
    """E216 for a field that does not exist."""
    return EverystateError(
        "E216", user_place(), record=record, name=name, suggestion=suggestion(name, fields), fields=", ".join(fields)
    )
