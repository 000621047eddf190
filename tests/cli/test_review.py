"""everystate review: patches of Kafka as variants of a model, as docs/how-to/review-a-patch.md says."""

from __future__ import annotations

from pathlib import Path

import pytest

from everystate.checker.cli.main import main
from tests.selection import quick

VARIANTS = Path(__file__).with_name("variants.py")
CASES = [
    (
        "Before14884",
        "txn-part-1/late-record",
        12,
        "NoHangingTransaction: holds without the change, fails after 11",
    ),
    ("Before18464", "txn-4.3/late-record", 12, "NoNeedlessEnd: holds without the change, fails after 17 steps"),
    (
        "Before17898",
        "txn-4.3/late-record",
        3,
        "action bump has no instance here, but mentions BUMPING, as go_on of the",
    ),
    ("Before17898Sent", "txn-4.3/late-record", 0, "1,556 states, 1,068 with the change"),
    ("Before19999", "txn-4.2/repeated-marker", 12, "every_transaction_ends: holds without the change, fails after 11"),
    ("Before19999", "txn-4.3/fail-over", 12, "every_transaction_ends: holds without the change, fails after 11 steps"),
    ("Before20090", "txn-4.3/highest-epoch", 12, "every_transaction_ends: holds without the change, fails after 22"),
    (
        "Before20310",
        "txn-4.3/fail-over-at-the-highest-epoch",
        12,
        "NoNeedlessEnd: holds without the change, fails after",
    ),
    ("Before20310", "txn-4.3/late-record", 3, "no effect seen of variables"),
]


@pytest.mark.parametrize("case", quick([CASES[3]], CASES))
def test_what_a_patch_changes(case: tuple[str, str, int, str], capsys: pytest.CaptureFixture[str]) -> None:
    name, target, code, says = case
    assert main(["review", f"{VARIANTS}:{name}", target]) == code
    assert says in capsys.readouterr().out


def test_a_change_without_an_effect_is_undecided(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target, path = "current/no-fault", tmp_path / "variant.py"
    path.write_text(
        "from everystate.model import KafkaProducer\n"
        "class Misspelled(KafkaProducer):\n    def append_(self): self.nothing = 1\n"
        "class Empty(KafkaProducer):\n    pass\n"
        "class Same(KafkaProducer):\n"
        "    def begin_restart(self, broker: int) -> bool:\n        return super().begin_restart(broker)\n"
    )
    assert main(["review", f"{path}:Misspelled", target]) == 3
    said = capsys.readouterr().out
    assert "  no effect seen of append_\n" in said
    assert said.endswith("UNDECIDED  1 target, no property changed, no effect seen of append_\n")
    assert main(["review", f"{path}:Empty", target]) == 2
    assert "Empty changes nothing of KafkaProducer" in capsys.readouterr().err
    assert main(["review", f"{path}:Same", target, "-q"]) == 3
    assert main(["review", f"{path}:Same", target, "current/clean-restart", "-q"]) == 0


def test_targets_are_looked_for_before_the_first_search(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", f"{VARIANTS}:Before18464", "txn-4.3/late-record", "nope"]) == 150
    assert capsys.readouterr().out == ""


def test_a_variant_of_another_model_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", f"{VARIANTS}:Before18464", "die-hard"]) == 2
    assert "Before18464 is not a subclass of DieHard, the model of die-hard" in capsys.readouterr().err
