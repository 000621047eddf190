"""Which rules of the client a step has shown (docs/reference/rules-transactions.md), seen at the real producers."""

from __future__ import annotations

from collections.abc import Iterator

from ..driver import Observation
from .client_moves import ClientMove
from .client_side import ClientSetup

IDS = ("T9.1", "T9.2", "T9.3", "T9.4", "T9.5", "T9.8")
"""The rules that every release may show; others also depend on the protocol version."""


def exercised(setup: ClientSetup, move: ClientMove, before: Observation, after: Observation) -> Iterator[str]:
    """The rules whose effect was seen in a step."""
    if move.session < 0:
        return
    who = f"producer {move.session}"
    was, now = before.get(f"state of {who}", ""), after.get(f"state of {who}", "")
    asked, asks = (seen.get(f"request of {who} to the coordinator", "") for seen in (before, after))
    code = "" if move.heard is None else move.heard.code
    if move.action in ("add_partition", "send"):
        yield "T9.1"
    if asks.startswith("EndTxn") and not asked.startswith("EndTxn"):
        yield "T9.2"
    if now == "ABORTABLE_ERROR" != was:
        yield "T9.3"
    if asked.startswith("EndTxn") and asks.startswith("InitProducerId"):
        yield "T9.4"
    if asked and asks == asked and move.action in ("delay_end", "delay_start", "initialize_over", "bump"):
        yield "T9.5"
    if move.heard is not None and move.heard.partition < 0 and now == "FATAL_ERROR" != was:
        yield f"T9.6 {code}"
    if move.heard is not None and move.heard.partition >= 0 and code in ("INVALID_PRODUCER_EPOCH", "INVALID_TXN_STATE"):
        yield f"T9.7 {code}"
    if before.get(f"pair of {who}") != after.get(f"pair of {who}"):
        yield "T9.8"
    if move.action == "end_transaction" and code in ("PRODUCER_FENCED", "INVALID_TXN_STATE"):
        yield f"T9.10 {code}"
