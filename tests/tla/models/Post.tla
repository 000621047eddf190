---- MODULE Post ----
EXTENDS Naturals, Sequences
CONSTANTS Nodes, Max
VARIABLES inbox, clock, log

Letter == [kind : {"ask"}, from : Nodes] \cup [kind : {"tell"}, from : Nodes, time : 0..Max]

TypeOK ==
    /\ inbox \in [Nodes -> Seq(Letter)]
    /\ clock \in [Nodes -> 0..Max]
    /\ log \subseteq (Nodes \X (0..Max))

Init ==
    /\ inbox = [n \in Nodes |-> <<>>]
    /\ clock = [n \in Nodes |-> 0]
    /\ log = {}

Tick(n) ==
    /\ clock[n] < Max
    /\ clock' = [clock EXCEPT ![n] = @ + 1]
    /\ UNCHANGED <<inbox, log>>

Ask(n, m) ==
    /\ n # m
    /\ Len(inbox[m]) = 0
    /\ inbox' = [inbox EXCEPT ![m] = Append(@, [kind |-> "ask", from |-> n])]
    /\ UNCHANGED <<clock, log>>

Answer(n) ==
    /\ inbox[n] # <<>>
    /\ LET letter == Head(inbox[n]) IN
       \/ /\ letter.kind = "ask"
          /\ Len(inbox[letter.from]) < 2
          /\ inbox' = [inbox EXCEPT ![n] = Tail(@),
                       ![letter.from] = Append(@, [kind |-> "tell", from |-> n, time |-> clock[n]])]
          /\ UNCHANGED log
       \/ /\ letter.kind = "tell"
          /\ inbox' = [inbox EXCEPT ![n] = Tail(@)]
          /\ log' = log \cup {<<letter.from, letter.time>>}
    /\ UNCHANGED clock

Next == \E n \in Nodes : Tick(n) \/ Answer(n) \/ \E m \in Nodes : Ask(n, m)

Spec == Init /\ [][Next]_<<inbox, clock, log>>

NotAhead == \A entry \in log : entry[2] <= clock[entry[1]]
====
