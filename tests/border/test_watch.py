"""What no name leads to is met when it begins, and what nobody looks at is compared all the same."""

from __future__ import annotations

import gc
import importlib.machinery
import inspect
import mimetypes
import operator
import sys
import time
import types
from collections.abc import Sized
from typing import Any

import pytest

from everystate.checker import Int, Spec, action, invariant, require
from everystate.checker.border import Reach, examine
from everystate.checker.border.nondeterminism import heard
from everystate.checker.border.watch import unexamined
from everystate.checker.cli import targets
from everystate.checker.errors import EverystateError
from everystate.checker.ir import model

SEVEN = 7
SEEN: list[int] = []


def hidden(value: Any) -> bool:
    """A helper that is refused if somebody looks at it."""
    return value is SEVEN


def counting(value: Any) -> bool:
    """A helper that leaves something behind."""
    SEEN.append(1)
    return bool(value == 7)


class Counter(Spec):
    """Counts to ten; its property asks a helper."""

    def variables(self) -> None:
        self.n = Int(0, 10)

    @action
    def up(self) -> None:
        require(self.n < 10)
        self.n += 1

    @invariant
    def fine(self) -> bool:
        return not type(self).helper(self.n)

    @staticmethod
    def helper(value: Any) -> bool:
        return bool(value == 7)


class Hiding(Counter):
    """One whose helper compares objects."""

    helper = staticmethod(hidden)


class Watched(Counter):
    """One that does nothing of the kind, in a module that has such helpers."""


class Leaving(Counter):
    """One whose helper leaves something behind."""

    helper = staticmethod(counting)


def blind(monkeypatch: pytest.MonkeyPatch, function: str) -> None:
    """As if a way to this function existed of which `reach` knows nothing."""
    look = Reach._function

    def look_away(self: Reach, found: Any, *args: Any, **kwargs: Any) -> None:
        if found.__name__ != function:
            look(self, found, *args, **kwargs)

    monkeypatch.setattr(Reach, "_function", look_away)


def test_a_function_to_which_no_name_led_is_refused_when_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    blind(monkeypatch, "hidden")
    with pytest.raises(EverystateError) as caught:
        model.build(Hiding())
    assert caught.value.code == "E230"
    assert caught.value.where is not None and caught.value.where.source == "return value is SEVEN"
    assert sys.getprofile() is None


def test_data_to_which_no_name_led_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    blind(monkeypatch, "counting")
    with pytest.raises(EverystateError) as caught:
        model.build(Leaving())
    assert caught.value.code == "E232"
    assert "SEEN" in str(caught.value)
    SEEN.clear()


def test_a_profiler_is_set_again() -> None:
    own = eval("lambda *_: None")  # of no module of the spec, else it is refused
    sys.setprofile(own)
    try:
        with examine(Leaving(), symbols=True).watch as watch:
            assert watch.on
        found = sys.getprofile()
    finally:
        sys.setprofile(None)
    assert found is own


@pytest.mark.parametrize("name", ["die-hard", "idem-producer", "current/realistic", "txn-4.3/late-record"])
def test_a_spec_with_nothing_to_hide_is_not_watched(name: str) -> None:
    """Nor what is held by its modules, as what dataclasses wrote: it would take twice as long to trace."""
    with examine(targets.known(name).spec(), symbols=True).watch as watch:
        assert not watch.on


def test_a_module_with_something_to_hide_is_watched() -> None:
    assert unexamined(Reach(Leaving()), [sys.modules[__name__]])


def collected(callback: Any) -> None:
    """Trace a spec while Python collects garbage all the time, and calls a function then."""
    before = gc.get_threshold()
    gc.callbacks.append(callback)
    gc.set_threshold(1)
    try:
        model.build(Watched())
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(callback)


def test_what_begins_by_itself_is_no_part_of_the_spec(monkeypatch: pytest.MonkeyPatch) -> None:
    """Libraries have the garbage collector call them, and it may collect at any time."""
    monkeypatch.setattr(mimetypes, "inited", False)
    collected(mimetypes.guess_type)
    assert mimetypes.inited


def test_so_it_is_where_an_installation_was_moved() -> None:
    """pytest keeps what it has compiled with the place of that time"""
    code = mimetypes.guess_type.__code__.replace(co_filename="/before/mimetypes.py")
    collected(types.FunctionType(code, vars(mimetypes), None, mimetypes.guess_type.__defaults__))


def test_hypothesis_has_python_call_it() -> None:
    """a library to which a test of its own leads, not a spec"""
    from hypothesis.internal.conjecture import junkdrawer

    junkdrawer.gc_cumulative_time()
    assert any(callback.__module__ == junkdrawer.__name__ for callback in gc.callbacks)
    collected(mimetypes.guess_type)


def test_a_function_of_a_library_with_other_names_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"isinstance": operator.is_, "type": SEVEN}
    blind(monkeypatch, "isclass")
    monkeypatch.setattr(Hiding, "helper", staticmethod(types.FunctionType(inspect.isclass.__code__, names)))
    with pytest.raises(EverystateError) as caught:
        model.build(Hiding())
    assert caught.value.code == "E230"


def test_code_that_names_a_file_of_a_library_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    names: dict[str, Any] = {"SEVEN": SEVEN}
    exec(compile("def hidden(value):\n    return value is SEVEN\n", mimetypes.__file__, "exec"), names)
    blind(monkeypatch, "hidden")
    monkeypatch.setattr(Hiding, "helper", staticmethod(names["hidden"]))
    with pytest.raises(EverystateError) as caught:
        model.build(Hiding())
    assert caught.value.code == "E230"


@pytest.mark.parametrize("loaded", [True, False], ids=["a module is loaded", "nothing is"])
def test_who_registers_a_subclass_beside_a_check(loaded: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that is imported in another thread does so at its beginning; nobody else has reason to."""
    outside = examine(Counter(), symbols=True)
    outside.check()
    if loaded:
        monkeypatch.setitem(sys.modules, "a_library", types.ModuleType("a_library"))
    Sized.register(type("Box", (), {}))
    if loaded:
        outside.check()
        return
    with pytest.raises(EverystateError, match=r"E232 register lies outside of the state"):
        outside.check()


@pytest.mark.parametrize("ends", [False, True], ids=["it goes on", "it has ended"])
def test_a_library_that_is_being_loaded_registers_a_subclass(ends: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """It stands among the modules long before it is executed to its end."""
    outside = examine(Counter(), symbols=True)
    library, spec = types.ModuleType("a_library"), importlib.machinery.ModuleSpec("a_library", None)
    library.__file__, library.__spec__ = mimetypes.__file__, spec
    monkeypatch.setattr(spec, "_initializing", True, raising=False)
    monkeypatch.setitem(sys.modules, "a_library", library)
    outside.check()
    Sized.register(type("Box", (), {}))
    monkeypatch.setattr(spec, "_initializing", not ends)
    outside.check()
    monkeypatch.setattr(spec, "_initializing", False)
    outside.check()
    Sized.register(type("Box", (), {}))
    with pytest.raises(EverystateError, match=r"E232 register lies outside of the state"):
        outside.check()


def test_a_module_of_the_user_that_is_being_loaded_is_no_excuse(monkeypatch: pytest.MonkeyPatch) -> None:
    """it may be the one that asks for the check"""
    module = sys.modules[__name__]
    monkeypatch.setattr(module.__spec__, "_initializing", True, raising=False)
    outside = examine(Counter(), symbols=True)
    Sized.register(type("Box", (), {}))
    with pytest.raises(EverystateError, match=r"E232 register lies outside of the state"):
        outside.check()


def test_a_library_that_lay_elsewhere_when_it_was_compiled_may_ask_what_time_it_is() -> None:
    """Pytest keeps what it compiles with the file of then; Python calls such code at a collection, whoever works."""
    from hypothesis.internal.conjecture import junkdrawer

    junkdrawer.gc_cumulative_time()
    called = next(call for call in gc.callbacks if call.__module__ == junkdrawer.__name__)
    moved = types.FunctionType(called.__code__.replace(co_filename="/elsewhere/junkdrawer.py"), vars(junkdrawer))
    heard(lambda: (moved("start", {}), moved("stop", {})), lambda: None)
    claimed: dict[str, Any] = {"perf_counter": time.perf_counter}
    exec(compile("def ask(): return perf_counter()", mimetypes.__file__, "exec"), claimed)
    with pytest.raises(EverystateError, match="E138 the spec is another one each time it is made: perf_counter asks"):
        heard(claimed["ask"], lambda: None)
