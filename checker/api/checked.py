"""A checked spec: the verdict in the words of the command line, the violations, the states and the graph."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..engines.limits import Limits
from ..errors import CheckedError
from ..ir.traced import Model
from ..language.spec import Spec
from ..pages import fragment
from ..results.report import counts, report, summary, verdict_line, violation_lines
from ..results.result import Result
from ..results.text import count
from ..results.verdict import Kind, Verdict
from .shown import Counterexample, counterexample, picture
from .states import States

MOST = 10_000
"""States of a graph, unless more are asked for."""


@dataclass(frozen=True, repr=False)
class Violated:
    """A property that fails: after how many steps (of a shortest trace), why, and the trace; a goal has none."""

    property: str
    kind: Kind
    length: int | None
    text: str
    trace: Counterexample | None
    error: CheckedError | None = None
    states: int = 0
    beyond: bool = False

    def __repr__(self) -> str:
        after = "" if self.length is None else f" after {count(self.length, 'step')}"
        return f"{self.property} violated{after}" + (f": {self.text}" if self.text else "")

    def _repr_html_(self) -> str:
        shown = picture(self.trace) if self.trace is not None else ""
        return fragment(f"{__package__}/violated.html", said=repr(self), trace=shown)


class Checked:
    """What a check found out; `result` has every number of it.

    `print(checked)` says what the command line says at the end: warnings, counts and the verdict with its bounds.
    """

    def __init__(self, result: Result, spec: Spec, model: Model | None, limits: Limits | None = None) -> None:
        self.result, self.spec = result, spec
        self._model, self._limits = model, limits or Limits()

    @property
    def verdict(self) -> Verdict:
        """PROVED, VIOLATED, UNDECIDED, or BOUNDED; a text, too: `checked.verdict == "PROVED"`."""
        return self.result.verdict

    @property
    def proved(self) -> bool:
        """Whether every reachable state within the bounds was visited and every property holds."""
        return self.verdict is Verdict.PROVED

    def __bool__(self) -> bool:
        return self.proved

    @property
    def statement(self) -> str:
        """The verdict as a sentence: what was proved, within which bounds, and how many states were cross-checked."""
        return verdict_line(self.result)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a verdict might hide."""
        return self.result.warnings

    @property
    def distinct(self) -> int:
        """Distinct states that were visited; orbits of states where the spec has interchangeable values."""
        return self.result.distinct

    @property
    def generated(self) -> int:
        """States that were generated, with those that were known already."""
        return self.result.generated

    @property
    def depth(self) -> int:
        """Levels of the search, that of the initial states included."""
        return self.result.depth

    @cached_property
    def violations(self) -> tuple[Violated, ...]:
        """Every violated property once, with a shortest trace."""
        return tuple(
            Violated(
                v.property, v.kind, v.length, v.text, counterexample(v.trace, self.spec), v.error, v.states, v.beyond
            )
            for v in self.result.violations
        )

    def violation(self, name: str) -> Violated:
        """The violation of a property; KeyError when it was not violated."""
        for found in self.violations:
            if found.property == name:
                return found
        raise KeyError(name)

    def trace(self, name: str = "") -> Counterexample:
        """The counterexample of a property, or the first one; KeyError when there is none."""
        for found in self.violations:
            if found.trace is not None and name in ("", found.property):
                return found.trace
        raise KeyError(name or "no property has a counterexample")

    def report(self) -> dict[str, Any]:
        """What `everystate check --json` writes."""
        return report(self.result)

    def states(self) -> States:
        """The reachable states within the bounds; visited again, one after another or as a table."""
        if self.result.engine == "z3":
            raise ValueError("z3 visits no states: check with the engine native")
        return States(self._model or self.spec, self._limits, self.result)

    def graph(self, most: int = MOST) -> Any:
        """The states and the steps between them as a networkx.MultiDiGraph; its nodes are numbers.

        ValueError where there are more than `most` states, or where the spec has changed since it was checked.
        """
        from everystate.counterexamples.graph import GraphLimits, state_graph

        if self.result.distinct > most:
            raise ValueError(f"{self.result.distinct:,} states are too many for a graph; most={most:,} allows no more")
        found = state_graph(self.spec, GraphLimits(most))
        same = found.number_of_nodes() == self.result.distinct
        complete = not self.result.stopped and self.result.engine != "z3"
        if complete and not same and not self.result.conditions.phrases() and not self._failed:
            said = f"{found.number_of_nodes():,} states now, {self.result.distinct:,} when it was checked"
            raise ValueError(f"{type(self.spec).__name__} has changed since it was checked: {said}")
        return found

    @property
    def _failed(self) -> bool:
        return any(violation.kind is Kind.ERROR for violation in self.result.violations)

    def __repr__(self) -> str:
        return summary(self.result).rstrip("\n")

    def _repr_html_(self) -> str:
        word, _, rest = self.statement.partition(" ")
        first = next((v.trace for v in self.violations if v.trace is not None), None)
        return fragment(
            f"{__package__}/checked.html",
            word=word,
            said=rest.strip(),
            counts=counts(self.result),
            warnings=self.result.warnings,
            violations=violation_lines(self.result),
            trace=picture(first) if first is not None else "",
        )
