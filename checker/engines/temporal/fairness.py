"""Fair cycles of a graph: on which states a behaviour may stay for ever without neglecting what is fair.

All on arrays. A behaviour that stays in a set of states for ever visits, from some time on, the states of one strongly
connected component again and again; a state at which nothing happens any more is a component of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...language import marks
from ...language.fairness import Disjunction
from ..observer import Observer, Silent, unheard


@dataclass(frozen=True)
class Steps:
    """Some steps of a graph, of each whether it is `wanted`."""

    source: Any
    target: Any
    action: Any
    wanted: Any

    def where(self, kept: Any) -> Steps:
        """Some of them."""
        return Steps(self.source[kept], self.target[kept], self.action[kept], self.wanted[kept])


@dataclass(frozen=True)
class Assumed:
    """Something fair: weak or strong, which action instances it is (a truth for each), and in which states enabled."""

    strength: str
    member: Any
    enabled: Any


def assumed(fairness: Sequence[Disjunction], enabled: Sequence[Any]) -> list[Assumed]:
    """What a spec assumes, on the states of a graph."""
    most = max((number for one in fairness for number in one.instances), default=-1) + 1
    return [
        Assumed(f.strength, truths(list(f.instances), most), able) for f, able in zip(fairness, enabled, strict=True)
    ]


def taken(one: Assumed, action: Any) -> Any:
    """Which of some actions belong to something fair."""
    known = action < len(one.member)
    return known & one.member[np.where(known, action, 0)] if len(one.member) else known


def trimmed(source: Any, target: Any, size: int) -> Any:
    """Which edges may be on a cycle: from and to nodes that others lead to and from."""
    kept = np.arange(len(source))
    while True:
        into, out = truths(target[kept], size), truths(source[kept], size)
        alive = into[source[kept]] & out[target[kept]]
        if alive.all():
            return kept
        kept = kept[alive]


def components(source: Any, target: Any, size: int, told: Callable[[int, int], None] = unheard) -> Any:
    """Strongly connected components: a label for each node, that of nodes on no cycle is -1.

    Forward colouring, then backward search within each colour (S. Orzan: On Distributed Verification and Verified
    Distribution, 2004), after trimming; all components of a round at once.
    `told` hears, while colours spread, how many edges are dealt with.
    """
    total = len(source)
    labels, kept = np.full(size, -1), trimmed(source, target, size)
    source, target = source[kept], target[kept]
    while len(source):
        colour = _spread(source, target, np.arange(size), partial(told, total - len(source), total))
        within = colour[source] == colour[target]
        back, front = source[within], target[within]
        roots = (colour == np.arange(size)) & truths(np.concatenate([source, target]), size)
        member = reached(front, back, roots)
        inside = member[back] & member[front]
        found = np.unique(np.concatenate([back[inside], front[inside]]))
        labels[found] = colour[found]
        left = ~member[source] & ~member[target]
        source, target = source[left], target[left]
        kept = trimmed(source, target, size)
        source, target = source[kept], target[kept]
    return labels


def _spread(source: Any, target: Any, colour: Any, told: Callable[[], None]) -> Any:
    """The greatest number of any node from which each node can be reached."""
    while True:
        told()
        before = colour.copy()
        np.maximum.at(colour, target, colour[source])
        if np.array_equal(before, colour):
            return colour


@dataclass(frozen=True)
class Round:
    """Why the components of one round are not fair: what is kept of the search, so that its answer can be doubted.

    `here` is the component of each node that is `left`; by component, `neglected` says for everything fair where it is
    neglected, and `unwanted` where there is nothing that is wanted.
    """

    left: Any
    here: Any
    steps: Steps
    neglected: list[Any]
    unwanted: Any


def fair_components(
    steps: Steps,
    nodes: Any,
    fair: Sequence[Assumed],
    wanted: Any = None,
    rounds: list[Round] | None = None,
    observer: Observer | None = None,
) -> Any:
    """The nodes on which a fair behaviour may stay for ever, by label of their component, -1 for the others.

    `nodes` is an array of truths. What is weakly fair is not neglected where it is taken or disabled within the
    component, what is strongly fair where it is taken or disabled throughout; states that enable something neglected
    that is strongly fair are left out, and the rest is looked at again (E. A. Emerson, C.-L. Lei: Modalities for Model
    Checking, 1987). With `wanted`, an array of truths, only components count that have a wanted node or step. What each
    round has found is added to `rounds`.
    """
    size = len(nodes)
    labels = np.full(size, -1)
    left = nodes.copy()
    observer, number = observer or Silent(), 0
    while left.any():
        number += 1
        steps = steps.where(left[steps.source] & left[steps.target])
        told = partial(observer.part, f"looking for fair cycles, round {number}, steps")
        here = components(steps.source, steps.target, size, told)
        single = left & (here < 0)
        here[single] = np.flatnonzero(single)
        same = steps.where(here[steps.source] == here[steps.target])
        neglected, dropped = np.zeros(size, bool), np.zeros(size, bool)
        by, unwanted = [], np.zeros(size, bool)
        for one in fair:
            done = truths(here[same.source[taken(one, same.action)]], size)
            able = one.enabled & left
            if one.strength == marks.WEAK:
                by.append(~done & ~truths(here[left & ~able], size))
            else:
                by.append(~done & truths(here[able], size))
                dropped |= able & by[-1][np.where(left, here, 0)] & left
            neglected |= by[-1]
        if wanted is not None:
            unwanted = ~truths(here[left & wanted], size) & ~truths(here[same.source[same.wanted]], size)
            neglected |= unwanted
        if rounds is not None:
            rounds.append(Round(left, here, steps, by, unwanted))
        fair_here = left & ~neglected[np.where(left, here, 0)]
        labels[fair_here] = here[fair_here]
        if not dropped.any():
            return labels
        again = truths(here[dropped], size)
        left = left & again[np.where(left, here, 0)] & ~dropped
    return labels


def truths(numbers: Any, size: int) -> Any:
    """Which of the numbers below `size` there are, as an array of truths."""
    found = np.zeros(size, bool)
    found[numbers] = True
    return found


def reached(source: Any, target: Any, starts: Any) -> Any:
    """The nodes that can be reached from some."""
    found = starts.copy()
    while True:
        fresh = target[found[source] & ~found[target]]
        if not len(fresh):
            return found
        found[fresh] = True


def distances(source: Any, target: Any, starts: Any) -> Any:
    """How many steps each node is away from the nearest of some, -1 where it cannot be reached."""
    found, now = np.where(starts, 0, -1), 0
    while True:
        fresh = target[(found[source] == now) & (found[target] < 0)]
        if not len(fresh):
            return found
        now += 1
        found[fresh] = now
