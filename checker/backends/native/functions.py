"""The functions of a compiled model: they expand states and evaluate watches, constraints and views."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import reduce
from itertools import count as count_from
from typing import Any

from ...ir.expr import Expr
from ...ir.fact_substitution import shortened
from ...ir.paths import below
from ...ir.tree import Branch, Choice, Disabled, Fault, Nested, Tree, Update, in_turn, opened
from .bit_parallel import Groups
from .builder import I1, I16, I32, I64, PTR, Function
from .calls import key
from .expanding import Expanding
from .guarded_updates import UpdateSplitter
from .hoisting import NOTHING, Path, hoists
from .instructions import Module, Routine
from .interface import large
from .noting import keep_function, keep_noted, note, note_function
from .program import Program
from .successor import Word, Words, changed, successor
from .terms import Terms
from .watching import Watching

FULL = 20_000
"""Instructions of a module from which on the next instance goes into another one. Each is optimised on its own, so that
a search can use it soon, and only unfinished modules are lost when it ends."""


class Functions:
    """The functions of one program, emitted into LLVM modules; the instances of a large one go into several.

    `ready` gets each module that is complete, while others are written.
    """

    def __init__(
        self,
        program: Program,
        triple: str,
        on_progress: Callable[[int, int], None] = lambda done, total: None,
        ready: Callable[[Module], None] = lambda module: None,
    ) -> None:
        self._ready = ready
        self.program, self.module, self.words = program, Module(triple), program.words
        self.modules = [self.module]
        self.layout, self.alone = program.model.layout, not large(program)
        self._parting, self._groups = UpdateSplitter(program.model.pool), Groups(self.layout)
        self._changes = Words(self.layout)
        note_function(self.module, program.counters)
        self.keep = keep_function(self.module, program.counters, self.words)
        self._expand(on_progress)
        if large(program):
            Expanding(program, self.acts, self.module, self.keep)
        watches = program.watches()
        for name, groups, step in (("states", program.state_groups, False), ("steps", program.step_groups, True)):
            terms = [[watches[watch].term for watch in group.watches] for group in groups]
            self._export_flags(f"flag_{name}", self._flags(f"{name[:-1]}_flags", terms, step), step)
        for name, some, step in (("states", program.state_conditions, False), ("steps", program.step_conditions, True)):
            terms = [[condition.term for condition in group] for group in some]
            self._export_flags(f"judge_{name}", self._flags(f"{name[:-1]}_conditions", terms, step), step)
        self._export_inside(self._inside())
        Watching(program, self.module)
        if program.viewed:
            self._export_keys()

    # -- actions -------------------------------------------------------------------------------------------

    def _expand(self, on_progress: Callable[[int, int], None]) -> None:
        """The functions of the instances, and `expand` around them.

        Where there are temporal properties, `expand_instances` does the same, with the numbers of instances in the
        place of actions; of a large program by the block (see expanding). What it counts of actions is not used.
        """
        self.acts: list[Routine] = []
        self.guards: list[list[tuple[Expr, bool]]] = []
        for i, action in enumerate(self.program.model.actions):
            on_progress(i, len(self.program.model.actions))
            guards, rest = opened(action.tree) if large(self.program) else ([], action.tree)
            tree, first = shortened(self.program.model.pool, rest, guards), self.program.first_paths[i]
            self.acts.append(self.act(f"act_{i}", tree, first))
            self.guards.append(guards)
        instances = range(len(self.acts))
        actions = range(len(self.program.action_names))
        self._expander("expand", [[k for k in instances if self.program.action_of[k] == a] for a in actions])
        if self.program.temporal and not large(self.program):
            self._expander("expand_instances", [[k] for k in instances])

    def _expander(self, name: str, groups: list[list[int]]) -> None:
        """NAME(states, n, out, actions, sources, counters): writes the successors of n states, returns how many.

        out[i] is a successor, actions[i] (u16) the group of its instance, sources[i] (u32) the position of its
        predecessor.
        """
        fn, counts = Function(self.module, name, [PTR, I64, PTR, PTR, PTR, PTR], I64), self.program.counters
        states, n, out, actions, sources, counters = fn.arguments
        count = fn.local(fn.const(0))
        with fn.loop(fn.const(0), n) as i:
            words = fn.words(states, i, self.words)
            terms = Terms(fn, self.layout, words)
            first, faults = fn.get(count), fn.load(counters, counts.faults)
            for number, group in enumerate(groups):
                start, action = fn.get(count), self.program.action_of[group[0]]
                for k in group:
                    self._try(terms, k, out, count, counters)
                end = fn.get(count)
                with fn.if_(fn.b.icmp_unsigned("!=", start, end)):
                    fn.increment(counters, counts.enabled(action))
                    fn.increment(counters, counts.taken(action), fn.b.sub(end, start))
                    with fn.loop(start, end) as j:
                        fn.store(actions, j, fn.const(number, I16))
                        fn.store(sources, j, fn.b.trunc(i, I32))
            keep_noted(fn, self.keep, states, i, counters, counts)
            stuck = fn.b.icmp_unsigned("==", first, fn.get(count))
            unharmed = fn.b.icmp_unsigned("==", faults, fn.load(counters, counts.faults))
            with fn.if_(fn.b.and_(stuck, unharmed), rarely=True):
                fn.increment(counters, counts.deadlocks)
            fn.increment(counters, counts.expanded)
        fn.increment(counters, counts.generated, fn.get(count))
        fn.done(fn.get(count))

    def _try(self, terms: Terms, k: int, out: Any, count: Any, counters: Any) -> None:
        """Emit: the successors under an instance, where its guards hold."""
        fn, b, holds = terms.fn, terms.fn.b, []
        with terms.branch():
            for condition, truth in self.guards[k]:
                holds.append(terms(condition) if truth else b.not_(terms(condition)))
            with fn.if_(reduce(b.and_, holds)) if holds else nullcontext():
                fn.put(count, fn.call(self.acts[k], *terms.words, out, fn.get(count), counters))

    def act(self, name: str, tree: Tree, first: int) -> Routine:
        """NAME(words..., out, count, counters) -> count: the successors of one state under a tree, whose paths have the
        numbers from `first` on."""
        fn = Function(self._room(), name, [*[I64] * self.words, PTR, I64, PTR], I64).inner()
        *words, out, count, counters = fn.arguments
        slot = fn.local(count)
        terms = Terms(fn, self.layout, words, groups=self._groups)
        before, numbers = hoists(terms, self._changes, tree), count_from(first)

        def emit(node: Tree, path: Path, top: bool, emit: Any) -> Nested:  # a closure would hold itself, and the model
            with terms.branch():
                for unit in before.get(path, ()):
                    changed(terms, unit) if isinstance(unit, Word) else terms(unit)
                if isinstance(node, Branch):
                    parts = {k: (part, on_top) for k, part, on_top in below(node, top)}
                    for k in self._branch(fn, terms(node.condition), list(parts)):
                        part, on_top = parts[k]
                        yield emit(part, (*path, k), on_top, emit)
                    return
                if isinstance(node, Choice):
                    for k, option, on_top in below(node, top):
                        yield emit(option, (*path, k), on_top, emit)
                    return
                if not (top and isinstance(node, Disabled)):
                    note(fn, counters, self.program.counters, next(numbers))
                if isinstance(node, Update):
                    self._update(terms, out, fn.get(slot), node, apart=before is NOTHING)
                    fn.put(slot, fn.b.add(fn.get(slot), fn.const(1)))
                elif isinstance(node, Fault):
                    fn.increment(counters, self.program.counters.faults)

        in_turn(emit(tree, (), True, emit))
        fn.done(fn.get(slot))
        return self.module.declared(name, [argument.type for argument in fn.arguments], I64)

    def _room(self) -> Module:
        """The module for the next instance."""
        if not self.alone and (len(self.modules) == 1 or self.modules[-1].size > FULL):
            if len(self.modules) > 1:
                self._ready(self.modules[-1])
            self.modules.append(Module(self.module.triple))
        return self.modules[-1]

    def _update(self, terms: Terms, out: Any, position: Any, node: Update, apart: bool) -> None:
        """Emit: the successor under an update, at a position; what matters rarely is computed `apart`."""
        two = self._parting(node.writes) if apart else None
        if two is None:
            terms.fn.put_words(out, position, successor(terms, self._changes(node.writes)))
            return
        with terms.fn.b.if_else(terms(two.matters)) as (whole, rest):
            for body, writes in ((whole, node.writes), (rest, two.rest)):
                with body, terms.branch():
                    terms.fn.put_words(out, position, successor(terms, self._changes(writes)))

    def _branch(self, fn: Function, condition: Any, sides: Sequence[int]) -> Iterator[int]:
        """Emit: one of the two sides of a node, of which the other may have nothing to emit."""
        if len(sides) == 1:
            with fn.if_(fn.b.not_(condition) if sides[0] else condition):
                yield sides[0]
            return
        with fn.b.if_else(condition) as bodies:
            for k, body in enumerate(bodies):
                with body:
                    yield k

    # -- properties ----------------------------------------------------------------------------------------

    def _flags(self, name: str, groups: Sequence[Sequence[Expr]], step: bool) -> list[Function]:
        """NAME_GROUP(words...[, words before...]) -> bit k is set where term k of the group holds."""
        found = []
        for g, group in enumerate(groups):
            fn = Function(self.module, f"{name}_{g}", [I64] * self.words * (2 if step else 1), I64).inner()
            words, before = fn.arguments[: self.words], fn.arguments[self.words :]
            terms, flags = Terms(fn, self.layout, words, before), fn.const(0)
            for k, term in enumerate(group):
                flags = fn.b.or_(flags, fn.b.shl(fn.b.zext(terms(term), I64), fn.const(k)))
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
        fn = Function(self.module, "inside", [I64] * self.words, I1).inner()
        terms = Terms(fn, self.layout, fn.arguments)
        value = fn.const(1, I1)
        for term in self.program.constraints:
            value = fn.b.and_(value, terms(term))
        fn.done(value)
        return fn

    def _export_inside(self, inside: Function | None) -> None:
        """inside_states(states, n, flags): 1 where the state satisfies every constraint."""
        fn = Function(self.module, "inside_states", [PTR, I64, PTR])
        states, n, out = fn.arguments
        with fn.loop(fn.const(0), n) as i:
            within = fn.call(inside, *fn.words(states, i, self.words)) if inside else fn.const(1, I1)
            fn.store(out, i, fn.b.zext(within, I64))
        fn.done()

    def _export_keys(self) -> None:
        """keys(states, n, out): the words that identify each of n states."""
        fn = Function(self.module, "keys", [PTR, I64, PTR])
        states, n, out = fn.arguments
        with fn.loop(fn.const(0), n) as i:
            fn.put_words(out, i, key(self.program, fn, fn.words(states, i, self.words)))
        fn.done()
