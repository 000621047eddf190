"""The model's coordinator of transactions, and its partition leaders, against Kafka's own, along random walks.

    python bench/transactions.py [VERSION] [WALKS] [SEED]

Each release is taken with its generation. A third of the walks begins with a transactional id that is new, the others
with one whose epoch is soon exhausted. After every step answers, states, ids, epochs, partitions, markers and what is
written are compared. Exit code 1 at a difference, which is told with the steps that lead to it.
"""

from __future__ import annotations

import sys
from collections import Counter

from everystate.model.conformance.jars import provide
from everystate.model.conformance.process import run
from everystate.model.conformance.transactions.coordinator_walks import BEGINNINGS, courses, drive
from everystate.model.conformance.transactions.releases import PINNED, generation_of


def main(version: str = "4.4.0", walks: str = "90", seed: str = "1") -> None:
    """Drive, and print what was driven."""
    kafka, paths = provide(version, pinned=PINNED)
    accounts = run(kafka, paths, drive, courses(generation_of(kafka), int(walks) // len(BEGINNINGS), int(seed)))
    for account in accounts:
        if account.difference is not None:
            sys.exit(f"Kafka {version}: {account.difference}")
    actions: Counter[str] = sum((account.actions for account in accounts), Counter())
    answers: Counter[str] = sum((account.answers for account in accounts), Counter())
    rules: Counter[str] = sum((account.rules for account in accounts), Counter())
    numbers = sum(account.walks for account in accounts), sum(account.steps for account in accounts)
    print(
        f"Kafka {version} and generation {generation_of(kafka)}: {numbers[0]:,} walks, {numbers[1]:,} steps, all agree"
    )
    for what, counted in (("actions", actions), ("answers of Kafka", answers), ("rules", rules)):
        print(f"{what}: " + ", ".join(f"{count:,} {name}" for name, count in sorted(counted.items())))


if __name__ == "__main__":
    main(*sys.argv[1:])
