"""`check` in Python: it says what the command line says, and never more than was proved."""

from __future__ import annotations

import importlib
import importlib.util
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from everystate import Checked, Verdict, check, explore
from everystate.checker import (
    Array,
    Bool,
    Constant,
    Enum,
    Int,
    Map,
    Option,
    Record,
    Seq,
    Set,
    Spec,
    action,
    invariant,
    require,
)
from everystate.checker.api.states import arrow_type
from everystate.checker.cli.main import main
from everystate.checker.engines.explicit.exhaustive import Exhaustive
from everystate.checker.errors import EverystateError
from everystate.checker.language import domains
from everystate.checker.results.itf import parse
from everystate.specs.classics.die_hard import DieHard
from everystate.specs.classics.hanoi import Hanoi
from everystate.specs.classics.two_phase_symmetric import SymmetricTwoPhase
from everystate.specs.idem_producer import IdempotentProducer
from tests.docs.page import ROOT, Page


class Counter(Spec):
    """Counts to its limit."""

    most = Constant(9, "where it stops")

    def variables(self) -> None:
        self.n = Int(0, 20)

    @action
    def up(self) -> None:
        if self.n < self.end():
            self.n += 1

    def end(self) -> int:
        return self.most

    @invariant
    def small(self) -> bool:
        return self.n < 10


class Workers(Counter):
    """A constant that is called like a setting."""

    workers = Constant(1, "how many")

    @invariant
    def few(self) -> bool:
        return self.workers < 3


class Overflows(Counter):
    """Leaves its domain."""

    def variables(self) -> None:
        self.n = Int(0, 2)


class Every(Spec):
    """A variable of each kind of domain."""

    may_terminate = True

    class Batch(Record):
        seq = Int(0, 3)
        ok = Bool()

    def variables(self) -> None:
        self.number = Int(-1, 1)
        self.truth = Bool()
        self.mode = Enum("up", "down<script>")
        self.pair = Array(2, Int(0, 1))
        self.log = Seq(Every.Batch, 2)
        self.seen = Set(Int(0, 2))
        self.by = Map(Enum("a", "b"), Int(0, 1))
        self.last = Option(Int(0, 3))

    @action
    def fill(self) -> None:
        require(len(self.log) < 2)
        self.log.append(Every.Batch(seq=2, ok=True))
        self.seen.add(1)
        self.by["b"] = 1
        self.last = 3


@pytest.mark.parametrize("engine", ["native", "python"])
def test_what_may_end_is_not_said_to_be_checked_for_deadlocks(engine: str) -> None:
    said = str(check(Every, engine=engine))
    assert "none: only errors were checked" in said and "deadlock" not in said


# -- the same words ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["die-hard", "two-phase-symmetric", "hanoi"])
def test_it_says_what_the_command_line_says(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cls = {"die-hard": DieHard, "two-phase-symmetric": SymmetricTwoPhase, "hanoi": Hanoi}[name]
    result = check(cls)
    main(["check", name, "--quiet"])
    assert result.statement == capsys.readouterr().out.rstrip("\n")
    monkeypatch.setenv("COLUMNS", "100")
    main(["check", name])
    printed = capsys.readouterr().out
    assert all(
        line in printed
        for line in str(result).splitlines()
        if not line.startswith(("  search", "  cross-check", "  time", " " * 15))
    )


def test_symmetry_is_told() -> None:
    result = check(SymmetricTwoPhase)
    assert result.proved and "orbits" in result.statement and "counts are of such orbits" in result.warnings[-1]
    assert len(list(result.states())) == result.distinct == len(result.states())


def test_a_verdict_is_a_text_too() -> None:
    result = check(DieHard)
    assert result.verdict == "VIOLATED" == str(result.verdict) and result.verdict is Verdict.VIOLATED
    assert (result.proved, bool(result), result.violation("goal_not_reached").length) == (False, False, 6)
    with pytest.raises(KeyError):
        result.violation("NoDup")


# -- never more than was proved ------------------------------------------------------------------------------


def test_limits_prove_nothing() -> None:
    result = check(Counter, max_states=3, workers=1)
    assert (result.verdict, bool(result)) == (Verdict.UNDECIDED, False)
    assert [state.n for state in result.states()] == list(range(result.distinct))
    assert check(Counter).proved
    bounded = check(Counter, engine="z3", depth=4)
    assert (bounded.verdict, bool(bounded)) == (Verdict.BOUNDED, False)
    with pytest.raises(ValueError, match="z3 visits no states"):
        bounded.states()
    for engine in ("native", "python", "z3"):
        late = check(Counter, engine=engine, seconds=1e-9)
        said = "UNDECIDED  the time limit of 1e-09 s is reached"
        assert (late.verdict, late.statement.partition(";")[0][: len(said)]) == (Verdict.UNDECIDED, said)
        if engine != "z3":
            assert [state.n for state in late.states()] == list(range(late.distinct))


def test_an_interrupt_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    begin = Exhaustive._begin_level

    def pressed(search: Exhaustive, *given: Any) -> Any:
        if len(search.levels) == 4:
            signal.raise_signal(signal.SIGINT)
        return begin(search, *given)

    monkeypatch.setattr(Exhaustive, "_begin_level", pressed)
    result = check(Hanoi)
    assert (result.verdict, result.result.interrupted, bool(result)) == ("UNDECIDED", True, False)
    monkeypatch.undo()
    assert len(list(result.states())) == result.distinct == 9
    assert check(Hanoi).distinct > 9


def test_an_interrupt_while_a_spec_is_traced_gives_no_result() -> None:
    class Pressed(Counter):
        @action
        def down(self) -> None:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises((KeyboardInterrupt, EverystateError)):
        check(Pressed, engine="native")
    assert check(Counter).proved
    assert check(Pressed).verdict == "UNDECIDED"


def test_what_was_changed_meanwhile_is_checked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    before = check(Counter)

    monkeypatch.setattr(Counter, "end", lambda self: self.most + 1)
    after = check(Counter)
    assert (before.proved, after.verdict, after.violations[0].length) == (True, "VIOLATED", 10)
    assert [state.n for state in before.states()] == list(range(10))
    with pytest.raises(ValueError, match="Counter has changed since it was checked: 11 states now, 10 when"):
        before.graph()


def test_an_instance_is_made_anew() -> None:
    made = Counter(most=12)
    result = check(made)
    assert (result.verdict, result.violations[0].length) == ("VIOLATED", 10)
    assert check(Counter(most=9)).proved and result.spec is not made


def test_a_constant_may_have_the_name_of_a_setting() -> None:
    assert check(Workers).proved
    assert check(Workers(workers=3), workers=1).violations[0].property == "few"


def test_what_is_no_spec_is_refused() -> None:
    for wrong in (Counter.up, "Counter", int):
        with pytest.raises(TypeError, match=r"check takes a spec, check\(Lock\) or check\(Lock\(workers=3\)\)"):
            check(wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="engine is 'nativ'; it is one of auto, native, python, z3, spark"):
        check(Counter, engine="nativ")
    with pytest.raises(EverystateError) as caught:
        check(Counter(limit=3))
    assert caught.value.code == "E107"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"max_states": -1}, "max_states is -1; it is a whole number of at least 1"),
        ({"workers": 2.5}, "workers is 2.5; it is a whole number of at least 1"),
        ({"max_memory": "8G"}, "max_memory is '8G'; it is a whole number of at least 1"),
        ({"cross_check": True}, "cross_check is True; it is a whole number of at least 0"),
        ({"engine": "z3", "depth": -1}, "depth is -1; it is a whole number of at least 0"),
        ({"engine": "z3", "compress": True}, "engine is 'z3'; compress is for native"),
        ({"engine": "python", "cache": True}, "engine is 'python'; cache is for native"),
        ({"engine": "spark", "seconds": 3}, "engine is 'spark'; seconds is for the others"),
        ({"seconds": 0}, "seconds is 0; it is a number above 0"),
        ({"master": "yarn"}, "engine is 'auto'; master is for spark"),
        (
            {"engine": "spark", "master": "yarn", "workers": 2},
            "workers is for this machine; with master the cluster decides",
        ),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError) as caught:
        check(Counter, **given)
    assert str(caught.value) == said


def test_what_is_no_spec_cannot_be_explored() -> None:
    with pytest.raises(TypeError, match=r"explore takes a spec, .*; 'Counter' is none"):
        explore("Counter")  # type: ignore[arg-type]


def test_spark_says_what_is_said_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    found = check(Counter(most=10), engine="spark")
    assert (found.result.engine, str(found.verdict), found.violations) == (
        "native",  # no level was worth a cluster
        "VIOLATED",
        check(Counter(most=10)).violations,
    )
    assert [len(v.trace.steps) for v in found.violations if v.trace] == [10]
    assert len(list(found.states())) == found.distinct == 11
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(EverystateError) as caught:
        check(Counter, engine="spark")
    assert caught.value.code == "E510"


def test_threads_get_their_own_verdicts() -> None:
    found: dict[int, Checked] = {}

    def work(most: int) -> None:
        found[most] = check(Counter(most=most))

    threads = [threading.Thread(target=work, args=(most,)) for most in (5, 9, 10, 12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {most: (str(r.verdict), r.distinct) for most, r in found.items()} == {
        5: ("PROVED", 6),
        9: ("PROVED", 10),
        10: ("VIOLATED", 11),
        12: ("VIOLATED", 13),
    }


def test_engines_agree_and_calling_twice_gives_the_same() -> None:
    one, two = check(IdempotentProducer(max_in_flight=6)), check(IdempotentProducer(max_in_flight=6))
    assert one.statement == two.statement and one.violations == two.violations
    slow = check(DieHard, engine="python")
    assert slow.statement.endswith("executed as plain Python") and slow.violations == check(DieHard).violations


def test_a_class_without_source_is_executed_as_plain_python() -> None:
    names: dict[str, Any] = {"Counter": Counter, "invariant": invariant}
    exec("class Bad(Counter):\n    @invariant\n    def low(self):\n        return self.n < 3\n", names)
    with pytest.raises(EverystateError, match=r"Bad\.low cannot be used here"):
        check(names["Bad"], engine="native")
    found = check(names["Bad"])
    assert (found.verdict, found.violations[0].length, found.result.engine) == ("VIOLATED", 3, "python")


def test_a_search_that_an_error_ended_has_the_states_until_there() -> None:
    result = check(Counter(most=99), stop_early=True)
    assert (result.violations[0].property, [state.n for state in result.states()]) == ("small", list(range(11)))
    failing = check(Overflows)
    assert failing.violations[0].property == "error" and [state.n for state in failing.states()] == [0, 1, 2]


@pytest.mark.parametrize("options", [{"engine": "native"}, {"engine": "python"}, {"engine": "z3", "depth": 12}])
def test_a_violation_without_a_constraint_is_beyond_none(options: dict[str, Any]) -> None:
    said = str(check(Counter(most=99), **options))
    assert "small violated after 10 steps" in said and "beyond" not in said


# -- states, graph -------------------------------------------------------------------------------------------


def test_tables_have_the_types_of_the_domains() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    result = check(Every)
    table = result.states().to_arrow()
    assert {name: str(kind) for name, kind in zip(table.schema.names, table.schema.types, strict=True)} == {
        "number": "int64",
        "truth": "bool",
        "mode": "string",
        "pair": "list<item: int64>",
        "log": "list<item: struct<seq: int64, ok: bool>>",
        "seen": "list<item: int64>",
        "by": "map<string, int64>",
        "last": "int64",
    }
    last = table.to_pylist()[-1]
    assert last["log"] == [{"seq": 2, "ok": True}] * 2 and (last["seen"], last["last"]) == ([1], 3)
    assert last["by"] == [("a", 0), ("b", 1)] and table.to_pylist()[0]["last"] is None
    assert table.num_rows == result.distinct == 3 and arrow_type(domains.Bool()) == pyarrow.bool_()
    assert list(result.states().rows()) == table.to_pylist()


@pytest.mark.parametrize(
    ("package", "wanted", "said"),
    [("pyarrow", "to_arrow", "PyArrow"), ("pandas", "to_pandas", "pandas")],
)
def test_a_missing_extra_is_told(monkeypatch: pytest.MonkeyPatch, package: str, wanted: str, said: str) -> None:
    states, find = check(DieHard).states(), importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == package else find(name))
    with pytest.raises(EverystateError) as caught:
        getattr(states, wanted)()
    assert (caught.value.code, caught.value.what) == ("E510", f"{said} is not installed")
    assert caught.value.why == "a table of states needs it; it comes with the extra tables"


def test_the_graph_is_that_of_the_states() -> None:
    pytest.importorskip("networkx")
    result = check(DieHard)
    assert result.graph().number_of_nodes() == result.distinct == 16
    with pytest.raises(ValueError, match="16 states are too many for a graph; most=15 allows no more"):
        result.graph(most=15)


# -- shown ---------------------------------------------------------------------------------------------------


def test_a_result_shows_itself_and_hostile_text_stays_text() -> None:
    class Hostile(Every):
        @invariant
        def never(self) -> bool:
            """<script>alert("1")</script>`'&{{ 7 }}"""
            return len(self.log) < 2

    shown = check(Hostile)
    html = shown._repr_html_()
    assert "VIOLATED" in html and "never violated after 2 steps" in html
    assert "<script" not in html and "&lt;script&gt;" in html and html.count("data:image/svg+xml;base64,") == 1
    trace = shown.violations[0].trace
    assert trace is not None and "<script" not in trace._repr_html_() and "<script>alert" not in trace.html()
    assert repr(trace).startswith("Invariant never violated after 2 steps")


def test_all_that_a_notebook_shows_says_what_it_is() -> None:
    found = check(Counter(most=10))
    (violation,) = found.violations
    assert repr(violation) == "small violated after 10 steps"
    assert violation._repr_html_().count("<img ") == 1
    assert repr(found.states()) == "11 states of Counter"
    session = explore(Counter(most=1))
    assert repr(session.take("up()")) == "after 1 step, up():\nn = 1"
    assert repr(session) == "after 1 step, up():\nn = 1\n\ncan happen next: up()"


def test_a_proved_result_shows_its_bounds() -> None:
    html = check(Counter)._repr_html_()
    assert "PROVED" in html and "most=9, exhaustive, exact states" in html and "<img" not in html


def test_a_trace_is_saved_as_its_name_says(tmp_path: Path) -> None:
    trace = check(DieHard).violations[0].trace
    assert trace is not None
    for name in ("t.html", "t.svg", "t.json", "t.txt"):
        trace.save(tmp_path / name)
    html, svg, itf, text = ((tmp_path / name).read_text("utf-8") for name in ("t.html", "t.svg", "t.json", "t.txt"))
    assert html.startswith("<!DOCTYPE html>") and svg.startswith("<svg ") and text == f"{trace!r}\n"
    assert parse(itf, "t").trace(DieHard()).states == trace.states


def test_the_page_of_the_docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVERYSTATE_CROSS_CHECK", "1000")
    text, played = Page(ROOT / "docs" / "reference" / "api.md", lambda words: ("", 0)).play()
    assert text == played
    assert (tmp_path / "NoDup.html").is_file()


def test_nothing_is_loaded_before_it_is_asked_for() -> None:
    import everystate

    assert everystate.__all__ == ["Checked", "Session", "Verdict", "check", "explore", "load"]
    assert set(everystate.__all__) <= set(dir(everystate))
    with pytest.raises(AttributeError, match="has no attribute 'chek'"):
        everystate.chek  # noqa: B018
    with pytest.raises(ImportError, match=r"from everystate\.checker import Spec"):
        from everystate import Spec  # noqa: F401
