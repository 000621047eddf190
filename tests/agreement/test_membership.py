"""Values of one kind where a domain has another: both executions agree on what a member is, and on what equals one."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from everystate.checker.backends.interpreter import outcomes
from everystate.checker.engines.explicit import exhaustive, python
from everystate.checker.errors import CheckedError, EverystateError
from everystate.checker.frontend.model import build
from everystate.checker.frontend.tracer import Tracer
from everystate.checker.language import Spec, State
from everystate.checker.language.concrete import StepFailed, attempts
from everystate.checker.results.verdict import Verdict

from .readers import load
from .states import arbitrary

HEAD = """
import enum

from everystate.checker import *


class Level(enum.IntEnum):
    LOW = 0
    MID = 1
    HIGH = 2


class Other(enum.IntEnum):
    ZERO = 0
    ONE = 1


class Colour(enum.StrEnum):
    RED = "red"
    BLUE = "blue"


class Perm(enum.Flag):
    R = 1
    W = 2


class Box(Record):
    level = Enum(Level)
    on = Bool()


class Generated(Spec):
    may_terminate = True

    def variables(self):
        self.n = Int(0, 2)
        self.on = Bool()
        self.level = Enum(Level)
        self.few = Enum(Level.LOW, Level.MID)
        self.other = Enum(Other)
        self.colour = Enum(Colour)
        self.text = Enum("red", "green")
        self.perm = Enum(Perm)
        self.maybe = Option(Int(0, 1))
        self.maybe_level = Option(Enum(Level))
        self.maybe_on = Option(Bool())
        self.box = Box
        self.ints = Set(range(3))
        self.flags = Set(Bool())
        self.levels = Set(Enum(Level))
        self.listed = Set(["red", 2, False, Perm.R, (0, True)])
        self.queue = Seq(Int(0, 2), 2)
        self.marks = Seq(Enum(Level), 2)
        self.pair = Array(2, Bool())
        self.by_int = Map(range(2), Enum(Level))
        self.by_level = Map(Enum(Level), Int(0, 2))
        self.out = Bool()
"""

VARIABLES = ("n", "on", "level", "few", "other", "colour", "text", "perm", "maybe", "maybe_level", "maybe_on")
PLACES = (*VARIABLES, "box.level", "box.on", "pair[0]", "by_int[0]", "by_level[Level.LOW]")
SETS = ("ints", "flags", "levels", "listed")
SEQUENCES = ("queue", "marks", "pair")
CONSTANTS = (
    *("0", "1", "2", "3", "-1", "True", "False", "1.0", "0.5", "None", "(0, True)", "(0, 1)", "'red'", "'grey'"),
    *("Level.LOW", "Level.HIGH", "Other.ONE", "Colour.RED", "Perm.R", "Perm.R | Perm.W"),
)
COMPUTED = (
    *("self.n + 1", "self.level + 1", "self.on + 0", "self.n == 1", "self.n % 2", "(self.n, self.on)", "-self.n"),
    *("self.box.level", "(self.n, self.n)", "Level((self.n + 1) % 3)", "(self.n if self.on else 7)"),
)
VALUES = (*CONSTANTS, *COMPUTED, *(f"self.{name}" for name in VARIABLES))
STATEMENTS = (
    *(f"self.{place} = {{}}" for place in PLACES),
    *(f"self.out = self.{place} == {{}}" for place in PLACES),
    *(f"self.{s}.{call}({{}})" for s in SETS for call in ("add", "discard", "remove")),
    *(f"self.{s} {by}= {{{{{{}}}}}}" for s in SETS for by in "|&-^"),
    *(f"self.{s}.update([{{}}])" for s in SETS),
    *(f"self.{s} = {{{{{{}}}}}}" for s in SETS),
    *(f"self.{s} = {{{{{{}}}}}} {by} self.{s}" for s in SETS for by in "|&-^"),
    *(f"self.{s} {by}= self.{other}" for s in SETS for other in SETS for by in "|&-^"),
    *(f"self.out = self.{s} {by} self.{other}" for s in SETS for other in SETS for by in ("==", "<=", ">")),
    *(f"self.out = {{}} in self.{s}" for s in (*SETS, *SEQUENCES, "by_int", "by_level")),
    *(f"self.out = {{}} not in self.{s}" for s in (*SETS, *SEQUENCES, "by_int", "by_level")),
    *(f"self.out = self.{s} {by} {{{{{{}}}}}}" for s in SETS for by in ("==", "<=", ">=")),
    *("self.queue.append({})", "self.marks.insert(0, {})", "self.queue = [{}]", "self.pair = [{}, True]"),
    *("self.n = self.by_level[{}]", "self.by_int[{}] = Level.MID", "self.box = Box(level={}, on=False)"),
    "self.by_int = {{0: {}, 1: Level.LOW}}",
)
"""Statements with a place for a value."""


def actions(texts: list[str]) -> str:
    return "".join(f"\n    @action\n    def do_{i}(self):\n        {text}\n" for i, text in enumerate(texts))


def drawn(random: Random) -> str:
    """One or two statements, the second in the state that the first has made."""
    one, two = (random.choice(STATEMENTS).format(random.choice(VALUES)) for _ in range(2))
    return f"{one}; {two}" if random.random() < 0.3 else one


def on_values(spec: Spec, cells: tuple[int, ...], instance: Any) -> list[Any]:
    steps = attempts(spec, State(spec.domains, cells), instance)
    return [("error", s.error.code) if isinstance(s, StepFailed) else s.state.cells for s in steps]


def compared(texts: list[str], folder: Path, states: int) -> tuple[list[str], dict[str, str]]:
    """Where the two executions differ, and what the tracer refuses."""
    spec = load(HEAD + actions(texts), folder)
    tracer, random = Tracer(spec), Random(len(texts))
    differences, refused = [], {}
    for text, instance in zip(texts, spec.instances, strict=True):
        try:
            tree = tracer.action(instance.name, tracer.step(instance))
        except EverystateError as error:
            refused[text] = error.code
            continue
        for _ in range(states):
            cells = arbitrary(spec, random)
            traced = [("error", o.code) if isinstance(o, CheckedError) else o for _, o in outcomes(tree, cells)]
            try:
                found: Any = on_values(spec, cells, instance)
            except EverystateError as error:
                found = error.code
            if traced != found:
                differences.append(f"{text}: {traced} on symbols, {found} on values, in {cells}")
                break
    return differences, refused


def test_kinds_are_mixed_alike_on_symbols_and_on_values(tmp_path: Path) -> None:
    """also: what the tracer refuses instead is a comparison of kinds, or a member that an enum does not have"""
    random = Random(1)
    differences, refused = compared([drawn(random) for _ in range(600)], tmp_path, 12)
    assert not differences, "\n".join(differences)
    assert set(refused.values()) <= {"E208", "E211", "E212", "E215", "E231"} and len(refused) < 120


ALARMS = {
    "+ 1": "self.level += 1",
    "1": "self.level = 1",
    "True": "self.level = True",
    "1.0": "self.level = 1.0",
    "a set of truths": "self.flags.add(self.n % 2)",
    "a set of numbers": "self.ints.add(1.0)",
    "a union": "self.flags |= {1}",
    "a union of sets": "self.levels |= self.ints",
}


@pytest.mark.parametrize("text", ALARMS.values(), ids=ALARMS)
def test_a_value_of_another_kind_is_an_error_at_that_step(text: str, tmp_path: Path) -> None:
    body = f"require(self.n < 2); self.ints.add(1); self.n += 1\n        if self.n == 2:\n            {text}"
    spec = load(HEAD + actions([body]), tmp_path)
    for result in (exhaustive.check(build(spec)), python.check(spec)):
        [found] = result.violations
        assert result.verdict is Verdict.VIOLATED and found.error is not None and found.trace is not None
        assert (found.error.code, len(found.trace.steps)) == ("E301", 1)


KEPT = {"self.flags &= {1}": {True}, "self.flags -= {1}": {False}, "self.flags &= self.ints": {False, True}}


@pytest.mark.parametrize("text", KEPT)
def test_a_set_keeps_its_own_members(text: str, tmp_path: Path) -> None:
    spec = load(HEAD + actions([f"self.flags = {{False, True}}; self.ints = {{0, 1}}; {text}"]), tmp_path)
    [start] = spec.initial_states()
    [step] = attempts(spec, start, spec.instances[0])
    assert not isinstance(step, StepFailed) and step.state.flags == KEPT[text]
    assert {type(member) for member in step.state.flags} == {bool}
    assert [step.state.cells] == [after for _, after in outcomes(build(spec).actions[0].tree, start.cells)]
