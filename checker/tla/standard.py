"""The operators of the standard modules and of the community modules, on values."""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

from .values import (
    Function,
    Infinite,
    ModelValue,
    Sequences,
    Undefined,
    applied,
    as_set,
    bag,
    function,
    mapping,
    order,
    ordered,
    shown,
)


def _number(value: Any) -> int:
    if type(value) is not int:
        raise Undefined(f"{shown(value)} is not a number")
    return value


def _numeric(compute: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: compute(*map(_number, args))


def _sequence(value: Any) -> tuple[Any, ...]:
    if not isinstance(value, tuple):
        raise Undefined(f"{shown(value)} is not a sequence")
    return value


def _divided(a: int, b: int) -> int:
    if b <= 0 and b == 0:
        raise Undefined("division by zero")
    return a // b


def _head(s: Any) -> Any:
    if not _sequence(s):
        raise Undefined("Head of an empty sequence")
    return s[0]


def _tail(s: Any) -> Any:
    if not _sequence(s):
        raise Undefined("Tail of an empty sequence")
    return s[1:]


def _joined(f: Any, g: Any) -> Any:
    return function({**mapping(g), **mapping(f)})


def _permutations(of: Any) -> Any:
    members = ordered(of)
    return frozenset(function(dict(zip(members, p, strict=True))) for p in itertools.permutations(members))


def _permutation_sequences(of: Any) -> Any:
    return frozenset(itertools.permutations(ordered(of)))


def _asserted(value: Any, message: Any) -> bool:
    if value is not True:
        raise Undefined(f"Assert failed: {message}")
    return True


def _fold(op: Any, base: Any, items: Any) -> Any:
    return functools.reduce(lambda acc, x: op(x, acc), items, base)


def _same(a: Any, b: Any) -> bool:
    kinds = {type(a), type(b)}
    if kinds == {bool, int}:
        raise Undefined(f"{shown(a)} = {shown(b)}")
    return bool(a == b)


def _least(s: Any) -> Any:
    members = as_set(s)
    if not members:
        raise Undefined("Min of an empty set")
    return min(members)


def _largest(s: Any) -> Any:
    members = as_set(s)
    if not members:
        raise Undefined("Max of an empty set")
    return max(members)


def _is_injective(f: Any) -> bool:
    values = list(mapping(f).values())
    return len(set(values)) == len(values)


def _inverse(f: Any, s: Any, t: Any) -> Any:
    pairs = mapping(f)
    return function({v: next(k for k in ordered(s) if applied(pairs and f, k) == v) for v in t})


def _bag_add(a: Any, b: Any) -> Any:
    x, y = mapping(a), mapping(b)
    return bag({k: x.get(k, 0) + y.get(k, 0) for k in {**x, **y}})


def _bag_remove(a: Any, b: Any) -> Any:
    y = mapping(b)
    return bag({k: n - y.get(k, 0) for k, n in mapping(a).items()})


def _undirected(nodes: Any) -> Any:
    members = ordered(nodes)
    edges = [frozenset((a, b)) for a in members for b in members]
    return frozenset(
        Function({"node": frozenset(members), "edge": frozenset(some)})
        for n in range(len(set(edges)) + 1)
        for some in itertools.combinations(sorted(set(edges), key=order), n)
    )


def _paths_connect(graph: Any) -> Any:
    nodes, edges = as_set(graph.map["node"]), as_set(graph.map["edge"])
    found: dict[Any, set[Any]] = {n: {n} for n in nodes}
    for edge in edges:
        members = set().union(*(found[n] for n in edge))
        for n in members:
            found[n] = members
    return found


def _components(graph: Any) -> Any:
    return frozenset(frozenset(c) for c in _paths_connect(graph).values())


def _reverse(s: Any) -> Any:
    return tuple(reversed(_sequence(s)))


CONSTANTS: dict[str, Any] = {
    "Nat": Infinite("Nat"),
    "Int": Infinite("Int"),
    "Real": Infinite("Int"),
    "BOOLEAN": frozenset((True, False)),
    "STRING": Infinite("STRING"),
    "EmptyBag": bag({}),
    "IOEnv": (),
}

OPERATORS: dict[str, Callable[..., Any]] = {
    "=": _same,
    "/=": lambda a, b: not _same(a, b),
    "~": lambda a: not a,
    "<=>": lambda a, b: a == b,
    "+": _numeric(lambda a, b: a + b),
    "-": _numeric(lambda a, b: a - b),
    "-.": _numeric(lambda a: -a),
    "*": _numeric(lambda a, b: a * b),
    "^": _numeric(lambda a, b: a**b),
    "\\div": _numeric(_divided),
    "%": _numeric(lambda a, b: a % b),
    "<": _numeric(lambda a, b: a < b),
    ">": _numeric(lambda a, b: a > b),
    "<=": _numeric(lambda a, b: a <= b),
    ">=": _numeric(lambda a, b: a >= b),
    "^^": _numeric(operator.xor),
    "&": _numeric(operator.and_),
    "|": _numeric(operator.or_),
    "shiftR": _numeric(operator.rshift),
    "..": _numeric(lambda a, b: frozenset(range(a, b + 1))),
    "\\cap": lambda a, b: frozenset(x for x in a if x in b),
    "\\": lambda a, b: frozenset(x for x in as_set(a) if x not in b),
    "\\subseteq": lambda a, b: all(x in b for x in a),
    "\\subset": lambda a, b: all(x in b for x in a) and as_set(a) != as_set(b),
    "\\supseteq": lambda a, b: all(x in a for x in b),
    "Cardinality": lambda s: len(as_set(s)),
    "IsFiniteSet": lambda s: True,
    "Len": lambda s: len(_sequence(s)),
    "Head": _head,
    "Tail": _tail,
    "Append": lambda s, e: (*_sequence(s), e),
    "\\o": lambda s, t: _sequence(s) + _sequence(t),
    "SubSeq": lambda s, m, n: _sequence(s)[max(m - 1, 0) : max(n, 0)],
    "SelectSeq": lambda s, test: tuple(x for x in _sequence(s) if test(x)),
    "Seq": lambda s: Sequences(s),
    ":>": lambda k, v: function({k: v}),
    "@@": _joined,
    "Permutations": _permutations,
    "SortSeq": lambda s, less: tuple(
        sorted(_sequence(s), key=functools.cmp_to_key(lambda a, b: -1 if less(a, b) else 1 if less(b, a) else 0))
    ),
    "Assert": _asserted,
    "Print": lambda a, b: b,
    "PrintT": lambda a: True,
    "ToString": shown,
    "TLCEval": lambda a: a,
    "RandomElement": lambda s: ordered(s)[0],
    # FiniteSetsExt, Folds
    "FoldSet": lambda op, base, s: _fold(op, base, ordered(s)),
    "FoldLeft": lambda op, base, s: functools.reduce(op, s, base),
    "FoldRight": lambda op, s, base: _fold(op, base, reversed(s)),
    "FoldSeq": lambda op, base, s: _fold(op, base, s),
    "FoldFunction": lambda op, base, f: _fold(op, base, mapping(f).values()),
    "FoldFunctionOnSet": lambda op, base, f, s: _fold(op, base, [applied(f, k) for k in ordered(s)]),
    "MapThenFoldSet": lambda op, base, f, choose, s: _fold(op, base, [f(x) for x in ordered(s)]),
    "Sum": lambda s: sum(as_set(s)),
    "SumSet": lambda s: sum(as_set(s)),
    "Product": lambda s: math.prod(as_set(s)),
    "SumSeq": lambda s: sum(s),
    "SumFunction": lambda f: sum(mapping(f).values()),
    "SumFunctionOnSet": lambda f, s: sum(applied(f, k) for k in s),
    "MapThenSumSet": lambda f, s: sum(f(x) for x in s),
    "Quantify": lambda s, p: sum(bool(p(x)) for x in s),
    "kSubset": lambda k, s: frozenset(map(frozenset, itertools.combinations(ordered(s), k))),
    "Min": _least,
    "Max": _largest,
    "SymDiff": lambda a, b: as_set(a) ^ as_set(b),
    "ChooseUnique": lambda s, p: next(x for x in s if p(x)),
    "FlattenSet": lambda s: frozenset(itertools.chain.from_iterable(s)),
    "SetToSeq": lambda s: tuple(ordered(s)),
    "SetToSortSeq": lambda s, less: OPERATORS["SortSeq"](tuple(ordered(s)), less),
    "SetToSeqs": _permutation_sequences,
    # SequencesExt
    "ToSet": lambda s: frozenset(_sequence(s)),
    "Range": lambda f: frozenset(mapping(f).values()),
    "Contains": lambda s, e: e in _sequence(s),
    "Reverse": _reverse,
    "Last": lambda s: _sequence(s)[-1],
    "Front": lambda s: _sequence(s)[:-1],
    "Remove": lambda s, e: tuple(x for x in s if x != e),
    "RemoveAt": lambda s, i: s[: i - 1] + s[i:],
    "InsertAt": lambda s, i, e: (*s[: i - 1], e, *s[i - 1 :]),
    "ReplaceAt": lambda s, i, e: (*s[: i - 1], e, *s[i:]),
    "IsPrefix": lambda s, t: t[: len(s)] == s,
    "Cons": lambda e, s: (e, *s),
    "FlattenSeq": lambda s: tuple(itertools.chain.from_iterable(s)),
    "BoundedSeq": lambda s, n: Sequences(s, n),
    "SeqOf": lambda s, n: Sequences(s, n),
    "TupleOf": lambda s, n: Sequences(s, n, n),
    "IsInjective": _is_injective,
    "Restrict": lambda f, s: function({k: v for k, v in mapping(f).items() if k in s}),
    "RestrictDomain": lambda f, p: function({k: v for k, v in mapping(f).items() if p(k)}),
    "Inverse": _inverse,
    "AntiFunction": lambda f: function({v: k for k, v in mapping(f).items()}),
    # Bags
    "SetToBag": lambda s: bag(dict.fromkeys(s, 1)),
    "IsABag": lambda b: all(type(n) is int and n > 0 for n in mapping(b).values()),
    "BagToSet": lambda b: frozenset(mapping(b)),
    "BagIn": lambda e, b: e in mapping(b),
    "BagCardinality": lambda b: sum(mapping(b).values()),
    "CopiesIn": lambda e, b: mapping(b).get(e, 0),
    "BagAdd": lambda b, e: _bag_add(b, function({e: 1})),
    "BagRemove": lambda b, e: _bag_remove(b, function({e: 1})),
    "(+)": _bag_add,
    "\\oplus": _bag_add,
    "(-)": _bag_remove,
    "\\ominus": _bag_remove,
    # Graphs
    "UndirectedGraphs": _undirected,
    "ConnectedComponents": _components,
    "IsStronglyConnected": lambda g: len(_components(g)) <= 1,
    "AreConnectedIn": lambda m, n, g: n in _paths_connect(g)[m],
}

__all__ = ["CONSTANTS", "OPERATORS", "ModelValue"]
