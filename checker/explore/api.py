"""What the page may ask, as functions of plain data; one at a time, for a spec is executed by one thread at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from everystate.counterexamples import diagram_of, svg
from everystate.counterexamples.diagram import last
from everystate.counterexamples.source import source

from ..errors import EverystateError
from ..language import marks
from ..language.spec import Spec
from ..results.plain import show_changed
from . import state_data
from .exports import FORMS, export, file_name
from .file_changes import files_of, stamp
from .picture import picture
from .questions import Engine, Job, Question
from .session import Followed, MovedWalks, Session

Json = Any
DRAWN = 40
"""Steps that a diagram shows, unless it is to show all."""
GIVEN_UP = "The search was cancelled: a new question was asked, or the spec has changed."
MOST_STEPS = 10_000
"""Steps of one walk."""


class InvalidQuestion(Exception):
    """A question that makes no sense: the text says why."""


class Api:
    """Answers the page; `load` makes the spec anew after its files have changed, `command` names it at the prompt."""

    def __init__(
        self, session: Session, load: Callable[[], Spec], opened: Followed | None = None, command: str = ""
    ) -> None:
        self.session, self.load, self.command = session, load, command or session.name
        self.lock = threading.RLock()
        self.opened = opened or Followed(session.here)
        self.broken = ""
        self._moved: list[MovedWalks] = []
        self._engine: Engine | None = None
        self._job: Job | None = None
        self._check: Job | None = None
        self._jobs = 0
        self._asked = self.opened.node
        self._files = files_of(session.spec)
        self._stamp = stamp(self._files)

    @property
    def version(self) -> int:
        """How often the spec was loaded again."""
        return len(self._moved)

    def call(self, name: str, given: dict[str, Json]) -> Json:
        """Answer a question by its name; InvalidQuestion where there is none such, or it is not understood."""
        question = QUESTIONS.get(name)
        if question is None:
            raise InvalidQuestion(f"there is no question {name!r}")
        with self.lock:
            return question(self, given)

    # -- states --------------------------------------------------------------------------------------------

    def about(self, given: Json) -> Json:
        """What does not change while one walks."""
        session, spec = self.session, self.session.spec
        return {
            "name": session.name,
            "title": type(spec)._title(),
            "constants": show_changed(spec.constants),
            "variables": list(spec.domains),
            "command": self.command,
            "example": self._example(),
            "conditions": [p.name for p in spec.properties if p.kind in (marks.REACHABLE, marks.INVARIANT)],
            "start": self.opened.node.address,
            "problem": self.opened.problem,
            "beginnings": [_brief(str(state)) for state in session.beginnings()],
            "forms": list(FORMS),
            "version": self.version,
        }

    def _example(self) -> str:
        """A condition for this spec."""
        found = next((p.name for p in self.session.spec.properties if p.kind == marks.INVARIANT), "")
        return f"not self.{found}()" if found.isidentifier() else f"{next(iter(self.session.spec.domains))} == 1"

    def view(self, given: Json) -> Json:
        """A state by its address; of the trail only what the page does not know."""
        led = self._at(given)
        self.session.jump(led.node)
        known = min(_number(given, "known", 0, 1 << 31), led.node.depth)
        return state_data.view(self.session, led.node, known) | {"problem": led.problem}

    def trail(self, given: Json) -> Json:
        """The steps to a state, without all that is to be said of it."""
        led = self._at(given)
        known = min(_number(given, "known", 0, 1 << 31), led.node.depth)
        return {"address": led.node.address, "trail": state_data.trail(led.node, known), "problem": led.problem}

    def ahead(self, given: Json) -> Json:
        """What the next steps would violate."""
        found = self.session.breaking(self._at(given).node)
        return {state_data.word(key): names for key, names in found.items()}

    def tree(self, given: Json) -> Json:
        """All branches."""
        return state_data.tree(self.session, self._at(given).node)

    def undo(self, given: Json) -> Json:
        """Take back the step that led to a state."""
        self.session.jump(self._at(given).node)
        return {"address": self.session.undo().address}

    def walk(self, given: Json) -> Json:
        """Go on at random, until a condition holds."""
        node = self._at(given).node
        steps = _number(given, "steps", 20, MOST_STEPS)
        led = self.session.walk(node, steps, _number(given, "seed", 0, 1 << 31), _text(given, "until"))
        return {"address": led.node.address, "steps": led.steps, "why": led.why}

    def holds(self, given: Json) -> Json:
        """Whether a condition holds in a state."""
        return {"holds": self.session.holds(_text(given, "condition"), self._at(given).node)}

    # -- pictures and files --------------------------------------------------------------------------------

    def diagram(self, given: Json) -> Json:
        """The sequence diagram of the last steps, or of all."""
        trace = self.session.trace(self._at(given).node)
        if not trace.length:
            return {"svg": "", "left_out": 0, "broken": bool(trace.shows)}
        left_out = 0 if given.get("whole") else max(0, trace.length - DRAWN)
        if left_out:
            trace = last(trace, DRAWN)
        return {"svg": svg(diagram_of(trace), style=False), "left_out": left_out, "broken": bool(trace.shows)}

    def source(self, given: Json) -> Json:
        """The lines of an action."""
        return source(self.session.spec, _text(given, "action"))

    def graph(self, given: Json) -> Json:
        """The whole graph of a small space."""
        found = picture(self.session.spec, self.session.beginnings())
        here = self._at(given).node.state
        spots = [
            {
                "way": spot.way,
                "row": spot.row,
                "column": spot.column,
                "text": str(spot.state),
                "label": spot.label,
                "broken": spot.broken,
                "stuck": spot.stuck and not self.session.spec._ends,
                "here": spot.state == here,
            }
            for spot in found.spots
        ]
        edges = [[a, b, labels] for a, b, labels in found.edges]
        return {"more": found.more, "varying": found.varying, "spots": spots, "edges": edges}

    def export(self, given: Json) -> Json:
        """The walk to a state as the text of a file."""
        form = _text(given, "form")
        if form not in FORMS:
            raise InvalidQuestion(f"there is no form {form!r}; there are {', '.join(FORMS)}")
        trace = self.session.trace(self._at(given).node)
        return {"name": file_name(trace, form), "text": export(self.session.spec, trace, form)}

    # -- the engine ----------------------------------------------------------------------------------------

    def check(self, given: Json) -> Json:
        """How far the check of all properties is, and its verdict with every violation; asked once for each spec."""
        if self._check is None:
            self._check = Job()
            self._check.begin(Engine(self.session.spec, self.lock).check)
        return state_data.check_json(self._check)

    def counterexample(self, given: Json) -> Json:
        """Add the trace of a violation, by its number, to the walks; where it ends."""
        found = self._check.answer.violations if self._check and self._check.answer else ()
        trace = dict(enumerate(violation.trace for violation in found)).get(_number(given, "number", 0, 1 << 31))
        if trace is None:
            raise InvalidQuestion("there is no such counterexample")
        led = self.session.open(trace)
        return {"address": led.node.address, "problem": led.problem}

    def ask(self, given: Json) -> Json:
        """Begin to search from a state: for a condition, for another state, or for the nearest violation."""
        node, there = self._at(given).node, None
        if given.get("there") is not None:
            led = self._at(given | {"at": given["there"]})
            if led.problem:
                raise InvalidQuestion(f"the state that is looked for: {led.problem}")
            there = led.node.state
        condition = _text(given, "condition").strip()
        if given.get("what") == "condition" and not condition:
            raise InvalidQuestion("a condition is looked for, and none is given")
        if self._job is not None:
            self._job.cancel()
        if self._engine is None:
            self._engine = Engine(self.session.spec, self.lock)
        self._job, self._asked, self._jobs = Job(), node, self._jobs + 1
        asked = Question(node.state, condition, there, _number(given, "most", 2_000_000, 1 << 40))
        self._job.begin(partial(self._engine.answer, asked))
        return {"said": self._job.said, "number": self._jobs}

    def answer(self, given: Json) -> Json:
        """How far the search of a number, or the last one, is, and its answer."""
        if self._jobs == 0:
            raise InvalidQuestion("nothing was asked")
        if self._job is None or _number(given, "number", self._jobs, 1 << 31) != self._jobs:
            return {"over": True, "text": GIVEN_UP, "decided": False}
        return state_data.job_json(self.session, self._asked, self._job)

    def cancel(self, given: Json) -> Json:
        """End the search of a number, or the last one."""
        if self._job is not None and _number(given, "number", self._jobs, 1 << 31) == self._jobs:
            self._job.cancel()
        return {}

    # -- when the spec changes -----------------------------------------------------------------------------

    def changed(self, given: Json) -> Json:
        """Load the spec again where its files have changed; where the walks of a page that knows an older one are now.

        `at` is where that page is, `whole` its walk with all that lies ahead.
        """
        now = stamp(self._files)
        if now != self._stamp:
            self._stamp = now
            self._reload()
        fields = {"version": self.version, "error": self.broken}
        if self._version(given) == self.version:
            return fields
        led, whole = self._at(given), self._at(given | {"at": given.get("whole", "")})
        return fields | {"start": led.node.address, "whole": whole.node.address, "problem": whole.problem}

    def _reload(self) -> None:
        try:
            spec = self.load()
            self._moved.append(self.session.reload(spec))
        except EverystateError as error:
            self.broken = error.explain()
            return
        if self._job is not None:
            self._job.cancel()
        self._engine, self._job, self._check, self.broken = None, None, None, ""
        self.opened = Followed(self.session.here)
        self._files = files_of(spec)
        self._stamp = stamp(self._files)

    # -- what is given -------------------------------------------------------------------------------------

    def _at(self, given: Json) -> Followed:
        """The state of an address; one of a page that knows an older spec is that of the same walk."""
        address, problem = _text(given, "at") or "0", ""
        for moved in self._moved[self._version(given) :]:
            led = moved.follow(address)
            address, problem = led.node.address, problem or led.problem
        led = self.session.follow(address)
        return Followed(led.node, problem or led.problem)

    def _version(self, given: Json) -> int:
        return _number(given, "version", self.version, self.version)


Asked = Callable[[Api, dict[str, Json]], Json]
QUESTIONS: dict[str, Asked] = {
    "about": Api.about,
    "view": Api.view,
    "trail": Api.trail,
    "ahead": Api.ahead,
    "tree": Api.tree,
    "undo": Api.undo,
    "walk": Api.walk,
    "holds": Api.holds,
    "diagram": Api.diagram,
    "source": Api.source,
    "graph": Api.graph,
    "export": Api.export,
    "check": Api.check,
    "counterexample": Api.counterexample,
    "ask": Api.ask,
    "answer": Api.answer,
    "cancel": Api.cancel,
    "changed": Api.changed,
}


def _text(given: dict[str, Json], name: str) -> str:
    found = given.get(name, "")
    if not isinstance(found, str):
        raise InvalidQuestion(f"{name} must be a string")
    try:
        found.encode()
    except UnicodeEncodeError:
        raise InvalidQuestion(f"{name} holds half a character") from None
    return found


def _number(given: dict[str, Json], name: str, otherwise: int, most: int) -> int:
    found = given.get(name, otherwise)
    if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found <= most:
        raise InvalidQuestion(f"{name} must be a whole number from 0 to {most:,}")
    return found


def _brief(text: str) -> str:
    line = ", ".join(text.splitlines())
    return line if len(line) <= 160 else f"{line[:157]}..."
