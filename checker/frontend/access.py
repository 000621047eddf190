"""Attributes, elements and slices in lifted code: how they are read, assigned and deleted."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

from ..errors import CheckedError, is_ours, user_place
from ..ir.collection import View, blank
from ..ir.elements import Elements, SymArray, SymSeq
from ..ir.expr import Expr
from ..ir.places import FixedCells
from ..ir.sets import SetView
from ..ir.sorted_sets import set_at
from ..ir.symbols import Number
from ..language.composite_domains import Seq, Set
from ..language.domains import Domain
from ..language.record import Record
from ..language.spec import Spec
from .branching import CannotMerge
from .conditional_elements import ConditionalElements, Text
from .outcomes import Given
from .parts import Part
from .set_operations import SET_METHODS, is_conditional_set


class Method:
    """A method of a value that is no object of Python."""

    def __init__(self, run: Callable[..., Any]) -> None:
        self.run = run


class Access(Part):
    """The attributes and elements in the lifted code of one tracer."""

    def getattr(self, obj: Any, name: str) -> Any:
        if is_conditional_set(obj) and name in SET_METHODS:
            return Method(lambda *others: self.set_method(name, obj, others))
        obj = self.operand(obj)
        kind = type(obj)
        if kind in (type, super) or isinstance(obj, type):
            return getattr(obj, name)
        found = _of_class(kind, name)  # type: ignore[arg-type]
        if found is not None:
            if type(found) is property and isinstance(found.fget, FunctionType) and not _ours(found.fget):
                return self.call(found.fget, obj)
            if type(found) is functools.cached_property and name not in getattr(obj, "__dict__", ()):
                return self.call(found.func, obj)
        elif isinstance(obj, Record) and "_binding" not in obj.__dict__:
            return self.settled(getattr(obj, name))
        return getattr(obj, name)

    def setattr(self, obj: Any, name: str, value: Any) -> None:
        obj = self.operand(obj)
        if isinstance(obj, Spec):
            found = _of_class(type(obj), name)
            if type(found) is property and found.fset is not None:
                self.call(found.fset, obj, value)
                return
            setattr(obj, name, self.stored(value))
            return
        found = _of_class(type(obj), name)  # type: ignore[arg-type]
        if type(found) is property and isinstance(found.fset, FunctionType):
            self.call(found.fset, obj, value)
            return
        if isinstance(obj, Record):
            if "_binding" not in obj.__dict__ and "_fixed" not in obj.__dict__:
                self.owns(obj)
                self.copied.check(obj.__dict__)
                self.journal.note(obj.__dict__, name)
            setattr(obj, name, self.stored(value))
            return
        self.owns(obj)
        if isinstance(getattr(obj, "__dict__", None), dict):
            self.journal.note(obj.__dict__, name)
        elif self.branching.merging:
            raise CannotMerge
        setattr(obj, name, value)

    def stored(self, value: Any) -> Any:
        """A value to be stored in the state."""
        return self.plain(value) if type(value) is Text else value

    def for_domain(self, domain: Domain, value: Any) -> Any:
        """A value to be stored in a domain: a collection with conditional elements becomes one of that domain."""
        if type(value) is Text:
            return self.plain(value)
        if type(value) is not ConditionalElements:
            return value
        if type(domain) not in (Set, Seq) or (type(domain) is Seq) != (value.kind is list):
            return self.plain(value)
        kind: Any = SymSeq if type(domain) is Seq else set_at
        if isinstance(domain, Seq):
            room = self.pool.le(self.pool.count([e for e, _ in value.pieces()]), self.pool.const(domain.capacity))
            self.tracer.check(room, lambda: CheckedError("E302", user_place(), capacity=domain.capacity))
        made = kind(self.tracer, domain, FixedCells(self.tracer, blank(self.tracer, domain)))
        put = made.add if isinstance(made, SetView) else made.append
        for exists, item in value.pieces():
            self.branching.branch(exists, functools.partial(put, item), _nothing, self.joined)
        return made

    def getitem(self, obj: Any, key: Any) -> Any:
        obj = self.operand(obj)
        if isinstance(obj, View):
            made = obj[self.operand(key)]  # type: ignore[index]
            return self.own(made) if type(made) is list else made
        own = self.special(obj, "__getitem__")
        if own is not None:
            return self.call(own, obj, key)
        if isinstance(obj, dict) and type(obj) is not dict:
            return self._of_dict(obj, self.key(key))
        if not self.depends(key):
            made = obj[key]
            return self.own(made) if type(key) is slice and type(made) is list else made
        if isinstance(obj, (list, tuple)) and isinstance(key, Number):
            return self._picked(obj, self.tracer.number(key))
        if isinstance(obj, dict):
            pairs = [(self.truth(self.eq(key, k)), v) for k, v in obj.items()]
            self.checked(self.pool.or_([term for term, _ in pairs]), lambda: KeyError(key))
            return self.one_of(pairs)
        return obj[self.plain(key)]

    def _of_dict(self, held: Any, key: Any) -> Any:
        """The value of a key in a dict that may make one."""
        factory = getattr(held, "default_factory", None)
        if key not in held and factory is not None:
            self.writes(held)
            made = self.call(factory)
            held[key] = self.own(made) if type(made) in (list, set, dict) else made
        return held[key]

    def _picked(self, items: Any, index: Expr) -> Any:
        """The element of a plain sequence at an index that depends on the state."""
        pool, count = self.pool, len(items)
        inside = pool.and_((pool.le(pool.const(-count), index), pool.lt(index, pool.const(count))))
        self.checked(inside, lambda: IndexError(f"{type(items).__name__} index out of range"))
        lo, hi = self.tracer.facts.bounds(index)
        pairs = [(pool.eq(index, pool.const(i)), items[i]) for i in range(max(lo, -count), min(hi, count - 1) + 1)]
        return self.one_of(pairs)

    def one_of(self, pairs: list[tuple[Expr, Any]]) -> Any:
        """The value whose condition holds; one of them does."""
        pairs = [(term, value) for term, value in pairs if term is not self.pool.false]
        if not pairs:
            raise CannotMerge
        (term, value), *rest = pairs
        if not rest:
            return value
        return self.branching.branch(term, Given(value), lambda: self.one_of(rest), self.joined)

    def setitem(self, obj: Any, key: Any, value: Any) -> None:
        obj = self.operand(obj)
        if isinstance(obj, Elements) and isinstance(key, slice):
            items = list(self.iterate(obj))
            before = len(items)
            items[self.plain_slice(key)] = self.iterate(value)
            if isinstance(obj, SymArray) and len(items) != before:
                raise ValueError("an Array keeps its length")
            self.replaced(obj, items)
            return
        if isinstance(obj, View):
            obj[self.operand(key)] = self.stored(value)
            return
        own = self.special(obj, "__setitem__")
        if own is not None:
            self.call(own, obj, key, value)
            return
        self.writes(obj)
        obj[self.key(key)] = list(self.iterate(value)) if isinstance(key, slice) else value

    def delitem(self, obj: Any, key: Any) -> None:
        obj = self.operand(obj)
        if isinstance(obj, SymSeq) and isinstance(key, slice):
            items = list(self.iterate(obj))
            del items[self.plain_slice(key)]
            self.replaced(obj, items)
        elif isinstance(obj, SymSeq):
            obj.pop(key)
        else:
            if not isinstance(obj, View):
                self.writes(obj)
            del obj[self.plain(key) if not isinstance(obj, View) else key]

    def plain_slice(self, key: slice) -> slice:
        return slice(*map(self.plain, (key.start, key.stop, key.step)))

    def replaced(self, view: Elements, items: list[Any]) -> None:
        """A sequence of the state gets other elements in place of all that it has."""
        view._become(self.tracer.encode(view._domain, items))

    def slice(self, *parts: Any) -> Any:
        return slice(*map(self.operand, parts))

    def super_(self, cls: type, obj: Any) -> Any:
        return super(cls, obj)


_nothing = Given(None)


@functools.lru_cache(maxsize=4096)
def _of_class(kind: type, name: str) -> Any:
    """What a class has under a name."""
    for base in kind.__mro__:
        if name in vars(base):
            return vars(base)[name]
    return None


def _ours(function: FunctionType) -> bool:
    return is_ours(function.__code__.co_filename)
