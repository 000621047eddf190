---- MODULE Arith ----
\* Brackets that change a value: what a translation must keep.
EXTENDS Integers
VARIABLES n, seen
Init == n = 0 /\ seen = 0
Values(i) == << i * (i \div 3), i * (i % 4), (2 ^ 2) ^ (i % 3), 2 ^ (i % 2 + 1), i - (i - 5), i \div (1 + i % 2),
                (i * 7) % 5 * 2, -(i ^ 2), i - (2 - i) * 3 >>
Next == \E i \in 1..9 : n < 9 /\ n' = n + 1 /\ seen' = Values(n + 1)[i]
TypeOK == n \in 0..9 /\ seen \in -100..100
====
