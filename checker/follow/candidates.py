"""Candidates: the states in which a spec can be after a part of a log; breadth first, on machine code.

A run has one log or several that are ordered only partially. A front holds, for each way to have read so many events
of each log, all states in which the spec can be then. An event maps a front to the next: unseen steps first, at most
so many, then one step that fits. Since fronts hold all states, a log that cannot be followed is none of the spec's
behaviours, given what may happen unseen; no state is dropped unless the search says that it stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..backends.native import Program
from ..backends.native.initial_states import InitialStates
from ..backends.native.tiered_code import TieredCode
from ..engines.expansion import Expansion, by_instance
from ..engines.memory import available
from ..errors import EverystateError, suggestion
from ..ir.traced import Model
from ..language.declarations import ActionInstance
from .conditions import Condition, Reader
from .events import Event, Json, Place
from .values import same

Read = tuple[int, ...]
"""How many events of each log have been read."""
REMEMBERED = 1 << 16
"""Events that are remembered by what they say."""
KEPT = 0.4
"""The share of the free memory that fronts may take before they are not kept."""


@dataclass(frozen=True, eq=False)
class ExpectedEvent:
    """An event as the search compares it: which instances may take the step (None: no step), and what holds."""

    instances: Any
    before: Sequence[Condition]
    after: Sequence[Condition]


@dataclass
class Frontier:
    """Where the spec can be after so many events. `layers` are the states by the number of unseen steps that led to
    each, layer 0 right after the last event."""

    layers: dict[Read, list[Any]] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """How many candidates there are."""
        return sum(len(rows) for layers in self.layers.values() for rows in layers)

    @property
    def bytes(self) -> int:
        """What keeping it costs, about."""
        return sum(rows.nbytes + 200 for layers in self.layers.values() for rows in layers)


@dataclass(frozen=True)
class UnseenActions:
    """The actions that may happen without an event, and how often between two events."""

    names: tuple[str, ...] = ()
    at_most: int = 1


class Stepper:
    """Takes the steps of a spec that fit events."""

    def __init__(
        self, model: Model, unseen: UnseenActions, observes: Mapping[str, Callable[..., Any]] | None = None
    ) -> None:
        self.model, self.spec, self.unseen = model, model.spec, unseen
        # Constraints and views belong to a search, not to what a system may do; properties are not asked here.
        self.program = Program(replace(by_instance(model), properties=(), antecedents=(), view=()))
        self.expansion = Expansion(TieredCode(self.program).first())
        self.reader = Reader(model.spec, model.layout, observes)
        names = {found.name for found in self.spec._marked("action")}
        for name in unseen.names:
            if name not in names:
                what = f"there is no action {name!r}, which is said to happen unseen{suggestion(name, sorted(names))}"
                raise EverystateError("E441", None, place="the request", what=what, spec=type(self.spec).__name__)
        self.hidden = np.array([instance.name in unseen.names for instance in self.spec.instances], bool)
        self._chosen: dict[tuple[tuple[str, ...], str], Any] = {}
        self._wanted: dict[tuple[tuple[str, ...], str, str, str], ExpectedEvent] = {}

    def initial(self) -> Any:
        """The packed initial states."""
        return distinct(InitialStates(self.model).rows())

    def wanted(self, event: Event) -> ExpectedEvent:
        """An event as the search compares it, the same for events that say the same; E441 for what the spec does not
        have."""
        said = event.actions, repr(event.arguments), repr(event.before), repr(event.after)
        found = self._wanted.get(said)
        if found is None:
            if len(self._wanted) >= REMEMBERED:
                self._wanted.clear()
            found = self._wanted[said] = self._read(event)
        return found

    def _read(self, event: Event) -> ExpectedEvent:
        reader = self.reader
        before, after = (reader.conditions(values, event.place) for values in (event.before, event.after))
        if not event.actions:
            return ExpectedEvent(None, [*before, *after], ())
        key = (event.actions, repr(event.arguments))
        if key not in self._chosen:
            self._chosen[key] = self._instances(event)
        return ExpectedEvent(self._chosen[key], before, after)

    def _instances(self, event: Event) -> Any:
        instances, place = self.spec.instances, event.place
        declared = {found.name for found in self.spec._marked("action")}
        for name in event.actions:
            mine = [instance for instance in instances if instance.name == name]
            if not mine and name not in declared:
                self._unknown(place, f"there is no action {name!r}", name, {i.name for i in instances})
            known: dict[str, list[Json]] = {}
            for instance in mine:
                for parameter, value in instance.arguments:
                    known.setdefault(parameter, []).append(value)
            for parameter, value in event.arguments.items() if mine else ():
                if parameter not in known:
                    self._unknown(place, f"{name} has no parameter {parameter!r}", parameter, set(known))
                if not any(same(one, value) for one in known[parameter]):
                    self._unknown(place, f"{value!r} is no value of {parameter}, a parameter of {name}", "", set())
        return np.array([self._fits(instance, event) for instance in instances], bool)

    def _unknown(self, place: Place, what: str, name: str, known: set[str]) -> None:
        hint = suggestion(name, sorted(known))
        raise EverystateError("E441", None, place=place, what=f"{what}{hint}", spec=type(self.spec).__name__)

    def _fits(self, instance: ActionInstance, event: Event) -> bool:
        given = dict(instance.arguments)
        return instance.name in event.actions and all(same(given[n], value) for n, value in event.arguments.items())

    # -- steps ---------------------------------------------------------------------------------------------

    def after(self, states: Any, wanted: ExpectedEvent) -> Any:
        """The states after an event, from some states."""
        states = kept(states, wanted.before)
        if wanted.instances is None or not len(states):
            return states
        found = [kept(rows, wanted.after) for rows, _ in self._steps(states, wanted.instances)]
        return distinct(np.concatenate(found))

    def unseen_layers(self, states: Any, limit: int) -> list[Any]:
        """Some states, and layer by layer those that unseen steps lead to; it stops beyond a number of states."""
        layers, known = [states], states
        for _ in range(self.unseen.at_most if self.hidden.any() and len(states) else 0):
            found = distinct(np.concatenate([rows for rows, _ in self._steps(layers[-1], self.hidden)]))
            fresh = without(found, known)
            if not len(fresh):
                break
            layers.append(fresh)
            known = np.concatenate([known, fresh])
            if len(known) > limit:
                break
        return layers

    def _steps(self, states: Any, instances: Any) -> Iterable[tuple[Any, Any]]:
        """(successors by certain instances, positions of their predecessors in `states`), by blocks."""
        start = 0
        for block in self.expansion.parts(np.ascontiguousarray(states)):
            successors, sources = self.expansion.expand(block)
            taken = instances[self.expansion.actions(slice(len(successors)))]
            yield successors[taken], sources[taken] + start
            start += len(block)

    def before(self, states: Any, wanted: ExpectedEvent, target: Any) -> Any:
        """The least of some states from which a step of an event leads to a target; None where there is none."""
        states = kept(states, wanted.before)
        if not len(kept(target.reshape(1, -1), wanted.after)):
            return None
        if wanted.instances is None:
            return target if len(states) and (states == target).all(axis=1).any() else None
        return self._least(states, wanted.instances, target)

    def before_unseen(self, states: Any, target: Any) -> Any:
        """The least of some states from which an unseen step leads to a target."""
        return self._least(states, self.hidden, target)

    def _least(self, states: Any, instances: Any, target: Any) -> Any:
        best: Any = None
        for rows, sources in self._steps(states, instances) if len(states) else ():
            for source in np.unique(sources[(rows == target).all(axis=1)]):
                row = states[source]
                if best is None or tuple(row) < tuple(best):
                    best = row
        return best


def kept(states: Any, conditions: Sequence[Condition]) -> Any:
    """The states in which all conditions hold."""
    for condition in conditions:
        if not len(states):
            break
        states = states[condition.holds(states)]
    return states


def _as_keys(states: Any) -> Any:
    """Each row as one value that can be sorted and compared."""
    states = np.ascontiguousarray(states)
    return states.view(np.dtype((np.void, states.dtype.itemsize * states.shape[1]))).ravel()


def distinct(states: Any) -> Any:
    """The states without repetition, in an order that depends on them alone."""
    if len(states) < 2:
        return states
    _, first = np.unique(_as_keys(states), return_index=True)
    return states[first]


def without(states: Any, known: Any) -> Any:
    """The distinct states that are not known."""
    if not len(states):
        return states
    return states[~np.isin(_as_keys(states), _as_keys(known))]


def room() -> int:
    """Bytes that the fronts of a run may take."""
    return int(KEPT * available())
