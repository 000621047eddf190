---- MODULE Upper ----
EXTENDS Naturals
VARIABLE m
Init == m = 0
Next == m' = m + 2
Spec == Init /\ [][Next]_m
====
