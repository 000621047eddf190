"""What random walks see: their states are judged, in vectors, and sampled. Part of the loop of `walking`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .builder import I8, I64, PTR, Function
from .calls import Calls
from .context import Context
from .instructions import Module, VectorType
from .interface import DIGEST_SEED, EVERY_WALK, GOLDEN, SIGHTING, VISITED, WALK, WALK_LANES, walk_block
from .program import Group
from .terms import Terms

VECTOR = VectorType(I64, WALK_LANES)
BITS = 64
"""Walks of a block whose booleans fit one word."""


def mixed(fn: Function, value: Any) -> Any:
    """A step of SplitMix64."""
    b = fn.b
    value = b.add(value, fn.const(GOLDEN))
    value = b.mul(b.xor(value, b.lshr(value, fn.const(30))), fn.const(0xBF58476D1CE4E5B9))
    value = b.mul(b.xor(value, b.lshr(value, fn.const(27))), fn.const(0x94D049BB133111EB))
    return b.xor(value, b.lshr(value, fn.const(31)))


def routine(module: Module, name: str, *more: Any) -> tuple[Function, Context]:
    """A function of the loop: it gets the context of a thread, and more."""
    fn = Function(module, name, [PTR, *more], I64).private()
    fn.llvm.attributes.append("noinline")
    return fn, Context(fn, fn.arguments[0], WALK)


def add_to(context: Context, name: str, by: Any) -> None:
    """Emit: add to a number of the context."""
    context.fn.increment(context.address(name), 0, by)


def nonzero(fn: Function, number: Any) -> Any:
    """Emit: whether a number is not zero."""
    return fn.b.icmp_unsigned("!=", number, fn.const(0))


class WalkSights:
    """Emits `sight`, `judge` and `visit` for the functions of a program; `step_groups` are its watches on steps."""

    def __init__(self, calls: Calls, module: Module) -> None:
        self.calls, self.module, self.words = calls, module, calls.words
        self.program, self.block = calls.program, walk_block(calls.program)
        self.step_groups = list(zip(self.program.step_groups, calls.step_flags, strict=True))
        self.sight, self.visit = self._sighting(), self._visiting()
        self.judge = self._judging()

    def _sighting(self) -> Function:
        """sight(context, key, i): walk i of the block met a violation."""
        fn, context = routine(self.module, "sight", I64, I64)
        _, key, i = fn.arguments
        b, walk, step = fn.b, fn.load(context.array("walks"), i), fn.load(context.array("steps"), i)
        seen = Context(fn, fn.at(context.array("sightings"), b.mul(key, fn.const(len(SIGHTING)))), SIGHTING)
        new = b.icmp_unsigned("==", seen.times, fn.const(0))
        seen.put("times", b.add(seen.times, fn.const(1)))

        def less(pairs: Sequence[tuple[Any, Any]]) -> Any:
            (a, c), (d, e) = pairs
            return b.or_(b.icmp_unsigned("<", a, c), b.and_(b.icmp_unsigned("==", a, c), b.icmp_unsigned("<", d, e)))

        with fn.if_(b.or_(new, less([(walk, seen.first_walk), (step, seen.first_step)])), rarely=True):
            seen.put("first_walk", walk)
            seen.put("first_step", step)
        with fn.if_(b.or_(new, less([(step, seen.shortest_step), (walk, seen.shortest_walk)])), rarely=True):
            seen.put("shortest_step", step)
            seen.put("shortest_walk", walk)
        fn.done(fn.const(0))
        return fn

    def _judging(self) -> Function:
        """judge(context, n): evaluate all watches in the states of n walks, and on their last steps."""
        judges = [self._group(number, group) for number, group in enumerate(self.program.state_groups)]
        fn, context = routine(self.module, "judge", I64)
        b, pointer, n = fn.b, fn.arguments[0], fn.arguments[1]
        parts = b.lshr(b.add(n, fn.const(BITS - 1)), fn.const(6))
        states, columns = context.array("states"), context.array("columns")
        watched = sum(len(group.watches) for group in self.program.state_groups)
        if judges:
            with fn.loop(fn.const(0), b.mul(parts, fn.const(BITS))) as i:
                within = b.select(b.icmp_unsigned("<", i, n), i, b.sub(n, fn.const(1)))
                for w, word in enumerate(fn.words(states, within, self.words)):
                    fn.store(fn.at(columns, w * self.block), i, word)
        for judge in judges:
            fn.call(judge, pointer, n)
        with fn.loop(fn.const(0), fn.const(watched)) as watch:
            flags = fn.at(context.array("flags"), b.mul(watch, fn.const(self.block // BITS)))
            with fn.loop(fn.const(0), parts) as part:
                self._look(fn, context, watch, fn.load(flags, part), b.mul(part, fn.const(BITS)))
        if self.step_groups:
            self._judge_steps(fn, context, n)
        fn.done(fn.const(0))
        return fn

    def _look(self, fn: Function, context: Context, watch: Any, flags: Any, first: Any) -> None:
        """Emit: a watch holds in the states of some walks: those of a mask, counted from the first."""
        b = fn.b
        is_violation = nonzero(fn, fn.load(context.array("violations"), watch))
        with fn.if_(b.and_(b.not_(is_violation), nonzero(fn, flags))):
            seen = fn.at(context.array("sightings"), b.mul(watch, fn.const(len(SIGHTING))))
            fn.store(seen, SIGHTING["times"], fn.const(1))
        left = fn.local(b.select(is_violation, flags, fn.const(0)))
        with fn.while_(lambda: nonzero(fn, fn.get(left))):
            waiting = fn.get(left)
            fn.call(self.sight, fn.arguments[0], watch, b.add(first, fn.trailing_zeros(waiting)))
            fn.put(left, b.and_(waiting, b.sub(waiting, fn.const(1))))

    def _group(self, number: int, group: Group) -> Function:
        """judge_NUMBER(context, n): write for each watch of a group a mask of the walks in whose states it holds."""
        fn, context = routine(self.module, f"judge_{number}", I64)
        n, b, watches = fn.arguments[1], fn.b, self.program.watches()
        columns, flags = context.array("columns"), context.array("flags")
        parts = b.lshr(b.add(n, fn.const(BITS - 1)), fn.const(6))
        with fn.loop(fn.const(0), b.mul(parts, fn.const(BITS // WALK_LANES))) as part:
            at = b.mul(part, fn.const(WALK_LANES))
            words = [b.load(fn.at(fn.at(columns, w * self.block), at), VECTOR, align=8) for w in range(self.words)]
            left = b.sub(n, at)
            some = b.sub(b.shl(fn.const(1), b.and_(left, fn.const(63))), fn.const(1))
            some = b.select(b.icmp_signed(">", left, fn.const(0)), some, fn.const(0))
            used = b.trunc(b.select(b.icmp_signed(">=", left, fn.const(WALK_LANES)), fn.const(-1), some), I8)
            terms = Terms(fn, self.calls.layout, words, lanes=WALK_LANES)
            for watch in group.watches:
                holds = b.and_(b.bitcast(terms(watches[watch].term), I8), used)
                fn.store(fn.at(flags, watch * (self.block // BITS)), part, holds)
        fn.done(fn.const(0))
        return fn

    def _judge_steps(self, fn: Function, context: Context, n: Any) -> None:
        b, states, before = fn.b, context.array("states"), context.array("before")
        with (
            fn.loop(fn.const(0), n) as i,
            fn.if_(nonzero(fn, fn.load(context.array("steps"), i))),
        ):
            words = [*fn.words(states, i, self.words), *fn.words(before, i, self.words)]
            for group, function in self.step_groups:
                flags = fn.call(function, *words)
                for k, watch in enumerate(group.watches):
                    bit = b.and_(b.lshr(flags, fn.const(k)), fn.const(1))
                    with fn.if_(nonzero(fn, bit), rarely=True):
                        fn.call(self.sight, fn.arguments[0], fn.const(watch), i)

    def _visiting(self) -> Function:
        """visit(context, n): put the states of n walks into the sample of distinct states (see
        engines/sampling/sketch): a table of digests, how often each was visited, and by which walk."""
        fn, context = routine(self.module, "visit", I64)
        b, n, table = fn.b, fn.arguments[1], context.array("table")
        with fn.loop(fn.const(0), n) as i:
            digest = fn.const(DIGEST_SEED)
            for word in fn.words(context.array("states"), i, self.words):
                digest = mixed(fn, b.add(digest, word))
            with fn.if_(b.icmp_unsigned("<=", digest, context.highest)):
                place, walk = fn.local(b.and_(digest, context.mask)), fn.load(context.array("walks"), i)

                def entry(place: Any = place) -> Context:
                    return Context(fn, fn.at(table, b.mul(fn.get(place), fn.const(len(VISITED)))), VISITED)

                def other(entry: Any = entry, digest: Any = digest) -> Any:
                    here = entry()
                    differs = b.icmp_unsigned("!=", here.digest, digest)
                    return b.and_(nonzero(fn, here.visits), differs)

                with fn.while_(other):
                    fn.put(place, b.and_(b.add(fn.get(place), fn.const(1)), context.mask))
                here = entry()
                with b.if_else(b.icmp_unsigned("==", here.visits, fn.const(0))) as (new, known):
                    with new:
                        here.put("digest", digest)
                        here.put("walk", walk)
                        add_to(context, "used", 1)
                    with known:
                        own = b.icmp_unsigned("==", here.walk, walk)
                        here.put("walk", b.select(own, walk, fn.const(EVERY_WALK)))
                here.put("visits", b.add(here.visits, fn.const(1)))
        fn.done(fn.const(0))
        return fn
