"""The statements of the language: require, choose, implies, subsets and narrate; all else is plain Python.

All of them mean the same on plain values and on symbols. What they return is typed as what an author sees; while a
spec is traced it may be a symbol of that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar, overload

from .composite_domains import Set
from .concrete_machine import machine
from .conditions import truth
from .formulas import IMPLIES, Formula, is_formula
from .machine import Disabled

T = TypeVar("T")


def require(condition: Any, message: str = "") -> None:
    """The guard of an action: where `condition` is false the action is disabled, and what it has written is undone.

    A message says why, for readers; the report shows it with the line that stops an action. Only for actions and
    @initial; elsewhere it is an error (E221).

        require(self.count < 3)
        self.count += 1
    """
    if not truth(condition):
        raise Disabled


@overload
def choose(options: type[T]) -> T: ...


@overload
def choose(options: Iterable[T]) -> T: ...


@overload
def choose(options: T) -> T: ...


def choose(options: Any, *more: Any) -> Any:
    """Any member of `options`: the action has one successor for each (the \\E of TLA+).

    `options` is a domain, a finite iterable, or a Set or Seq of the state. Equal values of one class count once. A
    record or a collection is a reference: each is an alternative of its own, also where it equals another one.
    Choosing from nothing disables the action. Outside of actions and @initial it is an error (E214).

        self.count = choose(range(3))
        self.busy = choose(Bool())
    """
    if more:
        raise several(options, *more)
    return machine().choose(options)


def several(*options: Any) -> TypeError:
    """The error of a choice from several arguments."""
    return TypeError(f"choose(...) takes one collection: choose([{', '.join(map(str, options))}])")


@overload
def subsets(members: type[T] | Iterable[T]) -> Iterable[set[T]]: ...


@overload
def subsets(members: T) -> Iterable[set[T]]: ...


def subsets(members: Any) -> Any:
    """Every set of some of these members (the SUBSET of TLA+), for quantifiers, loops and choose.

    `members` is a Set of the state, a domain, or a list, range or plain set of what a Set may hold.

        chosen = choose(subsets(range(3)))
        require(len(chosen) == 2)
    """
    if hasattr(type(members), "subsets"):
        return members.subsets()
    plain = isinstance(members, (set, frozenset))  # which Python keeps in another order in each of its runs
    listed = isinstance(members, (list, tuple, range)) or hasattr(type(members), "__next__")
    return tuple(Set(sorted(members, key=_rank) if plain else dict.fromkeys(members) if listed else members))


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
    """Whether `right` holds, or `left` does not. A run warns when `left` never held.

    A side may be a function without arguments; the right one is then evaluated only where the left one holds. With a
    formula on one side it is part of the formula of a @temporal method.

        assert implies(self.busy, self.count < 3)
        assert implies(self.owner is not None, lambda: self.owner < 3)
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
    """Says in the words of the domain what this step does, for traces and diagrams; a search does not execute it.

    With `at` it is a note at a participant, with `source` and `target` a message, with `lost=True` one that never
    arrives. `text` may be a function without arguments, which is called for a trace only. An empty text says nothing.

        narrate("log deleted", at="broker 1")
        narrate("append b1", source="producer", target="broker 1")
    """
    machine().narrate({"text": text, "at": at, "source": source, "target": target, "lost": lost})
