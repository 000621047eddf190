"""Cases: behaviours of a spec as tests of the system that it describes.

@pytest.mark.parametrize("case", cases(Lock(), cover="steps"), ids=str)
def test_the_service(case):
    ...  # drive the system through case.trace.steps, and compare it with the state after each
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from dataclasses import dataclass

from ..engines.replay import trace_step
from ..errors import EverystateError
from ..language import marks
from ..language.concrete import Step, StepFailed
from ..language.covers import Cover, Graph, Met, TooLarge, cover, every_step
from ..language.spec import Spec
from ..language.state import State
from ..results.trace import Trace

MOST = 10_000
LONG = 60


@dataclass(frozen=True)
class Case:
    """One behaviour, from an initial state, that meets something which no earlier one does."""

    name: str
    trace: Trace

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Cases:
    """The cases of a spec. `missed` are the actions or goals that no reachable state has, `met` counts what is met.

    `cut` are the constraints beyond which nobody has looked.
    """

    cases: tuple[Case, ...]
    met: int
    missed: tuple[str, ...]
    cut: tuple[str, ...] = ()


def found(spec: Spec, target: str, over: str = "actions", most: int = MOST, long: int = LONG) -> Cases:
    """Cases that take every action, every step between the states, or reach every goal (@reachable) of a spec.

    The spec is run as the plain Python that it is. E721 when more than `most` states must be visited, E445 when there
    is no goal.
    """
    wanted = _wanted(spec, over)
    if wanted is not None and not wanted:
        raise EverystateError("E445", None, spec=type(spec).__name__)
    graph = Graph(spec, most)
    try:
        made = cover(graph, _meets(spec, over), long, wanted, _begins(spec, over))
    except TooLarge:
        remedy = "allow more: --max-states N; or cover less: --cover actions"
        raise EverystateError("E721", None, target=type(spec).__name__, most=f"{most:,}", remedy=remedy) from None
    except StepFailed as failed:
        raise failed.error from None
    missed = tuple(str(name) for name in wanted or () if name not in made.met)
    return Cases(tuple(_cases(spec, target, made)), len(made.met), missed, tuple(graph.cut))


def cases(spec: Spec, cover: str = "actions", most: int = MOST, long: int = LONG) -> list[Case]:
    """The cases of a spec, as parameters of a test; see `found`."""
    return list(found(spec, type(spec).__name__, cover, most, long).cases)


def _wanted(spec: Spec, over: str) -> list[Hashable] | None:
    if over == "actions":
        return list(dict.fromkeys(instance.name for instance in spec.instances))
    return None if over == "steps" else list(spec._named(marks.REACHABLE))


def _meets(spec: Spec, over: str) -> Met:
    if over == "steps":
        return every_step
    if over == "actions":
        return lambda state, number, step: (step.action.name,)
    goals = spec._named(marks.REACHABLE)

    def reached(state: State, number: int, step: Step) -> Collection[Hashable]:
        return [name for name in goals if spec.property_holds(name, step.state)]

    return reached


def _begins(spec: Spec, over: str) -> Callable[[State], Collection[Hashable]]:
    goals = spec._named(marks.REACHABLE) if over == "goals" else []
    return lambda state: [name for name in goals if spec.property_holds(name, state)]


def _cases(spec: Spec, target: str, made: Cover) -> list[Case]:
    found = []
    for number, (start, steps) in enumerate(made.behaviours, start=1):
        trace = Trace(target, spec.constants, start, tuple(map(trace_step, steps)))
        found.append(Case(f"case {number}", trace))
    return found
