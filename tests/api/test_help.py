"""`help()` of every name that a user imports: it says what the name is for, and its example is accepted."""

from __future__ import annotations

import inspect
import pydoc
from textwrap import dedent, indent
from typing import Any

import pytest

import everystate
from everystate import check, checker
from tests.docs.page import execute

READ_ONLY = ("ActionInstance", "Property")
"""What only programs meet, in a list of a spec."""
STATEMENTS = ("choose", "implies", "narrate", "require", "subsets")
AN_ACTION = "# in an action"
MODULE = """\
from typing import Self
from everystate.checker import *

class Switch(Spec):
    def variables(self):
        self.on = Bool()

    @action
    def flip(self):
        self.on = not self.on

class Example(Spec):
    workers = Constant(3)
    def variables(self):
        self.count = Int(0, 3)
        self.busy = Bool()
        self.owner = Option(range(3))
{declared}

    @action
    def step(self):
        self.busy = not self.busy
{written}

{members}
"""


@pytest.mark.parametrize("name", [*checker.__all__, *everystate.__all__])
def test_help_says_what_a_name_is_for(name: str) -> None:
    found = getattr(everystate if name in everystate.__all__ else checker, name)
    text = found.__doc__ or ""
    assert text.partition("\n")[0].rstrip()[-1:] in ".:;" and text != type(found).__doc__
    page = pydoc.plain(pydoc.render_doc(found))
    assert page.splitlines()[2].startswith((f"{name}(", f"class {name}(")) and "<object object" not in page


@pytest.mark.parametrize("name", [name for name in checker.__all__ if name not in READ_ONLY])
def test_the_example_in_its_help_is_accepted(name: str) -> None:
    example = example_of(name)
    assert len(example.splitlines()) >= 2
    if name in ("Spec", "State"):
        module = f"from everystate.checker import *\n{example_of('Spec')}\nExample = Counter\n{example_of('State')}"
    else:
        in_an_action = [line for line in example.splitlines() if name in STATEMENTS or AN_ACTION in line]
        rest = [line for line in example.splitlines() if line not in in_an_action]
        declares = rest and rest[0].startswith("self.")
        parts = {"declared": rest if declares else [], "written": in_an_action, "members": [] if declares else rest}
        widths = {"declared": 8, "written": 8, "members": 4}
        module = MODULE.format(**{part: indent("\n".join(lines), " " * widths[part]) for part, lines in parts.items()})
    names: dict[str, Any] = {"__name__": "example"}
    execute(module, names)
    assert all(violation.error is None for violation in check(names["Example"], cross_check="all").violations)


def example_of(name: str) -> str:
    """The indented lines of a docstring."""
    lines = (inspect.getdoc(getattr(checker, name)) or "").splitlines()
    return dedent("\n".join(line for line in lines if line.startswith("    ") or not line)).strip("\n")
