"""The scenario of `everystate list` that most likely produced a finding, from the batches."""

from __future__ import annotations

from .finding_kinds import KINDS

REMEMBERED = 5
"""Batches of a producer that a broker remembers (B2)."""
ALONE = 2
"""Leader epochs by which a restart moves a partition with one replica: first no leader, then the broker leads again."""


def scenarios(kind: str, amount: int, text: str, epochs: tuple[int, int] | None) -> tuple[str, ...]:
    """The likely scenarios, the likeliest first.

    `kind` is as walking the producers yields it, `amount` and `text` are those of the finding, `epochs` the leader
    epochs of the other batch and of the one that shows it, where both are known.
    """
    kind = {"jump": "gap", "start": "missing-start"}.get(kind, kind)
    changes = epochs[1] - epochs[0] if epochs else 0
    if kind in ("copy", "likely-copy"):
        return _copy(amount, changes)
    if kind == "duplicate":
        return _duplicate(text, changes)
    if kind == "gap" and changes:
        return ("current/unclean-election", "current/expiry-and-refusal")
    return KINDS[kind].scenarios


def _copy(newer: int, changes: int) -> tuple[str, ...]:
    """By the number of batches from the original to the end of the epoch, and of changes of the leader in between."""
    if newer >= REMEMBERED:
        return (
            ("current/old-and-new-leader",) if changes else ("window/6-in-flight-5-remembered", "idem-producer/unsafe")
        )
    if changes == ALONE:
        return ("current/clean-restart", "current/crash-restart", "current/two-clean-leader-changes")
    if changes > 1:
        return ("current/two-clean-leader-changes", "current/clean-restart-of-the-follower")
    if changes == 1:
        return ("current/clean-restart", "current/clean-restart-of-the-follower")
    return ("current/definite-error-of-a-retry", "current/delivery-timeout-unresolved")


def _duplicate(text: str, changes: int) -> tuple[str, ...]:
    if text in ("other records", "the ranges differ"):
        return ("kafka-5494/definite-error-of-a-retry", "kip-98/definite-error")
    if changes:
        return ("current/retention-and-restart", "kafka-5494/retention-and-lost-response")
    return ("current/expiry-and-lost-response", "kafka-5494/retention-and-lost-response")
