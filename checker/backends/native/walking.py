"""The loop that makes random walks: it stands around the functions of a model in place of a store.

A block of walks advances together, each by one step in a round. Where a walk ends, the next one takes its place, so the
block stays full. In a round all states of the block are judged, in vectors, and put into a sample of the distinct
states; then they are expanded, and each walk goes to one of its successors. What walk number i of seed s draws at step
t is a function of (s, i, t) alone (see engines/hashing, which has the same functions for arrays of numbers).
"""

from __future__ import annotations

from typing import Any

from .builder import I1, I8, I16, I32, I64, PTR, Function
from .calls import Calls
from .context import Context
from .instructions import Module
from .interface import WALK, walk_block
from .walk_sights import WalkSights, add_to, mixed, nonzero, routine


def drawn(fn: Function, context: Context, walk: Any, step: Any, limit: Any) -> Any:
    """The random number of a walk at a step, below a limit of 32 bits."""
    b = fn.b
    bits = mixed(fn, b.add(mixed(fn, b.xor(walk, context.seed)), mixed(fn, step)))
    return b.lshr(b.mul(b.lshr(bits, fn.const(32)), limit), fn.const(32))


class Walking:
    """Emits `walk` around the functions of a program."""

    def __init__(self, calls: Calls, module: Module) -> None:
        self.calls, self.module, self.words = calls, module, calls.words
        self.program, self.block = calls.program, walk_block(calls.program)
        self.sights = WalkSights(calls, module)
        self._begin = self._beginning()
        self._end, self._fail = self._ending(), self._failing()
        self._among, self._go = self._counting(), self._going()
        self._forward = self._advancing()
        self._walk()

    # -- the loop ------------------------------------------------------------------------------------------

    def _walk(self) -> None:
        """walk(context): make at most `rounds` rounds.

        It ends before where the sample must be pruned, where all walks have begun and `last` says nothing of whether
        there are others, and where all have ended.
        """
        fn = Function(self.module, "walk", [PTR])
        pointer, context, b = fn.arguments[0], Context(fn, fn.arguments[0], WALK), fn.b
        made = fn.local(fn.const(0))

        def more() -> Any:
            begun = b.icmp_unsigned("==", context.next, context.end)
            full = b.icmp_unsigned("==", context.size, fn.const(self.block))
            alone = b.and_(b.icmp_unsigned("!=", context.last, fn.const(0)), nonzero(fn, context.size))
            room = b.icmp_unsigned("<=", b.add(context.used, fn.const(self.block)), context.room)
            within = b.icmp_unsigned("<", fn.get(made), context.rounds)
            return b.and_(b.and_(room, within), b.or_(b.not_(begun), b.or_(full, alone)))

        with fn.while_(more):
            n = fn.call(self._begin, pointer)
            add_to(context, "generated", n)
            fn.call(self.sights.judge, pointer, n)
            fn.call(self.sights.visit, pointer, n)
            left = fn.call(self._end, pointer, n)
            fn.call(self._forward, pointer, left)
            fn.put(made, b.add(fn.get(made), fn.const(1)))
        fn.done()

    def _beginning(self) -> Function:
        """begin(context) -> n: fill the block with new walks, in an initial state each."""
        fn, context = routine(self.module, "begin")
        b, size = fn.b, fn.local(context.size)
        walks, steps, states = (context.array(name) for name in ("walks", "steps", "states"))

        def free() -> Any:
            waiting = b.icmp_unsigned("<", context.next, context.end)
            return b.and_(waiting, b.icmp_unsigned("<", fn.get(size), fn.const(self.block)))

        with fn.while_(free):
            walk, i = context.next, fn.get(size)
            start = drawn(fn, context, walk, fn.const(0), context.initial)
            fn.put_words(states, i, fn.words(context.array("starts"), start, self.words))
            fn.store(walks, i, walk)
            fn.store(steps, i, fn.const(0))
            fn.store(context.array("outside_now"), i, fn.const(0, I8))
            context.put("next", b.add(walk, fn.const(1)))
            fn.put(size, b.add(i, fn.const(1)))
        fn.done(fn.get(size))
        return fn

    # -- a step --------------------------------------------------------------------------------------------

    def _ending(self) -> Function:
        """end(context, n) -> left: drop the walks that have all their steps, or are outside a constraint."""
        fn, context = routine(self.module, "end", I64)
        b, n = fn.b, fn.arguments[1]
        walks, steps, states = (context.array(name) for name in ("walks", "steps", "states"))
        left, longest = fn.local(fn.const(0)), fn.local(context.longest)
        with fn.loop(fn.const(0), n) as i:
            step, outside = fn.load(steps, i), b.zext(fn.load(context.array("outside_now"), i, I8), I64)
            fn.put(longest, b.select(b.icmp_unsigned(">", step, fn.get(longest)), step, fn.get(longest)))
            last = b.icmp_unsigned(">=", step, context.most)
            add_to(context, "outside", b.select(last, fn.const(0), outside))
            with fn.if_(b.not_(b.or_(last, nonzero(fn, outside)))):
                fn.store(walks, fn.get(left), fn.load(walks, i))
                fn.store(steps, fn.get(left), step)
                fn.put_words(states, fn.get(left), fn.words(states, i, self.words))
                fn.put(left, b.add(fn.get(left), fn.const(1)))
        context.put("longest", fn.get(longest))
        add_to(context, "walked", b.sub(n, fn.get(left)))
        fn.done(fn.get(left))
        return fn

    def _failing(self) -> Function:
        """fail(context, n): mark the walks in whose states an action fails, and report it."""
        fn, context = routine(self.module, "fail", I64)
        b, n, counts = fn.b, fn.arguments[1], self.program.counters
        states, unused = context.array("states"), context.array("unused_counters")
        out, actions, sources = (context.array(name) for name in ("out", "actions", "sources"))
        with fn.loop(fn.const(0), n) as i:
            faults = fn.load(unused, counts.faults)
            state = fn.at(states, b.mul(i, fn.const(self.words)))
            fn.call(self.calls.expand, state, fn.const(1), out, actions, sources, unused)
            failed = b.icmp_unsigned("!=", faults, fn.load(unused, counts.faults))
            fn.store(context.array("failing"), i, b.zext(failed, I8))
            with fn.if_(failed):
                fn.call(self.sights.sight, fn.arguments[0], fn.const(len(self.program.watches())), i)
        fn.done(fn.call(self.calls.expand, states, n, out, actions, sources, unused))
        return fn

    def _counting(self) -> Function:
        """among(context, n, count): write for each walk how many successors it chooses among, and its choice.

        It chooses among those inside the constraints; where there are none, among all.
        """
        fn, context = routine(self.module, "among", I64, I64)
        b, (_, n, count) = fn.b, fn.arguments
        all_of, inside_of, picks = (context.array(name) for name in ("all", "inside", "picks"))
        sources, outside = context.array("sources"), context.array("outside_now")
        with fn.loop(fn.const(0), n) as i:
            fn.store(all_of, i, fn.const(0))
            fn.store(inside_of, i, fn.const(0))
        with fn.loop(fn.const(0), count) as j:
            source = b.zext(fn.load(sources, j, I32), I64)
            fn.increment(all_of, source)
            if self.calls.inside is not None:
                within = fn.call(self.calls.inside, *fn.words(context.array("out"), j, self.words))
                fn.store(context.array("within"), j, b.zext(within, I8))
                fn.increment(inside_of, source, b.zext(within, I64))
                add_to(context, "pruned", b.zext(b.not_(within), I64))
        with fn.loop(fn.const(0), n) as i:
            every = fn.load(all_of, i)
            some = every if self.calls.inside is None else fn.load(inside_of, i)
            none = b.icmp_unsigned("==", some, fn.const(0))
            step = b.add(fn.load(context.array("steps"), i), fn.const(1))
            limit = b.select(none, every, some)
            fn.store(picks, i, drawn(fn, context, fn.load(context.array("walks"), i), step, limit))
            fn.store(outside, i, b.zext(b.and_(none, nonzero(fn, every)), I8))
        fn.done(fn.const(0))
        return fn

    def _going(self) -> Function:
        """go(context, n, count) -> left: take the chosen steps; walks without a successor end."""
        fn, context = routine(self.module, "go", I64, I64)
        b, (_, n, count) = fn.b, fn.arguments
        picks, arrived, outside = context.array("picks"), context.array("arrived"), context.array("outside_now")
        with fn.loop(fn.const(0), count) as j:
            source = b.zext(fn.load(context.array("sources"), j, I32), I64)
            eligible = fn.const(1, I1)
            if self.calls.inside is not None:
                within, none = fn.load(context.array("within"), j, I8), fn.load(outside, source, I8)
                eligible = b.icmp_unsigned("!=", b.or_(within, none), fn.const(0, I8))
            with fn.if_(eligible):
                pick = fn.load(picks, source)
                fn.store(picks, source, b.sub(pick, fn.const(1)))
                with fn.if_(b.icmp_unsigned("==", pick, fn.const(0))):
                    fn.put_words(arrived, source, fn.words(context.array("out"), j, self.words))
                    action = b.zext(fn.load(context.array("actions"), j, I16), I64)
                    fn.increment(context.array("taken"), action)
        left = fn.local(fn.const(0))
        with fn.loop(fn.const(0), n) as i:
            moves = nonzero(fn, fn.load(context.array("all"), i))
            with b.if_else(moves) as (on, stuck):
                with on:
                    self._move(fn, context, i, fn.get(left))
                    fn.put(left, b.add(fn.get(left), fn.const(1)))
                with stuck:
                    self._stop(fn, context, i)
        add_to(context, "walked", b.sub(n, fn.get(left)))
        fn.done(fn.get(left))
        return fn

    def _move(self, fn: Function, context: Context, i: Any, to: Any) -> None:
        """Emit: walk i has a new state, and another place in the block."""
        walks, steps, outside = (context.array(name) for name in ("walks", "steps", "outside_now"))
        if self.sights.step_groups:
            fn.put_words(context.array("before"), to, fn.words(context.array("states"), i, self.words))
        fn.put_words(context.array("states"), to, fn.words(context.array("arrived"), i, self.words))
        fn.store(walks, to, fn.load(walks, i))
        fn.store(steps, to, fn.b.add(fn.load(steps, i), fn.const(1)))
        fn.store(outside, to, fn.load(outside, i, I8))

    def _stop(self, fn: Function, context: Context, i: Any) -> None:
        """Emit: walk i is in a state without successors."""
        b = fn.b
        with fn.if_(b.icmp_unsigned("==", fn.load(context.array("failing"), i, I8), fn.const(0, I8))):
            add_to(context, "stuck", 1)
            with fn.if_(nonzero(fn, context.deadlock)):
                fn.call(self.sights.sight, fn.arguments[0], fn.const(len(self.program.watches()) + 1), i)

    def _advancing(self) -> Function:
        """forward(context, n): a step of n walks."""
        fn, context = routine(self.module, "forward", I64)
        b, (pointer, n), faults = fn.b, fn.arguments, self.program.counters.faults
        counters, failing = context.array("counters"), context.array("failing")
        with fn.loop(fn.const(0), n) as i:
            fn.store(failing, i, fn.const(0, I8))
        before = fn.load(counters, faults)
        given = [context.array(name) for name in ("out", "actions", "sources", "counters")]
        count = fn.call(self.calls.expand, context.array("states"), n, *given)
        with fn.if_(b.icmp_unsigned("!=", before, fn.load(counters, faults)), rarely=True):
            fn.call(self._fail, pointer, n)
        fn.call(self._among, pointer, n, count)
        context.put("size", fn.call(self._go, pointer, n, count))
        fn.done(fn.const(0))
        return fn
