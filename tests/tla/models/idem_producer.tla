--------------------------- MODULE idem_producer ---------------------------
(* Kafka's idempotent producer, action for action as specs/idem_producer.py. *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS Batches, MaxInFlight, Window, MaxSends, Resets, Bumps, LeaderChanges

VARIABLES status, sends, epoch, base, requests, answers, brokerEpoch, nextExpected, log, losses, changes

vars == <<status, sends, epoch, base, requests, answers, brokerEpoch, nextExpected, log, losses, changes>>

All == 0 .. Batches - 1
Count == 0 .. Batches

TypeOK ==
    /\ status \in [All -> {"pending", "in flight", "acked"}]
    /\ sends \in [All -> 0 .. MaxSends]
    /\ epoch \in 0 .. Bumps
    /\ base \in All
    /\ requests \in Seq([epoch : 0 .. Bumps, sequence : All, batch : All])
    /\ answers \in Seq([epoch : 0 .. Bumps, batch : All, ok : BOOLEAN])
    /\ Len(requests) <= MaxInFlight
    /\ Len(answers) <= MaxInFlight
    /\ brokerEpoch \in 0 .. Bumps
    /\ nextExpected \in Count
    /\ log \in Seq(All)
    /\ Len(log) <= Batches * (Bumps + 1)
    /\ losses \in 0 .. Resets
    /\ changes \in 0 .. LeaderChanges

Init ==
    /\ status = [b \in All |-> "pending"]
    /\ sends = [b \in All |-> 0]
    /\ epoch = 0
    /\ base = 0
    /\ requests = <<>>
    /\ answers = <<>>
    /\ brokerEpoch = 0
    /\ nextExpected = 0
    /\ log = <<>>
    /\ losses = 0
    /\ changes = 0

Requeued(of) == [b \in All |-> IF of[b] = "in flight" THEN "pending" ELSE of[b]]

(* The producer *)

Send == \E b \in All :
    /\ status[b] = "pending"
    /\ \A other \in All : other < b => status[other] # "pending"
    /\ sends[b] < MaxSends
    /\ Len(requests) + Len(answers) < MaxInFlight
    /\ requests' = Append(requests, [epoch |-> epoch, sequence |-> b - base, batch |-> b])
    /\ status' = [status EXCEPT ![b] = "in flight"]
    /\ sends' = [sends EXCEPT ![b] = @ + 1]
    /\ UNCHANGED <<epoch, base, answers, brokerEpoch, nextExpected, log, losses, changes>>

Handle(answer) ==
    IF answer.epoch # epoch THEN UNCHANGED <<status, epoch, base>>
    ELSE IF answer.ok THEN
        /\ status' = [status EXCEPT ![answer.batch] = "acked"]
        /\ UNCHANGED <<epoch, base>>
    ELSE IF epoch < Bumps /\ \A other \in All : other < answer.batch => status[other] = "acked" THEN
        /\ epoch' = epoch + 1
        /\ base' = answer.batch
        /\ status' = Requeued(status)
    ELSE
        /\ status' = [status EXCEPT ![answer.batch] = "pending"]
        /\ UNCHANGED <<epoch, base>>

Answer ==
    /\ answers # <<>>
    /\ answers' = Tail(answers)
    /\ Handle(Head(answers))
    /\ UNCHANGED <<sends, requests, brokerEpoch, nextExpected, log, losses, changes>>

(* The broker *)

Accepts(request) ==
    IF request.epoch > brokerEpoch THEN request.sequence = 0
    ELSE request.epoch = brokerEpoch /\ request.sequence = nextExpected

Remembers(request) ==
    /\ request.epoch = brokerEpoch
    /\ request.sequence < nextExpected
    /\ nextExpected <= request.sequence + Window

Broker ==
    /\ requests # <<>>
    /\ LET request == Head(requests)
           accepts == Accepts(request)
           ok == accepts \/ Remembers(request)
       IN  /\ requests' = Tail(requests)
           /\ answers' = Append(answers, [epoch |-> request.epoch, batch |-> request.batch, ok |-> ok])
           /\ IF accepts
                THEN /\ log' = Append(log, request.batch)
                     /\ nextExpected' = request.sequence + 1
                     /\ brokerEpoch' = request.epoch
                ELSE UNCHANGED <<log, nextExpected, brokerEpoch>>
    /\ UNCHANGED <<status, sends, epoch, base, losses, changes>>

(* Faults *)

Drop ==
    /\ requests' = <<>>
    /\ answers' = <<>>
    /\ status' = Requeued(status)
    /\ UNCHANGED <<sends, epoch, base, brokerEpoch, nextExpected, log>>

Reset ==
    /\ losses < Resets
    /\ requests # <<>> \/ answers # <<>>
    /\ losses' = losses + 1
    /\ Drop
    /\ UNCHANGED changes

LeaderChange ==
    /\ changes < LeaderChanges
    /\ changes' = changes + 1
    /\ Drop
    /\ UNCHANGED losses

Next == Send \/ Answer \/ Broker \/ Reset \/ LeaderChange

Spec == Init /\ [][Next]_vars

NoDup == \A i, j \in 1 .. Len(log) : i # j => log[i] # log[j]
InOrder == \A i \in 1 .. Len(log) : log[i] = i - 1
AckedInLog == \A b \in All : status[b] = "acked" => \E i \in 1 .. Len(log) : log[i] = b
============================================================================
