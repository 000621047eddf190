"""And-inverter graphs: circuits of inputs, latches, and-gates and inverters, and their file format AIGER.

A. Biere, K. Heljanko, S. Wieringa: AIGER 1.9 and beyond, 2011. The binary format of 2007 is written, which every reader
knows: latches begin with 0, and the only output is what must never be 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

FALSE, TRUE = 0, 1
"""The constant literals. A literal is twice the number of a node, plus 1 where it is inverted."""


class Circuit:
    """A circuit that grows; equal gates are one gate."""

    def __init__(self) -> None:
        self.inputs: list[int] = []
        self.latches: list[int] = []
        self._gates: dict[tuple[int, int], int] = {}
        self._nodes = 0

    def _node(self) -> int:
        self._nodes += 1
        return 2 * self._nodes

    def input(self) -> int:
        """A new input."""
        self.inputs.append(self._node())
        return self.inputs[-1]

    def latch(self) -> int:
        """A new latch."""
        self.latches.append(self._node())
        return self.latches[-1]

    # -- gates ---------------------------------------------------------------------------------------------

    def and_(self, a: int, b: int) -> int:
        """a and b."""
        if a > b:
            a, b = b, a
        if a == FALSE or a == b ^ 1:
            return FALSE
        if a in (TRUE, b):
            return b
        found = self._gates.get((a, b))
        if found is None:
            found = self._gates[a, b] = self._node()
        return found

    def or_(self, a: int, b: int) -> int:
        """a or b."""
        return self.and_(a ^ 1, b ^ 1) ^ 1

    def ite(self, condition: int, a: int, b: int) -> int:
        """a where a condition holds, else b."""
        if a == b:
            return a
        return self.or_(self.and_(condition, a), self.and_(condition ^ 1, b))

    def equal(self, a: int, b: int) -> int:
        """Whether both are the same."""
        return self.ite(a, b, b ^ 1)

    def all(self, literals: Iterable[int]) -> int:
        """Whether all hold: a balanced tree of gates."""
        left = sorted(set(literals))
        while len(left) > 1:
            left = [self.and_(*left[i : i + 2]) if i + 1 < len(left) else left[i] for i in range(0, len(left), 2)]
        return left[0] if left else TRUE

    def any(self, literals: Iterable[int]) -> int:
        """Whether some literal holds."""
        return self.all(literal ^ 1 for literal in literals) ^ 1

    # -- what it does --------------------------------------------------------------------------------------

    def run(self, next: Sequence[int], inputs: Iterable[Sequence[bool]]) -> Iterator[list[bool]]:
        """The values of the latches while the inputs have some values, from zeros on; `next`: what they hold next."""
        held = [False] * len(self.latches)
        for row in inputs:
            yield held
            held = self.values(next, row, held)

    def values(self, literals: Sequence[int], inputs: Sequence[bool], latches: Sequence[bool]) -> list[bool]:
        """The values of some literals where inputs and latches have these values."""
        value = {FALSE: False}
        value |= dict(zip([*self.inputs, *self.latches], [*inputs, *latches], strict=True))
        for gate, (a, b) in self._used(literals).items():
            value[gate] = (value[a & ~1] != bool(a & 1)) and (value[b & ~1] != bool(b & 1))
        return [value[literal & ~1] != bool(literal & 1) for literal in literals]

    # -- the file ------------------------------------------------------------------------------------------

    def file(self, next: Sequence[int], bad: int) -> bytes:
        """The circuit in the binary format: what each latch holds next, and the output that must never be 1."""
        used = self._used([*next, bad])
        order = [*self.inputs, *self.latches, *used]
        number = {literal >> 1: place for place, literal in enumerate(order, 1)} | {0: 0}

        def renamed(literal: int) -> int:
            return 2 * number[literal >> 1] | (literal & 1)

        head = f"aig {len(order)} {len(self.inputs)} {len(self.latches)} 1 {len(used)}\n"
        lines = "".join(f"{renamed(literal)}\n" for literal in [*next, bad])
        found = bytearray((head + lines).encode())
        for gate, (a, b) in used.items():
            right, left = sorted((renamed(a), renamed(b)))
            found += _number(renamed(gate) - left) + _number(left - right)
        return bytes(found)

    def _used(self, roots: Sequence[int]) -> dict[int, tuple[int, int]]:
        """The gates that some literals depend on, parts before wholes."""
        parts = {gate: pair for pair, gate in self._gates.items()}
        todo, seen = [literal & ~1 for literal in roots], set[int]()
        while todo:
            gate = todo.pop()
            if gate not in seen and gate in parts:
                seen.add(gate)
                todo += (part & ~1 for part in parts[gate])
        return {gate: parts[gate] for gate in sorted(seen)}


def _number(value: int) -> bytes:
    """A number in bytes of seven bits, the lowest first; all but the last have the highest bit."""
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)
