"""State: one immutable state of a spec, readable by people and comparable by value."""

from __future__ import annotations

from typing import Any, Protocol

from .domains import Domain


class HasVariables(Protocol):
    """The interface of a spec that a state uses."""

    @property
    def domains(self) -> dict[str, Domain]:
        """The domain of every variable, in the order of declaration."""


class State:
    """A state of a spec, which never changes: `state.name` is the value of a variable, and printing it shows them all.

    States with equal values are equal, and may be members of sets and keys. A name that is no variable raises
    AttributeError.

        first = Counter().initial_states()[0]
        assert first.n == 0 and len({first, *Counter().initial_states()}) == 1
    """

    __slots__ = ("cells", "domains")

    def __init__(self, domains: dict[str, Domain], cells: tuple[int, ...]) -> None:
        self.domains, self.cells = domains, cells

    @classmethod
    def of(cls, spec: HasVariables, values: dict[str, Any]) -> State:
        """The state in which every variable has the given, valid value."""
        if isinstance(values, DecodedValues):
            return values.state()
        out: list[int] = []
        for name, domain in spec.domains.items():
            domain.encode(values[name], out)
        return cls(spec.domains, tuple(out))

    def values(self) -> dict[str, Any]:
        """Fresh values of all variables."""
        at, found = 0, {}
        for name, domain in self.domains.items():
            found[name] = domain.decode(self.cells, at)
            at += domain.size
        return found

    def opened(self) -> DecodedValues:
        """Fresh values of all variables, each decoded when it is first read."""
        return DecodedValues(self)

    def value(self, name: str) -> Any:
        """A fresh value of one variable, whatever its name is; KeyError where there is none."""
        at = 0
        for known, domain in self.domains.items():
            if known == name:
                return domain.decode(self.cells, at)
            at += domain.size
        raise KeyError(name)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.value(name)
        except KeyError:
            known = ", ".join(self.domains)
            raise AttributeError(f"the state has no variable {name!r}; it has {known}") from None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.cells == other.cells

    def __hash__(self) -> int:
        return hash(self.cells)

    def shown(self) -> dict[str, str]:
        """Every variable's value as people write it."""
        return {name: self.domains[name].show(value) for name, value in self.values().items()}

    def __str__(self) -> str:
        return "\n".join(f"{name} = {text}" for name, text in self.shown().items())

    __repr__ = __str__

    def __reduce__(self) -> tuple[Any, ...]:
        return (State, (self.domains, self.cells))


class DecodedValues(dict[str, Any]):
    """The values of a state, decoded one by one: most actions are disabled after reading few variables."""

    def __init__(self, state: State) -> None:
        self._state = state

    def __missing__(self, name: str) -> Any:
        found = self[name] = self._state.value(name)
        return found

    def state(self) -> State:
        """The state of these values; values that were never read are unchanged."""
        at = 0
        out: list[int] = []
        cells = self._state.cells
        for name, domain in self._state.domains.items():
            if name in self:
                domain.encode(self[name], out)
            else:
                out.extend(cells[at : at + domain.size])
            at += domain.size
        return State(self._state.domains, tuple(out))


class Copied(dict[str, Any]):
    """The same values, none of them shared, each copied when it is first read: a text for readers reads few."""

    def __init__(self, spec: HasVariables, values: dict[str, Any]) -> None:
        self._domains, self._values = spec.domains, values

    def __missing__(self, name: str) -> Any:
        found = self[name] = self._domains[name].make(self._values[name])
        return found
