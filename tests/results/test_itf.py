"""Traces as ITF files: nothing is lost, equal traces are equal bytes, and other tools can read them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import itf_py
import pytest

from everystate.checker import Bool, Map
from everystate.checker.engines.explicit import exhaustive, python
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.checker.language.concrete import successors
from everystate.checker.results import itf
from everystate.checker.results.plain_trace import plain_trace_of
from everystate.checker.results.trace import Trace, TraceStep
from everystate.specs.classics.die_hard import DieHard
from everystate.specs.classics.two_phase import TwoPhase
from everystate.specs.idem_producer import IdempotentProducer

from .specs import Colour, Parcel, Zoo


def wander(picks: list[int]) -> Trace:
    """A behaviour of Zoo: at each state the step with the given number."""
    spec = Zoo()
    state = initial = spec.initial_states()[0]
    steps = []
    for pick in picks:
        found = successors(spec, state)
        step = found[pick % len(found)]
        steps.append(
            TraceStep(
                step.action.name, dict(step.action.arguments), step.choices, step.label, step.state, step.narration
            )
        )
        state = step.state
    return Trace(
        "zoo.py:Zoo",
        spec.constants,
        initial,
        tuple(steps),
        shows="small",
        kind="invariant",
        explanation="at most two",
        witness={"i": 2, "q": "[]"},
    )


def unsafe(**constants: int) -> Trace:
    spec = IdempotentProducer(batches=2, max_in_flight=2, window=1, **constants)
    found = exhaustive.check(model.build(spec), target="idem-producer").violation("NoDup").trace
    assert found is not None
    return found


WALKS = [[], [0], [3, 5, 8, 2], [15, 16, 0, 7, 9, 3], [11, 1, 14, 4, 16, 16, 16]]


@pytest.mark.parametrize("picks", WALKS)
def test_what_is_written_is_read_again(picks: list[int]) -> None:
    trace = wander(picks)
    again = itf.parse(itf.dump(trace), "zoo.itf.json").trace(Zoo())
    assert again == trace


def test_what_decided_is_written_as_it_was_read() -> None:
    """A record, a tuple and a list of values that decided; they became texts when a stored trace was drawn again."""
    decided = {"me": Parcel(size=1, sender=None, fragile=True), "pair": (1, "x"), "none": None}
    trace = replace(wander([0]), witness=decided)
    text = itf.dump(trace)
    assert '"me": {"size": {"#bigint": "1"}, "sender": null, "fragile": true}' in text
    assert itf.dump(itf.parse(text, "x").trace(Zoo())) == text
    assert itf.parse(text, "x").plain().witness["pair"] == (1, "x")


def test_choices_come_back_as_the_objects_of_the_spec() -> None:
    again = itf.parse(itf.dump(wander([0])), "zoo.itf.json").trace(Zoo())
    assert again.steps[0].choices == (Colour.RED, (0, "x"), 1)


@pytest.mark.parametrize("resets", [1, 2])
def test_a_counterexample_is_read_again(resets: int) -> None:
    trace = unsafe(resets=resets)
    document = itf.parse(itf.dump(trace), "x")
    spec = IdempotentProducer(**document.constants)
    assert document.trace(spec) == trace
    assert trace.length == 10


def test_the_story_of_a_file_is_that_of_its_trace_but_for_the_names_of_records() -> None:
    trace = wander(WALKS[3])
    told, own = itf.parse(itf.dump(trace), "x").plain(), plain_trace_of(trace)
    assert [b.label for b in told.steps] == [b.label for b in own.steps]
    assert [b.narration for b in told.steps] == [b.narration for b in own.steps]
    assert [b.values["number"] for b in told.steps] == [b.values["number"] for b in own.steps]


@pytest.mark.parametrize("picks", WALKS)
def test_itf_py_reads_and_writes_the_same_values(picks: list[int]) -> None:
    data = json.loads(itf.dump(wander(picks)))
    trace = itf_py.trace_from_json(data)
    assert trace.vars == list(Zoo().domains)
    assert [s.meta["index"] for s in trace.states] == list(range(len(picks) + 1))
    assert trace.states[0].values["number"] == 0
    assert trace.states[0].values["members"] == frozenset()
    again = itf_py.trace_to_json(trace)
    assert [_unordered(state) for state in again["states"]] == [_unordered(state) for state in data["states"]]


def _unordered(data: object) -> object:
    """A JSON value in which the members of sets have an order."""
    if isinstance(data, dict):
        if data.keys() == {"#set"}:
            return {"#set": sorted(map(json.dumps, data["#set"]))}
        return {key: _unordered(value) for key, value in data.items()}
    return [_unordered(item) for item in data] if isinstance(data, list) else data


def test_a_file_says_what_apalaches_reader_asks_for() -> None:
    """Every variable typed, every state with the variables and nothing else (ItfJsonToTla of Apalache)."""
    data = json.loads(itf.dump(wander(WALKS[2])))
    types = data["#meta"]["varTypes"]
    assert list(types) == data["vars"]
    assert types["queue"] == "Seq({ size: Int, sender: Seq(Str), fragile: Bool })"
    assert types["places"] == "<<Int, Str>> -> Seq(Int)"
    assert types["nested"] == "Str -> Seq(Set(Str))"
    for state in data["states"]:
        assert set(state) == {"#meta", *data["vars"]}


def test_both_engines_write_the_same_bytes() -> None:
    spec = DieHard()
    native = exhaustive.check(model.build(spec), target="die-hard").violations[0].trace
    concrete = python.check(spec, target="die-hard").violations[0].trace
    assert native is not None and concrete is not None
    assert itf.dump(native).splitlines()[20:] == itf.dump(concrete).splitlines()[20:]
    assert native.steps == concrete.steps


def test_the_bytes_do_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    program = "from tests.results.test_itf import *; print(itf.dump(wander([3, 5, 8, 2])), itf.dump(unsafe()))"
    root = str(Path(__file__).parents[2])
    texts = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": root},
            cwd=root,
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "random")
    }
    assert len(texts) == 1


def test_a_file_holds_no_time_and_no_path() -> None:
    text = itf.dump(unsafe())
    assert "timestamp" not in text
    assert str(Path.cwd()) not in text and "/home" not in text and "/tmp" not in text


CUTS = [10, 100, 400, 700, 1000, 1500]


@pytest.mark.parametrize("at", CUTS)
def test_a_truncated_file_is_refused_with_the_place(at: int) -> None:
    said = r"E401 t.itf.json is not a complete trace: .*\(line \d+, column \d+\)"
    with pytest.raises(EverystateError, match=said):
        itf.parse(itf.dump(wander([1, 2]))[:at], "t.itf.json")


def test_a_trace_of_another_spec_is_refused() -> None:
    document = itf.parse(itf.dump(wander([1])), "zoo.itf.json")
    with pytest.raises(EverystateError, match="its variables are number, flag"):
        document.trace(TwoPhase())


def changed(old: str, new: str) -> itf.Document:
    text = itf.dump(wander([1]))
    assert old in text
    return itf.parse(text.replace(old, new), "zoo.itf.json")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"number": {"#bigint": "0"}', '"number": {"#bigint": "9"}', "state 0, number: 9 is outside Int(-5, 5)"),
        ('"number": {"#bigint": "0"}', '"number": true', "state 0, number: true is not an integer"),
        ('"number": {"#bigint": "0"}', '"number": {"#bigint": 1.5}', 'number: {"#bigint": 1.5} is not an integer'),
        ('"number": {"#bigint": "0"}', '"number": {"#bigint": Infinity}', "is not an integer"),
        ('"flag": false', '"flag": 0', "state 0, flag: 0 is not a boolean"),
        ('"light": "RED"', '"light": "BLUE"', 'state 0, light: "BLUE" is not a member of Enum(RED, GREEN)'),
        ('"names": ["ann", "ann"]', '"names": ["ann"]', "is outside Array(2, Enum(ann, bob))"),
        ('"members": {"#set": []}', '"members": 5', "state 0, members: 5 is not a set"),
        ('"action": "send"', '"action": "sent"', "state 1: Zoo has no action sent(who="),
        ('"sender": ["ann"], ', "", "state 1, queue[0]: "),
    ],
)
def test_a_value_that_does_not_belong_to_the_spec_is_refused(old: str, new: str, reason: str) -> None:
    with pytest.raises(EverystateError) as caught:
        changed(old, new).trace(Zoo())
    assert caught.value.code == "E401"
    assert reason in caught.value.what


def test_every_form_of_itf_is_read_without_a_spec_and_written_again() -> None:
    values = [1, {"#bigint": "-5"}, "a", True, [1, 2], {"#tup": [1, "a"]}, {"#set": [2, 1]}, {"r": {"s": 1}}]
    values += [{"#map": [[{"#tup": [1, 2]}, 3]]}, {"tag": "None", "value": {"#tup": []}}, {"#unserializable": "Nat"}]
    names = [f"v{i}" for i in range(len(values))]
    text = json.dumps({"vars": names, "states": [dict(zip(names, values, strict=True))]})
    plain = itf.parse(text, "x").plain()
    assert itf.parse(itf.dump_plain(plain), "x").plain() == plain


@pytest.mark.parametrize("number", ["Infinity", "1.5", "true", "[]"])
def test_a_number_that_is_no_text_is_malformed(number: str) -> None:
    with pytest.raises(EverystateError, match=r"E401 .*is malformed"):
        itf.parse(f'{{"vars": ["v"], "states": [{{"v": {{"#bigint": {number}}}}}]}}', "x").plain()


def test_a_number_of_thousands_of_digits_is_told() -> None:
    with pytest.raises(EverystateError) as refused:
        itf.parse('{"vars": ["x"], "states": [{"x": ' + "1" * 5000 + "}]}", "huge.itf.json")
    assert refused.value.what == (
        "huge.itf.json is not a complete trace: exceeds the limit (4300 digits) for integer string conversion"
    )


@pytest.mark.parametrize("keys", [["1", 1], [(0, 1), "(0, 1)"], [True, "True"]])
def test_keys_that_print_alike_are_refused(keys: list[object]) -> None:
    """a trace with such keys could not be read again, and z3 took both for one variable"""
    with pytest.raises(EverystateError) as found:
        Map(keys, Bool())
    assert found.value.code == "E202"
