"""The tracer: executes actions and properties on symbols and returns their decision trees."""

from __future__ import annotations

import contextlib
import operator
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..errors import CheckedError, EverystateError, Where, describe, is_users, place_of, user_place
from ..ir import codec
from ..ir.collection import View
from ..ir.expr import Expr, Pool
from ..ir.fact_substitution import pruned
from ..ir.facts import Facts
from ..ir.joining import join, kind
from ..ir.merged_choice import MergedChoice
from ..ir.optional import OptionalValue
from ..ir.places import PLACE, FixedCells, Place
from ..ir.records import NewRecord, asked, field_names
from ..ir.references import References
from ..ir.symbols import Boolean, Integer, Number, member_symbol
from ..ir.tree import AT_THE_ROOT, Branch, Disabled, Fault, Tree, Update, Value, folded, on_the_way
from ..ir.views import Rows
from ..language.composite_domains import Option
from ..language.concrete import as_checked, before_step, disabled
from ..language.conditions import check_returned
from ..language.declarations import ActionInstance, method_name, method_place
from ..language.domains import Cell, Domain, fresh
from ..language.formulas import Form, Formula, only_form
from ..language.machine import Disabled as DisabledHere
from ..language.machine import executing
from ..language.record import Record
from ..language.refinement import Refinement
from ..language.spec import Spec
from . import watchdog
from .branching import CannotMerge
from .choices import Choices
from .comparisons import Comparisons
from .conditional_elements import SPENT, ConditionalElements, Generator, Text
from .explorer import MAX_DECISIONS, Explorer, StartAgain, Work
from .functions import is_number
from .operations import Operations
from .set_operations import is_conditional_set
from .watchdog import NeverReturns, Watchdog

WORD = (-(1 << 63), (1 << 63) - 1)
"""The range of a computed number: no reader of the IR calculates with more than 64 bits."""
LOWEST, HIGHEST = WORD


class SymbolicFrame:
    """Variables as terms."""

    def __init__(self, tracer: Tracer, cells: list[Expr]) -> None:
        self.tracer, self.cells = tracer, cells

    def _place(self, name: str) -> FixedCells:
        return FixedCells(self.tracer, self.cells, self.tracer.offsets[name], depth=0)

    def read(self, name: str) -> Any:
        return self.tracer.handed(self.tracer.spec.domains[name], self._place(name))

    def write(self, name: str, value: Any) -> None:
        tracer = self.tracer
        if tracer.depth:
            raise EverystateError("E210", user_place())
        domain = tracer.spec.domains[name]
        tracer.replace(self._place(name), domain, tracer.encode(domain, value))


class Tracer:
    """Executes one spec on symbols. It is also the machine of the language's statements."""

    def __init__(self, spec: Spec, pool: Pool | None = None) -> None:
        self.spec, self.pool = spec, pool or Pool()
        self.cells: list[Cell] = spec._state_cells()
        self.offsets: dict[str, int] = {}
        at = 0
        for name, domain in spec.domains.items():
            self.offsets[name] = at
            at += domain.size
        self.facts = Facts()
        self.depth = 0
        self.antecedents: dict[Where, list[Expr]] = {}
        self._explorers: list[Explorer] = []
        self._path: list[Expr] = []
        self._chosen = 0
        self.references = References(self)
        self.comparisons = Comparisons()
        self.ignored: set[str] = set()
        self.watchdog, self.work = Watchdog(), Work()
        self.operations = Operations(self)

    # -- lifted code ---------------------------------------------------------------------------------------

    def step(self, instance: ActionInstance) -> Callable[[], object]:
        """What executes an action instance."""
        return lambda: self._called(instance.name, (), {n: fresh(v) for n, v in instance.arguments})

    def beginning(self, name: str) -> Callable[[], object]:
        """What executes an @initial method."""
        return lambda: self._called(name, (), {})

    def _called(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self.operations.settled(self.operations.call(getattr(self.spec, name), *args, **kwargs))

    def _question(self, name: str, arguments: tuple[Any, ...]) -> Any:
        given: dict[str, Any] = {}
        if method_name(name) != name:
            own = next(p.arguments for p in self.spec.properties if p.name == name)
            given = {parameter: fresh(value) for parameter, value in own}
        return self._called(method_name(name), arguments, given)

    def note(self, container: Any, key: Any) -> None:
        """Something is about to be written."""
        if key is not PLACE:
            self.operations.copied.check(container)
        self.operations.journal.note(container, key)

    def moved(self, view: Any) -> None:
        """A view has another place."""
        self.operations.copied.moved(view)

    def ends(self, stays: Expr, leaf: Tree) -> None:
        """Where a condition does not hold the path ends in a leaf."""
        if stays.op != "const" or not stays.value:
            self._explorers[-1].exit(stays, leaf)

    def failed(self, error: BaseException) -> Tree:
        """The leaf of a path on which Python has raised something."""
        return self._failed(error)

    def splits_here(self, term: Expr) -> bool:
        """A condition is about to be merged: whether an earlier run found that it splits the path."""
        if not self._explorers:
            return False
        self._explorers[-1].merges += 1
        return self._explorers[-1].splits(term)

    def cannot_merge(self) -> None:
        """The condition that was about to be merged splits the path."""
        if self._explorers:
            self._explorers[-1].failed = self._explorers[-1].merges

    def branches(self) -> bool:
        """Whether an `if` splits the path."""
        return bool(self._explorers) and self._explorers[-1].branches

    def mark(self) -> tuple[int, int]:
        """The current position on the path."""
        return self._explorers[-1].cursor if self._explorers else 0, len(self._path)

    def back(self, mark: tuple[int, int]) -> None:
        """Return to an earlier position on the path."""
        if self._explorers:
            self._explorers[-1].back(mark[0])
        del self._path[mark[1] :]

    def turned(self, turns: int) -> None:
        """A loop begins its next turn."""
        if turns > MAX_DECISIONS:
            raise EverystateError("E205", user_place(), action="a loop", limit=f"{MAX_DECISIONS:,}")

    def antecedent(self, term: Expr) -> None:
        """The left side of an implication, where it is reached."""
        where = user_place()
        if where is not None:
            self.antecedents.setdefault(where, []).append(self.pool.and_([*self._path, term]))

    # -- tracing -------------------------------------------------------------------------------------------

    def state(self, before: bool = False) -> list[Expr]:
        """The terms of an arbitrary state."""
        return [self.pool.var(i, c.lo, c.hi, c.boolean, before) for i, c in enumerate(self.cells)]

    def action(self, name: str, body: Callable[[], object], within: Sequence[tuple[int, int]] | None = None) -> Tree:
        """The decision tree of an action, or of an @initial method, which may begin `within` a part of each cell."""
        start = self.state()
        if within is not None:
            pairs = zip(self.cells, within, strict=True)
            start = [self.pool.var(i, lo, hi, cell.boolean) for i, (cell, (lo, hi)) in enumerate(pairs)]

        nothing = Facts()

        def run() -> Tree:
            cells = list(start)
            self._begin(nothing)
            self.operations.copied.state = cells
            try:
                with executing(self), self.spec._reading(SymbolicFrame(self, cells)):
                    found = self.spec._declaration(name.partition("(")[0])
                    check_returned(found.mark.kind, found.method, body(), kind)
            except DisabledHere as out:
                return Disabled(place_of(out.__traceback__), out.by)
            except EverystateError as error:
                if not isinstance(error, CheckedError):
                    raise
                return Fault(error)
            except NeverReturns as stuck:
                raise self._stuck(name, stuck) from None
            except (KeyboardInterrupt, StartAgain):
                raise
            except BaseException as error:
                return self._failed(error)
            return Update(
                tuple((i, new) for i, (new, old) in enumerate(zip(cells, start, strict=True)) if new is not old)
            )

        return pruned(self._explore(name, run))

    def condition(
        self, name: str, step: bool = False, place: int | None = None
    ) -> tuple[Expr, list[tuple[Expr, CheckedError]]]:
        """The term of a property, and the conditions under which evaluating it is an error of the spec.

        `place` says which of the two conditions of a @leads_to is meant, or of those of a @temporal formula.
        """
        arguments, found = self._arguments(step), list[tuple[Expr, CheckedError]]()

        def body() -> Any:
            value = self._question(name, arguments)
            found = self.spec._declaration(name)
            check_returned(found.mark.kind, found.method, value, kind)
            conditions = value.conditions() if isinstance(value, Formula) else value
            return value if place is None else conditions[place]

        value = self._property(name, body, found)
        return self.truth(value), found

    def _arguments(self, step: bool) -> tuple[Any, ...]:
        """The arguments of a property: the state before the step, where it is about steps."""
        return (before_step(self.spec, SymbolicFrame(self, self.state(before=True))),) if step else ()

    def form(self, name: str, step: bool) -> Form:
        """The form of a @temporal formula; E238 where it is not the same in all states."""
        forms, found, arguments = set[Form](), self.spec._declaration(name), self._arguments(step)

        def body() -> Any:
            value = self._question(name, arguments)
            check_returned(found.mark.kind, found.method, value, kind)
            forms.add(value.form())
            return True

        self._property(name, body, [])
        return only_form(forms, name, method_place(found.method))

    def view(self, name: str) -> tuple[list[Expr], list[tuple[Expr, CheckedError]]]:
        """The terms that identify a state by a view, and the conditions under which evaluating it is an error."""
        rows, tree = self._rows(name, by_elements=False)
        if not rows.comparable(tree):
            rows, tree = self._rows(name, by_elements=True)
        return rows.joined(tree)

    def _rows(self, name: str, by_elements: bool) -> tuple[Rows, Tree]:
        rows = Rows(self, name, self._defined(name), by_elements)
        with self._evaluating(name):
            return rows, self._paths(name, lambda: rows.row(self._called(name, (), {})))

    def mapping(self, refined: Refinement, before: bool) -> tuple[list[Expr] | None, list[tuple[Expr, CheckedError]]]:
        """The cells of the abstract state for a state (None: the mapping always fails), and where the mapping fails."""

        def body() -> list[Expr]:
            values = refined.values(self._called(refined.name, (), {}))
            try:
                cells = (self.encode(domain, values[n]) for n, domain in refined.abstract.domains.items())
                return [term for terms in cells for term in terms]
            except CheckedError as error:
                raise refined.outside(error) from None

        errors = list[tuple[Expr, CheckedError]]()
        with self._evaluating(refined.name, before):
            return self._row(self._paths(refined.name, body), errors), errors

    def _row(self, tree: Tree, errors: list[tuple[Expr, CheckedError]]) -> list[Expr] | None:
        """Rows of terms, one for each path, as one; None where all paths fail."""

        def row(node: Tree, parts: Sequence[list[Expr] | None], path: Sequence[Expr]) -> list[Expr] | None:
            if isinstance(node, Value):
                here: list[Expr] = node.value
                return here
            if isinstance(node, Fault):
                errors.append((self.pool.and_(path), node.error))
                return None
            assert isinstance(node, Branch), "a mapping neither chooses nor assigns"
            then, otherwise = parts
            if then is None or otherwise is None:
                return otherwise if then is None else then
            return [self.pool.ite(node.condition, a, b) for a, b in zip(then, otherwise, strict=True)]

        return folded(tree, row, AT_THE_ROOT, on_the_way(self.pool))

    def _property(self, name: str, body: Callable[[], Any], errors: list[tuple[Expr, CheckedError]]) -> Any:
        with self._evaluating(name):
            return self._merged(name, body, errors)

    @contextlib.contextmanager
    def _evaluating(self, name: str, before: bool = False) -> Iterator[None]:
        self._begin(Facts())
        self.work.begin(name)
        try:
            with self.watchdog.over(), executing(self), self.spec._reading(SymbolicFrame(self, self.state(before))):
                yield
        except NeverReturns as stuck:
            raise self._stuck(name, stuck) from None

    def _explore(self, name: str, run: Callable[[], Tree]) -> Tree:
        explorer = Explorer(name, self.work, branches=True)
        self.work.begin(name)
        self._explorers.append(explorer)
        try:
            with self.watchdog.over():
                return explorer.explore(run)
        except EverystateError as error:
            error.where = error.where or self._defined(name)
            raise
        except NeverReturns as stuck:
            raise self._stuck(name, stuck) from None
        finally:
            self._explorers.pop()

    def _begin(self, facts: Facts) -> None:
        self.facts, self._path, self._chosen = facts, [], 0
        self.watchdog.begin()
        self.references = References(self)
        self.operations.begin()

    def _defined(self, name: str) -> Where:
        cls = type(self.spec)
        method = getattr(cls, method_name(name), None) or getattr(cls, name.removesuffix("()"))
        code = method.__code__
        return describe(code.co_filename, code.co_firstlineno, name)

    # -- branches ------------------------------------------------------------------------------------------

    def decide(self, term: Expr) -> bool:
        """The value of a condition on this path; the path splits where it is open."""
        if term.op == "const":
            return bool(term.value)
        known = self.facts.decided(term)
        if known is not None:
            return known
        self.operations.branching.no_decision()
        if not self._explorers:
            reason, remedy = "it is used after the action was traced", "report it: this is a mistake in Everystate"
            raise EverystateError("E215", None, expression="the value of a symbol", reason=reason, remedy=remedy)
        value = self._explorers[-1].ask(term, (True, False), _line) == 0
        self.facts = self.facts.given(term, value)
        self._path.append(term if value else self.pool.not_(term))
        return value

    def check(
        self, term: Expr, error: Callable[[], CheckedError], raised: Callable[[], Exception] | None = None
    ) -> None:
        """Split off a path with a checked error where `term` may be false; a handler catches what is `raised`."""
        self.operations.branching.end_unless(term, lambda: Fault(error()), raised or error)

    def concretize(self, term: Expr) -> int:
        """A number that Python must know (an index, a range): the path splits on every value."""
        lo, hi = self.facts.bounds(term)
        if hi - lo > MAX_DECISIONS:
            raise self._too_many(hi - lo + 1)
        for value in range(lo, hi):
            if self.decide(self.pool.eq(term, self.pool.const(value))):
                return value
        return hi

    def _too_many(self, values: int) -> EverystateError:
        return EverystateError(
            "E215",
            user_place(),
            expression=f"what must know which of {values:,} values a number has",
            reason="each value would be a path of its own",
            remedy="compare the number instead, or give it a smaller domain",
        )

    def choose(self, given: Any) -> Any:
        """One of some alternatives: each is a path of its own."""
        if self.depth:
            raise EverystateError("E214", user_place())
        explorer = self._explorers[-1]
        start = explorer.cursor
        known = explorer.known_alternatives()
        if known is None:
            if is_conditional_set(given) and all(is_number(v) for _, v in given.pieces()):
                given = self.operations.in_order(self.operations.plain(given))
            if isinstance(given, (Generator, ConditionalElements)):
                given = ConditionalElements(self.operations, self.operations.pieces_of(given))
            labels, alternative = Choices(self).of(given)
        else:
            labels, alternative = known
            if type(given) is Generator:
                given.state = SPENT
        if not labels:
            raise DisabledHere(DisabledHere.CHOICE)
        if not self.operations.depends(given) and {*map(type, labels)} in ({int}, {bool}):
            return self._merged_choice(tuple(labels))
        lasting = explorer.cursor == start and known is None and Choices(self).last(given)
        at = explorer.ask(len(labels), labels, _line, (labels, alternative) if lasting else None)
        exists, value = alternative(at)
        nothing, place = DisabledHere.CHOICE, user_place()
        self.operations.branching.end_unless(exists, lambda: Disabled(place, nothing), lambda: DisabledHere(nothing))
        return value()

    def _merged_choice(self, values: tuple[int, ...]) -> Any:
        """A symbol for any of some numbers or booleans: one run is enough, and the tree is made for each afterwards."""
        if len(values) == 1:
            return values[0]
        chosen = self.pool.chosen(self._chosen, min(values), max(values), type(values[0]) is bool)
        self._chosen += 1
        self._explorers[-1].ask(MergedChoice(self.pool, chosen, values, self.facts), (values,), _line)
        return self.boolean(chosen) if chosen.boolean else self.integer(chosen)

    # -- values --------------------------------------------------------------------------------------------

    def integer(self, term: Expr) -> Any:
        """An integer symbol, or the number itself where it is known."""
        if term.op == "const":
            return term.value
        return Integer(self, term if term.lo >= LOWEST and term.hi <= HIGHEST else self.in_a_word(term))

    def in_a_word(self, term: Expr) -> Expr:
        """The term itself; E215 where it may not fit a machine word."""
        if term.lo >= LOWEST and term.hi <= HIGHEST:
            return term
        raise EverystateError(
            "E215",
            user_place(),
            expression=f"a number that may be {term.lo if term.lo < LOWEST else term.hi}",
            reason="it does not fit a machine word",
            remedy="give the variables that it is computed from smaller domains",
        )

    def boolean(self, term: Expr) -> Any:
        """A boolean symbol, or the boolean itself where it is known."""
        return bool(term.value) if term.op == "const" else Boolean(self, term)

    def member(self, term: Expr, members: tuple[Any, ...]) -> Any:
        """An enum symbol, or the member itself where it is known."""
        return members[term.value] if term.op == "const" else member_symbol(self, term, members)

    def number(self, value: Any) -> Expr:
        """The term of an integer or boolean as a number."""
        if type(value) is int:
            return self.pool.const(value)
        if isinstance(value, Number):
            term = value._term
            return self.pool.number(term) if term.boolean else term
        return self.pool.const(operator.index(value))

    def truth(self, value: Any) -> Expr:
        """The term of a condition; numbers and collections as Python's bool() sees them."""
        return self.operations.truth(value)

    def load(self, domain: Domain, place: Place) -> Any:
        """The value of a domain that lives at a place."""
        return codec.load(self, domain, place)

    def handed(self, domain: Domain, place: Place) -> Any:
        """The value of a domain at a place; of an Option, a value that may be None."""
        if not isinstance(domain, Option) or self.facts.decided(place.get(0)) is not None:
            return codec.load(self, domain, place)
        return OptionalValue(self, place.get(0), codec.load(self, domain.element, place.sub(1)))

    compared = handed

    def branched(self, term: Expr, then: Callable[[], list[Expr]], otherwise: Callable[[], list[Expr]]) -> list[Expr]:
        """The terms of one function where a condition holds, those of another elsewhere."""

        def joined(term: Expr, a: list[Expr], b: list[Expr]) -> list[Expr]:
            return [self.pool.ite(term, x, y) for x, y in zip(a, b, strict=True)]

        found: list[Expr] = self.operations.branching.branch(term, then, otherwise, joined)
        return found

    def plainly(self, value: Any) -> Any:
        """A plain Python collection from one with conditional elements; splits the path."""
        return self.operations.plain(value) if type(value) in (ConditionalElements, Text) else value

    def encode(self, domain: Domain, value: Any) -> list[Expr]:
        """The terms of a value; splits off a CheckedError where it may be outside the domain."""
        value = self.operations.for_domain(domain, value)
        self.stores(value)
        return codec.encode(self, domain, value)

    def stores(self, value: Any) -> None:
        """The state gets a copy of a value: later writes to the value are refused."""
        if isinstance(value, (Record, View, list, set, dict)):
            self.operations.copied.add(value)

    def replace(self, place: Place, domain: Domain, terms: list[Expr]) -> None:
        """Assign a whole value; references to the old one keep it."""
        codec.replace(self, place, domain, terms)

    def negated(self, value: Any) -> Any:
        """not value, without a fork."""
        return self.boolean(self.pool.not_(self.truth(value)))

    def equal(self, left: Any, right: Any) -> Expr:
        """left == right as a term."""
        return self.operations.truth(self.operations.eq(left, right))

    def equal_records(self, left: Record, right: Record) -> Any:
        if type(left) is not type(right) or sorted(field_names(left)) != sorted(field_names(right)):
            return False
        terms = [self.equal(asked(left, n), asked(right, n)) for n in field_names(left)]
        return self.boolean(self.pool.and_(terms))

    def kept(self, cls: str, fields: dict[str, Any]) -> dict[str, Any]:
        some = any(type(value) is OptionalValue for value in fields.values())
        return {"_binding": NewRecord(self, cls, fields)} if some else fields

    # -- merging -------------------------------------------------------------------------------------------

    def implies(self, left: Any, right: Any) -> Any:
        return self.operations._implies(left, right)

    def narrate(self, event: dict[str, Any]) -> None:
        """Nothing: the narration is made when a trace is replayed concretely."""

    def _merged(self, name: str, body: Callable[[], Any], errors: list[tuple[Expr, CheckedError]]) -> Any:
        guards: list[Expr] = []
        value = self._value(self._paths(name, body), errors, guards)
        if guards:
            raise disabled(self.spec, name) from None
        return None if value is _NOTHING else value

    def _paths(self, name: str, body: Callable[[], Any]) -> Tree:
        """What a function returns on each of its paths."""
        outer, depth, length = self.facts, self.depth, len(self._path)

        def run() -> Tree:
            self.facts = outer
            del self._path[length:]
            self.operations.begin()
            try:
                return Value(body())
            except DisabledHere:
                raise disabled(self.spec, name) from None
            except EverystateError as error:
                if not isinstance(error, CheckedError):
                    raise
                return Fault(error)
            except (KeyboardInterrupt, StartAgain):
                raise
            except BaseException as error:
                return self._failed(error)

        explorer = Explorer(name, self.work)
        self._explorers.append(explorer)
        self.depth += 1
        try:
            return explorer.explore(run)
        finally:
            self._explorers.pop()
            self.facts, self.depth = outer, depth
            del self._path[length:]

    def _failed(self, error: BaseException) -> Fault:
        """The leaf of a path on which Python has raised something."""
        if isinstance(error, RecursionError):  # how deep Python was differs, so the method is named and no line
            place = place_of(error.__traceback__)
            raise EverystateError("E223", None, function=place.function if place else "the spec") from None
        error.args = tuple("…" if self.operations.depends(part) else part for part in error.args)
        found = as_checked(error)
        found.where = found.where or user_place()  # raised by a builtin that is written in Python
        return Fault(found)

    def _value(self, tree: Tree, errors: list[tuple[Expr, CheckedError]], guards: list[Expr]) -> Any:
        def value(node: Tree, parts: Sequence[Any], path: Sequence[Expr]) -> Any:
            if isinstance(node, Value):
                return node.value
            if isinstance(node, Branch):
                then, otherwise = parts
                if then is _NOTHING or otherwise is _NOTHING:
                    return then if otherwise is _NOTHING else otherwise
                return self.join(node.condition, then, otherwise)
            if isinstance(node, Fault):
                errors.append((self.pool.and_(path), node.error))
            elif isinstance(node, Disabled):
                guards.append(self.pool.and_(path))
            return _NOTHING

        return folded(tree, value, AT_THE_ROOT, on_the_way(self.pool))

    def join(self, term: Expr, a: Any, b: Any) -> Any:
        """a where a condition holds, else b; CannotMerge where they have no common representation."""
        try:
            return join(self, term, a, b)
        except EverystateError as error:
            if error.code != "E211":
                raise
            if self._explorers and not self.operations.branching.merging:
                return a if self.decide(term) else b
            raise CannotMerge from None

    def _stuck(self, name: str, stuck: NeverReturns) -> EverystateError:
        return EverystateError(
            "E206", place_of(stuck.__traceback__), action=name, seconds=int(watchdog.SECONDS_PER_PATH)
        )


_NOTHING = object()


def _line() -> tuple[str, int, str]:
    """The user's line where the value is needed."""
    frame: Any = sys._getframe(2)
    while frame is not None and not is_users(frame.f_code.co_filename):
        frame = frame.f_back
    return (frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name) if frame else ("?", 0, "?")
