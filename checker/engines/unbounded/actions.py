"""Reads the statements of an action: its guard, the steps that fail, and the state after it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from types import FunctionType
from typing import Any

from ...backends.smt import z3
from ...language import statements
from .calls import Reader
from .comparing import Unknown, condition, described, is_plain, number, settled
from .merging import merged
from .values import (
    Cases,
    Element,
    Leaf,
    Maybe,
    Member,
    Number,
    Range,
    Read,
    Sort,
    Truth,
    View,
    for_all,
)
from .world import World, body_of


class Runner(Reader):
    """Executes the statements of one function: `guards` are its requirements, `state` is what it leaves behind."""

    def __init__(self, world: World, state: dict[str, Read], function: FunctionType) -> None:
        super().__init__(world, dict(state), function)
        self.loops: list[Loop] = []
        self.state = {name: self._watched(name, read) for name, read in self.state.items()}

    def run(self) -> None:
        """Execute the whole function."""
        self.execute(body_of(self.function))

    def execute(self, body: Sequence[ast.stmt]) -> None:
        """Execute some statements."""
        for statement in body:
            method = getattr(self, f"do_{type(statement).__name__.lower()}", None)
            try:
                if method is None:
                    raise Unknown(f"this {type(statement).__name__}")
                method(statement)
            except Unknown as unknown:
                raise self.refused(str(unknown), statement) from None

    def do_pass(self, node: ast.Pass) -> None:
        """Nothing happens."""

    def do_expr(self, node: ast.Expr) -> None:
        """A docstring, a requirement, or a change of a set."""
        match node.value:
            case ast.Constant():
                return
            case ast.Call(func=ast.Name(id=name), args=args) if self.found(name) is statements.require:
                self.require(condition(self.read(args[0])))
            case ast.Call(func=ast.Name(id=name)) if self.found(name) is statements.narrate:
                return
            case ast.Call(func=ast.Attribute(value=whole, attr=attr), args=args, keywords=[]) if len(args) <= 1:
                self._of_set(attr, self.read(whole), [self.read(arg) for arg in args])
            case _:
                raise Unknown("this statement")

    def require(self, holds: Any) -> None:
        """The action is disabled where a condition does not hold."""
        holds = z3.Implies(z3.And(self.path), holds) if self.path else holds
        self.guards.append(for_all(self.binders, holds))

    # -- assignments ---------------------------------------------------------------------------------------

    def do_assign(self, node: ast.Assign) -> None:
        """A variable, a part of one, or a name gets a value."""
        value = self.read(node.value)
        for target in node.targets:
            self.assign(target, value)

    def do_annassign(self, node: ast.AnnAssign) -> None:
        """The same with an annotation."""
        if node.value is not None:
            self.assign(node.target, self.read(node.value))

    def do_augassign(self, node: ast.AugAssign) -> None:
        """A value is changed by an operation."""
        self.assign(node.target, self.operated(node.op, self.read(_loaded(node.target)), self.read(node.value)))

    def assign(self, target: ast.expr, value: Any) -> None:
        """Give a value to a target."""
        if isinstance(target, (ast.Attribute, ast.Subscript)):
            view = self._target(target)
            if view.shape.leaf is None:
                self._whole(view, value)
            else:
                self.write(view.variable, view.at, self.parts(view.shape.leaf, value))
        else:
            self._check_view(value)
            self.bind(target, value)

    def _check_view(self, value: Any) -> None:
        if isinstance(value, View) or (isinstance(value, tuple) and any(isinstance(part, View) for part in value)):
            raise Unknown("a name for a part of the state")

    def _target(self, target: ast.expr) -> View:
        if isinstance(target, ast.Subscript):
            return self.inside(self._target(target.value), self.read(target.slice))
        shapes = self.world.variables.shapes
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self":
            if target.attr not in shapes:
                raise Unknown(f"an assignment to self.{target.attr}")
            return View(target.attr, shapes[target.attr])
        raise Unknown("an assignment to this target")

    def parts(self, leaf: Leaf, value: Any) -> tuple[Any, ...]:
        """The parts of a leaf that gets a value; a value outside of its domain is a fault."""
        if leaf.optional:
            if value is None:
                return (z3.BoolVal(False), _blank(leaf))
            if isinstance(value, Maybe):
                with self.when(value.present):
                    part = self.parts(leaf.without, value.value)
                return (value.present, *part)
            return (z3.BoolVal(True), *self.parts(leaf.without, value))
        if isinstance(value, Maybe):
            value = self.present(value)
        match leaf.kind:
            case "bool" if isinstance(value, (bool, Truth)):
                return (condition(value),)
            case "member" if isinstance(value, Member):
                return (_moved(value, leaf.members),)
            case "member" if is_plain(value) and value in leaf.members:
                return (z3.IntVal(leaf.members.index(value)),)
            case "element" if isinstance(value, Element) and value.sort is leaf.sort:
                return (value.term,)
            case "element" if type(value) is int and value == 0 and leaf.sort is not None:
                return (leaf.sort.first,)
            case "number":
                found = number(value)
                if found is not None:
                    return (self._fitted(leaf, found),)
        raise Unknown(f"an assignment of {described(value)}")

    def _fitted(self, leaf: Leaf, value: Number) -> Any:
        if value.lo < leaf.lo or value.hi > leaf.hi:
            self.fault(z3.Not(z3.And(leaf.lo <= value.term, value.term <= leaf.hi)))
        return value.term

    def write(self, variable: str, at: tuple[Any, ...], parts: tuple[Any, ...]) -> None:
        """Change the leaf at some indices, where the path is taken."""
        self._check_loops(variable, at)
        old, path = self.state[variable], list(self.path)

        def read(where: tuple[Any, ...]) -> tuple[Any, ...]:
            here = z3.And([*path, *(a == b for a, b in zip(where, at, strict=True))])
            return tuple(z3.If(here, new, before) for new, before in zip(parts, old(where), strict=True))

        self.state[variable] = read

    def _whole(self, view: View, value: Any) -> None:
        """Change a whole array or set."""
        if self.loops or self.path:
            raise Unknown("an assignment of a whole array in a loop or under a condition")
        inner, old, first = view.shape, self.state[view.variable], len(view.at)
        if inner.part is None or inner.part.leaf is None or len(inner.indices) != 1:
            raise Unknown(f"an assignment of {described(value)} to self.{view.variable}")
        index, leaf = inner.indices[0], inner.part.leaf
        if not isinstance(index, Sort) or inner.is_set or not isinstance(value, Cases) or len(value.cases) != 1:
            raise Unknown(f"an assignment of {described(value)} to self.{view.variable}")
        case = value.cases[0]
        if [sort for sort, _ in case.binders] != [index] or not z3.is_true(z3.simplify(case.condition)):
            raise Unknown(f"an assignment of {described(value)} to self.{view.variable}")
        counter = case.binders[0][1]
        before = len(self.faults)
        parts = self.parts(leaf, case.value)
        if len(self.faults) > before:
            raise Unknown("an assignment that may be outside of a domain")

        def read(where: tuple[Any, ...]) -> tuple[Any, ...]:
            here = z3.And([a == b for a, b in zip(where[:first], view.at, strict=True)])
            new = [z3.substitute(part, (counter, where[first])) for part in parts]
            return tuple(z3.If(here, n, o) for n, o in zip(new, old(where), strict=True))

        self.state[view.variable] = read

    def _of_set(self, method: str, view: Any, given: list[Any]) -> None:
        """add, discard or remove of a set."""
        if not isinstance(view, View) or not view.shape.is_set or method not in ("add", "discard", "remove"):
            raise Unknown(f"a call of {method}")
        if len(given) != 1:
            raise Unknown(f"{method} with other arguments than a member")
        at = (*view.at, self.index(view.shape.indices[0], given[0]))
        if method == "remove":
            self.fault(z3.Not(self.state[view.variable](at)[0]))
        self.write(view.variable, at, (z3.BoolVal(method == "add"),))

    # -- branches and loops --------------------------------------------------------------------------------

    def do_if(self, node: ast.If) -> None:
        """Both sides are executed; a write and a requirement count where their side is taken."""
        value = self.read(node.test)
        known = settled(value)
        if known is not None:
            self.execute(node.body if known else node.orelse)
            return
        test, names = condition(value), dict(self.names)
        with self.when(test):
            self.execute(node.body)
        one, self.names = self.names, dict(names)
        with self.when(z3.Not(test)):
            self.execute(node.orelse)
        self.names = {
            name: merged(test, one[name], value)
            for name, value in self.names.items()
            if name in one and (one[name] is value or not isinstance(value, (Cases, View)))
        }

    def do_for(self, node: ast.For) -> None:
        """A loop over fixed values is unrolled. One over a sort is executed for all elements at once."""
        whole = self.read(node.iter)
        if node.orelse:
            raise Unknown("a loop with else")
        if isinstance(whole, Range) and whole.below is None:
            self._at_once(node, whole.sort)
            return
        if not isinstance(whole, tuple):
            raise Unknown(f"a loop with statements over {described(whole)}")
        for item in whole:
            self.bind(node.target, item)
            self.execute(node.body)

    def _at_once(self, node: ast.For, sort: Sort) -> None:
        """Execute a loop whose rounds do not depend on each other: each has parts of the state of its own."""
        if not isinstance(node.target, ast.Name):
            raise Unknown("a loop over elements with several names")
        counter, names, old = sort.fresh(node.target.id), dict(self.names), dict(self.state)
        if _assigned(node.body) & names.keys():
            raise Unknown("a name that a loop changes")
        loop = Loop(counter, _written(node.body))
        self.names[node.target.id] = Element(sort, counter)
        self.binders.append(counter)
        self.loops.append(loop)
        self.execute(node.body)
        self.loops.pop()
        self.binders.pop()
        self.names = names
        for name, place in loop.places.items():
            self.state[name] = self._watched(name, _for_each(self.state[name], counter, place))
        changed = {name for name in old if self.state[name] is not old[name]}
        if changed - loop.places.keys():
            raise Unknown("a loop that changes more than can be followed")

    def _watched(self, name: str, read: Read) -> Read:
        def watched(at: tuple[Any, ...]) -> tuple[Any, ...]:
            self._check_loops(name, at)
            return read(at)

        return watched

    def _check_loops(self, name: str, at: tuple[Any, ...]) -> None:
        """Refuse what a round of a loop reads or writes of a variable that other rounds change."""
        for loop in self.loops:
            if name in loop.written and not loop.owns(name, at):
                raise Unknown(f"a loop in which one round may depend on another: self.{name}")


class Loop:
    """A loop over all elements of a sort: its counter, and the variables that it may change.

    `places` says at which index of each variable the counter is, in all that the loop reads and writes of it.
    """

    def __init__(self, counter: Any, written: set[str]) -> None:
        self.counter, self.written = counter, written
        self.places: dict[str, int] = {}
        self._possible: dict[str, set[int]] = {}

    def owns(self, name: str, at: tuple[Any, ...]) -> bool:
        """Whether a part of a variable belongs to one round only."""
        here = {i for i, term in enumerate(at) if term.eq(self.counter)}
        self._possible[name] = self._possible.get(name, here) & here
        if not self._possible[name]:
            return False
        self.places[name] = min(self._possible[name])
        return True


def _for_each(read: Read, counter: Any, place: int) -> Read:
    """What a loop leaves behind: each part is as the round of its index has left it."""

    def after(at: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(z3.substitute(part, (counter, at[place])) for part in read(at))

    return after


def _assigned(body: Sequence[ast.stmt]) -> set[str]:
    """The names that some statements assign."""
    nodes = [node for statement in body for node in ast.walk(statement)]
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _written(body: Sequence[ast.stmt]) -> set[str]:
    """The variables that some statements may change: each one that a target or a call names."""
    found = set()
    for statement in body:
        for node in ast.walk(statement):
            targets = list(node.targets) if isinstance(node, ast.Assign) else []
            targets += [node.target] if isinstance(node, (ast.AugAssign, ast.AnnAssign)) else []
            targets += [node.value.func] if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else []
            found |= {n.attr for t in targets for n in ast.walk(t) if isinstance(n, ast.Attribute)}
    return found


def _loaded(target: ast.expr) -> ast.expr:
    """A target of an assignment as an expression."""
    return ast.parse(ast.unparse(target), mode="eval").body


def _moved(value: Member, members: tuple[Any, ...]) -> Any:
    """A named value as one of other members."""
    if value.members == members:
        return value.term
    if not set(value.members) <= set(members):
        raise Unknown("an assignment of a value that the domain lacks")
    found = z3.IntVal(members.index(value.members[-1]))
    for at, member in list(enumerate(value.members))[:-1]:
        found = z3.If(value.term == at, z3.IntVal(members.index(member)), found)
    return found


def _blank(leaf: Leaf) -> Any:
    if leaf.sort is not None:
        return leaf.sort.first
    return z3.BoolVal(False) if leaf.kind == "bool" else z3.IntVal(leaf.bounds[0])
