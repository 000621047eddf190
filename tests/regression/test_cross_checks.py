"""How many states are cross-checked where many checks are made, and who says so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from everystate.checker.cli.main import main
from everystate.checker.regression.runners.job import Allowance, Job
from everystate.checker.regression.runners.runner import sharing

NATIVE = "1,000 states, no difference"
LAST = {
    ("check", "idem-producer"): NATIVE,
    ("check", "idem-producer", "--engine", "python"): "executed as plain Python",
    # Which states z3 gives as answers, and so how many more are drawn, depends on what the process asked it before.
    (
        "check",
        "idem-producer",
        "--engine",
        "z3",
        "--depth",
        "3",
        "--cross-check",
        "30",
    ): r"\d\d states, no difference",
    ("walk", "idem-producer", "--walks", "3", "--cross-check", "30"): "30 states, no difference",
    ("frontier", "idem-producer", "-x", "window=1..2", "-y", "max_in_flight=1..1", "-c", "batches=2", "--no-cache"): (
        "2 checks (44 states, 44 cross-checked)"
    ),
}


@pytest.mark.parametrize(("jobs", "each"), [(1, 0.2), (16, 0.0125)])
def test_checks_share_an_amount(jobs: int, each: float) -> None:
    shared = sharing([Job(str(n), "die-hard", {}, Allowance(states=5)) for n in range(jobs)])
    assert [job.allowance for job in shared] == [Allowance(states=5, cross_check_seconds=each)] * jobs


@pytest.mark.parametrize("arguments", LAST, ids=" ".join)
def test_the_last_line_says_how_many(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("EVERYSTATE_CROSS_CHECK", "1000")
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path))
    if "z3" in arguments:
        pytest.importorskip("z3", reason="z3 is not installed")
    assert main(list(arguments)) == 0
    last = LAST[arguments] if "z3" in arguments else re.escape(LAST[arguments])
    assert re.search(f"{last}$", capsys.readouterr().out, re.MULTILINE)
