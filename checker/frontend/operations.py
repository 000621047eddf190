"""The operations of lifted code: one for each construct of Python, on values and on symbols.

Each has Python's meaning. On values that do not depend on the state it is Python's own operation; on symbols it builds
terms, and branches are merged (`branching`).
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Iterator
from types import FunctionType, MethodType
from typing import Any

from ..errors import CheckedError, EverystateError, is_ours, user_place
from ..ir.collection import View, blank
from ..ir.elements import Elements, SymArray, SymSeq
from ..ir.expr import Expr, Pool
from ..ir.maps import DelayedMap, SymMap
from ..ir.optional import OptionalValue
from ..ir.places import FixedCells
from ..ir.records import asked, field_names
from ..ir.sets import DetachedSet, SetView, Subsets
from ..ir.sorted_sets import set_at
from ..ir.symbols import Boolean, Member, Number, Symbol
from ..ir.tree import Disabled, Fault, Tree
from ..language.composite_domains import Seq, Set
from ..language.conditions import truth
from ..language.domains import Domain, is_frozen_dataclass, parts_of_value, rebuilt
from ..language.machine import Disabled as DisabledHere
from ..language.record import Record
from ..language.spec import Spec
from .arithmetic import Arithmetic
from .attempts import Attempts
from .branching import INTERRUPTS, Branching, CannotMerge, Frame, Given
from .calls import Calls, Method
from .conditional_elements import ConditionalElements, Generator, Piece, Text
from .copied import Copied
from .iteration import Iteration
from .journal import MISSING, WHOLE, Journal
from .outcomes import BREAK, CONTINUE, UNSET, ConditionalEnd, ConditionalValue, Outcome, Return
from .set_operations import SET_METHODS, SetOperations, is_conditional_set, is_set

Item = tuple[Callable[[], Expr], Callable[[], Any]]
"""An item: the condition under which it exists, and a function that reads it."""
Block = Callable[[], Outcome]
PLAIN = (int, bool, str, type(None), float)


class Operations(Calls, Iteration, SetOperations, Arithmetic):
    """The operations of one tracer."""

    Return, BREAK, CONTINUE, Anything = Return, BREAK, CONTINUE, BaseException

    def __init__(self, tracer: Any) -> None:
        self.tracer, self.branching = tracer, Branching(tracer)
        self.pool: Pool = tracer.pool
        self.known: dict[FunctionType, FunctionType] = {}
        """The lifted functions of those that were called."""
        self.attempts = Attempts(self)
        self.begin()

    def begin(self) -> None:
        """A path begins."""
        self.branching.begin()
        self.depth = 0
        """How many lifted functions are being executed."""
        self.attempts.begin()
        self.order_matters = True
        self.owned: dict[int, Any] = {}
        """What this call has created, by identity; kept alive, so that no other object gets its identity."""
        self.copied = Copied(Frame(self, {}))
        self.sides: dict[int, int] = {}
        """For iterators, the side in which each was created."""

    @property
    def journal(self) -> Journal:
        return self.branching.journal

    # -- names ---------------------------------------------------------------------------------------------

    def frame(self, **names: Any) -> Frame:
        return Frame(self, names)

    def settled_name(self, frame: Frame, name: str, value: Any) -> Any:
        """The value of a name that may have one of several."""
        found = self.settled(value)
        if found is MISSING:
            raise UnboundLocalError(f"cannot access local variable '{name}' where it is not associated with a value")
        return found

    def settled(self, value: Any) -> Any:
        """One value for one of two; splits the path where they cannot be merged."""
        if type(value) is not ConditionalValue:
            return value
        known = self.tracer.facts.decided(value.condition)
        if known is not None:
            return self.settled(value.then if known else value.otherwise)
        if value.then is UNSET or value.otherwise is UNSET:
            return self.settled(value.otherwise if value.then is UNSET else value.then)
        return self.branching.branch(
            value.condition, lambda: self.settled(value.then), lambda: self.settled(value.otherwise), self.joined
        )

    def assigned(self, frame: Frame, name: str, value: Any) -> Any:
        frame[name] = value
        return value

    def bound(self, frame: Frame, name: str, value: Any) -> bool:
        frame[name] = value
        return True

    def local(self, function: Any, name: str) -> Any:
        function.__name__ = function.__qualname__ = name
        return function

    # -- merging -------------------------------------------------------------------------------------------

    def joined(self, term: Expr, a: Any, b: Any) -> Any:
        """One value for two; CannotMerge where they have no common representation."""
        if a is b:
            return a
        if a is MISSING or b is MISSING:
            raise CannotMerge
        if a is UNSET or b is UNSET:
            return b if a is UNSET else a
        if type(a) is ConditionalElements and type(b) is ConditionalElements and a.kind is b.kind:
            return ConditionalElements(self._only(term, a.pieces(self.pool.true), b.pieces(self.pool.true)), a.kind)
        if type(a) in (str, Text) and type(b) in (str, Text) and Text in (type(a), type(b)):
            return Text(lambda: self.plain(a if self.branching.decide(term) else b))
        return self.tracer.join(term, a, b)

    def _only(self, term: Expr, a: list[Piece], b: list[Piece]) -> list[Piece]:
        pool = self.pool
        not_term = pool.not_(term)
        return [(pool.and_((term, e)), v) for e, v in a] + [(pool.and_((not_term, e)), v) for e, v in b]

    def truth(self, value: Any) -> Expr:
        """The term of a condition."""
        kind = type(value)
        if kind is bool:
            return self.pool.truth(value)
        if kind in (tuple, str, int, float):
            return self.pool.truth(bool(value))
        if kind is Boolean:
            term: Expr = value._term
            return term
        if kind is OptionalValue:
            return self.pool.and_((value.present, self.truth(value.value)))
        if isinstance(value, View):
            return self._some(value)
        if kind is ConditionalElements:
            return self.pool.or_([exists for exists, _ in value.pieces(self.pool.true)])
        if kind is Text:
            return self.pool.truth(bool(self.plain(value)))
        if isinstance(value, Member):
            true = [i for i, m in enumerate(value._members) if m]
            return self.pool.or_([self.pool.eq(value._term, self.pool.const(i)) for i in true])
        own = self.special(value, "__bool__") or self.special(value, "__len__")
        if own is not None:
            return self.truth(self.call(own, value))
        found: Expr = self.tracer.truth(value)
        return found

    def _some(self, view: View) -> Expr:
        if isinstance(view, SymSeq):
            return self.pool.lt(self.pool.const(0), view._bound())
        if isinstance(view, SetView):
            return view._some()
        return self.pool.truth(len(view) > 0)

    def decide(self, value: Any) -> bool:
        """The value of a condition; the path splits where it depends on the state."""
        return self.branching.decide(self.truth(value))

    def if_(self, test: Any, then: Block, otherwise: Block | None = None, rest: Block | None = None) -> Outcome:
        term, branching = self.truth(test), self.branching
        falling: Block = otherwise or _nothing
        if rest is None:
            if self._splits():
                return then() if branching.decide(term) else falling()
            return branching.branch(term, then, falling, branching.mixed)
        left = False

        def first() -> Outcome:
            nonlocal left
            outcome = then()
            left = outcome is not None and not isinstance(outcome, ConditionalEnd)
            return outcome

        def second() -> Outcome:
            """Where the first side always leaves the block, the code after it belongs to this one."""
            outcome = falling()
            return branching.then(outcome, rest) if left else outcome

        known = self.tracer.facts.decided(term)
        if known is None and self._splits():
            known = self.branching.decide(term)
        if known is not None:
            return branching.then(then() if known else falling(), rest)
        outcome = branching.branch(term, first, second, branching.mixed)
        return outcome if left else branching.then(outcome, rest)

    def _splits(self) -> bool:
        """Whether an `if` splits the path: in the body of an action, as long as its paths are few."""
        return not self.branching.merging and self.depth == 1 and self.tracer.branches()

    def ifexp(self, test: Any, then: Any, otherwise: Any) -> Any:
        return self.branching.branch(self.truth(test), then, otherwise, self.joined)

    def result(self, outcome: Outcome) -> Any:
        """What a function returns."""
        if outcome is None:
            return None
        if isinstance(outcome, Return):
            return outcome.value
        assert isinstance(outcome, ConditionalEnd), "break and continue are those of a loop"
        return self.settled(self._returned(outcome))

    def _returned(self, outcome: Outcome) -> Any:
        if isinstance(outcome, ConditionalEnd):
            return ConditionalValue(outcome.condition, self._returned(outcome.then), self._returned(outcome.otherwise))
        return outcome.value if isinstance(outcome, Return) else None

    # -- conditions ----------------------------------------------------------------------------------------

    def all_true(self, first: Any, *rest: Any) -> Any:
        return self._junction(first, rest, conjunction=True)

    def any_true(self, first: Any, *rest: Any) -> Any:
        return self._junction(first, rest, conjunction=False)

    def _junction(self, first: Any, rest: tuple[Any, ...], conjunction: bool) -> Any:
        """`and` and `or` as conditions: each operand is evaluated under those before it."""
        term, pool = self.truth(first), self.pool
        for at, side in enumerate(rest):
            known = self.tracer.facts.decided(term)
            if known is not None:
                if known is not conjunction:
                    return known
                term = self.truth(side())
                continue
            others = rest[at + 1 :]

            def more(side: Any = side, others: Any = others) -> Any:
                return self._junction(side(), others, conjunction)

            if conjunction:
                return self.tracer.boolean(self._when(term, more, pool.false))
            return self.tracer.boolean(pool.or_((term, self._when(pool.not_(term), more, pool.true))))
        return self.tracer.boolean(term)

    def _when(self, term: Expr, run: Any, otherwise: Expr) -> Expr:
        """The value of a function as a boolean where a condition holds, another one elsewhere."""
        found: Expr = self.branching.branch(
            term, lambda: self.truth(run()), Given(otherwise), lambda t, a, b: self.pool.ite(t, a, b)
        )
        return found

    def and_(self, first: Any, *rest: Any) -> Any:
        return self._operand(first, rest, conjunction=True)

    def or_(self, first: Any, *rest: Any) -> Any:
        return self._operand(first, rest, conjunction=False)

    def _operand(self, first: Any, rest: tuple[Any, ...], conjunction: bool) -> Any:
        """`and` and `or` as in Python: the operand that decides."""
        if not rest:
            return first
        term = self.truth(first)
        if type(first) is Boolean:
            first = not conjunction  # its value where it decides

        def more() -> Any:
            return self._operand(rest[0](), rest[1:], conjunction)

        sides: tuple[Callable[[], Any], Callable[[], Any]] = (
            (more, Given(first)) if conjunction else (Given(first), more)
        )
        return self.branching.branch(term, *sides, self.joined)

    def not_(self, value: Any) -> Any:
        return self.tracer.boolean(self.pool.not_(self.truth(value)))

    def assert_(self, test: Any, message: Any) -> None:
        def failed() -> AssertionError:
            text = None if message is None else message()
            return AssertionError() if text is None or self.depends(text) else AssertionError(text)

        self.checked(self.truth(test), failed)

    def checked(self, term: Expr, error: Callable[[], BaseException]) -> None:
        """Where a condition does not hold, an error of Python ends the path."""

        def leaf() -> Tree:
            place = user_place()
            try:
                raise error()
            except Exception as raised:
                found: Tree = self.tracer.failed(raised)
            if isinstance(found, Fault) and found.error.where is None:
                found.error.where = place
            return found

        self.branching.end_unless(term, leaf, error)

    def require(self, condition: Any) -> None:
        term = self.truth(condition)
        parts = term.args if term.op == "and" else (term,)
        for part in parts:
            self.branching.end_unless(part, lambda: Disabled(user_place()), DisabledHere)

    def text(self, *parts: Any) -> Any:
        if not any(type(part) is tuple and self.depends(part[0]) for part in parts):
            return self._text(parts)
        kept = [(self.kept(part[0]), *part[1:]) if type(part) is tuple else part for part in parts]
        return Text(lambda: self._text(tuple(kept)))

    def _text(self, parts: tuple[Any, ...]) -> str:
        made = []
        for part in parts:
            if type(part) is not tuple:
                made.append(part)
                continue
            value, conversion, form = self.for_text(part[0]), part[1], part[2]
            conversions: dict[int, Callable[[Any], Any]] = {115: str, 114: repr, 97: ascii}
            value = conversions.get(conversion, _itself)(value)
            made.append(format(value, "" if form is None else self.plain(form)))
        return "".join(made)

    # -- comparisons ---------------------------------------------------------------------------------------

    def eq(self, a: Any, b: Any) -> Any:
        if type(a) in PLAIN and type(b) in PLAIN:
            return a == b
        if type(a) in PLAIN or type(b) in PLAIN:
            self.tracer.comparisons.equal(a, b)
        if type(a) is OptionalValue or type(b) is OptionalValue:
            return a == b
        if isinstance(a, (tuple, list)) and not isinstance(a, (View, Symbol)) and _same_kind(a, b):
            return self._sequences_equal(a, b)
        a, b = self.comparable(a), self.comparable(b)
        if type(a) is dict and type(b) is dict and (self.depends(a) or self.depends(b)):
            if a.keys() != b.keys():
                return False
            return self.tracer.boolean(self.pool.and_([self.truth(self.eq(a[k], b[k])) for k in a]))
        if is_conditional_set(a) or is_conditional_set(b):
            if not (is_set(a) and is_set(b)):
                return False
            view, other = (a, b) if isinstance(a, SetView) else (b, a)
            if isinstance(view, SetView):
                return view == DetachedSet(other.pieces(self.pool.true))
            return self.compared("eq", a, b)
        a, b = (self.plain(v) if type(v) is ConditionalElements else v for v in (a, b))
        if type(a) is type(b) and is_frozen_dataclass(type(a)) and self.special(a, "__eq__") is None:
            return self._sequences_equal(parts_of_value(a), parts_of_value(b))
        if isinstance(a, Member) or isinstance(b, Member):
            return self._members_equal(*((a, b) if isinstance(a, Member) else (b, a)))
        for one, other in ((a, b), (b, a)):
            own = self.special(one, "__eq__")
            if own is not None:
                found = self.call(own, one, other)
                if found is not NotImplemented:
                    return found
        for value in (a, b):
            if isinstance(value, MethodType):
                truth(value)  # E219: it was not called
        return a == b

    def _sequences_equal(self, a: Any, b: Any) -> Any:
        if len(a) != len(b):
            return False
        terms = [self.truth(self.eq(x, y)) for x, y in zip(a, b, strict=True)]
        return self.tracer.boolean(self.pool.and_(terms))

    def _members_equal(self, a: Member, b: Any) -> Any:
        """Whether an enum member equals anything; a value outside its enum is never equal."""
        if type(b) is OptionalValue:
            return b == a
        pool = self.pool
        if isinstance(b, Number):
            terms = [
                pool.and_((pool.eq(a._term, pool.const(i)), self.truth(self.eq(b, m))))
                for i, m in _numbered(a)
                if isinstance(m, int)
            ]
        elif isinstance(b, Member):
            if a._members == b._members:
                return self.tracer.boolean(pool.eq(a._term, b._term))
            pairs = [(i, j) for i, m in _numbered(a) for j, n in _numbered(b) if m == n]
            terms = [pool.and_((pool.eq(a._term, pool.const(i)), pool.eq(b._term, pool.const(j)))) for i, j in pairs]
        else:
            terms = [pool.eq(a._term, pool.const(i)) for i, m in _numbered(a) if m == b]
        return self.tracer.boolean(pool.or_(terms))

    def comparable(self, value: Any) -> Any:
        """A value for ==; one that may be None stays as it is."""
        return self.plain(value) if type(value) is Text else value

    def ne(self, a: Any, b: Any) -> Any:
        own = self.special(a, "__ne__")
        return self.call(own, a, b) if own is not None else self.not_(self.eq(a, b))

    def _ordered(self, name: str, a: Any, b: Any) -> Any:
        if (
            isinstance(a, (tuple, list))
            and not isinstance(a, View)
            and _same_kind(a, b)
            and (self.depends(a) or self.depends(b))
        ):
            return self._sequences_ordered(name, list(a), list(b))
        if (is_conditional_set(a) or is_conditional_set(b)) and is_set(a) and is_set(b):
            return self.compared(name, a, b)
        a, b = self.operand(a), self.operand(b)
        own = self.special(a, f"__{name}__")
        if own is not None:
            found = self.call(own, a, b)
            if found is not NotImplemented:
                return found
        return getattr(operator, name)(a, b)

    def _sequences_ordered(self, name: str, a: list[Any], b: list[Any]) -> Any:
        if not a or not b:
            return getattr(operator, name)(len(a), len(b))
        same = self.truth(self.eq(a[0], b[0]))
        strict = {"le": "lt", "ge": "gt"}.get(name, name)
        return self.branching.branch(
            same,
            lambda: self._sequences_ordered(name, a[1:], b[1:]),
            lambda: self._ordered(strict, a[0], b[0]),
            self.joined,
        )

    def lt(self, a: Any, b: Any) -> Any:
        return a < b if type(a) is int and type(b) is int else self._ordered("lt", a, b)

    def le(self, a: Any, b: Any) -> Any:
        return a <= b if type(a) is int and type(b) is int else self._ordered("le", a, b)

    def gt(self, a: Any, b: Any) -> Any:
        return a > b if type(a) is int and type(b) is int else self._ordered("gt", a, b)

    def ge(self, a: Any, b: Any) -> Any:
        return a >= b if type(a) is int and type(b) is int else self._ordered("ge", a, b)

    def is_(self, a: Any, b: Any) -> Any:
        if a is b:
            return True
        for one, other in ((a, b), (b, a)):
            if type(one) is OptionalValue:
                if other is None:
                    return self.tracer.boolean(self.pool.not_(one.present))
                return self._is_present(one, other)
        if isinstance(a, Member) or isinstance(b, Member):
            return self._same_member(a, b)
        if (isinstance(a, Boolean) and isinstance(b, (Boolean, bool))) or (
            isinstance(b, Boolean) and isinstance(a, bool)
        ):
            return self.eq(a, b)
        if isinstance(a, Symbol) or isinstance(b, Symbol):
            if a is None or b is None:
                return False
            raise self.refused("`is` on a number", "Python does not say which numbers are one object", "write ==")
        held = [v.__dict__.get("_binding") for v in (a, b) if isinstance(v, Record)]
        if (len(held) == 2 and any(h is not None for h in held)) or (isinstance(a, View) and isinstance(b, View)):
            raise self.refused("`is` on parts of the state", "each reading is a new object", "compare with ==")
        return False

    def _is_present(self, one: OptionalValue, other: Any) -> Any:
        return self.all_true(self.tracer.boolean(one.present), lambda: self.is_(self.present(one), other))

    def _same_member(self, a: Any, b: Any) -> Any:
        kinds = {type(m) for side in (a, b) for m in (side._members if isinstance(side, Member) else (side,))}
        if len(kinds) > 1 and not all(isinstance(k, type) for k in kinds):
            return False
        if not isinstance(a, Member):
            a, b = b, a
        others = b._members if isinstance(b, Member) else (b,)
        if not any(m is o for m in a._members for o in others):
            return False
        return self.eq(a, b)

    def is_not(self, a: Any, b: Any) -> Any:
        return self.not_(self.is_(a, b))

    def contains(self, item: Any, container: Any) -> Any:
        container = self.unwrapped(container)
        if isinstance(container, (SetView, SymMap)):
            self.tracer.comparisons.member(item, container)
            return container._has(self.operand(item))
        if isinstance(container, Generator):
            return self.in_python("contains", container, item)
        if isinstance(container, (ConditionalElements, Elements, DelayedMap, Subsets)) or type(container) in (
            list,
            tuple,
        ):
            pieces = self.pieces_of(container)
            if any(self.special(value, "__eq__") for value in (item, *(v for _, v in pieces))):
                return self.in_python("contains", container, item)
            return self.any_of_pieces([(e, self._same(item, v)) for e, v in pieces])
        own = self.special(container, "__contains__")
        if own is not None:
            return self.not_(self.not_(self.call(own, container, item)))
        if not self.depends(item) or isinstance(container, str):
            return self.plain(item) in container
        if isinstance(container, range):
            return self._in_range(item, container)
        members = self.in_any_order(container) if isinstance(container, (set, frozenset)) else list(container)
        return self.any_of_pieces([(self.pool.true, self.eq(item, m)) for m in members])

    def _same(self, a: Any, b: Any) -> Any:
        return a is b or self.eq(a, b)

    def _in_range(self, item: Any, container: range) -> Any:
        if not isinstance(item, Number) or not container:
            return self.any_of_pieces([(self.pool.true, self.eq(item, m)) for m in container])
        term, pool = self.tracer.number(item), self.pool
        lo, hi = min(container[0], container[-1]), max(container[0], container[-1])
        parts = [pool.le(pool.const(lo), term), pool.le(term, pool.const(hi))]
        step = abs(container.step)
        if step != 1:
            parts.append(pool.eq(pool.mod(pool.add(term, pool.const(-lo)), pool.const(step)), pool.const(0)))
        return self.tracer.boolean(pool.and_(parts))

    def lacks(self, item: Any, container: Any) -> Any:
        return self.not_(self.contains(item, container))

    def any_of_pieces(self, pieces: list[Piece]) -> Any:
        return self.tracer.boolean(self.pool.or_([self.pool.and_((e, self.truth(v))) for e, v in pieces]))

    def operand(self, value: Any) -> Any:
        """A value for an operation of Python: None and unfinished texts are resolved."""
        kind = type(value)
        if kind is OptionalValue:
            return self.present(value)
        return self.plain(value) if kind in (Text, ConditionalElements) else value

    def present(self, value: OptionalValue) -> Any:
        """The value of something that may be None; None itself where it is not there: that splits the path."""
        return value.value if self.branching.decide(value.present) else None

    # -- parts ---------------------------------------------------------------------------------------------

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
            room = self.pool.le(
                self.pool.count([e for e, _ in value.pieces(self.pool.true)]), self.pool.const(domain.capacity)
            )
            self.tracer.check(room, lambda: CheckedError("E302", user_place(), capacity=domain.capacity))
        made = kind(self.tracer, domain, FixedCells(self.tracer, blank(self.tracer, domain)))
        put = made.add if isinstance(made, SetView) else made.append
        for exists, item in value.pieces(self.pool.true):
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
        obj[self.key(key)] = value

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
        terms = self.tracer.encode(view._domain, items)
        self.tracer.replace(view._place, view._domain, terms)

    def slice(self, *parts: Any) -> Any:
        return slice(*map(self.operand, parts))

    def super_(self, cls: type, obj: Any) -> Any:
        return super(cls, obj)

    def caught(self, error: BaseException) -> None:
        """A handler of the author has caught an error; those that are not of the spec are raised again."""
        if isinstance(error, INTERRUPTS) or (
            isinstance(error, EverystateError) and not isinstance(error, CheckedError)
        ):
            raise error

    def splitting(self) -> Any:
        return self.branching.in_splitting()

    def manager(self, value: Any) -> Any:
        return value

    def matched(self, value: Any) -> Any:
        return self.plain(value) if type(value) in (Text, ConditionalElements) else value

    # -- values that depend on the state -------------------------------------------------------------------

    def depends(self, value: Any) -> bool:
        """Whether a value depends on the state."""
        kind = type(value)
        if kind in PLAIN:
            return False
        if isinstance(value, (Symbol, View, DelayedMap, Subsets)) or kind in (
            OptionalValue,
            Text,
            ConditionalElements,
            Generator,
            ConditionalValue,
        ):
            return True
        if kind in (tuple, list, set, frozenset) or (isinstance(value, tuple) and kind is not type):
            return any(map(self.depends, value))
        if kind is dict:
            return any(map(self.depends, value.values())) or any(map(self.depends, value))
        if isinstance(value, BaseException):
            return any(map(self.depends, value.args))
        if isinstance(value, Record):
            if "_binding" in value.__dict__ or "_fixed" in value.__dict__:
                return "_binding" in value.__dict__
            return any(map(self.depends, value.__dict__.values()))
        if is_frozen_dataclass(kind):
            return any(map(self.depends, parts_of_value(value)))
        held = getattr(value, "__dict__", None)
        if (
            isinstance(held, dict)
            and not isinstance(value, (type, FunctionType, Spec, Domain))
            and not inspect.ismodule(value)
        ):
            return any(self.depends(part) for part in held.values())
        return False

    def plain(self, value: Any) -> Any:
        """A value that Python itself can take; the path splits on it, where that matters to Python."""
        kind = type(value)
        if kind is OptionalValue:
            return self.plain(self.present(value))
        if kind is Text:
            return value.make()
        if kind is Generator:
            return self.plain(ConditionalElements(self.pieces_of(value)))
        if kind is ConditionalElements:
            return self._whole(value)
        if kind is tuple and self.depends(value):
            return tuple(map(self.plain, value))
        if isinstance(value, BaseException) and self.depends(value):
            return kind(*map(self.plain, value.args))
        if isinstance(value, Member) or (isinstance(value, Number) and not isinstance(value, View)):
            return value._concrete()
        return value

    def _whole(self, value: ConditionalElements) -> Any:
        if value.whole is None:
            found = [v for e, v in value.pieces(self.pool.true) if self.branching.decide(e)]
            self.journal.note(value.__dict__, "whole")
            value.whole = self.own(set(map(self.key, found)) if value.kind is set else found)
        return value.whole

    def key(self, value: Any) -> Any:
        """A value that Python can look up in a set or dict."""
        if isinstance(value, Record) and self.depends(value):
            return type(value)(**{n: self.key(asked(value, n)) for n in field_names(value)})
        if is_frozen_dataclass(type(value)) and self.depends(value):
            return rebuilt(type(value), tuple(map(self.key, parts_of_value(value))))
        return self.plain(value)

    # -- writes --------------------------------------------------------------------------------------------

    def own(self, value: Any) -> Any:
        """Something that this call has created, which it may change."""
        self.owned[id(value)] = value
        self.attempts.created(value, getattr(value, "__dict__", None))
        return value

    def owns(self, obj: Any) -> None:
        if id(obj) not in self.owned and not (isinstance(obj, Record) and self._is_new(obj)):
            raise self.refused(
                "a write to something that existed before", "it is not part of the state", "make it a variable"
            )

    def _is_new(self, record: Record) -> bool:
        return "_domain" not in record.__dict__

    def writes(self, container: Any) -> None:
        """A plain container is about to be changed."""
        self.owns(container)
        self.copied.check(container)
        self.journal.note(container, WHOLE)

    def refused(self, expression: str, reason: str, remedy: str, limit: bool = False) -> EverystateError:
        """E230: a `limit` of the front end, or what would be a mistake in plain Python, too."""
        return EverystateError("E230", user_place(), expression=expression, reason=reason, remedy=remedy, limit=limit)


def _numbered(member: Member) -> Iterator[tuple[int, Any]]:
    return enumerate(member._members)


_nothing = Given(None)


def _itself(value: Any) -> Any:
    return value


def _same_kind(a: Any, b: Any) -> bool:
    if isinstance(b, (View, Symbol)):
        return False
    return isinstance(b, tuple) if isinstance(a, tuple) else isinstance(b, list)


@functools.lru_cache(maxsize=4096)
def _of_class(kind: type, name: str) -> Any:
    """What a class has under a name."""
    for base in kind.__mro__:
        if name in vars(base):
            return vars(base)[name]
    return None


def _ours(function: FunctionType) -> bool:
    return is_ours(function.__code__.co_filename)
