"""The interface of the symbolic machine: what symbols and containers need from the executor of a spec.

The tracer implements it. Symbols need it to build terms and to decide conditions; containers also split off error paths
and register references to parts of the state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from ..errors import CheckedError
from ..language.domains import Domain
from ..language.machine import Machine
from .expr import Expr
from .facts import Path
from .places import Place
from .references import References


class SymbolicMachine(Machine, Path, Protocol):
    """Executes a spec on symbols, one path at a time."""

    references: References

    def decide(self, term: Expr) -> bool:
        """The value of a condition on this path; the path splits where it is open."""
        ...

    def check(
        self, term: Expr, error: Callable[[], CheckedError], raised: Callable[[], Exception] | None = None
    ) -> None:
        """Split off a path with a checked error where `term` may be false."""

    def concretize(self, term: Expr) -> int:
        """A number that Python must know: the path splits on every value."""
        ...

    def branched(self, term: Expr, then: Callable[[], list[Expr]], otherwise: Callable[[], list[Expr]]) -> list[Expr]:
        """The terms of one function where a condition holds, those of another elsewhere."""
        ...

    # -- from terms to values ------------------------------------------------------------------------------

    def integer(self, term: Expr) -> Any: ...

    def boolean(self, term: Expr) -> Any: ...

    def member(self, term: Expr, members: tuple[Any, ...]) -> Any: ...

    def load(self, domain: Domain, place: Place) -> Any: ...

    def plainly(self, value: Any) -> Any:
        """A plain Python collection from one with optional elements; the path splits."""
        ...

    def handed(self, domain: Domain, place: Place) -> Any:
        """The value of a domain as the spec gets it."""
        ...

    def compared(self, domain: Domain, place: Place) -> Any:
        """The value of a domain that is only compared."""
        ...

    # -- from values to terms ------------------------------------------------------------------------------

    def number(self, value: Any) -> Expr: ...

    def in_a_word(self, term: Expr) -> Expr: ...

    def truth(self, value: Any) -> Expr: ...

    def equal(self, left: Any, right: Any) -> Expr: ...

    def encode(self, domain: Domain, value: Any) -> list[Expr]: ...

    def stores(self, value: Any) -> None:
        """The state gets a copy of a value."""

    def replace(self, place: Place, domain: Domain, terms: list[Expr]) -> None: ...

    # -- from values to values -----------------------------------------------------------------------------

    def negated(self, value: Any) -> Any: ...

    def join(self, term: Expr, a: Any, b: Any) -> Any: ...
