"""Assignments at a symbolic position: one shifted store instead of a conditional for every element.

`sequence.append(x)` and `array[i] = x` reach the IR as "element k becomes x if i = k, else stays" for every k.
Where the elements are equal fields at equal distances in one word, this finds the pattern again and stores x
at bit `first + (i - k0) * stride`, all fields of a record at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...ir.expr import Expr
from ...ir.layout import Field

if TYPE_CHECKING:
    from .terms import Terms

FEWEST = 3
Write = tuple[Field, Expr, int]


@dataclass(frozen=True)
class Store:
    """One cell of an indexed assignment: becomes `value` (None: true, a boolean) where index = position."""

    index: Expr
    position: int
    value: Expr | bool


@dataclass(frozen=True)
class IndexedStore:
    """A field that is assigned at every position first..first+count-1, `stride` bits apart."""

    index: Expr
    first: int
    count: int
    stride: int
    field: Field
    value: Expr | bool


def split(writes: Sequence[Write]) -> tuple[list[IndexedStore], list[Write]]:
    """The indexed stores among the writes to one word, and the writes that are none."""
    groups: dict[tuple[object, ...], list[tuple[Store, Write]]] = defaultdict(list)
    rest: list[Write] = []
    for write in writes:
        store = _parse(write[1], write[2])
        if store is None:
            rest.append(write)
        else:
            value = store.value if isinstance(store.value, bool) else store.value.id
            groups[store.index.id, type(store.value), value, write[0].width, write[0].lo].append((store, write))
    found: list[IndexedStore] = []
    for members in groups.values():
        runs = _runs(sorted(members, key=lambda m: m[0].position))
        for run in runs:
            regular = _regular(run)
            if regular is None:
                rest += [write for _, write in run]
            else:
                found.append(regular)
    return found, rest


def _parse(term: Expr, cell: int) -> Store | None:
    """A conditional assignment of a cell as a store; None when it has another form."""
    if term.op == "ite" and is_cell(term.args[2], cell):
        condition, value = term.args[0], term.args[1]
        return _store(condition, value)
    if term.op in ("or", "and") and len(term.args) == 2:
        others = [a for a in term.args if not is_cell(a, cell)]
        if len(others) == 1:
            condition = others[0]
            if term.op == "or":
                return _store(condition, True)
            if condition.op == "not":
                return _store(condition.args[0], False)
    return None


def is_cell(term: Expr, cell: int) -> bool:
    """Whether a term is the content of a cell."""
    return term.op == "var" and term.value == cell


def _store(condition: Expr, value: Expr | bool) -> Store | None:
    if condition.op != "eq" or condition.args[1].op != "const" or condition.args[0].boolean:
        return None
    return Store(condition.args[0], condition.args[1].value, value)


Member = tuple[Store, Write]


def _runs(members: list[Member]) -> list[list[Member]]:
    """Members at consecutive positions, whose fields may start anew (two arrays, one index)."""
    runs: list[list[Member]] = []
    by_position: dict[int, list[Member]] = defaultdict(list)
    for member in members:
        by_position[member[0].position].append(member)
    most = max(map(len, by_position.values()))
    if any(len(found) != most for found in by_position.values()):
        return [[m] for m in members]
    for row in range(most):
        runs.append([sorted(found, key=lambda m: m[1][0].shift)[row] for _, found in sorted(by_position.items())])
    return runs


def _regular(run: list[Member]) -> IndexedStore | None:
    if len(run) < FEWEST:
        return None
    first, second = run[0], run[1]
    stride = second[1][0].shift - first[1][0].shift
    for i, (store, write) in enumerate(run):
        if store.position != first[0].position + i or write[0].shift != first[1][0].shift + i * stride:
            return None
    if stride <= 0:
        return None
    return IndexedStore(first[0].index, first[0].position, len(run), stride, first[1][0], first[0].value)


def apply(terms: Terms, word: Any, stores: Sequence[IndexedStore]) -> Any:
    """The word after indexed stores; those at the same index and distance share one shift."""
    shared: dict[tuple[int, int, int, int], list[IndexedStore]] = defaultdict(list)
    for store in stores:
        shared[store.index.id, store.first, store.count, store.stride].append(store)
    for group in shared.values():
        word = _apply(terms, word, group)
    return word


def _apply(terms: Terms, word: Any, group: list[IndexedStore]) -> Any:
    b, const, head = terms.fn.b, terms.const, group[0]
    ahead = b.sub(terms(head.index), const(head.first)) if head.first else terms(head.index)
    inside = b.icmp_unsigned("<", ahead, const(head.count))
    distance = b.and_(b.mul(ahead, const(head.stride)), const(63))
    mask, value = 0, const(0)
    for store in group:
        bits = (1 << store.field.width) - 1
        mask |= bits << store.field.shift
        value = b.or_(value, _placed(terms, store))
    hole = b.select(inside, b.shl(const(mask), distance), const(0))
    filling = b.select(inside, b.shl(value, distance), const(0))
    return b.or_(b.and_(word, b.not_(hole)), filling)


def _placed(terms: Terms, store: IndexedStore) -> Any:
    const, field = terms.const, store.field
    if isinstance(store.value, bool):
        return const(int(store.value) << field.shift)
    return terms.placed(field, store.value)
