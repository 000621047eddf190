---- MODULE Mail ----
\* Messages in bags: one is there twice.
EXTENDS Naturals, FiniteSets, Bags, BagsExt
VARIABLES net, lost
vars == <<net, lost>>
Nodes == {1, 2}
Msg(k) == [kind |-> k, to |-> 3]

Init == /\ net = [n \in Nodes |-> IF n = 1 THEN SetToBag({Msg("a")}) ELSE EmptyBag]
        /\ lost = EmptyBag

put(old, n, m) == [old EXCEPT ![n] = BagAdd(@, m)]
inbox(old, n) == DOMAIN old[n]

Twice(n) == BagCardinality(net[n]) < 2 /\ net' = put(net, n, Msg("a")) /\ UNCHANGED lost
Move(n) == \E m \in inbox(net, n) :
  /\ BagCardinality(net[3 - n]) < 2
  /\ net' = [net EXCEPT ![n] = BagRemove(@, m), ![3 - n] = BagAdd(@, [m EXCEPT !.kind = "b"])]
  /\ UNCHANGED lost
Lose(n) == /\ \E m \in BagToSet(net[n]) :
                /\ net' = [net EXCEPT ![n] = @ (-) SetToBag({m})]
                /\ lost' = IF m.kind = "a" THEN BagAdd(lost, 7) ELSE lost (+) SetToBag({8, 9})
           /\ BagCardinality(lost) < 2
Next == \E n \in Nodes : Twice(n) \/ Move(n) \/ Lose(n)
Spec == Init /\ [][Next]_vars

Bounded == /\ \A n \in Nodes : BagCardinality(net[n]) <= 2 /\ IsABag(net[n])
           /\ CopiesIn(7, lost) <= 2 /\ (lost = EmptyBag \/ \E k \in {7, 8, 9} : BagIn(k, lost))
           /\ Msg("c") \notin DOMAIN net[1]
Twins == net[1] # net[2] \/ net[1] = EmptyBag
====
