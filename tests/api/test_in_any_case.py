"""A verdict in any case: what cannot be compiled, or is compiled wrongly, is executed as plain Python."""

from __future__ import annotations

import json
import random
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter_ns
from typing import Any

import pytest

from everystate import check
from everystate.checker import Int, Spec, action, invariant, require
from everystate.checker.api import in_any_case
from everystate.checker.cache import store, stored, unused
from everystate.checker.engines.explicit import python
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.checker.ir.traced import Model
from everystate.checker.regression.runners.job import Allowance, Job, run

Patch = pytest.MonkeyPatch


SEEN: list[int] = []


class Counting(Spec):
    may_terminate = True

    def variables(self) -> None:
        self.n = Int(0, 9)

    @action
    def up(self) -> None:
        require(self.n < 8)
        self.n += 1

    @invariant
    def small(self) -> bool:
        return self.n < 9


class Opaque(Counting):
    """Calls a function that the front end does not know."""

    @action
    def up(self) -> None:
        require(self.n < 8)
        self.n += len(json.dumps("x" * self.n)) - self.n - 1

    @invariant
    def below_5(self) -> bool:
        return len(json.dumps("x" * self.n)) < 7


class Handled(Counting):
    """No handler of the author catches what the front end refuses."""

    @action
    def up(self) -> None:
        require(self.n < 8)
        try:
            self.n += len(json.dumps("x" * self.n)) - self.n - 1
        except Exception:
            self.n = 9


class Lists(Counting):
    """A queue of elements that may be missing: each combination is a path of its own."""

    @action
    def up(self) -> None:
        cells = [k for k in range(12) if k <= self.n]
        some = deque(k for k in cells if k % 3 != (self.n + 1) % 3)
        some.rotate(1)
        require(self.n < 8 and some)
        self.n += 1


class Dice(Counting):
    @action
    def up(self) -> None:
        self.n = random.randint(0, 9)


class Clock(Counting):
    @action
    def up(self) -> None:
        require(self.n < 8)
        self.n = perf_counter_ns() % 9


class Endless(Counting):
    @action
    def up(self) -> None:
        while self.n < 5:
            pass


class Global(Counting):
    """A mistake of its author in any engine."""

    @action
    def up(self) -> None:
        require(self.n < 8)
        SEEN.append(1)
        self.n += 1


def test_plain_python_answers_with_a_warning_that_names_the_line() -> None:
    found = check(Opaque)
    assert (found.verdict, found.distinct, found.result.engine) == ("VIOLATED", 9, "python")
    assert [(v.property, v.length) for v in found.violations] == [("below_5", 5)]
    [warning] = [text for text in found.warnings if "plain Python" in text]
    assert warning.startswith("dumps(...) cannot be used here: it is no function of yours")
    assert "test_in_any_case.py:" in warning and warning.endswith("(--engine native shows E230)")
    assert found.report()["fallback"]["code"] == "E230"
    assert [state.n for state in found.states()] == [*range(9)]


def test_a_handler_does_not_catch_what_the_front_end_refuses() -> None:
    found = check(Handled)
    assert (found.distinct, found.report()["fallback"]["code"]) == (9, "E230")


def test_tracing_ends_after_an_amount_of_work(monkeypatch: Patch) -> None:
    assert check(Lists).result.engine == "native"
    monkeypatch.setattr("everystate.checker.frontend.explorer.MAX_WORK", 200)
    found = check(Lists)
    assert (found.distinct, found.result.engine, found.report()["fallback"]["code"]) == (9, "python", "E239")
    [warning] = [text for text in found.warnings if "plain Python" in text]
    assert warning.startswith("compiling up() needs more than 200 decisions (") and "test_in_any_case.py:" in warning


def test_the_engine_native_insists() -> None:
    for settings in ({"engine": "native"}, {"compress": True}):
        with pytest.raises(EverystateError, match="E230"):
            check(Opaque, **settings)


def test_a_limit_leaves_the_verdict_open() -> None:
    found = check(Opaque, max_states=3)
    assert (found.verdict, found.result.stopped) == ("UNDECIDED", "the limit of 3 states is reached")


def test_a_memory_limit_leaves_the_verdict_open() -> None:
    found = check(Opaque, max_memory=1)
    assert (found.verdict, found.result.stopped) == ("UNDECIDED", "the memory limit of 1 B is reached")


def test_what_is_not_deterministic_is_an_error() -> None:
    with pytest.raises(EverystateError, match=r"E230 .*randint\(...\) cannot be used here"):
        check(Dice)
    with pytest.raises(EverystateError, match=r"E230 .*perf_counter_ns\(...\) cannot be used here"):
        check(Clock)
    with pytest.raises(EverystateError, match=r"E207 up\(\) is not deterministic"):
        python.check(Dice(), careful=True)


def test_what_never_returns_is_an_error(monkeypatch: Patch) -> None:
    monkeypatch.setattr("everystate.checker.frontend.watchdog.SECONDS_PER_PATH", 0.6)
    with pytest.raises(EverystateError, match="E205 a loop takes more than 1,000 decisions"):
        check(Endless)


def test_a_mistake_of_the_author_is_an_error() -> None:
    with pytest.raises(EverystateError, match="E230 a write to something that existed before"):
        check(Global)


def test_the_engine_python_traces_nothing(monkeypatch: Patch) -> None:
    monkeypatch.setattr(in_any_case, "traced", None)
    assert check(Counting, engine="python").verdict == "PROVED"


def differing(spec: Spec, *_: Any) -> Model:
    """The model of a spec whose property is false where it should be true."""
    found = model.build(spec)
    swapped = replace(found.properties[0], term=found.pool.not_(found.properties[0].term))
    return replace(found, properties=(swapped,))


def test_a_difference_is_answered_by_plain_python(monkeypatch: Patch) -> None:
    monkeypatch.setattr(in_any_case, "traced", differing)
    found = check(Counting)
    assert (found.verdict, found.distinct, found.result.engine) == ("PROVED", 9, "python")
    [warning] = found.warnings
    assert warning.startswith("small differs between compiled code and plain Python: it is False on symbols and True")
    assert "Please report this mistake of Everystate with the spec" in warning
    assert found.report()["fallback"]["code"] == "E217"
    with pytest.raises(EverystateError, match="E217"):
        check(Counting, engine="native")


def test_a_difference_that_was_in_the_cache_is_traced_again(monkeypatch: Patch) -> None:
    models: Iterator[Callable[..., Model]] = iter([differing, lambda spec, *_: model.build(spec)])
    monkeypatch.setattr(in_any_case, "traced", lambda *given: next(models)(*given))
    found = check(Counting)
    assert (found.verdict, found.result.engine, found.warnings) == ("PROVED", "native", ())


def test_nothing_is_read_from_a_cache_that_is_not_used(tmp_path: Path) -> None:
    place = tmp_path / "some entry"
    store(place, b"content")
    assert stored(place) == b"content"
    with unused():
        assert stored(place) is None


def test_a_job_of_a_matrix_gets_a_verdict() -> None:
    found = run(Job("a row", "Opaque", allowance=Allowance(threads=1)), lambda target, constants: Opaque(**constants))
    assert not found.error and found.overall().status == "violated" and found.of("small").status == "proved"
    assert any("executed as plain Python" in text for text in found.limits)


class Uneven(Counting):
    """Depends on how often it was executed."""

    @action
    def up(self) -> None:
        require(self.n < 8)
        self.n = 7 * counted() % 8


def counted() -> int:
    SEEN.append(1)
    return len(SEEN)


def test_a_difference_in_what_is_not_deterministic_stays_an_error(monkeypatch: Patch) -> None:
    def elsewhere(spec: Spec, *_: Any) -> Model:
        return replace(model.build(Counting()), spec=spec)

    monkeypatch.setattr(in_any_case, "traced", elsewhere)
    with pytest.raises(EverystateError, match="E217"):
        check(Uneven)
