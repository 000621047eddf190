"""A spec as formulas for any number of elements: initial states, actions, invariants."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, cast

from ...backends.smt import z3
from ...errors import EverystateError, Where, suggestion
from ...language import marks
from ...language.declarations import Declared, class_place, method_place
from ...language.spec import Spec
from .actions import Runner
from .calls import Reader
from .comparing import Unknown, is_plain
from .declarations import Declarer, begins
from .values import Element, Majority, Range, Read, Size, Sort, refused
from .world import World, body_of


@dataclass(frozen=True)
class ReadAction:
    """An action for arbitrary elements: where it is enabled, where it fails, and the state after it."""

    name: str
    arguments: dict[str, Any]
    """The value of each parameter: plain, or an element that is a constant of the formulas."""
    guard: Any
    fault: Any
    after: dict[str, Read]
    written: frozenset[str]
    """The variables that it may change."""
    majorities: tuple[Majority, ...]
    """The majorities in its formulas."""

    @property
    def parameters(self) -> list[tuple[Sort, Any]]:
        """The elements among the arguments."""
        return [(a.sort, a.term) for a in self.arguments.values() if isinstance(a, Element)]


Condition = Callable[[dict[str, Read]], Any]
"""The formula of a condition in a state."""


class Protocol:
    """A spec whose open constants may have any value from 1 on; E517 where it cannot be read like that."""

    def __init__(self, spec: Spec, opened: Sequence[str]) -> None:
        self.spec = spec
        self._check(opened)
        self.world = World(spec, opened)
        try:
            declaration = type(spec).variables
            assert isinstance(declaration, FunctionType)
            Declarer(self.world, declaration).run()
            missing = spec.domains.keys() ^ self.world.variables.shapes.keys()
            if missing:
                raise Unknown(f"the declaration of self.{min(missing)}")
            self.now = self.world.variables.state()
            self.initial = [*begins(self.world, self.now), *self._filters()]
        except Unknown as unknown:
            raise self._refused(str(unknown), class_place(type(spec))) from None
        self.actions = [action for found in spec._marked(marks.ACTION) for action in self._actions(found)]

    def _check(self, opened: Sequence[str]) -> None:
        """E107 for an unknown constant, E517 for what is not read."""
        known, cls = self.spec.constants, type(self.spec)
        for name in opened:
            if name not in known:
                facts = {"suggestion": suggestion(name, list(known)), "names": ", ".join(known)}
                raise EverystateError("E107", None, spec=cls.__name__, name=name, **facts)
            if type(known[name]) is not int:
                raise refused(f"the constant {name}, which is no number,", class_place(cls), ", ".join(opened))
        others = (marks.CONSTRAINT, marks.ACTION_CONSTRAINT, marks.VIEW, marks.REFINEMENT)
        for found in self.spec._marked(*others):
            raise refused(f"{found.name}, a {found.mark.kind},", method_place(found.method), ", ".join(opened))
        if type(getattr(cls, "may_terminate", None)) is not bool:
            raise refused("may_terminate, which is computed,", class_place(cls), ", ".join(opened))

    def _refused(self, what: str, where: Where | None) -> EverystateError:
        return refused(what, where, self.world.names)

    # -- actions -------------------------------------------------------------------------------------------

    def _filters(self) -> list[Any]:
        """What the @initial methods require."""
        found = []
        for declared in self.spec._marked(marks.INITIAL):
            runner = Runner(self.world, self.now, self._function(declared))
            before = dict(runner.state)
            runner.run()
            if runner.faults or any(runner.state[name] is not before[name] for name in before):
                raise Unknown(f"{declared.name}, which assigns or may fail,")
            found += runner.guards
        return found

    def _function(self, declared: Declared) -> FunctionType:
        method = declared.method
        if type(method) is not FunctionType or method.__defaults__ or method.__kwdefaults__ or method.__closure__:
            raise self._refused(f"{declared.name}, which is no plain method,", class_place(type(self.spec)))
        return method

    def _actions(self, declared: Declared) -> list[ReadAction]:
        """An action for each choice of its plain arguments."""
        function = self._function(declared)
        code = function.__code__
        if code.co_flags & (0x04 | 0x08 | 0x20) or code.co_kwonlyargcount:
            raise self._refused(f"the parameters of {declared.name}", method_place(function))
        names = code.co_varnames[1 : code.co_argcount]
        values = [self._values(declared, function, name) for name in names]
        return [self._action(function, names, chosen) for chosen in itertools.product(*values)]

    def _values(self, declared: Declared, function: FunctionType, name: str) -> list[Any]:
        """The values of a parameter: plain ones, or a sort."""
        given = declared.mark.parameters.get(name)
        if isinstance(given, str):
            reader = Reader(self.world, {}, function)
            own = ast.Name("self", ast.Load())
            at = {"lineno": function.__code__.co_firstlineno, "col_offset": 0}
            given = reader.read(ast.Attribute(own, given, ast.Load(), **at))
        elif type(given) is FunctionType and not given.__closure__:
            given = Reader(self.world, {}, given).returned(body_of(given))
        if isinstance(given, Size) and given == Size(given.sort):
            return [given.sort]
        if isinstance(given, Range) and given.below is None:
            return [given.sort]
        if type(given) is int:
            return list(range(given))
        if isinstance(given, (tuple, list, range)) and all(map(is_plain, given)):
            return list(given)
        raise self._refused(f"the values of {name} in {declared.name}", method_place(function))

    def _action(self, function: FunctionType, names: Sequence[str], chosen: Sequence[Any]) -> ReadAction:
        arguments = {
            name: Element(value, value.fresh(name)) if isinstance(value, Sort) else value
            for name, value in zip(names, chosen, strict=True)
        }
        runner = Runner(self.world, self.now, function)
        runner.names.update(arguments)
        runner.parameters = [a.term for a in arguments.values() if isinstance(a, Element)]
        before, known = dict(runner.state), len(self.world.majorities)
        runner.run()
        guard, fault = z3.And(runner.guards), z3.Or(runner.faults)
        written = frozenset(name for name in before if runner.state[name] is not before[name])
        majorities = tuple(self.world.majorities[known:])
        return ReadAction(function.__name__, arguments, guard, fault, runner.state, written, majorities)

    # -- conditions ----------------------------------------------------------------------------------------

    def property_of(self, declared: Declared) -> Condition:
        """The condition of an @invariant or a @lemma."""
        function = self._function(declared)
        if function.__code__.co_argcount != 1:
            raise self._refused(f"the parameters of {declared.name}", method_place(function))
        guess = declared.mark.kind == marks.LEMMA
        return lambda state: self._condition(function, state, body_of(function), guess)

    def _condition(self, function: FunctionType, state: dict[str, Read], body: Sequence[ast.stmt], guess: bool) -> Any:
        reader = Reader(self.world, state, function)
        reader.total, reader.guess = True, guess
        found = reader.returned(body)
        if isinstance(found, bool):
            return z3.BoolVal(found)
        term = getattr(found, "term", None)
        if term is None or not z3.is_bool(term):
            raise self._refused("a property that is not true or false", method_place(function))
        return term

    def expression(self, node: ast.expr) -> Condition:
        """The condition of an expression about `self`."""
        nameless = cast(FunctionType, _nameless)
        return lambda state: self._condition(nameless, state, [ast.Return(node, lineno=1, col_offset=0)], True)


def _nameless(self: Any) -> None:
    """Where an expression is read that no method contains."""
