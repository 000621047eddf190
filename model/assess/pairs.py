"""Two failures in one behaviour: `leader-crash+lost-connection`."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

from .checks import Check, Failure, Scope
from .settings import Settings

BETWEEN = "+"
SMALLEST = ("max_in_flight", "batches", "warm")
LARGEST = ("sessions", "pids", "transactions", "hasty", "epochs", "spare", "replicas", "min_insync", "retries")
"""Constants of two checks of which one value is taken; the faults of both happen."""


def pairs(failures: list[str]) -> list[str]:
    """Every two of some failures."""
    return [BETWEEN.join(pair) for pair in combinations(failures, 2)]


def failure_of(scope: Scope, name: str) -> Failure | None:
    """A failure, or two together; None where one is not of the scope."""
    parts = [scope.failures.get(part) for part in name.split(BETWEEN)]
    found = [part for part in parts if part is not None]
    if len(found) < len(parts):
        return None
    return found[0] if len(found) == 1 else _both(*found)


def _both(first: Failure, second: Failure) -> Failure:
    def checks(settings: Settings) -> list[Check]:
        whole = [[check for check in each.checks(settings) if not check.only] for each in (first, second)]
        return [together(*pair) for pair in product(*whole)]

    return Failure(
        f"{first.text}; and {second.text}",
        checks,
        lambda settings: first.impossible(settings) or second.impossible(settings),
        lambda settings: first.uncovered(settings) or second.uncovered(settings),
    )


def together(first: Check, second: Check) -> Check:
    """One check with the faults of two; its counterexamples belong to no finding by themselves."""
    constants = dict(first.constants)
    for name, value in second.constants.items():
        constants[name] = _one(name, constants[name], value) if name in constants else value
    if not ("partitions" in first.constants and "partitions" in second.constants):
        constants.pop("partitions", None)
    return Check({**constants, "faults": constants.pop("faults")}, {}, first.target)


def _one(name: str, first: Any, second: Any) -> Any:
    if isinstance(first, str):
        return first
    if name in SMALLEST:
        return min(first, second)
    return max(first, second) if name in LARGEST or name == "partitions" else first + second
