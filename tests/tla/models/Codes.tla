---- MODULE Codes ----
\* Operators of Bitwise, the environment, and a module that follows in the same file.
EXTENDS Naturals, Bitwise, IOUtils, Common

VARIABLES code, sent, held

Key == IF "KEY" \in DOMAIN IOEnv THEN 1 ELSE 5

Encrypt(d) == d ^^ Key

Init == code = 0 /\ sent = {} /\ held = <<>>

Send == \E d \in Data :
  /\ d \notin sent
  /\ code' = Encrypt(d) + 8 * (d & 6 ^^ 1)
  /\ sent' = sent \cup {d}
  /\ UNCHANGED held

\* Never: nothing is held.
Take == held # <<>> /\ Head(held).data \in Data /\ code' = 0 /\ UNCHANGED <<sent, held>>

Next == Send \/ Take

Spec == Init /\ [][Next]_<<code, sent, held>>

Decodes == code = 0 \/ Encrypt(code % 8) \in sent
====
---- MODULE Common ----
EXTENDS Naturals
Data == {1, 2, 6}
====
