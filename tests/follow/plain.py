"""A language of specs in two hundred lines, without a line of Everystate's: the same source text runs here and there.

`Plain(source)` executes the source of a small spec with its own `Spec`, `Int`, `require` and so on. A state is a tuple
of frozen values; `steps` gives those of one instance with what they chose, and what stopped it where there is none.
"""

from __future__ import annotations

import enum
import itertools
import sys
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from typing import Any

Json = Any
State = tuple[Any, ...]


class Fault(Exception):
    """An error of the spec: a value outside of its domain, an index that is not there."""


class Stop(Exception):
    """A guard, or a choice from nothing; where that was."""

    def __init__(self, line: int, choice: bool = False) -> None:
        super().__init__(line)
        self.line, self.choice = line, choice


class Int:
    def __init__(self, lo: int, hi: int, init: Any = None) -> None:
        self.all: list[Any] = list(range(lo, hi + 1))
        self.init = self.all[:1] if init is None else self.all if init == "any" else [init]

    def make(self, value: Any) -> Any:
        if value not in self.all or isinstance(value, bool) != isinstance(self.all[0], bool):
            raise Fault
        return value


class Bool(Int):
    def __init__(self, init: Any = None) -> None:
        self.all = [False, True]
        self.init = self.all[:1] if init is None else self.all if init == "any" else [init]


class Enum(Int):
    def __init__(self, cls: Any) -> None:
        self.all = list(cls)
        self.init = self.all[:1]


class Option(Int):
    def __init__(self, inner: Any) -> None:
        self.all = [None, *inner.all]
        self.init = [None]


class Kept(list[Any]):
    """A sequence of bounded length, or an array of fixed length."""

    def __init__(self, items: list[Any], inner: Any, most: int) -> None:
        super().__init__(items)
        self.inner, self.most = inner, most

    def append(self, value: Any) -> None:
        if len(self) == self.most:
            raise Fault
        super().append(self.inner.make(value))

    def popleft(self) -> Any:
        return self.pop(0)

    def __setitem__(self, at: Any, value: Any) -> None:
        super().__setitem__(at, self.inner.make(value))


class Seq:
    def __init__(self, inner: Any, most: int) -> None:
        self.inner, self.most, self.init = inner, most, [list[Any]()]
        self.all = [list(x) for n in range(most + 1) for x in itertools.product(inner.all, repeat=n)]

    def make(self, value: Any) -> Any:
        return Kept(list(value), self.inner, self.most)


class Array(Seq):
    def __init__(self, most: int, inner: Any) -> None:
        self.inner, self.most, self.init = inner, most, [[inner.all[0]] * most]
        self.all = [list(x) for x in itertools.product(inner.all, repeat=most)]


class Set:
    def __init__(self, members: Any) -> None:
        self.members, self.init = list(members), [set[Any]()]
        self.all = [{m for m, on in zip(self.members, x, strict=True) if on} for x in _truths(len(self.members))]

    def make(self, value: Any) -> Any:
        if not set(value) <= set(self.members):
            raise Fault
        return set(value)


class Map:
    def __init__(self, keys: list[Any], inner: Any) -> None:
        self.keys, self.inner, self.init = keys, inner, [dict.fromkeys(keys, inner.all[0])]
        self.all = [dict(zip(keys, x, strict=True)) for x in itertools.product(inner.all, repeat=len(keys))]

    def make(self, value: Any) -> Any:
        return dict(value)


class Record:
    """Its fields have their domains in the class."""

    def __init__(self, **values: Any) -> None:
        for name, value in values.items():
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, type(self).domains()[name].make(value))

    def __eq__(self, other: object) -> bool:
        return bool(frozen(self) == frozen(other))

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def domains(cls) -> dict[str, Any]:
        return {name: each for name, each in vars(cls).items() if hasattr(each, "make")}


class Records:
    """The domain of a record class."""

    def __init__(self, cls: Any) -> None:
        self.cls = cls
        parts = cls.domains()
        self.all = [
            cls(**dict(zip(parts, x, strict=True))) for x in itertools.product(*(p.all for p in parts.values()))
        ]
        self.init = self.all[:1]

    def make(self, value: Any) -> Any:
        return deepcopy(value)


def _truths(n: int) -> Iterator[tuple[bool, ...]]:
    return itertools.product([False, True], repeat=n)


class Spec:
    """Variables are checked where they are assigned."""

    def __setattr__(self, name: str, value: Any) -> None:
        domains = self.__dict__.setdefault("domains", {})
        if name in domains:
            self.__dict__[name] = domains[name].make(value)
        elif isinstance(value, type):
            domains[name] = Records(value)
        else:
            domains[name] = value


class Plain:
    """A spec in source text."""

    def __init__(self, source: str) -> None:
        self.lines = source.splitlines()
        self.script: list[int] = []
        self.counts: list[int] = []
        self.chosen: list[Any] = []
        names: dict[str, Any] = {
            each.__name__: each for each in (Int, Bool, Enum, Option, Seq, Array, Set, Map, Record, Spec)
        }
        names |= {"require": self._require, "choose": self._choose, "action": self._action, "AnyOf": lambda: "any"}
        names |= {"enum": enum, "__name__": "plain", "reachable": lambda method: method, "action_constraint": _bound}
        self.parameters: dict[str, dict[str, Any]] = {}
        body = source.replace("from everystate.checker import", "_ =")
        exec(compile(body, "plain", "exec"), names)
        self.names, self.cls = names, names["Generated"]
        spec = self.cls()
        spec.variables()
        self.domains: dict[str, Any] = spec.__dict__["domains"]
        self.instances = [
            (name, dict(zip(given, values, strict=True)))
            for name, given in self.parameters.items()
            for values in itertools.product(*given.values())
        ]
        self.bounds = [each for each in vars(self.cls).values() if getattr(each, "bound", False)]
        self._known: dict[tuple[State, int], tuple[list[tuple[tuple[Any, ...], State | None]], list[Stop]]] = {}

    def initial(self) -> set[State]:
        return {
            tuple(frozen(value) for value in values)
            for values in itertools.product(*(domain.init for domain in self.domains.values()))
        }

    def opened(self, state: State) -> Any:
        """An object with the values of a state."""
        spec = self.cls.__new__(self.cls)
        spec.__dict__["domains"] = self.domains
        for (name, domain), value in zip(self.domains.items(), state, strict=True):
            spec.__dict__[name] = domain.make(thawed(value))
        return spec

    def steps(self, state: State, number: int) -> tuple[list[tuple[tuple[Any, ...], State | None]], list[Stop]]:
        """(what each way chose, the state after it or None for an error), and what stopped the other ways."""
        if (state, number) not in self._known:
            self._known[state, number] = self._ways(state, number)
        return self._known[state, number]

    def _ways(self, state: State, number: int) -> tuple[list[tuple[tuple[Any, ...], State | None]], list[Stop]]:
        name, given = self.instances[number]
        found: list[tuple[tuple[Any, ...], State | None]] = []
        stops: list[Stop] = []
        self.script = []
        while True:
            spec, self.counts, self.chosen = self.opened(state), [], []
            try:
                getattr(spec, name)(**given)
                after = tuple(frozen(spec.__dict__[name]) for name in self.domains)
                if all(bound(spec, self.opened(state)) for bound in self.bounds):
                    found.append((tuple(self.chosen), after))
                else:
                    stops.append(Stop(0))
            except Stop as stop:
                stops.append(stop)
            except (Fault, IndexError, KeyError, TypeError):
                found.append((tuple(self.chosen), None))
            del self.script[len(self.counts) :]
            while self.script and self.script[-1] + 1 == self.counts[len(self.script) - 1]:
                self.script.pop()
            if not self.script:
                return found, stops
            self.script[-1] += 1

    def value(self, state: State, read: Callable[[Any], Any]) -> Json:
        """What is read of a state; Fault where it is not there."""
        try:
            return told(read(self.opened(state)))
        except (Fault, IndexError, KeyError, TypeError, AttributeError):
            raise Fault from None

    # -- statements ----------------------------------------------------------------------------------------

    def _action(self, *method: Any, **given: Any) -> Any:
        def noted(function: Any) -> Any:
            self.parameters[function.__name__] = {
                name: list[Any](values) if isinstance(values, (range, list, enum.EnumMeta)) else values.all
                for name, values in given.items()
            }
            return function

        return noted(*method) if method else noted

    def _require(self, truth: Any) -> None:
        if not truth:
            raise Stop(_line())

    def _choose(self, members: Any) -> Any:
        options = list(dict.fromkeys(sorted(members) if isinstance(members, set) else members))
        if not options:
            raise Stop(_line(), choice=True)
        at = len(self.counts)
        if at == len(self.script):
            self.script.append(0)
        self.counts.append(len(options))
        self.chosen.append(options[self.script[at]])
        return options[self.script[at]]


def _bound(method: Any) -> Any:
    method.bound = True
    return method


def _line() -> int:
    return sys._getframe(2).f_lineno


def frozen(value: Any) -> Any:
    """A value that can be compared and kept."""
    if isinstance(value, Record):
        return ("record", type(value), tuple(frozen(getattr(value, name)) for name in type(value).domains()))
    if isinstance(value, list):
        return ("list", tuple(map(frozen, value)))
    if isinstance(value, (set, frozenset)):
        return ("set", frozenset(value))
    if isinstance(value, dict):
        return ("map", tuple((key, frozen(part)) for key, part in value.items()))
    return value


def thawed(value: Any) -> Any:
    """The value itself."""
    match value:
        case ("record", cls, parts):
            return cls(**dict(zip(cls.domains(), map(thawed, parts), strict=True)))
        case ("list", parts):
            return [thawed(part) for part in parts]
        case ("set", members):
            return set(members)
        case ("map", pairs):
            return {key: thawed(part) for key, part in pairs}
    return value


def told(value: Any) -> Json:
    """A value as a log tells it."""
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, Record):
        return {name: told(getattr(value, name)) for name in type(value).domains()}
    if isinstance(value, (set, frozenset)):
        return sorted((told(each) for each in value), key=repr)
    if isinstance(value, Mapping):
        return {str(key): told(part) for key, part in value.items()}
    return [told(each) for each in value] if isinstance(value, (list, tuple)) else value
