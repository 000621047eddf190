"""Everyday Python means on symbols what it means in plain Python: interpreter and machine code agree with it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from everystate.checker.errors import EverystateError
from everystate.checker.frontend import explorer
from tests.agreement.readers import agree, load

from .everyday import ACTIONS, HEAD, PROPERTIES

REFUSED = {"unbound local": "cannot access local variable 'k'"}
"""What is refused, with a part of the reason."""


def source(name: str, body: str, decorator: str) -> str:
    """A spec with one action, or one property beside an action that does nothing."""
    method = f"    {decorator}\n    def go(self):\n{textwrap.indent(body, ' ' * 8)}\n"
    idle = "" if decorator == "@action" else "\n    @action\n    def idle(self):\n        self.n = 0\n"
    return f"{HEAD}{method}{idle}"


@pytest.mark.parametrize("few", [1, 8], ids=["merged", "split"])
@pytest.mark.parametrize("name", [*ACTIONS, *(f"property: {name}" for name in PROPERTIES)])
def test_it_means_what_it_means_in_python(name: str, few: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer, "FEW_PATHS", few)
    kind, _, rest = name.partition(": ")
    body, mark = (PROPERTIES[rest], "@invariant") if rest else (ACTIONS[kind], "@action")
    text = source(name, body, mark)
    if name in REFUSED:
        with pytest.raises(EverystateError, match=REFUSED[name]):
            agree(load(text, tmp_path))
    else:
        agree(load(text, tmp_path), most=40)
