"""Many random bodies, judged one after the other, and the findings among them."""

from __future__ import annotations

import enum
import signal
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from everystate.checker.language import State
from tests.agreement.dice import seeded
from tests.agreement.readers import load

from .judges import Sample, Verdict, judge, states
from .shrinking import shrink
from .writing import Body, World, body, world

BODIES = 12
"""So many bodies share the variables of a world and its states."""


@dataclass
class Tally:
    """How much was compared."""

    bodies: int = 0
    successors: int = 0
    errors: int = 0
    invalid: int = 0
    differ: int = 0
    refused: Counter[str] = field(default_factory=Counter)

    def count(self, verdict: Verdict) -> None:
        """Count a body."""
        if verdict.kind == "invalid":
            self.invalid += 1
            return
        self.bodies += 1
        self.successors += verdict.successors
        self.errors += verdict.errors
        self.differ += verdict.kind == "differs"
        if verdict.kind == "refused":
            self.refused[verdict.by] += 1

    def __str__(self) -> str:
        codes = f" ({', '.join(f'{c} {n}' for c, n in self.refused.most_common())})" if self.refused else ""
        return (
            f"{self.successors:,} successors and values of properties, {self.errors:,} errors; {self.differ} of "
            f"{self.bodies:,} bodies differ; not compiled: {self.refused.total()} of {self.bodies:,}{codes}"
        )


@dataclass(frozen=True)
class Finding:
    """A body on which the judges differ, or that is not compiled."""

    body: Body
    verdict: Verdict
    sample: Sample
    patience: int = 0

    def smallest(self, folder: Path) -> Finding:
        """The smallest body found that shows the same, and what it shows."""
        verdicts: dict[str, Verdict] = {}

        def shows(body: Body) -> bool:
            found = judged(body, folder, self.sample, self.patience)
            verdicts[body.source()] = found
            return found.signature == self.verdict.signature

        small = shrink(self.body, shows)
        return replace(self, body=small, verdict=verdicts.get(small.source(), self.verdict))

    def spec(self, folder: Path) -> str:
        """A spec to run, which begins in the state where the judges differ."""
        loaded = load(self.body.source(), folder)
        state = State(loaded.domains, self.verdict.cells)
        init = {name: _text(value) for name, value in state.values().items()}
        title = f"{self.verdict.by}.\n\nexpected: {self.verdict.expected}\nactual:   {self.verdict.actual}\n"
        return self.body.source(title.replace("\\", ""), init, only=True)

    @property
    def kind(self) -> tuple[str, ...]:
        """The same for findings that are alike: who differs, and by which productions the body is made."""
        made = {node.production.text for tree in self.body.trees() for node in tree.walk()}
        return (self.verdict.by, *sorted(made))


def _text(value: Any) -> str:
    """A value as Python text."""
    if isinstance(value, enum.Enum):
        return str(value)
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(map(_text, value))}}}" if value else "set()"
    return repr(value)


class TooLong(BaseException):
    """The patience with one body is over."""


def _too_long(*_: Any) -> None:
    raise TooLong


def judged(body: Body, folder: Path, sample: Sample, patience: int = 0) -> Verdict:
    """What the judges say of a body; invalid where it is not Python, refused where it takes more seconds than given."""
    text = body.source()
    try:
        compile(text, "body.py", "exec")
    except SyntaxError as error:
        return Verdict("invalid", "SyntaxError", actual=str(error))
    if not patience:
        return judge(text, folder, sample)
    signal.signal(signal.SIGPROF, _too_long)
    signal.setitimer(signal.ITIMER_PROF, patience)  # of the processor, so that a busy machine changes nothing
    try:
        return judge(text, folder, sample)
    except TooLong:
        return Verdict("refused", "too long", next(iter(sample)))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def run(seed: int, folder: Path, number: int, patience: int = 0) -> Iterator[Finding]:
    """The bodies of a world with their verdicts, on so many states each."""
    dice = seeded(seed)
    made: World = world(dice)
    bodies = [body(made, dice) for _ in range(BODIES)]
    sample = states(made.empty(), folder, number, seed)
    for one in bodies:
        yield Finding(one, judged(one, folder, sample, patience), sample, patience)
