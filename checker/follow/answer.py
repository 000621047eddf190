"""The answer: whether a run is a behaviour of the spec, with what shows it; as text and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from ..engines.crosscheck.allowance import Allowance
from ..engines.crosscheck.crosscheck import CrossCheck
from ..engines.stopwatch import Stopwatch
from ..errors import EverystateError, exit_code_of
from ..ir.traced import Model
from ..language.declarations import ActionInstance
from ..results.report import rate
from ..results.text import Paint, count, plain
from .candidates import Stepper, UnseenActions
from .diagnosis import Why, summary, why
from .events import Event, Json, Place
from .explained_trace import ExplainedTrace, explained
from .run import MOST, Search
from .sources import Followed, Order
from .values import as_plain
from .vocabulary import Vocabulary

FOLLOWS, DEVIATES, UNDECIDED = "FOLLOWS", "DEVIATES", "UNDECIDED"
VIOLATED = "VIOLATED"
"""What is reported of a log that the spec explains only by states in which an invariant is false."""
UNREADABLE = "UNREADABLE"
"""What becomes of one of many runs whose log cannot be read; a single one ends with the error."""
EXIT_CODES = {FOLLOWS: 0, DEVIATES: 12, UNDECIDED: 3}
LAST = 5
"""Steps that the text tells before the end."""

WIDEST = 100
"""Characters of a value in the text."""


@dataclass(frozen=True)
class Answer:
    """What became of a run.

    FOLLOWS: some behaviour of the spec explains every event. DEVIATES: none explains more than `events` of them, in
    any order that the logs leave open, with so many unseen steps as were allowed. UNDECIDED: `stopped` says why.
    `cross_checked` counts the states that have been cross-checked so far, by machine code and as plain Python.
    """

    name: str
    verdict: str
    followed: Followed
    behaviour: ExplainedTrace | None = None
    why: Why | None = None
    cross_checked: int = 0
    impossible: str = ""
    """Why no behaviour has the next event."""

    @property
    def events(self) -> int:
        """How many events were explained."""
        return self.followed.done

    @property
    def exit_code(self) -> int:
        """What the command line ends with."""
        if self.followed.interrupted:
            return 130
        return 12 if self.violated else EXIT_CODES[self.verdict]

    @property
    def reported(self) -> str:
        """The verdict that is printed and written: VIOLATED where the log follows, and an invariant is false."""
        return VIOLATED if self.verdict == FOLLOWS and self.violated else self.verdict

    @property
    def violated(self) -> dict[str, Place]:
        """The invariants that are false in every explanation of the log, and the event after which they are."""
        found = self.followed.invariants
        return found.certain if found else {}


class Follower:
    """Follows runs of one spec; `observes` are functions beside it that events may call. With `first`
    one explanation is looked for depth first."""

    def __init__(
        self,
        model: Model,
        target: str,
        unseen: UnseenActions,
        order: Order,
        limit: int = MOST,
        observes: Mapping[str, Callable[..., Any]] | None = None,
        first: bool = False,
        impossible: str = "",
    ) -> None:
        self.impossible = impossible or Vocabulary.impossible
        self.target, self.stepper = target, Stepper(model, unseen, observes)
        self.search = Search(self.stepper, order, limit, first=first)
        self.steps = Steps(self.stepper)

    def follow(
        self,
        name: str,
        logs: Sequence[Iterable[Event]],
        last: int | None = LAST,
        on_progress: Callable[[int, int], None] = lambda events, candidates: None,
    ) -> Answer:
        """The answer for one run; its behaviour has the steps of the `last` events only, or (None) all."""
        followed = self.search.follow(logs, on_progress, last)
        self.steps.cross_check(followed)
        self.stepper.reader.cross_check()
        verdict = UNDECIDED if followed.stopped else FOLLOWS if followed.complete else DEVIATES
        reasons = why(followed, self.stepper) if verdict == DEVIATES else None
        facts = _facts(reasons) if reasons else {}
        behaviour = explained(followed, self.stepper, self.target, last, **facts) if followed.fronts else None
        return Answer(name, verdict, followed, behaviour, reasons, self.steps.count, self.impossible)


def _facts(reasons: Why) -> dict[str, str]:
    """What a trace says of its end: the event that is refused is the step that could not be taken."""
    refused = reasons.refused[0]
    told = refused.reasons[0][0] if refused.reasons else "the spec has no such step"
    return {"shows": "log", "kind": "log", "failing": f"{refused.event} ({refused.event.place})", "explanation": told}


@dataclass(frozen=True)
class RunAnswer:
    """The answer to one of many runs as plain data: exit code, verdict, the account as lines, and the JSON form."""

    exit_code: int
    verdict: str
    lines: tuple[str, ...]
    data: Json


def one_of_many(follower: Follower, name: str, logs: Sequence[Iterable[Event]], paint: Paint = plain) -> RunAnswer:
    """What is told of one of many runs; a log that cannot be read is its own answer, and the others go on."""
    try:
        answer = follower.follow(name, logs)
    except EverystateError as error:
        if not error.code.startswith("E4"):
            raise
        head = f"{paint('UNDECIDED', UNREADABLE)}  {name}: {error.code} {error.what}"
        return RunAnswer(
            exit_code_of(error), UNREADABLE, (head,), {"log": name, "verdict": UNREADABLE, "error": error.what}
        )
    data = as_json(answer, follower.target, follower.stepper.spec.constants)
    return RunAnswer(answer.exit_code, answer.reported, tuple(text(answer, paint)), data)


def text(answer: Answer, paint: Paint = plain) -> Iterator[str]:
    """The account of an answer; the last line is the verdict."""
    if answer.behaviour is not None and answer.verdict == DEVIATES:
        yield from _ending(answer.behaviour, paint)
    if answer.why is not None:
        yield from _states(answer.why, paint)
        for line in summary(answer.why):
            yield paint("wrong", line) if "is not possible here" in line else line
    yield from invariants(answer, paint)
    yield last_line(answer, paint)


def invariants(answer: Answer, paint: Paint) -> Iterator[str]:
    """What the log says of the invariants of the spec."""
    found = answer.followed.invariants
    if found is None:
        return
    for name, place in found.certain.items():
        yield paint("wrong", f"{name} is false after {place}, however the log is explained")
    for name, place in found.possible.items():
        if name not in found.certain:
            yield f"possible: {name} is false after {place} in some explanations of the log"
    if found.left_out and found.names:
        more = "after which there were too many states"
        yield f"note: the invariants were not evaluated after {count(found.left_out, 'event')}, {more}"


def _ending(behaviour: ExplainedTrace, paint: Paint) -> Iterator[str]:
    """The last steps of the longest behaviour that explains the log."""
    if behaviour.trace.steps:
        yield paint("title", "the last steps of the log that the spec allows")
    for step, event in zip(behaviour.trace.steps, behaviour.events, strict=True):
        origin = str(event.place) if event is not None else "not seen"
        yield f"  {paint('action', step.label)}  {paint('faint', origin)}"


def _states(found: Why, paint: Paint) -> Iterator[str]:
    for state in found.candidates[:1]:
        yield paint("title", "the spec is then in this state" if found.number == 1 else "one of the states it is in")
        for name, value in state.shown().items():
            yield f"  {paint('place', name)} = {_cut(str(value))}"


def _cut(text: str) -> str:
    """A value on one line; --json has all of it."""
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 4]} ..."


def last_line(answer: Answer, paint: Paint = plain) -> str:
    """The verdict in one line."""
    followed = answer.followed
    role = {FOLLOWS: "PROVED", DEVIATES: VIOLATED}.get(answer.reported, answer.reported)
    head = f"{paint(role, answer.reported)}  {answer.name}: "
    speed = f"{rate(followed.done / followed.seconds)} events/s" if followed.seconds and followed.done else ""
    most = f"at most {count(followed.most, 'candidate')}"
    compared = f"; {count(answer.cross_checked, 'state')} cross-checked" if answer.cross_checked else ""
    tail = f" ({', '.join(filter(None, [most, speed]))}){compared}"
    if answer.verdict == FOLLOWS:
        false = f"false in every explanation: {', '.join(answer.violated)}; " if answer.violated else ""
        return f"{head}{false}{count(followed.done, 'event')} explained by a trace of the spec{tail}"
    if answer.verdict == DEVIATES:
        return f"{head}{_first(answer)}{tail}"
    return f"{head}{followed.stopped}{tail}"


def _first(answer: Answer) -> str:
    done = answer.followed.done
    before = (
        f"{count(done, 'event')} explained, and {answer.impossible}"
        if done
        else "no trace of the spec begins like this"
    )
    places = [refused.event.place for refused in answer.why.refused] if answer.why else []
    return f"{before}: {'; '.join(map(str, places))}"


def as_json(answer: Answer, target: str, constants: dict[str, Any]) -> Json:
    """An answer as plain data."""
    followed, found = answer.followed, answer.why
    return {
        "target": target,
        "constants": {name: as_plain(value) for name, value in constants.items()},
        "log": answer.name,
        "verdict": answer.reported,
        "events": followed.done,
        "candidates": followed.most,
        "stopped": followed.stopped,
        "seconds": round(followed.seconds, 6),
        "refused": [
            {
                "place": str(refused.event.place),
                "event": str(refused.event),
                "reasons": [{"reason": reason, "states": number} for reason, number in refused.reasons],
                "nearest": refused.nearest,
                "differs": list(refused.differs),
            }
            for refused in (found.refused if found else ())
        ],
        "states": [
            {name: as_plain(value) for name, value in state.values().items()}
            for state in (found.candidates if found else ())
        ],
        "invariants": _of_invariants(answer),
        "number of states": found.number if found else followed.end.size,
    }


def _of_invariants(answer: Answer) -> Json:
    found = answer.followed.invariants
    if found is None:
        return {}
    return {
        "violated": {name: str(place) for name, place in found.certain.items()},
        "possibly violated": {name: str(place) for name, place in found.possible.items() if name not in found.certain},
        "events left out": found.left_out,
    }


# -- cross-checked ----------------------------------------------------------------------------------------


class Steps(CrossCheck):
    """The cross-check of the steps of each action instance by itself; following asks nothing else of machine code."""

    def __init__(self, stepper: Stepper) -> None:
        super().__init__(stepper.program, stepper.expansion)
        self.on_states, self.on_steps = [], []
        self.allowance = Allowance(None, Stopwatch())

    def called(self, number: int, instance: ActionInstance) -> str:
        return str(number)

    def cross_check(self, followed: Followed) -> None:
        """Compare candidates of the whole run, evenly, until enough have been compared; E217 where they differ."""
        room, fronts = self.allowance.nominal - self.count, followed.sample.rows
        if room <= 0:
            return
        step, each = max(1, -(-len(fronts) // room)), max(1, room // max(1, len(fronts)))
        picked = [row for rows in fronts[::step] for row in rows[:each]]
        picked += [
            rows[at : at + 1]
            for layers in followed.end.layers.values()
            for rows in layers[:3]
            for at in range(min(3, len(rows)))
        ]
        with self.allowance.running():
            self.compare(takewhile(lambda _: not self.allowance.over(), picked))
