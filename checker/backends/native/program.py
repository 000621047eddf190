"""The compiled parts of a model, and the counters of the compiled functions.

All counters are in one array of 64-bit numbers, described here, so that no search has to know how the functions are
emitted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Protocol

from ...errors import CheckedError
from ...ir.expr import Expr, cells_of, subterms
from ...ir.paths import paths
from ...ir.traced import Model, TracedProperty, check_limits
from ...ir.tree import most_successors
from ...language import marks

GROUP = 64
"""Booleans that fit one word."""
LONG = 200
"""Terms of watches from which on splitting them may pay."""
SHARED = 0.6
"""Expensive watches are evaluated together if that takes at most this fraction of separate evaluation."""


@dataclass(frozen=True)
class Watch:
    """A condition counted on every new state (or step): `kind` is the meaning of a hit, `index` its subject."""

    kind: str  # "invariant", "step invariant", "error", "reachable" or "antecedent"
    index: int
    term: Expr
    error: CheckedError | None = None


@dataclass(frozen=True)
class Condition:
    """A condition of a temporal property, on states or on steps: part 0 is what it waits for, part 1 of a @leads_to
    what it waits after, and a formula has as many parts as conditions."""

    property: str
    part: int
    term: Expr


@dataclass(frozen=True)
class Counters:
    """The positions of the counters in the array that the compiled functions update.

    Behind the counters are notes: for each path of an action instance a byte that says whether a state took it, and the
    words of the first one that did; then how many paths the state that is being expanded has taken first, and which.
    """

    actions: int
    watches: int
    paths: int = 0
    words: int = 0

    @property
    def generated(self) -> int:
        return 0

    @property
    def deadlocks(self) -> int:
        return 1

    @property
    def faults(self) -> int:
        return 2

    @property
    def outside(self) -> int:
        """States outside a constraint."""
        return 3

    @property
    def expanded(self) -> int:
        """States from which all steps were taken."""
        return 4

    @property
    def known(self) -> int:
        """Successors, and initial states, that were stored before."""
        return 5

    def taken(self, action: int) -> int:
        """Steps of an action."""
        return 6 + action

    def enabled(self, action: int) -> int:
        """States in which an action has a step."""
        return 6 + self.actions + action

    def first(self, action: int) -> int:
        """New states by the least action that led to them in their level; those without one come last."""
        return 6 + 2 * self.actions + action

    def hits(self, watch: int) -> int:
        """Stored states (or steps) in which a watch holds."""
        return 7 + 3 * self.actions + watch

    def beyond(self, watch: int) -> int:
        """Arrivals at states outside a constraint in which a watch holds: such states are not stored."""
        return 7 + 3 * self.actions + self.watches + watch

    @property
    def size(self) -> int:
        return 7 + 3 * self.actions + 2 * self.watches

    @property
    def noted(self) -> int:
        """Where the words of the noted states begin."""
        return self.size + -(-self.paths // 8)

    @property
    def waiting(self) -> int:
        """Where the paths are that wait for the words of the state."""
        return self.noted + self.paths * self.words

    @property
    def room(self) -> int:
        """Numbers of the whole array, with the notes."""
        return self.waiting + 1 + self.paths


@dataclass(frozen=True)
class Group:
    """Watches that one compiled function evaluates together: at most 64, `watches` are positions in watches().

    `needs` are the actions that write something these watches read. After any other action they have the
    values that they had in the state before, so a search need not evaluate them again.
    """

    watches: tuple[int, ...]
    needs: frozenset[int]


class Shape(Protocol):
    """What a search on machine code reads of a program."""

    @property
    def words(self) -> int: ...
    @property
    def key_words(self) -> int: ...
    @property
    def viewed(self) -> bool: ...
    @property
    def constrained(self) -> bool: ...
    @property
    def instances(self) -> int: ...
    @property
    def most_successors(self) -> int: ...
    @property
    def action_names(self) -> Sequence[str]: ...
    @property
    def counters(self) -> Counters: ...
    @property
    def state_groups(self) -> Sequence[Group]: ...
    @property
    def step_groups(self) -> Sequence[Group]: ...


@dataclass
class Program:
    """The compiled parts of a model, and the meaning of its counters."""

    model: Model
    action_names: list[str] = field(default_factory=list)
    action_of: list[int] = field(default_factory=list)
    state_watches: list[Watch] = field(default_factory=list)
    step_watches: list[Watch] = field(default_factory=list)

    def __post_init__(self) -> None:
        for action in self.model.actions:
            if action.instance.name not in self.action_names:
                self.action_names.append(action.instance.name)
            self.action_of.append(self.action_names.index(action.instance.name))
        check_limits(self.model, "actions", len(self.action_names), 60_000, "actions are numbered with 16 bits")
        for watch in _watches(self.model):
            steps = watch.kind != "antecedent" and self.model.properties[watch.index].steps
            (self.step_watches if steps else self.state_watches).append(watch)
        self.state_groups = self._group_by_needs()
        self.step_groups = _chunks(range(len(self.state_watches), len(self.watches())), frozenset())
        self.state_conditions, self.step_conditions = (_conditions(self.model, steps) for steps in (False, True))
        if self.temporal:
            reason = "action instances are numbered with 16 bits"
            check_limits(self.model, "action instances", self.instances, 60_000, reason)
        self.constraints = self.model.inside
        self.most_successors = max(1, sum(most_successors(a.tree) for a in self.model.actions))
        ends = (sum(1 for _ in paths(action.tree)) for action in self.model.actions)
        self.first_paths = [0, *accumulate(ends)]
        """The number of the first path of each action instance, then of all paths."""
        watches = len(self.state_watches) + len(self.step_watches)
        self.counters = Counters(len(self.action_names), watches, self.first_paths[-1], self.words)

    @property
    def words(self) -> int:
        """64-bit words of a state."""
        return self.model.layout.words

    @property
    def key_words(self) -> int:
        """64-bit words that identify a state: the state itself, or the terms of its view."""
        return len(self.model.view) or self.words

    @property
    def instances(self) -> int:
        """Instances of actions."""
        return len(self.model.actions)

    @property
    def viewed(self) -> bool:
        """Whether states are identified by a view."""
        return bool(self.model.view)

    @property
    def constrained(self) -> bool:
        """Whether there is a constraint."""
        return bool(self.constraints)

    @property
    def temporal(self) -> bool:
        """Whether there are temporal properties: a search does not evaluate their conditions, liveness does."""
        return bool(self.state_conditions or self.step_conditions)

    @property
    def meaning(self) -> str:
        """The meaning of the counters that the compiled code lacks: the action and property, and what is counted."""
        names = [p.name for p in self.model.properties]
        told = [(w.kind, w.index if w.kind == "antecedent" else names[w.index]) for w in self.watches()]
        return repr((self.action_names, told, self.model.spec._ends))

    def watches(self) -> list[Watch]:
        """All watches in the order of their counters."""
        return [*self.state_watches, *self.step_watches]

    def _group_by_needs(self) -> list[Group]:
        writes: dict[int, frozenset[int]] = {}
        for traced, action in zip(self.model.actions, self.action_of, strict=True):
            writes[action] = writes.get(action, frozenset()) | traced.writes
        members: dict[frozenset[int], list[int]] = {}
        for k, watch in enumerate(self.state_watches):
            reads = cells_of([watch.term])
            members.setdefault(frozenset(a for a, w in writes.items() if w & reads), []).append(k)
        parted = [(part, needs) for needs, watches in members.items() for part in self._sharing(watches)]
        groups = [g for watches, needs in parted for g in _chunks(watches, needs)]
        if len(groups) <= GROUP:
            return groups
        return _chunks(range(len(self.state_watches)), frozenset(writes))

    def _sharing(self, watches: Sequence[int]) -> list[list[int]]:
        """Expensive watches, split into groups with many common terms.

        A violated watch is evaluated on every new state from then on, together with its group.
        """
        own = {k: evaluated([self.state_watches[k].term]) for k in watches}
        if len(evaluated(self.state_watches[k].term for k in watches)) < LONG:
            return [list(watches)]
        found: list[list[int]] = []
        for k in watches:
            for group in found:
                whole = own[k].union(*(own[other] for other in group))
                if len(whole) <= SHARED * sum(len(own[other]) for other in (k, *group)):
                    group.append(k)
                    break
            else:
                found.append([k])
        return found


def evaluated(roots: Iterable[Expr]) -> frozenset[int]:
    """The terms that there are to evaluate, by their numbers."""
    return frozenset(part.id for part in subterms(roots) if part.args)


def _chunks(watches: Sequence[int], needs: frozenset[int]) -> list[Group]:
    return [Group(tuple(watches[i : i + GROUP]), needs) for i in range(0, len(watches), GROUP)]


def _watches(model: Model) -> list[Watch]:
    pool, found = model.pool, []
    for i, prop in enumerate(model.properties):
        broken = pool.or_(condition for condition, _ in prop.errors)
        for condition, error in prop.errors:
            found.append(Watch("error", i, condition, error))
        if prop.kind in (marks.INVARIANT, marks.STEP_INVARIANT):
            found.append(Watch(prop.kind, i, pool.and_((pool.not_(prop.term), pool.not_(broken)))))
        elif prop.kind == marks.REACHABLE:
            found.append(Watch("reachable", i, pool.and_((prop.term, pool.not_(broken)))))
    found += [Watch("antecedent", i, a.term) for i, a in enumerate(model.antecedents)]
    return found


def _broken(model: Model, prop: TracedProperty) -> list[Expr]:
    """Where the conditions of a formula about steps have no value: they are asked where nothing changes, too."""
    return [model.pool.or_(broken for broken, _ in prop.errors)] if prop.parts and prop.steps else []


def _conditions(model: Model, steps: bool) -> list[list[Condition]]:
    """The conditions of temporal properties, in groups that are evaluated together."""
    found = [
        Condition(prop.name, part, term)
        for prop in model.of_kind(*marks.ON_GRAPHS)
        if prop.steps == steps
        for part, term in enumerate([*(prop.parts or prop.conditions), *_broken(model, prop)])
    ]
    return [found[at : at + GROUP] for at in range(0, len(found), GROUP)]
