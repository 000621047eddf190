"""Everyday Python means on symbols what it means in plain Python: interpreter and machine code agree with it."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from everystate.checker.errors import EverystateError
from everystate.checker.frontend import explorer
from tests.agreement.readers import agree, load

from .everyday import ACTIONS, HEAD, PROPERTIES


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
    agree(load(text, tmp_path), most=40)


@pytest.mark.parametrize(
    "body",
    [
        "r = R(x=1, y=True)\nself.rs.append(r)\nr.x = 2",
        "r = R(x=1, y=True)\nif self.n > 1:\n    self.rs.append(r)\nr.x = 2",
        "r = R(x=1, y=True)\nfor i in range(2):\n    r.x = i\n    self.rs.append(r)",
        "r = self.rs.popleft()\nr.x = 1\nself.rs.append(r)\nr.x = 2",
        "r = self.rs[0]\nself.rs.append(r)\nself.rs.popleft()\nr.x = 2",
        "xs = [1, 2]\nself.q = xs\nxs.append(1)",
    ],
)
def test_a_write_to_a_value_that_was_stored_is_refused(body: str, tmp_path: Path) -> None:
    """The state has a copy, so the write would be lost."""
    text = source("stored", "require(0 < len(self.rs) < 2)\n" + body, "@action")
    with pytest.raises(EverystateError, match="a write to a value that was stored"):
        agree(load(text, tmp_path))
