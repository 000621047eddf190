"""Logs as files, and several logs of one run, from the command line."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.main import main
from everystate.checker.cli.targets import resolve
from everystate.checker.follow.answer import one_of_many
from everystate.checker.results.itf import parse

SPEC = """
from everystate.checker import Int, Option, Spec, action, require


class Lock(Spec):
    may_terminate = True

    def variables(self):
        self.holder = Option(Int(0, 2))

    @action(client=range(3))
    def acquire(self, client):
        require(self.holder is None)
        self.holder = client

    @action(client=range(3))
    def release(self, client):
        require(self.holder == client)
        self.holder = None

    @action
    def expire(self):
        require(self.holder is not None)
        self.holder = None
"""
Ask = Callable[..., Any]


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ask:
    """The JSON answers to a command line, in a folder with the spec."""
    monkeypatch.chdir(tmp_path)
    Path("lock.py").write_text(SPEC)

    def asked(*arguments: str) -> Any:
        main(["follow", "lock.py", *arguments, "--json", "-"])
        return json.loads(capsys.readouterr().out)

    return asked


def step(action: str, client: int, **more: Any) -> dict[str, Any]:
    return {"action": action, "arguments": {"client": client}, **more}


def log(path: str, *events: dict[str, Any]) -> str:
    Path(path).write_text("".join(json.dumps(event) + "\n" for event in events))
    return path


def verdicts(answers: Any) -> list[tuple[str, int]]:
    return [(answer["verdict"], answer["events"]) for answer in answers]


def test_logs_of_one_run_may_be_interleaved_in_any_way(ask: Ask) -> None:
    a = log("a.jsonl", step("acquire", 0), step("release", 0), step("acquire", 0))
    b = log("b.jsonl", step("acquire", 1), step("release", 1))
    assert verdicts(ask(a, b, "--together")) == [("FOLLOWS", 5)]
    assert verdicts(ask(a, b)) == [("FOLLOWS", 3), ("FOLLOWS", 2)]
    assert verdicts(ask(b, log("c.jsonl", step("acquire", 2)), a, "--together")) == [("DEVIATES", 5)]


def test_a_clock_orders_logs_as_far_as_it_can(ask: Ask) -> None:
    """0 lets go at 2.0 and 1 acquires at 1.9: with clocks that differ by 0.1 that may have been the other way round"""
    a = log("a.jsonl", step("acquire", 0, time=1.0), step("release", 0, time=2.0))
    b = log("b.jsonl", step("acquire", 1, time=1.9))
    assert verdicts(ask(a, b, "--together")) == [("FOLLOWS", 3)]
    assert verdicts(ask(a, b, "--together", "--clock", "0")) == [("DEVIATES", 1)]
    assert verdicts(ask(a, b, "--together", "--clock", "0.11")) == [("FOLLOWS", 3)]


def test_a_log_can_hold_several_processes_or_several_runs(ask: Ask) -> None:
    one = log(
        "one.jsonl", step("acquire", 0, process="p"), step("acquire", 1, process="q"), step("release", 0, process="p")
    )
    assert verdicts(ask(one)) == [("DEVIATES", 1)]
    assert verdicts(ask(one, "--split")) == [("FOLLOWS", 3)]
    runs = log("runs.jsonl", step("acquire", 0, run="x"), step("acquire", 1, run="y"), step("acquire", 2, run="x"))
    assert [(a["log"], a["verdict"]) for a in ask(runs, "--runs")] == [
        ("runs.jsonl, run x", "DEVIATES"),
        ("runs.jsonl, run y", "FOLLOWS"),
    ]


def test_unseen_steps_are_bounded_between_two_events(ask: Ask) -> None:
    told = log("told.jsonl", {"before": {"holder": None}}, step("acquire", 0), step("acquire", 1), step("release", 1))
    assert verdicts(ask(told)) == [("DEVIATES", 2)]
    assert verdicts(ask(told, "--unseen", "expire")) == [("FOLLOWS", 4)]
    twice = log("twice.jsonl", step("acquire", 0), step("acquire", 0), {"after": {"holder": 1}})
    assert verdicts(ask(twice, "--unseen", "expire", "--unseen", "acquire")) == [("DEVIATES", 2)]
    assert verdicts(ask(twice, "--unseen", "expire", "--unseen", "acquire", "--at-most", "2")) == [("FOLLOWS", 3)]


def test_text_gzip_parquet_and_folders_are_read(ask: Ask) -> None:
    pa = pytest.importorskip("pyarrow", reason="PyArrow reads Parquet (extra spark)")
    pq = pytest.importorskip("pyarrow.parquet")
    Path("words.py").write_text("def line(text):\n    who, verb = text.split()\n    return {'action': verb}\n")
    Path("bare.log").write_text("0 acquire\n0 release\n")
    assert verdicts(ask("bare.log", "--map", "words.py")) == [("FOLLOWS", 2)]
    Path("logs").mkdir()
    with gzip.open("logs/a.jsonl.gz", "wt") as file:
        file.write(json.dumps(step("acquire", 1)) + "\n")
    rows = [step("acquire", 1), {"action": "release"}, {"action": "release", "arguments": {"client": 2}}]
    pq.write_table(pa.Table.from_pylist(rows), "logs/b.parquet")
    answers = ask("logs")
    assert [(a["log"], a["verdict"], a["events"]) for a in answers] == [
        ("logs/a.jsonl.gz", "FOLLOWS", 1),
        ("logs/b.parquet", "DEVIATES", 2),
    ]
    assert answers[1]["refused"][0]["place"] == "logs/b.parquet, row 3"


def test_the_behaviour_is_a_trace_of_the_spec(ask: Ask) -> None:
    told = log("told.jsonl", step("acquire", 0), step("acquire", 1))
    [answer] = ask(told, "--unseen", "expire", "--out", "t.json")
    trace = parse(Path("t.json").read_text(), "t.json").trace(resolve("lock.py").spec())
    assert answer["verdict"] == "FOLLOWS"
    assert [s.label for s in trace.steps] == ["acquire(client=0)", "expire()", "acquire(client=1)"]


def test_a_behaviour_that_does_not_fit_into_memory_is_not_told(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everystate.checker.follow.candidates.KEPT", 0.0)
    told = log("told.jsonl", *[step(verb, 0) for verb in ("acquire", "release") * 50], step("release", 1))
    assert verdicts(ask(told, "--out", "t.json")) == [("DEVIATES", 100)]
    assert not Path("t.json").exists()


def test_one_explanation_is_looked_for_depth_first(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """The behaviour is one of the spec; where the memory ends, nothing is decided."""
    told = log("told.jsonl", *[step("acquire", number % 3) for number in range(200)])
    assert verdicts(ask(told, "--unseen", "expire", "--first", "--out", "t.json")) == [("FOLLOWS", 200)]
    trace = parse(Path("t.json").read_text(), "t.json").trace(resolve("lock.py").spec())
    assert [s.action for s in trace.steps] == ["acquire", "expire"] * 199 + ["acquire"]
    wrong = log("wrong.jsonl", step("acquire", 0), step("release", 1))
    assert verdicts(ask(wrong, "--unseen", "expire", "--first")) == [("DEVIATES", 1)]
    monkeypatch.setattr("everystate.checker.follow.candidates.KEPT", 0.0)
    [answer] = ask(told, "--unseen", "expire", "--first")
    assert (answer["verdict"], answer["events"]) == ("UNDECIDED", 0)
    assert answer["stopped"] == "2 states were met depth first, and no more fit into memory"


def test_answers_are_kept_and_used_again(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = [log("a.jsonl", step("acquire", 0)), log("b.jsonl", step("release", 1))]
    first = ask(*logs, "--work", "kept")
    assert len(Path("kept/answers.jsonl").read_text().splitlines()) == 2
    followed: list[str] = []

    def counted(follower: Any, name: str, *rest: Any) -> Any:
        followed.append(name)
        return one_of_many(follower, name, *rest)

    monkeypatch.setattr("everystate.checker.cli.commands.follow.one_of_many", counted)
    assert ask(*logs, "--work", "kept") == first and not followed
    log("b.jsonl", step("acquire", 1))
    assert verdicts(ask(*logs, "--work", "kept")) == [("FOLLOWS", 1), ("FOLLOWS", 1)] and followed == ["b.jsonl"]
    with Path("lock.py").open("a") as file:
        file.write("\n\n# what lies beside the spec may observe something else now\n")
    ask(*logs, "--work", "kept")
    assert followed == ["b.jsonl", "a.jsonl", "b.jsonl"]


def test_a_thousand_unseen_steps_are_found(ask: Ask) -> None:
    told = log("told.jsonl", *[step("acquire", number % 3) for number in range(1001)])
    assert verdicts(ask(told, "--unseen", "expire", "--out", "t.json")) == [("FOLLOWS", 1001)]
    trace = parse(Path("t.json").read_text(), "t.json").trace(resolve("lock.py").spec())
    assert [s.action for s in trace.steps] == ["acquire", "expire"] * 1000 + ["acquire"]


def test_one_wrong_event_among_ten_thousand_is_found_where_it_is(ask: Ask) -> None:
    events = [step(verb, number % 3) for number in range(5000) for verb in ("acquire", "release")]
    events[7777] = step("release", 1)
    [answer] = ask(log("told.jsonl", *events), "--out", "t.json")
    assert (answer["verdict"], answer["events"], answer["refused"][0]["place"]) == (
        "DEVIATES",
        7777,
        "told.jsonl, line 7778",
    )
    trace = parse(Path("t.json").read_text(), "t.json").trace(resolve("lock.py").spec())
    assert (trace.length, trace.failing) == (7777, "release(client=1) (told.jsonl, line 7778)")
    assert trace.explanation == "release(client=1) is not enabled: require(self.holder == client) (lock.py:18)"
