"""The operations of lifted code: one for each construct of Python, on values and on symbols.

Each has Python's meaning. On values that do not depend on the state it is Python's own operation; on symbols it builds
terms, and branches are merged (`branching`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

from ..errors import CheckedError, EverystateError, user_place
from ..ir.expr import Expr, Pool
from ..ir.records import asked, field_names
from ..ir.state_value import StateValue
from ..ir.symbols import Boolean
from ..ir.tree import Disabled, Fault, Tree
from ..language.conditions import truth
from ..language.domains import Domain, is_frozen_dataclass, parts_of_value, rebuilt
from ..language.machine import Disabled as DisabledHere
from ..language.record import Record
from ..language.spec import Spec
from .access import Access
from .attempts import Attempts
from .branching import INTERRUPTS, Branching, CannotMerge, Frame
from .calls import Calls
from .conditional_elements import ConditionalElements, Piece, Text
from .copied import Copied
from .equality import PLAIN, Equality
from .journal import MISSING, WHOLE
from .outcomes import BREAK, CONTINUE, UNSET, ConditionalEnd, ConditionalValue, Given, Outcome, Return

Block = Callable[[], Outcome]


class Operations(Calls, Access, Equality):
    """The operations of one tracer."""

    Return, BREAK, CONTINUE, Anything = Return, BREAK, CONTINUE, BaseException

    def __init__(self, tracer: Any) -> None:
        self.tracer, self.branching = tracer, Branching(tracer)
        self.pool: Pool = tracer.pool
        self.known: dict[FunctionType, FunctionType] = {}
        self.attempts = Attempts(self)
        self.split_loops = set()
        self.begin()

    def begin(self) -> None:
        """A path begins."""
        self.branching.begin()
        self.journal = self.branching.journal
        self.depth = 0
        self.attempts.begin()
        self.order_matters = True
        self.owned: dict[int, Any] = {}
        self.copied = Copied(Frame(self, {}))
        self.sides: dict[int, int] = {}

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
            return ConditionalElements(self, self._only(term, a.pieces(), b.pieces()), a.kind)
        if type(a) in (str, Text) and type(b) in (str, Text) and Text in (type(a), type(b)):
            return Text(self, lambda: self.plain(a if self.branching.decide(term) else b))
        return self.tracer.join(term, a, b)

    def _only(self, term: Expr, a: list[Piece], b: list[Piece]) -> list[Piece]:
        pool = self.pool
        not_term = pool.not_(term)
        return [(pool.and_((term, e)), v) for e, v in a] + [(pool.and_((not_term, e)), v) for e, v in b]

    def truth(self, value: Any) -> Expr:
        """The term of a condition; numbers and collections as Python's bool() sees them."""
        kind = type(value)
        if kind is bool:
            return self.pool.truth(value)
        if issubclass(kind, StateValue):
            return value._truth()  # type: ignore[no-any-return]
        if kind in (tuple, str, int, float):
            return self.pool.truth(bool(value))
        own = self.special(value, "__bool__") or self.special(value, "__len__")
        return self.truth(self.call(own, value)) if own is not None else self.pool.truth(truth(value))

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
        return Text(self, lambda: self._text(tuple(kept)))

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

    def matched(self, value: Any, literals: tuple[tuple[Any, int], ...]) -> Any:
        """The subject of a `match`, which is compared with literals in some lines."""
        for literal, line in literals:
            self.tracer.comparisons.equal(literal, value, line)
        return self.plain(value) if type(value) in (Text, ConditionalElements) else value

    # -- values that depend on the state -------------------------------------------------------------------

    def operand(self, value: Any) -> Any:
        """A value for an operation of Python: None and unfinished texts are resolved."""
        return value._settled() if isinstance(value, StateValue) else value

    def depends(self, value: Any) -> bool:
        """Whether a value depends on the state."""
        kind = type(value)
        if kind in PLAIN:
            return False
        if issubclass(kind, StateValue):
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
        if issubclass(kind, StateValue):
            return value._resolved()
        if kind is tuple and self.depends(value):
            return tuple(map(self.plain, value))
        if isinstance(value, BaseException) and self.depends(value):
            return kind(*map(self.plain, value.args))
        return value

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


_nothing = Given(None)


def _itself(value: Any) -> Any:
    return value
