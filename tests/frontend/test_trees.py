"""The compiler and the search for oversights read the same syntax trees, and neither changes one."""

from __future__ import annotations

import ast
import linecache
from contextlib import suppress
from pathlib import Path

import pytest

from everystate import check
from everystate.checker import Array, Int, Spec, action, invariant, require
from everystate.checker.cli.targets import resolve
from everystate.checker.errors import EverystateError
from everystate.checker.frontend.lifting import lifted
from everystate.checker.frontend.tracer import Tracer
from everystate.checker.language.misspellings import authors_functions
from everystate.checker.language.oversights import oversights
from everystate.checker.language.source import file_tree
from everystate.specs import registry
from tests.agreement.readers import load

from . import nested
from .everyday import HEAD
from .test_bodies import BODIES
from .test_everyday import source


class Filtered(Spec):
    """The second half of the filter raises an error where the first one is true."""

    may_terminate = True

    def variables(self) -> None:
        self.n = Array(2, Int(0, 2))

    @action(i=range(2))
    def up(self, i: int) -> None:
        require(self.n[i] < 2)
        require(len([1 for value in self.n if value == 0 or 2 // value == 2]) > 0)
        self.n[i] += 1

    @invariant
    def small(self) -> bool:
        return max(self.n) <= 2


def test_a_spec_is_compiled_after_it_was_executed_as_plain_python() -> None:
    """The search for oversights had put the second half of the filter behind the whole one."""
    plain, compiled = (check(Filtered, engine=engine) for engine in ("python", "native"))
    assert plain.result.engine == "python" and compiled.result.engine == "native"
    assert (plain.verdict, plain.result.distinct) == (compiled.verdict, compiled.result.distinct) == ("PROVED", 9)


def read(spec: Spec) -> set[str]:
    """The files of a spec, after its functions were lifted and oversights were looked for."""
    operations = Tracer(spec).operations
    functions = [function for base in type(spec).__mro__ for function in authors_functions(base)]
    oversights(spec)
    for function in functions:
        with suppress(EverystateError):
            lifted(function, operations)
    return {function.__code__.co_filename for function in functions}


def changed(path: str) -> bool:
    """Whether the tree of a file is another one than that of its text."""
    tree, text = file_tree(path), "".join(linecache.getlines(path))
    assert tree is not None
    return ast.dump(tree, include_attributes=True) != ast.dump(ast.parse(text), include_attributes=True)


def test_the_syntax_trees_of_specs_are_not_changed() -> None:
    specs = [resolve(name).spec() for name in registry.names()]
    paths = {path for spec in {type(spec): spec for spec in specs}.values() for path in read(spec)}
    assert len(paths) > 40 and not [path for path in sorted(paths) if changed(path)]


@pytest.mark.thorough
@pytest.mark.parametrize("file", sorted(BODIES.glob("*.txt")), ids=lambda file: file.stem)
def test_the_syntax_trees_of_everyday_python_are_not_changed(file: Path, tmp_path: Path) -> None:
    found = []
    for body in file.read_text("utf-8").strip("\n").split("\n---\n"):
        text = source("body", body, "@invariant" if file.stem == "properties" else "@action")
        text = text.replace(HEAD, nested.HEAD) if file.stem in ("nested", "properties") else text
        found += [body for path in read(load(text, tmp_path)) if changed(path)]
    assert not found
