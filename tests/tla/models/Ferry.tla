---- MODULE Ferry ----
(* A ferry takes at most two cars at a time across a river. *)
EXTENDS Naturals, FiniteSets
CONSTANT Cars
VARIABLES left, \* cars on the left bank
          ferry

TypeOK == left \subseteq Cars /\ ferry \in {"left", "right"}

Init == left = Cars /\ ferry = "left"

\* Some cars, or none, go with the ferry.
Cross ==
    /\ ferry = "left"
    /\ \E some \in SUBSET left : Cardinality(some) <= 2 /\ left' = left \ some
    /\ ferry' = "right"

Return == ferry = "right" /\ ferry' = "left" /\ UNCHANGED left

Next == Cross \/ Return

Spec == Init /\ [][Next]_<<left, ferry>> /\ WF_<<left, ferry>>(Return)

NeverEmpty == left # {}
Returns == (ferry = "right") ~> (ferry = "left")
====
