"""What is asked of Kafka: which generation a release is held against, stored traces, and what cannot be driven."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.main import main
from everystate.checker.cli.sweeps import load
from everystate.checker.language.conformance import Answer, ConformanceTools, Question, conformance_of
from everystate.checker.regression.matrix.conformance import violations
from everystate.model import KafkaProducer
from everystate.model.conformance.drivable import fitting, obstacles
from everystate.model.conformance.harness import KAFKA
from everystate.model.conformance.versions import PINNED

RESTART, LATE_SUCCESS = "current/clean-restart", "kip-360/late-success-of-an-old-epoch"


def fitted(version: str, **given: Any) -> tuple[str, str]:
    spec, generation = fitting(lambda constants: KafkaProducer(**constants), given, PINNED[version])
    assert isinstance(spec, KafkaProducer)
    return spec.generation, generation


def test_the_current_generation_gives_way_to_that_of_the_release() -> None:
    assert fitted("2.7.0") == ("kip-360", "kip-360")
    assert fitted("2.8.2", batches=3) == ("kafka-12152", "kafka-12152")
    assert fitted("4.4.0") == ("current", "")


def test_what_the_user_chooses_stays() -> None:
    assert fitted("2.8.2", generation="current") == ("current", "")
    assert fitted("2.8.2", broker_generation="current") == ("current", "")
    scenario = {"generation": "kip-360"}
    spec, generation = fitting(lambda given: KafkaProducer(**{**scenario, **given}), {}, PINNED["4.4.0"])
    told = (
        "its generation is kip-360, and this release is of the generation current; -c generation=current drives it so"
    )
    assert (list(obstacles(spec, PINNED["4.4.0"])), generation) == ([told], "")
    given = {"generation": "kip-360"}
    assert list(obstacles(KafkaProducer(**given), PINNED["4.4.0"], given)) == []
    later = {"generation": "kip-1269"}
    told = "its generation is kip-1269, and this release is of the generation current"
    assert told in obstacles(KafkaProducer(**later), PINNED["4.4.0"], later)


def test_the_model_names_what_it_is_held_against() -> None:
    assert conformance_of(KafkaProducer) is KAFKA
    assert KAFKA.releases(["newest", "2.8.2"]) == [list(PINNED)[-1], "2.8.2"]
    assert KAFKA.releases([]) == KAFKA.releases(["newest"])


def asked(release: str, *questions: Question) -> list[Answer]:
    return KAFKA.answers(release, questions, ConformanceTools(load, violations))


def test_what_cannot_be_driven_is_told_without_a_java() -> None:
    questions = (Question("die", "die-hard"), Question("calm", "current/no-fault"), Question("late", LATE_SUCCESS))
    first, second, third = asked("4.4.0", *questions)
    assert (first.verdict, first.statement) == ("not judged", "DieHard is not the Kafka model")
    assert (second.verdict, second.statement) == ("nothing to drive", "no property fails")
    assert (third.verdict, third.statement.partition(",")[0]) == ("not judged", "its generation is kip-360")


def test_a_check_that_ends_in_an_error_has_no_counterexample() -> None:
    """As E301 it stood for a mistake of Everystate."""
    constants = {"generation": "kip-360", "replicas": 1, "deadlines": 1, "invalid_records": 1, "epochs": 0}
    [found] = asked("2.7.0", Question("short", "everystate.model.kafka:KafkaProducer", constants))
    assert (found.verdict, found.statement) == (
        "nothing to drive",
        "its check ends in an error: epoch = 1 is outside Int(0, 0) (E301)",
    )


@pytest.mark.thorough
@pytest.mark.kafka
def test_several_questions_for_one_release(kafka: Any) -> None:
    questions = (Question("restart", RESTART), Question("calm", "current/no-fault", walks=2, steps=10))
    told = [
        (answer.against, answer.verdict, answer.statement.partition(", ")[0]) for answer in asked("4.3.1", *questions)
    ]
    assert told == [
        ("Kafka 4.3.1", "agreed", "AGREED  Kafka 4.3.1: 1 behaviour"),
        ("Kafka 4.3.1", "agreed", "AGREED  Kafka 4.3.1: 2 walks"),
    ]


# -- the command -------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """No line of a report is wrapped."""
    monkeypatch.setenv("COLUMNS", "300")


def conform(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str]]:
    code = main(["conform", *arguments])
    return code, capsys.readouterr().out.splitlines()


def test_a_scenario_of_another_generation_says_what_drives_it(capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = conform(capsys, LATE_SUCCESS)
    assert (code, lines) == (
        3,
        [
            f"{LATE_SUCCESS} is not driven: its generation is kip-360, and this release is of the generation current; "
            "-c generation=current drives it so",
            "NOT JUDGED  Kafka 4.4.0: nothing, 0 steps",
        ],
    )


@pytest.mark.thorough
@pytest.mark.kafka
def test_the_generation_of_a_release_is_taken_and_told(
    release: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    release("2.8.2")
    code, lines = conform(capsys, RESTART, "--kafka", "2.8.2", "--json", str(tmp_path / "report.json"))
    assert code == 0
    assert f"taken with generation=kafka-12152, that of 2.8.2: {RESTART}" in lines
    [report] = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert (report["generation"], report["fitted"]) == ("kafka-12152", [RESTART])


# -- traces that were stored -------------------------------------------------------------------------------

GALLERY = Path(__file__).parents[2] / "counterexamples" / "gallery"
STORED = GALLERY / "kip-360-late-success-of-an-old-epoch" / "AckedIsPersisted.itf.json"


@pytest.mark.thorough
@pytest.mark.kafka
def test_a_stored_trace_is_driven(release: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """KAFKA-12152: an acknowledged record is never written, on the client of 2.7.0."""
    release("2.7.0")
    code, lines = conform(capsys, str(STORED), "--kafka", "2.7.0")
    assert (code, lines[0]) == (
        0,
        "Reproduced on Kafka 2.7.0: AckedIsPersisted.itf.json: AckedIsPersisted, with Kafka's producer and logs",
    )
    assert lines[-1].startswith("AGREED  Kafka 2.7.0: 1 behaviour, 17 steps")


def test_a_stored_trace_of_another_generation_is_not_judged(capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = conform(capsys, str(STORED), "--kafka", "4.4.0", "-c", "generation=current")
    assert (code, lines[0]) == (
        3,
        "of AckedIsPersisted.itf.json there is nothing to drive: step 10, start_loop(loop=0), leads to another state",
    )


def test_a_file_that_is_no_trace(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_text("{}")
    assert main(["conform", str(path)]) == 150
    assert "error E401" in capsys.readouterr().err
