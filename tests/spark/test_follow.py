"""Many logs followed on Spark: the answers are those of one machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.commands.follow import vocabulary
from everystate.checker.cli.sweeps import load
from everystate.checker.follow import spark as on_spark
from everystate.checker.follow.answer import DEVIATES, FOLLOWS, UNREADABLE, Follower, RunAnswer, one_of_many
from everystate.checker.follow.answer_store import AnswerStore
from everystate.checker.follow.candidates import UnseenActions
from everystate.checker.follow.logs import events_of
from everystate.checker.follow.run import MOST
from everystate.checker.follow.sources import Order
from everystate.checker.follow.spark import FollowSettings, follow
from everystate.checker.follow.vocabulary import Vocabulary
from everystate.checker.frontend.model import build

RUN = ["send", "broker", "answer"] * 6


def test_the_answers_are_those_of_one_machine(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """also: what is sent as events is answered like what is read there, and a broken log is an answer of its own"""
    monkeypatch.chdir(tmp_path)
    Path("words.py").write_text("def event(entry):\n    return {'action': entry['verb']}\n")
    for number in range(30):
        verbs = RUN[: 3 + number % 15] + (["answer"] if number in (4, 24) else [])
        lines = [json.dumps({"verb": verb}) for verb in verbs] + (["{"] if number == 9 else [])
        Path(f"{number:02}.jsonl").write_text("\n".join(lines) + "\n")
    paths = [f"{number:02}.jsonl" for number in range(30)]
    words = vocabulary("words.py")
    wanted = FollowSettings("idem-producer", {}, UnseenActions(), Order(), MOST, "words.py")
    runs: list[Any] = [(path, [path]) for path in paths[:20]]
    runs += [(path, [list(events_of(path, words))]) for path in paths[20:]]
    found = list(follow(spark, wanted, load, vocabulary, runs))
    assert [_plain(told) for told in found] == [_plain(told) for told in _here(paths, words)]
    verdicts = [told.verdict for told in found]
    assert [paths[n] for n, v in enumerate(verdicts) if v == DEVIATES] == ["04.jsonl", "24.jsonl"]
    assert [paths[n] for n, v in enumerate(verdicts) if v == UNREADABLE] == ["09.jsonl"]
    assert verdicts.count(FOLLOWS) == 27


@pytest.mark.thorough
def test_a_series_that_was_killed_goes_on_where_it_was(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers are kept after each round; the next try follows only what is missing, or what has changed since."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(on_spark, "SHARE", 1)
    paths = [f"{number:02}.jsonl" for number in range(12)]
    for number, path in enumerate(paths):
        verbs = RUN[: 3 + number] + (["answer"] if number == 7 else [])
        Path(path).write_text("".join(json.dumps({"action": verb}) + "\n" for verb in verbs))
    wanted = FollowSettings("idem-producer", {}, UnseenActions(), Order(), MOST, None)
    runs: list[Any] = [(path, [path]) for path in paths]
    whole = [_plain(told) for told in follow(spark, wanted, load, vocabulary, runs)]
    kept = AnswerStore(Path("kept"), "asked")
    answers = follow(spark, wanted, load, vocabulary, runs, kept)
    first = [_plain(next(answers)) for _ in range(2)]  # of the first round; then it is killed
    del answers
    known = Path("kept/answers.jsonl").read_text().splitlines()
    assert 2 <= len(known) < 12 and first == whole[:2]
    with Path("kept/answers.jsonl").open("a") as file:
        file.write('["half of an ans')
    followed: list[int] = []
    monkeypatch.setattr(AnswerStore, "add", lambda self, new: followed.extend(1 for _ in new))
    again = [_plain(told) for told in follow(spark, wanted, load, vocabulary, runs, AnswerStore(Path("kept"), "asked"))]
    assert again == whole and len(followed) == 12 - len(known)
    assert Path("kept/answers.jsonl").read_text().splitlines() == known
    Path("00.jsonl").write_text(Path("07.jsonl").read_text())
    followed.clear()
    changed = list(follow(spark, wanted, load, vocabulary, runs, AnswerStore(Path("kept"), "asked")))
    assert changed[0].verdict == DEVIATES and len(followed) == 12 - len(known) + 1
    followed.clear()
    assert len(list(follow(spark, wanted, load, vocabulary, runs, AnswerStore(Path("kept"), "another question")))) == 12
    assert len(followed) == 12


def _here(paths: list[str], words: Vocabulary) -> list[RunAnswer]:
    follower = Follower(build(load("idem-producer", {})), "idem-producer", UnseenActions(), Order())
    return [one_of_many(follower, path, [events_of(path, words)]) for path in paths]


def _plain(told: RunAnswer) -> Any:
    """An answer without how long it took, and without the constants, which an asker may leave to their defaults."""
    return told.exit_code, told.lines[:-1], {k: v for k, v in told.data.items() if k not in ("seconds", "constants")}
