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
from .context import Context
from .instructions import Module
from .interface import AHEAD, CLOSED, MULTIPLIERS, NO_NODE, SEARCH

BATCH = 64
"""Rows whose cache lines are fetched together."""
PROGRESS = ("depth", "visited", "top", "found", "closed", "next")
"""What `components` keeps from one call to the next, beside its arrays."""
ARRAYS = (
    *("records", "targets", "actions", "steps", "nodes", "begins", "wanted", "enabled", "members", "weak", "strong"),
    *("starts", "stack", "path", "order", "ends", "neglected"),
)
"""The slots of a search that are addresses."""


def text() -> str:
    """The assembly of all passes."""
    module = Module(llvm.get_process_triple())
    for emit in (_fill, _find, _link, _enable, _grouped, _arrange, _renumber, _distances, _prepare, _judge, _leave_out):
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
    """find(table, mask, states, words, rows, n, numbers): the number of the state in each of n rows, or NO_NODE.

    States of one word get code of their own, which takes three quarters of the time.
    """
    fn = Function(module, "find", [PTR, I64, PTR, I64, PTR, I64, PTR])
    words = fn.arguments[3]
    with fn.b.if_else(fn.b.icmp_unsigned("==", words, fn.const(1))) as (one, more):
        with one:
            _find_all(fn, fn.const(1))
        with more:
            _find_all(fn, words)
    fn.done()


def _find_all(fn: Function, words: Any) -> None:
    """Emit: `find` for states of so many words."""
    table, mask, states, _, rows, n, numbers = fn.arguments
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
    """link(numbers, sources, actions, n, base, rows, first, next, targets, kept): the edges of nodes
    base..base+rows-1, from n steps in any order.

    Those steps are edges that change something and lead to a state with a number: step i leads from node
    base + sources[i] to node numbers[i]. The edges of a node keep their order. `first` has the first edge of node
    `base`, and zeros behind it. `next` is space for the rows. The edge behind the last one is written, too.
    """
    fn = Function(module, "link", [PTR, PTR, PTR, I64, I64, I64, PTR, PTR, PTR, PTR])
    numbers, sources, actions, n, base, rows, first, next_, targets, kept = fn.arguments
    b, first = fn.b, fn.at(first, base, I32)

    def step(i: Any) -> tuple[Any, Any, Any]:
        """Its source and target, and whether it is an edge."""
        source, number = b.zext(fn.load(sources, i, I32), I64), fn.load(numbers, i, I32)
        moves = b.icmp_unsigned("!=", b.zext(number, I64), b.add(base, source))
        return source, number, b.and_(moves, b.icmp_unsigned("!=", number, fn.const(NO_NODE, I32)))

    with fn.loop(fn.const(0), n) as i:
        source, _, edge = step(i)
        degree = fn.at(first, b.add(source, fn.const(1)), I32)
        b.store(b.add(b.load(degree, I32), b.zext(edge, I32)), degree)
    with fn.loop(fn.const(0), rows) as row:
        start = fn.load(first, row, I32)
        fn.store(next_, row, start)
        end = fn.at(first, b.add(row, fn.const(1)), I32)
        b.store(b.add(start, b.load(end, I32)), end)
    last = fn.load(first, rows, I32)
    with fn.loop(fn.const(0), n) as i:
        source, number, edge = step(i)
        own = fn.load(next_, source, I32)
        place = b.zext(b.select(edge, own, last), I64)
        fn.store(targets, place, number)
        fn.store(kept, place, fn.load(actions, i, I16))
        fn.store(next_, source, b.add(own, b.zext(edge, I32)))
    fn.done()


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


def _arrange(module: Module) -> None:
    """arrange(first, targets, n, place, sizes, order): an order of n nodes in which a walk along edges reads memory
    nearly in order; place[v] is the position of node v in it.

    The parent of a node is the least node before it with an edge to it: in the order of a breadth-first search, the one
    that found it. The order goes through the trees of parents depth first. `sizes` is space for n numbers.
    """
    fn = Function(module, "arrange", [PTR, PTR, I64, PTR, PTR, PTR])
    first, targets, n, place, sizes, order = fn.arguments
    b, none, root = fn.b, fn.const(NO_NODE, I32), fn.local(fn.const(0, I32))

    def number(array: Any, index: Any) -> Any:
        return b.zext(fn.load(array, index, I32), I64)

    def take(array: Any, index: Any, by: Any) -> Any:
        """The number at an index, which grows."""
        before = fn.load(array, index, I32)
        fn.store(array, index, b.add(before, by))
        return before

    with fn.loop(fn.const(0), n) as node:
        fn.store(place, node, none)
        fn.store(sizes, node, fn.const(1, I32))
    with fn.loop(fn.const(0), n) as node, fn.loop(number(first, node), number(first, b.add(node, fn.const(1)))) as e:
        target = number(targets, e)
        new = b.icmp_unsigned("==", fn.load(place, target, I32), none)
        with fn.if_(b.and_(new, b.icmp_unsigned(">", target, node))):
            fn.store(place, target, b.trunc(node, I32))
    with fn.loop(fn.const(0), n) as k:
        node = b.sub(b.sub(n, k), fn.const(1))
        with fn.if_(b.icmp_unsigned("!=", fn.load(place, node, I32), none)):
            take(sizes, number(place, node), fn.load(sizes, node, I32))
    # From here on sizes[v], of a node v that has its place, is the place of its next child.
    with fn.loop(fn.const(0), n) as node:
        size, position = fn.load(sizes, node, I32), fn.local(fn.get(root))
        with b.if_else(b.icmp_unsigned("==", fn.load(place, node, I32), none)) as (alone, child):
            with alone:
                fn.put(root, b.add(fn.get(root), size))
            with child:
                fn.put(position, take(sizes, number(place, node), size))
        fn.store(place, node, fn.get(position))
        fn.store(sizes, node, b.add(fn.get(position), fn.const(1, I32)))
        fn.store(order, b.zext(fn.get(position), I64), b.trunc(node, I32))
    fn.done()


def _renumber(module: Module) -> None:
    """renumber(order, place, n, first, targets, actions, new_first, new_targets, new_actions): the edges of n nodes in
    an order, which is followed by AHEAD nodes more; place[v] is the position of node v."""
    fn = Function(module, "renumber", [PTR, PTR, I64, *[PTR] * 6])
    order, place, n, first, targets, actions, new_first, new_targets, new_actions = fn.arguments
    b, count = fn.b, fn.local(fn.const(0))

    def number(array: Any, index: Any) -> Any:
        return b.zext(fn.load(array, index, I32), I64)

    with fn.loop(fn.const(0), n) as i:
        fn.prefetch(fn.at(first, number(order, b.add(i, fn.const(AHEAD))), I32))
        edges = number(first, number(order, b.add(i, fn.const(AHEAD // 2))))
        fn.prefetch(fn.at(targets, edges, I32))
        fn.prefetch(fn.at(actions, edges, I16))
        node = number(order, i)
        fn.store(new_first, i, b.trunc(fn.get(count), I32))
        with fn.loop(number(first, node), number(first, b.add(node, fn.const(1)))) as e:
            edge = fn.get(count)
            fn.store(new_targets, edge, fn.load(place, number(targets, e), I32))
            fn.store(new_actions, edge, fn.load(actions, e, I16))
            fn.put(count, b.add(edge, fn.const(1)))
    fn.store(new_first, n, b.trunc(fn.get(count), I32))
    fn.done()


def _distances(module: Module) -> None:
    """distances(first, targets, steps, nodes, starts, delays, n, found, queue): breadth-first from n starts.

    found[v] is how many edges node v is away from the nearest start, and the delay of that; it is negative before.
    Delays ascend. Only nodes and edges count that are 1 in `nodes` and `steps`, each unless it is a null pointer.
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

    def marked(array: Any, index: Any) -> Any:
        found = fn.local(fn.const(1, I8))
        with fn.if_(b.icmp_unsigned("!=", b.ptrtoint(array, I64), fn.const(0))):
            fn.put(found, fn.load(array, index, I8))
        return b.trunc(fn.get(found), I1)

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
                able = b.and_(marked(steps, e), marked(nodes, target))
                reach(target, b.add(fn.get(now), fn.const(1, I32)), able)
    fn.done()


# -- components --------------------------------------------------------------------------------------------------


class Search:
    """A search for components under construction: one function over an array of SEARCH."""

    def __init__(self, module: Module, name: str, result: Any = VOID) -> None:
        self.fn = Function(module, name, [PTR], result)
        self.b, self.slots = self.fn.b, Context(self.fn, self.fn.arguments[0], SEARCH)
        self.at = {name: self.slots.array(name) for name in ARRAYS}
        self.size, self.words = self.slots.size, self.slots.words
        self.some_steps = self.b.icmp_unsigned("!=", self.slots.steps, self.fn.const(0))

    def load(self, array: str, index: Any) -> Any:
        """A number of 32 bits, as one of 64."""
        return self.b.zext(self.fn.load(self.at[array], index, I32), I64)

    def store(self, array: str, index: Any, value: Any) -> None:
        """Store a number as one of 32 bits."""
        self.fn.store(self.at[array], index, self.b.trunc(value, I32))

    def number(self, node: Any) -> Any:
        """The number of a node."""
        return self.fn.load(self.at["records"], self.b.mul(node, self.fn.const(2)), I32)

    def set_number(self, node: Any, number: Any) -> None:
        """Assign the number of a node."""
        self.fn.store(self.at["records"], self.b.mul(node, self.fn.const(2)), number)

    def first(self, node: Any) -> Any:
        """The first edge of a node; those of the next node begin where its own end."""
        return self.load("records", self.b.add(self.b.mul(node, self.fn.const(2)), self.fn.const(1)))

    def end(self, node: Any) -> Any:
        """One past the last edge of a node."""
        return self.first(self.b.add(node, self.fn.const(1)))

    def step(self, edge: Any) -> Any:
        """Whether an edge may be taken (bit 0), and is wanted (bit 1)."""
        step = self.fn.local(self.fn.const(1, I8))
        with self.fn.if_(self.some_steps):
            self.fn.put(step, self.fn.load(self.at["steps"], edge, I8))
        return self.fn.get(step)

    def enabled(self, word: Any, node: Any) -> Any:
        """A word of the assumptions that are enabled in a node."""
        return self.fn.load(self.at["enabled"], self.b.add(self.b.mul(word, self.size), node))

    def neglected(self, word: Any, component: Any) -> Any:
        """Where a word of the assumptions is that a component neglects."""
        return self.fn.at(self.at["neglected"], self.b.add(self.b.mul(word, self.size), component))

    @contextmanager
    def components(self) -> Iterator[tuple[Any, Any, Any]]:
        """The body runs for each component: it gets its number, and the places in `order` where its nodes begin and
        end."""
        start = self.fn.local(self.fn.const(0))
        with self.fn.loop(self.fn.const(0), self.slots.found) as component:
            end = self.load("ends", component)
            yield component, self.fn.get(start), end
            self.fn.put(start, end)


def _prepare(module: Module) -> None:
    """prepare(search): number the nodes for a search, and list those from which it begins."""
    search = Search(module, "prepare")
    fn, b, last = search.fn, search.b, search.fn.local(search.fn.const(0))
    with fn.loop(fn.const(0), search.size) as node:
        allowed = fn.load(search.at["nodes"], node, I8)
        search.set_number(node, b.select(b.trunc(allowed, I1), fn.const(0, I32), fn.const(NO_NODE, I32)))
        search.store("starts", fn.get(last), node)
        begins = b.and_(allowed, fn.load(search.at["begins"], node, I8))
        fn.put(last, b.add(fn.get(last), b.zext(begins, I64)))
    search.slots.put("last", fn.get(last))
    fn.done()


class Components:
    """Emits components(search) -> whether it is complete: the strongly connected components of what can be reached.

    Pearce's form of Tarjan's algorithm (D. J. Pearce: A space-efficient algorithm for finding strongly connected
    components, IPL 2016), without recursion: one array of nodes holds the path from the front, and from the back the
    nodes whose component is still open. The number of a node is the least index that it reaches, then CLOSED plus the
    number of its component. An edge never leads to a component with a greater number.

    It returns after a number of moves, to be called again. Nearly all time goes into waiting for memory. So the number
    and the first edge of a node are side by side, the edges of nodes that may come next are fetched, and nothing is
    read that only fairness needs: see `judge`.
    """

    def __init__(self, module: Module) -> None:
        self.search = Search(module, "components", I64)
        self.fn, self.b = self.search.fn, self.search.b
        self.kept = [self.fn.local(getattr(self.search.slots, name)) for name in PROGRESS]
        self.depth, self.visited, self.top, self.found, self.closed, self.next = self.kept
        self._emit()

    def _emit(self) -> None:
        fn, b, search = self.fn, self.b, self.search
        left, done, last = fn.local(search.slots.moves), fn.local(fn.const(0)), search.slots.last
        with fn.while_(lambda: b.icmp_unsigned("!=", fn.get(left), fn.const(0))):
            fn.put(left, b.sub(fn.get(left), fn.const(1)))
            with b.if_else(b.icmp_unsigned("!=", fn.get(self.depth), fn.const(0))) as (inside, outside):
                with inside:
                    self._move()
                with outside, b.if_else(b.icmp_unsigned("<", fn.get(self.next), last)) as (more, none):
                    with more:
                        start = search.load("starts", fn.get(self.next))
                        fn.put(self.next, b.add(fn.get(self.next), fn.const(1)))
                        with fn.if_(b.icmp_unsigned("==", search.number(start), fn.const(0, I32))):
                            self._visit(start)
                    with none:
                        fn.put(left, fn.const(0))
                        fn.put(done, fn.const(1))
        for name, local in zip(PROGRESS, self.kept, strict=True):
            search.slots.put(name, fn.get(local))
        fn.done(fn.get(done))

    def _frame(self, place: Any) -> tuple[Any, Any]:
        """At a position of the path: the places of its next edge and its index."""
        base = self.b.mul(place, self.fn.const(2))
        return base, self.b.add(base, self.fn.const(1))

    def _visit(self, node: Any) -> None:
        """Emit: extend the path by a new node."""
        fn, b, search, depth = self.fn, self.b, self.search, self.fn.get(self.depth)
        index, first = b.add(fn.get(self.visited), fn.const(1)), search.first(node)
        fn.put(self.visited, index)
        search.set_number(node, b.trunc(index, I32))
        search.store("stack", depth, node)
        for place, value in zip(self._frame(depth), (first, index), strict=True):
            search.store("path", place, value)
        fn.put(self.depth, b.add(depth, fn.const(1)))
        with fn.loop(first, search.end(node)) as e:
            fn.prefetch(fn.at(search.at["targets"], search.first(search.load("targets", e)), I32))

    def _move(self) -> None:
        """Emit: from the last node of the path to a new one, or back when it has no more edges.

        An edge to a new node is looked at once more on the way back: then the number of that is known.
        """
        fn, b, search, none = self.fn, self.b, self.search, self.fn.const(NO_NODE)
        place = b.sub(fn.get(self.depth), fn.const(1))
        node, (cursor, index) = search.load("stack", place), self._frame(place)
        own = b.trunc(search.load("path", index), I32)
        edge, stop, new = fn.local(search.load("path", cursor)), fn.local(search.end(node)), fn.local(none)
        below = fn.local(b.sub(search.number(node), fn.const(1, I32)))  # the least index, minus 1
        with fn.while_(lambda: b.icmp_unsigned("<", fn.get(edge), fn.get(stop))):
            e = fn.get(edge)
            target, able = search.load("targets", e), b.trunc(search.step(e), I1)
            number = b.select(able, search.number(target), fn.const(NO_NODE, I32))
            with fn.if_(b.icmp_unsigned("==", number, fn.const(0, I32)), rarely=True):
                fn.put(new, target)
                fn.put(stop, e)
            reached = b.sub(number, fn.const(1, I32))
            less = b.icmp_unsigned("<", reached, fn.get(below))
            fn.put(below, b.select(less, reached, fn.get(below)))
            fn.put(edge, b.add(e, fn.const(1)))
        least = b.add(fn.get(below), fn.const(1, I32))
        search.set_number(node, least)
        with b.if_else(b.icmp_unsigned("!=", fn.get(new), none)) as (on, back):
            with on:
                search.store("path", cursor, fn.get(stop))
                self._visit(fn.get(new))
            with back:
                fn.put(self.depth, place)
                with b.if_else(b.icmp_unsigned("<", least, own)) as (member, root):
                    with member:
                        fn.put(self.top, b.sub(fn.get(self.top), fn.const(1)))
                        search.store("stack", fn.get(self.top), node)
                    with root:
                        self._close(node, own)

    def _close(self, root: Any, index: Any) -> None:
        """Emit: a node and the open nodes that reach no index below its own are a component."""
        fn, b, search, last = self.fn, self.b, self.search, self.b.sub(self.search.size, self.fn.const(1))
        code = b.or_(b.trunc(fn.get(self.found), I32), fn.const(CLOSED, I32))

        def close(node: Any) -> None:
            search.set_number(node, code)
            search.store("order", fn.get(self.closed), node)
            fn.put(self.closed, b.add(fn.get(self.closed), fn.const(1)))

        def member() -> Any:
            inside = b.icmp_unsigned("<=", fn.get(self.top), last)
            number = search.number(search.load("stack", b.select(inside, fn.get(self.top), last)))
            return b.and_(inside, b.icmp_unsigned(">=", number, index))

        close(root)
        with fn.while_(member):
            close(search.load("stack", fn.get(self.top)))
            fn.put(self.top, b.add(fn.get(self.top), fn.const(1)))
        search.store("ends", fn.get(self.found), fn.get(self.closed))
        fn.put(self.found, b.add(fn.get(self.found), fn.const(1)))


def _judge(module: Module) -> None:
    """judge(search): what each component neglects.

    That is what is weakly fair and neither taken nor disabled in it anywhere, and what is strongly fair, enabled
    somewhere and not taken.
    """
    search = Search(module, "judge")
    fn, b, nothing = search.fn, search.b, search.fn.const(0)
    fair, unlooped = fn.local(nothing), b.icmp_unsigned("==", search.slots.loops, nothing)
    with search.components() as (component, start, end):
        some = fn.local(nothing)
        single = b.and_(unlooped, b.icmp_unsigned("==", b.sub(end, start), fn.const(1)))
        with fn.loop(nothing, search.words) as word:
            last = b.icmp_unsigned("==", word, b.sub(search.words, fn.const(1)))
            goal = b.select(last, search.slots.goal, nothing)
            taken, able, calm = _gathered(search, (component, start, end), word, goal, single)
            weak, strong = (fn.load(search.at[kind], word) for kind in ("weak", "strong"))
            mask = b.or_(b.and_(weak, calm), b.and_(strong, able))
            mask = b.and_(mask, b.not_(taken))
            b.store(mask, search.neglected(word, component))
            fn.put(some, b.or_(fn.get(some), mask))
        fn.put(fair, b.add(fn.get(fair), b.zext(b.icmp_unsigned("==", fn.get(some), nothing), I64)))
    search.slots.put("fair", fn.get(fair))
    fn.done()


def _gathered(search: Search, component: tuple[Any, Any, Any], word: Any, goal: Any, single: Any) -> list[Any]:
    """A word of what is taken within a component, enabled somewhere in it, and enabled everywhere."""
    fn, b, (number, start, end) = search.fn, search.b, component
    here = b.or_(b.trunc(number, I32), fn.const(CLOSED, I32))
    members = fn.at(search.at["members"], b.mul(word, search.slots.instances))
    found = [fn.local(fn.const(value)) for value in (0, 0, -1)]
    taken, able, calm = found
    some = b.icmp_unsigned("!=", search.slots.wanted, fn.const(0))
    with fn.loop(start, end) as place:
        node, missed = search.load("order", place), fn.local(fn.const(0))
        ahead = search.load("order", b.add(place, fn.const(AHEAD)))
        fn.prefetch(fn.at(search.at["records"], ahead))
        fn.prefetch(fn.at(search.at["enabled"], ahead))
        edges = search.first(search.load("order", b.add(place, fn.const(AHEAD // 2))))
        fn.prefetch(fn.at(search.at["targets"], edges, I32))
        fn.prefetch(fn.at(search.at["actions"], edges, I16))
        with fn.if_(some):
            wanted = b.trunc(fn.load(search.at["wanted"], node, I8), I1)
            fn.put(missed, b.select(wanted, fn.const(0), goal))
        enabled = b.or_(search.enabled(word, node), fn.get(missed))
        fn.put(able, b.or_(fn.get(able), enabled))
        fn.put(calm, b.and_(fn.get(calm), enabled))
        with fn.if_(b.not_(single)), fn.loop(search.first(node), search.end(node)) as e:
            step = search.step(e)
            wanted = b.trunc(b.lshr(step, fn.const(1, I8)), I1)
            mask = fn.load(members, b.zext(fn.load(search.at["actions"], e, I16), I64))
            mask = b.or_(mask, b.select(wanted, goal, fn.const(0)))
            inside = b.icmp_unsigned("==", search.number(search.load("targets", e)), here)
            inside = b.and_(inside, b.trunc(step, I1))
            fn.put(taken, b.or_(fn.get(taken), b.select(inside, mask, fn.const(0))))
    return [fn.get(local) for local in found]


def _leave_out(module: Module) -> None:
    """leave_out(search): prepare another search, from what is left of components that neglect something that is
    strongly fair, without the nodes where that is enabled."""
    search = Search(module, "leave_out")
    fn, b, nothing = search.fn, search.b, search.fn.const(0)
    left = fn.local(nothing)
    with search.components() as (component, start, end):
        strongly = fn.local(nothing)

        def harm(word: Any, component: Any = component) -> Any:
            return b.and_(b.load(search.neglected(word, component), I64), fn.load(search.at["strong"], word))

        with fn.loop(nothing, search.words) as word:
            fn.put(strongly, b.or_(fn.get(strongly), harm(word)))
        with fn.loop(start, end) as place:
            node, missed = search.load("order", place), fn.local(nothing)
            with fn.loop(nothing, search.words) as word:
                fn.put(missed, b.or_(fn.get(missed), b.and_(harm(word), search.enabled(word, node))))
            again = b.icmp_unsigned("!=", fn.get(strongly), nothing)
            again = b.and_(again, b.icmp_unsigned("==", fn.get(missed), nothing))
            search.set_number(node, b.select(again, fn.const(0, I32), fn.const(NO_NODE, I32)))
            search.store("starts", fn.get(left), node)
            fn.put(left, b.add(fn.get(left), b.zext(again, I64)))
    search.slots.put("last", fn.get(left))
    fn.done()
