---- MODULE Late ----
\* A type that is a set of some numbers of a range, and is left after 901 steps.
EXTENDS Naturals
VARIABLE x, n
Init == x = 1 /\ n = 0
Next == n < 1000 /\ n' = n + 1 /\ x' = IF n = 900 THEN 2 ELSE 3
Spec == Init /\ [][Next]_<<x, n>>
TypeOK == x \in {1, 3} /\ n \in 0..1000
====
