"""What the engine is asked: every violated property, or from a state the shortest way to where something holds.

A search runs in a thread of its own, so that the walk goes on beside it. What is answered says how far it is true: that
nothing was found within a limit is another sentence than that nothing is there.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from ..engines.explicit import exhaustive
from ..engines.explicit.from_state import NearestTraces, Search, for_state, for_violations, length
from ..engines.limits import Deadline, Limits
from ..engines.observer import Progress, Silent
from ..engines.refined_initial_states import broken_by
from ..errors import EverystateError
from ..frontend.kept import traced
from ..frontend.model import with_goal
from ..ir.traced import Model
from ..language import marks
from ..language.goals import condition
from ..language.spec import Spec
from ..language.state import State
from ..results.result import Violation
from ..results.text import count
from ..results.trace import Trace

STATES = 2_000_000
"""States that a question visits at most, unless the job sets another limit."""
MEMORY = 4 << 30
"""Bytes that they take at most."""
SECONDS = 20.0
"""The time limit, in seconds, of the check of all properties that starts by itself."""
PHASES = {"tracing": "tracing the spec", "compiling": "compiling", "cross-checking": "cross-checking states"}


@dataclass(frozen=True)
class Question:
    """What is looked for from a state: a violation, a state where `condition` holds, or the state `there`."""

    start: State
    condition: str = ""
    there: State | None = None
    most: int = STATES


@dataclass(frozen=True)
class Answer:
    """What was found: a sentence, and the way if there is one. `decided` is False where a limit came first.

    The check of all properties has a verdict, and the violations with a trace of each.
    """

    text: str
    trace: Trace | None = None
    decided: bool = True
    verdict: str = ""
    violations: tuple[Violation, ...] = ()


class Engine:
    """Answers questions about one spec, which it traces once; for one thread at a time.

    It makes its own copy of the given spec, because the user walks through that one meanwhile. Only the thread that
    holds `alone` executes a spec. It is held while one action is traced, and released between two of them.
    """

    def __init__(self, spec: Spec, alone: threading.RLock | None = None) -> None:
        self.spec: Spec = type(spec)(**spec.constants)
        self.alone = alone or threading.RLock()
        self._model: Model | None = None
        self._tracing = threading.Lock()

    def answer(self, asked: Question, job: Job | None = None) -> Answer:
        """Answer a question; E513 and E511 for a condition that cannot be read, E2 for a spec that cannot be traced."""
        job = job or Job()
        with self._tracing, self.alone:
            model = self._asked(asked, job)
        begun = None if _goal(asked) else broken_by(self.spec, type(self.spec).__name__, asked.start)
        if begun is not None:
            return Answer(*_said(asked, NearestTraces(begun.trace, begun, 1, 1, ""), self.spec))
        limits = Limits(max_states=asked.most, max_memory=MEMORY, stop_early=not _goal(asked))
        search = Search(model, asked.start.cells, limits, job, type(self.spec).__name__)
        job.cancelled_by(search.cancel)
        return Answer(*_said(asked, search.answer(), self.spec))

    def check(self, job: Job) -> Answer:
        """Check all properties from the initial states on, as `everystate check` does, for a limited time."""
        with self._tracing, self.alone:
            model = self._traced(job)
        limits = Limits(max_states=STATES, max_memory=MEMORY, deadline=Deadline(SECONDS))
        found = exhaustive.check(model, limits, job, type(self.spec).__name__)
        text = f"in {count(found.distinct, 'state')}, with a shortest counterexample of each property"
        text += f"; the search ended early: {found.stopped}" if found.stopped else ""
        text = text if found.violations else found.headline
        return Answer(text, None, not found.stopped, str(found.verdict), found.violations)

    def _asked(self, asked: Question, job: Job) -> Model:
        model = self._traced(job)
        if asked.condition:
            return with_goal(model, *condition(self.spec, asked.condition))
        return for_violations(model) if asked.there is None else for_state(model, asked.there.cells)

    def _traced(self, job: Job) -> Model:
        if self._model is None:
            job.phase("tracing")
            self._model = traced(self.spec, lambda done, total: self._pause(job, done, total))
        return self._model

    def _pause(self, job: Job, done: int, total: int) -> None:
        """Let others execute a spec between two actions: tracing all of a large spec takes seconds."""
        job.part("tracing", done, total)
        self.alone.release()
        time.sleep(0.001)  # who waits gets it
        self.alone.acquire()


def _goal(asked: Question) -> bool:
    return bool(asked.condition) or asked.there is not None


class Job(Silent):
    """A question that is being answered; `said` tells how far it is, `answer` or `error` is there at its end."""

    def __init__(self) -> None:
        self.said = "waiting"
        self.answer: Answer | None = None
        self.error: EverystateError | None = None
        self.over = threading.Event()
        self._cancel: Callable[[], None] | None = None
        self._unwanted = False

    def begin(self, answer: Callable[[Job], Answer]) -> None:
        """Answer in a thread of its own."""
        threading.Thread(target=self._run, args=(answer,), daemon=True, name="everystate-question").start()

    def _run(self, answer: Callable[[Job], Answer]) -> None:
        try:
            self.answer = answer(self)
        except EverystateError as error:
            self.error = error
        except Exception as error:
            self.error = EverystateError("E503", None, error=f"{type(error).__name__}: {error}", place="a question")
        finally:
            self.over.set()

    def cancel(self) -> None:
        """End the search; its answer says so."""
        self._unwanted = True
        if self._cancel is not None:
            self._cancel()

    def cancelled_by(self, cancel: Callable[[], None]) -> None:
        """How the search that has begun is ended."""
        self._cancel = cancel
        if self._unwanted:
            cancel()

    # -- what the engine tells while it searches -----------------------------------------------------------

    def phase(self, text: str) -> None:
        self.said = PHASES.get(text, text or self.said)

    def part(self, text: str, done: int, total: int) -> None:
        self.said = f"{PHASES.get(text, text)}: {done} of {total}"

    def progress(self, progress: Progress) -> None:
        self.said = f"{progress.distinct:,} states visited, {progress.level - 1} steps away"

    level = progress


def _said(asked: Question, found: NearestTraces, spec: Spec) -> tuple[str, Trace | None, bool]:
    if found.trace is not None:
        return _way(asked, found), found.trace, True
    beyond = _beyond(found, spec)
    far = count(max(0, found.levels - 1), "step")
    seen, were = count(found.distinct, "state"), "was" if found.distinct == 1 else "were"
    if not found.distinct:
        name = " and ".join(spec._named(marks.CONSTRAINT))
        return (
            f"Undecided: this state is outside the constraint {name}, so the engine takes no step from it.",
            None,
            False,
        )
    if found.stopped:
        what = "no such state" if _goal(asked) else "no violation"
        end = f"nothing is known of states farther away: {found.stopped}, and {seen} {were} visited"
        return f"Undecided. There is {what} within {far} from here; {end}.{beyond}", None, False
    compared = f"{count(found.cross_checked, 'state')} cross-checked"
    if _goal(asked):
        what = "that state is none of" if asked.there is not None else "it holds in none of"
        text = f"Not reachable from here: {what} the {seen} that can be reached ({compared}).{beyond}"
    else:
        text = f"No violation can be reached from here: {seen} visited, all that there are ({compared}).{beyond}"
        names = [prop.name for prop in spec.properties if prop.kind in (marks.REACHABLE, *marks.TEMPORAL)]
        if names:
            text += f" This does not judge properties of whole behaviours: {', '.join(names)}."
    return text, None, not found.outside


def _beyond(found: NearestTraces, spec: Spec) -> str:
    """What was not looked at where nothing was found."""
    parts = []
    if found.outside:
        parts.append(f"Beyond the constraint nothing is known: it cut off {count(found.outside, 'step')}.")
    if spec._step_bounds:
        names = " and ".join(spec._step_bounds)
        parts.append(f"Steps that the action constraint {names} leaves out were not taken.")
    if found.failing:
        verb = "fails" if found.failing == 1 else "fail"
        parts.append(f"Behind {count(found.failing, 'step')} that {verb} nothing is known.")
    if found.unjudged:
        parts.append(f"In {count(found.unjudged, 'state')} it cannot be evaluated.")
    return "".join(f" {part}" for part in parts)


def _way(asked: Question, found: NearestTraces) -> str:
    steps = length(found.trace)
    if found.violation is not None:
        what = found.violation.property
        if not steps:
            return f"{what} is violated here."
        return f"The nearest violation is {count(steps, 'step')} away: {what} ({found.violation.text})."
    if not steps:
        return "It holds here." if asked.condition else "This is that state."
    return f"Reached after {count(steps, 'step')}, by a shortest trace from here."
