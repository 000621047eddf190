"""The scenarios that a command can name: `everystate.parts` says which module lists them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, cast

from everystate.parts import REGISTRY

from ..language.scenario import Scenario


class Registry(Protocol):
    """What that module has: `groups` under their headings, a word for each in `GROUPS`, and the word for `ALL`."""

    GROUPS: Sequence[str]
    ALL: str
    MATRIX: Path

    def scenarios(self) -> Sequence[Scenario]: ...
    def groups(self) -> Mapping[str, Sequence[Scenario]]: ...
    def names(self) -> list[str]: ...
    def find(self, name: str) -> Scenario | None: ...


def registry() -> Registry:
    """The module, loaded when a name is looked up; scenarios load their models."""
    return cast(Registry, importlib.import_module(REGISTRY))
