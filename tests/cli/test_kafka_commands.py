"""`explain-check` and `show --as dump-log`: what they print, and bad input."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from everystate.checker import State
from everystate.checker.cli.main import main
from everystate.checker.language.concrete import ValuesFrame
from everystate.model import KafkaProducer
from everystate.model.explain_check import explain
from everystate.model.generation import CURRENT, GENERATIONS, KAFKA_4_5, KIP_98, RELEASES, at_release
from everystate.model.log_dump import dump

GALLERY = Path(__file__).parents[2] / "counterexamples" / "gallery"
RESTART = str(GALLERY / "current-clean-restart" / "NoDuplicate.itf.json")
KNOWN = [(0, 4), (5, 9)]


def test_each_release_has_its_generation() -> None:
    found = [at_release(version) for version in ((0, 10), (0, 11, 0, 3), (2, 7), (2, 7, 1), (4, 4, 0), (4, 5))]
    assert found == [None, KIP_98, GENERATIONS["kip-360"], GENERATIONS["kafka-12152"], CURRENT, KAFKA_4_5]
    assert list(RELEASES) == sorted(RELEASES)


@pytest.mark.parametrize(
    ("version", "known", "epoch", "batch", "rule", "answer"),
    [
        ((4, 4), KNOWN, 1, (0, 4), "B2", "NONE"),
        ((4, 4), KNOWN, 0, (0, 4), "B3", "INVALID_PRODUCER_EPOCH (47)"),
        ((4, 4), KNOWN, 2, (0, 4), "B5", "NONE"),
        ((4, 4), KNOWN, 2, (10, 14), "B4.3", "OUT_OF_ORDER_SEQUENCE_NUMBER (45)"),
        ((4, 4), KNOWN, 1, (10, 10), "B5", "NONE"),
        ((4, 4), KNOWN, 1, (0, 3), "B4.4", "OUT_OF_ORDER_SEQUENCE_NUMBER (45)"),
        ((4, 4), [(2**31 - 1, 2**31 - 1)], 1, (0, 0), "B5", "NONE"),
        ((4, 4), [], 1, (7, 7), "B5", "NONE"),
        ((2, 4), [], 1, (7, 7), "B4.1", "UNKNOWN_PRODUCER_ID (59)"),
        ((0, 11), [], 1, (7, 7), "B4.1", "OUT_OF_ORDER_SEQUENCE_NUMBER (45)"),
        ((1, 0, 1), [(5, 9)], 1, (0, 4), "B4.4", "DUPLICATE_SEQUENCE_NUMBER (46)"),
    ],
)
def test_the_deciding_check(
    version: tuple[int, ...], known: list[tuple[int, int]], epoch: int, batch: tuple[int, int], rule: str, answer: str
) -> None:
    generation = at_release(version)
    assert generation is not None
    found = explain(generation, 1, known, epoch, batch)
    assert [check.rule for check in found.checks if check.decides] == [rule] == [found.checks[-1].rule]
    assert found.answer.split(",")[0] == answer


def test_only_a_log_that_was_never_written_is_asked_for_sequence_0_in_4_5() -> None:
    assert explain(KAFKA_4_5, 0, [], 0, (7, 7)).checks[-1].rule == "B5"
    assert explain(KAFKA_4_5, 0, [], 0, (7, 7), log_is_empty=True).checks[-1].rule == "B4.1"


def test_the_oldest_batch_is_forgotten() -> None:
    five = [(n, n) for n in range(5)]
    appended = explain(CURRENT, 0, five, 0, (5, 5)).checks[-1].finding
    assert appended.endswith("remembers 1-1, 2-2, 3-3, 4-4, 5-5 of epoch 0")
    appended = explain(CURRENT, 0, five, 1, (0, 0)).checks[-1].finding
    assert appended.endswith("remembers 0-0 of epoch 1")


def changed(spec: KafkaProducer, state: State, start: int, size: int) -> State:
    """A state with this log start and with so many records in the second of three batches."""
    values = dict(state.values())
    with spec._reading(ValuesFrame(spec, values)):
        spec.log[0].start = start
        spec.log[0].entries[1].batch, spec.log[0].entries[1].size = 0, size
        spec.log[0].entries[1].sequence, spec.log[0].end = 1, 3
        spec.log[0].entries[2].batch, spec.log[0].entries[2].epoch = 1, 1
    return State.of(spec, values)


def test_a_dump_begins_at_the_log_start_and_counts_records() -> None:
    spec = KafkaProducer(replicas=1, too_large=1, retentions=1, batches=2)
    [first] = spec.initial_states()
    whole = dump(spec, changed(spec, first, 0, 2), None, [0])
    assert re.findall(r"offset: (\d+) sequence: (\d+) payload: (\w+)", whole) == [
        ("0", "0", "before"),
        ("1", "1", "b0"),
        ("2", "2", "b1"),
        ("3", "0", "b1"),
    ]
    assert "baseOffset: 1 lastOffset: 2 count: 2 baseSequence: 1 lastSequence: 2 producerId: 0" in whole
    rest = dump(spec, changed(spec, first, 1, 2), None, [0]).splitlines()
    assert rest[:2] == ["Dumping broker-0/topic-0/00000000000000000001.log", "Log starting offset: 1"]
    assert len(rest) == 7


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["explain-check", "--remembers", "3"], 2, "'3' is no list of ranges such as 0-4,5-9"),
        (["explain-check", "--remembers", "5-3"], 2, "5-3 is no range of sequences up to 2147483647"),
        (["explain-check", "--remembers", "0-0,2-2"], 2, "2 does not follow 0"),
        (["explain-check", "--remembers", "0-0,1-1", "--kafka", "0.11"], 2, "remembers the last 1 of a producer"),
        (["explain-check", "--kafka", "0.10"], 2, "give a release from 0.11 on"),
        (["explain-check", "--sequence", "2147483647", "--size", "2"], 2, "would end above 2147483647"),
        (["explain-check", "--remembers", "0-0", "--empty-log"], 2, "--empty-log contradicts --remembers"),
        (["show", RESTART, "--broker", "0"], 2, "--broker and --partition need --as dump-log"),
        (["show", RESTART, "--as", "dump-log", "--broker", "1"], 2, "the last broker of the trace is 0"),
        (["show", RESTART, "--as", "dump-log", "--partition", "1"], 2, "the last partition of the trace is 0"),
    ],
)
def test_bad_input(arguments: list[str], code: int, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == code
    assert told in capsys.readouterr().err


def test_a_trace_of_another_model_has_no_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "die-hard", "--out", str(tmp_path), "-q"])
    [trace] = tmp_path.glob("*.json")
    capsys.readouterr()
    assert main(["show", str(trace), "--as", "dump-log"]) == 150
    assert "has no dump-log: its spec DieHard is not the Kafka producer model" in capsys.readouterr().err
