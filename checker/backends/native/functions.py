"""The functions of a compiled model: expand states, evaluate watches, constraints and views."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import reduce
from typing import Any

from ...ir.expr import Expr
from ...ir.tree import Branch, Choice, Disabled, Fault, Tree, Update
from ...ir.under_facts import shortened
from .builder import I1, I16, I32, I64, PTR, Function
from .expanding import Expanding
from .guarded_updates import parted
from .instructions import Module, Table
from .interface import NO_ACTION, large
from .program import Group, Program
from .successor import successor
from .terms import Terms


class Functions:
    """The functions of one program, emitted into an LLVM module."""

    def __init__(
        self, program: Program, module: Module, told: Callable[[int, int], None] = lambda done, total: None
    ) -> None:
        self.program, self.module, self.words = program, module, program.words
        self.layout = program.model.layout
        self.expand = self.expand_block = self._expand(told)
        if large(program):
            self.expand_block = Expanding(program, self.acts, module).expand
        parts = () if program.reduction is None else program.reduction.parts
        self.parts = [self._part(k, part.action, part.tree) for k, part in enumerate(parts)]
        self.state_flags = self._flags("state_flags", program.state_groups, step=False)
        self.step_flags = self._flags("step_flags", program.step_groups, step=True)
        self.inside = self._inside()
        self._export_flags("flag_states", self.state_flags, step=False)
        self._export_flags("flag_steps", self.step_flags, step=True)
        self._export_inside()
        if program.viewed:
            self._export_keys()

    # -- actions -------------------------------------------------------------------------------------------

    def _expand(self, told: Callable[[int, int], None]) -> Function:
        """expand(states, n, out, actions, sources, counters): writes the successors of n states, returns how many.

        out[i] is a successor, actions[i] (u16) the action, sources[i] (u32) the position of its predecessor.
        """
        counts = self.program.counters
        self.acts: list[Function] = []
        self.guards: list[list[tuple[Expr, bool]]] = []
        for i, action in enumerate(self.program.model.actions):
            told(i, len(self.program.model.actions))
            guards, rest = opened(action.tree) if large(self.program) else ([], action.tree)
            self.acts.append(self.act(f"act_{i}", shortened(self.program.model.pool, rest, guards)))
            self.guards.append(guards)
            if large(self.program):
                self.acts[-1].llvm.attributes.append("noinline")  # it has two callers, and is long
        fn = Function(self.module, "expand", [PTR, I64, PTR, PTR, PTR, PTR], I64)
        states, n, out, actions, sources, counters = fn.arguments
        count = fn.local(fn.const(0))
        with fn.loop(fn.const(0), n) as i:
            words = fn.words(states, i, self.words)
            terms = Terms(fn, self.layout, words)
            first, faults = fn.get(count), fn.load(counters, counts.faults)
            for number in range(len(self.program.action_names)):
                start = fn.get(count)
                for k in range(len(self.acts)):
                    if self.program.action_of[k] == number:
                        self._try(terms, k, out, count, counters)
                end = fn.get(count)
                with fn.if_(fn.b.icmp_unsigned("!=", start, end)):
                    fn.increment(counters, counts.enabled(number))
                    fn.increment(counters, counts.taken(number), fn.b.sub(end, start))
                    with fn.loop(start, end) as j:
                        fn.store(actions, j, fn.const(number, I16))
                        fn.store(sources, j, fn.b.trunc(i, I32))
            stuck = fn.b.icmp_unsigned("==", first, fn.get(count))
            unharmed = fn.b.icmp_unsigned("==", faults, fn.load(counters, counts.faults))
            with fn.if_(fn.b.and_(stuck, unharmed), rarely=True):
                fn.increment(counters, counts.deadlocks)
            fn.increment(counters, counts.expanded)
        fn.increment(counters, counts.generated, fn.get(count))
        fn.done(fn.get(count))
        return fn

    def _try(self, terms: Terms, k: int, out: Any, count: Any, counters: Any) -> None:
        """Emit: the successors under an instance, where its guards hold."""
        fn, b, holds = terms.fn, terms.fn.b, []
        with terms.branch():
            for condition, truth in self.guards[k]:
                holds.append(terms(condition) if truth else b.not_(terms(condition)))
            with fn.if_(reduce(b.and_, holds)) if holds else nullcontext():
                fn.put(count, fn.call(self.acts[k], *terms.words, out, fn.get(count), counters))

    def _part(self, k: int, action: int, tree: Tree) -> Function:
        """What a part does where it is enabled; the code of a whole instance, which is long, is there already."""
        if large(self.program) and tree is self.program.model.actions[action].tree:
            return self.acts[action]
        return self.act(f"part_{k}", shortened(self.program.model.pool, tree))

    def act(self, name: str, tree: Tree) -> Function:
        """NAME(words..., out, count, counters) -> count: the successors of one state under a tree."""
        fn = Function(self.module, name, [*[I64] * self.words, PTR, I64, PTR], I64).private()
        *words, out, count, counters = fn.arguments
        slot = fn.local(count)
        terms = Terms(fn, self.layout, words)

        def emit(node: Tree) -> None:
            with terms.branch():
                if isinstance(node, Branch):
                    self._branch(fn, terms(node.condition), node, emit)
                elif isinstance(node, Choice):
                    for option in node.options:
                        emit(option)
                elif isinstance(node, Update):
                    self._update(terms, out, fn.get(slot), node)
                    fn.put(slot, fn.b.add(fn.get(slot), fn.const(1)))
                elif isinstance(node, Fault):
                    fn.increment(counters, self.program.counters.faults)

        emit(tree)
        fn.done(fn.get(slot))
        return fn

    def _update(self, terms: Terms, out: Any, position: Any, node: Update) -> None:
        """Emit: the successor under an update, at a position."""
        two = parted(self.program.model.pool, node.writes)
        if two is None:
            terms.fn.put_words(out, position, successor(terms, node.writes))
            return
        with terms.fn.b.if_else(terms(two.matters)) as (whole, rest):
            for body, writes in ((whole, node.writes), (rest, two.rest)):
                with body, terms.branch():
                    terms.fn.put_words(out, position, successor(terms, writes))

    def _branch(self, fn: Function, condition: Any, node: Branch, emit: Any) -> None:
        if isinstance(node.otherwise, Disabled):
            with fn.if_(condition):
                emit(node.then)
        elif isinstance(node.then, Disabled):
            with fn.if_(fn.b.not_(condition)):
                emit(node.otherwise)
        else:
            with fn.b.if_else(condition) as (then, otherwise):
                with then:
                    emit(node.then)
                with otherwise:
                    emit(node.otherwise)

    # -- properties ----------------------------------------------------------------------------------------

    def _flags(self, name: str, groups: list[Group], step: bool) -> list[Function]:
        """flags(words...[, words before...]) -> bit k is set where watch k of the group holds; one for each group."""
        found, watches = [], self.program.watches()
        for g, group in enumerate(groups):
            fn = Function(self.module, f"{name}_{g}", [I64] * self.words * (2 if step else 1), I64).private()
            words, before = fn.arguments[: self.words], fn.arguments[self.words :]
            terms, flags = Terms(fn, self.layout, words, before), fn.const(0)
            for k, watch in enumerate(group.watches):
                bit = fn.b.zext(terms(watches[watch].term), I64)
                flags = fn.b.or_(flags, fn.b.shl(bit, fn.const(k)))
            fn.done(flags)
            found.append(fn)
        return found

    def _export_flags(self, name: str, groups: list[Function], step: bool) -> None:
        """NAME_GROUP(states[, before, sources], n, flags): the flags of n states (or of n steps)."""
        for g, group in enumerate(groups):
            fn = Function(self.module, f"{name}_{g}", [PTR, PTR, PTR, I64, PTR])
            states, before, sources, n, out = fn.arguments
            with fn.loop(fn.const(0), n) as i:
                words = fn.words(states, i, self.words)
                if step:
                    source = fn.b.zext(fn.load(sources, i, I32), I64)
                    words += fn.words(before, source, self.words)
                fn.store(out, i, fn.call(group, *words))
            fn.done()

    def _inside(self) -> Function | None:
        """inside(words...) -> whether a state satisfies every constraint; None when there is no constraint."""
        if not self.program.constraints:
            return None
        fn = Function(self.module, "inside", [I64] * self.words, I1).private()
        terms = Terms(fn, self.layout, fn.arguments)
        value = fn.const(1, I1)
        for term in self.program.constraints:
            value = fn.b.and_(value, terms(term))
        fn.done(value)
        return fn

    def _export_inside(self) -> None:
        """inside_states(states, n, flags): 1 where the state satisfies every constraint."""
        fn = Function(self.module, "inside_states", [PTR, I64, PTR])
        states, n, out = fn.arguments
        with fn.loop(fn.const(0), n) as i:
            within = fn.call(self.inside, *fn.words(states, i, self.words)) if self.inside else fn.const(1, I1)
            fn.store(out, i, fn.b.zext(within, I64))
        fn.done()

    def _export_keys(self) -> None:
        """keys(states, n, out): the words that identify each of n states."""
        fn = Function(self.module, "keys", [PTR, I64, PTR])
        states, n, out = fn.arguments
        with fn.loop(fn.const(0), n) as i:
            fn.put_words(out, i, self.key(fn, fn.words(states, i, self.words)))
        fn.done()

    # -- what a search needs -------------------------------------------------------------------------------

    def count_outside(self, fn: Function, words: list[Any], counters: Any) -> None:
        """Emit: a state is outside the constraint, and is watched all the same."""
        fn.increment(counters, self.program.counters.outside)
        self.count_state(fn, words, counters)

    def count_state(self, fn: Function, words: list[Any], counters: Any) -> None:
        """Emit: add the flags of one state to the counters of its watches."""
        for number in range(len(self.state_flags)):
            self.count_group(fn, number, words, counters)

    def count_group(self, fn: Function, number: int, words: list[Any], counters: Any) -> None:
        """Emit: the same for one group of watches."""
        flags = fn.call(self.state_flags[number], *words)
        self._count(fn, flags, self.program.state_groups[number], counters)

    def count_step(self, fn: Function, words: list[Any], before: list[Any], counters: Any) -> None:
        """Emit: add the flags of one step to the counters of its watches."""
        for group, flags in zip(self.program.step_groups, self.step_flags, strict=True):
            self._count(fn, fn.call(flags, *words, *before), group, counters)

    def _count(self, fn: Function, flags: Any, group: Group, counters: Any) -> None:
        with fn.if_(fn.b.icmp_unsigned("!=", flags, fn.const(0))):
            for k, watch in enumerate(group.watches):
                bit = fn.b.and_(fn.b.lshr(flags, fn.const(k)), fn.const(1))
                fn.increment(counters, self.program.counters.hits(watch), bit)

    def needed(self, fn: Function, action: Any) -> Any:
        """Emit: the groups whose watches an action (u16) may have changed, as a mask; all for an initial state."""
        groups, b = self.program.state_groups, fn.b
        masks = [sum(1 << g for g, group in enumerate(groups) if a in group.needs) for a in range(self._actions)]
        table = self.module.globals.get("needs") or Table(self.module, "needs", [fn.const(mask) for mask in masks])
        start = b.icmp_unsigned("==", action, fn.const(NO_ACTION, I16))
        index = b.select(start, fn.const(0), b.zext(action, I64))
        return b.select(start, fn.const(-1), fn.load(table, index))

    @property
    def _actions(self) -> int:
        return len(self.program.action_names)

    def key(self, fn: Function, words: list[Any]) -> list[Any]:
        """Emit: the words that identify a state."""
        view: tuple[Expr, ...] = self.program.model.view
        if not view:
            return words
        terms = Terms(fn, self.layout, words)
        values = [terms(term) for term in view]
        return [fn.b.zext(v, I64) if v.type == I1 else v for v in values]


def opened(tree: Tree) -> tuple[list[tuple[Expr, bool]], Tree]:
    """The guards at the top of a tree, conditions with the truth that each must have, and the tree behind them."""
    guards: list[tuple[Expr, bool]] = []
    while isinstance(tree, Branch) and isinstance(tree.then, Disabled) != isinstance(tree.otherwise, Disabled):
        truth = isinstance(tree.otherwise, Disabled)
        guards.append((tree.condition, truth))
        tree = tree.then if truth else tree.otherwise
    return guards, tree
