"""EWD 840 with fairness: termination is detected some time, if the token goes on.

What is fair is the whole system of the token, one disjunction: starting a round or passing the token on, at whatever
node. As soon as all nodes are passive there is no other step, so this is enough.
"""

from typing import Any

from everystate.checker import action, fair, leads_to
from everystate.specs.classics.ewd840 import EWD840


class EWD840Liveness(EWD840):
    """Node 0 of a ring finds out some time that all nodes have become passive."""

    @fair(together="system")
    @action
    def start_round(self) -> None:
        super().start_round()

    @fair(together="system")
    @action(i=lambda self: range(1, self.nodes))
    def pass_token(self, i: int) -> None:
        super().pass_token(i)

    @leads_to
    def termination_is_detected(self) -> Any:
        """when all nodes are passive, node 0 finds it out"""
        return not any(node.active for node in self.node), self.detected()
