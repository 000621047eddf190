"""Logs from somebody else: nothing in one crashes us, steers a terminal, runs what is not meant, or is ambiguous."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.main import main

SPEC = """
from everystate.checker import Array, Enum, Int, Map, Spec, action
import enum


class Colour(enum.Enum):
    RED = 1


class Shop(Spec):
    may_terminate = True

    def variables(self):
        self.stock = Map(["1", "tea"], Int(0, 3))
        self.colour = Enum(Colour.RED, "blue")
        self.prices = Map(["tea", "milk"], Int(0, 3))
        self.many = Array(2, Int(0, 1))

    def free(self, *given):
        return given

    @action
    def sell(self):
        self.stock["1"] = 2

    @action(pair=((0, True), (1, False)), many=(0, 1))
    def move(self, pair, many):
        pass
"""
EVIL = {
    "a number of 5,000 digits": ('{"action": "sell", "after": {"x": ' + "1" * 5000 + "}}", "it is not JSON: "),
    "an index of 5,000 digits": (json.dumps({"after": {"many[" + "1" * 5000 + "]": 1}}), "is no index below 2"),
    "an argument without a hash": ('{"after": {"free({[]: 1})": 1}}', "free({[]: 1}): it has an argument that is no"),
    "an argument that goes deep": (json.dumps({"after": {f"free({'-' * 900}1)": 1}}), "it has an argument that is no"),
    "an expression that goes deep": (
        json.dumps({"after": {f"free({'+'.join('1' * 700)})": 1}}),
        "it has an argument that is no value",
    ),
    "a value that goes deep": ('{"after": {"n": ' + "[" * 200_000 + "]" * 200_000 + "}}", "it is nested too deeply"),
    "a time that is no float": ('{"action": "sell", "time": 1' + "0" * 400 + "}", "its time is beyond all clocks"),
    "a time without end": ('{"action": "sell", "time": Infinity}', "its time is beyond all clocks"),
    "a code of a terminal in a path": (r'{"action": "sell", "after": {"\u001b[31mstock": 1}}', "control characters"),
    "a code of a terminal in a name": (r'{"action": "sell", "run": "a\u001b[31m"}', "control characters"),
    "a method of every spec": ('{"action": "sell", "after": {"initial_states()": 1}}', "there is no method"),
    "the declaration of the state": ('{"action": "sell", "after": {"variables()": null}}', "there is no method"),
    "a key that is told twice": ('{"after": {"prices": [["tea", 1], ["milk", 0], ["tea", 0]]}}', "has a key twice"),
    "a broken number": ('{"action": "move", "arguments": {"many": 1.0}}', "1.0 is no value of many"),
    "a boolean for a number": ('{"action": "move", "arguments": {"many": true}}', "True is no value of many"),
    "a text for a number": ('{"action": "move", "arguments": {"many": "1"}}', "'1' is no value of many"),
    "a number in a tuple": ('{"action": "move", "arguments": {"pair": [1, 0]}}', "[1, 0] is no value of pair"),
    "a boolean in a tuple": (
        '{"action": "move", "arguments": {"pair": [true, false]}}',
        "[True, False] is no value of pair",
    ),
}


def follow(capsys: pytest.CaptureFixture[str], *logs: str) -> tuple[int, str]:
    code = main(["follow", "shop.py", "-q", *logs])  # a slow machine says that it compiles
    return code, capsys.readouterr().err


@pytest.mark.parametrize("what", EVIL)
def test_what_is_no_event_is_told(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shop.py").write_text(SPEC)
    text, reason = EVIL[what]
    Path("evil.jsonl").write_text(text + "\n")
    code, said = follow(capsys, "evil.jsonl")
    assert code == 150 and said.startswith(("error E440: evil.jsonl, line 1", "error E441: evil.jsonl, line 1"))
    assert reason in said.splitlines()[0] and "\x1b" not in said


def test_what_has_one_meaning_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shop.py").write_text(SPEC)
    told = {"action": "sell", "before": {"colour": "blue"}, "after": {"stock[tea]": 0}}
    Path("fine.jsonl").write_text(json.dumps(told))
    assert follow(capsys, "fine.jsonl")[0] == 12  # it begins as Colour.RED
    Path("fine.jsonl").write_text(json.dumps({"action": "sell", "after": {"stock[tea]": 0}}))
    assert follow(capsys, "fine.jsonl")[0] == 0


def test_a_broken_gzip_file_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shop.py").write_text(SPEC)
    packed = gzip.compress(b'{"action": "sell"}\n' * 1000)
    Path("broken.jsonl.gz").write_bytes(packed[:20] + b"\xff" * 4 + packed[24:])
    code, said = follow(capsys, "broken.jsonl.gz")
    assert code == 150 and said.startswith("error E402: broken.jsonl.gz cannot be read: error -3 while decompressing")


@pytest.mark.parametrize("name", ["marked.log", "marked.log.gz"])
def test_the_mark_that_some_editors_put_first_is_no_part_of_the_first_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shop.py").write_text(SPEC)
    words = "def line(text):\n    return {'action': 'nothing'} if text == 'sells twice' else {'action': 'sell'}\n"
    Path("words.py").write_text(words)
    data = "\ufeffsells twice\r\nsells\r\n".encode()
    Path(name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    code, said = follow(capsys, name, "--map", "words.py")
    assert (code, said.splitlines()[0]) == (150, f"error E441: {name}, line 1: there is no action 'nothing'")


def test_what_a_map_returns_that_json_does_not_have_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shop.py").write_text(SPEC)
    Path("words.py").write_text("def line(text):\n    return {'action': 'move', 'arguments': {'many': {1}}}\n")
    Path("one.log").write_text("moves\n")
    code, said = follow(capsys, "one.log", "--map", "words.py")
    assert code == 150 and said.startswith("error E441: one.log, line 1: {1} is no value of many")


@pytest.mark.parametrize("event", ["{1: 2}", "{'after': {1: 2}}", "{'action': 'move', 'arguments': {1: 0}}"])
def test_a_key_that_is_no_text_is_told(
    event: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shop.py").write_text(SPEC)
    Path("words.py").write_text(f"def line(text):\n    return {event}\n")
    Path("one.log").write_text("moves\n")
    code, said = follow(capsys, "one.log", "--map", "words.py")
    told = "error E440: one.log, line 1 is not an event: it has the key 1, which is no string"
    assert (code, said.splitlines()[0]) == (150, told)


@pytest.mark.parametrize("unseen", ["5", "[[]]", "(name for name in 'a')"])
def test_what_is_no_set_of_names_is_told(
    unseen: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shop.py").write_text(SPEC)
    Path("words.py").write_text(f"unseen = {unseen}\n")
    code, said = follow(capsys, "any.jsonl", "--map", "words.py")
    assert (code, said.splitlines()[0].partition(": ")[2]) == (
        150,
        "words.py translates nothing: `unseen` is not a set of names",
    )


@pytest.mark.parametrize("line", ["[1, 2, 3, 4, 5]", '[[], 0, "FOLLOWS", [], {}]', "[" * 100_000])
def test_kept_answers_that_are_none_are_told(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What lies beside the spec need be no text in UTF-8, and no file."""
    monkeypatch.chdir(tmp_path)
    Path("shop.py").write_text(SPEC)
    Path("latin.py").write_bytes(b"# -*- coding: latin-1 -*-\n# \xe9\n")
    Path("folder.py").mkdir()
    Path("work").mkdir()
    Path("work", "answers.jsonl").write_text(line + "\n")
    code, said = follow(capsys, "any.jsonl", "--work", "work")
    assert code == 150 and said.startswith("error E402: ") and "line 1 is no answer" in said


SETS = """
from everystate.checker import Bool, Spec, action


class Sets(Spec):
    may_terminate = True

    def variables(self):
        self.on = Bool()

    def quorums(self):
        return {frozenset("ab"), frozenset("cb")}

    def alike(self):
        return {1: 5, "1": 7}

    @action(members=[frozenset({frozenset({1, 2}), frozenset({3})})])
    def elect(self, members):
        pass
"""


def followed(event: dict[str, Any]) -> int:
    """The exit code of a log of one event, of the spec with sets."""
    Path("sets.py").write_text(SETS)
    Path("any.jsonl").write_text(json.dumps(event))
    return main(["follow", "sets.py", "any.jsonl"])


def test_a_set_of_sets_has_no_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for members, quorums, code in (
        ([[3], [2, 1]], [["b", "c"], ["b", "a"]], 0),
        ([[1, 2], [3]], [["a", "b"], ["b", "c"]], 0),
        ([[1, 2], [3]], [["a", "b"], ["a", "c"]], 12),
        ([[1, 2], [3]], [["a", "b"]], 12),
        ([[1, 2], [3, 1]], [["a", "b"], ["b", "c"]], 150),
    ):
        event = {"action": "elect", "arguments": {"members": members}, "after": {"quorums()": quorums}}
        assert followed(event) == code


def test_no_key_of_a_dictionary_hides_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for alike, code in (({"1": 7}, 12), ([["1", 7], [1, 5]], 0)):
        assert followed({"action": "elect", "after": {"alike()": alike}}) == code


def test_of_two_functions_with_one_name_none_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sets.py").write_text(SETS)
    Path("words.py").write_text("observes = [lambda spec: 1, lambda spec: 2]\n")
    assert main(["follow", "sets.py", "any.jsonl", "--map", "words.py"]) == 150
    told = "words.py translates nothing: `observes` has several functions with the name <lambda>"
    assert told in capsys.readouterr().err


def test_clocks_do_not_differ_by_what_is_no_number(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["follow", "sets.py", "any.jsonl", "--clock", "nan"]) == 2
    assert "'nan' is not a number" in capsys.readouterr().err
