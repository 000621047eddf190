"""Behaviours that walks hardly meet, to be held against real Kafka: each tells a mistake in the model apart.

Many are around the wrap of sequences, where Kafka compares plain numbers (C12), and of what snapshots hold (D4 to D11).
Golden transcripts have them all.
"""

from __future__ import annotations

from .rare_of_logs import OF_LOGS
from .rare_steps import WRAP, Rare, environment

__all__ = ["BY_NAME", "RARE", "Rare", "environment"]

RARE = (
    *OF_LOGS,
    Rare(
        "the oldest of five is a duplicate",
        "B2",
        environment(batches=5, disconnects=1),
        "send 0; send 1; send 2; send 3; send 4; handle 0 0; handle 0 1; handle 0 2; handle 0 3; handle 0 4; lose 0;"
        "again 0; handle 0 0",
    ),
    Rare(
        "an old sequence is out of order, and not next in line",
        "C5.3",
        environment(replicas=2, late_errors=1, isr_shrinks=1, clean_restarts=1),
        "send 0; send 1; handle 0 0; late 0 0; handle 0 1; read 0 0; read 0 1; shrink 1; restart 0;"
        "again 0; handle 0 0; read 0 0",
    ),
    Rare(
        "retries that are used up end with a lost connection, without a bump",
        "C4.4",
        environment(retries=1, refusals=1, disconnects=1),
        "send 0; send 1; refuse 0 0; handle 0 1; read 0 0; read 0 1; again 0; lose 0",
    ),
    Rare(
        "retries that are used up end with a lost connection, without a bump, where there are deadlines, too",
        "C4.4, C6.4",
        environment(retries=1, refusals=1, disconnects=1, deadlines=1),
        "send 0; send 1; refuse 0 0; handle 0 1; read 0 0; read 0 1; again 0; lose 0",
    ),
    Rare(
        "retries that are used up end with a retriable error, without a bump",
        "C4.4",
        environment(retries=1, refusals=2),
        "send 0; refuse 0 0; read 0 0; again 0; refuse 0 0; read 0 0",
    ),
    Rare(
        "retries that are used up end with a definite error, without a bump",
        "C5.8",
        environment(retries=1, refusals=1, invalid_records=1),
        "send 0; refuse 0 0; read 0 0; again 0; reject 0 0; read 0 0",
    ),
    Rare(
        "what waits for the high watermark is refused when the in-sync set becomes too small",
        "B6.3",
        environment(replicas=2, min_insync=2, isr_shrinks=1),
        "send 0; send 1; handle 0 0; handle 0 1; shrink 1: 0; read 0 0; read 0 1; again 1; handle 0 1",
    ),
    Rare(
        "what has left before the in-sync set becomes too small stays acknowledged",
        "B6.2",
        environment(replicas=2, min_insync=2, isr_shrinks=1),
        "send 0; handle 0 0; shrink 1: 1; read 0 0",
    ),
    Rare(
        "the request of a closed connection is executed where it was sent",
        "B7",
        environment(replicas=2, disconnects=1, leader_changes=1, survivors=1),
        "send 0; lose 0: 1; survivor 0 0; again 0; handle 0 0; read 0 0",
    ),
    Rare(
        "a batch of two records counts as two when it is renumbered",
        "C9.3",
        environment(batches=4, too_large=1, refusals=2, invalid_records=1),
        "send 0; send 2; send 3; refuse 0 0; refuse 0 2; reject 0 3; read 0 0; read 0 2; read 0 3; loop 0",
    ),
    Rare(
        "a batch that has expired on the wire still mutes its partition",
        "C2.1",
        environment(replicas=2, max_in_flight=1, leader_changes=1, deadlines=1),
        "send 0; passes 0; sweep 0; change 1: 0; learn 1",
    ),
    Rare(
        "with one in flight a batch mutes its own partition, and no other one",
        "C2.1",
        environment(partitions=2, replicas=2, max_in_flight=1, leader_changes=1),
        "send 0; change 1: 0 0; learn 1; send 1",
    ),
    Rare(
        "a gap of the second partition bumps that one",
        "C8, C9.4",
        environment(partitions=2, batches=4, refusals=1, deadlines=1),
        "send 1; refuse 0 1; read 0 1; passes 1; sweep 0; loop 0",
    ),
    Rare(
        "a bump without a producer id brings none",
        "C9.1, C9.2",
        environment(epochs=1, epoch_exhausts=True, pids=2, invalid_records=2, disconnects=1, deadlines=1, batches=4),
        "send 0; reject 0 0; read 0 0; loop 0; send 1; send 2; reject 0 1; read 0 1; loop 0; passes 2; lose 0; loop 0;"
        "id 1; send 3; handle 0 3",
    ),
    Rare(
        "without a producer id no pass sweeps",
        "C1.5",
        environment(epochs=0, epoch_exhausts=True, pids=2, refusals=1, invalid_records=1, deadlines=1),
        "send 0; send 1; send 2; refuse 0 0; reject 0 1; handle 0 2; read 0 0; read 0 1; passes 0; loop 0; read 0 2;"
        "id 1; sweep 0",
    ),
    Rare(
        "a batch that was sent again to another broker stays behind a younger one",
        "C7.1",
        environment(replicas=2, refusals=1, leader_changes=1, deadlines=1),
        "send 0; send 1; refuse 0 0; read 0 0; change 1: 0; learn 1; again 0; passes 0; sweep 0",
    ),
    Rare(
        "a batch whose time passes before it is sent again to another broker stays behind a younger one, too",
        "C7.1",
        environment(replicas=2, refusals=1, leader_changes=1, deadlines=1),
        "send 0; send 1; refuse 0 0; read 0 0; change 1: 0; learn 1; passes 0; again 0; sweep 0",
    ),
    Rare(
        "a new session has no request for a bump",
        "C13",
        environment(invalid_records=1, producer_restarts=1, pids=2),
        "send 0; send 1; reject 0 0; read 0 0; session 0",
    ),
    Rare(
        "a new session knows the leader",
        "C13",
        environment(replicas=2, leader_changes=1, producer_restarts=1, pids=2),
        "send 0; change 1: 0; session 0",
    ),
    Rare(
        "a new session has deadlines of its own",
        "C13",
        environment(refusals=2, deadlines=1, producer_restarts=1, pids=2),
        "send 0; refuse 0 0; passes 0; session 0; send 0; refuse 0 0; read 0 0",
    ),
    Rare(
        "what was before the wrap is not first behind it",
        "C12, C2.5",
        environment(**WRAP, disconnects=1),
        "send 0; send 1; lose 0; again 1",
    ),
    Rare(
        "behind the wrap sequence 0 is not next in line",
        "C12, C5.3",
        environment(**WRAP, replicas=2, isr_shrinks=1, unclean_elections=1),
        "send 0; shrink 1; handle 0 0; read 0 0; unclean 1: 12; learn 1; send 1; handle 1 1; read 1 1",
    ),
    Rare(
        "a gap around the wrap is one",
        "C12, C8",
        environment(**WRAP, refusals=1, deadlines=1),
        "send 0; refuse 0 0; read 0 0; passes 0; sweep 0; loop 0",
    ),
    Rare(
        "what is no gap around the wrap counts as one",
        "C12, C8",
        environment(**WRAP, refusals=1, deadlines=1),
        "send 0; refuse 0 0; read 0 0; again 0; handle 0 0; passes 0; sweep 0; read 0 0; loop 0",
    ),
    Rare(
        "around the wrap a bump renumbers in the order of plain numbers",
        "C12, C9.3",
        environment(**WRAP, refusals=2, invalid_records=1),
        "send 0; send 1; send 2; refuse 0 0; refuse 0 1; reject 0 2; read 0 0; read 0 1; read 0 2; loop 0",
    ),
    Rare(
        "a mark at the wrap is the lowest one, before it",
        "C12, C7.2",
        environment(warm=11, modulus=13, refusals=2, deadlines=1),
        "send 0; send 1; refuse 0 0; refuse 0 1; read 0 0; read 0 1; passes 1; sweep 0",
    ),
    Rare(
        "a mark at the wrap is the lowest one, behind it",
        "C12, C7.2",
        environment(**WRAP, refusals=2, deadlines=1),
        "send 0; send 1; refuse 0 0; refuse 0 1; read 0 0; read 0 1; passes 1; sweep 0",
    ),
    Rare(
        "the pass that drains the young one sweeps the old one behind it",
        "C12, C7.1",
        environment(**WRAP, refusals=2, deadlines=1),
        "send 0; send 1; refuse 0 0; refuse 0 1; read 0 0; read 0 1; passes 0; sweep 0; again 1; sweep 0",
    ),
    Rare(
        "a batch of an older epoch is no duplicate, though it is in the log",
        "B2, B3",
        environment(replicas=2, leader_changes=2, disconnects=1, deadlines=1),
        "send 0; handle 0 0; lose 0; again 0; change 1: 1; learn 1; passes 0; sweep 0; loop 0; send 1; handle 1 1;"
        "change 0: 2 1; handle 0 0",
    ),
    Rare(
        "a new session has no unresolved sequence",
        "C13",
        environment(refusals=1, deadlines=1, producer_restarts=1, pids=2),
        "send 0; refuse 0 0; read 0 0; again 0; send 1; passes 0; sweep 0; session 0",
    ),
    Rare(
        "at the unresolved sequence nobody asks whether a batch was renumbered on the wire",
        "C5.5",
        environment(warm=2, refusals=1, invalid_records=1, deadlines=1),
        "send 0; send 1; send 2; refuse 0 0; reject 0 1; handle 0 2; read 0 0; read 0 1; loop 0; passes 0; sweep 0;"
        "read 0 2",
    ),
    Rare(
        "a half of a batch that was renumbered on the wire and then split begins anew",
        "C11",
        environment(refusals=1, invalid_records=1, too_large=1),
        "send 0; send 2; refuse 0 0; read 0 0; again 0; reject 0 2; read 0 2; loop 0; large 0 0; read 0 0",
    ),
    Rare(
        "behind the last sequence before the wrap only 0 follows",
        "C12, B4.4",
        environment(**WRAP, refusals=1),
        "send 0; send 1; send 2; handle 0 0; refuse 0 1; handle 0 2",
    ),
    Rare(
        "behind an unresolved sequence that was acknowledged after all the next one asks for no bump",
        "C5.5, C5.6",
        environment(warm=1, replicas=2, isr_shrinks=1, unclean_elections=1, refusals=1, deadlines=1),
        "shrink 1; send 0; refuse 0 0; read 0 0; again 0; send 1; send 2; handle 0 0; handle 0 1; passes 0; sweep 0;"
        "read 0 0; read 0 1; unclean 1: 1; learn 1; again 2; handle 1 2; read 1 2",
    ),
    Rare(
        "the request of a closed connection is judged by the log of the broker that has it",
        "B4.4, B7",
        environment(warm=1, replicas=2, refusals=1, disconnects=1, expiries=1, survivors=1, leader_changes=1),
        "expire 1 0: 1; send 0; send 1; refuse 0 0; lose 0: 1; survivor 0 1",
    ),
    Rare(
        "with one in flight a batch that has expired on the wire holds its partition until the answer",
        "C2.1",
        environment(max_in_flight=1, deadlines=1),
        "send 0; passes 0; sweep 0; handle 0 0; read 0 0",
    ),
    Rare(
        "out of order behind its delivery timeout a batch fails",
        "C5, C6.2",
        environment(warm=1, refusals=1, deadlines=1),
        "send 0; send 1; refuse 0 0; handle 0 1; passes 1; read 0 0; read 0 1",
    ),
    Rare(
        "out of order with its retries used up a batch fails, and asks for a bump",
        "C5, C6.2",
        environment(warm=1, retries=1, refusals=2),
        "send 0; send 1; refuse 0 0; handle 0 1; read 0 0; read 0 1; again 0; refuse 0 0; read 0 0; again 1;"
        "handle 0 1; read 0 1",
    ),
    Rare(
        "a batch is split behind its delivery timeout, too",
        "C4.1",
        environment(too_large=1, deadlines=1),
        "send 0; large 0 0; passes 0; read 0 0",
    ),
    Rare(
        "a batch is split though its retries are used up",
        "C4.1",
        environment(retries=1, refusals=1, too_large=1),
        "send 0; refuse 0 0; read 0 0; again 0; large 0 0; read 0 0",
    ),
    Rare(
        "an unresolved sequence that was acknowledged after all goes without a bump",
        "C8",
        environment(warm=1, refusals=1, deadlines=1),
        "send 0; send 1; refuse 0 0; read 0 0; again 0; handle 0 1; read 0 1; handle 0 0; passes 0; sweep 0; read 0 0;"
        "again 1; handle 0 1; read 0 1; loop 0",
    ),
    Rare(
        "the answer of a batch that is held back no more may come in the same poll",
        "C7.1",
        environment(warm=1, refusals=1, deadlines=1),
        "send 0; send 1; refuse 0 0; read 0 0; again 0; handle 0 1; handle 0 0; passes 0; sweep 0; read 0 1; read 0 0",
    ),
    Rare(
        "a younger batch whose time has passed as well holds nothing back",
        "C7.1",
        environment(refusals=1, deadlines=1),
        "send 0; send 1; refuse 0 0; read 0 0; again 0; passes 1; sweep 0",
    ),
    Rare(
        "with one replica enough nobody is refused when the in-sync set shrinks",
        "B6.2, B6.3",
        environment(replicas=2, isr_shrinks=1),
        "send 0; handle 0 0; shrink 1; read 0 0",
    ),
    Rare(
        "where sequences may wrap the sweep of a queue stops at a young retry only if that is in front",
        "C7.1, C12",
        environment(warm=1, modulus=13, refusals=2, deadlines=1),
        "send 0; send 1; refuse 0 0; refuse 0 1; read 0 0; read 0 1; passes 0; sweep 0",
    ),
    Rare(
        "a batch that was sent again to another broker is held back by nothing that was sent behind it",
        "C7.1",
        environment(replicas=2, refusals=1, leader_changes=2, deadlines=1),
        "send 0; send 1; refuse 0 0; handle 0 1; read 0 0; change 1: 1 1; learn 1; again 0; read 0 1; change 0: 1;"
        "learn 0; send 2; passes 0; sweep 0",
    ),
    Rare(
        "a new session begins with the first epoch in each partition",
        "C13",
        environment(invalid_records=1, producer_restarts=1, pids=2),
        "send 0; send 1; reject 0 0; read 0 0; loop 0; session 0",
    ),
    Rare(
        "a broker that has restarted executes nothing of a connection that was closed before",
        "B7",
        environment(disconnects=1, clean_restarts=1, survivors=1),
        "send 0; lose 0: 1; restart 0; again 0; handle 0 0; read 0 0",
    ),
    Rare(
        "of two batches with the same sequences the oldest is what a duplicate is told",
        "B2",
        environment(replicas=2, disconnects=2, expiries=1, leader_changes=1),
        "send 0; handle 0 0; lose 0; expire 0 0; again 0; handle 0 0; lose 0; change 1: 2; learn 1; again 0;handle 1 0",
    ),
    Rare(
        "where nothing is acknowledged the first sequence is next in line",
        "C5.4",
        environment(clean_restarts=1),
        "send 0; send 1; handle 0 0; handle 0 1; restart 0; again 0; handle 0 0; read 0 0",
    ),
    Rare(
        "where the epoch is exhausted, too, a bump renumbers those partitions alone that ask for it",
        "C9.2, C9.3",
        environment(partitions=2, batches=4, epochs=0, epoch_exhausts=True, pids=2, refusals=1, invalid_records=1),
        "send 1; send 3; send 0; handle 0 1; refuse 0 3; reject 0 0; read 0 1; read 0 3; read 0 0; loop 0; id 1;"
        "again 3; handle 0 3",
    ),
    Rare(
        "a batch that expires behind a later one leaves the mark where it is",
        "C7.2",
        environment(refusals=2, deadlines=1),
        "send 0; send 1; send 2; refuse 0 0; refuse 0 1; read 0 0; read 0 1; again 0; passes 1; sweep 0; handle 0 2;"
        "read 0 2; sweep 0",
    ),
    Rare(
        "the second half of a batch is no duplicate of the whole",
        "B2, C11",
        environment(retries=1, disconnects=1, too_large=1, refusals=2),
        "send 0; handle 0 0; lose 0; again 0; large 0 0; read 0 0; again 0; refuse 0 0; read 0 0; again 0;"
        "refuse 0 0; read 0 0; again 1; handle 0 1; read 0 1",
    ),
    Rare(
        "a batch that was renumbered on the wire is fenced, and fails",
        "B3, C5.8",
        environment(replicas=2, invalid_records=1, leader_changes=2),
        "send 0; send 1; reject 0 0; read 0 0; loop 0; change 1: 0; learn 1; send 2; handle 1 2; change 0: 1 1;"
        "handle 0 1; read 0 1",
    ),
    Rare(
        "what outlives its connection has the epoch in which it was sent",
        "B7, C9.3",
        environment(disconnects=1, survivors=1, refusals=1, invalid_records=1),
        "send 0; lose 0: 1; again 0; send 1; refuse 0 0; reject 0 1; read 0 0; read 0 1; loop 0; again 0; survivor 0 0;"
        "handle 0 0",
    ),
    Rare(
        "what outlives its connection is refused while too few are in sync",
        "B1.3, B7",
        environment(replicas=2, min_insync=2, isr_shrinks=1, disconnects=1, survivors=1),
        "send 0; lose 0: 1; shrink 1; survivor 0 0; rejoin 1; again 0; handle 0 0; read 0 0",
    ),
    Rare(
        "recovery reads nothing below a segment that begins at the log start",
        "B1.7, D6",
        environment(
            replicas=2, pids=2, retentions=1, leader_changes=1, rolls=1, foreign_appends=1, isr_shrinks=1, crashes=1
        ),
        "send 0; handle 0 0; delete 0: 0; change 1: 1 1; roll 1 0; foreign 0; shrink 0; crash 1",
    ),
)
"""Each was found by a mistake in the model that no golden transcript told apart."""

BY_NAME = {rare.name: rare for rare in RARE}
