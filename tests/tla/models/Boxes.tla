---- MODULE Boxes ----
\* A step of both, of one of them, or of none: [A]_x as a part of Next.
EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == /\ [x < 2 /\ x' = x + 1]_x
        /\ [y < 2 /\ y' = y + 1]_y
TypeOK == x \in 0..2 /\ y \in 0..2
====
