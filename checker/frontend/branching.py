"""Executes both sides of an undecided condition, and merges what they changed and returned.

The rule for merging values is Rosette's (Torlak, Bodik: A Lightweight Symbolic Virtual Machine for Solver-Aided Host
Languages, PLDI 2014): values of one kind become one term; where two values have no common representation, the path
splits. Each side runs under its condition, from the same state; its writes are undone and merged. A side that ends in
an error or in a false guard becomes a leaf of the decision tree, under the conditions that lead there.

What cannot be merged (a choice, two lists of different length) raises CannotMerge. The outermost condition that is
being merged catches it, undoes everything and splits the path instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from ..errors import CheckedError, EverystateError, place_of
from ..ir.columns import only_value
from ..ir.expr import Expr, Pool
from ..ir.facts import Facts
from ..ir.places import PLACE, Place, split
from ..ir.tree import Disabled, Tree
from ..language.machine import Disabled as DisabledHere
from .conditional_elements import Element
from .explorer import SIDE, StartAgain, Work
from .journal import MISSING, WHOLE, Journal, write
from .outcomes import ConditionalEnd, ConditionalValue, Given, Outcome
from .watchdog import NeverReturns

Thunk = Callable[[], Any]
Joined = Callable[[Expr, Any, Any], Any]
Value = TypeVar("Value")


class CannotMerge(BaseException):
    """Two sides have no common representation, or one of them must be a path of its own."""


class Effect(BaseException):
    """An element of any() or all() writes something; see `attempts`."""


INTERRUPTS = (CannotMerge, Effect, KeyboardInterrupt, NeverReturns, StartAgain)
"""What ends a side without being a result of it."""
DEEP = 4
"""Conditions inside of so many others are evaluated for all values of what they read, where that is little."""


class Tracing(Protocol):
    """The part of the tracer that branching uses."""

    pool: Pool
    facts: Facts
    work: Work

    def decide(self, term: Expr) -> bool: ...

    def join(self, term: Expr, a: Any, b: Any) -> Any: ...

    def ends(self, stays: Expr, leaf: Tree) -> None:
        """Where a condition does not hold the path ends in a leaf."""

    def failed(self, error: BaseException) -> Tree:
        """The leaf of a path on which Python has raised something."""
        ...

    def splits_here(self, term: Expr) -> bool:
        """Whether an earlier run found that this condition splits the path."""
        ...

    def cannot_merge(self) -> None:
        """The condition that was about to be merged splits the path."""
        ...

    def mark(self) -> Any:
        """The current position on the path."""
        ...

    def back(self, mark: Any) -> None:
        """Return to an earlier position on the path."""


class Branching:
    """The conditions that are being merged on one path."""

    def __init__(self, tracer: Tracing) -> None:
        self._tracer = tracer
        self.begin()

    def begin(self) -> None:
        """A path begins."""
        self.journal = Journal()
        self.guards: list[Expr | Callable[[], Expr]] = []
        self._weak: list[bool] = []
        """For each guard, whether the code executed under it ignores that it holds."""
        self.merging = 0
        self._abandoned = False
        """Whether what is being merged needs a decision. C code may take CannotMerge for an error of its own."""
        self.splitting = 0
        self.side = 0
        """A number for each side that is executed; 0 is the path itself."""
        self._sides = 0
        self._learned: list[Expr] = []
        """The facts after the outermost condition that is being merged."""

    def given(self, term: Expr) -> Expr:
        """The conjunction of a condition and the conditions of the branches that are being merged."""
        return self._tracer.pool.and_((self._guarding(), term)) if self.guards else term

    def decide(self, term: Expr) -> bool:
        """The value of a condition where Python needs it: splits the path, or stops a merge."""
        known = self._tracer.facts.decided(term)
        if known is not None:
            return known
        return self._tracer.decide(term)

    def no_decision(self) -> None:
        """Nothing can be decided while conditions are being merged."""
        if self.merging:
            self._abandoned = True
            raise CannotMerge

    def branch(
        self,
        term: Expr,
        then: Callable[[], Value],
        otherwise: Callable[[], Value],
        joined: Callable[[Expr, Value, Value], Value],
    ) -> Value:
        """What `then` returns where a condition holds, and `otherwise` elsewhere, as one value."""
        tracer = self._tracer
        known = tracer.facts.decided(term)
        if known is None and len(self.guards) >= DEEP:
            known = only_value(term)  # a recursion that takes a set of the state apart ends so
        if known is not None:
            return then() if known else otherwise()
        if self.splitting or (not self.merging and tracer.splits_here(term)):
            return then() if self.decide(term) else otherwise()
        if self.merging:
            inner: Value = self._merged(term, then, otherwise, joined)
            return inner
        outer, self._abandoned = self.state(), False
        try:
            made: Value = self._merged(term, then, otherwise, joined)
            if self._abandoned:
                raise CannotMerge
        except CannotMerge:
            self.restore(outer)
            tracer.cannot_merge()
        else:
            self.journal.forget()
            while self._learned:
                tracer.facts = tracer.facts.given(self._learned.pop(0), True)
            return made
        return then() if self.decide(term) else otherwise()

    def state(self) -> tuple[Any, ...]:
        """What can be restored."""
        tracer = self._tracer
        return len(self.journal), tracer.facts, tracer.mark(), self.side, len(self._learned)

    def restore(self, state: tuple[Any, ...]) -> None:
        """Undo all writes and decisions since then."""
        written, facts, mark, self.side, learned = state
        self.journal.back(written)
        del self._learned[learned:]
        self._tracer.facts = facts
        self._tracer.back(mark)

    def _merged(self, term: Expr, then: Thunk, otherwise: Thunk, joined: Joined) -> Any:
        tracer, journal, start = self._tracer, self.journal, len(self.journal)
        outer = tracer.facts
        not_term = tracer.pool.not_(term)
        self._merge(1)
        try:
            try:
                a = self._side(term, then)
            except INTERRUPTS:
                raise
            except BaseException as error:
                leaf = self._leaf(error)
                journal.back(start)
                tracer.facts = outer
                self._end(not_term, leaf)
                self._merge(-1)
                try:
                    return otherwise()
                finally:
                    self._merge(1)
            inner, first = tracer.facts, journal.back(start)
            tracer.facts = outer
            try:
                b = self._side(not_term, otherwise)
            except INTERRUPTS:
                raise
            except BaseException as error:
                leaf = self._leaf(error)
                journal.back(start)
                tracer.facts = outer
                self._end(term, leaf)
                for container, key, _, new in first.values():
                    journal.note_own(container, key)
                    write(container, key, new)
                tracer.facts = inner
                return a
            second = journal.back(start)
            tracer.facts = outer
            self._merge_writes(term, first, second)
            return a if a is b else joined(term, a, b)
        finally:
            self._merge(-1)

    def _merge(self, more: int) -> None:
        self.merging += more
        self.journal.active = self.merging > 0

    def _side(self, term: Expr, run: Thunk) -> Any:
        if type(run) is Given:
            return run.value
        outer, tracer = self.side, self._tracer
        tracer.work.add(SIDE)
        tracer.facts = tracer.facts.given(term, True)
        self.guards.append(term)
        self._weak.append(False)
        self._sides += 1
        self.side = self._sides
        try:
            return run()
        finally:
            self.guards.pop()
            self._weak.pop()
            self.side = outer

    def unless(self, decided: Callable[[], Expr], run: Callable[[], Value], nothing: Value) -> Value:
        """The value of a function that is irrelevant, and cannot fail, where something is decided already.

        The value is not simplified by that, so that the term can be shared. Whether it is decided is checked only where
        something can fail.
        """
        self.guards.append(lambda: self._tracer.pool.not_(decided()))
        self._weak.append(True)
        try:
            return run()
        except INTERRUPTS:
            raise
        except BaseException as error:
            leaf = self._leaf(error)
        finally:
            self.guards.pop()
            self._weak.pop()
        stays = decided()
        known = self._tracer.facts.decided(stays)
        if known is False:
            self._end(self._tracer.pool.false, leaf)
        elif known is None:
            self._end(stays, leaf)
        return nothing

    def _guarding(self) -> Expr:
        """The conjunction of all conditions that are being merged."""
        return self._tracer.pool.and_([guard() if callable(guard) else guard for guard in self.guards])

    def _leaf(self, error: BaseException) -> Tree:
        """The leaf of a side that has ended; an error of the spec itself is raised again."""
        if isinstance(error, DisabledHere):
            return Disabled(place_of(error.__traceback__), error.by)
        if isinstance(error, EverystateError) and not isinstance(error, CheckedError):
            raise error
        return self._tracer.failed(error)

    def _end(self, stays: Expr, leaf: Tree) -> None:
        """The path ends in a leaf where a condition does not hold, and goes on where it does."""
        tracer, pool = self._tracer, self._tracer.pool
        whole = stays if not self.guards else pool.or_((stays, pool.not_(self._guarding())))
        tracer.ends(whole, leaf)
        if self.guards:
            self._learned.append(whole)
        if not self.guards or not self._weak[-1]:
            tracer.facts = tracer.facts.given(stays, True)

    def end_unless(self, stays: Expr, leaf: Callable[[], Tree], raised: Callable[[], BaseException]) -> None:
        """A check: where its condition does not hold, the path ends in a leaf. Raises where it never holds."""
        known = self._tracer.facts.decided(stays)
        if known is True:
            return
        if known is False or (self.splitting and not self.decide(stays)):
            raise raised()
        if not self.splitting:
            self._end(stays, leaf())

    def _merge_writes(self, term: Expr, first: dict[Any, Any], second: dict[Any, Any]) -> None:
        for place in {**first, **second}:
            container, key, old, _ = first.get(place) or second[place]
            a = first[place][3] if place in first else old
            b = second[place][3] if place in second else old
            self.journal.note_own(container, key)
            write(container, key, a if a is b else self._joined_write(container, key, term, a, b))

    def _joined_write(self, container: Any, key: Any, term: Expr, a: Any, b: Any) -> Any:
        if isinstance(a, Expr):
            return self._tracer.pool.ite(term, a, b)
        if type(a) is Element:
            return a.and_those_of(b)
        if key is PLACE:
            assert isinstance(a, Place) and isinstance(b, Place)
            return split(term, a, b)
        if key is WHOLE:
            return self._joined_content(term, a, b)
        if type(container) is Frame:
            return ConditionalValue(term, a, b)
        if a is MISSING or b is MISSING:
            raise CannotMerge
        return self._tracer.join(term, a, b)

    def _joined_content(self, term: Expr, a: Any, b: Any) -> Any:
        if type(a) is list and len(a) == len(b):
            return [x if x is y else self._tracer.join(term, x, y) for x, y in zip(a, b, strict=True)]
        if type(a) is dict and list(a) == list(b):
            return {k: a[k] if a[k] is b[k] else self._tracer.join(term, a[k], b[k]) for k in a}
        if type(a) is set and a == b:
            return a
        raise CannotMerge

    @contextmanager
    def in_splitting(self) -> Iterator[None]:
        """Conditions split the path: Python's own control flow is between them."""
        self.splitting += 1
        try:
            yield
        finally:
            self.splitting -= 1

    # -- outcomes ------------------------------------------------------------------------------------------

    def mixed(self, term: Expr, a: Outcome, b: Outcome) -> Outcome:
        """Two ends of a block as one."""
        return ConditionalEnd(term, a, b)

    def falls(self, outcome: Outcome) -> Expr:
        """Where control falls through the end of a block."""
        pool = self._tracer.pool
        if isinstance(outcome, ConditionalEnd):
            return pool.ite(outcome.condition, self.falls(outcome.then), self.falls(outcome.otherwise))
        return pool.truth(outcome is None)

    def then(self, outcome: Outcome, rest: Callable[[], Outcome]) -> Outcome:
        """The outcome of a block that continues with another one where control falls through."""
        if outcome is None:
            return rest()
        if not isinstance(outcome, ConditionalEnd):
            return outcome
        left = _left(outcome)
        return self.branch(self.falls(outcome), rest, Given(left), self.mixed)


def _left(outcome: Outcome) -> Outcome:
    """How a block is left, where control is known not to fall through."""
    if not isinstance(outcome, ConditionalEnd):
        return outcome
    then, otherwise = _left(outcome.then), _left(outcome.otherwise)
    if then is None or otherwise is None:
        return otherwise if then is None else then
    return ConditionalEnd(outcome.condition, then, otherwise)


class Frame(dict[str, Any]):
    """The local names of a lifted function."""

    __slots__ = ("_operations",)
    __hash__ = object.__hash__  # type: ignore[assignment]

    def __init__(self, operations: Any, names: dict[str, Any]) -> None:
        dict.__init__(self, names)
        self._operations = operations
        operations.attempts.created(self)

    def __getitem__(self, name: str) -> Any:
        value = dict.get(self, name, MISSING)
        if type(value) is ConditionalValue or value is MISSING:
            value = self._operations.settled_name(self, name, value)
        return value

    def __setitem__(self, name: str, value: Any) -> None:
        self._operations.journal.note(self, name)
        dict.__setitem__(self, name, value)

    def __delitem__(self, name: str) -> None:
        self[name]
        self._operations.journal.note(self, name)
        dict.__delitem__(self, name)
