"""Which checks of two protocol versions have the same traced model, so that one result is that of both.

A model is what the engines read: trees, terms, cells, properties, and the initial states. What a check does not ask of
a protocol version is not in it. Only checks with the same constants are compared.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from everystate.checker.api.fingerprint import dump
from everystate.checker.cli.targets import resolve
from everystate.checker.frontend.model import build
from everystate.model.assess import Check

VERSIONS = ("generation", "broker_generation")


def apart_from_version(check: Check) -> str:
    """The check without its protocol versions."""
    constants = {name: value for name, value in check.constants.items() if name not in VERSIONS}
    return f"{check.target} {sorted(constants.items())}"


def model_of(check: Check) -> str:
    """The digest of its model."""
    traced = build(resolve(check.target).spec(check.constants))
    return hashlib.sha256("\n".join(dump(traced)).encode()).hexdigest()


class Models:
    """The digests of the models of checks, kept in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = path.read_text().splitlines() if path.exists() else []
        self.known: dict[str, str] = dict(map(json.loads, lines))

    def __getitem__(self, check: Check) -> str:
        if check.command not in self.known:
            self.known[check.command] = model_of(check)
            with self.path.open("a") as out:
                out.write(json.dumps([check.command, self.known[check.command]]) + "\n")
        return self.known[check.command]


def equals(wanted: Iterable[Check], made: Iterable[Check], models: Models) -> Iterator[tuple[Check, Check]]:
    """Each wanted check that has the model of one that was made, with that one."""
    alike = defaultdict[str, list[Check]](list)
    for check in made:
        alike[apart_from_version(check)].append(check)
    for check in wanted:
        for other in alike[apart_from_version(check)]:
            if models[check] == models[other]:
                yield check, other
                break
