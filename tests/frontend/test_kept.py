"""What was traced is kept, and is found again only while nothing has changed from which it was made."""

from __future__ import annotations

import importlib
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from everystate.checker.api.fingerprint import dump
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.frontend import kept, model, watchdog
from everystate.checker.ir.traced import Model
from everystate.checker.language.spec import Spec

SPEC = """
    import os

    from everystate.checker import Constant, Int, Seq, Spec, action, choose, implies, invariant, leads_to
    from kept_limits import LIMIT, Box, step

    MOST = int(os.environ.get("KEPT_MOST", "3"))


    class Kept(Spec):
        by = Constant(1, "how much is added")

        def variables(self):
            self.n = Int(0, 9)
            self.box = Box.of()
            self.queue = Seq(Int(0, 3), 2)

        @action
        def add(self):
            if self.n < LIMIT + MOST:
                self.n = step(self.n, self.by)

        @action(full=[False, True])
        def put(self, full):
            self.box.full = full
            self.queue.append(choose([0, 1, 2]))

        @action
        def take(self):
            self.box.full = self.queue.pop(0) > 0

        @invariant
        def low(self):
            return implies(self.n == 3, self.queue[0] < 3)

        @leads_to
        def emptied(self):
            return self.box.full, self.n > 2
"""
LIMITS = """
    from everystate.checker import Bool, Record

    LIMIT = 2


    class Box(Record):
        full = Bool()


    def step(n, by):
        return n + by
"""
Load = Callable[[], type[Spec]]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Load]:
    """Loads the spec anew, as a process does that begins."""
    (tmp_path / "kept_spec.py").write_text(textwrap.dedent(SPEC))
    (tmp_path / "kept_limits.py").write_text(textwrap.dedent(LIMITS))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(kept, "LEAST", 0)

    def loaded() -> type[Spec]:
        _forget()
        importlib.invalidate_caches()
        return importlib.import_module("kept_spec").Kept

    yield loaded
    _forget()


def _forget() -> None:
    for name in ("kept_spec", "kept_limits"):
        sys.modules.pop(name, None)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Spec]:
    """The specs that are traced."""
    found, build = list[Spec](), model.build

    def noted(spec: Spec, told: Callable[[int, int], None]) -> Model:
        found.append(spec)
        return build(spec, told)

    monkeypatch.setattr(model, "build", noted)
    return found


def test_a_model_is_read_as_it_was_written(load: Load, made: list[Spec]) -> None:
    first = kept.traced(load()())
    again = kept.traced(load()())
    assert len(made) == 1
    assert [*dump(again)] == [*dump(first)]
    assert again.spec is not first.spec and again.actions[0].instance == again.spec.instances[0]
    one, two = exhaustive.check(first), exhaustive.check(again)
    assert (one.statement, one.coverage) == (two.statement, two.coverage)
    assert [(v.property, v.length) for v in two.violations] == [("error", 1), ("low", 0)]


CHANGES = [
    ("kept_spec", "self.n == 3", "self.n == 4"),
    ("kept_limits", "LIMIT = 2", "LIMIT = 1"),
    ("kept_limits", "n + by", "n + 2"),
]


@pytest.mark.parametrize(("file", "old", "new"), CHANGES)
def test_a_change_in_a_file_of_the_spec_is_traced(
    load: Load, made: list[Spec], tmp_path: Path, file: str, old: str, new: str
) -> None:
    first = kept.traced(load()())
    path = tmp_path / f"{file}.py"
    path.write_text(path.read_text().replace(old, new))
    assert [*dump(kept.traced(load()()))] != [*dump(first)]
    assert len(made) == 2


def test_other_constants_are_traced(load: Load, made: list[Spec]) -> None:
    for by in (1, 2, 1, 2):
        kept.traced(load()(by=by))
    assert [spec.constants["by"] for spec in made] == [1, 2]


def test_what_a_module_has_read_elsewhere_is_part_of_it(
    load: Load, made: list[Spec], monkeypatch: pytest.MonkeyPatch
) -> None:
    for most in ("3", "2", "3", "2"):
        monkeypatch.setenv("KEPT_MOST", most)
        kept.traced(load()())
    assert len(made) == 2


def test_a_change_between_making_and_tracing_is_traced(
    load: Load, made: list[Spec], monkeypatch: pytest.MonkeyPatch
) -> None:
    for known in (False, True):
        spec = load()()
        monkeypatch.setattr(sys.modules["kept_spec"], "MOST", 1)
        changed = kept.traced(spec)
        first = kept.traced(load()())  # of the file as it is
        assert [*dump(changed)] != [*dump(first)]
        assert len(made) == (3 if known else 2)


def test_a_spec_of_a_function_is_traced_each_time(made: list[Spec], load: Load) -> None:
    class Local(load()):  # type: ignore[misc]
        pass

    for _ in range(2):
        kept.traced(Local())
    assert len(made) == 2


def test_a_damaged_entry_is_traced_again(load: Load, made: list[Spec], tmp_path: Path) -> None:
    kept.traced(load()())
    for path in (tmp_path / "cache" / "traced").iterdir():
        path.write_bytes(path.read_bytes()[:-1])
    kept.traced(load()())
    kept.traced(load()())
    assert len(made) == 2


def test_half_a_model_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code that catches whatever is raised in it has caught the interrupt of a path that takes too long."""
    monkeypatch.setattr(watchdog, "SECONDS_PER_PATH", 0.0)
    with pytest.raises(watchdog.NeverReturns), watchdog.Watchdog().over():
        try:
            while True:
                pass
        except BaseException:
            pass
