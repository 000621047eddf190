------------------------------- MODULE Forms -------------------------------
(* Sequences of one value in several forms: a pair, a sequence, a function, an argument, a member of a set. *)
EXTENDS Naturals, Sequences

VARIABLES n, q, r

D == 0 .. 2
TypeOK ==
    /\ n \in D
    /\ q \in Seq(D)
    /\ Len(q) <= 2
    /\ r \in [a : D, b : BOOLEAN]

Rest(p) == IF p = <<>> THEN p ELSE Tail(p)
Twice(p) == IF Len(p) = 1 THEN <<p[1], p[1]>> ELSE p
Some(t) == CHOOSE p \in t : Len(p) = 1

Init == n = 0 /\ q = <<>> /\ r = [a |-> 0, b |-> FALSE]

Pair == n' = (n + 1) % 3 /\ q' = <<n>> /\ r' = [a |-> n, b |-> (IF n = 0 THEN <<n>> ELSE <<>>) = (IF n < 2 THEN <<n>> ELSE q)]
Same == (IF n = 1 THEN <<n, n>> ELSE <<n>>) = Twice(q) /\ q' = Twice(<<n>>) /\ UNCHANGED <<n, r>>
Shorter == Rest(<<n, 1>>) # q /\ q' = Rest(q) /\ UNCHANGED <<n, r>>
Member == Some({<<n>>, <<>>}) = q /\ q' = Some({<<1>>, q \o <<1>>}) /\ UNCHANGED <<n, r>>
Made == (CASE n = 0 -> <<1, 1>> [] n = 1 -> [i \in 1 .. Len(q) |-> 1] [] OTHER -> q) = q /\ r' = [r EXCEPT !.b = ~@] /\ UNCHANGED <<n, q>>
Subset == (\E t \in SUBSET (n .. 2) : t = {q[i] : i \in 1 .. Len(q)}) /\ n' = Len(q) /\ UNCHANGED <<q, r>>

Next == Pair \/ Same \/ Shorter \/ Member \/ Made \/ Subset
Spec == Init /\ [][Next]_<<n, q, r>>
============================================================================
