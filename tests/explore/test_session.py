"""The session: what a state offers and what stops the rest, walking, branches, addresses, reloading."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from everystate import explore
from everystate.checker.cli.targets import reloaded, resolve
from everystate.checker.errors import EverystateError
from everystate.checker.explore.exports import FORMS, export, file_name
from everystate.checker.explore.file_changes import files_of, stamp
from everystate.checker.explore.session import Session
from everystate.checker.explore.tree import branches
from everystate.checker.results.itf import parse
from everystate.specs.classics.bakery import Bakery
from everystate.specs.idem_producer import IdempotentProducer

from .specs import Gate, Long, Wide


def line_of(text: str) -> int:
    lines = Path(__file__).with_name("specs.py").read_text("utf-8").split("\n")
    return next(number for number, line in enumerate(lines, 1) if text in line)


def place_in_the_peer(text: str) -> int:
    lines = inspect.getsource(sys.modules[IdempotentProducer.__module__]).split("\n")
    return next(number for number, line in enumerate(lines, 1) if text in line)


def place(text: str) -> str:
    return f"tests/explore/specs.py:{line_of(text)}"


# -- what a state offers -----------------------------------------------------------------------------------


def test_steps_with_what_they_change_and_say() -> None:
    session = Session(Gate())
    one, two = session.moves().enabled
    assert (one.label, one.changes, one.said) == ("pay() choosing 1", ("coins: 0 -> 1",), ("visitor -> gate: pays 1",))
    assert (two.label, two.key) == ("pay() choosing 2", (0, 1))
    session.take("pay() choosing 2")
    labels = [(move.label, move.changes) for move in session.moves().enabled]
    changed = ("coins: 2 -> 0", "open: False -> True")
    assert labels == [("enter(who=ann)", changed), ("enter(who=bob)", changed)]


def test_what_is_stopped_names_the_line_and_the_values() -> None:
    session = Session(Gate())
    enter, close = session.moves().blocked
    assert enter.instances == ("enter(who=ann)", "enter(who=bob)")
    assert enter.guard.place == place("require(self.coins >= 2)")
    assert (enter.guard.text, enter.guard.values) == ("require(self.coins >= 2)", "0 >= 2")
    assert (close.guard.text, close.guard.values) == (
        "require(self.open and self.coins < 3)",
        "open = False, coins = 0",
    )
    session.take("pay() choosing 2")
    pay = session.moves().blocked[0]
    assert (pay.guard.text, pay.guard.values) == ("require(self.has_room())", "")


def test_a_guard_that_says_nothing_is_told_by_its_method() -> None:
    session = Session(IdempotentProducer(max_in_flight=6))
    for _ in range(6):
        session.take("send()")
    guard = session.moves().blocked[0].guard
    assert (guard.text, guard.also) == (
        "require(False)",
        "first_pending: The smallest batch that must be sent; the step is disabled when there is none.",
    )
    five = Session(IdempotentProducer())
    for _ in range(5):
        five.take("send()")
    assert five.moves().blocked[0].guard.values == "5 < 5"


def test_truth_here_and_what_the_next_steps_break() -> None:
    session = Session(Gate())
    session.take("pay() choosing 1")
    session.take("pay() choosing 2")
    assert [(t.name, t.value) for t in session.truths()] == [("shut_or_paid", True), ("not_rich", False)]
    assert session.breaking() == {(1, 0): ["shut_or_paid"], (2, 0): ["shut_or_paid"]}
    session.take("enter(who=bob)")
    broken = session.truths()[0]
    assert (broken.broken, broken.because) == (True, "coins = 1, open = True")
    assert session.breaking() == {}


def test_conditions_and_their_mistakes() -> None:
    session = Session(Gate())
    assert session.holds("coins == 0 and not open")
    assert not session.holds("not self.shut_or_paid()")
    assert session.holds("shut_or_paid")
    for text, code in (("coinz == 1", "E513"), ("coins ==", "E513"), ("nothing", "E511")):
        with pytest.raises(EverystateError) as error:
            session.holds(text)
        assert error.value.code == code, text


def test_the_session_of_the_documentation(capsys: pytest.CaptureFixture[str]) -> None:
    page = Path(__file__).parents[2].joinpath("docs", "how-to", "explore.md").read_text("utf-8")
    block, tables = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(compile(block, "docs/how-to/explore.md", "exec"), {})
    exec(compile(tables, "docs/how-to/explore.md", "exec"), {})
    said = capsys.readouterr().out.splitlines()
    assert said[-1] == block.rstrip().rpartition("# ")[2]
    assert said[0].startswith("send() ('status[1]: pending -> in flight'")
    line = place_in_the_peer("require(self.answers)")
    assert said[3] == f"answer specs/idem_producer.py:{line} require(self.answers) answers = []"
    one = explore(IdempotentProducer(max_in_flight=6))
    assert (one.spec.constants["max_in_flight"], one.spec.constants["window"]) == (6, 5)


# -- walking -----------------------------------------------------------------------------------------------


def test_branches_undo_back_and_forward() -> None:
    session = Session(Gate())
    root = session.here
    two = session.take("pay() choosing 2")
    session.jump(root)
    one = session.take("pay() choosing 1")
    assert (two.address, one.address) == ("0,0.1", "0,0")
    assert [(b.end.address, b.steps) for b in branches(session.roots)] == [("0", 0), ("0,0.1", 1), ("0,0", 1)]
    assert session.back() is root
    assert session.back() is two
    assert session.forward() is root
    session.jump(one)
    assert session.undo() is root
    assert list(root.children) == [(0, 1)]
    assert session.undo() is root
    with pytest.raises(KeyError):
        session.take("enter(who=ann)")


def test_an_address_leads_as_far_as_it_goes() -> None:
    session = Session(Gate())
    led = session.follow("0,0.1,2")
    assert (str(led.node.state), led.problem) == ("coins = 0\nopen = True", "")
    assert session.follow("0,0.1,2,0.1").node.address == "0,0.1,2,0.1"
    cut = session.follow("0,0.1,2,1,0")
    assert (cut.node.address, cut.problem) == ("0,0.1,2", "step 3 of 4 cannot be taken there")
    for address, problem in (
        ("3", "there is no initial state number 3"),
        ("0,", "this is not the address of a trace"),
        ("0,99", "step 1 of 1 cannot be taken there"),
    ):
        assert session.follow(address).problem == problem


def test_a_walk_is_the_same_for_the_same_seed_and_ends_at_a_condition() -> None:
    ways = [Session(Long()) for _ in range(2)]
    first, again = (session.walk(session.here, 50, 7) for session in ways)
    assert first.node.address == again.node.address
    assert (first.steps, first.why) == (50, "50 steps are taken")
    other = ways[0].walk(ways[0].here, 50, 8)
    assert other.node.address != first.node.address
    until = ways[0].walk(ways[0].here, 500, 7, "sums[1] == 9")
    assert until.why == "the condition holds"
    assert ways[0].holds("sums[1] == 9", until.node)
    assert not any(ways[0].holds("sums[1] == 9", node) for node in until.node.trail[:-1])


def test_a_walk_stops_at_a_violation() -> None:
    session = Session(Gate())
    walked = session.walk(session.follow("0,0,0.1").node, 20, 1)
    assert (walked.steps, walked.why) == (1, "shut_or_paid fails")


def test_a_thousand_steps_and_five_hundred_variables(calls: Callable[[Callable[[], Any]], int]) -> None:
    session = Session(Long())
    end = session.walk(session.here, 1000, 3).node
    assert (end.depth, len(end.address.split(","))) == (1000, 1001)
    other = Session(Long())
    assert str(other.follow(end.address).node.state) == str(end.state)
    assert session.trace(end).length == 1000
    wide = Session(Wide())
    assert calls(wide.moves) < 5000
    assert wide.moves().enabled[0].changes == ("v7: 0 -> 1",)
    assert len(wide.take("up()").state.values()) == 500


def test_of_very_many_initial_states_only_the_first_are_made() -> None:
    session = Session(Bakery())
    assert len(session.beginnings(5)) == 5
    assert session.follow("4").node.state == session.beginnings(5)[4]


# -- what leaves -------------------------------------------------------------------------------------------


def test_a_walk_leaves_as_a_trace_that_comes_back() -> None:
    session = Session(IdempotentProducer(max_in_flight=6), "idem-producer")
    end = session.follow("0,0,0,0,0,0,0,2,2,2,2,2,2,3,0,2,1,0,2").node
    trace = session.trace(end)
    assert (trace.shows, trace.length) == ("NoDup", 18)
    text = export(session.spec, trace, "itf")
    again = Session(IdempotentProducer(max_in_flight=6), "idem-producer")
    led = again.open(parse(text, "it").trace(again.spec))
    assert (led.node.address, led.problem) == (end.address, "")
    assert "record b0 is in the log at offsets 0 and 6" in export(session.spec, trace, "svg")
    assert "NoDup violated after 18 steps" in export(session.spec, trace, "text")
    assert export(session.spec, trace, "html").startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("form", FORMS)
def test_a_beginning_where_nothing_is_said_leaves_too(form: str) -> None:
    session = Session(Long(), "long")
    assert "long" in export(session.spec, session.trace(), form)


@pytest.mark.parametrize("address", ["0,0,0,0,0,0,0,2,2,2,2,2,2,3,0,2,1,0,2", "0,0,2,1", "0"])
def test_a_walk_leaves_as_a_test_that_passes(address: str) -> None:
    session = Session(IdempotentProducer(max_in_flight=6), "idem-producer")
    trace = session.trace(session.follow(address).node)
    text, names = export(session.spec, trace, "pytest"), dict[str, object]()
    exec(compile(text, "it", "exec"), names)
    (test,) = [value for name, value in names.items() if name.startswith("test_")]
    test()  # type: ignore[operator]
    name = "NoDup" if trace.shows else str(trace.length)
    assert file_name(trace, "pytest") == f"test_idem_producer_{name.lower()}.py"
    wrong = text.replace("losses = ", "losses = 9")
    exec(compile(wrong, "it", "exec"), names)
    with pytest.raises(AssertionError):
        names[test.__name__]()  # type: ignore[operator, attr-defined]


# -- a spec that changes -----------------------------------------------------------------------------------

SPEC = """
from everystate.checker import Int, Spec, action, require
from tests_explore_limit import LIMIT


class Counter(Spec):
    may_terminate = True

    def variables(self) -> None:
        self.n = Int(0, 9)

    @action
    def up(self) -> None:
        require(self.n < LIMIT)
        self.n += 1

    @action
    def twice(self) -> None:
        require(self.n < 5)
        self.n += 2
"""


def test_reloading_repeats_the_walks_as_far_as_they_go(tmp_path: Path) -> None:
    path, limit = tmp_path / "counter.py", tmp_path / "tests_explore_limit.py"
    path.write_text(SPEC)
    limit.write_text("LIMIT = 9\n")
    found = resolve(str(path))
    session = Session(found.spec(), found.name)
    root = session.here
    for label in ("up()", "twice()", "up()", "up()", "up()"):
        session.take(label)
    session.jump(session.follow("0,1,1").node)
    session.jump(session.follow("0,0,1,0,0,0").node)
    assert root.children.keys() == {(0, 0), (1, 0)}
    files = files_of(session.spec)
    assert {Path(name).name for name in files} == {"counter.py", "tests_explore_limit.py"}
    before = stamp(files)
    limit.write_text("LIMIT =  4\n")
    assert stamp(files) != before
    led = session.reload(reloaded(str(path), files).spec()).follow("0,0,1,0,0,0")
    assert (session.here.address, led.problem) == ("0,0,1,0", "step 4 of 5, up(), cannot be taken any more")
    assert [b.end.address for b in branches(session.roots)] == ["0", "0,0,1,0", "0,1,1"]
    path.write_text(SPEC + "\n    oops")
    with pytest.raises(EverystateError) as error:
        reloaded(str(path), files)
    assert error.value.code == "E103"
    assert session.holds("n == 4"), "the spec that was there still answers"
