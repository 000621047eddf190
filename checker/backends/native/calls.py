"""How a store calls the functions of a program: by name, so it can be written without them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ir.expr import Expr
from .builder import I1, I16, I64, PTR, VOID, Function
from .instructions import Module, Table
from .interface import NO_ACTION, large
from .program import Group, Program
from .terms import Terms
from .watching import dear


class Calls:
    """The declarations of a program's functions in the module of a store, and the calls with their results."""

    def __init__(self, program: Program, module: Module) -> None:
        self.program, self.module, self.words = program, module, program.words
        self.layout = program.model.layout
        state, groups, steps = [I64] * self.words, program.state_groups, program.step_groups
        expanding = [PTR, I64, PTR, PTR, PTR, PTR]
        self.expand = module.declared("expand_block" if large(program) else "expand", expanding, I64)
        self.state_flags = [module.declared(f"state_flags_{g}", state, I64) for g in range(len(groups))]
        self.step_flags = [module.declared(f"step_flags_{g}", state * 2, I64) for g in range(len(steps))]
        self.inside = module.declared("inside", state, I1) if program.constraints else None
        self.dear = dear(program)
        self.watch = module.declared("watch", [PTR, PTR, PTR, I64, PTR], VOID) if self.dear else None

    def count_outside(self, fn: Function, words: list[Any], counters: Any) -> None:
        """Emit: a state is outside the constraint; its watches are still evaluated."""
        fn.increment(counters, self.program.counters.outside)
        for group, flags in zip(self.program.state_groups, self.state_flags, strict=True):
            self._count(fn, fn.call(flags, *words), group, counters, self.program.counters.beyond)

    def count_group(self, fn: Function, number: int, words: list[Any], counters: Any) -> None:
        """Emit: add the flags of one state to the counters of a group of watches."""
        flags = fn.call(self.state_flags[number], *words)
        self._count(fn, flags, self.program.state_groups[number], counters, self.program.counters.hits)

    def count_step(self, fn: Function, words: list[Any], before: list[Any], counters: Any) -> None:
        """Emit: add the flags of one step to the counters of its watches."""
        for group, flags in zip(self.program.step_groups, self.step_flags, strict=True):
            self._count(fn, fn.call(flags, *words, *before), group, counters, self.program.counters.hits)

    def _count(self, fn: Function, flags: Any, group: Group, counters: Any, at: Callable[[int], int]) -> None:
        with fn.if_(fn.b.icmp_unsigned("!=", flags, fn.const(0))):
            for k, watch in enumerate(group.watches):
                bit = fn.b.and_(fn.b.lshr(flags, fn.const(k)), fn.const(1))
                fn.increment(counters, at(watch), bit)

    def needed(self, fn: Function, action: Any) -> Any:
        """Emit: the groups whose watches an action (u16) may have changed, as a mask; all for an initial state."""
        groups, b = self.program.state_groups, fn.b
        actions = range(len(self.program.action_names))
        masks = [sum(1 << g for g, group in enumerate(groups) if a in group.needs) for a in actions]
        table = self.module.globals.get("needs") or Table(self.module, "needs", [fn.const(mask) for mask in masks])
        start = b.icmp_unsigned("==", action, fn.const(NO_ACTION, I16))
        index = b.select(start, fn.const(0), b.zext(action, I64))
        return b.select(start, fn.const(-1), fn.load(table, index))

    def key(self, fn: Function, words: list[Any]) -> list[Any]:
        """Emit: the words that identify a state."""
        return key(self.program, fn, words)


def key(program: Program, fn: Function, words: list[Any]) -> list[Any]:
    """Emit: the words that identify a state."""
    view: tuple[Expr, ...] = program.model.view
    if not view:
        return words
    terms = Terms(fn, program.model.layout, words)
    values = [terms(term) for term in view]
    return [fn.b.zext(v, I64) if v.type == I1 else v for v in values]
