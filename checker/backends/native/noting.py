"""Code that notes for each path of an action instance the first state that takes it.

Where a path is taken, one byte is read. Only the first time a call follows. It takes no words of the state and keeps
all registers, so that the code around it needs none for it. The words are kept when the state has been expanded.
"""

from __future__ import annotations

from typing import Any

from .builder import I8, I64, PTR, VOID, Function
from .instructions import Module
from .program import Counters

COLD = "preserve_mostcc "
"""The calling convention of a function that is nearly never called: it saves what it uses."""


def note_function(module: Module, counts: Counters) -> None:
    """note(counters, path): a path is taken for the first time, by the state that is being expanded."""
    fn = Function(module, "note", [PTR, I64]).inner()
    fn.llvm.attributes.append("noinline")
    fn.llvm.convention = COLD
    counters, path = fn.arguments
    fn.store(fn.at(counters, counts.size), path, fn.const(1, I8))
    fn.increment(counters, counts.waiting)
    fn.store(fn.at(counters, counts.waiting), fn.load(counters, counts.waiting), path)
    fn.done()


def note(fn: Function, counters: Any, counts: Counters, path: int) -> None:
    """Emit: note that a path is taken, if no state has taken it before."""
    flag = fn.load(fn.at(counters, counts.size), path, I8)
    with fn.if_(fn.b.icmp_unsigned("==", flag, fn.const(0, I8)), rarely=True):
        noting = fn.module.declared("note", [PTR, I64], VOID)
        noting.convention = COLD
        fn.call(noting, counters, fn.const(path))


def keep_function(module: Module, counts: Counters, words: int) -> Function:
    """keep(states, i, counters): keep state i for all paths that wait for it."""
    fn = Function(module, "keep", [PTR, I64, PTR]).private()
    fn.llvm.attributes.append("noinline")
    states, i, counters = fn.arguments
    state, waiting = fn.words(states, i, words), fn.load(counters, counts.waiting)
    with fn.loop(fn.const(0), waiting) as k:
        path = fn.load(fn.at(counters, counts.waiting + 1), k)
        fn.put_words(fn.at(counters, counts.noted), path, state)
    fn.store(counters, fn.const(counts.waiting), fn.const(0))
    fn.done()
    return fn


def keep_noted(fn: Function, keep: Function, states: Any, i: Any, counters: Any, counts: Counters) -> None:
    """Emit: keep state i if a path waits for it."""
    with fn.if_(fn.b.icmp_unsigned("!=", fn.load(counters, counts.waiting), fn.const(0)), rarely=True):
        fn.call(keep, states, i, counters)
