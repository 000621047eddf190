"""Fair cycles of a graph: on which states a behaviour may stay for ever without neglecting a fair action.

All on arrays. A behaviour that stays in a set of states for ever visits, from some time on, the states of one strongly
connected component again and again; a state at which nothing happens any more is a component of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...language import marks

Fairness = dict[int, str]
"""Of each fair action instance: weak or strong."""


def trimmed(source: Any, target: Any, size: int) -> Any:
    """Which edges may be on a cycle: from and to nodes that others lead to and from."""
    kept = np.arange(len(source))
    while True:
        into, out = truths(target[kept], size), truths(source[kept], size)
        alive = into[source[kept]] & out[target[kept]]
        if alive.all():
            return kept
        kept = kept[alive]


def components(source: Any, target: Any, size: int) -> Any:
    """Strongly connected components: a label for each node, that of nodes on no cycle is -1.

    Forward colouring, then backward search within each colour (S. Orzan: On Distributed Verification and Verified
    Distribution, 2004), after trimming; all components of a round at once.
    """
    labels, kept = np.full(size, -1), trimmed(source, target, size)
    source, target = source[kept], target[kept]
    while len(source):
        colour = _spread(source, target, np.arange(size))
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


def _spread(source: Any, target: Any, colour: Any) -> Any:
    """The greatest number of any node from which each node can be reached."""
    while True:
        before = colour.copy()
        np.maximum.at(colour, target, colour[source])
        if np.array_equal(before, colour):
            return colour


def fair_components(edges: tuple[Any, Any, Any], nodes: Any, enabled: dict[int, Any], fairness: Fairness) -> Any:
    """The nodes on which a fair behaviour may stay for ever, by label of their component, -1 for the others.

    `edges` are (source, target, action) between `nodes`, an array of truths. A weakly fair action is not neglected
    where it is taken or disabled within the component, a strongly fair one where it is taken or disabled throughout;
    states that enable a neglected strongly fair action are left out, and the rest is looked at again (E. A. Emerson,
    C.-L. Lei: Modalities for Model Checking, 1987).
    """
    size = len(nodes)
    labels = np.full(size, -1)
    source, target, action = edges
    left = nodes.copy()
    while left.any():
        inside = left[source] & left[target]
        source, target, action = source[inside], target[inside], action[inside]
        here = components(source, target, size)
        single = left & (here < 0)
        here[single] = np.flatnonzero(single)
        same = here[source] == here[target]
        neglected, dropped = np.zeros(size, bool), np.zeros(size, bool)
        for instance, kind in fairness.items():
            taken = truths(here[source[same & (action == instance)]], size)
            able = enabled[instance] & left
            if kind == marks.WEAK:
                neglected |= ~taken & ~truths(here[left & ~able], size)
            else:
                hurt = ~taken & truths(here[able], size)
                neglected |= hurt
                dropped |= able & hurt[np.where(left, here, 0)] & left
        fair = left & ~neglected[np.where(left, here, 0)]
        labels[fair] = here[fair]
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
