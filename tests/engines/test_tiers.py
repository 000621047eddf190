"""A long search goes on with optimised code in the middle."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from everystate.checker.backends.native import compile as machine_code
from everystate.checker.backends.native import functions, interface, tiered_code
from everystate.checker.backends.native.assembly import Assembly, emit
from everystate.checker.backends.native.compile import Compiled, cached, made
from everystate.checker.backends.native.interface import CompressedLayout
from everystate.checker.backends.native.program import Program
from everystate.checker.backends.native.tiered_code import TieredCode
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.engines.limits import Limits
from everystate.checker.frontend import model
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

    def as_soon_as_it_is_there(self: TieredCode) -> Compiled | None:
        for half in self.halves:
            if half.process is not None:
                half.process.wait()
        better = original(self)
        taken.extend([better] if better is not None else [])
        return better

    original = TieredCode.better
    monkeypatch.setattr(TieredCode, "better", as_soon_as_it_is_there)
    monkeypatch.setattr(exhaustive, "LONG", 500)
    search = exhaustive.Exhaustive(traced, Limits(workers=workers))
    result = search.run()
    assert [search.compiled] == taken
    assert (result.distinct, result.generated, result.coverage) == (quick.distinct, quick.generated, quick.coverage)
    assert [v.trace for v in result.violations] == [v.trace for v in quick.violations]


def test_a_short_search_never_optimises() -> None:
    search = exhaustive.Exhaustive(model.build(IdempotentProducer(**SPEC)), Limits())
    search.run()
    texts = Assembly(search.program).apart()
    assert [cached(text, quick=True) is not None for text in texts] == [True, True]
    assert [cached(text) for text in (emit(search.program), *texts)] == [None] * 3


def test_optimised_code_in_the_cache_is_taken_at_once() -> None:
    program = exhaustive.Exhaustive(model.build(IdempotentProducer(**SPEC)), Limits()).program
    code = TieredCode(program)
    code.first()
    code.optimise()
    (half,) = code.halves
    assert half.process is not None
    half.process.wait()
    assert code.better() is not None
    again = TieredCode(program)
    again.first()
    again.optimise()
    assert again.halves[0].process is None and again.better() is None


def test_code_that_cannot_be_made_leaves_the_quick_one(monkeypatch: pytest.MonkeyPatch) -> None:
    code = TieredCode(exhaustive.Exhaustive(model.build(IdempotentProducer(**SPEC)), Limits()).program)
    code.first()
    monkeypatch.setattr("sys.executable", "/bin/false")
    code.optimise()
    (half,) = code.halves
    assert half.process is not None
    half.process.wait()
    assert code.better() is None


def test_code_that_is_ready_when_the_search_is_over_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that was over first began to optimise each time, and gave up each time."""
    monkeypatch.setattr(TieredCode, "better", lambda self: None)
    monkeypatch.setattr(exhaustive, "LONG", 500)
    monkeypatch.setattr("everystate.checker.backends.native.tiered_code.PATIENCE", 60.0)
    search = exhaustive.Exhaustive(model.build(IdempotentProducer(**SPEC)), Limits())
    search.run()
    assert cached(emit(search.program)) is not None and search.tiers.halves[0].process is None


def test_what_is_not_ready_is_given_up() -> None:
    code = TieredCode(exhaustive.Exhaustive(model.build(IdempotentProducer(**SPEC)), Limits()).program)
    code.first()
    code.optimise()
    process = code.halves[0].process
    assert process is not None
    code.close()
    assert process.poll() is not None and code.better() is None


# -- large programs --------------------------------------------------------------------------------------------


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> Program:
    """A program that is taken for large, with a text for each of its 5 instances, all of which are kept."""
    monkeypatch.setattr(interface, "MANY", 1)
    monkeypatch.setattr(functions, "FULL", 0)
    monkeypatch.setattr(machine_code, "LONG", 0)
    return Program(model.build(IdempotentProducer(**SPEC)))


def test_a_large_program_has_code_of_several_texts(large: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [len(half.codes) for half in TieredCode(large).halves]
    assert parts == [6, 1]
    found = exhaustive.check(large.model)
    monkeypatch.setattr(interface, "MANY", 1000)
    whole = exhaustive.check(large.model)
    assert (found.distinct, found.generated, found.coverage) == (whole.distinct, whole.generated, whole.coverage)


def test_texts_are_compiled_while_others_are_written(large: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: dict[str, bool] = {}

    def noted(text: str, quick: bool = False) -> bytes:
        assert text not in threads, "a text is compiled once"
        threads[text] = threading.current_thread() is threading.main_thread()
        return made(text, quick)

    monkeypatch.setattr(tiered_code, "made", noted)
    TieredCode(large).first()
    texts = Assembly(large).apart()
    assert [threads[text] for text in texts] == [True, *[False] * (len(texts) - 3), True, True]


def test_texts_are_optimised_in_turn_and_what_is_ready_is_kept(large: Program) -> None:
    code = TieredCode(large)
    code.first()
    code.optimise()
    first = code.halves[0]
    for _ in range(2):
        assert first.process is not None
        first.process.wait()
        assert first.improve() and first.process is not None
    code.close()
    assert [cached(text) is not None for text in first.texts] == [True, True, False, False, False, False]
    again = TieredCode(large)
    again.first()
    assert again.halves[0].codes == first.codes
    again.optimise()
    while again.halves[0].process is not None:
        again.halves[0].process.wait()
        again.better()
    again.close()
    assert all(cached(text) is not None for text in first.texts)
    assert "assembly" not in vars(again._written), "its texts were kept"


def test_short_texts_are_kept_with_the_others(large: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last text of a large program was not, so a second search wrote all of them before it optimised."""
    code = TieredCode(large)
    monkeypatch.setattr(machine_code, "LONG", max(map(len, code.halves[0].texts)))
    code.first()
    again = TieredCode(large)
    again.first()
    assert again.halves[0].texts == code.halves[0].texts
    assert "assembly" not in vars(again._written)


def test_states_that_are_folded_keep_the_functions(large: Program) -> None:
    """Code that was being made for them was given up, and begun again."""
    code = TieredCode(large)
    code.first()
    code.optimise()
    first, store = code.halves
    making, lost = first.process, store.process
    assert making is not None and lost is not None
    compressed = code.compressed(CompressedLayout(tuple((w,) for w in range(large.words)), (0,) * large.words))
    compressed.first()
    code.close(compressed)
    assert compressed.halves[0] is first and first.process is making
    assert lost.poll() is not None and store.process is None
    compressed.optimise()
    assert first.process is making and compressed.halves[1].process is not None
    compressed.close()
    assert making.poll() is not None


def test_texts_that_are_cut_otherwise_are_not_put_among_others(large: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function would be there twice, and another one not at all."""
    TieredCode(large).first()
    code = TieredCode(large)
    code.first()
    first = code.halves[0]
    monkeypatch.setattr(machine_code, "TEXT", "no such")
    monkeypatch.setattr(functions, "FULL", 1 << 30)
    code.optimise()
    assert (len(first.codes), len(first.texts), first.process) == (6, 2, None)
    code.close()


def test_nothing_is_begun_when_a_search_is_over(large: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next text was, only to be given up."""
    monkeypatch.setattr("everystate.checker.backends.native.tiered_code.PATIENCE", 60.0)
    code = TieredCode(large)
    code.first()
    code.optimise()
    code.wait()
    assert [half.process for half in code.halves] == [None, None]
    assert [cached(text) is not None for text in code.halves[0].texts] == [True, *[False] * 5]
