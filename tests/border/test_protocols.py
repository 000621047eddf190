"""Symbols have the special methods of their values, so that whoever asks for these gets the same answer."""

from __future__ import annotations

from typing import Any

import pytest

from everystate.checker.border.policy import UNLIKE
from everystate.checker.ir.collection import Walk
from everystate.checker.ir.elements import SymArray, SymSeq
from everystate.checker.ir.maps import Lazily, SymMap
from everystate.checker.ir.sets import SymSet
from everystate.checker.ir.symbols import Boolean, Integer
from everystate.checker.language.values import ArrayValue, MapValue, SeqValue, SetValue

PAIRS = [
    (Integer, int),
    (Boolean, bool),
    (SymArray, ArrayValue),
    (SymSeq, SeqValue),
    (SymSet, SetValue),
    (SymSet, set),
    (SymMap, MapValue),
    (Walk, type(iter([]))),
    (Lazily, type({}.values())),
    (Lazily, type({}.items())),
]
OF_EVERY_CLASS = {
    "__static_attributes__",
    "__firstlineno__",
    "__dict__",
    "__weakref__",
    "__module__",
    "__slots__",
    "__doc__",
    "__annotations__",
}


def special(cls: Any) -> set[str]:
    """The special methods that objects of a class have."""
    named = {name for name in dir(cls) if name.startswith("__") and getattr(cls, name) is not None}
    return named - OF_EVERY_CLASS


@pytest.mark.parametrize(("symbol", "value"), PAIRS)
def test_a_symbol_has_the_special_methods_of_its_value(symbol: type, value: type) -> None:
    assert len(special(value)) > 20
    assert special(symbol) ^ special(value) <= UNLIKE
