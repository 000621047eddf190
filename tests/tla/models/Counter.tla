---- MODULE Counter ----
\* Processes that add one to a shared counter, in two steps: read it, then write it back.
EXTENDS Naturals, FiniteSets
CONSTANT Proc \* the processes
VARIABLES
    count, \* the shared counter
    pc,    \* what each process does next
    seen   \* the value that each process has read
vars == <<count, pc, seen>>

TypeOK ==
    /\ count \in 0..Cardinality(Proc)
    /\ pc \in [Proc -> {"read", "write", "done"}]
    /\ seen \in [Proc -> 0..Cardinality(Proc)]

Init ==
    /\ count = 0
    /\ pc = [p \in Proc |-> "read"]
    /\ seen = [p \in Proc |-> 0]

Read(p) ==
    /\ pc[p] = "read"
    /\ seen' = [seen EXCEPT ![p] = count]
    /\ pc' = [pc EXCEPT ![p] = "write"]
    /\ UNCHANGED count

Write(p) ==
    /\ pc[p] = "write"
    /\ count' = seen[p] + 1
    /\ pc' = [pc EXCEPT ![p] = "done"]
    /\ UNCHANGED seen

Next == \E p \in Proc : Read(p) \/ Write(p)
Spec == Init /\ [][Next]_vars /\ WF_vars(Next)

\* When all are done, each has been counted.
AllCounted == (\A p \in Proc : pc[p] = "done") => count = Cardinality(Proc)
Ends == <>(\A p \in Proc : pc[p] = "done")
====
