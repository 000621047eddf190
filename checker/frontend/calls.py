"""Calls in lifted code: every called function is known, or the call is refused at its line.

A function of the author is lifted, a function of the table has a lifted version, a pure function of Python's library is
called as it is. There is no list of forbidden functions.
"""

from __future__ import annotations

import builtins
import collections
import contextlib
import copy
import enum
import functools
import itertools
import operator
import sysconfig
import types
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

from ..errors import EverystateError, is_ours
from ..ir.collection import View
from ..ir.elements import Elements, SymArray, SymSeq
from ..ir.expr import Expr, Pool
from ..ir.maps import SymMap
from ..ir.optional import OptionalValue
from ..ir.sets import SetView
from ..ir.symbols import Boolean, Member, Number, Symbol
from ..language import decorators, domains, formulas, statements
from ..language.methods import function_of
from ..language.record import Record
from . import builtins as python
from .attempts import Search
from .branching import Branching, CannotMerge, Effect, Given
from .conditional_elements import NEW, ConditionalElements, Counting, Generator, Numbered, Piece, Text
from .iteration import ORDERED
from .lifting import is_lifted, lifted
from .set_operations import SET_METHODS, is_conditional_set

_LIBRARY = sysconfig.get_paths()["stdlib"]
PURE_MODULES = (
    *("math", "cmath", "operator", "_operator", "itertools", "functools", "_functools", "collections", "_collections"),
    *("collections.abc", "string", "fractions", "decimal", "re", "copy", "dataclasses", "enum", "typing"),
    *("statistics", "bisect", "_bisect", "heapq", "_heapq", "textwrap", "numbers", "contextlib", "abc", "_abc"),
)
"""Modules of Python's library whose functions only compute."""
BY_VALUE = ("math", "cmath", "fractions", "decimal", "re", "statistics", "string", "textwrap")
"""Those of them whose functions need values that do not depend on the state."""
PURE = {
    *(bool, int, float, str, repr, format, ascii, chr, ord, hash, divmod, pow, round, callable, bytes, complex),
    *(bin, hex, oct, frozenset, slice, object, property, staticmethod, classmethod, BaseException),
}
WRITING = {
    list: {"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse"},
    dict: {"update", "pop", "popitem", "clear", "setdefault"},
    set: {"add", "discard", "remove", "update", "clear", "pop"}
    | {"difference_update", "intersection_update", "symmetric_difference_update"},
    collections.deque: {
        "append",
        "appendleft",
        "extend",
        "extendleft",
        "pop",
        "popleft",
        "remove",
        "clear",
        "insert",
        "rotate",
        "reverse",
    },
}
"""The methods by which a container of Python is changed."""
Special = Callable[..., Any]


UNDETERMINED = {
    "random",
    "_random",
    "secrets",
    "time",
    "datetime",
    "uuid",
    "os",
    "posix",
    "socket",
    "subprocess",
    "threading",
}
"""Modules whose functions may have another result when they are called again: a spec that calls them has no verdict."""


def _module_of(function: Any) -> str:
    """The name of the module that defines a function or the class of its object."""
    owner = getattr(function, "__self__", None)
    kind = owner if isinstance(owner, type) else type(owner)
    name = getattr(function, "__module__", None) or (kind.__module__ if owner is not None else "")
    return str(name).partition(".")[0]


class Method:
    """A method of a value that is no object of Python."""

    def __init__(self, run: Callable[..., Any]) -> None:
        self.run = run


class Calls:
    """The calls in the lifted code of one tracer."""

    tracer: Any
    pool: Pool
    branching: Branching
    # operations that calls need; see `operations`
    truth: Callable[[Any], Expr]
    plain: Any
    key: Any
    own: Any
    depends: Any
    eq: Any
    joined: Any
    pieces_of: Any
    listed: Any
    piece: Any
    iterate: Any
    in_any_order: Any
    in_order: Any
    in_an_order: Any
    iterable: Any
    passing: Any
    lazy: Any
    walk: Any
    attempts: Any
    site: Any
    frame: Any
    refused: Callable[..., EverystateError]
    operand: Any
    writes: Any
    stored: Any
    getattr: Any
    setattr: Any
    getitem: Any
    contains: Any
    not_: Any
    checked: Any
    any_of_pieces: Any
    set_of_pieces: Any
    set_method: Any
    one_of: Any
    sides: dict[int, int]
    known: dict[FunctionType, FunctionType]
    owned: dict[int, Any]
    require: Any
    lt: Any
    is_: Any
    unwrapped: Any
    replaced: Any
    depth: int
    binary: Any
    settled: Any

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """A call of anything."""
        kind = type(function)
        if kind is MethodType:
            return self.call_function(function.__func__, (function.__self__, *args), kwargs, function)
        if kind is FunctionType:
            return self.call_function(function, args, kwargs, function)
        if isinstance(function, type):
            return self._made(function, args, kwargs)
        if kind in (types.BuiltinFunctionType, types.MethodWrapperType, types.MethodDescriptorType):
            return self._built_in(function, args, kwargs)
        if kind is Method:
            return function.run(*args, **kwargs)
        if kind is functools.partial:
            return self.call(function.func, *function.args, *args, **{**function.keywords, **kwargs})
        if kind is functools._lru_cache_wrapper:
            return self.call(function.__wrapped__, *args, **kwargs)
        known = _table().get(function) if _hashable(function) else None
        if known is not None:
            return known(self, *args, **kwargs)
        own = self.special(function, "__call__")
        if own is not None:
            return self.call(own, function, *args, **kwargs)
        if kind.__module__ == "functools" and callable(function):
            return function(*args, **kwargs)
        if isinstance(
            function, (operator.itemgetter, operator.attrgetter, operator.methodcaller, type(NotImplemented))
        ):
            return function(*args, **kwargs)
        if kind in (types.WrapperDescriptorType, types.ClassMethodDescriptorType):
            return self._built_in(function, args, kwargs)
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
        elif code.co_filename.startswith(_LIBRARY) and "-packages" not in code.co_filename:
            if function.__module__ not in PURE_MODULES:
                raise self.unknown(function)
            plain = self.deeply_plain if function.__module__ in BY_VALUE else self.plain_parts
            return self.made(function(*map(plain, args), **{n: self._function(v) for n, v in kwargs.items()}))
        made = self.known[function] = lifted(function, self)
        return self._ran(made, args, kwargs)

    def _ours(self, function: Any, given: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of a function of the language, most of all of a collection of the state."""
        changing = _CHANGING.get(function.__name__) if args and isinstance(args[0], Elements) else None
        if changing is not None:
            return changing(self, *args, **kwargs)
        lazy = any(type(arg) in (ConditionalElements, Generator) for arg in args)
        iterators = any(type(arg) is Generator or hasattr(type(arg), "__next__") for arg in args)
        if iterators and isinstance(args[0], SetView) and function.__name__ in ("update", "difference_update"):
            for arg in args[1:]:  # each value is taken after the one before it has changed the set
                self.in_python(function.__name__, args[0], arg)
            return None
        if lazy and isinstance(args[0], SetView) and function.__name__ in SET_METHODS:
            return self.set_method(function.__name__, args[0], args[1:])
        if type(args[-1] if args else None) in (ConditionalElements, Generator) and function.__name__ in (
            "extend",
            "update",
        ):
            put = args[0].append if isinstance(args[0], SymSeq) else getattr(args[0], "add", None)
            if put is not None:
                for exists, value in self.pieces_of(args[-1]):
                    self.branching.branch(exists, functools.partial(put, value), lambda: None, self.joined)
                return None
        keeps = function.__name__ in ("append", "add", "insert")
        stored = self.stored if keeps else self._for_ours
        args = tuple(map(stored, args if given is function else args[1:]))
        return self.made(given(*args, **{n: stored(v) for n, v in kwargs.items()}))

    def _for_ours(self, value: Any) -> Any:
        return self.plain(value) if type(value) in (ConditionalElements, Generator, Text) else value

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

    def plain_parts(self, value: Any) -> Any:
        """The elements of a generator or a view, as a list or tuple; the elements themselves are unchanged."""
        if isinstance(value, (ConditionalElements, Generator, View, OptionalValue, Text)) and not isinstance(
            value, SymMap
        ):
            return list(self.iterate(value)) if not isinstance(value, (OptionalValue, Text)) else self.plain(value)
        return value

    def deeply_plain(self, value: Any) -> Any:
        """A value of Python in which no part depends on the state; the path splits on all parts."""
        value = self.plain(self.plain_parts(value))
        if type(value) in (list, tuple, set, frozenset):
            return type(value)(map(self.deeply_plain, value))
        if type(value) is dict:
            return {self.deeply_plain(k): self.deeply_plain(v) for k, v in value.items()}
        return value

    def special(self, value: Any, name: str) -> Special | None:
        """The special method that an author has written for a class."""
        return _special(type(value), name)  # type: ignore[arg-type]

    def unknown(self, function: Any) -> EverystateError:
        name = getattr(function, "__qualname__", None) or repr(function)
        reason = "it is not a function of the spec, and the front end does not know it"
        remedy = "write what it does in Python; choose(...) is for what is not determined, a Constant for a setting"
        return self.refused(f"{name}(...)", reason, remedy, limit=_module_of(function) not in UNDETERMINED)

    # -- classes -------------------------------------------------------------------------------------------

    def _made(self, cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        known = _table().get(cls)
        if known is not None:
            return known(self, *args, **kwargs)
        if isinstance(cls, enum.EnumMeta):
            return self._enum(cls, args, kwargs)
        if issubclass(cls, BaseException):
            caught = self.branching.splitting
            return cls(*[a if caught or not self.depends(a) else "…" for a in args], **kwargs)
        if issubclass(cls, Record):
            init = _special(cls, "__init__")
            if init is None:
                return self.own(cls(*map(self.stored, args), **{n: self.stored(v) for n, v in kwargs.items()}))
        if issubclass(cls, domains.Domain):
            return cls(*map(self.plain, args), **kwargs)
        if cls.__module__ == "builtins" or cls in PURE:
            if cls not in PURE:
                raise self.unknown(cls)
            return cls(*map(self.plain, args), **kwargs)
        init = _special(cls, "__init__")
        if init is not None and _special(cls, "__new__") is None:
            made = cls.__new__(cls)
            self.own(made)
            self.call(init, made, *args, **kwargs)
            return made
        if cls.__module__ in PURE_MODULES:
            plain = self.deeply_plain if cls.__module__ in BY_VALUE else self.plain_parts
            return self.made(cls(*map(plain, args), **{n: self.plain_parts(v) for n, v in kwargs.items()}), own=True)
        made = self.own(cls(*args, **kwargs))
        given = {id(arg) for arg in (*args, *kwargs.values())}
        for part in list(getattr(made, "__dict__", {}).values()):
            if type(part) in (list, set, dict) and id(part) not in given:
                self.own(part)  # the default of a dataclass
        return made

    def _enum(self, cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if len(args) != 1 or not self.depends(args[0]):
            return cls(*args, **kwargs)
        if issubclass(cls, enum.Flag):
            return cls(self.plain(args[0]))
        pairs = [(self.truth(self.eq(args[0], member.value)), member) for member in cls]
        self.checked(self.pool.or_([t for t, _ in pairs]), lambda: ValueError(f"no valid {cls.__name__}"))
        return self.one_of(pairs)

    # -- functions in C ------------------------------------------------------------------------------------

    def _built_in(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        known = _table().get(function) if _hashable(function) else None
        if known is not None:
            return known(self, *args, **kwargs)
        receiver = getattr(function, "__self__", None)
        if receiver is None or isinstance(receiver, types.ModuleType):
            if function in PURE or getattr(function, "__module__", None) in PURE_MODULES:
                plain = self.deeply_plain if function.__module__ in BY_VALUE else self.plain_parts
                return self.made(function(*map(plain, args), **{n: self._function(v) for n, v in kwargs.items()}))
            if type(function) is types.MethodDescriptorType and args:  # str.upper(s)
                return self.call(getattr(args[0], function.__name__), *args[1:], **kwargs)
            raise self.unknown(function)
        name, kind = function.__name__, type(receiver)
        if issubclass(kind, (set, frozenset)) and name in SET_METHODS and args and self.depends(args):
            return self.set_method(name, receiver, args)
        method = getattr(self, f"{kind.__name__}_{name}", None)
        if method is not None and kind in (list, tuple, dict, set, frozenset, str, range):
            return method(receiver, *args, **kwargs)
        for base, writing in WRITING.items():
            if isinstance(receiver, base) and name in writing:
                self.writes(receiver)
        if isinstance(receiver, (list, dict)):
            args = tuple(map(self.plain_parts, args))
            if isinstance(receiver, dict) and args:
                args = (self.key(args[0]), *args[1:])
            made = function(*args, **kwargs)
        elif isinstance(receiver, (set, frozenset)):
            known = self.key if name in ("add", "discard", "remove") else self._keys
            made = function(*map(known, args), **kwargs)
        elif isinstance(receiver, (str, int, float, tuple, collections.deque, range, bytes)):
            made = function(*map(self._for_python, args), **kwargs)
        elif receiver is object or isinstance(receiver, type):
            if receiver is dict and name == "fromkeys":
                made = function(*map(self._for_python, args), **kwargs)
            elif getattr(receiver, "__module__", "") in PURE_MODULES or issubclass(receiver, (tuple, enum.Enum, int)):
                made = function(*args, **kwargs)
            else:
                raise self.unknown(function)
        elif isinstance(receiver, (types.GeneratorType,)):
            raise self.unknown(function)
        elif type(receiver).__module__ in PURE_MODULES or name.startswith("__"):
            made = function(*map(self.plain_parts, args), **kwargs)
        else:
            raise self.unknown(function)
        return self.made(made)

    def made(self, value: Any, own: bool = False) -> Any:
        """What a function of Python's library has made: collections and iterators are new."""
        if hasattr(type(value), "__next__"):
            return self.lazy(value)
        if type(value) is tuple:
            for part in value:
                if hasattr(type(part), "__next__") and not isinstance(part, Generator):
                    self.lazy(part)
        return self.own(value) if own or type(value) in (list, set, dict) else value

    def _for_python(self, value: Any) -> Any:
        if isinstance(value, (ConditionalElements, Generator, View)):
            return [self.plain(v) for v in self.iterate(value)]
        if type(value) in (list, tuple) and self.depends(value):
            return type(value)(map(self.plain, value))
        return self.plain(value)

    def _keys(self, values: Any) -> Any:
        """The elements of anything, as a set of Python can hold them."""
        return values if type(values) in (set, frozenset) else [self.key(value) for value in self.iterate(values)]

    def _function(self, value: Any) -> Any:
        """A function that Python calls: it calls the lifted one."""
        if callable(value) and not isinstance(value, type):
            return lambda *args, **kwargs: self.call(value, *args, **kwargs)
        return value

    # -- methods of sequences of the state -------------------------------------------------------------------

    def _seq_remove(self, items: SymSeq, value: Any) -> None:
        items.pop(items.index(self.stored(value)))

    def _seq_reverse(self, items: Elements) -> None:
        self.replaced(items, list(self.iterate(items))[::-1])

    def _seq_sort(self, items: Elements, *, key: Any = None, reverse: Any = False) -> None:
        self.replaced(items, self.plain(self._sorted(items, key=key, reverse=reverse)))

    # -- methods of plain containers -----------------------------------------------------------------------

    def list_index(self, items: list[Any], value: Any, *bounds: Any) -> Any:
        if bounds or not self.depends([items, value]):
            return items.index(self.plain(value), *bounds)
        pairs = [(self.truth(self.eq(item, value)), i) for i, item in enumerate(items)]
        self.checked(self.pool.or_([t for t, _ in pairs]), lambda: ValueError("the value is not in the list"))
        return self.one_of(pairs)

    tuple_index = list_index

    def list_count(self, items: list[Any], value: Any) -> Any:
        if any(self.special(item, "__eq__") for item in (value, *items)):
            return self.in_python("count", items, value)
        return self._counted([(self.pool.true, self.eq(item, value)) for item in items])

    tuple_count = list_count

    def list_remove(self, items: list[Any], value: Any) -> None:
        at = self.plain(self.list_index(items, value))
        self.writes(items)
        del items[at]

    def list_sort(self, items: list[Any], *, key: Any = None, reverse: Any = False) -> None:
        self.writes(items)
        items[:] = self.plain(self._sorted(items, key=key, reverse=reverse))

    def list_extend(self, items: list[Any], more: Any) -> None:
        self.writes(items)
        items.extend(self.iterate(more))

    def dict_get(self, items: dict[Any, Any], key: Any, default: Any = None) -> Any:
        if not self.depends(key):
            return items.get(key, default)
        pairs = [(self.truth(self.eq(key, k)), v) for k, v in items.items()]
        none = self.pool.not_(self.pool.or_([t for t, _ in pairs]))
        return self.one_of([*pairs, (none, default)])

    def str_join(self, text: str, items: Any) -> Any:
        parts = list(self.iterate(items))
        return (
            text.join(map(self.plain, parts))
            if not self.depends(parts)
            else Text(lambda: text.join(map(self.plain, parts)))
        )

    def str_format(self, text: str, *args: Any, **kwargs: Any) -> Any:
        if not self.depends([*args, *kwargs.values()]):
            return text.format(*args, **kwargs)
        return Text(lambda: text.format(*map(self.plain, args), **{n: self.plain(v) for n, v in kwargs.items()}))

    # -- the functions of the table --------------------------------------------------------------------------

    def _len(self, items: Any) -> Any:
        items = self.unwrapped(items)
        if isinstance(items, Elements):
            return self.tracer.integer(items._bound())
        if isinstance(items, SetView):
            return self.tracer.integer(items._size())
        if isinstance(items, ConditionalElements):
            return self._counted([(e, True) for e, _ in items.pieces(self.pool.true)])
        own = self.special(items, "__len__")
        return self.call(own, items) if own is not None else len(self.operand(items))

    def _counted(self, pieces: list[Piece]) -> Any:
        terms = [self.pool.and_((exists, self.truth(value))) for exists, value in pieces]
        return self.tracer.integer(self.pool.count(terms))

    def in_python(self, name: str, *args: Any) -> Any:
        """A builtin that is written in Python."""
        return self.call_lifted(getattr(python, name), *args)

    def call_lifted(self, function: FunctionType, *args: Any, **kwargs: Any) -> Any:
        made = self.known.get(function)
        if made is None:
            made = self.known[function] = lifted(function, self)
        return self._ran(made, args, kwargs)

    def _any(self, items: Any) -> Any:
        with self.in_an_order(False):
            return self._searched("any", items, True)

    def _all(self, items: Any) -> Any:
        with self.in_an_order(False):
            return self._searched("all", items, False)

    def _searched(self, name: str, items: Any, value: bool) -> Any:
        """any() and all(): terms that can be shared, unless evaluating an element has an effect."""
        items = self.in_any_order(self.iterable(items))
        if not isinstance(items, Generator):
            if hasattr(type(items), "__next__"):
                return self.in_python(name, items)
            pieces = self.pieces_of(items)
            if any(self.special(v, "__bool__") or self.special(v, "__len__") for _, v in pieces):
                return self.in_python(name, items)
            return self._one_is(value, pieces)
        if self.branching.splitting or not items.once or items.state is not NEW:
            return self.in_python(name, items)

        def directly() -> Any:
            search = Search(self, value)
            self.walk(items, search.collected.put, search=search)
            pieces = search.collected.pieces()
            if any(self.special(v, "__bool__") or self.special(v, "__len__") for _, v in pieces):
                raise Effect
            return self._one_is(value, pieces)

        def exactly() -> Any:
            source = items
            while isinstance(source, Generator) and source.once:
                source.state, source = NEW, source.over
            return self.in_python(name, items)

        return self.attempts.directly((name, self.site(items)), directly, exactly)

    def _one_is(self, value: bool, pieces: list[Piece]) -> Any:
        """Whether an element is true; or, for `value` False, whether none is false."""
        if value:
            return self.any_of_pieces(pieces)
        return self.not_(self.any_of_pieces([(e, self.not_(v)) for e, v in pieces]))

    def _unordered(self, items: Any) -> list[Piece]:
        with self.in_an_order(False):
            found: list[Piece] = self.pieces_of(self.in_any_order(items))
        return found

    def _sum(self, items: Any, start: Any = 0) -> Any:
        """The direct form is for numbers: their sum is that of terms, without a condition around each step."""
        pieces = self._unordered(items)
        if not all(is_number(value) for _, value in pieces):
            return self.in_python("sum", ConditionalElements(pieces), start)
        total, truths = start, []
        for exists, value in pieces:
            if isinstance(value, (Boolean, bool)):
                truths.append(self.pool.and_((exists, self.truth(value))))
            elif exists is self.pool.true:
                total = self.binary("add", total, value)
            else:
                number = self.pool.ite(exists, self.tracer.number(value), self.pool.const(0))
                total = self.binary("add", total, self.tracer.integer(number))
        return self.binary("add", total, self.tracer.integer(self.pool.count(truths))) if truths else total

    def _extreme(self, name: str, args: tuple[Any, ...], key: Any, default: tuple[Any, ...]) -> Any:
        """The direct form is for numbers without a key."""
        if key is not None:
            return self.in_python(name, args[0] if len(args) == 1 else args, key, default)
        pieces: list[Piece] = self._unordered(args[0]) if len(args) == 1 else [(self.pool.true, a) for a in args]
        if not pieces or not all(is_number(value) for _, value in pieces):
            return self.in_python(name, ConditionalElements(pieces), key, default)
        some = self.pool.or_([e for e, _ in pieces])
        if not default:
            self.checked(some, lambda: ValueError(f"{name}() iterable argument is empty"))
        (known, best), *others = pieces
        for exists, value in others:
            better = self.truth(self.lt(best, value) if name == "max" else self.lt(value, best))
            best = self._either(self.pool.and_((exists, self.pool.or_((self.pool.not_(known), better)))), value, best)
            known = self.pool.or_((known, exists))
        return self.branching.branch(some, Given(best), Given(default[0]), self.joined) if default else best

    def _either(self, term: Expr, a: Any, b: Any) -> Any:
        return self.branching.branch(term, Given(a), Given(b), self.joined)

    def _min(self, *args: Any, key: Any = None, **default: Any) -> Any:
        return self._extreme("min", args, key, tuple(default.values()))

    def _max(self, *args: Any, key: Any = None, **default: Any) -> Any:
        return self._extreme("max", args, key, tuple(default.values()))

    def _pow(self, base: Any, exponent: Any, modulus: Any = None) -> Any:
        if modulus is None:
            return self.binary("pow", base, exponent)
        return pow(*map(self.plain, (base, exponent, modulus)))

    def _abs(self, value: Any) -> Any:
        value = self.operand(value)
        own = self.special(value, "__abs__")
        if own is not None:
            return self.call(own, value)
        if not isinstance(value, Number):
            return abs(value)
        negative = self.truth(value < 0)
        return self.branching.branch(negative, lambda: -value, lambda: +value, self.joined)

    def _sorted(self, items: Any, *, key: Any = None, reverse: Any = False) -> Any:
        pieces, reverse = self._unordered(items), bool(self.plain(reverse))
        if key is None and all(type(value) in (int, str) for _, value in pieces):
            order = sorted(range(len(pieces)), key=lambda i: pieces[i][1], reverse=reverse)
            return self.listed([pieces[i] for i in order])
        values = [self.operand(v) for e, v in pieces if self.branching.decide(e)]
        ranks = values if key is None else [self.call(key, v) for v in values]
        if not self.depends(ranks):
            order = sorted(range(len(values)), key=ranks.__getitem__, reverse=reverse)
            return self.own([values[i] for i in order])
        return self.own(self._network(list(zip(ranks, values, strict=True)), reverse))

    def _network(self, pairs: list[tuple[Any, Any]], reverse: bool) -> list[Any]:
        """Insertion sort of neighbours, which is stable, with each exchange merged."""
        for end in range(1, len(pairs)):
            for i in range(end, 0, -1):
                (ra, a), (rb, b) = pairs[i - 1], pairs[i]
                swap = self.truth(self.lt(ra, rb) if reverse else self.lt(rb, ra))
                pairs[i - 1] = (self._either(swap, rb, ra), self._either(swap, b, a))
                pairs[i] = (self._either(swap, ra, rb), self._either(swap, a, b))
        return [value for _, value in pairs]

    def _list(self, items: Any = ()) -> Any:
        if is_conditional_set(items):
            items = self.in_order(self.plain(items))
        return self.plain(self.listed(list(self.pieces_of(items))))

    def _tuple(self, items: Any = ()) -> Any:
        return tuple(self._list(items))

    def _set(self, items: Any = ()) -> Any:
        return self.set_of_pieces(self._unordered(items))

    def _frozenset(self, items: Any = ()) -> Any:
        made = self._set(items)
        return frozenset(made) if type(made) is set else made

    def _dict(self, *args: Any, **kwargs: Any) -> Any:
        given = []
        for arg in args:
            if isinstance(arg, SymMap):
                given.append(arg.copy())
            elif isinstance(arg, dict):
                given.append(arg)
            else:
                given.append({self.plain(k): v for k, v in (tuple(pair) for pair in self.iterate(arg))})
        return self.own(dict(*given, **kwargs))

    def _zip(self, *items: Any, strict: bool = False) -> Any:
        return self.lazy(zip(*map(self.iterate, items), strict=strict))

    def _enumerate(self, items: Any, start: Any = 0) -> Any:
        items = self.iterable(items)
        if isinstance(items, (SymSeq, SymArray)) or type(items) in ORDERED:
            return self.passing(Numbered(items, start))

        def begin() -> Any:
            names = self.frame(at=start)

            def step(source: Any, emit: Any) -> Any:
                at, item = names["at"], next(source)
                names["at"] = self.binary("add", at, 1)
                return emit((at, item))

            return step

        return self.own(Generator(items, begin, "enumerate"))

    def _reversed(self, items: Any) -> Any:
        items = self.unwrapped(items)
        own = self.special(items, "__reversed__")
        if own is not None:
            return self.call(own, items)
        return self.passing(self.listed(self.pieces_of(items)[::-1]))

    def _map(self, function: Any, *items: Any) -> Any:
        if len(items) > 1:
            return self.lazy(self.call(function, *row) for row in zip(*map(self.iterate, items), strict=False))
        return self._stepped(items[0], lambda source, emit: emit(self.call(function, next(source))), function)

    def _filter(self, function: Any, items: Any) -> Any:
        def step(source: Any, emit: Any) -> Any:
            item = next(source)
            return emit.when(item if function is None else self.call(function, item), lambda: emit(item))

        return self._stepped(items, step, function)

    def _stepped(self, items: Any, step: Any, function: Any) -> Any:
        """A generator that calls a function for each item."""
        code = getattr(getattr(function, "__func__", function), "__code__", None)
        return self.own(Generator(self.iterable(items), lambda: step, code or type(function)))

    def _range(self, *bounds: Any) -> Any:
        bounds = tuple(map(self.operand, bounds))
        if not self.depends(bounds):
            return range(*bounds)
        start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
        if isinstance(step, Number):
            step = self.plain(step)
        if step == 0:
            return range(0, 1, 0)
        facts, number = self.tracer.facts, self.tracer.number
        (lo, hi), (first, last) = facts.bounds(number(start)), facts.bounds(number(stop))
        most = max(0, -(-(last - lo) // step) if step > 0 else -((hi - first) // step))
        if most > 10_000:
            reason = "its bounds may be that far apart"
            raise self.refused("a range of more than 10,000 numbers", reason, "bound it", limit=True)
        found = []
        for i in range(most):
            value = start + i * step
            found.append((self.truth(self.lt(value, stop) if step > 0 else self.lt(stop, value)), value))
        return ConditionalElements(found)

    def _isinstance(self, value: Any, kinds: Any) -> Any:
        value = self.operand(value) if type(value) in (Text, Generator) else value
        if type(value) is OptionalValue:
            value = self.operand(value)
        if type(value) is ConditionalElements:
            return isinstance(value.kind(), kinds)
        if isinstance(value, (Symbol, View)):
            return issubclass(value.__class__, kinds)
        return isinstance(value, kinds)

    def _type(self, value: Any) -> Any:
        value = self.operand(value)
        return value.__class__ if isinstance(value, (Symbol, View)) else type(value)

    def _int(self, *args: Any) -> Any:
        value = self.operand(args[0]) if args else 0
        if len(args) == 1 and isinstance(value, Number) and not isinstance(value, Member):
            return self.tracer.integer(self.tracer.number(value))
        return int(*map(self.plain, args))

    def _bool(self, value: Any = False) -> Any:
        return self.tracer.boolean(self.truth(value))

    def _str(self, *args: Any) -> Any:
        if args and self.depends(args[0]):
            return self._told(str, args[0])
        own = self.special(args[0], "__str__") if args else None
        return self.call(own, *args) if own is not None else str(*args)

    def _repr(self, value: Any) -> Any:
        return self._told(repr, value) if self.depends(value) else repr(value)

    def _told(self, function: Any, value: Any) -> Text:
        kept = self.kept(value)
        return Text(lambda: function(self.for_text(kept)))

    def kept(self, value: Any) -> Any:
        """A value for a text that is made later."""
        if isinstance(value, View):
            return value._detached()
        return value.copy() if type(value) in (list, set, dict) else value

    def for_text(self, value: Any) -> Any:
        """The value that Python would print; the path splits on it."""
        value = self.plain(value)
        if isinstance(value, View):
            return value._domain.make(self.deeply_plain(value))
        return self.deeply_plain(value)

    def _next(self, iterator: Any, *default: Any) -> Any:
        known = isinstance(iterator, Generator) or hasattr(type(iterator), "__next__")
        if not known:
            raise TypeError(f"'{type(iterator).__name__}' object is not an iterator")
        return self.in_python("next", iterator, *default)

    def _iter(self, items: Any) -> Any:
        items = self.iterable(items)
        return items if isinstance(items, Generator) or hasattr(type(items), "__next__") else self.passing(items)

    def _getattr(self, obj: Any, name: Any, *default: Any) -> Any:
        try:
            return self.getattr(obj, self.plain(name))
        except AttributeError:
            if not default:
                raise
            return default[0]

    def _hasattr(self, obj: Any, name: Any) -> bool:
        try:
            self.getattr(obj, self.plain(name))
        except AttributeError:
            return False
        return True

    def _print(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: a trace shows the effects of a step."""

    def _copy(self, value: Any) -> Any:
        value = self.operand(value)
        if isinstance(value, Record):
            return self.own(type(value)(**{n: self.getattr(value, n) for n in _fields(value)}))
        if isinstance(value, View):
            return self.own(value.copy()) if not isinstance(value, SetView) else value.copy()
        return self.own(copy.copy(value))

    def _deepcopy(self, value: Any, memo: Any = None) -> Any:
        known: dict[int, Any] = {} if memo is None else memo
        value = self.operand(value)
        if id(value) in known:
            return known[id(value)]
        if type(value) is tuple:
            return tuple(self._deepcopy(part, known) for part in value)
        held = getattr(value, "__dict__", None)
        if isinstance(value, View):
            made = self._copy(value._detached())
        elif isinstance(value, Record):
            fields = {n: self._deepcopy(self.getattr(value, n), known) for n in _fields(value)}
            made = self.own(type(value)(**fields))
        elif type(value) in (list, set):
            made = self.own(type(value)(self._deepcopy(part, known) for part in value))
        elif type(value) is dict:
            made = self.own({self._deepcopy(k, known): self._deepcopy(v, known) for k, v in value.items()})
        elif isinstance(held, dict) and not isinstance(value, (type, FunctionType, enum.Enum, Symbol)):
            made = self._copy(value)
            made.__dict__.update({name: self._deepcopy(part, known) for name, part in held.items()})
        else:
            return value
        known[id(value)] = made
        return made

    # -- the statements of the language ----------------------------------------------------------------------

    def _require(self, condition: Any, message: Any = "") -> None:
        self.require(condition)

    def _choose(self, options: Any) -> Any:
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
        if isinstance(members, (ConditionalElements, Generator)):
            members = self.plain(members)
        return statements.subsets(members)


_CHANGING: dict[str, Any] = {
    "remove": Calls._seq_remove,
    "reverse": Calls._seq_reverse,
    "sort": Calls._seq_sort,
}


def is_number(value: Any) -> bool:
    """Whether a value is an integer or boolean, known or not, and of no other class."""
    return type(value) in (int, bool) or (issubclass(type(value), Number) and not issubclass(type(value), Member))


def _fields(record: Record) -> list[str]:
    from ..ir.records import field_names

    return field_names(record)


def _hashable(value: Any) -> bool:
    plain = isinstance(value, (types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType))
    return plain and not isinstance(getattr(value, "__self__", None), (list, dict, set, View, Record, Symbol))


@functools.lru_cache(maxsize=4096)
def _special(kind: type, name: str) -> Special | None:
    if kind.__module__ == "builtins" or kind.__module__.startswith("everystate.checker."):
        return None
    for base in kind.__mro__:
        if name in vars(base):
            found = function_of(vars(base)[name])
            plain = type(found) is FunctionType and not is_ours(found.__code__.co_filename)
            return found if plain and not found.__code__.co_filename.startswith(("<", _LIBRARY)) else None
    return None


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
    found[python.same] = lambda self, a, b: self._same(a, b)
    found[itertools.chain.from_iterable] = lambda self, items: self.in_python("from_iterable", items)
    found[itertools.count] = lambda self, start=0, step=1: self.passing(Counting(start, step))
    for name in ("eq", "ne", "lt", "le", "gt", "ge", "not_", "is_", "is_not", "truth"):
        found[getattr(operator, name)] = lambda self, *args, name=name: getattr(self, name)(*args)
    found[operator.truth] = calls._bool
    found[operator.contains] = lambda self, container, item: self.contains(item, container)
    found[operator.getitem] = lambda self, obj, key: self.getitem(obj, key)
    found[contextlib.nullcontext] = lambda self, value=None: contextlib.nullcontext(value)
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
