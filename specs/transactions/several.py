"""Several records of a transaction in one partition: whether the second is written before the first."""

from __future__ import annotations

from ...checker.language.scenario import Scenario

SEVERAL = "everystate.model.transactions:Several"
STUCK = {"NoGap": 4, "the_transaction_ends": 6}


def several(name: str, title: str, text: str, expected: dict[str, int] | None = None, **faults: int) -> Scenario:
    """A scenario of three records; the generation is the part of the name before the slash."""
    generation = name.split("/")[0].removeprefix("txn-")
    return Scenario(name, SEVERAL, title, {"generation": generation, **faults}, expected or {}, text)


SCENARIOS = [
    several(
        "txn-classic/second-before-first",
        "The first record is refused for a while, and the second is accepted: the transaction waits for a timeout",
        "A leader that does not know the producer id takes any first sequence (B4.1). The first record is out of order "
        "then, and sent again until its delivery timeout (C5.3).",
        STUCK,
        refusals=1,
    ),
    several(
        "txn-kafka-14920/second-before-first",
        "The same with verification alone, as before KAFKA-14920: in no release",
        "T7.9 refuses records oftener, and so the second is oftener first.",
        STUCK,
        refusals=1,
    ),
    several(
        "txn-part-1/second-before-first",
        "The same with the lowest sequence of the guard (KAFKA-14920)",
        "T7.17: the second record waits until the first one is written.",
        refusals=1,
    ),
    several(
        "txn-part-1/second-before-first-at-a-new-leader",
        "The first record comes before the broker knows that it leads: KAFKA-14920 does not help",
        "B1.2 comes before the guard, so the lowest sequence is that of the second record (T7.17).",
        STUCK,
        unaware=1,
    ),
    several(
        "txn-4.3/second-before-first",
        "The same with TV2, also with a lost answer",
        "T7.16: whoever is not known begins at 0.",
        refusals=1,
        unaware=1,
        lost_answers=1,
    ),
]
