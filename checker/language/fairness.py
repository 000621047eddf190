"""The fairness assumptions of a spec: action instances, each by itself or several as one disjunction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..errors import EverystateError
from .declarations import ActionInstance, Declared, method_place
from .marks import FAIR, Fairness


@dataclass(frozen=True)
class Disjunction:
    """Action instances, by number, whose disjunction is fair; `strength` is weak or strong."""

    strength: str
    instances: tuple[int, ...]


def disjunctions(instances: Sequence[ActionInstance], declared: Mapping[str, Declared]) -> list[Disjunction]:
    """All of them, in the order of their first instance; E137 for inconsistent fairness."""
    check(list(declared.values()))
    members: dict[object, list[int]] = {}
    strengths: dict[object, str] = {}
    for number, instance in enumerate(instances):
        for fairness in declared[instance.name].fairness:
            key: object = number
            if fairness.together or fairness.each:
                values = dict(instance.arguments)
                group = fairness.together or (instance.name,)
                key = group, repr([values[parameter] for parameter in fairness.each])
            members.setdefault(key, []).append(number)
            strengths[key] = fairness.strength
    return [Disjunction(strengths[key], tuple(found)) for key, found in members.items()]


def check(declared: Sequence[Declared]) -> None:
    """E137 for inconsistent fairness."""
    first: dict[str, tuple[str, Fairness]] = {}
    for action in declared:
        for fairness in action.fairness:
            problem = _problem(action, fairness)
            name, other = first.setdefault(fairness.together, (action.name, fairness))
            if not problem and fairness.together and other != fairness:
                problem = f"of {name} it is {_shown(other)}"
            if problem:
                facts = {"name": action.name, "fairness": _shown(fairness), "problem": problem}
                raise EverystateError("E137", method_place(action.method), **facts)


def _problem(action: Declared, fairness: Fairness) -> str:
    if not isinstance(fairness.together, str):
        return "`together` is a string, the name of the disjunction"
    if not isinstance(fairness.each, tuple) or not all(isinstance(name, str) for name in fairness.each):
        return "`each` is the name of a parameter, or a tuple of such names"
    missing = [name for name in fairness.each if name not in action.mark.parameters]
    return f"{action.name} has no parameter {missing[0]!r}" if missing else ""


def _shown(fairness: Fairness) -> str:
    each = f", each={', '.join(fairness.each)!r}" if fairness.each else ""
    given = f"(together={fairness.together!r}{each})" if fairness.together else f"({each[2:]})" if each else ""
    return f"@{FAIR[fairness.strength].replace(' ', '_')}{given}"
