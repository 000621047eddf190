---- MODULE Cans ----
\* Init has a few members of a set of 3,600 records.
EXTENDS Naturals
VARIABLE can
Can == [a : 0..59, b : 0..59]
Small == {c \in Can : c.a + c.b \in 1..2}
Init == can \in Small
Take == can.a > 0 /\ can' = [can EXCEPT !.a = @ - 1]
Spec == Init /\ [][Take]_can
Stays == can \in Small \/ can = [a |-> 0, b |-> 0]
====
