"""Emits the passes over a state graph that liveness checking needs: state numbers, components, distances.

A graph is an adjacency array: edges first[v] to first[v+1]-1 leave node v. All of these are 32-bit numbers. No pass
depends on the model, so all specs share one module.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import llvmlite.binding as llvm

from .builder import I1, I8, I16, I32, I64, PTR, VOID, Function
from .context import MULTIPLIERS, Context
from .instructions import Module
from .interface import CLOSED, NO_NODE, SEARCH

BATCH = 64
"""Rows whose cache lines are fetched together."""
PROGRESS = ("depth", "visited", "top", "found", "next")
"""What `components` keeps from one call to the next, beside its arrays."""
MARK = 1 << 63
"""Set in the cursor of a node from which an older node of the stack can be reached."""


def text() -> str:
    """The assembly of all passes."""
    module = Module(llvm.get_process_triple())
    for emit in (_fill, _find, _link, _enable, _grouped, _distances):
        emit(module)
    Components(module)
    return str(module)


# -- numbers of states -------------------------------------------------------------------------------------------


def _fill(module: Module) -> None:
    """fill(table, mask, states, words, n): enter n different states of `words` words each into an empty table."""
    fn = Function(module, "fill", [PTR, I64, PTR, I64, I64])
    table, mask, states, words, n = fn.arguments
    b, slots = fn.b, fn.buffer(I64, BATCH)
    with _batches(fn, n) as (base, size):
        _fetch_slots(fn, (table, mask, slots), states, words, base, size)
        with fn.loop(fn.const(0), size) as i:
            slot = fn.local(fn.load(slots, i))

            def used(slot: Any = slot) -> Any:
                return b.icmp_unsigned("!=", fn.load(table, fn.get(slot), I32), fn.const(0, I32))

            with fn.while_(used):
                fn.put(slot, b.and_(b.add(fn.get(slot), fn.const(1)), mask))
            fn.store(table, fn.get(slot), b.trunc(b.add(b.add(base, i), fn.const(1)), I32))
    fn.done()


def _find(module: Module) -> None:
    """find(table, mask, states, words, rows, n, numbers): the number of the state in each of n rows, or NO_NODE."""
    fn = Function(module, "find", [PTR, I64, PTR, I64, PTR, I64, PTR])
    table, mask, states, words, rows, n, numbers = fn.arguments
    b, slots = fn.b, fn.buffer(I64, BATCH)

    def state(entry: Any) -> Any:
        index = b.zext(b.sub(entry, fn.const(1, I32)), I64)
        some = b.icmp_unsigned("!=", entry, fn.const(0, I32))
        return fn.at(states, b.mul(b.select(some, index, fn.const(0)), words))

    with _batches(fn, n) as (base, size):
        _fetch_slots(fn, (table, mask, slots), rows, words, base, size)
        with fn.loop(fn.const(0), size) as i:
            fn.prefetch(state(fn.load(table, fn.load(slots, i), I32)))
        with fn.loop(fn.const(0), size) as i:
            row, slot = fn.at(rows, b.mul(b.add(base, i), words)), fn.local(fn.load(slots, i))
            entry = fn.local(fn.load(table, fn.get(slot), I32))

            def other(row: Any = row, entry: Any = entry) -> Any:
                found, difference = state(fn.get(entry)), fn.local(fn.const(0))
                with fn.loop(fn.const(0), words) as w:
                    fn.put(difference, b.or_(fn.get(difference), b.xor(fn.load(found, w), fn.load(row, w))))
                used = b.icmp_unsigned("!=", fn.get(entry), fn.const(0, I32))
                return b.and_(used, b.icmp_unsigned("!=", fn.get(difference), fn.const(0)))

            with fn.while_(other):
                fn.put(slot, b.and_(b.add(fn.get(slot), fn.const(1)), mask))
                fn.put(entry, fn.load(table, fn.get(slot), I32))
            fn.store(numbers, b.add(base, i), b.sub(fn.get(entry), fn.const(1, I32)))
    fn.done()


@contextmanager
def _batches(fn: Function, n: Any) -> Iterator[tuple[Any, Any]]:
    """The body runs for each batch of n rows: it gets the first one, and how many they are."""
    b, start = fn.b, fn.local(fn.const(0))
    with fn.while_(lambda: b.icmp_unsigned("<", fn.get(start), n)):
        base = fn.get(start)
        left = b.sub(n, base)
        size = b.select(b.icmp_unsigned("<", left, fn.const(BATCH)), left, fn.const(BATCH))
        yield base, size
        fn.put(start, b.add(base, size))


def _fetch_slots(fn: Function, into: tuple[Any, Any, Any], rows: Any, words: Any, base: Any, size: Any) -> None:
    """Emit: note the slot at which the search for each row of a batch begins, and fetch it."""
    b, (table, mask, slots) = fn.b, into
    with fn.loop(fn.const(0), size) as i:
        row, value = fn.at(rows, b.mul(b.add(base, i), words)), fn.local(fn.const(MULTIPLIERS[1]))
        with fn.loop(fn.const(0), words) as w:
            mixed = b.mul(b.xor(fn.get(value), fn.load(row, w)), fn.const(MULTIPLIERS[0]))
            fn.put(value, b.xor(mixed, b.lshr(mixed, fn.const(29))))
        mixed = b.mul(fn.get(value), fn.const(MULTIPLIERS[-1]))
        slot = b.and_(b.xor(mixed, b.lshr(mixed, fn.const(32))), mask)
        fn.store(slots, i, slot)
        fn.prefetch(fn.at(table, slot, I32))


# -- edges -------------------------------------------------------------------------------------------------------


def _link(module: Module) -> None:
    """link(numbers, sources, actions, n, base, masks, degrees, targets, kept) -> edges.

    Keeps those of n steps that change something and lead to a state with a number: their targets and actions.
    Node base + sources[i] gets one more edge in `degrees`.
    """
    fn = Function(module, "link", [PTR, PTR, PTR, I64, I64, PTR, PTR, PTR], I64)
    numbers, sources, actions, n, base, degrees, targets, kept = fn.arguments
    b, count = fn.b, fn.local(fn.const(0))
    with fn.loop(fn.const(0), n) as i:
        source, number = b.add(base, b.zext(fn.load(sources, i, I32), I64)), fn.load(numbers, i, I32)
        edges = fn.get(count)
        fn.store(targets, edges, number)
        fn.store(kept, edges, fn.load(actions, i, I16))
        known = b.icmp_unsigned("!=", number, fn.const(NO_NODE, I32))
        known = b.and_(known, b.icmp_unsigned("!=", b.zext(number, I64), source))
        fn.store(degrees, source, b.add(fn.load(degrees, source, I32), b.zext(known, I32)))
        fn.put(count, b.add(edges, b.zext(known, I64)))
    fn.done(fn.get(count))


def _enable(module: Module) -> None:
    """enable(numbers, sources, actions, n, base, members, enabled): each of n steps that changes something adds the
    assumptions to which its action belongs to those that are enabled in node base + sources[i]."""
    fn = Function(module, "enable", [PTR, PTR, PTR, I64, I64, PTR, PTR])
    numbers, sources, actions, n, base, members, enabled = fn.arguments
    b = fn.b
    with fn.loop(fn.const(0), n) as i:
        source, number = b.add(base, b.zext(fn.load(sources, i, I32), I64)), fn.load(numbers, i, I32)
        moves = b.icmp_unsigned("!=", b.zext(number, I64), source)
        mask = fn.load(members, b.zext(fn.load(actions, i, I16), I64))
        fn.store(enabled, source, b.or_(fn.load(enabled, source), b.select(moves, mask, fn.const(0))))
    fn.done()


def _grouped(module: Module) -> None:
    """grouped(keys, values, n, count, first, out): n values by their keys, which are below `count`.

    Those of key k are out[first[k]]..out[first[k+1]-1], in their order; `first` has two more zeros than there are keys.
    """
    fn = Function(module, "grouped", [PTR, PTR, I64, I64, PTR, PTR])
    keys, values, n, count, first, out = fn.arguments
    b = fn.b

    def increase(place: Any, by: Any) -> Any:
        before = fn.load(first, place, I32)
        fn.store(first, place, b.add(before, by))
        return b.zext(before, I64)

    with fn.loop(fn.const(0), n) as i:
        increase(b.add(b.zext(fn.load(keys, i, I32), I64), fn.const(2)), fn.const(1, I32))
    with fn.loop(fn.const(0), count) as k:
        increase(b.add(k, fn.const(1)), fn.load(first, k, I32))
    with fn.loop(fn.const(0), n) as i:
        place = increase(b.add(b.zext(fn.load(keys, i, I32), I64), fn.const(1)), fn.const(1, I32))
        fn.store(out, place, fn.load(values, i, I32))
    fn.done()


def _distances(module: Module) -> None:
    """distances(first, targets, steps, nodes, starts, delays, n, found, queue): breadth-first from n starts.

    found[v] is how many edges node v is away from the nearest start, and the delay of that; it is negative before.
    Delays ascend. Only nodes and edges count whose lowest bit is set in `nodes` and `steps`.
    """
    fn = Function(module, "distances", [PTR] * 6 + [I64, PTR, PTR], VOID)
    first, targets, steps, nodes, starts, delays, n, found, queue = fn.arguments
    b, head, tail, following = fn.b, *(fn.local(fn.const(0)) for _ in range(3))

    def reach(node: Any, distance: Any, able: Any) -> None:
        new = b.and_(able, b.icmp_signed("<", fn.load(found, node, I32), fn.const(0, I32)))
        with fn.if_(new):
            fn.store(found, node, distance)
            fn.store(queue, fn.get(tail), b.trunc(node, I32))
            fn.put(tail, b.add(fn.get(tail), fn.const(1)))

    def late() -> Any:
        return b.icmp_unsigned("<", fn.get(following), n)

    def waiting() -> Any:
        return b.icmp_unsigned("<", fn.get(head), fn.get(tail))

    with fn.while_(lambda: b.or_(waiting(), late())):
        now = fn.local(fn.const(0, I32))
        with b.if_else(waiting()) as (some, none):
            with some:
                fn.put(now, fn.load(found, b.zext(fn.load(queue, fn.get(head), I32), I64), I32))
            with none:
                fn.put(now, fn.load(delays, fn.get(following), I32))
        going = fn.local(late())
        with fn.while_(lambda: fn.get(going)):
            delay = fn.load(delays, fn.get(following), I32)
            due = b.icmp_signed("<=", delay, fn.get(now))
            reach(b.zext(fn.load(starts, fn.get(following), I32), I64), delay, due)
            fn.put(following, b.add(fn.get(following), b.zext(due, I64)))
            fn.put(going, b.and_(due, late()))
        with fn.if_(waiting()):
            node = b.zext(fn.load(queue, fn.get(head), I32), I64)
            fn.put(head, b.add(fn.get(head), fn.const(1)))
            ends = (b.zext(fn.load(first, place, I32), I64) for place in (node, b.add(node, fn.const(1))))
            with fn.loop(*ends) as e:
                target = b.zext(fn.load(targets, e, I32), I64)
                able = b.and_(fn.load(steps, e, I8), fn.load(nodes, target, I8))
                able = b.icmp_unsigned("!=", b.and_(able, fn.const(1, I8)), fn.const(0, I8))
                reach(target, b.add(fn.get(now), fn.const(1, I32)), able)
    fn.done()


# -- components --------------------------------------------------------------------------------------------------


class Components:
    """Emits components(search): strongly connected components, and which fairness assumptions each neglects.

    Pearce's form of Tarjan's algorithm (D. J. Pearce: A space-efficient algorithm for finding strongly connected
    components, IPL 2016), without recursion: one array of nodes holds the path from the front, and from the back the
    nodes whose component is still open. The number of a node is the least index that it reaches, then CLOSED plus the
    number of its component. An edge never leads to a component with a greater number.

    An edge to an open node is an edge within a component. So what is taken and enabled in a component is gathered on
    the path, and passed on to the node before. Nearly all time goes into waiting for memory. So the number and the
    first edge of a node are side by side, and the edges of nodes that may come next are fetched: both save half of it.
    """

    def __init__(self, module: Module) -> None:
        self.fn = fn = Function(module, "components", [PTR], I64)
        self.b, self.search = fn.b, Context(fn, fn.arguments[0], SEARCH)
        arrays = ("records", "targets", "actions", "steps", "enabled", "members", "starts", "stack", "frames")
        self.at = {name: self.search.array(name) for name in (*arrays, "neglected")}
        self.size, self.goal = self.search.size, self.search.goal
        self.some_steps = fn.b.icmp_unsigned("!=", self.search.steps, fn.const(0))
        self.kept = [fn.local(getattr(self.search, name)) for name in PROGRESS]
        self.depth, self.visited, self.top, self.found, self.next = self.kept
        self._emit()

    def _emit(self) -> None:
        """components(search) -> whether it is complete; it returns after a number of moves, to be called again."""
        fn, b = self.fn, self.b
        left, done, last = fn.local(self.search.moves), fn.local(fn.const(0)), self.search.last
        with fn.while_(lambda: b.icmp_unsigned("!=", fn.get(left), fn.const(0))):
            fn.put(left, b.sub(fn.get(left), fn.const(1)))
            with b.if_else(b.icmp_unsigned("!=", fn.get(self.depth), fn.const(0))) as (inside, outside):
                with inside:
                    self._move()
                with outside, b.if_else(b.icmp_unsigned("<", fn.get(self.next), last)) as (more, none):
                    with more:
                        start = self._load("starts", fn.get(self.next))
                        fn.put(self.next, b.add(fn.get(self.next), fn.const(1)))
                        with fn.if_(b.icmp_unsigned("==", self._number(start), fn.const(0, I32))):
                            self._visit(start)
                    with none:
                        fn.put(left, fn.const(0))
                        fn.put(done, fn.const(1))
        for name, local in zip(PROGRESS, self.kept, strict=True):
            self.search.put(name, fn.get(local))
        fn.done(fn.get(done))

    def _load(self, array: str, index: Any) -> Any:
        """A number of 32 bits, as one of 64."""
        return self.b.zext(self.fn.load(self.at[array], index, I32), I64)

    def _number(self, node: Any) -> Any:
        return self.fn.load(self.at["records"], self.b.mul(node, self.fn.const(2)), I32)

    def _set_number(self, node: Any, number: Any) -> None:
        self.fn.store(self.at["records"], self.b.mul(node, self.fn.const(2)), number)

    def _first(self, node: Any) -> Any:
        """The first edge of a node; those of the next node begin where its own end."""
        return self._load("records", self.b.add(self.b.mul(node, self.fn.const(2)), self.fn.const(1)))

    def _end(self, node: Any) -> Any:
        return self._first(self.b.add(node, self.fn.const(1)))

    def _frame(self, place: Any) -> list[Any]:
        """At a position of the path: the place of the next edge, and of what is taken, enabled, and disabled
        somewhere."""
        base = self.fn.at(self.at["frames"], self.b.mul(place, self.fn.const(4)))
        return [self.fn.at(base, k) for k in range(4)]

    def _visit(self, node: Any) -> None:
        """Emit: extend the path by a new node."""
        fn, b, depth = self.fn, self.b, self.fn.get(self.depth)
        fn.put(self.visited, b.add(fn.get(self.visited), fn.const(1)))
        self._set_number(node, b.trunc(fn.get(self.visited), I32))
        fn.store(self.at["stack"], depth, b.trunc(node, I32))
        first, enabled = self._first(node), fn.load(self.at["enabled"], node)
        for value, place in zip((first, fn.const(0), enabled, b.not_(enabled)), self._frame(depth), strict=True):
            b.store(value, place)
        fn.put(self.depth, b.add(depth, fn.const(1)))
        with fn.loop(first, self._end(node)) as e:
            fn.prefetch(fn.at(self.at["targets"], self._first(self._load("targets", e)), I32))

    def _move(self) -> None:
        """Emit: from the last node of the path to a new one, or back when it has no more edges.

        An edge to a new node is looked at once more on the way back: then the number of that is known.
        """
        fn, b, none = self.fn, self.b, self.fn.const(NO_NODE)
        place = b.sub(fn.get(self.depth), fn.const(1))
        node, frame = self._load("stack", place), self._frame(place)
        cursor, own, end = b.load(frame[0], I64), self._number(node), self._end(node)
        edge, least, new = fn.local(b.and_(cursor, fn.const(MARK - 1))), fn.local(own), fn.local(none)
        fn.put(new, none)
        taken = fn.local(b.load(frame[1], I64))

        def searching() -> Any:
            return b.and_(b.icmp_unsigned("<", fn.get(edge), end), b.icmp_unsigned("==", fn.get(new), none))

        with fn.while_(searching):
            e = fn.get(edge)
            target, step = self._load("targets", e), fn.local(fn.const(1, I8))
            with fn.if_(self.some_steps):
                fn.put(step, fn.load(self.at["steps"], e, I8))
            number, able = self._number(target), b.trunc(fn.get(step), I1)
            fresh = b.and_(able, b.icmp_unsigned("==", number, fn.const(0, I32)))
            open_ = b.and_(b.and_(able, b.not_(fresh)), b.icmp_unsigned("<", number, fn.const(CLOSED, I32)))
            with fn.if_(open_):
                less = b.icmp_unsigned("<", number, fn.get(least))
                fn.put(least, b.select(less, number, fn.get(least)))
                wanted = b.icmp_unsigned("!=", b.and_(fn.get(step), fn.const(2, I8)), fn.const(0, I8))
                masks = fn.load(self.at["members"], b.zext(fn.load(self.at["actions"], e, I16), I64))
                masks = b.or_(masks, b.select(wanted, self.goal, fn.const(0)))
                fn.put(taken, b.or_(fn.get(taken), masks))
            fn.put(new, b.select(fresh, target, none))
            fn.put(edge, b.add(e, b.zext(b.not_(fresh), I64)))
        self._set_number(node, fn.get(least))
        lower = b.icmp_unsigned("<", fn.get(least), own)
        mark = b.or_(b.and_(cursor, fn.const(MARK)), b.select(lower, fn.const(MARK), fn.const(0)))
        b.store(fn.get(taken), frame[1])
        with b.if_else(b.icmp_unsigned("!=", fn.get(new), none)) as (on, back):
            with on:
                b.store(b.or_(fn.get(edge), mark), frame[0])
                self._visit(fn.get(new))
            with back:
                fn.put(self.depth, place)
                fn.put(self.top, b.sub(fn.get(self.top), fn.const(1)))
                fn.store(self.at["stack"], fn.get(self.top), b.trunc(node, I32))
                with b.if_else(b.icmp_unsigned("==", mark, fn.const(0))) as (root, member):
                    with root:
                        self._close(frame, fn.get(least))
                    with member:
                        for one, before in zip(frame[1:], self._frame(b.sub(place, fn.const(1)))[1:], strict=True):
                            b.store(b.or_(b.load(one, I64), b.load(before, I64)), before)

    def _close(self, frame: list[Any], index: Any) -> None:
        """Emit: the open nodes that reach no index below this one are a component.

        It neglects weakly fair assumptions that are neither taken nor disabled in it anywhere, and strongly fair ones
        that are enabled somewhere and not taken.
        """
        fn, b, last = self.fn, self.b, self.b.sub(self.size, self.fn.const(1))
        taken, able, calm = (b.load(place, I64) for place in frame[1:])
        harmed = b.or_(b.and_(self.search.weak, b.not_(calm)), b.and_(self.search.strong, able))
        fn.store(self.at["neglected"], fn.get(self.found), b.and_(harmed, b.not_(taken)))
        code = b.or_(b.trunc(fn.get(self.found), I32), fn.const(CLOSED, I32))

        def member() -> Any:
            inside = b.icmp_unsigned("<=", fn.get(self.top), last)
            number = self._number(self._load("stack", b.select(inside, fn.get(self.top), last)))
            return b.and_(inside, b.icmp_unsigned(">=", number, index))

        with fn.while_(member):
            self._set_number(self._load("stack", fn.get(self.top)), code)
            fn.put(self.top, b.add(fn.get(self.top), fn.const(1)))
        fn.put(self.found, b.add(fn.get(self.found), fn.const(1)))
