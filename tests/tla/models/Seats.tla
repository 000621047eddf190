---- MODULE Seats ----
(* People take seats in order of their numbers; each may change the seat a few times. *)
EXTENDS Naturals, FiniteSets

CONSTANTS Seats, People, Nobody, Changes  \* how often a person may move

ASSUME Seats \in Nat \ {0} /\ Changes >= 0

VARIABLES taken, moves

Numbers == 1 .. Seats

TypeOK ==
    /\ taken \in [Numbers -> People \cup {Nobody}]
    /\ moves \in [People -> 0 .. Changes]

Init ==
    /\ taken = [n \in Numbers |-> Nobody]
    /\ moves = [p \in People |-> 0]

Sits(p) == \E n \in Numbers : taken[n] = p

Sit(p, n) ==
    /\ taken[n] = Nobody
    /\ ~Sits(p)
    /\ taken' = [taken EXCEPT ![n] = p]
    /\ UNCHANGED moves

Move(p, n) ==
    /\ n < Seats
    /\ taken[n] = p
    /\ taken[n + 1] = Nobody
    /\ moves[p] < Changes
    /\ taken' = [taken EXCEPT ![n] = Nobody, ![n + 1] = p]
    /\ moves' = [moves EXCEPT ![p] = @ + 1]

Next == \E p \in People, n \in Numbers : Sit(p, n) \/ Move(p, n)

Spec == Init /\ [][Next]_<<taken, moves>>

NotAll == \E n \in Numbers : taken[n] = Nobody
====
