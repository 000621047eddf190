"""The current generation (3.6 to 4.4): requests, errors, connections, elections, timeouts."""

from __future__ import annotations

from .common import every, kafka

TEN_KINDS = (
    "disconnects",
    "refusals",
    "late_errors",
    "invalid_records",
    "deadlines",
    "leader_changes",
    "leader_crashes",
    "clean_restarts",
    "retentions",
    "expiries",
)
KINDS = (*TEN_KINDS, "crashes", "rolls", "isr_shrinks")

REQUESTS = [
    kafka(
        "current/no-fault",
        "Nothing goes wrong: every record is written once, in order, and acknowledged",
        "The base line: six batches, five in flight.",
        batches=6,
        max_in_flight=5,
        faults=0,
    ),
    kafka(
        "current/lost-request-or-response",
        "Lost requests and lost responses are repaired",
        "A lost connection loses every answer on it and any unread request (C3); retries are appended or recognised.",
        batches=6,
        max_in_flight=5,
        disconnects=3,
        faults=3,
    ),
    kafka(
        "current/error-before-append",
        "Retriable errors before the append are repaired, once the broker knows the producer",
        "NOT_ENOUGH_REPLICAS and the like (B1.2, B1.3): the batches behind the refused one are answered 45 and "
        "wait (C5.3).",
        batches=4,
        max_in_flight=3,
        refusals=2,
        faults=2,
        goals="out of order",
    ),
    kafka(
        "current/error-after-append",
        "Retriable errors after the append are repaired",
        "NOT_ENOUGH_REPLICAS_AFTER_APPEND and REQUEST_TIMED_OUT (B6.3, B6.4): the retry is recognised.",
        batches=4,
        max_in_flight=3,
        late_errors=2,
        faults=2,
    ),
    kafka(
        "current/definite-error",
        "A definite error of a batch that is not in the log: the batches behind it are renumbered",
        "The failed batch leaves a gap, the later ones are answered 45, and all of them start again in a new "
        "epoch (C9.3).  "
        "Nothing was appended, so nothing is duplicated.",
        batches=4,
        max_in_flight=3,
        invalid_records=1,
        goals="bump, renumbered on the wire, out of order",
    ),
    kafka(
        "current/definite-error-of-a-retry",
        "A definite error of a retry: the record that is reported failed is in the log, later ones are written twice",
        "Authorization, size and record validation come before the duplicate lookup (B1), so a retry of an "
        "appended batch  "
        "can meet them. The client renumbers what is in flight behind it, appended or not (C6.4, C9.3).",
        {"NoDuplicate": 11, "NoFalseFailure": 6},
        batches=2,
        disconnects=1,
        invalid_records=1,
        faults=2,
        goals="bump",
    ),
]

COLD = [
    kafka(
        "current/cold-start-refused",
        "The very first batch is refused: the second is written before it",
        "A broker without state accepts any first sequence (B4.1), so the second batch goes in alone; the "
        "first then has  "
        "an old sequence and is answered 45 until its delivery timeout (KAFKA-15591).",
        {"NoGap": 6},
        warm=0,
        refusals=1,
    ),
    kafka(
        "current/cold-start-lost-connection",
        "The very first connection is lost: the retries go out in order, so the first batch is first",
        "A broker without state accepts any first sequence (B4.1); only the order of the retries (C2.5) keeps the "
        "second batch from being written before the first.",
        batches=2,
        warm=0,
        disconnects=1,
    ),
    kafka(
        "4.5/cold-start-refused",
        "The very first batch is refused, 4.5: the second one waits",
        "A log that never held a record answers 45 to a first sequence that is not 0, as announced for 4.5.",
        generation="4.5",
        warm=0,
        refusals=1,
        goals="out of order",
    ),
    kafka(
        "4.5/cold-start-on-a-used-log",
        "The very first batch is refused, 4.5, on a log with records of another producer: as before",
        "The 4.5 rule asks whether the log ever held a record of anybody; here it did, so the gap is accepted again.",
        {"NoGap": 7},
        generation="4.5",
        warm=0,
        pids=2,
        refusals=1,
        foreign_appends=1,
        faults=2,
    ),
]

ELECTIONS = [
    kafka(
        "current/clean-leader-change",
        "A clean leader change loses, reorders and duplicates nothing",
        "The new leader uses the producer state that it built as a follower (D3); requests to the old one are refused.",
        batches=5,
        max_in_flight=4,
        leader_changes=1,
    ),
    kafka(
        "current/clean-leader-change-explicit",
        "The same with every fetch of the follower as a step of its own",
        "The lazy follower of the model against replication told step by step: the verdicts are the same.",
        batches=5,
        max_in_flight=4,
        leader_changes=1,
        explicit_replication=True,
    ),
    kafka(
        "current/two-clean-leader-changes",
        "Leadership moves and moves back: a record is written twice",
        "Old and new leader are talked to at the same time, and no order holds between the connections (C3). A "
        "batch is  "
        "answered 45 before the one that fills its gap is written and acknowledged; the late 45 then looks "
        "next in line  "
        "(C5.4), and the bump renumbers an older batch that is in the log and waits for its retry.",
        {"NoDuplicate": 16},
        batches=3,
        max_in_flight=3,
        leader_changes=2,
        faults=2,
    ),
    kafka(
        "current-first/two-clean-leader-changes",
        "Variant: only the first batch in flight can be next in line: the same leader changes are harmless",
        "C5.4 changed only: the late 45 of a batch behind an unfinished one is a retry without a bump.",
        generation="current-first",
        batches=3,
        max_in_flight=3,
        leader_changes=2,
        faults=2,
    ),
    kafka(
        "current-first/three-leader-changes",
        "The same variant, and leadership moves a third time: a record is written twice after all",
        "A batch was renumbered while its request waits unread at a broker that leads again later: there it is fenced "
        "(B3, C9.3). That is a definite error (C5.8), and its bump renumbers an older batch that is in the log and "
        "waits for its retry.",
        {"NoDuplicate": 22},
        generation="current-first",
        batches=3,
        max_in_flight=3,
        leader_changes=3,
        faults=3,
    ),
    kafka(
        "current/old-and-new-leader",
        "Six batches in flight over two connections, five remembered: a record is written twice",
        "The cap is per connection and nothing limits a partition (C2), so a batch that the old leader answered with "
        "NOT_LEADER can have five newer ones on the connection to the new leader. When their answers are lost, "
        "its retry  "
        "is older than the window.",
        {"NoDuplicate": 22},
        batches=6,
        max_in_flight=5,
        leader_changes=1,
        disconnects=1,
        faults=2,
        goals="bump, out of order",
    ),
    kafka(
        "current/old-and-new-leader-scaled",
        "The same with two in flight and two remembered",
        "The smallest form of the case above: three batches over two connections.",
        {"NoDuplicate": 16},
        window=2,
        batches=3,
        leader_changes=1,
        disconnects=1,
        faults=2,
        goals="bump, out of order",
    ),
    kafka(
        "current/leader-crash",
        "The leader crashes, its connections go, the in-sync follower leads",
        "Unlike after a mere move of leadership the answers on the old connection are lost.",
        batches=4,
        max_in_flight=3,
        leader_crashes=1,
    ),
    kafka(
        "current/unclean-election",
        "An unclean election loses acknowledged records",
        "The follower outside of the in-sync set leads with what it has (D15). What is pending afterwards is "
        "accepted,  "
        "renumbered where needed.",
        {"AckedIsPersisted": 5},
        isr_shrinks=1,
        unclean_elections=1,
        faults=2,
    ),
    kafka(
        "current/two-unclean-elections",
        "A deposed leader leads again before it has fetched: a record is written twice, with one in flight",
        "It is cut when it fetches (D4), so it leads with all that it had (D15). Meanwhile the "
        "other one, which lacks a record of it, has answered 45, and the record got another epoch.",
        {"NoDuplicate": 16, "AckedIsPersisted": 5},
        batches=2,
        max_in_flight=1,
        isr_shrinks=1,
        unclean_elections=2,
        faults=3,
        goals="bump, out of order",
    ),
    kafka(
        "current/min-insync-2",
        "min.insync.replicas = 2: without the follower nothing is accepted",
        "B1.3 refuses the batch until the follower has rejoined, B6.4 answers what was appended before; "
        "nothing is lost.",
        min_insync=2,
        isr_shrinks=1,
        disconnects=1,
        faults=2,
    ),
    kafka(
        "current/unclean-election-min-insync-2",
        "min.insync.replicas = 2 on two replicas: an unclean election loses nothing that was acknowledged",
        "Whatever was acknowledged was on both replicas; compare current/unclean-election.",
        min_insync=2,
        isr_shrinks=2,
        unclean_elections=1,
        faults=3,
    ),
]

TIMEOUTS = [
    kafka(
        "current/delivery-timeout",
        "A delivery timeout alone is harmless",
        "A batch that expires on its first attempt leaves no mark (C7.3); a late answer still moves lastAcked (C4.5).",
        batches=4,
        max_in_flight=3,
        deadlines=1,
    ),
    kafka(
        "current/delivery-timeout-unresolved",
        "A batch expires in retry: its sequence is unresolved",
        "Nothing new is drained until everything in flight is answered (C2.4); then the gap, if there is one, "
        "costs an  "
        "epoch (C8). The delivery timeout may also pass while an answer is being handled.",
        {"NoDuplicate": 9},
        deadlines=1,
        disconnects=1,
        faults=2,
        goals="bump, unresolved",
    ),
    kafka(
        "current/retries-exhausted",
        "A batch runs out of retries: the next ones are refused until the epoch is bumped",
        "attempts = retries: the batch fails without adjustment (C6.5) and leaves a gap that no one fills.",
        retries=1,
        refusals=2,
        faults=2,
    ),
]

SPLITS = [
    kafka(
        "current/split",
        "A batch of two records is too large and splits: harmless on its first attempt",
        "The halves keep the sequences of the whole (C11); the batches behind it are answered 45 and wait.",
        batches=4,
        max_in_flight=3,
        too_large=1,
    ),
    kafka(
        "current/split-of-a-retry",
        "A batch that is in the log splits at its retry: its records are written twice",
        "The size is checked before the duplicate lookup (B1.4, B1.8), and nobody asks whether the batch may "
        "be in the log  "
        "(C11). The ranges of the halves match no remembered batch (B2), so they are answered 45 and get a new "
        "epoch.",
        {"NoDuplicate": 12},
        too_large=1,
        disconnects=1,
        faults=2,
        goals="bump, out of order",
    ),
]

REALISTIC = [
    kafka(
        "current/one-fault-of-every-kind",
        "Six batches, five in flight, thirteen kinds of fault, one of them: nothing is lost, reordered or duplicated",
        "Started warm, with two replicas that are in sync. Whatever happens once, alone, the protocol repairs; "
        "the kinds that  "
        "need two faults to do harm are scenarios of their own.",
        batches=6,
        max_in_flight=5,
        **every(KINDS, 1),
    ),
    kafka(
        "current/realistic",
        "Six batches, five in flight, ten kinds of fault, at most three of them in a behaviour",
        "The whole neighbourhood of the current generation, explored to the end: nothing that was acknowledged "
        "is lost, and no  "
        "offset is wrong; what fails has scenarios of its own, with fewer faults and batches.",
        {"NoDuplicate": 6, "NoGap": 7, "InOrder": 9, "NoFalseFailure": 6, "SequencesContiguous": 5},
        slow=True,
        batches=6,
        max_in_flight=5,
        spare=4,
        epochs=7,
        faults=3,
        **every(TEN_KINDS, 3),
    ),
]

SCENARIOS = [*REQUESTS, *COLD, *ELECTIONS, *TIMEOUTS, *SPLITS, *REALISTIC]
