"""The names of a spec that an author may not use are few, and documented; `dir` lists what an author may use."""

from __future__ import annotations

import re
from pathlib import Path

from everystate import check
from everystate.checker import Constant, Int, Spec, action, invariant, require

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "api.md"
AUTHORS = {"variables", "may_terminate", "conformance"}


class Library(Spec):
    """Variables, a constant, a method and an action with names that were reserved once."""

    named = Constant(2, "how many")
    may_terminate = True

    def variables(self) -> None:
        self.reading = Int(0, 2)
        self.title = Int(0, 2)
        self.shown, self.method, self.question, self.marked = (Int(0, 1) for _ in range(4))
        self.refinements = 1

    def declaration(self) -> int:
        return self.named

    @action
    def beginning(self) -> None:
        require(self.reading < self.declaration())
        self.reading += self.refinements

    @action
    def fairness(self) -> None:
        self.title = self.reading
        self.shown = self.method = self.question = self.marked = 1

    @invariant
    def step_bounds(self) -> bool:
        return self.title <= self.named


def test_an_author_may_use_other_names() -> None:
    assert check(Library).proved


def test_every_public_name_is_documented() -> None:
    table = re.findall(r"^\| `(\w+)", PAGE.read_text(), re.MULTILINE)
    public = {name for name in dir(Spec) if not name.startswith("_")} | {"instances", "properties"}
    assert public == AUTHORS | ({*table} & public) and len(public) == 10


def test_dir_lists_what_an_author_may_use() -> None:
    names = dir(Library())
    assert {"reading", "title", "named", "refinements", "declaration", "beginning", "step_bounds"} <= {*names}
    assert not [name for name in names if name.startswith("_")]
