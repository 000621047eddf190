"""The comparison of all readers of one spec, on its first reachable states and on arbitrary ones."""

from __future__ import annotations

import linecache
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from everystate.checker.backends.interpreter import Valuation, outcomes
from everystate.checker.backends.native import Program
from everystate.checker.errors import CheckedError, EverystateError
from everystate.checker.frontend.model import build
from everystate.checker.ir.traced import Model, TracedProperty
from everystate.checker.language import Spec, State
from everystate.checker.language.concrete import StepFailed, attempts, evaluate
from everystate.checker.language.oversights import oversights

from .legality import check_model
from .machine_code import MachineCode
from .states import arbitrary, initial

Cells = tuple[int, ...]
Outcome = tuple[Any, ...]
"""("step", cells) or ("error", code, line)."""

MAX_PATHS = 1500
"""A random spec that splits into more paths costs too much; it is counted as not traced."""


@dataclass
class Tally:
    """How much was compared."""

    specs: int = 0
    states: int = 0
    successors: int = 0
    errors: int = 0
    verdicts: int = 0
    untraced: dict[str, int] = field(default_factory=dict)

    def add(self, other: Tally) -> None:
        """Count another one in."""
        for name in ("specs", "states", "successors", "errors", "verdicts"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for code, number in other.untraced.items():
            self.untraced[code] = self.untraced.get(code, 0) + number

    def __str__(self) -> str:
        codes = ", ".join(f"{c} {n}" for c, n in sorted(self.untraced.items())) or "none"
        return (
            f"{self.specs} specs, {self.states} states, {self.successors} successors, {self.errors} errors, "
            f"{self.verdicts} property values compared; not traced: {codes}"
        )


class Mismatch(AssertionError):
    """Two readers disagree."""


def load(source: str, folder: Path) -> Spec:
    """The spec of a source text, written to a file so that errors name its lines."""
    path = folder / "generated.py"
    path.write_text(source)
    linecache.checkcache(str(path))
    module = types.ModuleType("generated")
    module.__file__ = str(path)
    sys.modules["generated"] = module  # dataclasses and singledispatch look for it there
    exec(compile(source, str(path), "exec", dont_inherit=True), module.__dict__)
    spec: Spec = module.__dict__["Generated"]()
    return spec


def agree(spec: Spec, level: int = 0, most: int = 30) -> Tally:
    """Compare all readers on so many states; Mismatch where they differ."""
    oversights(spec)  # first: if it changed the syntax tree, the compiler would read the changed one
    model = build(spec)
    check_model(model)
    try:
        return Comparison(spec, model, level).run(most)
    except EverystateError as error:
        raise Mismatch(f"the concrete run raises what the tracer did not: {error.explain()}") from error


def _failed(error: CheckedError) -> Outcome:
    return ("error", error.code, error.where.line if error.where else None)


class Comparison:
    """The readers of one spec side by side."""

    def __init__(self, spec: Spec, model: Model, level: int) -> None:
        self.spec, self.model, self.tally = spec, model, Tally(specs=1)
        self.program = Program(model)
        self.code = MachineCode(self.program, level)
        self.steps: list[tuple[Cells, str, Cells]] = []

    def run(self, most: int) -> Tally:
        """Compare on at most so many states."""
        reached: dict[Cells, None] = {}
        random = Random(most)
        todo = initial(self.spec)[: most // 2]
        todo += [arbitrary(self.spec, random) for _ in range(most // 2)]
        expected: list[tuple[list[tuple[str, Cells]], int]] = []
        while todo and len(reached) < most:
            cells = todo.pop(0)
            if cells in reached:
                continue
            reached[cells] = None
            found, errors = self._actions(cells)
            expected.append((found, errors))
            self.steps += [(cells, name, after) for name, after in found]
            todo += [after for _, after in found]
        states = list(reached)
        for function in self.code.expansions:
            self._machine_code(states, expected, function)
        self._properties(states, [(cells, after) for cells, _, after in self.steps[: 4 * most]])
        self.tally.states += len(states)
        return self.tally

    # -- actions -------------------------------------------------------------------------------------------

    def _actions(self, cells: Cells) -> tuple[list[tuple[str, Cells]], int]:
        """The steps out of a state, on which the concrete run and the interpreter agree, and how many fail."""
        if self.model.layout.unpack(self.model.layout.pack(cells)) != cells:
            raise Mismatch(f"the layout does not keep {cells}")
        steps, errors = [], 0
        for traced in self.model.actions:
            concrete = list(self._concrete(cells, traced.instance))
            read = [self._interpreted(o) for _, o in outcomes(traced.tree, cells)]
            if concrete != read:
                raise Mismatch(self._report(cells, str(traced.instance), concrete=concrete, interpreter=read))
            steps += [(traced.instance.name, o[1]) for o in concrete if o[0] == "step"]
            errors += sum(o[0] == "error" for o in concrete)
        self.tally.successors += len(steps)
        self.tally.errors += errors
        return steps, errors

    def _concrete(self, cells: Cells, instance: Any) -> Iterator[Outcome]:
        for step in attempts(self.spec, State(self.spec.domains, cells), instance):
            yield _failed(step.error) if isinstance(step, StepFailed) else ("step", step.state.cells)

    def _interpreted(self, outcome: Any) -> Outcome:
        return _failed(outcome) if isinstance(outcome, CheckedError) else ("step", outcome)

    def _machine_code(
        self, states: list[Cells], expected: list[tuple[list[tuple[str, Cells]], int]], function: str
    ) -> None:
        found, counters = self.code.expand(states, function)
        for cells, (steps, _), native in zip(states, expected, found, strict=True):
            if steps != native:
                raise Mismatch(self._report(cells, f"the expansion by {function}", interpreter=steps, native=native))
        numbers, program = self.program.counters, self.program
        counts = {
            "generated": sum(len(s) for s, _ in expected),
            "faults": sum(e for _, e in expected),
            "deadlocks": sum(not s and not e for s, e in expected),
        }
        counted = {name: int(counters[getattr(numbers, name)]) for name in counts}
        for i, name in enumerate(program.action_names):
            taken = [sum(n == name for n, _ in s) for s, _ in expected]
            counts[f"taken {name}"], counts[f"enabled {name}"] = sum(taken), sum(map(bool, taken))
            counted[f"taken {name}"] = int(counters[numbers.taken(i)])
            counted[f"enabled {name}"] = int(counters[numbers.enabled(i)])
        if counts != counted:
            raise Mismatch(f"counters: expected {counts}, native {counted}")

    # -- properties ----------------------------------------------------------------------------------------

    def _properties(self, states: list[Cells], steps: list[tuple[Cells, Cells]]) -> None:
        alone: list[tuple[Cells, Cells | None]] = [(s, None) for s in states]
        pairs: list[tuple[Cells, Cells | None]] = [(after, before) for before, after in steps]
        for prop in self.model.properties:
            for cells, before in pairs if prop.kind == "step invariant" else alone:
                self._property(prop, cells, before)
        self._watches(states, steps)
        self._needs()
        for cells, inside in zip(states, self.code.inside(states), strict=True):
            if inside != all(map(Valuation(cells), self.model.inside)):
                raise Mismatch(self._report(cells, "the constraints", interpreter=not inside, native=inside))

    def _property(self, prop: TracedProperty, cells: Cells, before: Cells | None) -> None:
        state = State(self.spec.domains, cells)
        try:
            earlier = None if before is None else State(self.spec.domains, before)
            concrete: Outcome = ("value", evaluate(self.spec, prop.name, state, earlier).value)
        except CheckedError as error:
            concrete = _failed(error)
        value = Valuation(cells, before or ())
        errors = [_failed(error) for condition, error in prop.errors if value(condition)]
        read = errors[0] if errors else ("value", bool(value(prop.term)))
        if len(errors) > 1 or concrete != read:
            where = f"{prop.name} after {before}" if before else prop.name
            raise Mismatch(self._report(cells, where, concrete=concrete, interpreter=errors or read))
        self.tally.verdicts += 1

    def _watches(self, states: list[Cells], steps: list[tuple[Cells, Cells]]) -> None:
        before, after = [b for b, _ in steps], [a for _, a in steps]
        for i, watch in enumerate(self.program.watches()):
            step = i >= len(self.program.state_watches)
            now, then = (after, before) if step else (states, states)
            if not now:
                continue
            native = self.code.flags(i, now, then)
            for cells, earlier, flag in zip(now, then, native, strict=True):
                if flag != bool(Valuation(cells, earlier)(watch.term)):
                    name = self.model.properties[watch.index].name if watch.kind != "antecedent" else "antecedent"
                    raise Mismatch(self._report(cells, f"{watch.kind} {name}", interpreter=not flag, native=flag))

    def _needs(self) -> None:
        """A watch keeps its value in a step of an action that the program says it does not need."""
        for cells, name, after in self.steps:
            action, now, then = self.program.action_names.index(name), Valuation(after), Valuation(cells)
            for group in self.program.state_groups:
                if action not in group.needs and any(now(w) != then(w) for w in self._terms(group.watches)):
                    raise Mismatch(self._report(cells, f"{name} changes a watch that does not need it", after=after))

    def _terms(self, watches: tuple[int, ...]) -> list[Any]:
        return [self.program.state_watches[w].term for w in watches]

    def _report(self, cells: Cells, what: str, **found: Any) -> str:
        shown = str(State(self.spec.domains, cells)).replace("\n", "; ")
        sides = "\n".join(f"  {name}: {value}" for name, value in found.items())
        return f"{what} differs in the state {shown}\n  cells: {cells}\n{sides}"
