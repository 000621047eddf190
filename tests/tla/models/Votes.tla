---- MODULE Votes ----
\* The vote with the highest ballot decides, among those that are read: a recursive function, and a CHOOSE of a LET.
EXTENDS Integers
VARIABLES msgs, done
Acceptor == {"a", "b"}
Message == [bal : 0..1, acc : Acceptor, val : {"x", "y"}]

Maximum(S) ==
  LET Max[T \in SUBSET S] ==
        IF T = {} THEN -1
        ELSE LET n == CHOOSE n \in T : TRUE
                 rest == Max[T \ {n}]
             IN IF n >= rest THEN n ELSE rest
  IN Max[S]

Init == msgs = {} /\ done = [bal |-> -1, val |-> "none"]

Vote(b, a) ==
  /\ \A m \in msgs : m.acc = a => m.bal < b
  /\ \E v \in {"x", "y"} : msgs' = msgs \cup {[bal |-> b, acc |-> a, val |-> v]}
  /\ UNCHANGED done

Decide ==
  LET read == {m \in msgs : m.bal < 1 \/ m.val = "y"}
      highest == Maximum({m.bal : m \in read})
  IN /\ \A a \in Acceptor : \E m \in read : m.acc = a
     /\ done' = IF highest = -1 THEN done
                ELSE [bal |-> highest, val |-> (CHOOSE m \in read : m.bal = highest).val]
     /\ UNCHANGED msgs

Next == Decide \/ \E b \in 0..1, a \in Acceptor : Vote(b, a)
Spec == Init /\ [][Next]_<<msgs, done>>
TypeOK == msgs \subseteq Message /\ done \in [bal : -1..1, val : {"none", "x", "y"}]
====
