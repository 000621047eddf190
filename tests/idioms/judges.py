"""Three judges of one spec: machine code, the spec as plain Python, and CPython over plain data."""

from __future__ import annotations

import enum
import sys
import types
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from everystate.checker import Record, Spec
from everystate.checker.backends.interpreter import Valuation, outcomes
from everystate.checker.backends.native import Program
from everystate.checker.errors import CheckedError, EverystateError
from everystate.checker.frontend.model import build
from everystate.checker.ir.traced import Model
from everystate.checker.language import State
from everystate.checker.language.bag import BagValue
from everystate.checker.language.concrete import StepFailed, attempts, evaluate
from everystate.checker.language.oversights import oversights
from tests.agreement.machine_code import MachineCode
from tests.agreement.readers import load
from tests.agreement.states import arbitrary

from . import plain

Cells = tuple[int, ...]
PROGRAMMING = (NameError, AttributeError, TypeError)


@dataclass
class Verdict:
    """What the judges say of a spec: agrees, differs, refused or invalid."""

    kind: str
    by: str = ""
    """Who differs from whom, or the code of the error with which it is refused."""
    cells: Cells = ()
    expected: str = ""
    actual: str = ""
    successors: int = 0
    errors: int = 0

    @property
    def signature(self) -> tuple[str, str]:
        """What stays the same while a body is made smaller."""
        return self.kind, self.by


class Differs(Exception):
    """Two judges differ in a state."""

    def __init__(self, by: str, cells: Cells, expected: Any, actual: Any) -> None:
        super().__init__(by)
        self.verdict = Verdict("differs", by, cells, str(expected), str(actual))


Sample = dict[Cells, Any]
"""States, each with its values as plain data."""


def states(source: str, folder: Path, number: int, seed: int) -> Sample:
    """The initial state and random ones, of which every second has the rare value."""
    spec, random = load(source, folder), Random(seed)
    found = dict.fromkeys([spec.initial_states()[0].cells])
    for i in range(number):
        cells = arbitrary(spec, random)
        found[(*cells[:-1], 2) if i % 2 else cells] = None
    plainly = PlainData(spec)
    return {cells: plainly(cells) for cells in found}


class PlainData:
    """The values of states as plain data; equal values of a variable are computed once."""

    def __init__(self, spec: Spec) -> None:
        self._domains, self._known, self._slices, at = spec.domains, dict[tuple[int, Cells], Any](), list[slice](), 0
        for domain in spec.domains.values():
            self._slices.append(slice(at, at + domain.size))
            at += domain.size

    def __call__(self, cells: Cells) -> tuple[Any, ...]:
        found, names = [], list(self._domains)
        for number, part in enumerate(self._slices):
            key = number, cells[part]
            if key not in self._known:
                self._known[key] = neutral(State(self._domains, cells).value(names[number]))
            found.append(self._known[key])
        return tuple(found)


def judge(source: str, folder: Path, sample: Sample) -> Verdict:
    """Compare all judges on some states."""
    spec, cells = load(source, folder), list(sample)
    truth = _cpython(spec, source, sample)
    mistake = next(
        (o for found in truth for o in found if isinstance(o, PROGRAMMING) and "NoneType" not in str(o)), None
    )
    if mistake is not None:
        return Verdict("invalid", type(mistake).__name__, actual=str(mistake))
    oversights(spec)  # first: if it changed the syntax tree, the compiler would read the changed one
    try:
        model = build(spec)
    except EverystateError as error:
        return Verdict("refused", error.code, cells[0], actual=f"{error.what} {error.why}")
    try:
        return _Comparison(spec, model, cells).run(truth)
    except Differs as found:
        return found.verdict


def _cpython(spec: Spec, source: str, sample: Sample) -> list[list[Any]]:
    """What CPython makes of each state: (value, state after)s and exceptions."""
    module = types.ModuleType("plainly")
    text = source.replace("from everystate.checker import *", f"from {plain.__name__} import *")
    sys.modules["plainly"] = module  # dataclasses look for it there
    exec(compile(text, "plainly.py", "exec", dont_inherit=True), module.__dict__)
    other = module.__dict__["Generated"]()
    given = [{}] if _is_property(spec) else [dict(i.arguments) for i in spec.instances]
    found = []
    for state in sample.values():
        found.append([o for arguments in given for o in plain.outcomes(other, partial(other.go, **arguments), state)])
    return found


def _is_property(spec: Spec) -> bool:
    return bool(spec.properties)


def neutral(value: Any) -> Any:
    """A value of a state as plain data."""
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, Record):
        return tuple(neutral(vars(value)[name]) for name in type(value).__match_args__)
    if isinstance(value, BagValue):
        return frozenset(value.items())
    if isinstance(value, dict):
        return tuple(map(neutral, value.values()))
    if isinstance(value, (set, frozenset)):
        return frozenset(map(neutral, value))
    return tuple(map(neutral, value)) if isinstance(value, (list, tuple)) else value


class _Comparison:
    def __init__(self, spec: Spec, model: Model, cells: list[Cells]) -> None:
        self.spec, self.model, self.cells = spec, model, cells
        self.code = MachineCode(Program(model))
        self.verdict, self.plainly = Verdict("agrees"), PlainData(spec)

    def run(self, truth: list[list[Any]]) -> Verdict:
        """Compare."""
        self.python: list[list[Any]] = []
        try:
            if _is_property(self.spec):
                self._property()
            else:
                self._actions()
        except EverystateError as error:
            refused = f"plain Python refuses: {error.code}"
            raise Differs(refused, self.cells[len(self.python)], "no error", f"{error.what} {error.why}") from None
        for cells, known, found in zip(self.cells, self.python, truth, strict=True):
            self._third(cells, known, found)
        return self.verdict

    def _state(self, cells: Cells) -> State:
        return State(self.spec.domains, cells)

    def _shown(self, cells: Cells, steps: list[Any]) -> str:
        """Errors, and what changes in steps."""
        before, texts = self._state(cells).shown(), []
        for step in steps:
            after = self._state(step).shown() if isinstance(step, tuple) and len(step) == len(cells) else None
            changes = ", ".join(f"{n} = {text}" for n, text in (after or {}).items() if text != before[n])
            texts.append(str(step) if after is None else changes or "nothing changes")
        return "; ".join(texts) or "no step"

    # -- machine code and plain Python ---------------------------------------------------------------------

    def _actions(self) -> None:
        native, counters = self.code.expand(self.cells, "expand")
        faults = 0
        for cells, steps in zip(self.cells, native, strict=True):
            state, found, errors = self._state(cells), list[Cells](), list[CheckedError]()
            for instance in self.spec.instances:
                for step in attempts(self.spec, state, instance):
                    errors += [step.error] if isinstance(step, StepFailed) else []
                    found += [] if isinstance(step, StepFailed) else [step.state.cells]
            self.python.append([*found, *errors])
            self.verdict.successors += len(found)
            if found != [successor for _, successor in steps] or (errors and self.verdict.errors < 40):
                self._errors(cells, found, errors)
                raw = [successor for _, successor in steps]
                if found != raw:
                    raise Differs(
                        "machine code and plain Python", cells, self._shown(cells, found), self._shown(cells, raw)
                    )
            self.verdict.errors += len(errors)
            faults += len(errors)
        if faults != int(counters[self.code.program.counters.faults]):
            for cells, known in zip(self.cells, self.python, strict=True):
                self._errors(
                    cells, [k for k in known if isinstance(k, tuple)], [k for k in known if not isinstance(k, tuple)]
                )
            raise Differs("the count of errors", self.cells[0], faults, counters[self.code.program.counters.faults])

    def _errors(self, cells: Cells, found: list[Cells], errors: list[CheckedError]) -> None:
        """Compare with the interpreter, which knows code and line of an error."""
        read = [o for traced in self.model.actions for _, o in outcomes(traced.tree, cells)]
        failed = [_error(o) for o in read if isinstance(o, CheckedError)]
        expected = list(map(_error, errors))
        if failed != expected:
            what = "the line of an error" if _codes(failed) == _codes(expected) else "an error"
            raise Differs(
                what,
                cells,
                self._shown(cells, [*expected, *found]),
                self._shown(cells, [*failed, *(o for o in read if isinstance(o, tuple))]),
            )

    def _property(self) -> None:
        [prop] = self.model.properties
        flags = [self.code.flags(i, self.cells) for i, _ in enumerate(self.code.program.watches())]
        watches = self.code.program.watches()
        for at, cells in enumerate(self.cells):
            try:
                expected: Any = bool(evaluate(self.spec, prop.name, self._state(cells)).value)
            except CheckedError as error:
                expected = error
            self.python.append([expected])
            failed = [w.error for w, f in zip(watches, flags, strict=True) if w.kind == "error" and f[at]]
            wrong = any(f[at] for w, f in zip(watches, flags, strict=True) if w.kind == "invariant")
            actual: Any = failed[0] if failed else not wrong
            self.verdict.successors += 1
            self.verdict.errors += isinstance(expected, CheckedError)
            if isinstance(expected, CheckedError) or isinstance(actual, CheckedError):
                one = _error(expected) if isinstance(expected, CheckedError) else expected
                two = _error(actual) if isinstance(actual, CheckedError) else actual
                if one != two:
                    what = (
                        "the line of an error"
                        if isinstance(one, tuple) and isinstance(two, tuple) and one[0] == two[0]
                        else "an error"
                    )
                    raise Differs(what, cells, one, two)
            elif expected != actual:
                raise Differs("machine code and plain Python", cells, expected, actual)
            if not failed and bool(Valuation(cells)(prop.term)) == wrong:
                raise Differs("interpreter and machine code", cells, not wrong, wrong)

    # -- CPython -------------------------------------------------------------------------------------------

    def _third(self, cells: Cells, known: list[Any], found: list[Any]) -> None:
        failed = any(isinstance(o, Exception) for o in found)
        if failed or any(isinstance(s, CheckedError) for s in known):
            if not failed or not any(isinstance(s, CheckedError) for s in known):
                error = [repr(o) for o in found if isinstance(o, Exception)] or ["no error"]
                raise Differs("plain Python and CPython, an error", cells, error, self._shown(cells, known))
        elif _is_property(self.spec):
            if bool(found[0][0]) != known[0]:
                raise Differs("plain Python and CPython", cells, found[0][0], known[0])
        else:
            one = {self.plainly(step) for step in known}
            if one != {state for _, state in found}:
                raise Differs("plain Python and CPython", cells, {state for _, state in found}, one)


def _error(error: CheckedError) -> tuple[str, int | None]:
    return error.code, error.where.line if error.where else None


def _codes(errors: list[tuple[str, int | None]]) -> list[str]:
    return [code for code, _ in errors]
