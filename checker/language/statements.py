"""The statements of the language: require, choose, If, the quantifiers, implies, pure and narrate.

All of them mean the same on plain values and on symbols; none forks the execution except `require`, which
is an `if` that leaves, and `choose`, which is the point of non-determinism. What they return is typed as what an
author sees; while a spec is traced it is a symbol of that.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import GeneratorType
from typing import Any, TypeVar

from .composite_domains import Set
from .concrete_machine import machine
from .conditions import truth
from .machine import Disabled

F = TypeVar("F", bound=Callable[..., Any])


def require(condition: Any) -> None:
    """The guard of an action: where `condition` is false the action is disabled and nothing has happened."""
    if not truth(condition):
        raise Disabled


def choose(options: Any, merged: bool = False) -> Any:
    """Any member of `options`, each giving a successor of its own (the \\E of TLA+).

    `options` is a domain, a finite iterable, or a Set or Seq of the state. Equal values of one class count once. A
    record or a collection is a reference: each is an alternative of its own, also where it equals another one.
    Choosing from nothing disables the action.
    """
    return machine().choose(options)


def If(condition: Any, then: Any, otherwise: Any) -> Any:
    """`then if condition else otherwise`, merged into one value instead of forking the execution.

    Both sides may be functions without arguments; then only the chosen one can fail (an index, a division).
    """
    return machine().merge(condition, then, otherwise)


def all_of(first: Any, *rest: Any) -> bool:
    """Whether all hold: all_of(a, b, ...), all_of(iterable), or all_of(collection, predicate)."""
    found: bool = _quantify("all", first, rest)
    return found


def any_of(first: Any, *rest: Any) -> bool:
    """Whether some hold: any_of(a, b, ...), any_of(iterable), or any_of(collection, predicate)."""
    found: bool = _quantify("any", first, rest)
    return found


def none_of(first: Any, *rest: Any) -> bool:
    """Whether none holds; none_of(condition) is `not condition` without a fork."""
    found: bool = _quantify("none", first, rest)
    return found


def count(first: Any, *rest: Any) -> int:
    """How many hold: count(a, b, ...), count(iterable), or count(collection, predicate)."""
    found: int = _quantify("count", first, rest)
    return found


def subsets(members: Any) -> Any:
    """Every set of some of these members (the SUBSET of TLA+), for quantifiers, loops and choose.

    `members` is a Set of the state, a domain, or a list, range or plain set of what a Set may hold.
    """
    if hasattr(type(members), "subsets"):
        return members.subsets()
    plain = isinstance(members, (set, frozenset))  # which Python keeps in another order in each of its runs
    return tuple(Set(sorted(members, key=_rank) if plain else members))


def _rank(member: Any) -> tuple[bool, int, str]:
    number = isinstance(member, int)
    return number, member if number else 0, "" if number else repr(member)


def implies(left: Any, right: Any) -> bool:
    """`right` wherever `left` holds; a run warns when `left` never held. A side may be a function without arguments."""
    found: bool = machine().implies(left, right)
    return found


def minimum(left: Any, right: Any) -> Any:
    """min(left, right) without a fork."""
    return If(right < left, right, left)


def maximum(left: Any, right: Any) -> Any:
    """max(left, right) without a fork."""
    return If(left < right, right, left)


def pure(function: F) -> F:
    """A helper that only computes: its branches are merged into one value instead of forking its caller."""

    @functools.wraps(function)
    def merged(*args: Any, **kwargs: Any) -> Any:
        return machine().pure(function, args, kwargs)

    return merged  # type: ignore[return-value]


def narrate(
    text: str | Callable[[], str],
    *,
    at: str | None = None,
    source: str | None = None,
    target: str | None = None,
    lost: bool = False,
) -> None:
    """Tell in the domain's words what this step does; costs nothing when compiled.

    A note: narrate("log deleted", at="broker 1"). A message: narrate("append b1", source="producer",
    target="broker 1"), with lost=True when it never arrives. A text may be a function without arguments: it is
    called only when a story is told, so its conditions fork nothing; an empty text tells nothing.
    """
    machine().narrate({"text": text, "at": at, "source": source, "target": target, "lost": lost})


def _quantify(kind: str, first: Any, rest: tuple[Any, ...]) -> Any:
    if len(rest) == 1 and callable(rest[0]):
        if not _iterable(first):
            truth(rest[0])  # a condition that was not called, beside another one
        return machine().quantify(kind, first, rest[0])
    if rest or not _iterable(first):
        return machine().quantify(kind, (first, *rest), None)
    return machine().quantify(kind, first, None)


def _iterable(value: Any) -> bool:
    """Whether Python can go through a value: it has an iterator, or items by number."""
    if type(value) in _WALKED:
        return True  # tracing may have put a slow hasattr in its place
    return hasattr(type(value), "__iter__") or hasattr(type(value), "__getitem__")


_WALKED = {GeneratorType, list, tuple, range}
