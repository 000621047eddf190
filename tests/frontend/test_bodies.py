"""Fifteen hundred bodies of everyday Python mean on symbols what they mean in plain Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from everystate.checker.errors import EverystateError
from tests.agreement.readers import agree, load

from . import nested
from .everyday import HEAD
from .test_everyday import source

BODIES = Path(__file__).parent / "bodies"


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["builtins", "effects", "nested", "objects", "properties", "statements", "values"])
def test_bodies_mean_what_they_mean_in_python(name: str, tmp_path: Path) -> None:
    """At most 2 % are not compiled: plain Python decides on those."""
    bodies = (BODIES / f"{name}.txt").read_text("utf-8").strip("\n").split("\n---\n")
    refused = list[str]()
    for body in bodies:
        try:
            text = source("body", body, "@invariant" if name == "properties" else "@action")
            if name in ("nested", "properties"):
                text = text.replace(HEAD, nested.HEAD)
            agree(load(text, tmp_path), most=40)
        except EverystateError as error:
            refused.append(f"{error.code}: {body}")
    assert len(refused) <= len(bodies) * 0.02, "\n".join(refused)
