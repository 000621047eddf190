"""Fifteen hundred bodies of everyday Python mean on symbols what they mean in plain Python."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from everystate.checker.errors import EverystateError
from everystate.checker.frontend.calls import _table
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


def test_a_body_calls_each_function_of_python_that_has_a_lifted_version() -> None:
    places = [BODIES, BODIES.parents[1] / "idioms"]
    texts = "\n".join(path.read_text("utf-8") for place in places for path in place.iterdir() if path.is_file())
    found = [function for function in _table() if not str(function.__module__).startswith("everystate.")]
    called = [f"{'operator.' * (each.__module__ == '_operator')}{each.__qualname__}" for each in found]
    assert [name for name in called if not re.search(rf"\b{re.escape(name)}\b[(,]", texts)] == []
