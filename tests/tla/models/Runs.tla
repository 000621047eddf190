---- MODULE Runs ----
\* Init has a few of 9,840 sequences.
EXTENDS Naturals, Sequences
VARIABLE run
Limited(S) == UNION {[1..n -> S] : n \in 1..8}
Runs == {r \in Seq({1, 2, 3}) : \A i \in 1..Len(r) : r[i] = r[1]}
Init == run \in Runs
Next == Len(run) > 1 /\ run' = Tail(run)
Spec == Init /\ [][Next]_run
TypeOK == run \in Runs
====
