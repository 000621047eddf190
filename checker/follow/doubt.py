"""Following doubts itself: what machine code does in some candidates is done once more on plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..engines.doublecheck.doublecheck import Doublecheck, asked
from ..engines.limits import LEAST
from ..language.declarations import ActionInstance

if TYPE_CHECKING:
    from .candidates import Stepper
    from .sources import Followed


class Steps(Doublecheck):
    """The double check of the steps of each action instance by itself; following asks nothing else of machine code."""

    def __init__(self, stepper: Stepper) -> None:
        super().__init__(stepper.program, stepper.expansion)
        self.on_states, self.on_steps = [], []
        given = asked(None)
        self.most = LEAST if given is None else given

    def called(self, number: int, instance: ActionInstance) -> str:
        return str(number)

    def doubt(self, followed: Followed) -> None:
        """Compare candidates of the whole run, evenly, until enough have been compared; E217 where they differ."""
        room = self.most - self.count
        if room <= 0:
            return
        fronts = followed.sample.rows
        for rows in fronts[:: max(1, -(-len(fronts) // room))]:
            self.compare(rows[: max(1, room // len(fronts))])
        for layers in followed.end.layers.values():
            self.compare(rows[at : at + 1] for rows in layers[:3] for at in range(min(3, len(rows))))
