"""The page of the language: blocks, and every row of the tables, executed as they are printed."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import everystate.checker
from everystate.checker import Domain, Spec, State, action
from everystate.checker.backends.interpreter import outcomes
from everystate.checker.errors import CheckedError, EverystateError
from everystate.checker.frontend.explorer import MAX_PATHS
from everystate.checker.frontend.tracer import Tracer
from everystate.checker.ir.tree import Disabled, Tree, Update, nodes
from everystate.checker.language import concrete
from everystate.checker.results.changes import changes
from everystate.checker.results.plain import trees_of
from tests.agreement.readers import agree, load
from tests.cli.transcript import Run

from .page import ROOT, Page, execute

PATH = ROOT / "docs" / "reference" / "language.md"
TEXT = PATH.read_text("utf-8")
LANGUAGE = {name: getattr(everystate.checker, name) for name in everystate.checker.__all__}
"""What the rows of the tables take as imported."""


@dataclass(frozen=True)
class Chapter:
    """The names that the Python blocks of the page define."""

    names: dict[str, Any]

    def spec(self) -> Any:
        """The spec in whose initial state the tables are executed."""
        return self.names["Everything"]()


@pytest.fixture(scope="module")
def chapter() -> Chapter:
    found: dict[str, Any] = {"__name__": "language", **LANGUAGE}
    for block in re.findall(r"^```python.*\n((?s:.*?))^```$", TEXT, re.MULTILINE):
        execute(block, found)
    return Chapter(found)


def rows(text: str, first: str) -> Iterator[list[str]]:
    """The rows of all tables whose first column has this title, without the backticks of code."""
    for table in re.findall(rf"^\| {re.escape(first)} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", text, re.MULTILINE):
        for line in table.splitlines():
            cells = re.split(r"(?<!\\)\|", line.strip("|"))
            yield [html.unescape(cell.strip().replace("`", "").replace("\\|", "|")) for cell in cells]


def with_action(spec: Spec, code: str, names: dict[str, Any]) -> Any:
    """A spec like this one that has a statement as the body of its action `go`."""
    scope = dict(names)
    execute("def go(self):\n" + textwrap.indent(code, "    "), scope)
    return type(type(spec).__name__, (type(spec),), {"go": action(scope["go"])})()


def going(spec: Spec) -> Any:
    """The instance of the action that `with_action` has added."""
    return next(instance for instance in spec.instances if instance.name == "go")


def traced(spec: Spec) -> Tree:
    """The decision tree of that action."""
    tracer = Tracer(spec)
    return tracer.action("go", tracer.step(going(spec)))


def printed(before: State, outcome: Any) -> str:
    """One outcome as the page prints it."""
    if isinstance(outcome, CheckedError):
        return f"{outcome.code}: {outcome.what}"
    return "; ".join(map(str, changes(trees_of(before), trees_of(outcome)))) or "nothing changes"


def number_of_paths(tree: Tree) -> int:
    """How many paths through an action do not end in an error of the spec."""
    return sum(isinstance(node, (Disabled, Update)) for node in nodes(tree))


def test_every_block_of_the_language_page_is_as_printed(run: Run) -> None:
    text, played = Page(PATH, run).play()
    assert text == played


def test_the_page_of_the_language_is_short() -> None:
    assert len(TEXT.split()) <= 4000


def test_every_statement_does_what_the_page_says(chapter: Chapter) -> None:
    wrong, seen = [], 0
    for code, effect, *paths in rows(TEXT, "in an action"):
        spec = with_action(chapter.spec(), code, chapter.names)
        [state] = spec.initial_states()
        states = [after for _, after in concrete.run(spec, state, spec._method(going(spec)))]
        tree = traced(spec)
        happens = " or ".join(printed(state, s) for s in states) or "disabled"
        actual = [happens, *[str(number_of_paths(tree)) for _ in paths]]
        if actual != [effect, *paths]:
            wrong.append((code, *actual))
        symbolic = [c.code if isinstance(c, CheckedError) else c for _, c in outcomes(tree, state.cells)]
        assert symbolic == [s.code if isinstance(s, CheckedError) else s.cells for s in states], code
        seen += 1
    assert not wrong
    assert seen > 15


def test_the_page_knows_how_many_paths_are_too_many() -> None:
    assert f"with more than {MAX_PATHS:,} is not compiled (E204)" in TEXT


def test_every_domain_has_the_values_that_the_page_says(chapter: Chapter) -> None:
    wrong = []
    for code, values in rows(TEXT, "domain"):
        domain = eval(code, chapter.names)
        actual = ", ".join(map(domain.show, domain.values()))
        if actual != values:
            wrong.append((code, actual))
    assert not wrong


DOMAIN = """
from everystate.checker import *


class Point(Record):
    x: int
    y: int


class Generated(Spec):
    def variables(self):
        self.x, self.y, self.listed = {0}, {0}, Seq({0}, 1)

    @action
    def change(self):
        self.x = choose({0})

    @action
    def keep(self):
        self.y = self.x
        self.listed = [self.x]

    @invariant
    def same(self):
        return self.x == self.y and self.listed == [self.y]
"""


def test_every_domain_of_the_page_is_compiled(tmp_path: Path) -> None:
    named = set[str]()
    for code, values in rows(TEXT, "domain"):
        named.add(code.partition("(")[0])
        seen = agree(load(DOMAIN.format(code), tmp_path), most=30)
        assert seen.states > values.count(", ") and seen.verdicts, code
    domains = {n for n, found in LANGUAGE.items() if isinstance(found, type) and issubclass(found, Domain)}
    assert domains - named == {"Domain"}


def test_what_is_not_supported_is_refused_as_the_page_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everystate.checker.frontend.watchdog.SECONDS_PER_PATH", 1.0)
    names: dict[str, Any] = {"__name__": "language", **LANGUAGE}
    execute(re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)[0], names)
    wrong = []
    for code, message, _ in rows(TEXT, "not supported"):
        try:
            spec = with_action(names["Everything"](), code, names)
            traced(spec)
            actual = "no error"
        except EverystateError as error:
            actual = str(error)
        if actual != message:
            wrong.append((code, actual))
    assert not wrong
