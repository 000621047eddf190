"""The conditions of a verdict: what a search did not explore, so what the verdict does not cover.

Every engine passes them with its result. All phrases and warnings about them are made here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..language import marks
from ..language.spec import Spec


@dataclass(frozen=True)
class Conditions:
    """What a verdict depends on.

    `pruned` is the effect of the constraints in words ("pruned 3 successors"): empty where they pruned nothing, None
    where the engine does not count that. `permutations` describe which states symmetry reduction left out.
    `assumed` are remarks of the tracer. `unjudged` maps each property that was not checked to the reason.
    """

    constraints: tuple[str, ...] = ()
    action_constraints: tuple[str, ...] = ()
    views: tuple[str, ...] = ()
    permutations: tuple[str, ...] = ()
    pruned: str | None = None
    assumed: tuple[str, ...] = ()
    unjudged: Mapping[str, str] = field(default_factory=dict)
    incomplete: bool = False
    """Whether the model has properties that its translation lacks; they are in `unjudged`, and nothing is PROVED."""
    guessed: tuple[str, ...] = ()
    """Variables of a TLA+ module whose domains are guesses."""
    guaranteed: tuple[str, ...] = ()
    """Invariants of a TLA+ module that the domains of its variables guarantee."""
    meanings: tuple[str, ...] = ()
    """The sentence of each constraint, where its author wrote one."""
    behaviours: tuple[str, ...] = ()
    """Formulas that are assumed of behaviours where temporal properties are judged."""
    executed: str = ""
    """Why the spec was executed as plain Python, although compiled code was asked for, as a sentence."""

    def phrases(self) -> list[str]:
        """The conditions in a few words each, for the last line."""
        within = (*self.constraints, *self.action_constraints)
        found = [f"within {', '.join(within)}"] if within else []
        found += [f"up to the view {', '.join(self.views)}"] if self.views else []
        found += [f"up to {', '.join(self.permutations)}"] if self.permutations else []
        found += [f"assuming {', '.join(self.behaviours)}"] if self.behaviours else []
        return found + (["executed as plain Python"] if self.executed else [])

    def limits(self, pruned: str | None = None) -> list[str]:
        """What the verdict does not cover, as sentences; `pruned` replaces the effect of the constraints."""
        found = [self.executed] if self.executed else []
        found += self._beyond(self.pruned if pruned is None or not self.pruned else pruned)
        found += self.assumed
        if self.action_constraints:
            leave = "leaves" if len(self.action_constraints) == 1 else "leave"
            names = ", ".join(self.action_constraints)
            found.append(
                f"the action constraint {names} {leave} steps out: nothing is proved of behaviours that take them"
            )
        if self.views:
            found.append(
                "states with equal views were explored once: the verdict holds if the view keeps all that matters"
            )
        return found

    def _beyond(self, pruned: str | None) -> list[str]:
        if not self.constraints or pruned == "":
            return []
        one = len(self.constraints) == 1
        texts = [*self.meanings, *[""] * len(self.constraints)]
        named = (f"{n} ({text})" if text else n for n, text in zip(self.constraints, texts, strict=False))
        what = f"tate constraint{'' if one else 's'} {', '.join(named)}"
        if pruned is None:
            return [f"States beyond the s{what} were not explored"]
        return [f"S{what} {pruned}; states beyond {'it' if one else 'them'} were not explored"]

    def warnings(self) -> list[str]:
        """Everything that a reader should know about the conditions, as sentences."""
        found = self.limits()
        if self.permutations:
            names = " and ".join(self.permutations)
            found.append(f"states that differ only by {names} were explored once: counts are of such orbits")
        return found + [f"{name} {reason}" for name, reason in self.unjudged.items()]


def conditions_of(spec: Spec, merging: bool = False, **more: Any) -> Conditions:
    """The conditions of a spec; `merging`: the engine explores states with equal views once."""
    more["unjudged"] = {**spec._origin.left_out, **more.get("unjudged", {})}
    judged = any(spec._named(kind) for kind in marks.LIVENESS)
    return Conditions(
        tuple(spec._named(marks.CONSTRAINT)),
        spec._step_bounds,
        tuple(spec._named(marks.VIEW)) if merging else (),
        assumed=spec._assumed,
        meanings=tuple(spec._declaration(name).text.partition(";")[0] for name in spec._named(marks.CONSTRAINT)),
        incomplete=bool(spec._origin.left_out),
        guessed=spec._origin.guessed,
        guaranteed=spec._origin.guaranteed,
        behaviours=tuple(spec._named(marks.TEMPORAL_ASSUMPTION)) if judged else (),
        **more,
    )


def temporal(spec: Spec) -> dict[str, str]:
    """The temporal properties of a spec, with the reason why few engines check them."""
    names = (name for kind in marks.TEMPORAL for name in spec._named(kind))
    return dict.fromkeys(names, "is a temporal property: only `check` in one process judges it")


def goals(names: Iterable[str], reason: str) -> dict[str, str]:
    """Goals that an engine did not check, with the reason."""
    return dict.fromkeys(names, f"is a goal: {reason}")
