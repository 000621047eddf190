"""A search with a work folder: killed at any moment it goes on to the same numbers, or says why it cannot."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from everystate.checker import (
    Array,
    Bool,
    Constant,
    Int,
    Spec,
    action,
    action_constraint,
    choose,
    constraint,
    eventually,
    initial,
    invariant,
    reachable,
    refines,
    require,
    step_invariant,
    view,
)
from everystate.checker.engines.explicit import checkpoint, exhaustive
from everystate.checker.engines.limits import Limits
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.specs.idem_producer import IdempotentProducer

from .compressed_and_whole import at_once, facts
from .test_compression import Counters, Fenced, Seen

UNSAFE = {"batches": 5, "max_in_flight": 4, "window": 3, "max_sends": 2, "resets": 1, "bumps": 1, "leader_changes": 1}


class Killed(BaseException):
    """What a kill looks like to the files: nothing that follows is done."""


class Failing(Counters):
    """An action fails, and initial states lie outside a constraint of the invariant's kind."""

    @action
    def break_it(self) -> None:
        require(self.n[0] == 2)
        self.n[1] = self.n[1] - 10

    @initial
    def anywhere(self) -> None:
        self.n[3] = 1


def search(spec: Spec, folder: Path, resume: bool = False, **limits: Any) -> Any:
    return exhaustive.check(model.build(spec), Limits(work=str(folder), resume=resume, **limits))


@contextmanager
def killed(level: int, name: str) -> Any:
    """The process ends while a level is written: before the named step of `Work`."""
    plain = getattr(checkpoint, name) if hasattr(checkpoint, name) else getattr(checkpoint.Work, name)
    calls = [0]

    def step(*given: Any) -> Any:
        calls[0] += 1
        if calls[0] >= level:
            raise Killed
        return plain(*given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkpoint if hasattr(checkpoint, name) else checkpoint.Work, name, step)
        with pytest.raises(Killed):
            yield


@pytest.mark.parametrize("spec", [Counters, Fenced, Seen, Failing, lambda: IdempotentProducer(**UNSAFE)])
def test_a_run_that_was_killed_goes_on_to_the_same_numbers(spec: Callable[[], Spec], tmp_path: Path) -> None:
    """killed before a manifest, in the middle of writing files, and again after it went on"""
    whole = facts(exhaustive.check(model.build(spec())))
    with killed(3, "_sealed"):
        search(spec(), tmp_path / "run")
    with killed(4, "_to_disk"):
        search(spec(), tmp_path / "run", resume=True)
    for workers in (1, 3):
        assert facts(search(spec(), tmp_path / "run", resume=True, workers=workers)) == whole


def test_a_run_goes_on_folded_and_where_memory_gets_short(tmp_path: Path) -> None:
    spec = IdempotentProducer(batches=7, max_in_flight=6, max_sends=3, resets=2, bumps=1, leader_changes=1)
    whole = facts(exhaustive.check(model.build(spec)))
    with at_once(), killed(20, "_sealed"):
        search(spec, tmp_path / "run", compress=True, workers=2)
    assert facts(search(spec, tmp_path / "run", resume=True, max_memory=4 << 20, workers=2)) == whole


def test_a_limit_ends_a_run_and_the_next_one_goes_on(tmp_path: Path) -> None:
    whole = facts(exhaustive.check(model.build(Counters())))
    assert search(Counters(), tmp_path / "run", max_states=200).stopped == "the limit of 200 states is reached"
    assert facts(search(Counters(), tmp_path / "run", resume=True)) == whole


KILLS_ITSELF = """
import os, signal, sys
from everystate.checker.engines.explicit import checkpoint, exhaustive
from everystate.checker.engines.limits import Limits
from everystate.checker.frontend import model
from everystate.specs.idem_producer import IdempotentProducer
plain = checkpoint._to_disk
def to_disk(file):
    if file.name.endswith("00009"):
        os.kill(os.getpid(), signal.SIGKILL)
    plain(file)
checkpoint._to_disk = to_disk
exhaustive.check(model.build(IdempotentProducer(**eval(sys.argv[2]))), Limits(work=sys.argv[1], workers=2))
"""


def test_kill_9(tmp_path: Path) -> None:
    """a process of its own, killed while a level is written"""
    given = [str(tmp_path / "run"), repr(UNSAFE)]
    process = subprocess.run([sys.executable, "-c", KILLS_ITSELF, *given], check=False)
    assert process.returncode == -signal.SIGKILL
    assert (tmp_path / "run/levels/00009").exists() and not (tmp_path / "run/levels/00009.json").exists()
    spec = IdempotentProducer(**UNSAFE)
    assert facts(search(spec, tmp_path / "run", resume=True)) == facts(exhaustive.check(model.build(spec)))


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda run: flip(run / "levels/00003", 5), "E627 level 3 is damaged: its states do not have the digest"),
        (lambda run: os.truncate(run / "levels/00003", 96), "E627 level 3 is damaged: .* bytes were written"),
        (lambda run: (run / "levels/00002").unlink(), "E627 level 2 is damaged: its states cannot be read"),
        (lambda run: (run / "levels/00002.json").unlink(), "E627 level 2 is damaged: its manifest cannot be read"),
        (lambda run: flip(run / "levels/00002.json", 40), "E627 level 2 is damaged: its manifest"),
        (lambda run: os.truncate(run / "levels/00004.json", 40), "E627 level 4 is damaged: its manifest cannot"),
        (
            lambda run: (run / "levels/00003.json").write_bytes((run / "levels/00002.json").read_bytes()),
            "E627 level 3 is damaged: its manifest does not have the seal",
        ),
        (lambda run: os.truncate(run / "run.json", 10), "E620 .*its run.json cannot be read"),
    ],
)
def test_a_damaged_folder_is_refused(damage: Callable[[Path], Any], said: str, tmp_path: Path) -> None:
    search(Counters(top=2), tmp_path / "run")
    damage(tmp_path / "run")
    with pytest.raises(EverystateError, match=said):
        search(Counters(top=2), tmp_path / "run", resume=True)


def manifest(run: Path, level: int, **changed: Any) -> None:
    """Another manifest of the last level, with the seal that follows."""
    before = json.loads((run / f"levels/{level - 1:05}.json").read_text())["seal"]
    place = run / f"levels/{level:05}.json"
    text = json.dumps(json.loads(json.loads(place.read_text())["level"]) | changed)
    seal = hashlib.blake2b((before + text).encode()).hexdigest()
    place.write_text(json.dumps({"level": text, "seal": seal}))


@pytest.mark.parametrize(
    "changed",
    [
        {"number": 4},
        {"number": "9"},
        {"states": "many"},
        {"states": -1},
        {"states": 1 << 70},
        {"states": [1]},
        {"digest": 5},
        {"counters": [1, 2]},
        {"counters": 7},
        {"counters": ["x"] * 25},
        {"counters": [-1] * 25},
        {"counters": [1 << 64] * 25},
        {"first_seen": 3},
        {"first_seen": [[1]]},
        {"first_seen": [["x", 1]]},
        {"first_seen": [[99, 1]]},
        {"first_seen": [[-7, 1]]},
        {"first_seen": [[0, 0]]},
        {"first_seen": [[0, 99]]},
        {"more": 1},
    ],
)
def test_a_manifest_that_cannot_be_is_refused(changed: dict[str, Any], tmp_path: Path) -> None:
    """sealed as it must be, so that only what it says is wrong"""
    search(Counters(top=2), tmp_path / "run")
    last = len(list((tmp_path / "run/levels").glob("*.json")))
    manifest(tmp_path / "run", last, **changed)
    with pytest.raises(EverystateError, match=rf"E627 level {last} is damaged: "):
        search(Counters(top=2), tmp_path / "run", resume=True)


class Trapped(Spec):
    """A counter with one step aside."""

    trap = Constant(0, "whether there is the step")
    may_terminate = True

    def variables(self) -> None:
        self.n = Int(0, 40)
        self.caught = Bool()

    @action
    def up(self) -> None:
        require(self.n < 40)
        self.n += 1

    @action
    def aside(self) -> None:
        require(self.n == 20 and self.trap == 1)
        self.caught = True

    @invariant
    def free(self) -> bool:
        return not self.caught


def test_levels_of_another_run_are_refused(tmp_path: Path) -> None:
    """of a spec that is as large, with other constants: what it has proved was told of this one"""
    for trap in (0, 1):
        search(Trapped(trap=trap), tmp_path / str(trap), max_states=5)
    search(Trapped(trap=0), tmp_path / "0", resume=True)
    shutil.rmtree(tmp_path / "1/levels")
    shutil.copytree(tmp_path / "0/levels", tmp_path / "1/levels")
    with pytest.raises(EverystateError, match="E627 level 1 is damaged: its manifest does not have the seal"):
        search(Trapped(trap=1), tmp_path / "1", resume=True, cross_check=1)


DEEP = "[" * 100_000


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "7",
        '"x"',
        "{}",
        '{"level": 1, "seal": 2}',
        '{"level": "\\ud800", "seal": ""}',
        pytest.param(DEEP, id="deep"),
    ],
)
def test_what_is_no_manifest_is_refused(text: str, tmp_path: Path) -> None:
    search(Counters(top=2), tmp_path / "run")
    (tmp_path / "run/levels/00003.json").write_text(text)
    with pytest.raises(EverystateError, match=r"E627 level 3 is damaged: its manifest"):
        search(Counters(top=2), tmp_path / "run", resume=True)


@pytest.mark.parametrize("name", ["12abc.json", "00000.json", "3.json", "000003.json", "٠٠٠٠٣.json"])
def test_a_file_that_is_no_level_is_refused(name: str, tmp_path: Path) -> None:
    search(Counters(top=2), tmp_path / "run")
    (tmp_path / "run/levels" / name).write_text("{}")
    with pytest.raises(EverystateError, match=rf"E620 .*: levels/{name} is not the manifest of a level"):
        search(Counters(top=2), tmp_path / "run", resume=True)


@pytest.mark.parametrize("text", ["[]", "7", "{}", pytest.param(DEEP, id="deep")])
def test_what_does_not_say_what_a_run_is_about_is_refused(text: str, tmp_path: Path) -> None:
    search(Counters(top=2), tmp_path / "run")
    (tmp_path / "run/run.json").write_text(text)
    with pytest.raises(EverystateError, match=r"E620 .*its run.json cannot be read"):
        search(Counters(top=2), tmp_path / "run", resume=True)


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with pytest.raises(EverystateError, match=r"E623"):
        search(Counters(), run, resume=True)
    search(Counters(top=2), run)
    with pytest.raises(EverystateError, match=r"E621"):
        search(Counters(top=2), run)
    with pytest.raises(EverystateError, match=r"E624 .*: the constants differ: it had top=2, this command has top=3"):
        search(Counters(top=3), run, resume=True)
    with pytest.raises(EverystateError, match=r"E624 .*: --no-deadlock differ"):
        search(Counters(top=2), run, resume=True, deadlock=False)

    class Changed(Counters):
        @invariant
        def not_all(self) -> bool:
            return self.n[0] < 2

    with pytest.raises(EverystateError, match=r"E624 .*: the spec differ"):
        exhaustive.check(model.build(Changed(top=2)), Limits(work=str(run), resume=True), target="Counters")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/file").touch()
    with pytest.raises(EverystateError, match=r"E622 .*it contains file"):
        search(Counters(), tmp_path / "other")


def test_other_initial_states_are_refused(tmp_path: Path) -> None:
    """fewer of them: what was reached from the others must not be told, nor counted"""

    class Begun(Counters):
        least = 0

        @initial
        def anywhere(self) -> None:
            self.n[3] = choose([0, 1])
            require(self.n[3] >= self.least)

    class Fewer(Begun):
        least = 1

    search(Begun(top=2), tmp_path / "run")
    with pytest.raises(EverystateError, match=r"E624 .*: the initial states differ"):
        exhaustive.check(model.build(Fewer(top=2)), Limits(work=str(tmp_path / "run"), resume=True), target="Begun")


class Ends(Spec):
    """Two counters that end, which is a deadlock unless it may."""

    def variables(self) -> None:
        self.n = Array(2, Int(0, 3))

    @action(i=(0, 1))
    def up(self, i: int) -> None:
        require(self.n[i] < 3 and self.n[0] + self.n[1] < 4)
        self.n[i] += 1

    @reachable
    def high(self) -> bool:
        return self.n[0] + self.n[1] > 1


class MayEnd(Ends):
    may_terminate = True


class Goal(Ends):
    @reachable
    def said(self) -> bool:
        return self.n[0] == 3


class Never(Ends):
    """What was a goal must never be, in the same words."""

    @invariant
    def said(self) -> bool:
        return self.n[0] != 3


@pytest.mark.parametrize("pair", [(Ends, MayEnd), (MayEnd, Ends), (Goal, Never), (Never, Goal)])
def test_what_compiled_code_does_not_say_must_be_the_same(pair: tuple[type[Spec], type[Spec]], tmp_path: Path) -> None:
    """whether a state may be the last one, and what a condition means that is counted"""
    before, now = (model.build(spec()) for spec in pair)
    exhaustive.check(before, Limits(work=str(tmp_path / "run"), max_states=12), target="Ends")
    with pytest.raises(EverystateError, match=r"E624 .*: the spec differ"):
        exhaustive.check(now, Limits(work=str(tmp_path / "run"), resume=True), target="Ends")


def changed(spec: type[Spec]) -> list[type[Spec]]:
    """Specs that differ in one thing of each kind that a spec may say."""

    class Invariant(spec):  # type: ignore[misc, valid-type]
        @invariant
        def more(self) -> bool:
            return self.n[0] < 3

    class Step(spec):  # type: ignore[misc, valid-type]
        @step_invariant
        def more(self, before: Any) -> bool:
            return self.n[0] < 3

    class Goal(spec):  # type: ignore[misc, valid-type]
        @reachable
        def more(self) -> bool:
            return self.n[0] == 3

    class Constraint(spec):  # type: ignore[misc, valid-type]
        @constraint
        def more(self) -> bool:
            return self.n[0] < 2

    class Steps(spec):  # type: ignore[misc, valid-type]
        @action_constraint
        def more(self, before: Any) -> bool:
            return self.n[0] < 2

    class View(spec):  # type: ignore[misc, valid-type]
        @view
        def more(self) -> Any:
            return self.n[0]

    class Refined(spec):  # type: ignore[misc, valid-type]
        @refines(Ends)
        def more(self) -> Any:
            return {"n": [self.n[1], self.n[1]]}

    return [Invariant, Step, Goal, Constraint, Steps, View, Refined]


@pytest.mark.parametrize("kind", range(7))
def test_everything_that_a_spec_says_of_states_and_steps_must_be_the_same(kind: int, tmp_path: Path) -> None:
    """in both directions: with one more than before, and with one less"""
    other = model.build(changed(Ends)[kind]())
    for number, (before, now) in enumerate([(model.build(Ends()), other), (other, model.build(Ends()))]):
        run = str(tmp_path / str(number))
        exhaustive.check(before, Limits(work=run, max_states=8), target="Ends")
        with pytest.raises(EverystateError, match=r"E624 .*: the (spec|initial states) differ"):
            exhaustive.check(now, Limits(work=run, resume=True), target="Ends")


def test_what_is_said_of_behaviours_is_judged_of_all_states(tmp_path: Path) -> None:
    """a temporal property is about the whole graph, which is built when the resumed search is over"""

    class Lives(Ends):
        @eventually
        def gets_there(self) -> bool:
            return self.n[0] == 3

    exhaustive.check(model.build(Lives()), Limits(work=str(tmp_path / "run"), max_states=8), target="Ends")
    result = exhaustive.check(
        model.build(Lives()), Limits(work=str(tmp_path / "run"), resume=True, deadlock=True), target="Ends"
    )
    assert facts(result) == facts(exhaustive.check(model.build(Lives()), target="Ends"))


def test_a_run_that_was_killed_before_it_had_begun_begins_anew(tmp_path: Path) -> None:
    with killed(1, "_to_disk"):
        search(Counters(top=2), tmp_path / "run")
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["levels", "lock", "run.part"]
    assert search(Counters(top=2), tmp_path / "run").distinct == 81


def test_two_runs_do_not_share_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    search(Counters(top=2), tmp_path / "run")
    traced = model.build(Counters(top=2))
    first = exhaustive.Exhaustive(traced, Limits(work=str(tmp_path / "run"), resume=True))
    told: list[str] = []

    def meanwhile(*given: Any) -> Any:
        with pytest.raises(EverystateError, match=r"E620 .*another run works in it"):
            search(Counters(top=2), tmp_path / "run", resume=True)
        told.append("refused")
        return exhaustive.Exhaustive._conclude(first, *given)

    monkeypatch.setattr(first, "_conclude", meanwhile)
    assert first.run().distinct == 81 and told == ["refused"]


def test_a_full_disk_is_told_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, calls = checkpoint._to_disk, []

    def full(file: Any) -> None:
        calls.append(file)
        if len(calls) > 9:
            raise OSError(errno.ENOSPC, "No space left on device")
        plain(file)

    with monkeypatch.context() as patch:
        patch.setattr(checkpoint, "_to_disk", full)
        with pytest.raises(EverystateError, match=r"E626 a disk is full: No space left on device \(.*run\)"):
            search(Counters(), tmp_path / "run")
    whole = facts(exhaustive.check(model.build(Counters())))
    assert facts(search(Counters(), tmp_path / "run", resume=True)) == whole
