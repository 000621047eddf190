"""A session: a walk through the states of a spec with all its branches, at any moment at one of them.

    from everystate import explore

    session = explore(IdempotentProducer(max_in_flight=6))
    for move in session.moves().enabled:
        print(move.label, move.changes, move.said)
    session.take("send()")

Everything here is the concrete run: the spec as the Python that it is. A spec with state outside of the state is
refused, E232, at the latest with the first step that changes it: the same walk would lead elsewhere the next time.
Questions to the engine are `questions`.
"""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass

from everystate.counterexamples.path import violations_at

from ..engines.replay import trace_step
from ..language.concrete import begun, declared_initials, evaluate, none_begins
from ..language.goals import condition
from ..language.spec import Spec, made_anew
from ..language.state import State
from ..results.trace import Trace
from . import guards, truth
from .moves import Key, Moves, moves, step_at, steps_named
from .tree import Node, keys_of

BEGINNINGS = 200
"""Initial states that are offered."""
REMEMBERED = 512
"""States of which it is remembered what they offer."""


@dataclass(frozen=True)
class Followed:
    """The state that an address of the page leads to. `problem` says why not all of its steps could be taken."""

    node: Node
    problem: str = ""


@dataclass(frozen=True)
class WalkEnd:
    """Where a walk ended, and why."""

    node: Node
    steps: int
    why: str


class Session:
    """See the module; `here` is where the session is, `roots` the beginnings that were chosen."""

    def __init__(self, spec: Spec, name: str = "") -> None:
        self.name = name or type(spec).__name__
        self.back_to: list[Node] = []
        self.forward_to: list[Node] = []
        self._set(spec)
        self.here = self.root(0)

    def _set(self, spec: Spec) -> None:
        guards.forget()
        self.spec = spec
        self._beginnings = InitialStates(spec)
        self._roots: dict[int, Node] = {}
        self._moves = functools.lru_cache(REMEMBERED)(lambda state: moves(self.spec, state))

    def __repr__(self) -> str:
        found = self.moves()
        offered = [move.label + (f" (fails: {move.error})" if move.error else "") for move in found.enabled]
        return f"{self.here!r}\n\ncan happen next: {', '.join(offered) or 'nothing'}"

    # -- where a walk begins -------------------------------------------------------------------------------

    def beginnings(self, most: int = BEGINNINGS) -> list[State]:
        """The first initial states."""
        return self._beginnings.upto(most)

    def root(self, index: int) -> Node:
        """The beginning of a number; IndexError where there are not so many."""
        if index not in self._roots:
            self._roots[index] = Node(self._beginnings.upto(index + 1)[index], (index, 0))
        return self._roots[index]

    @property
    def roots(self) -> list[Node]:
        """The beginnings from which somebody walked."""
        return [self._roots[index] for index in sorted(self._roots)]

    # -- one state -----------------------------------------------------------------------------------------

    def moves(self, node: Node | None = None) -> Moves:
        """What a state offers, and what stops the other actions."""
        found: Moves = self._moves((node or self.here).state)
        return found

    def truths(self, node: Node | None = None) -> list[truth.PropertyTruth]:
        """Every property in a state."""
        at = node or self.here
        return truth.truths(self.spec, at.state, at.parent.state if at.parent else None)

    def stuck(self, node: Node | None = None) -> str:
        """Whether nothing can happen any more: "deadlock", "end" where the spec allows that, else nothing."""
        if self.moves(node).enabled:
            return ""
        return "end" if self.spec._ends else "deadlock"

    def breaking(self, node: Node | None = None) -> dict[Key, list[str]]:
        """What each step from a state would violate that is not violated there already, by its key."""
        at = (node or self.here).state
        known = set(truth.breaks_alone(self.spec, at))
        found = {m.key: truth.breaks(self.spec, m.state, at) for m in self.moves(node).enabled if m.state is not None}
        fresh = {key: [name for name in names if name not in known] for key, names in found.items()}
        return {key: names for key, names in fresh.items() if names}

    def holds(self, text: str, node: Node | None = None) -> bool:
        """Whether a condition, a property or an expression over the state, holds in a state; E513, E511."""
        spec, name = condition(self.spec, text)
        return bool(evaluate(spec, name, (node or self.here).state).value)

    # -- walking -------------------------------------------------------------------------------------------

    def jump(self, node: Node) -> Node:
        """Go to any state of the tree."""
        if node is not self.here:
            self.back_to.append(self.here)
            self.forward_to.clear()
            self.here = node
        return node

    def back(self) -> Node:
        """Go to where the session was before."""
        if self.back_to:
            self.forward_to.append(self.here)
            self.here = self.back_to.pop()
        return self.here

    def forward(self) -> Node:
        """Go to where it was before it went back."""
        if self.forward_to:
            self.back_to.append(self.here)
            self.here = self.forward_to.pop()
        return self.here

    def undo(self) -> Node:
        """Take back the step that led here; it leaves the tree unless others begin behind it."""
        node = self.here
        if node.parent is None:
            return node
        self.jump(node.parent)
        if not node.children:
            del node.parent.children[node.key]
            self.back_to = [known for known in self.back_to if known is not node]
        return self.here

    def take(self, step: Key | str) -> Node:
        """Take a step by its key or its label; KeyError where the state has none such."""
        offered = {move.key: move.label for move in self.moves().taken}
        key = next((k for k, text in offered.items() if step in (k, text)), None)
        if key is None:
            raise KeyError(step)
        return self.jump(self.behind(self.here, key))

    def behind(self, node: Node, key: Key) -> Node:
        """The state behind a step of another one; KeyError where there is none."""
        known = node.children.get(key)
        if known is not None:
            return known
        step = step_at(self.spec, node.state, key)
        if step is None:
            raise KeyError(key)
        return node.add(key, step)

    def follow(self, address: str) -> Followed:
        """Take the steps of an address of the page, as far as they are possible."""
        keys = keys_of(address)
        if keys is None:
            return Followed(self.root(0), "this is not the address of a trace")
        try:
            node = self.root(keys[0][0])
        except IndexError:
            return Followed(self.root(0), f"there is no initial state number {keys[0][0]}")
        for number, key in enumerate(keys[1:], start=1):
            try:
                node = self.behind(node, key)
            except KeyError:
                return Followed(node, f"step {number} of {len(keys) - 1} cannot be taken there")
        return Followed(node)

    def walk(self, node: Node, steps: int, seed: int = 0, until: str = "") -> WalkEnd:
        """Take steps at random, until a condition holds or something is violated; the same seed takes the same ones."""
        dice = random.Random(f"{seed} {node.address}")
        goal = condition(self.spec, until) if until.strip() else None
        for taken in range(1, steps + 1):
            offered = self.moves(node).taken
            if not offered:
                fails = bool(self.moves(node).enabled)
                return WalkEnd(node, taken - 1, "every step fails there" if fails else "nothing can happen any more")
            node, before = self.behind(node, dice.choice(offered).key), node
            if goal is not None and evaluate(*goal, node.state).value:
                return WalkEnd(node, taken, "the condition holds")
            broken = truth.breaks(self.spec, node.state, before.state)
            if broken:
                return WalkEnd(node, taken, f"{' and '.join(broken)} {'fails' if len(broken) == 1 else 'fail'}")
        return WalkEnd(node, steps, f"{steps} steps are taken" + (", the condition did not hold" if goal else ""))

    def graft(self, node: Node, trace: Trace) -> Followed:
        """Add a trace that begins at a state of the tree, step by step; as far as the spec has such steps."""
        for number, step in enumerate(trace.steps, start=1):
            fitting = [
                (key, found)
                for key, found in steps_named(self.spec, node.state, step.action, step.arguments)
                if str(found.state) == str(step.state)
            ]
            exact = [pair for pair in fitting if pair[1].label == step.label] or fitting
            if not exact:
                return Followed(node, f"step {number} of {trace.length}, {step.label}, cannot be taken there")
            node = node.add(*exact[0])
        return Followed(node)

    def open(self, trace: Trace) -> Followed:
        """Add a whole trace, from its initial state on."""
        for index, state in enumerate(self.beginnings()):
            if str(state) == str(trace.initial):
                return self.graft(self.root(index), trace)
        problem = f"the trace begins where none of the first {BEGINNINGS} initial states is"
        return Followed(self.root(0), problem)

    # -- as a whole ----------------------------------------------------------------------------------------

    def trace(self, node: Node | None = None) -> Trace:
        """The walk to a state; it shows what is violated there, if anything is."""
        trace = self.walked(node or self.here)
        found = violations_at(self.spec, trace)
        return (found[0].trace or trace) if found else trace

    def walked(self, node: Node) -> Trace:
        """The walk to a state, whatever is violated there."""
        trail = node.trail
        return Trace(self.name, self.spec.constants, trail[0].state, tuple(trace_step(at.step) for at in trail[1:]))

    def reload(self, spec: Spec) -> MovedWalks:
        """Go on with a spec that has changed: all branches are walked again, as far as they go; what is `here`, too."""
        here, old = self.here.address, {root.key[0]: root for root in self.roots}
        self._set(spec)
        self.back_to.clear()
        self.forward_to.clear()
        moved = MovedWalks(old, {}, self.root(0))
        for root in old.values():
            moved.again[root] = self._again(root)
            self._replant(root, moved.again)
        self.here = moved.follow(here).node
        return moved

    def _again(self, root: Node) -> Node | None:
        """The beginning of the same number, if there still is one."""
        try:
            return self.root(root.key[0])
        except IndexError:
            return None

    def _replant(self, root: Node, again: dict[Node, Node | None]) -> None:
        waiting = [root]
        while waiting:
            node = waiting.pop()
            place = again[node]
            for child in node.children.values():
                if place is not None and child.step is not None:
                    again[child] = self._same_step(place, child)
                    waiting.append(child)

    def _same_step(self, place: Node, child: Node) -> Node | None:
        assert child.step is not None, "only a beginning has no step"
        action = child.step.action
        found = list(steps_named(self.spec, place.state, action.name, dict(action.arguments)))
        return next((place.add(key, step) for key, step in found if step.label == child.step.label), None)


@dataclass(frozen=True)
class MovedWalks:
    """Where the walks of an older spec lead in the one that took its place: `again` knows it of every state."""

    roots: dict[int, Node]
    again: dict[Node, Node | None]
    otherwise: Node

    def follow(self, address: str) -> Followed:
        """Take the steps of an address that was made before the spec changed, as far as they are possible now."""
        first, *keys = keys_of(address) or [(-1, 0)]
        node, trail = self.roots.get(first[0]), list[Node]()
        for key in (*keys, None):
            if node is None:
                break
            trail.append(node)
            node = node.children.get(key) if key is not None else None
        reached = next((place for old in reversed(trail) if (place := self.again.get(old))), self.otherwise)
        if reached.depth == len(keys):
            return Followed(reached)
        number = reached.depth + 1
        step = trail[number].step if number < len(trail) else None
        label = f", {step.label}," if step else ""
        return Followed(reached, f"step {number} of {len(keys)}{label} cannot be taken any more")


def explore(spec: type[Spec] | Spec) -> Session:
    """A walk through the states of a spec by hand, which begins at its first initial state.

    `spec` is a class, with the default constants, or an instance with constants of its own. EverystateError where the
    spec has no initial state, or cannot be executed.

        session = explore(Lock(workers=3))
        session.take("acquire(w=0)")
    """
    return Session(made_anew(spec, "explore"))


class InitialStates:
    """The initial states of a spec, made as far as they are asked for: there may be very many."""

    def __init__(self, spec: Spec) -> None:
        self._made: list[State] = []
        self._source = _begin(spec)
        if not self.upto(1):
            raise none_begins(spec)

    def upto(self, most: int) -> list[State]:
        missing = most - len(self._made)
        if missing > 0:
            self._made += itertools.islice(self._source, missing)
        return self._made[:most]


def _begin(spec: Spec) -> Iterator[State]:
    for values in declared_initials(spec):
        for cells in begun(spec, State.of(spec, values).cells):
            yield State(spec.domains, cells)
