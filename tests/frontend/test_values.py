"""Values of several parts are elements of every collection; interpreter and machine code agree with plain Python."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from everystate.checker.errors import EverystateError
from everystate.checker.frontend import explorer
from tests.agreement.readers import agree, load

from .values import BODIES, HEAD, OTHERS, PROPERTIES, REFUSED

SETS = {"messages": "few", "few": "messages"}
CASES = {
    **{f"{name} in {s}": body.format(s=s, o=o) for s, o in SETS.items() for name, body in BODIES.items()},
    **OTHERS,
}


def source(body: str, mark: str = "@action") -> str:
    """A spec with one action, or one property beside an action that does nothing."""
    idle = "" if mark == "@action" else "\n    @action\n    def idle(self):\n        self.n = 0\n"
    return f"{HEAD}    {mark}\n    def go(self):\n{textwrap.indent(body, ' ' * 8)}\n{idle}"


@pytest.mark.parametrize("few", [1, 8], ids=["merged", "split"])
@pytest.mark.parametrize("name", CASES)
def test_it_means_what_it_means_in_python(name: str, few: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explorer, "FEW_PATHS", few)
    agree(load(source(CASES[name]), tmp_path), most=40)


@pytest.mark.parametrize("name", PROPERTIES)
def test_properties_mean_what_they_mean_in_python(name: str, tmp_path: Path) -> None:
    agree(load(source(PROPERTIES[name], "@invariant"), tmp_path), most=40)


@pytest.mark.parametrize("name", REFUSED)
def test_what_would_change_a_value_is_refused(name: str, tmp_path: Path) -> None:
    body, reason = REFUSED[name]
    with pytest.raises(EverystateError, match=reason):
        agree(load(source(body), tmp_path))
