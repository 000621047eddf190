"""Loops, generators and comprehensions: one way to go over the items of anything.

`walk` takes one item after the other, under the condition that it exists and that the loop goes on. A comprehension and
a generator expression are such a walk whose body passes an element on (`emit`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..ir.elements import SymSeq
from ..ir.expr import Expr, subterms
from ..ir.optional import OptionalValue
from ..ir.state_value import Item, StateValue
from ..ir.symbols import Symbol
from ..language.values import RESIZED
from .branching import CannotMerge
from .conditional_elements import (
    NEW,
    SPENT,
    ConditionalElements,
    Counting,
    Element,
    Generator,
    Piece,
    Step,
    is_iterator,
)
from .explorer import StartAgain
from .outcomes import BREAK, CONTINUE, LEFT, ConditionalEnd, Given, LoopExit, Outcome
from .parts import Part
from .set_operations import is_conditional_set

Body = Callable[[Callable[[], Any]], Outcome]
"""What a walk does with one item."""
MERGED_TURNS = 32
"""Turns of a `while` whose condition was open: beyond it each path is followed by itself, so that facts can end it."""
FEW_VALUES = 64
"""Values of a cell that are looked at one by one to end a loop."""
MANY = 100_000
"""Turns of a loop beyond which it is taken for one that never ends."""
ORDERED = (list, tuple, range, str)
"""Types whose elements have numbers."""


class Iteration(Part):
    """The loops in the lifted code of one tracer."""

    # -- loops ---------------------------------------------------------------------------------------------

    def for_(self, items: Any, body: Any, otherwise: Any = None, rest: Any = None) -> Outcome:
        with self.in_an_order(True):
            outcome = self.walk(items, lambda read: _gone_on(body(read())), runs=True)
        return self._looped(outcome, otherwise, rest)

    def while_(self, test: Any, body: Any, otherwise: Any = None, rest: Any = None) -> Outcome:
        branching, site, turns, open_turns = self.branching, test.__code__, 0, 0

        def turn() -> Outcome:
            nonlocal turns, open_turns
            while True:
                turns += 1
                self.tracer.turned(turns)
                term = self.truth(test())
                known = self.tracer.facts.decided(term)
                open_turns += known is None
                if open_turns > MERGED_TURNS:
                    self._follow_each(site, term)
                if known is None:
                    return branching.branch(
                        term, lambda: branching.then(_gone_on(body()), turn), _nothing, branching.mixed
                    )
                if not known:
                    return None
                outcome = _gone_on(body())
                if outcome is not None:
                    return branching.then(outcome, turn)

        with branching.in_splitting() if site in self.split_loops else contextlib.nullcontext():
            outcome = turn()
        return self._looped(outcome, otherwise, rest)

    def _follow_each(self, site: Any, term: Expr) -> None:
        """A loop may seem to have no end because facts do not decide its condition.

        First its paths are followed one by one; where that is not enough, for each value of what the condition reads.
        """
        if site not in self.split_loops:
            self.split_loops.add(site)
            raise StartAgain
        for part in subterms([term]):
            if part.op == "var" and part.hi - part.lo < FEW_VALUES:
                self.tracer.concretize(self.pool.number(part) if part.boolean else part)

    def _looped(self, outcome: Outcome, otherwise: Any, rest: Any) -> Outcome:
        """The outcome of a loop that its body may have left; a `break` in its `else` leaves the loop around it."""
        outcome = _replaced(outcome, BREAK, LEFT)
        if otherwise is not None:
            outcome = self.branching.then(outcome, otherwise)
        outcome = _replaced(outcome, LEFT, None)
        return outcome if rest is None else self.branching.then(outcome, rest)

    def walk(self, items: Any, body: Body, runs: bool = False, search: Any = None) -> Outcome:
        """Handle the items of anything, each under the condition that it exists and that the walk goes on.

        `runs` says whether the body runs code of the author, which may leave the walk, or use the iterator itself. In
        a `search` the items after the one that decides are irrelevant.
        """
        items = self.iterable(items)
        if isinstance(items, Generator):
            if items.state is NEW and not self.branching.splitting and (items.once or not runs):
                self._becomes(items, SPENT)
                if items.unchanged is not None:
                    items.unchanged()
                step, emit = items.begin(), Emit(self, body, search)
                return self.walk(items.over, lambda read: step(iter((read(),)), emit), True, search)
            items = self.iterate(items)
        if hasattr(type(items), "__next__"):
            return self._walk_on(items, body)
        branching = self.branching
        outcome: Outcome = None
        unchanged = self.unchanged(items)
        if runs and self.order_matters and is_conditional_set(items):
            items = self.in_order(self.plain(items))

        def turn(read: Callable[[], Any]) -> Outcome:
            outcome = body(read)
            return outcome if unchanged is None else branching.then(outcome, unchanged)

        turns = 0
        for exists, read in self.each(items):

            def once(exists: Any = exists, read: Any = read) -> Outcome:
                return branching.branch(exists(), lambda: turn(read), _nothing, branching.mixed)

            turns += 1
            if turns > MANY or isinstance(items, Counting):
                self.tracer.turned(turns % MANY)
            if search is not None:
                branching.unless(search.decided, once, None)
                continue
            outcome = branching.then(outcome, once)
            if outcome is not None and branching.falls(outcome) is self.pool.false:
                break
        return outcome

    def _walk_on(self, iterator: Any, body: Body) -> Outcome:
        """The same for an iterator of Python: it moves only where the walk goes on, so conditions split the path."""
        outcome, ended = None, False

        def once() -> Outcome:
            nonlocal ended
            item = self.moved(iterator, _END)
            ended = item is _END
            return None if ended else body(Given(item))

        turns = 0
        while not ended and (outcome is None or self.branching.falls(outcome) is not self.pool.false):
            turns += 1
            self.tracer.turned(turns)
            outcome = self.branching.then(outcome, once)
        return outcome

    def iterable(self, items: Any) -> Any:
        """What a loop goes over: also what an author's __iter__ returns."""
        items = self.unwrapped(items)
        own = self.special(items, "__iter__")
        while own is not None and own is not self.special(items, "__next__") and not self.special(items, "__next__"):
            items = self.call(own, items)
            own = self.special(items, "__iter__")
        return self._stepping(items) if self.special(items, "__next__") else items

    def _stepping(self, iterator: Any) -> Any:
        """An author's iterator as one of Python."""

        def steps() -> Iterator[Any]:
            while True:
                try:
                    with self.branching.in_splitting():
                        item = self.call(self.special(iterator, "__next__"), iterator)
                except StopIteration:
                    return
                yield item

        return self.lazy(steps())

    def each(self, items: Any) -> Iterator[Item]:
        """The items of a loop, each with a function for whether it exists when its turn comes."""
        if isinstance(items, StateValue):
            yield from items._in_turn()
        else:
            for item in self.iterate(items):
                yield self._always, Given(item)

    def _always(self) -> Expr:
        return self.pool.true

    def unchanged(self, items: Any) -> Callable[[], None] | None:
        """A check that raises Python's error where a set, bag or dict has another size than now; None for others."""
        if isinstance(items, ConditionalElements):
            resized, length = RESIZED.get(items.kind, ""), items.growth()
        elif isinstance(items, StateValue):
            resized, length = items._resized, items._length
        else:
            resized, length = RESIZED.get(type(items), ""), lambda: self.pool.const(len(items))
        if not resized:
            return None
        before = length()

        def check() -> None:
            now = length()
            if now is not before:
                self.checked(self.pool.eq(now, before), lambda: RuntimeError(resized))

        return check

    def iterate(self, items: Any) -> Any:
        """Items one after the other, for Python's own control flow."""
        items = self.iterable(items)
        if type(items) in (list, tuple, range, dict, str):
            return items
        if type(items) is set or is_conditional_set(items):
            return self._going(self.in_order(self.plain(items)), self.unchanged(items))
        if type(items) is frozenset:
            return self.in_order(items)
        if isinstance(items, Generator):
            if items.state in (NEW, SPENT):
                pulled = self._pulled(items) if items.state is NEW else iter(())
                self._becomes(items, self.lazy(pulled))
            return items.state
        if isinstance(items, StateValue):
            return self._going(items, self.unchanged(items))
        return self.going_on(items) if hasattr(type(items), "__next__") else iter(items)

    def going_on(self, iterator: Any) -> Iterator[Any]:
        """The rest of an iterator."""
        while (item := self.moved(iterator, _END)) is not _END:
            yield item

    def moved(self, iterator: Any, end: Any) -> Any:
        """The next item of an iterator of Python; `end` where there is none."""
        if id(iterator) not in self.owned:
            raise self.refused(
                "an iterator that existed before", "its position is not part of the state", "make a list"
            )
        self.attempts.touched(iterator)
        if self.branching.merging and self.sides.get(id(iterator), -1) != self.branching.side:
            raise CannotMerge
        item = next(iterator, end)
        if type(item) is tuple or hasattr(type(item), "__next__"):  # groupby and tee make iterators
            for part in item if type(item) is tuple else (item,):
                if hasattr(type(part), "__next__") and not isinstance(part, Generator):
                    self.lazy(part)
        return item

    def lazy(self, iterator: Any) -> Any:
        """An iterator of Python that this side has made."""
        self.sides[id(iterator)] = self.branching.side
        return self.own(iterator)

    def _going(self, items: Any, unchanged: Callable[[], None] | None) -> Iterator[Any]:
        if unchanged is not None:
            unchanged()
        for exists, read in self.each(items):
            if self.branching.decide(exists()):
                yield read()
                if unchanged is not None:
                    unchanged()

    def unwrapped(self, value: Any) -> Any:
        """A value that is not None, if it may be one."""
        return value.settled() if type(value) is OptionalValue else value

    # -- generators ----------------------------------------------------------------------------------------

    def generator(self, items: Any, step: Any) -> Any:
        """A generator expression."""
        return self.own(Generator(self, self._begun(items), lambda: step, step.__code__))

    def _begun(self, items: Any) -> Any:
        """Python asks for the iterator of the outermost iterable at once: anything else is a TypeError."""
        items = self.iterable(items)
        if not isinstance(items, StateValue) or isinstance(items, Symbol):
            iter(items)
        return items

    def used_once(self, value: Any) -> Any:
        """A value that only the function uses which it is given to."""
        if type(value) is Generator:
            value.once = True
        return value

    def passing(self, items: Any) -> Any:
        """An iterator over something."""
        return self.own(Generator(self, items, lambda: _passed, "passing"))

    def _becomes(self, generator: Generator, state: Any) -> None:
        if not generator.once:
            self.branching.journal.note(generator.__dict__, "state")
        generator.state = state

    def _pulled(self, generator: Generator) -> Iterator[Any]:
        """The elements of a generator one by one."""
        step, emit = generator.begin(), Pulled(self)
        over = generator.over
        if is_iterator(over):
            for item in self.iterate(over):
                yield from self._elements_of(step(iter((item,)), emit))
            return
        for item in self._going(over, generator.unchanged):
            yield from self._elements_of(step(iter((item,)), emit))

    def _elements_of(self, found: Any) -> Iterator[Any]:
        if type(found) is Given:
            yield found.value
        elif type(found) is Generator:
            yield from self._pulled(found)

    def site(self, items: Any) -> Any:
        """Identifies lazy iterables by where they are written; None where nothing is lazy."""
        if not isinstance(items, Generator):
            return None
        return items.site, self.site(items.over)

    # -- elements ------------------------------------------------------------------------------------------

    def pieces_of(self, items: Any) -> list[Piece]:
        """The elements of anything, each with the condition under which it exists."""
        if isinstance(items, ConditionalElements):
            return items.pieces()
        if type(items) in (list, tuple):
            return [(self.pool.true, v) for v in items]
        collected = Collected(self)
        self.walk(items, collected.put)
        return collected.pieces()

    def collected(self, items: Any, step: Step) -> list[Piece]:
        """The elements of a comprehension."""
        return self.pieces_of(Generator(self, items, lambda: step, None, once=True))

    def list_of(self, items: Any, step: Any) -> Any:
        with self.in_an_order(True):
            return self.listed(self.collected(items, step))

    def set_from(self, items: Any, step: Any) -> Any:
        with self.in_an_order(False):
            return self.set_of_pieces(self.collected(items, step))

    def dict_from(self, items: Any, step: Any) -> Any:
        found = {}
        with self.in_an_order(True):
            pieces = self.collected(items, step)
        for exists, (key, value) in pieces:
            if self.branching.decide(exists):
                found[self.key(key)] = value
        return self.own(found)

    def listed(self, pieces: list[Piece]) -> Any:
        """A plain list where all elements exist."""
        pieces = [piece for piece in pieces if piece[0] is not self.pool.false]
        if all(exists is self.pool.true for exists, _ in pieces):
            return self.own([value for _, value in pieces])
        return self.own(ConditionalElements(self, pieces))

    def in_order(self, items: Any) -> list[Any]:
        """The members of a plain set in Python's order, where that is the same in each run."""
        if all(map(_has_fixed_hash, items)):
            return list(items)
        if not self.order_matters:
            return list(self.in_any_order(items))
        raise self.refused("the order of a plain set", "it differs between runs", "sort it: sorted(...)")

    @contextlib.contextmanager
    def in_an_order(self, matters: bool) -> Iterator[None]:
        """Whether the order of a plain set matters for what is made of its members."""
        outer, self.order_matters = self.order_matters, matters
        try:
            yield
        finally:
            self.order_matters = outer

    def in_any_order(self, items: Any) -> Any:
        """The same for operations that do not depend on the order."""
        if type(items) not in (set, frozenset) or all(map(_has_fixed_hash, items)):
            return items
        return sorted(items, key=lambda v: (type(v).__name__, v if isinstance(v, (int, str)) else 0, repr(v)))

    def unpacked(self, source: Iterator[Any], shape: Any) -> Iterator[Any]:
        for item in source:
            yield self._shaped(item, shape)

    def _shaped(self, item: Any, shape: Any) -> Any:
        if shape is None:
            return item
        count, inner = shape
        parts = list(self.unpack(item, None if count < 0 else count))
        if count < 0:
            return parts
        return tuple(self._shaped(part, one) for part, one in zip(parts, inner, strict=True))

    def unpack(self, value: Any, count: int | None) -> Iterable[Any]:
        value = self.unwrapped(value)
        if isinstance(value, SymSeq) and count is not None:
            bound = value._bound()
            self.checked(
                self.pool.eq(bound, self.pool.const(count)),
                lambda: ValueError(f"not as many values to unpack as expected ({count})"),
            )
            return [value[i] for i in range(count)]
        found: Iterable[Any] = self.iterate(value)
        return found


class Emit:
    """What a comprehension calls: each element goes on to the body of a walk."""

    def __init__(self, iteration: Iteration, body: Body, search: Any) -> None:
        self._iteration, self._body, self._search = iteration, body, search

    def __call__(self, value: Any) -> Outcome:
        return self._body(Given(value))

    def when(self, test: Any, run: Callable[[], Outcome]) -> Outcome:
        branching = self._iteration.branching
        return branching.branch(self._iteration.truth(test), run, _nothing, branching.mixed)

    def walk(self, over: Any, step: Any) -> Outcome:
        return self._iteration.walk(over, lambda read: step(iter((read(),))), True, self._search)


class Pulled:
    """The same where one element is wanted at a time."""

    def __init__(self, iteration: Iteration) -> None:
        self._iteration = iteration

    def __call__(self, value: Any) -> Any:
        return Given(value)

    def when(self, test: Any, run: Callable[[], Any]) -> Any:
        return run() if self._iteration.decide(test) else None

    def walk(self, over: Any, step: Any) -> Any:
        iteration = self._iteration
        return Generator(iteration, iteration.iterable(over), lambda: lambda source, emit: step(source), None)


class Collected:
    """The body of a walk that keeps each element, with the condition under which it exists."""

    def __init__(self, iteration: Iteration) -> None:
        self._iteration, self._base = iteration, len(iteration.branching.guards)
        self.last = Element(None, None, None)

    def put(self, read: Callable[[], Any]) -> None:
        value, branching = read(), self._iteration.branching
        guards = [guard for guard in branching.guards[self._base :] if not callable(guard)]
        branching.journal.note_own(self.__dict__, "last")
        self.last = Element(self.last, self._iteration.pool.and_(guards), value)

    def pieces(self) -> list[Piece]:
        """The elements so far."""
        return self.last.pieces()


class Search:
    """The elements of any() or all() so far: those after the one that decides are irrelevant, and cannot fail."""

    def __init__(self, operations: Any, value: bool) -> None:
        self._operations, self._value = operations, value
        self.collected = Collected(operations)

    def decided(self) -> Any:
        """The condition that an element has decided."""
        operations, found = self._operations, list[Any]()
        pool = operations.pool
        for exists, item in self.collected.pieces():
            term = operations.truth(item)
            found.append(pool.and_((exists, term if self._value else pool.not_(term))))
        return pool.or_(found)


_nothing = Given(None)
_END = object()


def _passed(source: Iterator[Any], emit: Any) -> Any:
    return emit(next(source))


def _has_fixed_hash(value: Any) -> bool:
    """Whether a value has the same hash in each run of Python."""
    if type(value) is tuple:
        return all(map(_has_fixed_hash, value))
    return type(value) in (int, bool, float)


def _gone_on(outcome: Outcome) -> Outcome:
    """The outcome of the body of a loop, where `continue` falls through."""
    return _replaced(outcome, CONTINUE, None)


def _replaced(outcome: Outcome, old: LoopExit, new: LoopExit | None) -> Outcome:
    """An outcome in which one way to leave is another one."""
    if outcome is old:
        return new
    if isinstance(outcome, ConditionalEnd):
        then, otherwise = _replaced(outcome.then, old, new), _replaced(outcome.otherwise, old, new)
        return None if then is None and otherwise is None else ConditionalEnd(outcome.condition, then, otherwise)
    return outcome
