---- MODULE Lower ----
EXTENDS Naturals
VARIABLE n
Init == n = 0
Next == n < 3 /\ n' = n + 1
Spec == Init /\ [][Next]_n
TypeOK == n \in 0..3
Upper == INSTANCE Upper WITH m <- n
Refines == Upper!Spec
====
