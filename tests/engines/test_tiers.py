"""A long search goes on with optimised code in the middle."""

from __future__ import annotations

from pathlib import Path

import pytest

from everystate.checker.backends.native.assembly import emit
from everystate.checker.backends.native.compile import Compiled, cached
from everystate.checker.backends.native.tiers import Tiers
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.engines.limits import Limits
from everystate.checker.ir import model
from everystate.specs.idem_producer import IdempotentProducer

SPEC = {"max_in_flight": 6}


@pytest.fixture(autouse=True)
def no_cache_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path))


@pytest.mark.parametrize("workers", [1, 3])
def test_optimised_code_takes_over_and_changes_nothing(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    traced = model.build(IdempotentProducer(**SPEC))
    quick = exhaustive.check(traced)
    taken: list[Compiled] = []

    def as_soon_as_it_is_there(self: Tiers) -> Compiled | None:
        if self._process is not None:
            self._process.wait()
        better = original(self)
        taken.extend([better] if better is not None else [])
        return better

    original = Tiers.better
    monkeypatch.setattr(Tiers, "better", as_soon_as_it_is_there)
    monkeypatch.setattr(exhaustive, "LONG", 500)
    search = exhaustive.Exhaustive(traced, Limits(workers=workers))
    result = search.run()
    assert [search.compiled] == taken
    assert (result.distinct, result.generated, result.coverage) == (quick.distinct, quick.generated, quick.coverage)
    assert [v.trace for v in result.violations] == [v.trace for v in quick.violations]


def test_a_short_search_never_optimises() -> None:
    search = exhaustive.Exhaustive(model.build(IdempotentProducer(**SPEC)), Limits())
    search.run()
    text = emit(search.program)
    assert cached(text, quick=True) is not None and cached(text) is None


def test_optimised_code_in_the_cache_is_taken_at_once() -> None:
    program = exhaustive.Exhaustive(model.build(IdempotentProducer(**SPEC)), Limits()).program
    tiers = Tiers(program)
    tiers.first()
    tiers.optimise()
    assert tiers._process is not None
    tiers._process.wait()
    assert tiers.better() is not None
    again = Tiers(program)
    again.first()
    again.optimise()
    assert again._process is None and again.better() is None


def test_code_that_cannot_be_made_leaves_the_quick_one(monkeypatch: pytest.MonkeyPatch) -> None:
    tiers = Tiers(exhaustive.Exhaustive(model.build(IdempotentProducer(**SPEC)), Limits()).program)
    tiers.first()
    monkeypatch.setattr("sys.executable", "/bin/false")
    tiers.optimise()
    assert tiers._process is not None
    tiers._process.wait()
    assert tiers.better() is None


def test_code_that_is_ready_when_the_search_is_over_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that was over first began to optimise each time, and gave up each time."""
    monkeypatch.setattr(Tiers, "better", lambda self: None)
    monkeypatch.setattr(exhaustive, "LONG", 500)
    monkeypatch.setattr("everystate.checker.backends.native.tiers.PATIENCE", 60.0)
    search = exhaustive.Exhaustive(model.build(IdempotentProducer(**SPEC)), Limits())
    search.run()
    assert cached(emit(search.program)) is not None and search.tiers._process is None


def test_what_is_not_ready_is_given_up() -> None:
    tiers = Tiers(exhaustive.Exhaustive(model.build(IdempotentProducer(**SPEC)), Limits()).program)
    tiers.first()
    tiers.optimise()
    process = tiers._process
    assert process is not None
    tiers.close()
    assert process.poll() is not None and tiers.better() is None
