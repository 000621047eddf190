"""Narration that depends on a condition, of actions and of properties."""

from __future__ import annotations

from everystate.checker import Int, Spec, action, invariant, narrate, require
from everystate.checker.engines.explicit.exhaustive import check
from everystate.checker.ir.model import build
from everystate.counterexamples import diagram_of


class Post(Spec):
    """Three letters, of which the second is late."""

    def variables(self) -> None:
        self.sent = Int(0, 3)
        self.late = Int(0, 1)

    @action
    def send(self) -> None:
        require(self.sent < 3)
        narrate(lambda: f"letter {self.sent}" if self.sent == 1 else "", at="Ann")
        self.sent += 1
        self.late = self.sent // 2 % 2

    @invariant
    def on_time(self) -> bool:
        """no letter is late"""
        late = self.late == 1
        narrate(lambda: f"letter {self.sent} is late" if late else "")
        return not late


def test_an_empty_text_tells_nothing() -> None:
    steps = [step for state in Post().initial_states() for step in Post().successors(state)]
    assert [step.narration for step in steps] == [()]


def test_a_text_that_is_a_function_is_called_when_the_story_is_told() -> None:
    trace = check(build(Post())).violations[0].trace
    assert trace is not None
    assert [[event["text"] for event in step.narration] for step in trace.steps] == [[], ["letter 1"]]


def test_a_property_says_what_is_broken() -> None:
    trace = check(build(Post())).violations[0].trace
    assert trace is not None and trace.witness["in words"] == "letter 2 is late"
    assert diagram_of(trace).broken == ("on_time is broken: letter 2 is late", "promised was: no letter is late")
