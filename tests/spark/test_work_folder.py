"""What a work folder says that Spark has written is read with care: what cannot be is refused, with its reason."""

from __future__ import annotations

import json
from typing import Any

import pytest

from everystate.checker.backends.native import Counters
from everystate.checker.engines.distributed.checkpoint import Work, stored_facts
from everystate.checker.engines.saved_run import Seals
from everystate.checker.errors import EverystateError

MARKS = [[3, "00" * 16], [4, "11" * 16]]
GOOD = {"number": 2, "names": ["levels/00002"], "states": 7, "marks": MARKS, "counters": [], "paths": {}}


class Texts:
    """A folder whose files are texts."""

    root = "run"

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts

    def exists(self, name: str) -> bool:
        return name in self.texts

    def names(self, _: str) -> list[str]:
        return sorted(name.removeprefix("levels/") for name in self.texts)

    def read(self, name: str) -> Any:
        return json.loads(self.texts[f"{name}.json"])


class Shape:
    """What is read of a program."""

    counters = Counters(2, 1)


FACTS: dict[str, Any] = {"run": "x", "partitions": 2}


def read(texts: dict[str, str], facts: dict[str, Any] = FACTS) -> list[Any]:
    work = Work(Texts({f"levels/{name}.json": text for name, text in texts.items()}), facts)  # type: ignore[arg-type]
    return work.levels(Shape())  # type: ignore[arg-type]


def written(*levels: Any) -> dict[str, str]:
    """The manifests of some levels, each with the seal that it must have."""
    seals = Seals(FACTS)
    return {f"{number:05}": json.dumps(seals.close(level)) for number, level in enumerate(levels, 2)}


def test_what_was_written_is_read() -> None:
    later = GOOD | {"number": 3, "names": ["levels/00003"], "counters": [1] * Shape.counters.size}
    found = read(written(GOOD, later))
    assert [(built.number, built.states, built.marks[1].count) for built in found] == [(2, 7, 4), (3, 7, 4)]


@pytest.mark.parametrize(
    "text",
    [
        *("", "7", "[]", "{}", pytest.param("[" * 100_000, id="deep")),
        *(
            written(GOOD | changed)["00002"]
            for changed in (
                *({"number": 3}, {"states": "x"}, {"states": -1}, {"names": 3}, {"marks": [[1]]}, {"marks": MARKS[:1]}),
                *({"marks": [[1, "x"]] * 2}, {"counters": [1, 2]}, {"counters": [-1] * 16}, {"counters": "x"}),
            )
        ),
    ],
)
def test_a_manifest_that_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(EverystateError, match=r"E627 level 2 is damaged: its manifest cannot be read"):
        read({"00002": text})


def test_another_manifest_in_the_place_of_one_is_refused() -> None:
    """one of another run; and one in which a bit was turned: a violation that was counted would not be told"""
    later = GOOD | {"number": 3, "names": ["levels/00003"], "counters": [1] * Shape.counters.size}
    whole = written(GOOD, later)
    said = r"E627 level {} is damaged: its manifest does not have the seal"
    with pytest.raises(EverystateError, match=said.format(2)):
        read(whole, {"run": "y", "partitions": 2})
    with pytest.raises(EverystateError, match=said.format(3)):
        read(whole | {"00003": whole["00003"].replace("[1, 1", "[0, 1")})


def test_a_level_that_is_missing_is_told() -> None:
    with pytest.raises(EverystateError, match=r"E627 level 3 is damaged: its manifest is not there"):
        read({"00002": json.dumps(GOOD), "00004": json.dumps(GOOD | {"number": 4})})


@pytest.mark.parametrize("text", ["{}", '{"run": 1, "partitions": 2}', '{"run": "x", "partitions": "2"}'])
def test_what_does_not_say_what_a_run_is_about_is_refused(text: str) -> None:
    with pytest.raises(EverystateError, match=r"E620 .*its run.json cannot be read"):
        stored_facts(Texts({"run.json": text}))  # type: ignore[arg-type]
