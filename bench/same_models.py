"""Which checks of two protocol versions have the same model, so that one result is that of both.

A model of the producer asks its protocol versions for fields (`Generation`), and what it asks next follows from the
answers. So where another version has the same values in all fields that were asked for, with the same constants, its
model is the same, and does not have to be traced. The fields are noted while a check is made.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from everystate.checker.cli.sweeps import load
from everystate.checker.language.spec import Spec
from everystate.model import variables
from everystate.model.assess import Check
from everystate.model.generation import GENERATIONS, Generation

VERSIONS = ("generation", "broker_generation")
FIELDS = {each.name for each in fields(Generation)}
Field = tuple[str, str]
"""Of the client or the server, and its name."""
OF_PRODUCER_IDS = {"unknown_pid", "retention_drops_state", "duplicate_answer_46", "batches_remembered"}
"""What brokers do with producer ids. The model asks for it, but a client without idempotence sends none."""
OF_DEADLINES = {"told_again", "delivery_timeout"}
"""What a client does when a batch expires. The model asks for it, but without deadlines none does."""


class Asked(Generation):
    """A protocol version that calls `note` with each field that it is asked for."""

    note: Callable[[str], None]

    def __getattribute__(self, name: str) -> Any:
        if name in FIELDS:
            object.__getattribute__(self, "note")(name)
        return super().__getattribute__(name)


class Versions(dict[str, Generation]):
    """The protocol versions as the model finds them: first that of its client, then that of its brokers."""

    def __init__(self) -> None:
        super().__init__(GENERATIONS)
        self.found = 0
        self.asked: set[Field] = set()

    def __getitem__(self, name: str) -> Generation:
        side = ("client", "server")[self.found % 2]
        self.found += 1
        version = object.__new__(Asked)
        version.__dict__.update(vars(super().__getitem__(name)), note=lambda field: self.asked.add((side, field)))
        return version


@dataclass
class Noting:
    """Loads specs in a process, and writes what the one before asked for into a file when the next is loaded."""

    path: Path
    command: str = ""
    versions: Versions = field(default_factory=Versions)

    def __call__(self, target: str, constants: dict[str, Any]) -> Spec:
        self.end()
        self.command, self.versions = Check(constants, {}, target).command, Versions()
        vars(variables)["GENERATIONS"] = self.versions
        return load(target, constants)

    def end(self) -> None:
        """Write what the last spec asked for; nothing for one of another model."""
        if self.versions.asked:
            with self.path.open("a") as out:
                out.write(json.dumps([self.command, sorted(self.versions.asked)]) + "\n")


def noted(path: Path) -> dict[str, list[Field]]:
    """The fields that each check asked for, by its command."""
    lines = path.read_text().splitlines() if path.exists() else []
    return {command: [(side, name) for side, name in asked] for command, asked in map(json.loads, lines)}


def answers(check: Check, asked: list[Field]) -> list[Any]:
    """What the protocol versions of a check have in some fields, but for those that cannot matter."""
    client = check.constants["generation"]
    unmet = set() if GENERATIONS[client].idempotent else OF_PRODUCER_IDS
    unmet |= set() if check.constants.get("deadlines") else OF_DEADLINES
    sides = {"client": GENERATIONS[client], "server": GENERATIONS[check.constants.get("broker_generation") or client]}
    return [getattr(sides[side], name) for side, name in asked if name not in unmet]


def apart_from_version(check: Check) -> str:
    """The check without its protocol versions."""
    constants = {name: value for name, value in check.constants.items() if name not in VERSIONS}
    return f"{check.target} {sorted(constants.items())}"


def equals(
    wanted: Iterable[Check], made: Iterable[Check], asked: dict[str, list[Field]]
) -> Iterator[tuple[Check, Check]]:
    """Each wanted check that has the model of one that was made, with that one."""
    alike = defaultdict[str, list[Check]](list)
    for check in made:
        if check.command in asked:
            alike[apart_from_version(check)].append(check)
    for check in wanted:
        for other in alike[apart_from_version(check)]:
            if answers(check, asked[other.command]) == answers(other, asked[other.command]):
                yield check, other
                break
