"""The builtins of Python on values of the state: one method for each; most call what is written in `builtins`."""

from __future__ import annotations

import collections
import copy
import enum
from collections.abc import Callable
from types import FunctionType
from typing import Any

from ..ir.collection import View
from ..ir.elements import Elements, SymArray, SymSeq
from ..ir.expr import Expr
from ..ir.maps import SymMap
from ..ir.optional import OptionalValue
from ..ir.records import field_names
from ..ir.state_value import StateValue
from ..ir.symbols import Boolean, Member, Number, Symbol
from ..language.record import Record
from .arithmetic import Arithmetic
from .branching import Effect
from .conditional_elements import NEW, ConditionalElements, Generator, Numbered, Piece, Reversed, Text, is_iterator
from .iteration import ORDERED, Iteration, Search
from .outcomes import Given
from .set_operations import is_conditional_set, is_set

Special = Callable[..., Any]


class Functions(Iteration, Arithmetic):
    """The builtins in the lifted code of one tracer."""

    def _len(self, items: Any) -> Any:
        items = self.unwrapped(items)
        if isinstance(items, StateValue):
            return self.tracer.integer(items._length())
        own = self.special(items, "__len__")
        return self.call(own, items) if own is not None else len(items)

    def _counted(self, pieces: list[Piece]) -> Any:
        terms = [self.pool.and_((exists, self.truth(value))) for exists, value in pieces]
        return self.tracer.integer(self.pool.count(terms))

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
            return self.in_python("sum", ConditionalElements(self, pieces), start)
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
            return self.in_python(name, ConditionalElements(self, pieces), key, default)
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
            return self.passing(Numbered(self, items, start))

        def begin() -> Any:
            names = self.frame(at=start)

            def step(source: Any, emit: Any) -> Any:
                at, item = names["at"], next(source)
                names["at"] = self.binary("add", at, 1)
                return emit((at, item))

            return step

        return self.own(Generator(self, items, begin, "enumerate"))

    def _reversed(self, items: Any) -> Any:
        items = self.unwrapped(items)
        own = self.special(items, "__reversed__")
        if own is not None:
            return self.call(own, items)
        if is_iterator(items) or is_set(items):
            raise TypeError(f"'{type(items).__name__}' object is not reversible")
        if isinstance(items, (SymSeq, SymArray)) or type(items) in (list, ConditionalElements):
            return self.passing(Reversed(self, items))
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
        return self.own(Generator(self, self.iterable(items), lambda: step, code or type(function)))

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
        return ConditionalElements(self, found)

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
        return Text(self, lambda: function(self.for_text(kept)))

    def kept(self, value: Any) -> Any:
        """A value for a text that is made later."""
        if isinstance(value, StateValue):
            return value._kept()
        return value.copy() if type(value) in (list, set, dict) else value

    def for_text(self, value: Any) -> Any:
        """The value that Python would print; the path splits on it."""
        value = self.plain(value)
        if isinstance(value, View):
            return value._domain.make(self.deeply_plain(value))
        return self.deeply_plain(value)

    def _next(self, iterator: Any, *default: Any) -> Any:
        if not is_iterator(iterator):
            raise TypeError(f"'{type(iterator).__name__}' object is not an iterator")
        return self.in_python("next", iterator, *default)

    def _iter(self, items: Any, *sentinel: Any) -> Any:
        if sentinel:
            return self.in_python("iter_until", items, *sentinel)
        items = self.iterable(items)
        return items if is_iterator(items) else self.passing(items)

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
            return self.own(type(value)(**{n: self.getattr(value, n) for n in field_names(value)}))
        return self.made(value._copied()) if isinstance(value, StateValue) else self.own(copy.copy(value))

    def _deepcopy(self, value: Any, memo: Any = None) -> Any:
        known: dict[int, Any] = {} if memo is None else memo
        value = self.operand(value)
        if id(value) in known:
            return known[id(value)][1]
        if type(value) is tuple:
            return tuple(self._deepcopy(part, known) for part in value)
        held = getattr(value, "__dict__", None)
        if isinstance(value, View):
            made = self._copy(value._detached())
            parts = made.values() if isinstance(made, dict) else made if type(made) is list else ()
            if any(isinstance(part, (View, Record)) for part in parts):
                made = self._deepcopy(made, known)
        elif isinstance(value, Record):
            fields = {n: self._deepcopy(self.getattr(value, n), known) for n in field_names(value)}
            made = self.own(type(value)(**fields))
        elif isinstance(value, (list, set, dict, collections.deque)):
            made = self._copy(value)
            made.clear()
            if isinstance(value, dict):
                made.update({self._deepcopy(k, known): self._deepcopy(v, known) for k, v in value.items()})
            else:
                parts = [self._deepcopy(part, known) for part in value]
                made.update(parts) if isinstance(made, set) else made.extend(parts)
        elif isinstance(held, dict) and not isinstance(value, (type, FunctionType, enum.Enum, Symbol)):
            made = self._copy(value)
            made.__dict__.update({name: self._deepcopy(part, known) for name, part in held.items()})
        else:
            return value
        known[id(value)] = value, made  # kept alive, so that no other one gets its identity
        return made

    # -- methods of sequences of the state -------------------------------------------------------------------

    def _seq_remove(self, items: SymSeq, value: Any) -> None:
        items.pop(items.index(self.stored(value)))

    def _seq_reverse(self, items: Elements) -> None:
        self.replaced(items, list(self.iterate(items))[::-1])

    def _seq_sort(self, items: Elements, *, key: Any = None, reverse: Any = False) -> None:
        if key is None or isinstance(items, SymArray):
            self.replaced(items, self.plain(self._sorted(items, key=key, reverse=reverse)))
            return
        found = list(self.iterate(items))
        self.replaced(items, [])  # as Python does while it sorts: the key function finds it empty
        try:
            found = self.plain(self._sorted(found, key=key, reverse=reverse))
        finally:
            self.replaced(items, found)

    # -- methods of plain containers -----------------------------------------------------------------------

    def list_index(self, items: list[Any], value: Any, *bounds: Any) -> Any:
        if bounds or not self.depends([items, value]):
            return items.index(self.plain(value), *bounds)
        return self.in_python("index", items, value)

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
        found, items[:] = items[:], []
        try:
            found = self.plain(self._sorted(found, key=key, reverse=reverse))
        finally:
            items[:] = found

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
            else Text(self, lambda: text.join(map(self.plain, parts)))
        )

    def str_format(self, text: str, *args: Any, **kwargs: Any) -> Any:
        if not self.depends([*args, *kwargs.values()]):
            return text.format(*args, **kwargs)
        return Text(self, lambda: text.format(*map(self.plain, args), **{n: self.plain(v) for n, v in kwargs.items()}))


def is_number(value: Any) -> bool:
    """Whether a value is an integer or boolean, known or not, and of no other class."""
    return type(value) in (int, bool) or (issubclass(type(value), Number) and not issubclass(type(value), Member))
