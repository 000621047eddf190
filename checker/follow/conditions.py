"""Conditions: what an event says of a state, as a comparison of packed states or as a method that is called."""

from __future__ import annotations

import inspect
import itertools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import CodeType
from typing import Any

import numpy as np

from ..errors import CheckedError, EverystateError, describe, suggestion
from ..ir.layout import Layout
from ..language.concrete import ValuesFrame, as_checked, outcome
from ..language.concrete_machine import ConcreteMachine
from ..language.domains import Domain, Piece, Structure, shown
from ..language.forms import Mismatch, brief
from ..language.machine import Disabled, executing
from ..language.methods import function_of
from ..language.spec import Spec
from ..language.state import State
from .calls import Called, called
from .events import Json, Place
from .values import as_plain, read, same

REMEMBERED = 1 << 18
"""Values of methods that are kept."""
DOUBTS = 1_000
"""Values of methods that are asked for once more, at most."""
_ANOTHER, _OF_THE_STATE = "evaluated again on the same state it has another value", "let it depend on the state only"
_CHANGES = (
    "what an event calls looks at a state, and this one changes it",
    "compute a new value, and leave variables alone",
)
PART = re.compile(r"\.(?P<field>\w+)|\[(?P<key>[^\]]*)\]")


@dataclass(frozen=True)
class Spot:
    """Where a path of a spec points to: a domain, its first cell, and what must hold for it to be there at all.

    `needs` are (cell, least value): that an option is present, that a sequence is long enough.
    """

    domain: Domain
    cell: int
    needs: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Equal:
    """That packed states have certain cells: `mask` covers them, `wanted` are they; `least` are bounds from below."""

    path: str
    data: Json
    mask: Any
    wanted: Any
    least: tuple[tuple[int, int, int, int], ...]

    def holds(self, states: Any) -> Any:
        """Where it holds, as an array of truths."""
        found = ((states & self.mask) == self.wanted).all(axis=1)
        for word, shift, bits, value in self.least:
            found &= ((states[:, word] >> np.uint64(shift)) & np.uint64(bits)) >= np.uint64(value)
        return found


@dataclass(frozen=True)
class Observed:
    """That a method of the spec, or a function beside it, gives a value, on plain Python."""

    path: str
    data: Json
    reader: Reader

    def holds(self, states: Any) -> Any:
        """Where it holds, as an array of truths."""
        return np.array([self.reader.gives(self.path, row, self.data) for row in states], bool)


Condition = Equal | Observed


class Reader:
    """Makes conditions from what events say, and reads states for people.

    `functions` can be observed as methods of the spec can; each takes the spec first.
    """

    def __init__(self, spec: Spec, layout: Layout, functions: Mapping[str, Callable[..., Any]] | None = None) -> None:
        self.spec, self.layout, self.functions = spec, layout, functions or {}
        self._starts: dict[str, int] = {}
        at = 0
        for name, domain in spec.domains.items():
            self._starts[name], at = at, at + domain.size
        self._spots: dict[str, Spot] = {}
        self._calls: dict[str, Called] = {}
        self._known: dict[tuple[str, str], Condition] = {}
        self._values: dict[tuple[str, bytes], Any] = {}
        self._doubts = DOUBTS

    def conditions(self, values: Mapping[str, Json], place: Place) -> list[Condition]:
        """The conditions that an event tells; E441 for what the spec does not have."""
        found = []
        for path, data in values.items():
            key = (path, repr(data))
            condition = self._known.get(key)
            if condition is None:
                condition = self._condition(path, data, place)
                if len(self._known) < REMEMBERED:
                    self._known[key] = condition
            found.append(condition)
        return found

    def _condition(self, path: str, data: Json, place: Place) -> Condition:
        try:
            if path.endswith(")"):
                self._calls[path] = called(self.spec, self.functions, path)
                return Observed(path, data, self)
            spot = self.spot(path)
            cells: list[int] = []
            spot.domain.encode(read(spot.domain, data), cells)
        except Mismatch as error:
            raise EverystateError("E441", None, place=place, what=f"{path}: {error}", spec=self._name) from None
        mask, wanted = np.zeros(self.layout.words, np.uint64), np.zeros(self.layout.words, np.uint64)
        for field, value in zip(self.layout.fields[spot.cell : spot.cell + spot.domain.size], cells, strict=True):
            mask[field.word] |= np.uint64(((1 << field.width) - 1) << field.shift)
            wanted[field.word] |= np.uint64((value - field.lo) << field.shift)
        least = []
        for cell, bound in spot.needs:
            field = self.layout.fields[cell]
            least.append((field.word, field.shift, (1 << field.width) - 1, max(0, bound - field.lo)))
        return Equal(path, data, mask, wanted, tuple(least))

    @property
    def _name(self) -> str:
        return type(self.spec).__name__

    # -- paths ---------------------------------------------------------------------------------------------

    def spot(self, path: str) -> Spot:
        """Where a path points to; Mismatch when the spec has no such thing."""
        if path not in self._spots:
            self._spots[path] = self._find(path)
        return self._spots[path]

    def _find(self, path: str) -> Spot:
        name = re.match(r"\w*", path)
        assert name is not None, "the pattern matches the empty string"
        if name[0] not in self._starts:
            raise Mismatch(f"there is no variable {name[0]!r}{suggestion(name[0], self._starts)}")
        spot, at = Spot(self.spec.domains[name[0]], self._starts[name[0]]), name.end()
        while at < len(path):
            part = PART.match(path, at)
            if part is None:
                raise Mismatch(f"{path[at:]!r} is neither .field nor [index]")
            spot, at = _inside(_present(spot), part["field"], part["key"]), part.end()
        return spot

    # -- methods -------------------------------------------------------------------------------------------

    def gives(self, path: str, row: Any, data: Json) -> bool:
        """Whether a method gives what a log says, in a packed state; one that fails does not."""
        found = self.value(path, row)
        return not isinstance(found, CheckedError) and same(found, data)

    def value(self, path: str, row: Any) -> Any:
        """What a path or a method is in a packed state; an error of the spec where the method fails."""
        state = State(self.spec.domains, self.layout.unpack(row.tolist()))
        if not path.endswith(")"):
            spot = self.spot(path)
            if any(state.cells[cell] < bound for cell, bound in spot.needs):
                return None
            return spot.domain.decode(state.cells, spot.cell)
        key = (path, row.tobytes())
        if key not in self._values:
            if len(self._values) >= REMEMBERED:
                self._values.clear()
            self._values[key] = self._called(path, state)
        return self._values[key]

    def cross_check(self) -> None:
        """Ask once more in up to so many states; E232 for what gives something else then."""
        asked = list(itertools.islice(self._values.items(), self._doubts))
        self._doubts -= len(asked)
        for (path, row), before in asked:
            state = State(self.spec.domains, self.layout.unpack(np.frombuffer(row, np.uint64).tolist()))
            if repr(self._called(path, state)) != repr(before):
                raise _refused(self._calls[path], path, _ANOTHER, _OF_THE_STATE)

    def _called(self, path: str, state: State) -> Any:
        found, call, values = list[Any](), self._calls[path], state.opened()
        with executing(ConcreteMachine()), self.spec._reading(ValuesFrame(self.spec, values)):
            error = outcome(lambda: found.append(as_plain(call())))
        if State.of(self.spec, values) != state:
            raise _refused(call, path, *_CHANGES)
        return found[0] if found else as_checked(error) if isinstance(error, Disabled) else error

    def difference(self, condition: Condition, row: Any) -> str:
        """How a state differs from what an event says, in words."""
        found = self.value(condition.path, row)
        if isinstance(found, CheckedError):
            return f"{condition.path} fails: {found.what}"
        return f"{condition.path} is {brief(as_plain(found))}, the log says {brief(condition.data)}"


def _refused(call: Called, path: str, reason: str, remedy: str) -> EverystateError:
    """E232 for what an event calls, told where that was written."""
    code = getattr(inspect.unwrap(function_of(getattr(call, "func", call))), "__code__", None)
    where = describe(code.co_filename, code.co_firstlineno, code.co_name) if isinstance(code, CodeType) else None
    return EverystateError("E232", where, expression=path, reason=reason, remedy=remedy)


def _present(spot: Spot) -> Spot:
    """What an option holds, provided that it holds something."""
    if spot.domain.shape != "option":
        return spot
    return _part(spot, [*spot.domain.pieces()][1])


def _part(spot: Spot, piece: Piece) -> Spot:
    needs = () if piece.exists is None else ((spot.cell + piece.exists[0], piece.exists[1] + 1),)
    return Spot(piece.domain, spot.cell + piece.at, (*spot.needs, *needs))


def _inside(spot: Spot, field: str | None, key: str | None) -> Spot:
    """A part of a value; Mismatch when it has no such part."""
    path, domain = f".{field}" if field is not None else f"[{key}]", spot.domain
    pieces = {piece.path: piece for piece in domain.pieces()}
    if path in pieces:
        return _part(spot, pieces[path])
    if field is not None and isinstance(domain, Structure):
        raise Mismatch(f"{domain.cls.__name__} has no field {field!r}{suggestion(field, domain.fields)}")
    keys = [piece.key for piece in pieces.values() if piece.path.startswith("[")]
    if key is None or not keys:
        raise Mismatch(f"{domain} has no part {path}")
    if domain.shape == "pairs":
        raise Mismatch(f"{key} is no key{suggestion(key, map(shown, keys))}")
    raise Mismatch(f"{path} is no index below {len(keys)}")
