"""Decides whether the properties of a spec hold for every value of its open constants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...backends.smt import FAULT, STUCK, Stopped, own_context
from ...errors import EverystateError
from ...frontend.kept import traced
from ...language import marks
from ...language.declarations import method_place
from ...language.spec import Spec
from ...results.conditions import conditions_of, goals, temporal
from ...results.plain import show_constants
from ...results.result import Result, checked, claimed
from ...results.text import count
from ...results.verdict import Verdict
from ..observer import Observer, Silent
from ..symbolic import decide as one_size
from ..symbolic.attempt import Help
from ..symbolic.bounded import check_names
from ..symbolic.reachability import explored
from ..symbolic.search import Question
from .candidates import Guess, guesses
from .comparison import Comparison, Difference, TooLarge
from .induction import Candidate, Induction, NotInductive
from .protocol import Condition, Protocol
from .values import refused

Sizes = dict[str, int]
PATIENCE = 30.0
"""Seconds for an invariant at one size where all states were explored."""
NEEDED, LEAST = 3, 2
"""The size up to which formulas must be compared, unless an assumption excludes it; the least number of such sizes."""
STATES = 200_000
"""States that are explored at each larger size."""


@dataclass(frozen=True)
class AnySize:
    """The outcome: the result, and the conditions of the invariant if it is a proof."""

    result: Result
    invariant: tuple[str, ...] = ()


class Sized:
    """An attempt: invariants at small sizes suggest conditions, and the inductive ones are the proof."""

    larger = 3
    """The number of larger sizes at which violations are looked for where there is no proof."""

    def __init__(
        self, make: Callable[[Sizes], Spec], opened: Sequence[str], question: Question, observer: Observer, target: str
    ) -> None:
        self.make, self.opened, self.question, self.observer, self.target = make, opened, question, observer, target
        self.spec, self.clock = make({}), question.clock
        self.protocol = Protocol(self.spec, opened)
        self.invariants = {found.name: self.protocol.property_of(found) for found in self._wanted()}
        for condition in self.invariants.values():
            condition(self.protocol.now)
        self.proved: list[Sizes] = []
        self.queries = self.states = 0
        self.reason = ""

    def _wanted(self) -> list[Any]:
        """The invariants to be proved; E511 or E517 for a name of something else."""
        names, found = self.question.properties, self.spec._marked(marks.INVARIANT)
        check_names(traced(self.spec), names)
        for declared in self.spec._marked(*marks.TEMPORAL, marks.STEP_INVARIANT, marks.REACHABLE):
            if declared.name in names:
                what = f"{declared.name}, which is no invariant,"
                raise refused(what, method_place(declared.method), ", ".join(self.opened))
        return [declared for declared in found if not names or declared.name in names]

    @property
    def _errors(self) -> bool:
        return not self.question.properties or FAULT in self.question.properties

    @property
    def _deadlock(self) -> bool:
        names = self.question.properties
        return self.question.deadlock and not self.spec._ends and (not names or STUCK in names)

    # -- the attempt ---------------------------------------------------------------------------------------

    def decide(self) -> AnySize:
        """PROVED for all sizes, VIOLATED at one, or UNDECIDED."""
        try:
            return self._decide()
        except (Stopped, KeyboardInterrupt) as end:
            stop = end if isinstance(end, Stopped) else Stopped("interrupted", interrupted=True)
            found = self._undecided(stop.reason)
            return AnySize(replace(found, stopped=stop.reason, interrupted=stop.interrupted))

    def _decide(self) -> AnySize:
        found, first = list[Guess](), True
        for sizes in self._sizes():
            decision = self._at(sizes)
            if decision is None:
                continue
            if decision.result.verdict is Verdict.VIOLATED:
                return AnySize(decision.result)
            if decision.result.verdict is Verdict.PROVED:
                self.proved.append(sizes)
            kept, first = self._inductive([]) if first else None, False
            if kept is None and decision.invariant is not None:
                at = Protocol(decision.invariant.predicates.system.model.spec, self.opened)
                found += guesses(at, decision.invariant.predicates, decision.invariant.clauses, self._ordered)
                kept = self._inductive(found)
            if kept is not None:
                return self._compared(kept)
        return self._larger()

    def _sizes(self) -> Iterator[Sizes]:
        """The sizes whose invariants are looked at, small ones first."""
        given = {name: self.spec.constants[name] for name in self.opened}
        alike = [dict.fromkeys(self.opened, size) for size in (2, 3)]
        yield from sorted([*alike, *([given] if given not in alike else [])], key=lambda sizes: sum(sizes.values()))

    def _at(self, sizes: Sizes) -> one_size.Decision | None:
        """The verdict at one size; None where the spec has no such size."""
        spec = self._spec(sizes)
        if spec is None:
            return None
        self.observer.phase(f"proving {show_constants(sizes)}")
        seconds = None if self.clock.seconds is None else self.clock.left() / 1000
        question = replace(self.question, seconds=seconds)
        found = one_size.decide(traced(spec), question, self.observer, self.target, Help(patience=PATIENCE))
        self.states += found.result.cross_checked
        self.clock.left()
        return found

    def _spec(self, sizes: Sizes) -> Spec | None:
        try:
            return self.make(sizes)
        except EverystateError as error:
            if error.code != "E112":
                raise
            return None

    @property
    def _ordered(self) -> bool:
        """Whether the spec orders its elements."""
        return any(sort.ordered for sort in self.protocol.world.sorts.values())

    def _inductive(self, found: Sequence[Guess]) -> list[Candidate] | None:
        """The conditions of a proof; None where there is none."""
        self.observer.phase(f"proving any number of {', '.join(self.opened)}")
        candidates = [Candidate(name, holds, True) for name, holds in self.invariants.items()]
        candidates += [Candidate(d.name, self.protocol.property_of(d)) for d in self.spec._marked(marks.LEMMA)]
        for guess in {guess.text: guess for guess in found}.values():
            holds, variables = self.protocol.expression(guess.node), guess.variables
            candidates.append(Candidate(guess.text, holds, special=guess.special, variables=variables))
        candidates = [c for c in candidates if c.required or self._is_read(c.holds)]
        induction = Induction(self.protocol, candidates, self.clock)
        try:
            return induction.run(self._errors, self._deadlock)
        except NotInductive as reason:
            self.reason = str(reason)
            return None
        finally:
            self.queries += induction.queries

    def _is_read(self, condition: Condition) -> bool:
        try:
            condition(self.protocol.now)
        except EverystateError as error:
            if error.code != "E517":
                raise
            return False
        return True

    # -- the comparison ------------------------------------------------------------------------------------

    def _compared(self, kept: Sequence[Candidate]) -> AnySize:
        """PROVED, where the formulas equal the compiled spec at all sizes that are compared."""
        same = list[Sizes]()
        for sizes, sample in self._to_compare():
            spec = self._spec(sizes)
            if spec is None:
                continue
            self.observer.phase(f"comparing the formulas at {show_constants(sizes)}")
            comparison = Comparison(self.protocol, traced(spec), sizes, self.clock)
            try:
                comparison.run(self.invariants, sample)
            except TooLarge:
                if max(sizes.values()) > NEEDED:
                    continue
                self.reason = f"the formulas have too many instances at {show_constants(sizes)} to be compared"
                return AnySize(self._undecided(""))
            except Difference as difference:
                self.reason = str(difference)
                return AnySize(self._undecided(""))
            same.append(sizes)
        if len(same) < LEAST:
            self.reason = "its assumptions exclude the small sizes at which the formulas are compared with it"
            return AnySize(self._undecided(""))
        return AnySize(self._proved(kept, same), tuple(c.name for c in kept if not c.required))

    def _to_compare(self) -> list[tuple[Sizes, bool]]:
        """Sizes, and whether a sample of the action instances is compared: equal ones, and different ones."""
        alone = len(self.opened) == 1
        different = {name: 2 + (i + 1) % 2 for i, name in enumerate(self.opened)}
        found = [(dict.fromkeys(self.opened, 1), False), (dict.fromkeys(self.opened, 2), False)]
        found += [(different, not alone)]
        return found + ([(dict.fromkeys(self.opened, 5), True)] if alone else [])

    def _larger(self) -> AnySize:
        """A violation at a larger size, or UNDECIDED."""
        most = {name: max([3, *(sizes[name] for sizes in self.proved)]) for name in self.opened}
        for more in range(1, self.larger + 1):
            sizes = {name: size + more for name, size in most.items()}
            spec = self._spec(sizes)
            if spec is None or self._proves_nothing(sizes):
                continue
            self.observer.phase(f"exploring {show_constants(sizes)}")
            found = explored(traced(spec), self.question, self.clock, self.observer, STATES).result
            self.clock.left()
            wanted = self.question.properties
            if any(not wanted or violation.property in wanted for violation in found.violations):
                return AnySize(replace(found, target=self.target))
        return AnySize(self._undecided(""))

    def _proves_nothing(self, sizes: Sizes) -> bool:
        return sizes in self.proved

    # -- results -------------------------------------------------------------------------------------------

    def _result(self, verdict: Verdict, said: str, unjudged: Mapping[str, str], **more: Any) -> Result:
        constants = {name: value for name, value in self.spec.constants.items() if name not in self.opened}
        return Result(
            target=self.target,
            constants={**constants, **dict.fromkeys(self.opened, "any")},
            engine="z3",
            verdict=verdict,
            conditions=conditions_of(self.spec, unjudged=dict(unjudged)),
            distinct=0,
            generated=0,
            initial=0,
            depth=0,
            seconds=self.clock.elapsed,
            checked=checked(self.spec, self._deadlock),
            said=said,
            cross_checked=self.states,
            effort=f"{self.queries} formulas: {self.clock.elapsed:.2f} s",
            **more,
        )

    def _proved(self, kept: Sequence[Candidate], same: Sequence[Sizes]) -> Result:
        names = list(self.invariants)
        parts = [f"{claimed(self.spec, names)} {'holds' if len(names) == 1 else 'hold'}"] if names else []
        parts += ["no deadlock"] * self._deadlock + ["no action fails"] * self._errors
        every = " and ".join(f"{name} >= 1" for name in self.opened)
        said = f"{', '.join(parts)} for every {every}, after any number of steps"
        sizes = "; ".join(show_constants(each) for each in same)
        how = (
            f"{count(len(kept), 'condition')} on all elements, inductive: z3 refuted each formula over "
            f"{'unbounded sorts' if len(self.opened) > 1 else 'an unbounded sort'}; the formulas equal the compiled "
            f"spec at {sizes}"
        )
        waiting = self._waiting()
        verdict = Verdict.UNDECIDED if waiting else Verdict.PROVED
        reached = goals(self.spec._named(marks.REACHABLE), "a proof for any size does not say whether it is reached")
        asked = {} if self.question.properties else waiting | reached
        details = {
            "any_size": {"open": list(self.opened), "conditions": [c.name for c in kept], "compared": list(same)}
        }
        return self._result(verdict, said, asked, held=tuple(names), how=how, details=details)

    def _waiting(self) -> dict[str, str]:
        """What a proof for any size does not judge."""
        if self.question.properties:
            return {}
        steps = dict.fromkeys(self.spec._named(marks.STEP_INVARIANT), "a proof for any size is about states, not steps")
        return temporal(self.spec) | steps

    def _undecided(self, stopped: str) -> Result:
        reason = stopped or self.reason
        proved = "; ".join(show_constants(sizes) for sizes in self.proved)
        known = f"proved at {proved} only" if proved else "nothing is known"
        said = f"{known}; for any {', '.join(self.opened)}: {reason}"
        return self._result(Verdict.UNDECIDED, said, self._waiting())


@own_context()
def decide(
    make: Callable[[Sizes], Spec],
    opened: Sequence[str],
    question: Question,
    observer: Observer | None = None,
    target: str = "",
) -> AnySize:
    """Prove the invariants of a spec for every value of some constants from 1 on, or find a violation at one.

    `make` gives the spec for values of the open constants. E517 where the spec has no meaning for any size.
    """
    return Sized(make, opened, question, observer or Silent(), target).decide()
