"""Two-phase commit with a database (KIP-939): what releases have of it, and what that is worth."""

from __future__ import annotations

from ...checker.language.scenario import Scenario

DUAL = "everystate.model.transactions.two_phase:DualWrite"


def dual(name: str, title: str, text: str, expected: dict[str, int] | None = None, **constants: int) -> Scenario:
    """A scenario of an application that writes to Kafka and a database."""
    generation = name.split("/")[0].removeprefix("txn-2pc-")
    return Scenario(name, DUAL, title, {"generation": generation, **constants}, expected or {}, text)


SCENARIOS = [
    dual(
        "txn-2pc-without/time-out",
        "A database and Kafka without two-phase commit: a timeout aborts what the database has committed",
        "T5.2: the coordinator does not know that the transaction is prepared.",
        {"BothDecideTheSame": 5},
        crashes=0,
    ),
    dual(
        "txn-2pc-4.1/no-crash",
        "4.1 to 4.4 with two-phase commit enabled: nothing times out, and both decide the same without a crash",
        "T5.2.",
        crashes=0,
    ),
    dual(
        "txn-2pc-4.1/crash",
        "4.1 to 4.4 with two-phase commit enabled: an application that crashes aborts what its database has committed",
        "initTransactions aborts the prepared transaction (T2.5). No release keeps it (T2.10).",
        {"BothDecideTheSame": 6},
    ),
    dual(
        "txn-2pc-kip-939/crashes-and-late-end",
        "KIP-939 as a whole: the application compares epochs after a crash, and both decide the same",
        "InitProducerId keeps the transaction (T2.10), and completeTransaction commits what the database has (T9.18).",
        crashes=2,
        delays=1,
    ),
    dual(
        "txn-2pc-kip-939-one-bump/crashes-and-late-end",
        "The same without a second bump of the epoch: a delayed EndTxn commits half of the next transaction",
        "InitProducerId has raised the epoch. Its EndTxn, sent again, must raise it once more, or the first copy is of "
        "the next transaction's epoch.",
        {"BothDecideTheSame": 10},
        delays=1,
    ),
]
