"""A distributed search says what the search in one process says, to the digit, for any number of partitions."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("pyspark")

from everystate.checker import (
    AnyOf,
    Array,
    Constant,
    Int,
    Spec,
    action,
    constraint,
    eventually,
    implies,
    invariant,
    reachable,
    require,
    step_invariant,
    view,
)
from everystate.checker.backends.native import Program
from everystate.checker.engines import distributed
from everystate.checker.engines.crosscheck.selection import quotas
from everystate.checker.engines.distributed import cluster
from everystate.checker.engines.distributed import search as distributed_search
from everystate.checker.engines.distributed.folder import Folder
from everystate.checker.engines.distributed.history import StoredHistory
from everystate.checker.engines.distributed.kernel import kernel_of
from everystate.checker.engines.distributed.run import Run
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.engines.limits import Limits
from everystate.checker.engines.observer import Progress, Silent
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.checker.results import itf
from everystate.checker.results.result import Result
from everystate.checker.results.verdict import Verdict
from everystate.specs.idem_producer import IdempotentProducer
from everystate.specs.kafka import SCENARIOS
from tests.planted import PLANTED

from .killed import Words

NAMES = ("batches", "max_in_flight", "window", "max_sends", "resets", "bumps", "leader_changes")


def producer(text: str) -> IdempotentProducer:
    return IdempotentProducer(**dict(zip(NAMES, map(int, text.split()), strict=True)))


def scenario(name: str) -> Spec:
    import importlib

    found = next(s for s in SCENARIOS if s.name == name)
    module, cls = found.target.split(":")
    spec: Spec = getattr(importlib.import_module(module), cls)(**found.constants)
    return spec


def on(spark: Any, spec: Spec, partitions: int, ship: int = 1, observer: Any = None, **more: Any) -> Result:
    limits = more.pop("limits", Limits())
    plan = distributed.Plan(lambda: contextlib.nullcontext(spark), partitions, ship=ship, **more)
    result, shipped = distributed.check(model.build(spec), limits, plan, observer)
    assert shipped
    assert result.engine == "spark"
    return result


def here(spec: Spec, **limits: Any) -> Result:
    return exhaustive.check(model.build(spec), Limits(**limits))


def told(result: Result) -> dict[str, Any]:
    """Everything that a result says, traces as the text of their files."""
    return {
        "counts": (result.distinct, result.generated, result.initial, result.depth),
        "verdict": (result.verdict, result.exit_code, result.statement, result.stopped),
        "coverage": result.coverage,
        "warnings": result.warnings,
        "held": result.held,
        "violations": [(v.property, v.kind, v.length, v.states, v.beyond, v.text) for v in result.violations],
        "traces": [itf.dump(v.trace) if v.trace else None for v in result.violations],
    }


def test_a_space_that_stays_small_never_starts_spark() -> None:
    def nobody() -> Any:
        raise AssertionError("a session was opened")

    plan = distributed.Plan(nobody)
    result, shipped = distributed.check(model.build(producer("3 2 2 3 1 1 1")), Limits(), plan)
    assert (result.distinct, shipped, result.engine) == (484, False, "native")


def descriptions(spark: Any) -> set[str]:
    """What the Spark UI shows of the jobs so far."""
    jobs = spark.sparkContext._jsc.sc().statusStore().jobsList(None)
    told = [jobs.apply(i).description() for i in range(jobs.size())]
    return {text.get() for text in told if text.isDefined()}


class Digits(Words):
    """The same, and two words are wrong."""

    @invariant
    def wrong_early(self) -> bool:
        return not (self.length == 3 and self.word == 0o33)

    @invariant
    def wrong_late(self) -> bool:
        return self.word != 255


@pytest.mark.thorough
def test_seven_partitions_from_the_second_level_on(spark: Any) -> None:
    """Each partition is made from the stored levels once, and then found where it is."""
    plan = distributed.Plan(lambda: contextlib.nullcontext(spark), 7, ship=1)
    search = distributed.Distributed(model.build(Digits()), Limits(), plan)
    result = search.run()
    assert search.spent["rebuilt"] == 7
    assert "level 4: from 16 states" in descriptions(spark)
    assert (result.distinct, result.generated, result.depth) == (341, 341, 5)
    assert [(v.property, v.length, v.states) for v in result.violations] == [
        ("wrong_early", 3, 1),
        ("wrong_late", 4, 1),
    ]
    assert told(result) == told(here(Digits()))


class Counters(Spec):
    """Three counters: most states have three predecessors, and the last level is the widest, so few are shipped."""

    most = Constant(8, "the sum at which they stop")
    may_terminate = True

    def variables(self) -> None:
        self.counters = Array(3, Int(0, self.most))

    @action(which=range(3))
    def count(self, which: int) -> None:
        require(self.counters[0] + self.counters[1] + self.counters[2] < self.most)
        self.counters[which] += 1

    @invariant
    def few(self) -> bool:
        return self.counters[0] + self.counters[1] + self.counters[2] <= self.most


@pytest.mark.thorough
@pytest.mark.parametrize("partitions", [1, 2])
def test_wide_levels_in_one_and_two_partitions(spark: Any, partitions: int) -> None:
    """most states of two levels, of 496 and 528 states, arrive three times"""
    result = on(spark, Counters(most=31), partitions, ship=465)
    assert (result.distinct, result.generated, result.depth) == (5_984, 16_369, 32)
    assert told(result) == told(here(Counters(most=31)))


def test_a_violation_has_the_same_shortest_trace(spark: Any) -> None:
    limits = Limits(stop_early=True)
    result = on(spark, producer("2 2 1 3 1 1 0"), 2, ship=9, limits=limits)
    assert [(v.property, v.length, v.states) for v in result.violations] == [("NoDup", 10, 1), ("InOrder", 10, 1)]
    assert told(result) == told(here(producer("2 2 1 3 1 1 0"), stop_early=True))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "ship", "distinct"),
    [("current/producer-restart", 14, 96), ("kip-360/unknown-producer", 11, 79)],
    ids=["violated", "proved"],
)
def test_kafka_scenarios(spark: Any, name: str, ship: int, distinct: int) -> None:
    result = on(spark, scenario(name), 2, ship=ship)
    assert result.distinct == distinct
    assert told(result) == told(here(scenario(name)))


class Everything(Spec):
    """Two counters, with every kind of property and warning that a search knows."""

    def variables(self) -> None:
        self.a = Int(0, 5, init=AnyOf(0, 1, 5))
        self.b = Int(0, 5)

    @action
    def up_a(self) -> None:
        require(self.a < 5)
        self.a += 1

    @action
    def up_b(self) -> None:
        require(self.b < 4)
        self.b += 1

    @action
    def back(self) -> None:
        require(self.a == 4)
        self.a = 2

    @action
    def never(self) -> None:
        require(self.b > 2)
        require(self.a + self.b > 9)
        self.b = 0

    @constraint
    def near(self) -> bool:
        return self.a + self.b <= 6

    @invariant
    def not_three_three(self) -> bool:
        """a and b are not both 3"""
        return not (self.a == 3 and self.b == 3)

    @invariant
    def far_is_fine(self) -> bool:
        """fails outside the constraint only"""
        return self.a + self.b < 7

    @invariant
    def vacuous(self) -> bool:
        return implies(self.b == 5, self.a == 0)

    @step_invariant
    def forwards(self, before: Any) -> bool:
        """a never falls"""
        return self.a >= before.a

    @reachable
    def corner(self) -> bool:
        return self.a == 2 and self.b == 4

    @reachable
    def nowhere(self) -> bool:
        return self.b == 5


class Fails(Everything):
    """The same, and an action that fails."""

    @action
    def over(self) -> None:
        require(self.b == 3)
        self.a += 4


class Seen(Spec):
    """A counter seen through a view."""

    def variables(self) -> None:
        self.a = Int(0, 3)
        self.b = Int(0, 9)

    @action
    def up(self) -> None:
        self.a = (self.a + 1) % 4
        require(self.b < 9)
        self.b += 1

    @action
    def two(self) -> None:
        require(self.b < 8)
        self.b += 2

    @view
    def shadow(self) -> Any:
        return self.b


@pytest.mark.thorough
@pytest.mark.parametrize("cls", [Everything, Fails, Seen])
def test_every_kind_of_property_and_warning(spark: Any, cls: type[Spec]) -> None:
    expected, result = here(cls()), on(spark, cls(), 3)
    assert told(result) == told(expected)
    assert len(expected.violations) == {Everything: 4, Fails: 4, Seen: 1}[cls]


class Late(Spec):
    def variables(self) -> None:
        self.n = Int(0, 3)

    @action
    def turn(self) -> None:
        self.n = (self.n + 1) % 3

    @invariant
    def below_three(self) -> bool:
        return self.n < 3

    @eventually
    def three(self) -> bool:
        return self.n == 3


@pytest.mark.thorough
def test_what_nobody_judges_there_is_not_proved(spark: Any) -> None:
    """it was PROVED (exit code 0), with a warning, though here it is VIOLATED"""
    assert here(Late()).violations[0].property == "three"
    found = on(spark, Late(), 2)
    assert (found.verdict, found.exit_code, found.held) == (Verdict.UNDECIDED, 3, ("below_three",))
    assert found.statement == (
        "UNDECIDED  below_three holds in all 3 reachable states; no deadlock, no action fails "
        "(exhaustive, exact states); three is not judged"
    )
    assert found.warnings == ("three is a temporal property: only `check` in one process judges it",)


@pytest.mark.thorough
def test_a_space_that_ends_with_the_level_that_is_shipped(spark: Any) -> None:
    """and an action was never enabled, so its guards are asked for in levels that nobody has stored"""

    class TwoLevels(Spec):
        may_terminate = True

        def variables(self) -> None:
            self.n = Int(0, 9)

        @action(to=range(1, 6))
        def leave(self, to: int) -> None:
            require(self.n == 0)
            self.n = to

        @action
        def never(self) -> None:
            require(self.n > 7)
            self.n = 0

    expected, result = here(TwoLevels()), on(spark, TwoLevels(), 3, ship=2)
    assert told(result) == told(expected)
    assert (result.verdict, result.distinct) == (Verdict.PROVED, 6)
    assert result.warnings == expected.warnings and "never was never enabled" in result.warnings[0]


# -- limits, resuming, the work folder -------------------------------------------------------------------------


@pytest.mark.thorough
def test_a_limit_on_states_ends_after_a_level_and_the_run_can_go_on(spark: Any, tmp_path: Path) -> None:
    spec, work = Counters(), str(tmp_path / "run")
    stopped = on(spark, spec, 2, ship=28, work=work, limits=Limits(max_states=118))
    assert (stopped.verdict, stopped.stopped) == (Verdict.UNDECIDED, "the limit of 118 states is reached")
    assert stopped.distinct == 120
    levels = [path.name for path in (tmp_path / "run" / "levels").iterdir() if path.suffix == ".json"]
    result = on(spark, spec, 2, ship=28, work=work, resume=True)
    assert (result.distinct, result.generated, result.depth, result.verdict) == (165, 361, 9, Verdict.PROVED)
    assert told(result) == told(here(spec))
    assert len([p for p in (tmp_path / "run" / "levels").iterdir() if p.suffix == ".json"]) > len(levels)


@pytest.mark.thorough
def test_a_run_that_is_complete_is_only_read_again(spark: Any, tmp_path: Path) -> None:
    spec, work = Digits(), str(tmp_path)
    first = on(spark, spec, 2, ship=7, work=work)
    jobs: list[int] = []

    class Counting(Silent):
        def level(self, progress: Progress) -> None:
            jobs.append(len(spark.sparkContext.statusTracker().getJobIdsForGroup(None)))

    assert told(on(spark, spec, 2, ship=7, work=work, resume=True, observer=Counting())) == told(first)
    assert jobs[-1] == jobs[-2]


@pytest.mark.thorough
def test_a_work_folder_is_used_for_one_run_only(spark: Any, tmp_path: Path) -> None:
    spec, work = producer("2 2 1 3 1 1 0"), str(tmp_path / "run")
    stop = Limits(max_states=30)
    on(spark, spec, 2, ship=7, work=work, limits=stop)
    cases: list[tuple[str, Spec, dict[str, Any]]] = [
        ("E621", spec, {}),
        ("E624.*: the constants differ: it had .*, this command has", producer("2 2 1 3 1 0 0"), {"resume": True}),
        ("E624.*: --partitions differ: it had 2, this command has 3", spec, {"resume": True, "partitions": 3}),
        ("E624.*: --ship differ: it had 7, this command has 6", spec, {"resume": True, "ship": 6}),
        ("E624.*: the target differ", Everything(), {"resume": True, "ship": 3}),
        ("E623", spec, {"resume": True, "work": str(tmp_path / "other")}),
    ]
    for message, wanted, given in cases:
        with pytest.raises(EverystateError, match=message):
            on(spark, wanted, **{"partitions": 2, "ship": 7, "work": work, **given})
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(EverystateError, match=r"E622 .* is not empty: it contains notes.txt"):
        on(spark, spec, 2, ship=7, work=str(tmp_path / "mine"))
    (tmp_path / "file").write_text("")
    with pytest.raises(EverystateError, match=r"E620 .* cannot be used: .*"):
        on(spark, spec, 2, ship=7, work=str(tmp_path / "file" / "below"))
    with pytest.raises(EverystateError, match=r"E620 .* cannot be used: .*"):
        on(spark, spec, 2, ship=7, work="nofilesystem://there/run")


@pytest.mark.thorough
def test_a_level_without_its_manifest_does_not_count(spark: Any, tmp_path: Path) -> None:
    spec, work = Digits(), str(tmp_path)
    on(spark, spec, 2, ship=7, work=work, limits=Limits(max_states=30))
    manifests = sorted((tmp_path / "levels").glob("*.json"))
    last = json.loads(manifests[-1].read_text())
    manifests[-1].unlink()
    assert Folder(spark, work).exists(json.loads(last["level"])["names"][0])
    assert told(on(spark, spec, 2, ship=7, work=work, resume=True)) == told(here(spec))


@pytest.mark.thorough
def test_ctrl_c_leaves_a_partial_result_and_a_run_to_resume(spark: Any, tmp_path: Path) -> None:
    class Impatient(Silent):
        def level(self, progress: Progress) -> None:
            if progress.distinct > 80:
                raise KeyboardInterrupt

    spec, work = Words(), str(tmp_path)
    result = on(spark, spec, 2, ship=7, work=work, observer=Impatient())
    assert (result.verdict, result.stopped, result.interrupted) == (Verdict.UNDECIDED, "interrupted", True)
    assert result.distinct == 85
    assert told(on(spark, spec, 2, ship=7, work=work, resume=True)) == told(here(spec))


@pytest.mark.thorough
def test_ctrl_c_that_strikes_while_py4j_connects_is_no_failure(spark: Any) -> None:
    from py4j.protocol import Py4JError

    class Unlucky(Silent):
        def level(self, progress: Progress) -> None:
            if progress.distinct > 30:
                try:
                    raise KeyboardInterrupt
                except KeyboardInterrupt:
                    raise Py4JError("Gateway must be connected to send cancel cmd.")  # noqa: B904

    result = on(spark, producer("2 2 1 3 1 1 0"), 2, ship=7, observer=Unlucky())
    assert (result.stopped, result.interrupted) == ("interrupted", True)


def failing(error: Exception) -> Any:
    def settle(task: Any, step: Any, batches: Any) -> Any:
        raise error
        yield

    return settle


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(28, "No space left on device"), "E626 a disk is full: no space left on device"),
        (ValueError("unfit for work"), "E625 Spark failed: .*unfit for work"),
        (
            EverystateError("E627", None, level=9, reason="partition 1 holds 2 states up to there, not 3"),
            "E627 level 9 is damaged: partition 1 holds 2 states up to there, not 3",
        ),
    ],
    ids=["disk", "task", "files"],
)
def test_a_job_that_fails_is_a_clear_error(
    spark: Any, monkeypatch: pytest.MonkeyPatch, error: Exception, message: str
) -> None:
    monkeypatch.setattr("everystate.checker.engines.distributed.cluster.settle", failing(error))
    with pytest.raises(EverystateError, match=message):
        on(spark, producer("2 2 1 3 1 1 0"), 2, ship=7)


@pytest.mark.thorough
def test_a_session_that_others_use_is_left_as_it_was(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = {"spark.sql.codegen.wholeStage": "true", "spark.sql.execution.arrow.maxRecordsPerBatch": "10000"}
    before = {name: spark.conf.get(name) for name in cluster.CONF}
    assert changed.items() <= before.items()
    spark.conf.set("spark.sql.parquet.filterPushdown", "false")
    context = spark.sparkContext

    def left() -> tuple[Any, ...]:
        settings = {name: spark.conf.get(name) for name in cluster.CONF}
        return settings, len(context._jsc.getPersistentRDDs()), context.getLocalProperty("spark.job.description")

    try:
        as_before = ({**before, "spark.sql.parquet.filterPushdown": "false"}, 0, None)
        on(spark, producer("2 2 1 3 1 1 0"), 2, ship=7, limits=Limits(max_states=30))
        assert left() == as_before
        monkeypatch.setattr("everystate.checker.engines.distributed.cluster.settle", failing(ValueError("unfit")))
        with pytest.raises(EverystateError, match=r"E625 .*unfit"):
            on(spark, producer("2 2 1 3 1 1 0"), 2, ship=7)
        assert left() == as_before
    finally:
        spark.conf.unset("spark.sql.parquet.filterPushdown")


@pytest.mark.thorough
def test_a_spark_that_fails_at_the_end_does_not_hide_what_failed_before(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyspark.errors import PySparkRuntimeError

    def gone(self: Any, text: str | None) -> None:
        if text is None:
            raise PySparkRuntimeError("the connection is lost")

    monkeypatch.setattr("everystate.checker.engines.distributed.cluster.settle", failing(ValueError("unfit")))
    monkeypatch.setattr("pyspark.SparkContext.setJobDescription", gone)
    with pytest.raises(EverystateError, match=r"E625 .*unfit"):
        on(spark, producer("2 2 1 3 1 1 0"), 2, ship=7)


def test_a_cluster_needs_a_work_folder_that_all_its_machines_see() -> None:
    session: Any = SimpleNamespace(sparkContext=SimpleNamespace(master="spark://somewhere:7077"))
    plan: Any = distributed.Plan(lambda: contextlib.nullcontext(session), ship=7)
    with pytest.raises(EverystateError, match="E628 a search on spark://somewhere:7077 needs a work folder"):
        distributed.check(model.build(producer("2 2 1 3 1 1 0")), Limits(), plan)


class Tree(Spec):
    """Levels of 1, 10, 100, ... states, as `number` was meant to be bounded."""

    may_terminate = True

    def variables(self) -> None:
        self.number = Int(0, 1 << 40)
        self.last = Int(0, 9)

    @action(digit=range(10))
    def append(self, digit: int) -> None:
        require(self.number < 10**9)
        self.number = 10 * self.number + digit + 1
        self.last = digit

    @invariant
    def natural(self) -> bool:
        return self.number >= 0


@pytest.mark.thorough
def test_a_limit_on_states_cuts_a_level_off(spark: Any) -> None:
    """after 11,111 states of 5 levels the next one would have 100,000 more"""
    result = on(spark, Tree(), 2, ship=100, limits=Limits(max_states=20_000, cross_check=100))
    assert (result.verdict, result.stopped) == (Verdict.UNDECIDED, "the limit of 20,000 states is reached")
    assert (result.distinct, result.depth, result.cross_checked) == (20_535, 5, 100)
    assert result.growing.startswith("number 0..")


# -- the cross-check ------------------------------------------------------------------------------------------


def planted(monkeypatch: pytest.MonkeyPatch, change: Any) -> None:
    """What executors run is made of another model than what the driver has."""
    plain = kernel_of

    def kernel(program: Program) -> Any:
        return plain(Program(change(program.model)))

    monkeypatch.setattr(distributed_search, "kernel_of", kernel)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name", ["an assignment", "a step invariant", "a constraint", "the left side of an implication"]
)
def test_wrong_code_of_executors_is_noticed(spark: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """of three levels that Spark makes, which have the states that are wrong there"""
    cls, plant, called, said = PLANTED[name]
    planted(monkeypatch, plant)
    with pytest.raises(EverystateError, match="E217") as found:
        on(spark, cls(), 2, ship=2, limits=Limits(max_states=14))
    assert found.value.what.startswith(f"{called} differs between compiled code and plain Python: {said}")
    assert found.value.where is not None


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("twice", "said"),
    [
        (500, r"E217 \w+ .*: its successor is (not among|on level)"),
        (0, r"E505 the counters of the search of \w+ do not add up: [\d,]+ states were generated, and [\d,]+ arrived"),
    ],
)
def test_states_that_executors_lose_are_noticed(
    spark: Any, twice: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """each partition forgets what it has no room for, and nobody says so"""
    monkeypatch.setattr(Run, "_allowed", lambda self: 20)
    monkeypatch.setattr(Run, "cut", property(lambda self: None, lambda self, value: None), raising=False)
    with pytest.raises(EverystateError, match=said):
        on(spark, Digits(), 2, ship=7, limits=Limits(cross_check=twice))


@pytest.mark.thorough
def test_states_that_are_executed_twice_come_from_all_levels(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    plain = StoredHistory.answers

    def answers(self: Any, *given: Any) -> Any:
        for level, said in plain(self, *given):
            seen.append(level)
            yield level, said

    monkeypatch.setattr(StoredHistory, "answers", answers)
    result = on(spark, Words(), 3, ship=7, limits=Limits(cross_check=60))
    assert quotas([1, 4, 16, 64, 256], 60) == [1, 4, 13, 14, 28]
    assert [seen.count(level) for level in range(1, 6)] == [1, 4, 13, 14, 28]
    assert result.cross_checked == 60
