"""Refinement: the spec that another one implements, and the mapping from states to its states.

A method marked @refines(Abstract) is the mapping: it returns a value for each variable of Abstract. `concrete` checks
it on values, `checker.ir` on terms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..errors import CheckedError, EverystateError
from .declarations import method_place
from .domains import Domain
from .state import HasVariables, State

Cells = tuple[int, ...]


class Abstract(HasVariables, Protocol):
    """The spec that is implemented."""

    @classmethod
    def _declared_constants(cls) -> dict[str, Any]: ...


@dataclass(frozen=True, eq=False)
class Refinement:
    """One mapping; `begins` and `goes_on` cache the initial states and steps of the abstract spec."""

    name: str
    method: Callable[..., Any]
    abstract: Any
    begins: set[Cells] = field(default_factory=set)
    goes_on: dict[Cells, frozenset[Cells]] = field(default_factory=dict)

    @property
    def of(self) -> str:
        """What the abstract spec is called."""
        return type(self.abstract).__name__

    def values(self, returned: Any) -> dict[str, Any]:
        """What the mapping returned, by variable of the abstract spec; E135 when one is missing or unknown."""
        domains: dict[str, Domain] = self.abstract.domains
        if not isinstance(returned, dict):
            raise self._wrong(f"returns {type(returned).__name__}, no dictionary")
        missing, unknown = [n for n in domains if n not in returned], [n for n in returned if n not in domains]
        if missing or unknown:
            parts = [f"gives no value for {', '.join(missing)}"] * bool(missing)
            parts += [f"names {', '.join(map(str, unknown))}, which {self.of} does not have"] * bool(unknown)
            raise self._wrong(" and ".join(parts))
        return {name: returned[name] for name in domains}

    def state(self, returned: Any) -> State:
        """The abstract state that the mapping returned; a value outside its domain is an error of the spec."""
        cells: list[int] = []
        for name, value in self.values(returned).items():
            domain = self.abstract.domains[name]
            try:
                domain.encode(domain.make(value), cells)
            except CheckedError as error:
                raise self.outside(error) from None
        return State(self.abstract.domains, tuple(cells))

    def outside(self, error: CheckedError) -> CheckedError:
        """The error for a value that the abstract spec cannot have, reported at the mapping."""
        return CheckedError(error.code, method_place(self.method), **error.facts)

    def _wrong(self, problem: str) -> EverystateError:
        wanted = ", ".join(f'"{name}": ...' for name in self.abstract.domains)
        facts = {"name": self.name, "abstract": self.of, "problem": problem, "remedy": f"return {{{wanted}}}"}
        return EverystateError("E135", method_place(self.method), **facts)


def refinement(spec: Any, name: str, method: Callable[..., Any], given: dict[str, Any], base: type) -> Refinement:
    """The refinement that a mark declares; constants of equal names are passed on, others may be given."""
    abstract, constants = given["abstract"], given["constants"]
    if not (isinstance(abstract, type) and issubclass(abstract, base)):
        named = getattr(abstract, "__name__", repr(abstract))
        facts = {
            "name": name,
            "abstract": named,
            "problem": "is no mapping to a spec",
            "remedy": "name a class of Spec",
        }
        raise EverystateError("E135", method_place(method), **facts)
    own = {n: spec.constants[n] for n in abstract._declared_constants() if n in spec.constants}  # type: ignore[attr-defined]
    constants = {n: value(spec) if callable(value) else value for n, value in constants.items()}
    return Refinement(name, method, abstract(**{**own, **constants}))
