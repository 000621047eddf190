---- MODULE Queue ----
\* A sequence that grows after 1,600 steps.
EXTENDS Naturals, Sequences
VARIABLES n, q
Init == n = 0 /\ q = <<>>
Next == IF n < 1600 THEN n' = n + 1 /\ UNCHANGED q ELSE Len(q) < 9 /\ q' = Append(q, Len(q) % 2) /\ UNCHANGED n
Spec == Init /\ [][Next]_<<n, q>>
TypeOK == n \in 0..1600 /\ q \in Seq(0..1)
====
