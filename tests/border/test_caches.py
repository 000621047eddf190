"""What is remembered of bytecode changes nothing: a spec is traced the same whatever was forgotten or seen before."""

from __future__ import annotations

import functools
import types

from everystate.checker.border import bytecode, consumers, generators, reader_texts
from everystate.checker.ir.model import build
from everystate.checker.ir.tree import nodes
from everystate.checker.language import Spec
from everystate.specs import idem_producer

CACHES = {
    f"{module.__name__}.{name}": value
    for module in (bytecode, consumers, generators, reader_texts)
    for name, value in vars(module).items()
    if isinstance(value, functools._lru_cache_wrapper)
}


def traced(spec: type[Spec]) -> list[tuple[str, int]]:
    """How many nodes the tree of each action has: a way that merges no longer makes more."""
    model = build(spec(batches=2, max_in_flight=2, window=2))
    return [(str(action.instance), sum(1 for _ in nodes(action.tree))) for action in model.actions]


def test_what_a_cache_forgets_changes_nothing() -> None:
    whole = traced(idem_producer.IdempotentProducer)
    changed = {}
    for name, cache in CACHES.items():
        cache.cache_clear()
        if traced(idem_producer.IdempotentProducer) != whole:
            changed[name] = "forgotten"
    assert len(CACHES) > 15 and changed == {}


TOLD = """
def step(self):
    narrate(lambda: f"{self.n} now")
    return sorted([self.n], key=lambda n: -n)
"""


def test_a_function_that_is_read_again_tells_the_same() -> None:
    """its code is equal to that of the older reading, which the caches know; the lambdas in it are others"""
    for _ in range(2):
        module = types.ModuleType("told")
        exec(compile(TOLD, "told.py", "exec"), module.__dict__)
        told, computed = [c for c in module.step.__code__.co_consts if isinstance(c, types.CodeType)]
        assert reader_texts.told_later(module.step.__code__, frozenset({"narrate"})) == [told]
        assert reader_texts.executed_inside(module.step.__code__, frozenset({"narrate"})) == [computed]
