---- MODULE Cans ----
\* Init has a few members of a set of 40,000 records.
EXTENDS Naturals
VARIABLE can
Can == [a : 0..199, b : 0..199]
Small == {c \in Can : c.a + c.b \in 1..2}
Init == can \in Small
Take == can.a > 0 /\ can' = [can EXCEPT !.a = @ - 1]
Spec == Init /\ [][Take]_can
Stays == can \in Small \/ can = [a |-> 0, b |-> 0]
====
