"""EWD 426, the self-stabilising token ring (Dijkstra, CACM 1974).

Each node compares its counter with that of the node before it. From whatever state, the ring comes to one token, and
keeps to it: that is stability, "from some time on always".
"""

from typing import Any, Self

from everystate.checker import (
    AnyOf,
    Array,
    Constant,
    Int,
    Spec,
    action,
    assumption,
    eventually_always,
    fair,
    invariant,
    require,
    step_invariant,
)


def tokens(counter: Any) -> Any:
    """How many nodes of a ring with these counters hold a token, that is, may move."""
    return (counter[0] == counter[-1]) + sum(counter[i] != counter[i - 1] for i in range(1, len(counter)))


class TokenRing(Spec):
    """A ring of nodes gets down to a single token, however it starts."""

    nodes = Constant(6, "nodes in the ring")
    values = Constant(6, "values that a counter can take")

    @assumption
    def enough_values(self) -> bool:
        """with fewer values than nodes, less one, several tokens may chase each other for ever"""
        return self.nodes >= 2 and self.values >= self.nodes - 1

    def variables(self) -> None:
        self.counter = Array(self.nodes, Int(0, self.values - 1, init=AnyOf()))

    @fair(together="ring")
    @action
    def first_moves(self) -> None:
        require(self.counter[0] == self.counter[-1])
        self.counter[0] = (self.counter[0] + 1) % self.values

    @fair(together="ring")
    @action(i=lambda self: range(1, self.nodes))
    def other_moves(self, i: int) -> None:
        require(self.counter[i] != self.counter[i - 1])
        self.counter[i] = self.counter[i - 1]

    @invariant
    def never_without_a_token(self) -> bool:
        """at least one node holds a token"""
        return tokens(self.counter) >= 1

    @step_invariant
    def tokens_never_multiply(self, before: Self) -> bool:
        """no step makes more tokens, so one single token stays single"""
        return tokens(self.counter) <= tokens(before.counter)

    @eventually_always
    def one_token_in_the_end(self) -> Any:
        """from some time on counters are those of the first node up to the token, and one less from there on"""
        first, nodes = self.counter[0], range(self.nodes)
        last = (first - 1) % self.values
        return any(all(self.counter[j] == (first if j < i else last) for j in nodes) for i in range(self.nodes + 1))
