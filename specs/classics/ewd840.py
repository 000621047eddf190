"""EWD 840: termination detection on a ring (Dijkstra, Feijen and van Gasteren 1983).

Active nodes activate others by messages. A token travels from node n-1 down to node 0, which concludes from its
colour whether all nodes have become passive. Once it has, nothing is left to do: the end of an execution.
"""

from everystate.checker import (
    AnyOf,
    Array,
    Bool,
    Constant,
    Enum,
    Int,
    Record,
    Spec,
    action,
    implies,
    invariant,
    reachable,
    require,
)


class Node(Record):
    """A node is black when it may have activated a node that the token had already left behind."""

    active = Bool(init=AnyOf())
    color = Enum("white", "black", init=AnyOf())


class Token(Record):
    """The token, and the node that holds it."""

    at: int
    color = Enum("white", "black", init="black")


class EWD840(Spec):
    """Node 0 of a ring finds out when all nodes have become passive."""

    may_terminate = True

    nodes = Constant(3, "nodes in the ring")

    def variables(self) -> None:
        self.node = Array(self.nodes, Node)
        self.token = Token.of(at=Int(0, self.nodes - 1, init=AnyOf()))

    # -- the token

    @action
    def start_round(self) -> None:
        require(self.token.at == 0)
        require(self.token.color == "black" or self.node[0].color == "black")
        self.token.at = self.nodes - 1
        self.token.color = "white"
        self.node[0].color = "white"

    @action(i=lambda self: range(1, self.nodes))
    def pass_token(self, i: int) -> None:
        require(self.token.at == i)
        require(not self.node[i].active or self.node[i].color == "black" or self.token.color == "black")
        self.token.at = i - 1
        if self.node[i].color == "black":
            self.token.color = "black"
        self.node[i].color = "white"

    # -- the computation that is watched

    @action(i="nodes", to="nodes")
    def activate(self, i: int, to: int) -> None:
        require(i != to)
        require(self.node[i].active)
        self.node[to].active = True
        if to > i:
            self.node[i].color = "black"

    @action(i="nodes")
    def become_passive(self, i: int) -> None:
        require(self.node[i].active)
        self.node[i].active = False

    # -- what must hold

    def detected(self) -> bool:
        """Whether node 0 concludes that all nodes are passive."""
        token, first = self.token, self.node[0]
        return token.at == 0 and token.color == "white" and first.color == "white" and not first.active

    @invariant
    def detection_is_correct(self) -> bool:
        """node 0 detects termination only when every node is passive"""
        return implies(self.detected(), not any(node.active for node in self.node))

    @invariant
    def dijkstra_invariant(self) -> bool:
        """the nodes behind the token are passive, or a node ahead of it is black, or it is black itself"""
        ring = range(self.nodes)
        passive_behind = not any(self.node[i].active and i > self.token.at for i in ring)
        black_ahead = any(self.node[i].color == "black" and i <= self.token.at for i in ring)
        return passive_behind or black_ahead or self.token.color == "black"

    @reachable
    def termination_detected(self) -> bool:
        """termination can be detected"""
        return self.detected()
