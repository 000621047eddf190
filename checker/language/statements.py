"""The statements of the language: require, choose, implies, subsets and narrate; all else is plain Python.

All of them mean the same on plain values and on symbols. What they return is typed as what an author sees; while a
spec is traced it may be a symbol of that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

from .composite_domains import Set
from .concrete_machine import machine
from .conditions import truth
from .formulas import IMPLIES, Formula, is_formula
from .machine import Disabled


def require(condition: Any) -> None:
    """The guard of an action: where `condition` is false the action is disabled and nothing has happened."""
    if not truth(condition):
        raise Disabled


def choose(options: Any) -> Any:
    """Any member of `options`, each giving a successor of its own (the \\E of TLA+).

    `options` is a domain, a finite iterable, or a Set or Seq of the state. Equal values of one class count once. A
    record or a collection is a reference: each is an alternative of its own, also where it equals another one.
    Choosing from nothing disables the action.
    """
    return machine().choose(options)


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


@overload
def implies(left: Formula, right: object) -> Formula: ...  # type: ignore[overload-overlap]


@overload
def implies(left: object, right: Formula) -> Formula: ...  # type: ignore[overload-overlap]


@overload
def implies(left: object, right: object) -> bool: ...


def implies(left: Any, right: Any) -> Any:
    """`right` wherever `left` holds; a run warns when `left` never held. A side may be a function without arguments.

    Of a formula of @temporal it is a part of another one.
    """
    if is_formula(left, right):
        return Formula(IMPLIES, (left, right))
    return machine().implies(left, right)


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
