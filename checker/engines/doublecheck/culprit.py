"""Where a spec does something else on symbols than on values: the line at which the two executions part.

The spec is executed twice in one state, on values and on symbols that follow this state: what a symbol is asked is
answered by its value. As long as Python computes with symbols through their operators, both run through the same
lines. The last line that they have in common is where Python looked at a symbol in another way, or the line with which
both end.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from ...backends.interpreter import Valuation
from ...errors import EverystateError, Where, describe, is_ours
from ...ir.expr import Expr
from ...ir.facts import Facts
from ...ir.tracer import SymbolicFrame, Tracer
from ...language.concrete import ValuesFrame, before_step, following
from ...language.concrete_machine import ConcreteMachine
from ...language.declarations import ActionInstance, method_name, method_place
from ...language.machine import Disabled, executing
from ...language.spec import Spec
from ...language.state import State

Line = tuple[str, int, str]
LIBRARY = os.path.dirname(os.__file__) + os.sep
"""The lines of Python's own modules are nobody's mistake."""


def of_action(spec: Spec, state: State, instances: Sequence[ActionInstance]) -> Where | None:
    """The line at which an action goes another way; None when it goes none, on any choice."""
    for instance in instances:
        script: list[int] = []
        while True:
            machine = ConcreteMachine(script)
            method = spec.method(instance)
            values = _lines(spec, machine, ValuesFrame(spec, state.opened()), method)
            tracer = Following(spec, state, (), list(script))
            symbols = _lines(spec, tracer, tracer.frame, method)
            if values != symbols:
                return _parting(values, symbols)
            if not following(script, machine.counts):
                break
    return None


def of_property(spec: Spec, name: str, state: State, before: State | None) -> Where | None:
    """The line at which a property goes another way, else the one with which it ends."""
    method = spec.question(name)
    before = None if name in spec.refinements else before  # a mapping is asked for one state
    arguments = () if before is None else (before_step(spec, ValuesFrame(spec, before.opened())),)
    values = _lines(spec, ConcreteMachine([]), ValuesFrame(spec, state.opened()), lambda: method(*arguments))
    tracer = Following(spec, state, () if before is None else before.cells, [])
    earlier = () if before is None else (before_step(spec, SymbolicFrame(tracer, tracer.state(before=True))),)
    symbols = _lines(spec, tracer, tracer.frame, lambda: method(*earlier))
    return _parting(values, symbols)


def difference(spec: Spec, name: str, said: str, cells: Sequence[int], where: Where | None) -> EverystateError:
    """E217: an action or a property of a spec does something else on symbols than on values, in some state."""
    shown = State(spec.domains, tuple(cells)).shown()
    values = ", ".join(f"{variable} = {text}" for variable, text in shown.items())
    method = getattr(type(spec), method_name(name), None)
    place = where or (method_place(method) if callable(method) and not isinstance(method, type) else None)
    return EverystateError("E217", place, action=name, reason=f"{said}, with {values}")


def both(spec: Spec, symbols: Sequence[int], values: Sequence[int]) -> str:
    """The variables in which two successors differ, with both values."""
    one, other = (State(spec.domains, tuple(cells)).shown() for cells in (symbols, values))
    differ = [name for name in one if one[name] != other[name]]
    return "; ".join(f"{name} becomes {one[name]} on symbols, {other[name]} on values" for name in differ)


def _parting(values: list[Line], symbols: list[Line]) -> Where | None:
    """The last line that two executions have in common."""
    common = 0
    while common < min(len(values), len(symbols)) and values[common] == symbols[common]:
        common += 1
    return describe(*values[common - 1]) if common else None


def _lines(spec: Spec, machine: Any, frame: Any, body: Callable[[], object]) -> list[Line]:
    """The lines of the spec that a function runs through, until it ends or fails."""
    found: list[Line] = []

    def enter(frame: Any, event: str, argument: Any) -> Any:
        code = frame.f_code
        if is_ours(code.co_filename) or code.co_filename.startswith(LIBRARY):
            return None
        if event == "line":
            found.append((code.co_filename, frame.f_lineno, code.co_name))
        return enter

    outer = sys.gettrace()
    with executing(machine), spec.reading(frame):
        sys.settrace(enter)
        try:
            body()
        except (Exception, Disabled):
            pass  # where it failed is the last line
        finally:
            sys.settrace(outer)
    return found


class Following(Tracer):
    """An execution on symbols that takes the way of one state."""

    def __init__(self, spec: Spec, state: State, before: Sequence[int], script: list[int]) -> None:
        super().__init__(spec)
        self._valuation, self._script = Valuation(state.cells, before), script
        self.frame = SymbolicFrame(self, self.state())
        self._now = list(self.frame.cells)
        self._begin(Facts())

    def decide(self, term: Expr) -> bool:
        """What the condition is in this state."""
        return bool(self._valuation(term))

    def choose(self, given: Any, merged: bool = False) -> Any:
        """What the script says, of the alternatives that exist."""
        labels, alternative = self._alternatives(given, every=True)
        existing = [i for i in range(len(labels)) if self.decide(alternative(i)[0])]
        if not existing:
            raise Disabled
        return alternative(existing[self._script.pop(0) if self._script else 0])[1]()
