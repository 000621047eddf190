---- MODULE Turns ----
\* Two players add to a counter, or pass; fairness of what is no action of Next.
EXTENDS Naturals
VARIABLES n, turn
vars == <<n, turn>>
Players == {"a", "b"}

TypeOK == n \in 0..3 /\ turn \in Players
Init == n = 0 /\ turn = "a"

Other(p) == IF p = "a" THEN "b" ELSE "a"
Add(p, k) == turn = p /\ n + k <= 3 /\ n' = n + k /\ turn' = Other(p)
Pass(p) == turn = p /\ turn' \in Players /\ UNCHANGED n
Restart == n = 3 /\ n' \in {0, 3} /\ UNCHANGED turn

Next == (\E p \in Players : (\E k \in 1..2 : Add(p, k)) \/ Pass(p)) \/ Restart
\* Only steps of a by one are fair, and passing on.
Spec == Init /\ [][Next]_vars
    /\ \A p \in Players : WF_vars(p = "a" /\ Add(p, 1)) /\ SF_turn(Pass(p))
    /\ []<><<Restart>>_n

\* What is enabled.
AnyAdd(p) == \E k \in 1..2 : Add(p, k)
Enabled ==
    /\ (ENABLED AnyAdd("a")) <=> (turn = "a" /\ n < 3)
    /\ (ENABLED <<Restart>>_n) <=> n = 3
    /\ ~ENABLED <<Restart>>_turn
    /\ ENABLED <<turn' = "b" /\ n' = n>>_vars <=> turn = "a"
    /\ (ENABLED (n' = n + 1 /\ n' \in {2, 3} /\ turn' = turn)) <=> n \in {1, 2}
    /\ ENABLED (IF n = 3 THEN turn = "b" /\ n' = 0 ELSE n' = n)
        <=> (n = 3 => turn = "b")

Falls == \A k \in 1..3 : []<>(n = k) => []<>(n < k)
AddsAgain == []<><<AnyAdd("a")>>_n \/ []<><<AnyAdd("b")>>_n
Fair == \A p \in Players : WF_vars(Pass(p))
FairOfA == WF_n(Add("a", 1))
NeverFair == SF_n(AnyAdd("a"))
Quiet == <>[][~Restart]_n
====
