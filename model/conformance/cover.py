"""An edge cover: traces that together take every step of a small state graph."""

from __future__ import annotations

from ...checker.errors import EverystateError
from ...checker.language.covers import Graph, TooLarge, every_step
from ...checker.language.covers import cover as covering
from ...checker.language.spec import Spec
from .behaviour import Behaviour, turn_of

COVER = "cover "
"""The prefix of the names of these traces."""
LONG = 60
"""The approximate number of steps of a trace."""


def cover(spec: Spec, most: int) -> list[Behaviour]:
    """Traces that take every step between the states of a spec; E721 when it has more than so many states."""
    try:
        found = covering(Graph(spec, most), every_step, LONG)
    except TooLarge:
        remedy = "allow more: --cover STATES; or take random walks: --walks N"
        raise EverystateError("E721", None, target=type(spec).__name__, most=f"{most:,}", remedy=remedy) from None
    return [
        Behaviour(f"{COVER}{number}", tuple(map(turn_of, steps))) for number, (_, steps) in enumerate(found.behaviours)
    ]
