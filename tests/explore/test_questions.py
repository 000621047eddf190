"""What the engine says from a state is what `check` says of it: no kind of violation is left out, or it is told."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from everystate import check, explore
from everystate.checker import (
    Int,
    Spec,
    action,
    action_constraint,
    choose,
    eventually,
    infinitely_often,
    initial,
    leads_to,
    reachable,
    refines,
    require,
    view,
)
from everystate.checker.explore.picture import picture
from everystate.checker.explore.questions import Answer, Engine, Job, Question
from everystate.checker.explore.session import Session
from everystate.specs.idem_producer import IdempotentProducer

SHORT = (1, 2, 3)


class Counter(Spec):
    """Counts to four."""

    may_terminate = True

    def variables(self) -> None:
        self.n = Int(0, 5)

    @action
    def up(self) -> None:
        require(self.n < 4)
        self.n += 1


class FailingGoal(Counter):
    @reachable
    def goal(self) -> bool:
        return SHORT[self.n] == 2


class FailingView(Counter):
    @view
    def seen(self) -> int:
        return SHORT[self.n]


class FailingEventually(Counter):
    @eventually
    def late(self) -> bool:
        return SHORT[self.n] == 1


class FailingLeadsTo(Counter):
    @leads_to
    def follows(self) -> tuple[bool, bool]:
        return self.n == 1, SHORT[self.n] == 3


class FailingStepProperty(Counter):
    @infinitely_often
    def often(self, before: Any) -> bool:
        return SHORT[before.n] == 3


class FailingActionConstraint(Counter):
    @action_constraint
    def bound(self, before: Any) -> bool:
        return SHORT[self.n] > 0


class Abstract(Spec):
    """Begins at zero and counts to two."""

    may_terminate = True

    def variables(self) -> None:
        self.m = Int(0, 9)

    @action
    def up(self) -> None:
        require(self.m < 2)
        self.m += 1


class BeginsWrong(Counter):
    @refines(Abstract)
    def abstract(self) -> dict[str, Any]:
        return {"m": 1 if self.n <= 1 else 2}


class BeginsTwice(Counter):
    """One of its two beginnings is none of the abstract spec; from the other one, its state can be reached."""

    @initial
    def begin(self) -> None:
        self.n = choose([0, 1])

    @refines(Abstract)
    def abstract(self) -> dict[str, Any]:
        return {"m": min(self.n, 2)}


class StepsLeftOut(Counter):
    @action_constraint
    def slow(self, before: Any) -> bool:
        return self.n < 3


class Promises(Counter):
    """What one state cannot tell: a goal that nothing reaches, and one that need not come."""

    @reachable
    def five(self) -> bool:
        return self.n == 5

    @eventually
    def four(self) -> bool:
        return self.n == 4


def asked(session: Session, condition: str = "") -> Answer:
    return Engine(session.spec).answer(Question(session.here.state, condition))


@pytest.mark.parametrize(
    ("spec", "name", "steps"),
    [
        (FailingGoal, "goal", 3),
        (FailingView, "seen", 3),
        (FailingEventually, "late", 3),
        (FailingLeadsTo, "follows", 3),
        (FailingStepProperty, "often", 4),
        (FailingActionConstraint, "bound", 3),
        (BeginsWrong, "abstract", 0),
    ],
)
def test_what_check_finds_is_found_and_shown(spec: type[Spec], name: str, steps: int) -> None:
    (found,) = check(spec).violations
    assert (found.property, found.length) == (name, steps)
    session = explore(spec)
    answer = asked(session)
    assert answer.trace is not None and answer.decided
    assert (answer.trace.shows, answer.trace.length) == (name, steps)
    distance = f"The nearest violation is {steps} steps away: {name} (IndexError: tuple index out of range)."
    assert answer.text == (distance if steps else f"{name} is violated here.")
    before = session.graft(session.here, answer.trace).node.parent
    end = session.graft(session.here, answer.trace).node
    assert [truth.name for truth in session.truths(end) if truth.broken] == [name]
    assert session.trace(end).shows == name
    assert before is None or session.breaking(before) == {(0, 0): [name]}


def test_a_beginning_is_judged_where_a_walk_begins() -> None:
    session = explore(BeginsTwice)
    assert asked(session).text.startswith("No violation can be reached from here: 5 states visited")
    session.jump(session.root(1))
    assert asked(session).text == "abstract is violated here."


def test_none_says_what_it_leaves_out() -> None:
    assert asked(explore(StepsLeftOut)).text == (
        "No violation can be reached from here: 3 states visited, all that there are (3 states cross-checked). "
        "Steps that the action constraint slow leaves out were not taken."
    )
    assert asked(explore(Promises)).text == (
        "No violation can be reached from here: 5 states visited, all that there are (5 states cross-checked). "
        "This does not judge properties of whole behaviours: five, four."
    )


def test_a_condition_that_cannot_be_evaluated_everywhere_says_where() -> None:
    session = explore(Counter)
    assert asked(session, "[0, 1, 2][n] == 7").text == (
        "Not reachable from here: it holds in none of the 5 states that can be reached (5 states cross-checked). "
        "In 2 states it cannot be evaluated."
    )
    assert asked(session, "[0, 1, 2][n] == 2").text == "Reached after 2 steps, by a shortest trace from here."


class Fails(Counter):
    @action
    def jump(self) -> None:
        require(self.n == 2)
        self.n += 7


class OnlyFails(Fails):
    def has_room(self) -> bool:
        return self.n < 2

    @action
    def up(self) -> None:
        require(self.has_room())
        self.n += 1


def test_the_check_of_all_properties_says_what_check_says() -> None:
    answer = Engine(FailingGoal()).check(Job())
    assert [(found.property, found.length) for found in answer.violations] == [("goal", 3)]
    answer = Engine(Counter()).check(Job())
    assert (answer.verdict, answer.text) == ("PROVED", check(Counter).result.headline)


def test_others_execute_a_spec_while_it_is_traced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path))
    alone, seen = threading.RLock(), list[str]()

    def wait() -> None:
        with alone:
            seen.append(job.said)

    class Tracing(Job):
        def part(self, text: str, done: int, total: int) -> None:
            super().part(text, done, total)
            if (text, done) == ("tracing", 0):
                other.start()

    job, other = Tracing(), threading.Thread(target=wait)
    assert Engine(IdempotentProducer(), alone).check(job).verdict == "PROVED"
    other.join()
    assert seen[0].startswith("tracing the spec: ")


def test_a_label_of_a_state_is_what_differs() -> None:
    found = picture(Counter(), Counter().initial_states())
    assert found.varying and [spot.label for spot in found.spots] == [[f"n = {n}"] for n in range(5)]
    spec = IdempotentProducer(batches=1, max_in_flight=1, window=1)
    found = picture(spec, spec.initial_states())
    assert not found.varying and found.spots[1].label == [
        "status[0] = in flight",
        "sends[0] = 1",
        "requests = [Request(epo…",
    ]


def test_a_state_with_a_step_that_fails_is_marked_in_the_picture() -> None:
    for spec in (Fails(), OnlyFails()):
        spots = picture(spec, spec.initial_states()).spots
        assert [spot.broken for spot in spots] == [["error"] if n == 2 else [] for n in range(len(spots))]
        assert not spots[2].stuck


def test_a_walk_ends_where_every_step_fails() -> None:
    session = Session(OnlyFails())
    walked = session.walk(session.here, 9)
    assert (walked.steps, walked.why) == (2, "every step fails there")


def test_the_picture_marks_a_beginning_that_is_none() -> None:
    spec = BeginsTwice()
    found = picture(spec, spec.initial_states())
    assert [(str(spot.state), spot.broken) for spot in found.spots[:2]] == [("n = 0", []), ("n = 1", ["abstract"])]


def test_a_step_that_fails_is_told_beside_a_condition() -> None:
    assert asked(explore(Fails), "n == 5").text == (
        "Not reachable from here: it holds in none of the 5 states that can be reached (5 states cross-checked). "
        "Behind 1 step that fails nothing is known."
    )
