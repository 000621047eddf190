---- MODULE Calls ----
\* Arguments of two lengths, or none; their type is a set of listed values.
EXTENDS Naturals, Sequences
CONSTANT NIL
VARIABLES args, log
Sides == {"x", "y"}
Keys == {"a", "b"}
Args == {<<k>> : k \in Keys} \cup {<<k, v>> : k \in Keys, v \in 1..2} \cup {NIL}
TypeOK == /\ args \in Args
          /\ log \in {[n \in Sides |-> s] : s \in {<<>>, <<1>>, <<1, 2>>}}
Init == args = NIL /\ log = [n \in Sides |-> <<>>]
Call == args = NIL /\ args' \in Args \ {NIL} /\ UNCHANGED log
Log == Len(log["x"]) < 2 /\ log' = [n \in Sides |-> Append(log[n], Len(log[n]) + 1)] /\ UNCHANGED args
Return == args \in Args \ {NIL} /\ args' = NIL /\ UNCHANGED log
Next == Call \/ Return \/ Log
====
