"""Calls in lifted code: every called function is known, or the call is refused at its line.

A function of the author is lifted, a function of the table has a lifted version, a pure function of Python's library is
called as it is. There is no list of forbidden functions.
"""

from __future__ import annotations

import builtins
import copy
import functools
import itertools
import operator
import types
from types import FunctionType, MethodType
from typing import Any

from ..errors import is_ours
from ..ir.collection import View
from ..ir.elements import Elements
from ..ir.sets import SetView
from ..ir.symbols import Symbol
from ..language import decorators, effects, formulas, statements
from ..language.record import Record
from . import builtins as python
from .access import Method
from .branching import CannotMerge
from .conditional_elements import ConditionalElements, Counting, Generator, Text, is_iterator
from .functions import Functions, Special
from .library import LIBRARY, PURE, PURE_MODULES, Library
from .lifting import is_lifted, lifted
from .set_operations import SET_METHODS, is_conditional_set

BUILT_IN = (
    *(types.BuiltinFunctionType, types.MethodWrapperType, types.MethodDescriptorType),
    *(types.WrapperDescriptorType, types.ClassMethodDescriptorType),
)
_CODE = (MethodType, FunctionType, types.BuiltinFunctionType)


class Calls(Library, Functions):
    """The calls in the lifted code of one tracer."""

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """A call of anything."""
        kind = type(function)
        effect = effects.ignored(function) if kind in _CODE else ""
        if effect:
            self.tracer.ignored.add(effect)
            return None
        if kind is MethodType:
            return self.call_function(function.__func__, (function.__self__, *args), kwargs, function)
        if kind is FunctionType:
            return self.call_function(function, args, kwargs, function)
        known = _table().get(function) if isinstance(function, type) or _hashable(function) else None
        if known is not None:
            return known(self, *args, **kwargs)
        if isinstance(function, type):
            return self.made_by(function, args, kwargs)
        if kind in BUILT_IN:
            return self.built_in(function, args, kwargs)
        if kind is Method:
            return function.run(*args, **kwargs)
        if kind is functools.partial:
            return self.call(function.func, *function.args, *args, **{**function.keywords, **kwargs})
        if kind is functools._lru_cache_wrapper:
            return self.call(function.__wrapped__, *args, **kwargs)
        own = self.special(function, "__call__")
        if own is not None:
            return self.call(own, function, *args, **kwargs)
        if kind.__module__ == "functools" and callable(function):
            return function(*args, **kwargs)
        if isinstance(
            function, (operator.itemgetter, operator.attrgetter, operator.methodcaller, type(NotImplemented))
        ):
            return function(*args, **kwargs)
        if not callable(function):
            function(*args, **kwargs)  # Python's own TypeError
        raise self.unknown(function)

    def call_function(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], given: Any) -> Any:
        """A call of a function that is written in Python."""
        if type(function) is not FunctionType:
            return self.call(function, *args, **kwargs)
        made = self.known.get(function)
        if made is not None:
            return self._ran(made, args, kwargs)
        if is_lifted(function):
            return self._ran(function, args, kwargs)
        known = _table().get(function)
        if known is not None:
            return known(self, *args, **kwargs)
        code = function.__code__
        if is_ours(code.co_filename):
            return self._ours(function, given, args, kwargs)
        if code.co_filename.startswith("<"):
            if function.__name__.startswith("__"):  # made by dataclasses and named tuples
                return function(*args, **kwargs)
        elif code.co_filename.startswith(LIBRARY) and "-packages" not in code.co_filename:
            if function.__module__ not in PURE_MODULES and function not in PURE:
                raise self.unknown(function)
            return self.of_library(function, args, kwargs)
        made = self.known[function] = lifted(function, self)
        return self._ran(made, args, kwargs)

    def _ours(self, function: Any, given: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of a function of the language, most of all of a collection of the state."""
        changing = _CHANGING.get(function.__name__) if args and isinstance(args[0], Elements) else None
        if changing is not None:
            return changing(self, *args, **kwargs)
        lazy = any(type(arg) in (ConditionalElements, Generator) for arg in args)
        if args and isinstance(args[0], SetView) and self.one_by_one(function.__name__, args[0], args[1:]):
            return None
        if lazy and isinstance(args[0], SetView) and function.__name__ in SET_METHODS:
            return self.set_method(function.__name__, args[0], args[1:])
        put = {"extend": "append", "update": "add"}.get(function.__name__, "")
        if lazy and isinstance(args[0], View) and hasattr(type(args[0]), put):
            for exists, value in (piece for arg in args[1:] for piece in self.pieces_of(arg)):
                self.branching.branch(
                    exists, functools.partial(getattr(args[0], put), value), lambda: None, self.joined
                )
            return None
        keeps = function.__name__ in ("append", "add", "insert")
        stored = self.stored if keeps else self._for_ours
        args = tuple(map(stored, args if given is function else args[1:]))
        return self.made(given(*args, **{n: stored(v) for n, v in kwargs.items()}))

    def _for_ours(self, value: Any) -> Any:
        return self.plain(value) if type(value) in (ConditionalElements, Generator, Text) else value

    def in_python(self, name: str, *args: Any) -> Any:
        """A builtin that is written in Python."""
        return self.call_lifted(getattr(python, name), *args)

    def one_by_one(self, name: str, items: Any, values: tuple[Any, ...]) -> bool:
        """Change a set by iterators: each value is taken after the one before it has changed the set."""
        if name not in ("update", "difference_update") or not any(map(is_iterator, values)):
            return False
        for value in values:
            self.in_python(name, items, value)
        return True

    def call_lifted(self, function: FunctionType, *args: Any, **kwargs: Any) -> Any:
        made = self.known.get(function)
        if made is None:
            made = self.known[function] = lifted(function, self)
        return self._ran(made, args, kwargs)

    def _ran(self, function: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self.depth += 1
        try:
            result = function(*args, **kwargs)
        finally:
            self.depth -= 1
        if type(result) is types.GeneratorType:
            self.sides[id(result)] = self.branching.side
            self.own(result)
        return result

    # -- the statements of the language ----------------------------------------------------------------------

    def _require(self, condition: Any, message: Any = "") -> None:
        self.require(condition)

    def _choose(self, options: Any, *more: Any) -> Any:
        if more:
            raise statements.several(options, *more)
        if self.branching.merging:
            raise CannotMerge
        return self.tracer.choose(options)

    def _narrate(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: the text is made when a trace is replayed concretely."""

    def _called(self, value: Any) -> Any:
        return self.call(value) if callable(value) and not isinstance(value, (Symbol, View, type)) else value

    @staticmethod
    def _formula(function: Special) -> Special:
        """A function that joins conditions to a formula: it only keeps them."""
        return lambda self, *parts: function(*map(self.settled, parts))

    def _implies(self, left: Any, right: Any) -> Any:
        if formulas.is_formula(left, right):
            return formulas.Formula(formulas.IMPLIES, (self.settled(left), self.settled(right)))
        condition = self.truth(self._called(left))
        self.tracer.antecedent(self.branching.given(condition))
        holds = self.branching.branch(
            condition,
            lambda: self.truth(self._called(right)),
            lambda: self.pool.true,
            lambda t, a, b: self.pool.ite(t, a, b),
        )
        return self.tracer.boolean(holds)

    def _subsets(self, members: Any) -> Any:
        if isinstance(members, (ConditionalElements, Generator)) or self.depends(members):
            members = members if isinstance(members, SetView) else self._set(members)
        return self.subsets_of(members) if is_conditional_set(members) else statements.subsets(members)


def _hashable(value: Any) -> bool:
    plain = isinstance(value, (types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType))
    return plain and not isinstance(getattr(value, "__self__", None), (list, dict, set, View, Record, Symbol))


@functools.cache
def _table() -> dict[Any, Any]:
    """The functions that have a lifted version."""
    calls = Calls
    found: dict[Any, Any] = {
        getattr(builtins, name): getattr(calls, f"_{name}")
        for name in (
            *("len", "any", "all", "sum", "min", "max", "abs", "sorted", "list", "tuple", "set", "frozenset", "dict"),
            *("zip", "enumerate", "reversed", "map", "filter", "range", "isinstance", "type", "int", "bool", "str"),
            *("repr", "next", "iter", "getattr", "hasattr", "print"),
        )
    }
    found[pow] = calls._pow
    found[vars] = lambda self, value: self.getattr(value, "__dict__")
    found[setattr] = lambda self, obj, name, value: self.setattr(obj, self.plain(name), value)
    found[copy.copy], found[copy.deepcopy] = calls._copy, calls._deepcopy
    for name in ("starmap", "filterfalse", "chain"):
        found[getattr(itertools, name)] = lambda self, *args, name=name: self.in_python(name, *args)
    found[functools.reduce] = lambda self, *args: self.in_python("reduce", *args)
    found[python.same] = lambda self, a, b: self.same(a, b)
    found[itertools.chain.from_iterable] = lambda self, items: self.in_python("from_iterable", items)
    found[itertools.count] = lambda self, start=0, step=1: self.passing(Counting(self, start, step))
    for name in ("eq", "ne", "lt", "le", "gt", "ge", "not_", "is_", "is_not", "truth"):
        found[getattr(operator, name)] = lambda self, *args, name=name: getattr(self, name)(*args)
    found[operator.truth] = calls._bool
    found[operator.contains] = lambda self, container, item: self.contains(item, container)
    found[operator.getitem] = lambda self, obj, key: self.getitem(obj, key)
    for name, operation in (
        ("require", calls._require),
        ("choose", calls._choose),
        ("narrate", calls._narrate),
        ("implies", calls._implies),
        ("subsets", calls._subsets),
    ):
        found[getattr(statements, name)] = operation
    for function in (formulas.always, formulas.until, decorators.eventually):
        found[function] = calls._formula(function)
    return found


_CHANGING: dict[str, Any] = {
    "remove": Calls._seq_remove,
    "reverse": Calls._seq_reverse,
    "sort": Calls._seq_sort,
}
