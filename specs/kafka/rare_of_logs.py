"""Rare behaviours of logs: what is cut, replayed, and in snapshots (D4 to D11); see rare.py."""

from __future__ import annotations

from .rare_steps import Rare, environment

DELETED = {"warm": 1, "replicas": 2, "pids": 2, "retentions": 1, "leader_changes": 1, "crashes": 1}
IN_THE_MIDDLE = {
    "warm": 1,
    "replicas": 2,
    "pids": 2,
    "retentions": 1,
    "foreign_appends": 2,
    "leader_changes": 5,
    "crashes": 1,
}
HEARD_IN_THE_MIDDLE = "send 0; handle 0 0; read 0 0; delete 0: 0; change 1: 2 0; foreign 0; change 0: 3"
"""What broker 1 hears next is that the log begins at 2, in the middle of its own, whose segment begins at 0."""

OF_LOGS = (
    Rare(
        "a log that is cut where a segment begins keeps it, and loads the snapshot of that place",
        "D4",
        environment(replicas=2, rolls=1, leader_changes=2, clean_restarts=1),
        "send 0; send 1; handle 0 0; handle 0 1; roll 0 0; send 2; handle 0 2; change 1: 2",
    ),
    Rare(
        "who has no records left is in no snapshot behind a clean restart",
        "D11",
        environment(replicas=2, pids=2, retentions=1, clean_restarts=1, foreign_appends=2, rolls=1, leader_changes=3),
        "send 0; handle 0 0; delete 0; restart 1: 1 1; rejoin 1; change 1: 1; foreign 0; roll 1 0;"
        "foreign 0; change 0: 2",
    ),
    Rare(
        "who has no records left is in no snapshot behind a crash",
        "D11",
        environment(replicas=2, pids=2, retentions=1, crashes=1, foreign_appends=2, rolls=1, leader_changes=3),
        "send 0; handle 0 0; delete 0: 0; crash 1: 1 1; rejoin 1; change 1: 1; foreign 0; roll 1 0;"
        "foreign 0; change 0: 2",
    ),
    Rare(
        "who has no records left is in no snapshot behind a log that was cut",
        "D11",
        environment(replicas=2, pids=2, retentions=1, foreign_appends=3, rolls=1, leader_changes=4),
        "send 0; handle 0 0; delete 0; foreign 0; change 1: 1 1; change 0: 1; foreign 0; roll 0 0; foreign 0;"
        "change 1: 2",
    ),
    Rare(
        "what is written again where a log was cut is in snapshots, though an expiry was behind it",
        "D8",
        environment(replicas=2, expiries=1, leader_changes=4, rolls=1),
        "send 0; send 1; handle 0 0; handle 0 1; expire 0 0; change 1: 1; learn 1; read 0 0; read 0 1;"
        "again 1; handle 1 1; change 0: 2 1; roll 0 0; learn 0; send 2; handle 0 2; change 1: 2",
    ),
    Rare(
        "who knows no producer replays nothing",
        "D4",
        environment(warm=1, replicas=2, leader_changes=2, expiries=1),
        "send 0; handle 0 0; expire 0 0; change 1: 1; learn 1",
    ),
    Rare(
        "who knows another producer replays those that it had forgotten, too",
        "D4",
        environment(replicas=2, pids=2, expiries=1, foreign_appends=2, leader_changes=2),
        "send 0; handle 0 0; expire 0 0; foreign 0; foreign 0; change 1: 2 1",
    ),
    Rare(
        "the row of a producer that has expired is not loaded",
        "D8",
        environment(warm=1, replicas=2, leader_changes=2, clean_restarts=1, expiries=1),
        "send 0; handle 0 0; read 0 0; expire 0 0; send 1; handle 0 1; change 1: 2; restart 0: 2",
    ),
    Rare(
        "an old epoch that was let in behind an expiry is the newest one of a log that is replayed",
        "B4.1, D4",
        environment(replicas=2, pids=2, leader_changes=4, disconnects=1, deadlines=1, expiries=1, foreign_appends=1),
        "send 0; handle 0 0; lose 0; again 0; change 1: 1; learn 1; passes 0; sweep 0; loop 0; send 1; handle 1 1;"
        "change 0: 2 0; read 1 1; expire 0 0; handle 0 0; foreign 0; change 1: 3 1; change 0: 3; learn 0; again 1;"
        "handle 0 1",
    ),
    Rare(
        "who copies a log afresh knows nobody whose records are deleted",
        "D12",
        environment(warm=1, replicas=2, isr_shrinks=1, retentions=1, leader_changes=1, disconnects=1),
        "send 0; handle 0 0; lose 0; shrink 1; delete 0: 1; rejoin 1; change 1: 2; learn 1; again 0; handle 1 0",
    ),
    Rare(
        "who was out of the in-sync set has what retention has deleted elsewhere",
        "D14",
        environment(warm=1, replicas=2, isr_shrinks=1, retentions=1, unclean_elections=1, clean_restarts=1),
        "shrink 1; send 0; send 1; handle 0 0; handle 0 1; delete 0: 2; unclean 1: 2; restart 1",
    ),
    Rare(
        "a deposed leader that is elected before it fetches has all that it had",
        "D4, D15",
        environment(warm=1, replicas=2, isr_shrinks=1, unclean_elections=2),
        "shrink 1; send 0; handle 0 0; read 0 0; send 1; handle 0 1; unclean 1: 1; learn 1; again 1; handle 1 1;"
        "read 1 1; unclean 0: 1; learn 0; loop 0; again 1; handle 0 1",
    ),
    Rare(
        "one that restarts before it fetches remembers the last batch of its own log, until it is cut",
        "D4, D6",
        environment(warm=1, replicas=2, isr_shrinks=1, unclean_elections=2, crashes=1, rolls=1, leader_changes=1),
        "shrink 1; send 0; send 1; handle 0 0; roll 0 0; handle 0 1; unclean 1: 1; crash 0: 1; rejoin 0; change 0: 1",
    ),
    Rare(
        "who has not heard yet what retention has deleted leads with it",
        "D14",
        environment(warm=1, replicas=2, retentions=1, leader_changes=1, isr_shrinks=1, crashes=1),
        "send 0; handle 0 0; read 0 0; delete 0; change 1: 2 0; shrink 0; crash 1",
    ),
    Rare(
        "who has heard what retention has deleted leads without it",
        "D14",
        environment(warm=1, replicas=2, retentions=1, leader_changes=1, isr_shrinks=1, crashes=1),
        "send 0; handle 0 0; read 0 0; delete 0; change 1: 2 1; shrink 0; crash 1",
    ),
    Rare(
        "with records a follower hears what retention has deleted",
        "D14",
        environment(warm=1, replicas=2, pids=2, retentions=1, foreign_appends=1, rolls=1, leader_changes=2, crashes=1),
        "send 0; handle 0 0; read 0 0; delete 0: 0; foreign 0; roll 1 0: 3; crash 1: 3; rejoin 1; change 1: 3",
    ),
    Rare(
        "who is in the in-sync set again may not have heard yet what retention has deleted",
        "D14",
        environment(warm=1, replicas=2, isr_shrinks=1, retentions=1, leader_changes=1),
        "shrink 1; delete 0: 1; rejoin 1; change 1: 1 0",
    ),
    Rare(
        "before retention deletes again a follower has heard of the first time",
        "D14",
        environment(warm=1, replicas=2, retentions=2, leader_changes=1),
        "send 0; handle 0 0; read 0 0; delete 0; send 1; handle 0 1; delete 0; change 1: 3 0",
    ),
    Rare(
        "who copied a log afresh has nobody in snapshots whose records are deleted",
        "D12, D11",
        environment(
            warm=1, replicas=2, pids=2, isr_shrinks=1, retentions=1, foreign_appends=2, rolls=1, leader_changes=3
        ),
        "shrink 1; send 0; handle 0 0; read 0 0; delete 0: 1; foreign 0; rejoin 1; change 1: 3; roll 1 0; foreign 0;"
        "change 0: 3",
    ),
    Rare(
        "a crash brings back who has records below the log start in a segment that reaches there",
        "D6, D14",
        environment(**IN_THE_MIDDLE),
        f"{HEARD_IN_THE_MIDDLE}; crash 1: 3 1",
    ),
    Rare(
        "a crash brings back, too, who was forgotten when such a log was cut",
        "D6, D14",
        environment(**IN_THE_MIDDLE),
        f"{HEARD_IN_THE_MIDDLE}; change 1: 3 1; foreign 0; change 0: 3; crash 1: 3",
    ),
    Rare(
        "behind a roll a crash brings back nobody who was forgotten before",
        "D6, D14",
        environment(**IN_THE_MIDDLE, rolls=1),
        f"{HEARD_IN_THE_MIDDLE}; change 1: 3 1; foreign 0; change 0: 3; roll 1 0: 3; crash 1: 3",
    ),
    Rare(
        "a log that was cut below its start has all that it gets then behind a crash",
        "D4, D6",
        environment(
            warm=1,
            replicas=2,
            pids=2,
            foreign_appends=1,
            isr_shrinks=1,
            retentions=1,
            unclean_elections=1,
            leader_changes=1,
            crashes=1,
        ),
        "shrink 1; send 0; handle 0 0; read 0 0; foreign 0; delete 0: 2; unclean 1: 2; learn 1; send 1; handle 1 1;"
        "rejoin 0; read 1 1; crash 0: 3",
    ),
    Rare(
        "where the segment begins at the log start a crash brings nobody back",
        "D6, D14",
        environment(**IN_THE_MIDDLE, rolls=1),
        f"{HEARD_IN_THE_MIDDLE.replace('foreign', 'roll 1 0; foreign')}; crash 1: 3 1",
    ),
    Rare(
        "nor does it once retention has deleted all of such a log",
        "D6, D10",
        environment(**{**IN_THE_MIDDLE, "retentions": 2}),
        f"{HEARD_IN_THE_MIDDLE}; change 1: 3 1; delete 0: 0; foreign 0; change 0: 4; crash 1: 4",
    ),
    Rare(
        "what a follower gets before its own retention has run keeps the segment, and a crash brings back who is in it",
        "D6, D10, D14",
        environment(**DELETED, foreign_appends=1),
        "send 0; handle 0 0; read 0 0; delete 0: 0; foreign 0; crash 1: 3; rejoin 1; change 1: 3",
    ),
    Rare(
        "what a follower gets when its own retention has run is all that it has behind a crash",
        "D6, D10, D14",
        environment(**DELETED, foreign_appends=1),
        "send 0; handle 0 0; read 0 0; delete 0: 1; foreign 0; crash 1: 3; rejoin 1; change 1: 3",
    ),
    Rare(
        "nobody is brought back where no record is left, though the segment reaches below the log start",
        "D6, D11, D14",
        environment(**IN_THE_MIDDLE),
        "send 0; handle 0 0; read 0 0; delete 0: 0; change 1: 2 0; foreign 0; change 0: 2; crash 1: 2 1; foreign 0;"
        "rejoin 1; change 1: 3",
    ),
    Rare(
        "a crash brings back, too, who was forgotten when such a log was cut, where producers may expire",
        "D6, D8, D14",
        environment(**IN_THE_MIDDLE, expiries=1),
        f"{HEARD_IN_THE_MIDDLE}; change 1: 3 1; foreign 0; change 0: 3; crash 1: 3",
    ),
    Rare(
        "a crash does not bring back from such a log who has expired",
        "D6, D8, D14",
        environment(**IN_THE_MIDDLE, expiries=1),
        f"{HEARD_IN_THE_MIDDLE}; change 1: 3 1; expire 1 0; foreign 0; change 0: 3; crash 1: 3",
    ),
    Rare(
        "an expiry that finds nobody lets nobody expire",
        "D6, D8, D9",
        environment(**{**IN_THE_MIDDLE, "crashes": 2}, expiries=1),
        "send 0; handle 0 0; read 0 0; delete 0: 0; crash 1: 2 1; expire 1 0: 2; foreign 0; crash 1: 3;"
        "rejoin 1; change 1: 3",
    ),
    Rare(
        "what is written again where a log was cut has not expired, though an expiry was behind it",
        "D4, D6, D8",
        environment(**IN_THE_MIDDLE, expiries=1),
        f"{HEARD_IN_THE_MIDDLE}; change 1: 3 1; foreign 0; expire 1 0; change 0: 3; send 1; handle 0 1; crash 1: 4",
    ),
    Rare(
        "who copies a log afresh has nothing below the log start behind a crash",
        "D6, D12",
        environment(**DELETED, isr_shrinks=1, foreign_appends=1),
        "shrink 1; send 0; handle 0 0; read 0 0; delete 0: 1; foreign 0; rejoin 1; crash 1: 3; rejoin 1; change 1: 3",
    ),
    Rare(
        "who has no records left is in the snapshots behind a crash that has found a row",
        "D6, D11",
        environment(replicas=2, pids=2, retentions=1, rolls=2, crashes=1, foreign_appends=3, leader_changes=3),
        "send 0; handle 0 0; read 0 0; delete 0: 1; foreign 0; roll 1 0: 2; crash 1: 2; rejoin 1;"
        "change 1: 2; foreign 0;"
        "roll 1 0; foreign 0; change 0: 3",
    ),
    Rare(
        "no segment begins behind a log that was cut",
        "D4",
        environment(replicas=2, rolls=1, leader_changes=2, clean_restarts=1),
        "send 0; send 1; handle 0 0; handle 0 1; roll 0 0; change 1: 1",
    ),
)
