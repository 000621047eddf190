"""ABC beside IC3: its `pdr` on the circuit of a model, in a process of its own, where ABC is installed.

Nothing that it answers is trusted. Of its invariant those clauses are used that our own solver finds inductive, and
only if they exclude every violation; z3 then confirms them like those of IC3. Its counterexample is used if our own
solver finds a trace through the same states. Any other answer is no answer.

R. Brayton, A. Mishchenko: ABC: an academic industrial-strength verification tool, 2010.
"""

from __future__ import annotations

import re
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ...backends.aig import BOUND, FAILS, PROPERTY, STAYS, TRUTH, Latch, Machine, Unsupported, Wanted
from ...backends.smt import BROKEN, FAULT, STUCK, Clock, Goal
from ...ir.traced import Model
from .predicates import Clause, Predicates
from .steps import Cube

PROGRAMS = ("berkeley-abc", "abc")
"""The names of the program; Debian's package has the first one."""
LONGEST = 3600
"""Seconds after which it ends by itself."""
NAME = "ABC"
MODEL, INVARIANT, TRACE = "model.aig", "invariant.pla", "trace.cex"

SIGNS = {"0": False, "1": True}
Held = tuple[tuple[int, bool], ...]
"""Latches of a circuit, by number, and what they hold."""


@dataclass(frozen=True)
class Answer:
    """What ABC claims about the latches of a circuit: cubes without reachable states, or the states of a trace."""

    excluded: tuple[Held, ...] = ()
    states: tuple[tuple[bool, ...], ...] = ()


class Process:
    """A running process of ABC; `end` it when its answer is not needed any more."""

    def __init__(self, program: str, machine: Machine, clock: Clock) -> None:
        self.machine, self.folder = machine, tempfile.TemporaryDirectory(prefix="everystate-abc-")
        folder = Path(self.folder.name)
        (folder / MODEL).write_bytes(machine.file)
        seconds = LONGEST if clock.seconds is None else min(LONGEST, 1 + clock.left() // 1000)
        commands = f"read_aiger {MODEL}; pdr -d -T {seconds} -I {INVARIANT}; write_cex -a {TRACE}"
        nowhere = subprocess.DEVNULL
        self.process = subprocess.Popen(
            [program, "-c", commands], cwd=folder, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True
        )
        if clock.memory is not None and hasattr(resource, "prlimit"):
            with suppress(OSError):
                resource.prlimit(self.process.pid, resource.RLIMIT_AS, (clock.memory.bytes, clock.memory.bytes))

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self.process.poll() is None

    def end(self) -> None:
        """End the process, and remove its files."""
        with suppress(OSError):
            self.process.kill()
        self.process.wait()
        self.folder.cleanup()

    def answer(self) -> Answer:
        """What it claims when it has ended; ValueError and others where that cannot be read."""
        folder = Path(self.folder.name)
        if (folder / TRACE).exists():
            return Answer(states=self._states((folder / TRACE).read_text("ascii")))
        return Answer(excluded=excluded((folder / INVARIANT).read_text("ascii")))

    def _states(self, text: str) -> tuple[tuple[bool, ...], ...]:
        """The states of a trace, by what the inputs are in each of them."""
        _, *rows = text.split("#")[0].split("\n")
        inputs = [[SIGNS[sign] for sign in row] for row in rows]
        return tuple(map(tuple, self.machine.circuit.run(self.machine.following, inputs)))


def excluded(text: str) -> tuple[Held, ...]:
    """The cubes of an invariant in the format of espresso; the columns are latches, named by their numbers."""
    lines = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    [names] = (line[1:] for line in lines if line[0] == ".ilb")
    latches = [int(re.fullmatch(r"lo(\d+)", name)[1]) for name in names]  # type: ignore[index]
    rows = [line[0] for line in lines if not line[0].startswith(".")]
    pairs = (zip(latches, row, strict=True) for row in rows)
    return tuple(tuple((latch, SIGNS[sign]) for latch, sign in pair if sign != "-") for pair in pairs)


def _wanted(model: Model, goal: Goal) -> Wanted:
    if goal.key in (FAULT, STUCK):
        return Wanted(FAILS if goal.key == FAULT else STAYS)
    if goal.index < 0:
        raise Unsupported(goal.name)
    errors = [error for _, error in model.properties[goal.index].errors]
    number = next(i for i, error in enumerate(errors) if error is goal.error) if goal.key == BROKEN else None
    return Wanted(PROPERTY, goal.index, number)


@dataclass(frozen=True)
class Claim:
    """What ABC claims, about the predicates of a proof: clauses of an invariant, or the cubes of a trace."""

    clauses: tuple[Clause, ...] = ()
    chain: tuple[Cube, ...] = ()


class Abc:
    """ABC as a member of the portfolio of one proof: it begins once, and is heard once."""

    def __init__(self) -> None:
        self.begun = False
        self._process: Process | None = None

    def begin(self, model: Model, goals: Sequence[Goal], clock: Clock) -> None:
        """Begin, unless it has begun; nothing where it is not installed, or where the model has no circuit."""
        program = next(filter(None, map(shutil.which, PROGRAMS)), None)
        if self.begun or program is None:
            return
        self.begun = True
        with suppress(Unsupported, OSError):
            self._process = Process(program, Machine(model, [_wanted(model, goal) for goal in goals]), clock)

    @property
    def working(self) -> bool:
        """Whether it has begun and not ended."""
        return self._process is not None and self._process.running

    def heard(self, predicates: Predicates) -> Claim | None:
        """What it claims, when it has ended; None where that cannot be read."""
        process = self._process
        if process is None or process.running:
            return None
        try:
            return Reading(process.machine, predicates).claim(process.answer())
        except (OSError, ValueError, LookupError, TypeError):
            return None
        finally:
            self.end()

    def end(self) -> None:
        """End the process; it does not begin any more."""
        self.begun = True
        if self._process is not None:
            self._process.end()
            self._process = None


class Reading:
    """What answers about latches mean for the predicates of a proof."""

    def __init__(self, machine: Machine, predicates: Predicates) -> None:
        self.machine, self.predicates = machine, predicates
        self.literals = [self._literal(latch) for latch in machine.latches]

    def _literal(self, latch: Latch) -> int:
        """The literal of the predicate of a latch."""
        predicates = self.predicates
        slot = predicates.system.states.places[0][latch.cell]
        variable, pool = predicates.variables[slot], predicates.pool
        if latch.kind == TRUTH:
            return predicates.literal(variable)
        if latch.kind == BOUND:
            return predicates.literal(pool.le(variable, pool.const(latch.value)))
        return predicates.literal(predicates.binary(slot)[latch.value])

    def cube(self, held: Held) -> Cube:
        """The cube of states in which latches hold some values, once an initial state was chosen."""
        found = []
        for number, value in held:
            known = self.machine.meaning(number)
            if known is not None:
                literal = self.literals[known[0]]
                found.append(literal if known[1] == value else -literal)
        return tuple(found)

    def _some(self, held: Held) -> bool:
        """Whether a state can be in a cube: no number exceeds a bound that it is at most."""
        most: dict[int, int] = {}
        known = [(self.machine.latches[m[0]], m[1] == value) for n, value in held if (m := self.machine.meaning(n))]
        bounds = [(latch.cell, latch.value, value) for latch, value in known if latch.kind == BOUND]
        for cell, value, _ in (bound for bound in bounds if bound[2]):
            most[cell] = min(value, most.get(cell, value))
        return not any(value >= most[cell] for cell, value, below in bounds if not below and cell in most)

    def claim(self, answer: Answer) -> Claim:
        """A claim about latches as one about predicates: without pauses, and without cubes that no state is in."""
        states = [state for state in answer.states if self.machine.only or state[0]]
        cubes = [self.cube(tuple(enumerate(state))) for state in states]
        chain = [cube for at, cube in enumerate(cubes) if not at or cube != cubes[at - 1]]
        excluded = dict.fromkeys(filter(None, map(self.cube, filter(self._some, answer.excluded))))
        return Claim(tuple(tuple(-literal for literal in cube) for cube in excluded), tuple(chain))
