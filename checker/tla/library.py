"""The operators of the standard and community modules as Python, on the state."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from .enabled import enabled
from .expressions import Context, Expressions, _element
from .nodes import Bound, Node
from .python import ADD, AND, ATOM, COMPARE, CUT, LAMBDA, MULTIPLY, NOT, OR, UNARY, UNION, Py, merged_reads, unwrapped
from .scopes import Env, Substitution
from .shapes import (
    BagOf,
    MapOf,
    Maybe,
    Num,
    Pending,
    RecordOf,
    SeqOf,
    SetOf,
    Shape,
    Truth,
    TupleOf,
    Unknown,
    of_set,
    unlike,
)
from .syntax import refused
from .values import Subsets, is_set

Translation = Callable[[Expressions, Node, Env, Context, Shape | None], Py]


def _infix(sign: str, strength: int, shape: Shape) -> Translation:
    def translated(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        a, b = (ex.expression(x, env, cx) for x in node.args)
        right = strength if sign == "+" else strength + 1
        left = strength + 1 if strength == COMPARE or sign in ("**", "^") else strength
        least = [x.shape.lo if isinstance(x.shape, Num) else None for x in (a, b)]
        bounded = sign in ("+", "*") and all(lo is not None and lo >= 0 for lo in least)
        low = (sum if sign == "+" else math.prod)(lo for lo in least if lo is not None) if bounded else None
        known = Num(0 if sign == "%" else low) if isinstance(shape, Num) else shape
        return Py(f"{a.at(left)} {sign} {b.at(right)}", known, strength, reads=merged_reads(a, b))

    return translated


def _equal(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    left, right = node.args
    if ex.known(left, env)[0] and not ex.known(right, env)[0]:
        left, right = right, left
    for one, other in ((left, right), (right, left)):
        if one.kind == "op" and one.value == "Len" and other.kind == "num" and other.value == 0:
            items = ex.expression(one.args[0], env, cx)
            return Py(f"not {items.at(UNARY)}", Truth(), NOT, reads=items.reads)
    a = ex.expression(left, env, cx)
    b = ex.expression(right, env, cx, a.shape)
    if unlike(a.shape, b.shape):
        a, b = ex.in_one_form((left, right), env, cx, None)
    return ex.equal(a, b)


def _unequal(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    found = _equal(ex, node, env, cx, want)
    if found.strength == NOT and found.text.startswith("not "):
        return Py(f"len({found.text[4:]}) > 0", Truth(), COMPARE, reads=found.reads)
    return ex.negated(found)


def _not(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    inner = node.args[0]
    if inner.kind == "op" and inner.value == "=" and env.find("=") is None:
        return _unequal(ex, inner, env, cx, want)
    return ex.negated(ex.condition(inner, env, cx))


def _implies(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    left = ex.condition(node.args[0], env, cx)
    if left.text in ("True", "False"):
        return ex.condition(node.args[1], env, cx) if left.text == "True" else Py("True", Truth())
    right = ex.condition(node.args[1], env, cx.inside())
    opposite = ex.negated(left)
    return Py(f"{opposite.at(OR)} or {right.at(OR)}", Truth(), OR, reads=merged_reads(left, right))


def _equivalent(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    a, b = (ex.condition(x, env, cx) for x in node.args)
    return Py(f"({a.text}) == ({b.text})", Truth(), COMPARE, reads=merged_reads(a, b))


def _in(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    return ex.member(ex.expression(node.args[0], env, cx), node.args[1], env, cx)


def _notin(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    return ex.negated(_in(ex, node, env, cx, want))


def _range(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    low, high = (ex.expression(x, env, cx) for x in node.args)
    after = (
        str(high.value + 1)
        if high.known and type(high.value) is int and high.text.isdigit()
        else (
            high.text[:-4]
            if high.text.endswith(" - 1") and high.strength == ADD and high.text.count(" ") == 2
            else f"{high.at(ADD)} + 1"
        )
    )
    text = f"range({after})" if low.text == "0" else f"range({low.text}, {after})"
    least = low.shape.lo if isinstance(low.shape, Num) else None
    return Py(text, SetOf(Num(least)), lazy=True, reads=merged_reads(low, high))


def _sets(sign: str, strength: int) -> Translation:
    def translated(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        a, b = (ex.as_set(ex.expression(x, env, cx, want)) for x in node.args)
        for side, n in ((a, node.args[0]), (b, node.args[1])):
            if not isinstance(side.shape, SetOf):
                raise refused(n.place, "a set whose members are not known", "write it as a set")
        if sign == "|" and b.text == "set()":
            return a
        if sign == "|" and a.text == "set()":
            return b
        shape = ex.common([a.shape, b.shape], node) if sign == "|" else a.shape
        right = strength + 1 if sign == "-" else strength
        return Py(f"{a.at(strength)} {sign} {b.at(right)}", shape, strength, reads=merged_reads(a, b))

    return translated


def _subset(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    x = ex.expression(node.args[0], env, cx)
    is_known, value = ex.known(node.args[1], env)
    if is_known and is_set(value) and (not isinstance(value, frozenset) or len(value) > 6):
        if isinstance(value, frozenset) and len(value) <= 200:
            within = ex.expression(node.args[1], env, cx)
            return Py(f"{ex.as_set(x).at(UNION)} <= {ex.as_set(within).at(UNION)}", Truth(), COMPARE, reads=x.reads)
        return ex.member_of(x, Subsets(value), node, cx)
    if node.args[1].kind in ("records", "functions", "product"):
        return ex._all_in(x, node.args[1], env, cx)
    within = ex.expression(node.args[1], env, cx)
    a, b = ex.as_set(x), ex.as_set(within)
    return Py(f"{a.at(UNION)} <= {b.at(UNION)}", Truth(), COMPARE, reads=merged_reads(a, b))


def _union(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    inner = node.args[0]
    if inner.kind == "set" and len(inner.args) == 1:
        return ex.expression(inner.args[0], env, cx, want)
    if inner.kind == "map":
        loops, scope, inside, reads = ex.loops(inner.value, env, cx)
        members = ex.expression(inner.args[0], scope, inside)
        name = ex.fresh("item", inside)
        reads = merged_reads(reads, members)
        return Py(f"{{{name} {loops} for {name} in {members.at(OR)}}}", members.shape, reads=reads)
    sets = ex.iterable(inner, env, cx)
    name = ex.fresh("item", cx)
    shape = sets.shape.of if isinstance(sets.shape, SetOf) else Unknown()
    return Py(f"{{{name} for members in {sets.at(OR)} for {name} in members}}", shape, reads=sets.reads)


def _powerset(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    of = ex.iterable(node.args[0], env, cx)
    if isinstance(of.shape, SetOf) and isinstance(of.shape.of, RecordOf):
        raise refused(node.place, "SUBSET of a set of records", "use a set of tuples, or one \\E for each record")
    ex.uses.add("subsets")
    return Py(f"subsets({of.text})", SetOf(of.shape), lazy=True, reads=of.reads)


def _domain(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    of = ex.expression(node.args[0], env, cx)
    shape = of.shape.of if isinstance(of.shape, Maybe) else of.shape
    if isinstance(shape, MapOf):
        if shape.partial:
            key = ex.fresh("key", cx)
            text = f"{{{key} for {key} in {ex.literals.keys(shape.keys)} if {of.at(ATOM)}[{key}] is not None}}"
            return Py(text, SetOf(of_set(frozenset(shape.keys))), reads=of.reads)
        return ex.literals.iterable(frozenset(shape.keys))
    if isinstance(shape, BagOf):
        return replace(of, shape=SetOf(shape.of), lazy=True)
    if isinstance(shape, (SeqOf, TupleOf)):
        return Py(f"range(1, len({of.text}) + 1)", SetOf(Num(1)), lazy=True, reads=of.reads)
    raise refused(node.place, "DOMAIN of a value that is no function of one kind", "name its keys")


def _cardinality(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    inner = node.args[0]
    if inner.kind == "filter" and isinstance(inner.value[0].pattern, str):
        loops, scope, inside, reads = ex.loops(inner.value, env, cx)
        body = ex.condition(inner.args[0], scope, inside)
        if body.strength >= NOT and not body.text.startswith("len("):
            return Py(f"sum({body.text} {loops})", Num(), reads=merged_reads(reads, body))
    of = ex.expression(inner, env, cx)
    return Py(f"len({of.text})", Num(0), reads=of.reads)


def _length(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    of = ex.expression(node.args[0], env, cx)
    return Py(f"len({of.text})", Num(0), reads=of.reads)


def _sequence(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    found = ex.expression(node, env, cx, want if isinstance(want, SeqOf) else SeqOf(Unknown()))
    if isinstance(found.shape, TupleOf):
        found = replace(found, shape=SeqOf(_element(found.shape), len(found.shape.parts)), frozen=True)
    if isinstance(found.shape, Maybe):
        found = replace(found, shape=found.shape.of)
    if isinstance(found.shape, Pending):
        found = replace(found, shape=SeqOf(found.shape))
    if not isinstance(found.shape, SeqOf):
        raise refused(node.place, "an operator of Sequences on what is no sequence", "check the type invariant")
    return found


def _head(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    of = _sequence(ex, node.args[0], env, cx, None)
    return Py(f"{of.at(ATOM)}[0]", _element(of.shape), reads=of.reads, frozen=of.frozen)


def _last(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    of = _sequence(ex, node.args[0], env, cx, None)
    return Py(f"{of.at(ATOM)}[-1]", _element(of.shape), reads=of.reads, frozen=of.frozen)


def _slice(text: str) -> Translation:
    def translated(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        of = _sequence(ex, node.args[0], env, cx, want)
        return Py(f"{of.at(ATOM)}{text}", of.shape, reads=of.reads, frozen=of.frozen)

    return translated


def _append(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    of = _sequence(ex, node.args[0], env, cx, want)
    element = _element(of.shape)
    item = ex.expression(node.args[1], env, cx, None if isinstance(element, Unknown) else element)
    shape = SeqOf(ex.common([element, item.shape], node))
    start = f"*{of.at(UNION)}, " if of.text not in ("[]", "()") else ""
    return Py(f"[{start}{item.text}]", shape, reads=merged_reads(of, item))


def _concatenated(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    items = [_sequence(ex, a, env, cx, want) for a in node.args]
    listed = [unwrapped(i.text, "[") if " for " not in i.text else None for i in items]
    texts = [f"*{i.at(UNION)}" if text is None else text for i, text in zip(items, listed, strict=True)]
    shape = SeqOf(ex.common([_element(i.shape) for i in items], node))
    return Py(f"[{', '.join(t for t in texts if t)}]", shape, reads=merged_reads(*items))


def _subsequence(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    of = _sequence(ex, node.args[0], env, cx, want)
    low, high = (ex.expression(a, env, cx) for a in node.args[1:])
    start = str(low.value - 1) if low.known else ex.less_one(low)
    end = "" if high.text == f"len({of.text})" else high.text
    start = "" if start == "0" else start
    return Py(f"{of.at(ATOM)}[{start}:{end}]", of.shape, reads=merged_reads(of, low, high), frozen=of.frozen)


def _select(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    of = _sequence(ex, node.args[0], env, cx, want)
    name = ex.fresh("item", cx)
    scope = env.bound({"item!": Py(name, _element(of.shape), frozen=of.frozen)})
    test = _applied(ex, node.args[1], (Node("id", node.place, (), "item!"),), scope, cx.inside(name))
    return Py(f"[{name} for {name} in {of.at(OR)} if {test.at(OR)}]", of.shape, reads=merged_reads(of, test))


def _applied(ex: Expressions, operator: Node, args: tuple[Node, ...], env: Env, cx: Context) -> Py:
    """An operator that is an argument, applied."""
    return ex._applied_argument(Node("op", operator.place, args, "F"), Substitution(operator, env), args, env, cx, None)


def _to_set(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    of = ex.expression(node.args[0], env, cx)
    shape = of.shape.of if isinstance(of.shape, Maybe) else of.shape
    values = f"{of.at(ATOM)}.values()" if isinstance(shape, MapOf) else of.text
    return Py(f"set({values})", SetOf(_element(shape)), reads=of.reads)


def _merged(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    """f @@ g, where both are functions of the same keys, or `want` is partial."""
    wanted = want.of if isinstance(want, Maybe) else want
    f, g = (ex.expression(a, env, cx, wanted) for a in node.args)
    for side in (f, g):
        if not isinstance(side.shape, MapOf):
            raise refused(node.place, "@@ of values that are no functions", "check the type invariant")
    shape = ex.common([f.shape, g.shape], node)
    assert isinstance(shape, MapOf) and isinstance(f.shape, MapOf)
    pairs = unwrapped(f.text, "{") if not f.shape.partial and " for " not in f.text else None
    if pairs is not None:
        return Py(f"{{**{g.at(UNION)}, {pairs}}}", shape, reads=merged_reads(f, g))
    raise refused(node.place, "@@ of two functions of the state", "write [x \\in S |-> ...]")


def _single(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    key, value = (ex.expression(a, env, cx) for a in node.args)
    key = ex.hashable(key)
    wanted = want.of if isinstance(want, Maybe) else want
    keys = (key.value,) if key.known else wanted.keys if isinstance(wanted, MapOf) else ()
    return Py(f"{{{key.text}: {value.text}}}", MapOf(keys, value.shape), reads=merged_reads(key, value))


def _total(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    of = ex.expression(node.args[0], env, cx)
    return Py(f"sum({of.text})", Num(), reads=of.reads)


def _extreme(name: str) -> Translation:
    def translated(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        of = ex.iterable(node.args[0], env, cx)
        return Py(f"{name}({of.text})", Num(), reads=of.reads)

    return translated


def _fold(function: int, base: int, items: int, left: bool = False) -> Translation:
    """Folds are loops: functools.reduce."""

    def translated(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        start = ex.expression(node.args[base], env, cx)
        of = ex.expression(node.args[items], env, cx)
        shape = of.shape.of if isinstance(of.shape, Maybe) else of.shape
        over = f"{of.at(ATOM)}.values()" if isinstance(shape, MapOf) else of.text
        a, b = ex.fresh("total", cx), ex.fresh("item", cx)
        accumulated, item = Py(a, start.shape), Py(b, _element(shape), frozen=True)
        scope = env.bound({"total!": accumulated, "item!": item})
        names = ("total!", "item!") if left else ("item!", "total!")
        args = tuple(Node("id", node.place, (), n) for n in names)
        body = _applied(ex, node.args[function], args, scope, cx.inside(a, b))
        ex.uses.add("reduce")
        return Py(
            f"reduce(lambda {a}, {b}: {body.text}, {over}, {start.text})",
            body.shape,
            reads=merged_reads(of, body, start),
        )

    return translated


def _map_sum(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    of = ex.iterable(node.args[1], env, cx)
    name = ex.fresh("item", cx)
    scope = env.bound({"item!": Py(name, _element(of.shape), frozen=True)})
    body = _applied(ex, node.args[0], (Node("id", node.place, (), "item!"),), scope, cx.inside(name))
    return Py(f"sum({body.text} for {name} in {of.at(OR)})", Num(), reads=merged_reads(of, body))


def _function_sum(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    of = ex.expression(node.args[0], env, cx)
    values = f"{of.at(ATOM)}.values()" if isinstance(of.shape, MapOf) else of.text
    return Py(f"sum({values})", Num(), reads=of.reads)


def _function_on_set(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    op, base, function, over = node.args
    bound = Bound("key!", over)
    applied = Node("apply", node.place, (function, Node("id", node.place, (), "key!")))
    loops, scope, inside, reads = ex.loops((Bound("key", over),), env, cx)
    scope = Env(scope, {"key!": scope.names["key"]})
    value = ex.expression(applied, scope, inside)
    del bound
    start = ex.expression(base, env, cx)
    if op.kind == "id" and op.value == "+":
        total = f"sum({value.text} {loops})"
        return Py(
            total if start.text == "0" else f"{start.at(ADD)} + {total}",
            Num(),
            ATOM if start.text == "0" else ADD,
            reads=merged_reads(reads, value),
        )
    a, b = ex.fresh("total", cx), ex.fresh("item", cx)
    names = env.bound({"total!": Py(a, start.shape), "item!": Py(b, value.shape)})
    args = tuple(Node("id", node.place, (), n) for n in ("item!", "total!"))
    body = _applied(ex, op, args, names, cx.inside(a, b))
    ex.uses.add("reduce")
    text = f"reduce(lambda {a}, {b}: {body.text}, ({value.text} {loops}), {start.text})"
    return Py(text, body.shape, reads=merged_reads(reads, value, body, start))


def _quantify(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    return _map_sum(ex, Node("op", node.place, (node.args[1], node.args[0]), "MapThenSumSet"), env, cx, want)


def _negative(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    of = ex.expression(node.args[0], env, cx)
    return Py(f"-{of.at(UNARY)}", Num(), UNARY, reads=of.reads)


def _true(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    return Py("True", Truth())


def _asserted(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    if cx.lines is None:
        raise refused(node.place, "Assert inside of another expression", "write an invariant")
    condition = ex.condition(node.args[0], env, cx)
    cx.lines.add(f"assert {condition.text}")
    return Py("True", Truth())


def _infinite(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    raise refused(node.place, f"{node.value} as a set that is listed", "give the quantifier a finite set")


def _first(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    return ex.expression(node.args[0], env, cx, want)


def _contains(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    items, item = (ex.expression(a, env, cx) for a in node.args)
    return Py(f"{item.at(UNION)} in {items.at(UNION)}", Truth(), COMPARE, reads=merged_reads(items, item))


def _removed(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    of = _sequence(ex, node.args[0], env, cx, want)
    at = ex.expression(node.args[1], env, cx)
    items = of.at(ATOM)
    return Py(f"[*{items}[:{ex.less_one(at)}], *{items}[{at.text}:]]", of.shape, reads=merged_reads(of, at))


def _reversed(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    of = _sequence(ex, node.args[0], env, cx, want)
    return Py(f"{of.at(ATOM)}[::-1]", of.shape, reads=of.reads, frozen=of.frozen)


def _prefix(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    s, t = (_sequence(ex, a, env, cx, None) for a in node.args)
    return Py(f"{t.at(ATOM)}[: len({s.text})] == {s.at(UNION)}", Truth(), COMPARE, reads=merged_reads(s, t))


def _enabled(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    return enabled(ex, node.args[0], env, cx)


def _bag(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    found = ex.expression(node, env, cx, want)
    if not isinstance(found.shape, BagOf):
        raise refused(node.place, "an operator of Bags on what is no bag", "begin with EmptyBag or SetToBag")
    return found


def _bag_changed(more: bool) -> Translation:
    """BagAdd and BagRemove, where they do not change a bag of the state in place."""

    def translated(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
        of = _bag(ex, node.args[0], env, cx, want)
        assert isinstance(of.shape, BagOf)
        item = ex.hashable(ex.expression(node.args[1], env, cx, of.shape.of))
        count = f"{of.at(ATOM)}[{item.text}]"
        text = f"{{**{of.at(UNION)}, {item.text}: {f'{count} + 1' if more else f'max({count} - 1, 0)'}}}"
        return Py(text, BagOf(ex.common([of.shape.of, item.shape], node)), reads=merged_reads(of, item))

    return translated


def _bag_of_set(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    of = ex.iterable(node.args[0], env, cx)
    name = ex.fresh("item", cx)
    shape = of.shape.of if isinstance(of.shape, SetOf) else Unknown()
    return Py(f"{{{name}: 1 for {name} in {of.at(OR)}}}", BagOf(shape), reads=of.reads)


def _bag_sum(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    if cx.only_reads:
        return Py("{}", BagOf(Unknown()), reads=merged_reads(*(_bag(ex, a, env, cx, None) for a in node.args)))
    raise refused(node.place, f"{node.value} of bags as a part of another expression", "write b' = b (+) ...")


def _in_bag(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    of = _bag(ex, node.args[1], env, cx, None)
    item = ex.hashable(ex.expression(node.args[0], env, cx, _element(of.shape)))
    if node.value == "CopiesIn":
        return Py(f"{of.at(ATOM)}[{item.text}]", Num(0), reads=merged_reads(of, item))
    return Py(f"{item.at(UNION)} in {of.at(UNION)}", Truth(), COMPARE, reads=merged_reads(of, item))


def _bag_size(ex: Expressions, node: Node, env: Env, cx: Context, want: Shape | None) -> Py:
    of = _bag(ex, node.args[0], env, cx, None)
    return Py(f"{of.at(ATOM)}.total()", Num(0), reads=of.reads)


TRANSLATED: dict[str, Translation] = {
    "=": _equal, "/=": _unequal, "~": _not, "=>": _implies, "<=>": _equivalent, "\\in": _in, "\\notin": _notin,
    "+": _infix("+", ADD, Num()), "-": _infix("-", ADD, Num()), "*": _infix("*", MULTIPLY, Num()),
    "\\div": _infix("//", MULTIPLY, Num()), "%": _infix("%", MULTIPLY, Num()), "^": _infix("**", UNARY, Num()),
    "^^": _infix("^", UNION, Num()), "&": _infix("&", CUT, Num()), "|": _infix("|", UNION, Num()),
    "<": _infix("<", COMPARE, Truth()), ">": _infix(">", COMPARE, Truth()), "<=": _infix("<=", COMPARE, Truth()),
    ">=": _infix(">=", COMPARE, Truth()), "-.": _negative, "..": _range,
    "\\cup": _sets("|", UNION), "\\cap": _sets("&", CUT), "\\": _sets("-", ADD), "\\subseteq": _subset,
    "SymDiff": _sets("^", UNION), "UNION": _union, "FlattenSet": _union, "SUBSET": _powerset, "DOMAIN": _domain,
    "Cardinality": _cardinality, "IsFiniteSet": _true, "Len": _length, "Head": _head, "Tail": _slice("[1:]"),
    "Front": _slice("[:-1]"), "Last": _last, "Append": _append, "\\o": _concatenated, "SubSeq": _subsequence,
    "SelectSeq": _select, "ToSet": _to_set, "Range": _to_set, "@@": _merged, ":>": _single, "Sum": _total,
    "SumSet": _total, "Min": _extreme("min"), "Max": _extreme("max"), "FoldSet": _fold(0, 1, 2),
    "FoldFunction": _fold(0, 1, 2), "FoldSeq": _fold(0, 1, 2), "FoldLeft": _fold(0, 1, 2, left=True),
    "FoldFunctionOnSet": _function_on_set, "MapThenSumSet": _map_sum, "SumFunction": _function_sum,
    "Quantify": _quantify,
    "IsPrefix": _prefix, "ENABLED": _enabled, "PrintT": _true, "Assert": _asserted, "TLCEval": _first, "Nat": _infinite,
    "Int": _infinite, "STRING": _infinite, "Contains": _contains, "RemoveAt": _removed, "Reverse": _reversed,
    "BagAdd": _bag_changed(True), "BagRemove": _bag_changed(False), "SetToBag": _bag_of_set, "BagToSet": _domain,
    "BagIn": _in_bag, "CopiesIn": _in_bag, "BagCardinality": _bag_size, "IsABag": _true, "(+)": _bag_sum,
    "(-)": _bag_sum, "\\oplus": _bag_sum, "\\ominus": _bag_sum,
}  # fmt: skip
__all__ = ["AND", "LAMBDA", "TRANSLATED"]
