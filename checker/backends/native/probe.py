"""Why an action was never enabled: counts, over all states, the guards at which its attempts ended."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import Where
from ...ir.traced import Model, TracedAction
from ...ir.tree import Branch, Choice, Disabled, Nested, Tree, in_turn, nodes
from ...language.machine import Disabled as Stopped
from .compile import load

if TYPE_CHECKING:
    from .instructions import Module


@dataclass(frozen=True)
class Probe:
    """The lines that end attempts of an action, and the LLVM assembly that counts how many each of them stops.

    `guards` are those lines on which only require(...) ends attempts, once for each attempt of plain Python.
    """

    sites: tuple[Where, ...]
    text: str
    guards: frozenset[Where]


def probe_of(model: Model, name: str) -> Probe:
    """The probe of an action; attempts of its different instances add up."""
    actions = [a for a in model.actions if a.instance.name == name]
    ends = [n for a in actions for n in nodes(a.tree) if isinstance(n, Disabled)]
    from .instructions import Module

    sites = list(dict.fromkeys(n.where for n in ends if n.where))
    module = Module()
    _emit(module, model, actions, sites)
    other = {n.where for n in ends if n.by != Stopped.GUARD}
    return Probe(tuple(sites), str(module), frozenset(sites) - other)


def stopped(probe: Probe, blocks: Iterable[Any]) -> Any:
    """How many attempts each site has stopped in all states of some blocks (arrays of packed states)."""
    _, count = _loaded(probe.text)
    counts = np.zeros(len(probe.sites) + 1, np.uint64)
    for block in blocks:
        count(block.ctypes.data, len(block), counts.ctypes.data)
    return counts[:-1]


@functools.lru_cache(maxsize=64)
def _loaded(text: str) -> tuple[Any, Any]:
    """The engine that keeps the code, and the function."""
    engine = load(text, quick=True)
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p)
    return engine, kind(engine.get_function_address("probe"))


def blocking_guards(probe: Probe, counts: Any) -> list[tuple[Where, int]]:
    """The sites that stopped an attempt, with how often, most often first."""
    found = [(site, int(count)) for site, count in zip(probe.sites, counts, strict=True) if count]
    return sorted(found, key=lambda pair: -pair[1])


def _emit(module: Module, model: Model, actions: list[TracedAction], sites: list[Where]) -> None:
    """probe(states, n, counts)."""
    from .builder import I64, PTR, Function
    from .terms import Terms

    fn = Function(module, "probe", [PTR, I64, PTR])
    states, n, counts = fn.arguments
    with fn.loop(fn.const(0), n) as i:
        terms = Terms(fn, model.layout, fn.words(states, i, model.layout.words))

        def walk(node: Tree) -> Nested:
            with terms.branch():
                if isinstance(node, Branch):
                    with fn.b.if_else(terms(node.condition)) as (then, otherwise):
                        with then:
                            yield walk(node.then)
                        with otherwise:
                            yield walk(node.otherwise)
                elif isinstance(node, Choice):
                    for option in node.options:
                        yield walk(option)
                elif isinstance(node, Disabled) and node.where:
                    fn.increment(counts, sites.index(node.where))

        for action in actions:
            in_turn(walk(action.tree))
    fn.done()
