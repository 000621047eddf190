---- MODULE Order ----
\* Conjuncts behind a branch read the old and the new values of what the branch assigns.
EXTENDS Naturals
VARIABLES x, y, z
TypeOK == x \in 0..3 /\ y \in 0..6 /\ z \in 0..3
Init == x = 0 /\ y = 0 /\ z = 0

OldAfter ==
    /\ x' = x + 1 \/ x' = 0
    /\ x' \in 0..3
    /\ y' = x \/ y' = x + 3
    /\ z' = IF x > 1 THEN x ELSE 0
OldBelow ==
    /\ \E k \in 0..1 : k < 2 /\ IF x = 0 THEN x' = k + 1 ELSE x' = x - k
    /\ y' = x + 1
    /\ UNCHANGED z
NewAfter ==
    /\ IF z = 0 THEN z' = x ELSE z' = z - 1
    /\ y' = z' + z
    /\ UNCHANGED x
Next == OldAfter \/ OldBelow \/ NewAfter
====
