"""Following against a judge in plain Python, on random specs and random logs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from everystate.checker.errors import EverystateError
from everystate.checker.follow import depth
from everystate.checker.follow.answer import DEVIATES, FOLLOWS, Answer, Follower
from everystate.checker.follow.candidates import Read, UnseenActions
from everystate.checker.follow.events import Event, Place
from everystate.checker.follow.run import MOST
from everystate.checker.follow.sources import Order
from everystate.checker.follow.values import as_plain
from everystate.checker.frontend.model import build
from everystate.checker.language.concrete import Step, attempts, initial_states
from everystate.checker.language.spec import Spec
from everystate.checker.language.state import State
from tests.agreement.dice import seeded
from tests.agreement.readers import load
from tests.agreement.source import write

from .judge import judged

pytestmark = pytest.mark.thorough

SPECS = 120


def walk(spec: Spec, random: Random, length: int) -> list[tuple[Step, State]]:
    """A random behaviour: steps, each with the state before it."""
    state, found = random.choice(initial_states(spec)), list[tuple[Step, State]]()
    while len(found) < length:
        steps = [s for i in spec.instances for s in attempts(spec, state, i) if isinstance(s, Step)]
        if not steps:
            break
        step = random.choice(steps)
        found.append((step, state))
        state = step.state
    return found


def values(state: State, random: Random) -> dict[str, object]:
    names = [name for name in state.domains if random.random() < 0.4]
    return {name: as_plain(getattr(state, name)) for name in names}


def logged(spec: Spec, random: Random, unseen: tuple[str, ...]) -> list[Event]:
    """What a log tells of a random behaviour; now and then it lies."""
    found: list[Event] = []
    for number, (step, before) in enumerate(walk(spec, random, random.randrange(1, 12))):
        if random.random() < (0.8 if step.action.name in unseen else 0.1):
            continue
        name = random.choice(spec.instances).name if random.random() < 0.2 else step.action.name
        arguments = {n: as_plain(v) for n, v in step.action.arguments if random.random() < 0.5}
        if name != step.action.name or random.random() < 0.1:
            arguments = {}
        lies = before if random.random() < 0.2 else step.state
        time = number + random.choice([0.0, 0.0, 0.4])
        told_before = values(before, random) if random.random() < 0.3 else {}
        told_after = values(lies, random) if random.random() < 0.6 else {}
        actions = () if random.random() < 0.05 and (told_after or told_before) else (name,)
        found.append(
            Event(
                Place("log", number + 1),
                actions,
                arguments if actions else {},
                told_before,
                told_after,
                process=str(random.randrange(3)),
                time=time,
            )
        )
    return found


def depth_first(follower: Follower, parts: list[list[Event]], expected: Answer, seen: Counter[str]) -> None:
    """The same answer with the same states at its end, from the beginning or from where there are too many; and the
    behaviour is one."""
    search = follower.search
    kinds = ((True, MOST), (False, 1), (False, 3))
    search.first, search.limit = kinds[seen.total() % len(kinds)]
    answer = follower.follow("log", parts, last=None)
    assert (answer.verdict, answer.events) == (expected.verdict, expected.events), (search.first, search.limit)
    assert answer.behaviour is not None
    if answer.verdict == DEVIATES:
        assert states(answer) == states(expected)
    seen["depth first"] += search.first or expected.followed.most > search.limit
    search.first, search.limit = False, MOST


def states(answer: Answer) -> dict[Read, list[set[bytes]]]:
    layers = answer.followed.end.layers
    return {read: [{row.tobytes() for row in rows} for rows in found] for read, found in layers.items()}


def test_a_run_is_followed_as_far_as_plain_python_follows_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """also: a behaviour that is told explains the log, event by event, and orders of several logs are all tried"""
    monkeypatch.setattr(depth, "WIDTH", 2)
    seen: Counter[str] = Counter()
    for seed in range(SPECS):
        random, source = Random(seed), write(seeded(seed))
        try:
            spec = load(source, tmp_path)
            names = sorted({instance.name for instance in spec.instances})
            hidden = tuple(name for name in names if random.random() < 0.4)
            unseen = UnseenActions(hidden, random.randrange(1, 3))
            order = random.choice([Order(), Order(clock=True), Order(clock=True, skew=0.5)])
            initial_states(spec)
            follower = Follower(build(spec), "generated", unseen, order)
        except EverystateError as error:
            seen[error.code] += 1
            continue
        for _ in range(6):
            events = logged(spec, random, hidden)
            parts = [events]
            if random.random() < 0.5:
                parts = [[e for e in events if e.process == p] for p in "012"]
            answer = follower.follow("log", parts, last=None)
            expected = judged(spec, parts, unseen, order)
            assert (answer.events, answer.verdict == FOLLOWS) == expected, f"spec {seed}: {events}"
            assert answer.verdict in (FOLLOWS, DEVIATES)
            depth_first(follower, parts, answer, seen)
            seen[answer.verdict] += 1
            seen["parts"] += len(parts) > 1
            assert answer.behaviour is not None
            steps, told_by = answer.behaviour.trace.steps, answer.behaviour.events
            assert sum(event is not None for event in told_by) <= answer.events
            for step, event in zip(steps, told_by, strict=True):
                assert step.action in (hidden if event is None else event.actions)
            seen["unseen"] += answer.behaviour.unseen
    assert seen[FOLLOWS] > 400 and seen[DEVIATES] > 60 and seen["unseen"] > 8 and seen["parts"] > 200, seen
    assert seen["depth first"] > 250, seen
