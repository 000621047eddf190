"""Every scenario of transactions gives exactly its expected verdicts, shortest lengths and state counts."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from everystate.checker.engines.explicit.exhaustive import check
from everystate.checker.frontend.model import build
from everystate.checker.language.scenario import Scenario
from everystate.model.transactions import FENCINGS, GENERATIONS, KafkaTransactions
from everystate.model.transactions.shared import SHARINGS
from everystate.model.transactions.two_phase import PHASES
from everystate.specs.transactions import SCENARIOS
from tests.baseline import as_expected, never_taken, states
from tests.selection import quick

SMALL = [scenario for scenario in SCENARIOS if states(scenario.name) <= 1_000]

NEVER_TAKEN = {
    "txn-classic/late-record": {"initialize_over"},
    "txn-4.3-unverified/late-record": {"initialize_over"},
    "txn-part-1/late-record": {"initialize_over", "send_again"},
    "txn-4.3/late-record": {"initialize_over", "send_again"},
    "txn-part-1/late-record-of-a-commit": {"initialize_over"},
    "txn-4.3/late-record-of-a-commit": {"initialize_over", "send_again"},
    "txn-part-1/refused-record-of-a-commit": {"initialize_over"},
    "txn-4.3/refused-record-of-a-commit": {"initialize_over"},
    "txn-classic/late-start": {"bump", "initialize_over"},
    "txn-4.3/late-start": {"initialize_over", "send_again"},
    "txn-classic/late-join": {"abort_failed", "bump", "initialize_over"},
    "txn-part-1/late-join": {"abort_failed", "bump", "initialize_over", "send_again"},
    "txn-4.3/late-join": {"initialize_over", "send_again"},
    "txn-classic/late-end": {"abort_failed", "bump", "initialize_over"},
    "txn-part-1/late-end": {"initialize_over"},
    "txn-part-1/late-end-and-timeout": {"initialize_over"},
    "txn-part-1/late-end-of-an-abort": {"initialize_over"},
    "txn-4.3/late-end-of-an-abort": {"abort_failed", "initialize_over", "send_again"},
    "txn-4.3/late-end": {"abort_failed", "initialize_over", "send_again"},
    "txn-4.1/late-marker": {"abort_failed", "initialize_over", "send_again"},
    "txn-4.2/late-marker": {"abort_failed", "initialize_over", "send_again"},
    "txn-4.1/late-abort-marker": {"abort_failed", "initialize_over", "send_again"},
    "txn-4.2/late-abort-marker": {"abort_failed", "initialize_over", "send_again"},
    "txn-4.3/late-marker-and-take-over": {"send_again"},
    "txn-classic/marker-of-the-old-coordinator": {"abort_failed", "bump", "initialize_over"},
    "txn-kafka-18660/overflow": {"abort_failed", "initialize_over", "send_again"},
    "txn-4.3/overflow": {"abort_failed", "initialize_over", "send_again"},
    "txn-4.0.0/exhausted-fence": {"initialize_over", "send_again"},
    "txn-4.0.1/exhausted-fence": {"initialize_over", "send_again"},
    "txn-4.1/exhausted-fence": {"initialize_over", "send_again"},
    "txn-4.2/highest-epoch": {"initialize_over", "send_again"},
    "txn-4.3/highest-epoch": {"initialize_over", "send_again"},
    "txn-4.3/take-over-at-the-highest-epoch": {"send_again"},
    "txn-3.9.2/replaced-id": {"send_again"},
    "txn-4.3-old-clients/replaced-id": {"send_again", "wait_in_vain"},
    "txn-4.3-without-tv2/replaced-id": {"bump", "send_again"},
    "txn-4.3/late-end-at-the-highest-epoch": {"abort_failed", "initialize_over", "send_again"},
    "txn-4.2/fail-over-at-the-highest-epoch": {"abort_failed", "initialize_over", "send_again"},
    "txn-4.3/fail-over-at-the-highest-epoch": {"abort_failed", "initialize_over", "send_again"},
    "txn-4.2/repeated-end-at-the-highest-epoch": {"abort_failed", "initialize_over", "send_again"},
    "txn-4.3/repeated-end-at-the-highest-epoch": {"abort_failed", "initialize_over", "send_again"},
    "txn-4.0.0/old-epoch": {"initialize_over", "send_again"},
    "txn-4.0.2/old-epoch": {"initialize_over", "send_again"},
    "txn-4.1/old-epoch": {"initialize_over", "send_again"},
    "txn-part-1/old-epoch": {"bump", "initialize_over", "send_again"},
    "txn-3.9.2/old-epoch": {"bump", "initialize_over", "send_again"},
    "txn-kafka-18575/next-transaction": {"initialize_over", "send_again"},
    "txn-4.3/next-transaction": {"abort_failed", "initialize_over", "send_again"},
    "txn-4.3/lost-connection": {"abort_failed", "initialize_over"},
    "txn-classic/take-over": {"bump"},
    "txn-2.5/take-over": {"abort_failed", "bump"},
    "txn-4.3/take-over": {"send_again"},
    "txn-part-1/take-over-and-late-record": {"send_again"},
    "txn-part-1/lost-answer": {"initialize_over", "send_again"},
    "txn-part-1/lost-answer-and-fail-over": {"initialize_over", "send_again"},
    "txn-4.3-old-clients/late-marker": {"initialize_over", "send_again"},
    "txn-4.3-without-tv2/lost-answer-and-fail-over": {"initialize_over", "send_again"},
    "txn-kafka-20357/lost-answer-and-fail-over": {"initialize_over", "send_again"},
    "txn-classic/hanging-transaction": {"initialize_over"},
    "txn-part-1/hanging-transaction": {"initialize_over", "send_again"},
    "txn-kafka-19999/repeated-marker": {"initialize_over", "send_again"},
    "txn-4.2/repeated-marker": {"initialize_over", "send_again"},
    "txn-4.3/fail-over": {"initialize_over", "send_again"},
    "txn-classic/forgotten-fence": set(),
    "txn-4.3/forgotten-fence": set(),
    "txn-classic/unclean-election": {"initialize_over"},
    "txn-4.3/unclean-election": {"abort_failed", "initialize_over"},
    "txn-classic/coordinator-behind": {"initialize_over"},
    "txn-4.3/coordinator-behind": {"initialize_over", "send_again"},
    "txn-4.3/one-fault-of-every-kind": set(),
    "txn-4.3/two-faults-of-every-kind": set(),
}
"""Which actions a scenario never takes, although it has them: nothing else may be vacuous."""


@pytest.mark.parametrize("scenario", quick(SMALL[::2], SCENARIOS), ids=lambda s: s.name)
def test_scenario(scenario: Scenario) -> None:
    result = as_expected(scenario)
    assert never_taken(result) == NEVER_TAKEN.get(scenario.name, set())
    assert not [warning for warning in result.warnings if "vacuous" in warning or "constraint" in warning]


def test_every_scenario_explains_itself() -> None:
    assert [s.name for s in SCENARIOS if not (s.title and s.text)] == []


def test_every_generation_has_a_scenario() -> None:
    known: dict[str, Iterable[str]] = {"Group": FENCINGS, "SharedGroup": SHARINGS, "DualWrite": PHASES}
    used: dict[str, set[str]] = {}
    for scenario in SCENARIOS:
        name = scenario.target.partition(":")[2]
        used.setdefault(name if name in known else "", set()).add(scenario.constants["generation"])
    assert used == {name: set(generations) for name, generations in {**known, "": GENERATIONS}.items()}


def test_a_takeover_waits_for_the_producer_before() -> None:
    spec = KafkaTransactions(generation="4.3", sessions=2, takeovers=1)
    [start] = spec.initial_states()
    assert [step.label for step in spec.successors(start)] == ["initialize(session=0)"]


@pytest.mark.parametrize(("generation", "lengths"), [("part-1", {9}), ("3.9.2", set()), ("4.3-without-tv2", set())])
def test_a_lower_epoch_is_told_first_to_clients_without_tv2_as_well(generation: str, lengths: set[int]) -> None:
    """T7.15: the log of a broker looks at no version of transactions before it compares the epochs."""
    result = check(build(KafkaTransactions(generation=generation, timeouts=1)))
    assert {v.length for v in result.violations if v.property == "FencedByEpoch"} == lengths
