"""The variants of a matrix with their expectations, read from a file or made from scenarios."""

from __future__ import annotations

import fnmatch
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...errors import EverystateError
from ...language.scenario import Scenario
from ..runners.job import Allowance, Job
from ..runners.outcome import FORMS
from .schema import Reader, Table

ANY = -1
"""An expected violation of any length."""


@dataclass(frozen=True)
class Conform:
    """A comparison of a row with the real system: on which releases (none: the newest), and how far.

    `expect` is the expected verdict; without one, that they agree or that there is nothing to drive.
    """

    releases: tuple[str, ...] = ()
    walks: int = 0
    steps: int = 60
    seed: int = 0
    faults: float = 0.15
    expect: str = ""


@dataclass(frozen=True)
class Variant:
    """One row: a check and its expectations.

    `expected` maps each property that must fail to its shortest length (ANY if any will do); all others must be proved.
    `distinct` is the exact number of states, if that is expected too. `line` is its line in the file.
    """

    name: str
    target: str
    title: str = ""
    constants: dict[str, Any] = field(default_factory=dict)
    expected: dict[str, int] = field(default_factory=dict)
    mentioned: tuple[str, ...] = ()
    distinct: int | None = None
    tags: tuple[str, ...] = ()
    allowance: Allowance = field(default_factory=Allowance)
    line: int = 0
    conform: Conform | None = None

    def command(self, name: str) -> str:
        """The command line that shows the counterexample of a property of this variant."""
        given = [f"-c {shlex.quote(f'{key}={_typed(value)}')}" for key, value in self.constants.items()]
        deadlock = [] if self.allowance.deadlock else ["--no-deadlock"]
        return " ".join(["everystate check", shlex.quote(self.target), *given, *deadlock, f"--trace {name}"])

    def job(self, cache: bool = True, forms: tuple[str, ...] = FORMS) -> Job:
        """The check of this row, with its traces in some forms."""
        return Job(self.name, self.target, self.constants, self.allowance, cache, forms)


def _typed(value: Any) -> str:
    """A constant in the syntax of the command line."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def read(path: str, text: str, scenarios: Sequence[Scenario]) -> list[Variant]:
    """The variants of a matrix file, in its order; E420 to E425 when something is wrong in it."""
    reader = Reader(path, text)
    defaults: dict[str, Any] = {}
    found: dict[str, Variant] = {}
    for table in reader.tables():
        if table.name == "defaults":
            defaults = table.content
            continue
        merged = {**defaults, **table.content}
        for variant in _variants(reader, table, merged, scenarios):
            if variant.name in found:
                key = "name" if table.name == "variant" else "match"
                place = reader.line(table, key)
                raise reader.error("E425", place, name=variant.name, first=found[variant.name].line)
            found[variant.name] = variant
    return list(found.values())


def select(variants: Sequence[Variant], tag: str, path: str) -> list[Variant]:
    """The variants with a tag (all when it is empty); E426 when there is none."""
    found = [v for v in variants if not tag or tag in v.tags]
    if not found:
        tags = sorted({t for v in variants for t in v.tags})
        raise EverystateError(
            "E426", None, path=path, tag=f" with the tag {tag!r}" if tag else "", tags=", ".join(tags) or "none"
        )
    return found


def _variants(
    reader: Reader, table: Table, content: Mapping[str, Any], scenarios: Sequence[Scenario]
) -> Iterator[Variant]:
    if table.name == "variant":
        yield _written(table, content, os.path.dirname(reader.path))
        return
    wanted, unwanted = _patterns(content["match"]), _patterns(content.get("except", []))
    for key, patterns in (("match", wanted), ("except", unwanted)):
        for pattern in patterns:
            if not any(fnmatch.fnmatchcase(s.name, pattern) for s in scenarios):
                raise reader.error("E424", reader.line(table, key), pattern=pattern)
    for scenario in scenarios:
        if _matches(scenario.name, wanted) and not _matches(scenario.name, unwanted):
            yield _of_scenario(scenario, table, content)


def _patterns(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def _of_scenario(scenario: Scenario, table: Table, content: Mapping[str, Any]) -> Variant:
    """The row of a scenario: the expectations of the scenario, which the file does not repeat."""
    return Variant(
        name=scenario.name,
        target=scenario.name,
        title=scenario.title,
        constants=dict(content.get("constants", {})),
        expected=dict(scenario.expected),
        mentioned=tuple(scenario.expected),
        tags=tuple(content.get("tags", ("nightly",) if scenario.slow else ("fast", "nightly"))),
        allowance=_allowance(content),
        line=table.line,
        conform=_conform(content.get("conform", False)),
    )


def _written(table: Table, content: Mapping[str, Any], folder: str) -> Variant:
    """A row that the file describes itself; the path of a spec is relative to the folder of the file."""
    target = content["target"]
    if target.partition(":")[0].endswith((".py", ".tla")):
        target = os.path.normpath(os.path.join(folder, target))
    expect: dict[str, Any] = content.get("expect", {})
    return Variant(
        name=content["name"],
        target=target,
        title=content.get("title", ""),
        constants=dict(content.get("constants", {})),
        expected={name: ANY if value == "violated" else value for name, value in expect.items() if value != "proved"},
        mentioned=tuple(expect),
        distinct=content.get("distinct"),
        tags=tuple(content.get("tags", ())),
        allowance=_allowance(content),
        line=table.line,
        conform=_conform(content.get("conform", False)),
    )


def _allowance(content: Mapping[str, Any]) -> Allowance:
    memory = content.get("memory")
    return Allowance(
        seconds=content.get("time"),
        memory=int(memory * (1 << 30)) if memory else None,
        states=content.get("states"),
        threads=content.get("threads", 1),
        deadlock=content.get("deadlock", True),
    )


def _conform(value: Any) -> Conform | None:
    """The key `conform`: true, releases, or a table of them and more."""
    if isinstance(value, dict):
        return Conform(**{**value, "releases": tuple(value.get("releases", ()))})
    if isinstance(value, list):
        return Conform(tuple(value))
    return Conform() if value else None
