"""Records: classes of one's own as parts of a state, with fields and ordinary methods.

    class Request(Record):
        epoch: int
        batch: int

    Request.of(epoch=Int(0, 3), batch=Int(0, 5))   # the domain
    Request(epoch=0, batch=2), Request(0, 2)       # a value

Fields whose domain is always the same may be given in the class: `level = Int(0, 5)`. A record read from
the state is a reference: changing its field changes the state. Storing one copies it.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Self

from ..errors import CheckedError, EverystateError, suggestion, user_place
from .annotations import annotated
from .composite_domains import Option
from .concrete_machine import machine
from .declarations import Declaring, check_no_marks
from .domains import UNSET, Domain, Structure, as_domain, compares, is_frozen_dataclass, is_named_tuple
from .values import EDITS, SCALARS, RecordValue, called


class Record(RecordValue, metaclass=Declaring):
    """Base class of records: values with named fields, which actions change in place, and with ordinary methods.

    Fields have a domain in the class. Where it depends on constants annotate the field, `epoch: int`, and give the
    domain with `Request.of(epoch=Int(0, self.most))`. A field with an `Option` in the class is None where it is left
    out. A record that is read from the state is a reference: to change
    its field changes the state. To store a record copies it.

        class Request(Record):
            epoch = Int(0, 3)
            urgent = Bool()

            def is_first(self) -> bool:
                return self.epoch == 0
    """

    _fields: ClassVar[dict[str, Domain]] = {}
    __match_args__: tuple[str, ...] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        check_no_marks(cls, "in a record")
        own = {name: as_domain(value) for name, value in vars(cls).items() if cls._is_domain(name, value)}
        for name in own:
            delattr(cls, name)
        cls._fields = {**cls._fields, **own}
        order = tuple(dict.fromkeys((*cls.__match_args__, *_in_order(cls, own))))
        setattr(cls, "__match_args__", order)  # noqa: B010  whose type nobody may change

    @classmethod
    def _is_domain(cls, name: str, value: Any) -> bool:
        """Whether a class attribute declares a field; a class that is defined inside this one does not."""
        nested = f"{cls.__qualname__}.{name}" == getattr(value, "__qualname__", None)
        of_class = isinstance(value, type) and issubclass(value, Record)
        return isinstance(value, Domain) or (
            (of_class or is_named_tuple(value) or is_frozen_dataclass(value)) and not nested
        )

    def __init__(self, *values: Any, **fields: Any) -> None:
        if values:
            fields = {**self._by_position(values, fields), **fields}
        for name, domain in self._fields.items():
            if isinstance(domain, Option):
                fields.setdefault(name, None)
        self.__dict__.update(machine().kept(type(self).__name__, fields))

    def _by_position(self, values: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        """Fields by their names, in the order in which the class declares them."""
        name, order = type(self).__name__, self.__match_args__
        if not order:
            raise TypeError(f"{name}(...) takes fields by their names: {name}(field=...)")
        if len(values) > len(order):
            raise TypeError(f"{name}(...) takes {len(order)} fields, and {len(values)} are given: {', '.join(order)}")
        twice = next((field for field in order[: len(values)] if field in named), None)
        if twice is not None:
            raise TypeError(f"{name}(...) got {twice} by position and by name")
        return dict(zip(order, values, strict=False))

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
        if "_fixed" in self.__dict__:
            raise fixed_member(type(self).__name__, name)
        binding = self.__dict__.get("_binding")
        if binding is not None:
            binding.write(name, value)
            return
        if type(value) in SCALARS and value is self.__dict__.get(name):
            return
        EDITS.count += 1
        domain: RecordDomain | None = self.__dict__.get("_domain")
        self.__dict__[name] = value if domain is None else domain.field(name).make(value)

    def __eq__(self, other: object) -> Any:
        return machine().equal_records(self, other) if isinstance(other, Record) else NotImplemented

    def __ne__(self, other: object) -> Any:
        same = self.__eq__(other)
        return same if same is NotImplemented else machine().negated(same)

    def __hash__(self) -> int:
        if "_binding" in self.__dict__:
            raise TypeError(f"unhashable type: {type(self).__name__!r}")
        return hash((type(self), frozenset((n, v) for n, v in self.__dict__.items() if not n.startswith("_"))))

    def __copy__(self) -> Self:
        return self._with(self._held())

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        made = memo[id(self)] = self._with({})
        made.__dict__.update({name: copy.deepcopy(value, memo) for name, value in self._held().items()})
        return made

    def _with(self, held: dict[str, Any]) -> Self:
        made = object.__new__(type(self))
        made.__dict__.update(held)
        return made

    def _held(self) -> dict[str, Any]:
        """What a copy has of it: not its domain, since a value that is not stored has none. It may be changed."""
        if "_binding" in self.__dict__:
            facts = {"reason": "a record of the state is a reference", "remedy": "make a new one with its fields"}
            raise EverystateError("E215", user_place(), expression="copying or pickling", **facts)
        return {name: value for name, value in self.__dict__.items() if name not in ("_fixed", "_domain")}

    def __reduce_ex__(self, protocol: Any) -> Any:
        held = self._held()
        reduced: Any = super().__reduce_ex__(protocol)
        if "_domain" in self.__dict__:
            held["_domain"] = self.__dict__["_domain"]
        return *reduced[:2], held, *reduced[3:]

    def __repr__(self) -> str:
        if "_binding" in self.__dict__:
            return str(self.__dict__["_binding"].text(type(self).__name__))
        items = ", ".join(f"{n}={v!r}" for n, v in self.__dict__.items() if not n.startswith("_"))
        return f"{type(self).__name__}({items})"


@called("Record")
class RecordDomain(Structure):
    """The records of one class over given field domains."""

    def __init__(self, cls: type[Record], fields: dict[str, Domain], init: Any = UNSET) -> None:
        super().__init__(init)
        if not fields:
            name = next(iter(annotated(cls)), "")
            only = f": a domain is assigned, and {name} is only annotated" if name else ""
            example = f"{name or 'x'} = Int(0, 3)"
            raise self._malformed(f"{cls.__name__} has no fields{only}", f"give it at least one, for example {example}")
        missing = [n for n in annotated(cls) if n not in fields and not n.startswith("_")]
        if missing:
            reason = f"{cls.__name__}.of(...) lacks the domain of {', '.join(missing)}"
            raise self._malformed(reason, f"write {missing[0]}=... there, or in the class")
        self._check_class(cls, fields)
        self.cls = cls
        self._lay(fields)

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

    def parts_of(self, value: Any) -> Sequence[Any]:
        return [value.__dict__[name] for name in self.fields]

    def _build(self, parts: Iterable[Any]) -> Any:
        record = object.__new__(self.cls)
        record.__dict__.update(zip(self.fields, parts, strict=True))
        record.__dict__["_domain"] = self
        return record

    def member(self, value: Any) -> Any:
        made = self.make(value)
        made.__dict__.update({name: domain.member(made.__dict__[name]) for name, domain in self.fields.items()})
        made.__dict__["_fixed"] = True
        return made

    def make(self, value: Any) -> Any:
        if type(value) is not self.cls:  # one of a class derived from it has other methods
            raise self._reject(value)
        given = {n: v for n, v in value.__dict__.items() if not n.startswith("_")}
        if given.keys() != self.fields.keys():
            raise self._reject(value)
        try:
            return self._build(domain.make(given[name]) for name, domain in self.fields.items())
        except CheckedError as error:
            if error.code == "E301" and error.where is None:
                error.where = user_place()
            raise

    def decode(self, cells: Sequence[int], at: int) -> Any:
        record, offsets = object.__new__(self.cls), self.offsets
        held = record.__dict__
        for name, domain in self.fields.items():
            held[name] = domain.decode(cells, at + offsets[name])
        held["_domain"] = self
        return record

    def for_readers(self, value: Any) -> dict[str, tuple[Domain, Any]]:
        """The same; the method `shown` of a class may return other values of some fields."""
        shown = getattr(self.cls, "shown", None)
        found = super().for_readers(value)
        return found if shown is None else found | {n: (self.field(n), part) for n, part in shown(value).items()}

    def show(self, value: Any) -> str:
        items = ", ".join(f"{n}={d.show(part)}" for n, (d, part) in self.for_readers(value).items())
        return f"{self.cls.__name__}({items})"


def _in_order(cls: type, own: dict[str, Domain]) -> list[str]:
    """The fields that a class declares, in their order; none where Python does not say which comes first."""
    noted = [n for n in annotated(cls) if not n.startswith("_")]
    return noted if own.keys() <= set(noted) else [] if noted else list(own)


def fixed_member(record: str, name: str) -> EverystateError:
    """E230 for a write to a member of a set."""
    facts = {"expression": f"a write to {name} of a {record} in a set", "reason": "a member of a set never changes"}
    return EverystateError(
        "E230", user_place(), **facts, remedy="take it out and add another one, or store a copy of it"
    )


def unknown_field(record: str, name: str, fields: list[str]) -> EverystateError:
    """E216 for a field that does not exist."""
    return EverystateError(
        "E216", user_place(), record=record, name=name, suggestion=suggestion(name, fields), fields=", ".join(fields)
    )
