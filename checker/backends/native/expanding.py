"""Expands the states of a large model in blocks: one action instance after the other, each for all its states.

The code of such a model is many times larger than the first-level instruction cache. State by state, each instance
would be fetched again, mostly to find that it is disabled. So first the guards of all instances are evaluated, in
vectors of eight states; then the code of each instance handles its states one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ir.expr import Expr, Pool
from ...ir.tree import Branch, Choice, Disabled, Tree, opened
from .builder import I8, I16, I32, I64, PTR, Function
from .instructions import Module, Routine, VectorType, constant
from .interface import BLOCK
from .noting import keep_noted
from .program import Program
from .terms import Terms

BITS = 64
"""States whose booleans fit one word."""
LANES = 8
"""States in a vector."""
FORKS = 2
"""Conditions with steps on both sides that are followed: deeper terms exclude less."""
NO_STEP, ERROR = 0xFFFF, 0xFFFE
"""The mark of a state without an action that had a step in it."""


def possible(pool: Pool, tree: Tree, forks: int = FORKS) -> Expr:
    """A term that holds wherever a tree has a step or an error, and in few other states."""
    guards, tree = opened(tree)
    if guards:
        holds = (condition if truth else pool.not_(condition) for condition, truth in guards)
        return pool.and_([*holds, possible(pool, tree, forks)])
    if isinstance(tree, Disabled):
        return pool.false
    if isinstance(tree, Choice):
        return pool.or_([possible(pool, option, forks) for option in tree.options])
    if not isinstance(tree, Branch):
        return pool.true
    if not forks:
        return pool.true
    return pool.ite(tree.condition, possible(pool, tree.then, forks - 1), possible(pool, tree.otherwise, forks - 1))


class Expanding:
    """Emits `expand_block` around the functions of the instances of a program, `acts`."""

    def __init__(self, program: Program, acts: Sequence[Routine], module: Module, keep: Function) -> None:
        self.program, self.acts, self.module, self.keep = program, acts, module, keep
        self.words, self.layout = program.words, program.model.layout
        self.enabled = self._enabled()
        self.instance = self._instance()
        instances, actions = range(len(acts)), range(len(program.action_names))
        self._expand("expand_block", [[k for k in instances if program.action_of[k] == a] for a in actions])
        if program.temporal:
            self._expand("expand_instances", [[k] for k in instances])

    def _expand(self, name: str, groups: Sequence[Sequence[int]]) -> None:
        """NAME(states, n, out, actions, sources, counters): like that of `Functions`, for at most BLOCK states;
        successors are ordered by instance."""
        fn = Function(self.module, name, [PTR, I64, PTR, PTR, PTR, PTR], I64)
        states, n, out, actions, sources, counters = fn.arguments
        b, counts, program = fn.b, self.program.counters, self.program
        masks, last = fn.buffer(I64, BLOCK // BITS * len(self.acts)), fn.buffer(I16, BLOCK)
        fn.call(self.enabled, states, n, masks)
        with fn.loop(fn.const(0), n) as i:
            fn.store(last, i, fn.const(NO_STEP, I16))
        count: Any = fn.const(0)
        for number, group in enumerate(groups):
            first, mark, action = count, fn.const(number, I16), program.action_of[group[0]]
            enabled = fn.at(counters, counts.enabled(action))
            for k in group:
                mask, own = fn.at(masks, BLOCK // BITS * k), (b.address(self.acts[k]), mark, enabled)
                count = fn.call(self.instance, states, n, mask, out, sources, count, counters, last, *own)
            with fn.loop(first, count) as i:
                fn.store(actions, i, mark)
            fn.increment(counters, counts.taken(action), b.sub(count, first))
        with fn.loop(fn.const(0), n) as i:
            stuck = b.icmp_unsigned("==", fn.load(last, i, I16), fn.const(NO_STEP, I16))
            fn.increment(counters, counts.deadlocks, b.zext(stuck, I64))
        fn.increment(counters, counts.expanded, n)
        fn.increment(counters, counts.generated, count)
        fn.done(count)

    def _instance(self) -> Function:
        """instance(states, n, mask, out, sources, count, counters, last, act, action, enabled) -> count: the successors
        under one instance, for those of n states that a mask selects and its guards allow. `last` has the last action
        with a step in each. `act` is the function of the instance, `enabled` the counter of its `action`."""
        given = [PTR, I64, PTR, PTR, PTR, I64, PTR, PTR, PTR, I16, PTR]
        fn = Function(self.module, "instance", given, I64).private()
        fn.llvm.attributes.append("noinline")
        states, n, mask, out, sources, count, counters, last, act, action, enabled = fn.arguments
        b, counts = fn.b, self.program.counters
        slot, left = fn.local(count), fn.local(fn.const(0))
        with fn.loop(fn.const(0), b.udiv(b.add(n, fn.const(BITS - 1)), fn.const(BITS))) as w:
            fn.put(left, fn.load(mask, w))
            with fn.while_(lambda: b.icmp_unsigned("!=", fn.get(left), fn.const(0))):
                waiting, first, faults = fn.get(left), fn.get(slot), fn.load(counters, counts.faults)
                position = b.add(b.mul(w, fn.const(BITS)), fn.trailing_zeros(waiting))
                fn.put(left, b.and_(waiting, b.sub(waiting, fn.const(1))))
                end = b.call_at(act, I64, [*fn.words(states, position, self.words), out, first, counters])
                keep_noted(fn, self.keep, states, position, counters, counts)
                before = fn.load(last, position, I16)
                with b.if_else(b.icmp_unsigned("!=", first, end)) as (some, none):
                    with some:
                        other = b.icmp_unsigned("!=", before, action)
                        fn.increment(enabled, 0, b.zext(other, I64))
                        fn.store(last, position, action)
                        with fn.loop(first, end) as j:
                            fn.store(sources, j, b.trunc(position, I32))
                        fn.put(slot, end)
                    with none:
                        failed = b.icmp_unsigned("!=", faults, fn.load(counters, counts.faults))
                        unmoved = b.icmp_unsigned("==", before, fn.const(NO_STEP, I16))
                        with fn.if_(b.and_(failed, unmoved), rarely=True):
                            fn.store(last, position, fn.const(ERROR, I16))
        fn.done(fn.get(slot))
        return fn

    def _enabled(self) -> Function:
        """enabled(states, n, masks): for each instance the mask of those of n states in which it may be enabled."""
        fn = Function(self.module, "enabled", [PTR, I64, PTR]).private()
        fn.llvm.attributes.append("noinline")
        states, n, masks = fn.arguments
        b, rows, pool = fn.b, fn.buffer(I64, self.words * BITS), self.program.model.pool
        vector = VectorType(I64, LANES)
        lanes = constant(vector, [fn.const(lane) for lane in range(LANES)])
        with fn.loop(fn.const(0), b.udiv(b.add(n, fn.const(BITS - 1)), fn.const(BITS))) as w:
            first = b.mul(w, fn.const(BITS))
            with fn.loop(fn.const(0), fn.const(BITS)) as i:
                within = b.add(first, i)
                within = b.select(b.icmp_unsigned("<", within, n), within, b.sub(n, fn.const(1)))
                for k, word in enumerate(fn.words(states, within, self.words)):
                    fn.store(fn.at(rows, k * BITS), i, word)
            with fn.loop(fn.const(0), fn.const(BITS // LANES)) as part:
                at = b.mul(part, fn.const(LANES))
                words = [b.load(fn.at(fn.at(rows, k * BITS), at), vector, align=8) for k in range(self.words)]
                used = b.icmp_unsigned("<", b.add(fn.splat(b.add(first, at), LANES), lanes), fn.splat(n, LANES))
                terms = Terms(fn, self.layout, words, lanes=LANES)
                byte = b.add(b.mul(w, fn.const(BITS // LANES)), part)
                for k, action in enumerate(self.program.model.actions):
                    holds = b.and_(terms(possible(pool, action.tree)), used)
                    fn.store(fn.at(masks, BLOCK // BITS * k), byte, b.bitcast(holds, I8))
        fn.done()
        return fn
